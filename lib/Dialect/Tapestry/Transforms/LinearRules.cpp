//===- LinearRules.cpp - How linear and matmul expand ---------------------===//
//
// The patterns are in LinearRules.pdll; here is what they call.
//
// The white paper's LinearBlock counts batch and out and reads `in` whole, so
// that it cannot be cut there. An einsum yields what it sums up, so a bias is
// an einsum of its own, and the block is two of them: the sum of products,
// which is pinned to keep `in` whole, and the sum with the bias.
//
//===----------------------------------------------------------------------===//

#include "BuiltinRules.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Parser/Parser.h"
#include "tapestry/Dialect/Tapestry/Macros/Linear.h"
#include "tapestry/Support/Counted.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// The parameter that asks for cuts, as `tapestry.constraints` of an einsum.
static constexpr llvm::StringLiteral constraintsParam = "constraints";
/// The label that is summed up.
static constexpr llvm::StringLiteral inLabel = "in";

//===----------------------------------------------------------------------===//
// Constraints on cuts
//===----------------------------------------------------------------------===//

bool teg::asksToCut(Attribute constraints, StringRef label) {
  auto list = dyn_cast_if_present<ArrayAttr>(constraints);
  if (!list)
    return false;
  for (auto constraint : list.getAsRange<ConstraintAttr>())
    if (!constraint.getIsHome())
      for (const LabelConstraint &cut : constraint.getConstraint("").cuts)
        if (cut.label == label && (cut.parts > 1 || !cut.axes.empty()))
          return true;
  return false;
}

static void addConstraints(EinsumOp op, ArrayRef<Attribute> more) {
  SmallVector<Attribute> all;
  if (auto known = op->getAttrOfType<ArrayAttr>(constraintsAttrName))
    llvm::append_range(all, known);
  llvm::append_range(all, more);
  if (!all.empty())
    op->setAttr(constraintsAttrName, ArrayAttr::get(op.getContext(), all));
}

void teg::keepWhole(EinsumOp op, StringRef label) {
  ShardingConstraint whole;
  whole.cuts.push_back({label.str(), /*parts=*/1, {}});
  addConstraints(op, {ConstraintAttr::get(op.getContext(), whole,
                                          /*isHome=*/false)});
}

/// Moves what the operator's parameter asks to the vertex that sums up.
static void moveConstraints(OperatorOp op, EinsumOp sums) {
  if (auto list = dyn_cast_if_present<ArrayAttr>(op.getParam(constraintsParam)))
    addConstraints(sums, llvm::to_vector(list.getValue()));
}

//===----------------------------------------------------------------------===//
// When
//===----------------------------------------------------------------------===//

static LogicalResult checkOperator(PatternRewriter &rewriter, OperatorOp op,
                                   bool hasBias) {
  size_t expected = hasBias ? 3 : 2;
  if (op.getInputs().size() != expected || op.getOutputs().size() != 1)
    return rewriter.notifyMatchFailure(op, [&](Diagnostic &reason) {
      reason << "it has " << countOf(op.getInputs().size(), "operand")
             << " and " << countOf(op.getOutputs().size(), "result")
             << ", expected " << expected << " and 1";
    });
  llvm::Error error = checkLinear(op.getInputs()[0], op.getInputs()[1],
                                  hasBias ? op.getInputs()[2] : Value(),
                                  op.getOutputs().front().getType());
  if (error)
    return rewriter.notifyMatchFailure(op, llvm::toString(std::move(error)));
  DictionaryAttr params = op.getParamsAttr();
  for (NamedAttribute param :
       params ? params.getValue() : ArrayRef<NamedAttribute>()) {
    if (param.getName() != constraintsParam)
      return rewriter.notifyMatchFailure(
          op, "it has no parameter '" + param.getName().getValue() + "'");
    auto list = dyn_cast<ArrayAttr>(param.getValue());
    auto isCut = [](Attribute entry) {
      auto constraint = dyn_cast<ConstraintAttr>(entry);
      return constraint && !constraint.getIsHome();
    };
    if (!list || !llvm::all_of(list, isCut))
      return rewriter.notifyMatchFailure(
          op, "its parameter 'constraints' is no list of constraints on cuts");
  }
  return success();
}

