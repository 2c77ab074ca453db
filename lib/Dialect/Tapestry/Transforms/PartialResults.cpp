//===- PartialResults.cpp - What blocks of a reduction give ---------------===//

#include "PartialResults.h"
#include "mlir/IR/TypeUtilities.h"
#include <array>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// Lets an operator emit its combination of two accumulators.
static void fillCombiner(OpBuilder &b, BlockOpInterface op, unsigned result,
                         Region &combiner) {
  OpBuilder::InsertionGuard guard(b);
  Location loc = op.getLoc();
  Type type = getElementTypeOrSelf(op.getMonoidIdentity(result));
  Block *block = b.createBlock(&combiner, {}, {type, type}, {loc, loc});
  Value combined = op.emitCombine(result, b, loc, block->getArgument(0),
                                  block->getArgument(1));
  YieldOp::create(b, loc, combined);
}

/// "block" and what the dimensions of a result are called.
static SmallVector<std::string> stackLabels(BlockOpInterface op,
                                            unsigned result) {
  SmallVector<std::string> names = op.getLabelNames(), labels = {"block"};
  Projection written = op.getResultProjections()[result];
  for (auto [number, dim] : llvm::enumerate(written.dims))
    labels.push_back(dim.terms.empty() ? "d" + std::to_string(number)
                                       : names[dim.terms[0].dim]);
  // No two are equal.
  for (std::string &label : labels)
    while (llvm::count(labels, label) > 1)
      label += "_";
  return labels;
}

EinsumOp teg::createReduction(OpBuilder &builder, BlockOpInterface op,
                              unsigned result, StringRef name, Value stack,
                              Type elementType) {
  auto type = cast<RankedTensorType>(stack.getType());
  SmallVector<std::string> names = stackLabels(op, result);
  SmallVector<StringRef> labels(names.begin(), names.end());
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  Monoid monoid = op.getResultMonoid(result);
  TypedAttr identity = op.getMonoidIdentity(result);
  // One whose identity is another, as -0.0, is no monoid with a name.
  if (monoidIdentity(monoid, type.getElementType()) != identity)
    monoid = Monoid::Custom;
  auto made = EinsumOp::create(
      builder, op.getLoc(), name, labels, type.getShape(), stack,
      {all, all.dropResult(0)}, /*pads=*/{},
      monoid == Monoid::Custom ? Monoid::Add : monoid,
      RankedTensorType::get(type.getShape().drop_front(), elementType),
      [](OpBuilder &, Location, ValueRange elements) { return elements[0]; });
  if (monoid == Monoid::Custom) {
    made.setMonoidAttr(index::MonoidAttr::get(builder.getContext(), monoid));
    made.setCustomIdentityAttr(identity);
    fillCombiner(builder, op, result, made.getCombiner());
  }
  return made;
}

namespace {
/// Takes scalars apart that a monoid has combined.
class CombinerMatcher {
public:
  CombinerMatcher(BlockOpInterface op, unsigned result) {
    OpBuilder builder(op.getContext());
    fillCombiner(builder, op, result, combiner);
  }

  /// The arguments, as often as each is combined, that a region of scalars
  /// combines and does nothing else with; nothing where it does.
  std::optional<SmallVector<unsigned>> argumentsOf(Region &scalar);

private:
  bool match(Value pattern, Value value);

  Region combiner;
  /// What the combiner's arguments stand for.
  std::array<Value, 2> bound;
};
} // namespace

/// Whether `value` is computed as `pattern` is, of some values for the
/// combiner's arguments.
bool CombinerMatcher::match(Value pattern, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(pattern)) {
    Value &known = bound[argument.getArgNumber()];
    if (!known)
      known = value;
    return known == value;
  }
  Operation *wanted = pattern.getDefiningOp(), *op = value.getDefiningOp();
  return op && op->getName() == wanted->getName() && op->getNumRegions() == 0 &&
         wanted->getNumRegions() == 0 &&
         cast<OpResult>(pattern).getResultNumber() ==
             cast<OpResult>(value).getResultNumber() &&
         op->getAttrDictionary() == wanted->getAttrDictionary() &&
         op->getResultTypes() == wanted->getResultTypes() &&
         op->getNumOperands() == wanted->getNumOperands() &&
         llvm::all_of(llvm::zip_equal(wanted->getOperands(), op->getOperands()),
                      [&](auto pair) {
                        return match(std::get<0>(pair), std::get<1>(pair));
                      });
}

