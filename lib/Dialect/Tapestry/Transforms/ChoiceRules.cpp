//===- ChoiceRules.cpp - How where, max and min expand --------------------===//
//
// The white paper's selectors that choose by values, cell by cell:
// where(c, x, ..., y) is the x behind the first c that holds, else y; max and
// min are the largest and the least, NaN before all. They are einsums of
// tensors as they are, whose body chooses.
//
//===----------------------------------------------------------------------===//

#include "BuiltinRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "tapestry/Dialect/Tapestry/Macros/Macros.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Error.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// Of a max or min of integers: they are without a sign.
static constexpr llvm::StringLiteral unsignedParam = "unsigned";

/// What is wrong with operands, result and parameters.
static llvm::Error checkChoice(OperatorOp op) {
  bool isWhere = op.getKind() == whereKind;
  size_t operands = op.getInputs().size();
  if (op.getOutputs().size() != 1 || operands == 0 ||
      (isWhere && (operands < 3 || operands % 2 == 0)))
    return planError("it has ", countOf(operands, "operand"), " and ",
                     countOf(op.getOutputs().size(), "result"), ", expected ",
                     isWhere ? "3, 5, ..." : "at least 1", " and 1");
  auto type = cast<RankedTensorType>(op.getOutputs().front().getType());
  for (auto [number, operand] : llvm::enumerate(op.getInputs())) {
    bool isCondition = isWhere && number % 2 == 0 && number + 1 != operands;
    Type expected =
        isCondition ? type.clone(IntegerType::get(op.getContext(), 1)) : type;
    if (operand.getType() != expected)
      return planError("operand ", number, " is a ", operand.getType(),
                       ", expected ", expected);
  }
  if (!isWhere && isa<ComplexType>(type.getElementType()))
    return planError("elements are ", type.getElementType(),
                     ", which have no order");
  bool hasSign = isWhere || !isa<IntegerType>(type.getElementType());
  DictionaryAttr params = op.getParamsAttr();
  for (NamedAttribute param :
       params ? params.getValue() : ArrayRef<NamedAttribute>())
    if (hasSign || param.getName() != unsignedParam ||
        !isa<UnitAttr>(param.getValue()))
      return planError("it has no parameter '", param.getName().getValue(),
                       "' = ", param.getValue());
  return llvm::Error::success();
}

namespace {
struct ExpandChoice : public OpRewritePattern<OperatorOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(OperatorOp op,
                                PatternRewriter &rewriter) const override {
    if (llvm::Error error = checkChoice(op))
      return rewriter.notifyMatchFailure(op, llvm::toString(std::move(error)));
    auto type = cast<RankedTensorType>(op.getOutputs().front().getType());
    SmallVector<std::string> names;
    SmallVector<ScalarLabel> labels;
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      names.push_back("d" + std::to_string(dim));
    for (auto [name, extent] : llvm::zip_equal(names, type.getShape()))
      labels.push_back({name, extent});
    ScalarExpr choice;
    for (Value operand : op.getInputs())
      choice.reads.push_back(
          {operand, rewriter.getMultiDimIdentityMap(type.getRank())});
    bool isUnsigned =
        op.getParam(unsignedParam) || type.getElementType().isInteger(1);
    StringRef kind = op.getKind();
    choice.body = [&](ScalarBuilder &b, ValueRange values) {
      Value chosen = values.back();
      if (kind == whereKind) {
        for (size_t k = values.size() - 1; k >= 2; k -= 2)
          chosen =
              b.create<arith::SelectOp>(values[k - 2], values[k - 1], chosen);
        return chosen;
      }
      for (Value value : llvm::reverse(values.drop_back()))
        chosen = extreme(b, kind == maxKind, isUnsigned, value, chosen);
      return chosen;
    };
    rewriter.replaceOp(op, buildEinsum(rewriter, op.getLoc(), op.getName(),
                                       labels, labels.size(), Monoid::None,
                                       type.getElementType(), choice)
                               .getResult());
    return success();
  }

private:
  static Value extreme(ScalarBuilder &b, bool isMax, bool isUnsigned, Value x,
                       Value y) {
    if (isa<FloatType>(x.getType()))
      return isMax ? b.create<arith::MaximumFOp>(x, y)
                   : b.create<arith::MinimumFOp>(x, y);
    if (isUnsigned)
      return isMax ? b.create<arith::MaxUIOp>(x, y)
                   : b.create<arith::MinUIOp>(x, y);
    return isMax ? b.create<arith::MaxSIOp>(x, y)
                 : b.create<arith::MinSIOp>(x, y);
  }
};
} // namespace

void teg::addChoiceRules(std::deque<RewriteRule> &rules) {
  auto add = [&](StringRef kind, StringRef summary) {
    rules.push_back({(kind + "-einsum").str(), RuleKind::Local, kind.str(),
                     /*precedence=*/0, summary.str(),
                     [](RewritePatternSet &set) {
                       set.add<ExpandChoice>(set.getContext());
                     }});
  };
  add(whereKind, "the tensor behind the first condition that holds");
  add(maxKind, "the largest of tensors");
  add(minKind, "the least of tensors");
}