static LogicalResult checkInIsWhole(PatternRewriter &rewriter, OperatorOp op) {
  if (asksToCut(op.getParam(constraintsParam), inLabel))
    return rewriter.notifyMatchFailure(op, "'in' is asked to be cut");
  return success();
}

//===----------------------------------------------------------------------===//
// What
//===----------------------------------------------------------------------===//

static std::string nameOf(OperatorOp op, StringRef part) {
  return (op.getName() + "." + part).str();
}

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

static Value expandToLinearBlock(PatternRewriter &rewriter, OperatorOp op) {
  Value x = op.getInputs()[0], w = op.getInputs()[1], b = op.getInputs()[2];
  EinsumOp sums = buildProductSum(rewriter, op.getLoc(), nameOf(op, "matmul"),
                                  x, w, sumTypeOf(elementOf(x)));
  EinsumOp sum = buildSum(rewriter, op.getLoc(), op.getName(), sums.getResult(),
                          b, elementOf(x));
  moveConstraints(op, sums);
  keepWhole(sums, inLabel);
  return sum.getResult();
}

static Value expandToMatmulAndSum(PatternRewriter &rewriter, OperatorOp op) {
  Value x = op.getInputs()[0], w = op.getInputs()[1], b = op.getInputs()[2];
  OperatorOp product =
      buildMatmul(rewriter, op.getLoc(), nameOf(op, "matmul"), x, w,
                  sumTypeOf(elementOf(x)), op.getParamsAttr());
  return buildSum(rewriter, op.getLoc(), op.getName(),
                  product.getOutputs().front(), b, elementOf(x))
      .getResult();
}

static Value expandToEinsum(PatternRewriter &rewriter, OperatorOp op) {
  EinsumOp sums =
      buildProductSum(rewriter, op.getLoc(), op.getName(), op.getInputs()[0],
                      op.getInputs()[1], elementOf(op.getOutputs().front()));
  moveConstraints(op, sums);
  return sums.getResult();
}

static Value expandToProdAndSumDim(PatternRewriter &rewriter, OperatorOp op) {
  EinsumOp prod = buildProd(rewriter, op.getLoc(), nameOf(op, "prod"),
                            op.getInputs()[0], op.getInputs()[1]);
  EinsumOp sums =
      buildSumDim(rewriter, op.getLoc(), op.getName(), prod.getResult(),
                  elementOf(op.getOutputs().front()));
  moveConstraints(op, sums);
  return sums.getResult();
}

#include "LinearRules.h.inc"

void teg::addLinearRules(std::deque<RewriteRule> &rules) {
  auto add = [&](StringRef name, StringRef kind, unsigned precedence,
                 StringRef summary,
                 std::function<void(RewritePatternSet &)> addPatterns) {
    rules.push_back({name.str(), RuleKind::Local, kind.str(), precedence,
                     summary.str(), std::move(addPatterns)});
  };
  add("linear-block", linearKind, 0,
      "X W + b as a block that keeps 'in' whole, if nobody asks to cut it",
      [](RewritePatternSet &set) {
        set.add<LinearBlockPattern>(set.getContext());
      });
  add("linear-sum", linearKind, 1, "matmul and Sum, to be cut along 'in', too",
      [](RewritePatternSet &set) {
        set.add<LinearSumPattern>(set.getContext());
      });
  add("matmul-einsum", matmulKind, 0, "one sum of products",
      [](RewritePatternSet &set) {
        set.add<MatmulEinsumPattern>(set.getContext());
      });
  add("matmul-prod", matmulKind, 1, "Prod and SumDim",
      [](RewritePatternSet &set) {
        set.add<MatmulProdPattern>(set.getContext());
      });
}