std::optional<SmallVector<unsigned>>
CombinerMatcher::argumentsOf(Region &scalar) {
  // As many as nobody writes: values that are combined with themselves, again
  // and again, are exponentially many.
  constexpr size_t most = 4096;
  Value pattern = combiner.front().getTerminator()->getOperand(0);
  SmallVector<unsigned> arguments;
  SmallVector<Value> open = {scalar.front().getTerminator()->getOperand(0)};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      arguments.push_back(argument.getArgNumber());
      continue;
    }
    bound = {};
    if (open.size() + arguments.size() > most || isa<BlockArgument>(pattern) ||
        !match(pattern, value) || !bound[0] || !bound[1])
      return std::nullopt;
    open.append({bound[1], bound[0]});
  }
  return arguments;
}

/// How the stack reads an operand: of index points, whose labels are these
/// dimensions of it, those of `row` and following ones.
static Projection readOfStack(Projection read, ArrayRef<unsigned> dims,
                              int64_t row) {
  for (ProjectionDim &dim : read.dims) {
    for (AffineTerm &term : dim.terms) {
      term.dim = dims[term.dim];
      if (term.dim == 0)
        dim.constant -= term.coefficient * row;
    }
    llvm::sort(dim.terms, [](const AffineTerm &a, const AffineTerm &b) {
      return a.dim < b.dim;
    });
  }
  return read;
}

std::optional<CombinedStack>
teg::stackOf(BlockOpInterface op, BlockOpInterface whole, unsigned result,
             function_ref<TensorView(Value)> viewOf) {
  Region *scalar = op.getScalarRegion();
  if (!scalar || !whole.getMonoidIdentity(result))
    return std::nullopt;
  // Of the one label that may be reduced, rows.
  SmallVector<unsigned> dims(op.getIndexRank(), 0);
  Projection written = op.getResultProjections().front();
  for (auto [number, dim] : llvm::enumerate(written.dims)) {
    if (!dim.isPlainDim())
      return std::nullopt;
    dims[dim.terms[0].dim] = number + 1;
  }
  size_t reduced = dims.size() - written.rank();
  if (reduced > 1 ||
      (reduced && !combineAlike(op, /*resultOfA=*/0, whole, result)))
    return std::nullopt;
  auto arguments = CombinerMatcher(whole, result).argumentsOf(*scalar);
  if (!arguments)
    return std::nullopt;
  int64_t rows =
      reduced ? op.getLabelExtents()[llvm::find(dims, 0) - dims.begin()] : 1;
  CombinedStack stack;
  stack.view.shape.push_back(rows * arguments->size());
  llvm::append_range(
      stack.view.shape,
      cast<RankedTensorType>(op->getResult(0).getType()).getShape());
  SmallVector<Value> tensors = op.getTensorOperands();
  for (auto [number, operand] : llvm::enumerate(*arguments)) {
    std::vector<Access> accesses = op.getAccesses(operand);
    if (accesses.size() != 1 || !accesses[0].guard.empty() ||
        accesses[0].fallback != AccessFallback::None)
      return std::nullopt;
    int64_t row = rows * static_cast<int64_t>(number);
    ZBox cells = boxOfShape(stack.view.shape);
    cells[0] = {row, row + rows};
    if (!stack.view.add(viewOf(tensors[operand]),
                        readOfStack(accesses[0].projection, dims, row), cells))
      return std::nullopt;
    stack.operands.append(rows, operand);
  }
  stack.view.merge();
  return stack;
}

bool teg::combineAlike(BlockOpInterface a, unsigned resultOfA,
                       BlockOpInterface b, unsigned resultOfB) {
  TypedAttr identity = a.getMonoidIdentity(resultOfA);
  if (!identity || identity != b.getMonoidIdentity(resultOfB))
    return false;
  OpBuilder builder(a.getContext());
  Region first, second;
  fillCombiner(builder, a, resultOfA, first);
  fillCombiner(builder, b, resultOfB, second);
  return OperationEquivalence::isRegionEquivalentTo(
      &first, &second, OperationEquivalence::IgnoreLocations);
}
