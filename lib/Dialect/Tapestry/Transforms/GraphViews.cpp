//===- GraphViews.cpp - What the tensors of a graph are -------------------===//

#include "GraphViews.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tapestry/Interfaces/SelectorInterface.h"
#include "tapestry/Support/Sharding.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static llvm::ArrayRef<int64_t> tensorShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

/// Per dimension of a result its label; nothing where it is written whole.
static SmallVector<std::optional<unsigned>> resultLabels(BlockOpInterface op,
                                                         unsigned result) {
  Projection written = op.getResultProjections()[result];
  return llvm::map_to_vector(
      written.dims, [](const ProjectionDim &dim) -> std::optional<unsigned> {
        if (dim.terms.empty())
          return std::nullopt;
        return dim.terms[0].dim;
      });
}

unsigned GraphViews::addTensor(Value value) {
  tensors.push_back(value);
  return tensors.size() - 1;
}

void GraphViews::set(Value value, TensorView view) {
  views[value] = std::move(view);
}

std::optional<TensorView> GraphViews::lookThrough(Operation *op) {
  auto selector = dyn_cast_or_null<SelectorInterface>(op);
  if (!selector || !selector.isTransparent())
    return std::nullopt;
  auto block = cast<BlockOpInterface>(op);
  TensorView view;
  view.shape = llvm::to_vector(tensorShape(op->getResult(0)));
  SmallVector<Value> operands = block.getTensorOperands();
  for (auto &[operand, access] : block.getReads()) {
    // A copy: what is looked up may move others.
    TensorView read = of(operands[operand]);
    if (access.fallback != AccessFallback::None ||
        !view.add(read, access.projection,
                  access.guarded(block.getIndexSpace()),
                  selector.getResidue(operand)))
      return std::nullopt;
  }
  view.merge();
  return view;
}

const TensorView &GraphViews::of(Value value) {
  // Selectors of selectors are looked through from the first on.
  SmallVector<Value> open = {value};
  while (!open.empty()) {
    Value next = open.back();
    Operation *op = next.getDefiningOp();
    size_t before = open.size();
    if (!views.contains(next) && isa_and_nonnull<SelectorInterface>(op))
      for (Value operand : cast<BlockOpInterface>(op).getTensorOperands())
        if (!views.contains(operand))
          open.push_back(operand);
    if (open.size() != before)
      continue;
    open.pop_back();
    if (views.contains(next))
      continue;
    if (std::optional<TensorView> view = lookThrough(op))
      views[next] = std::move(*view);
    else
      views[next] = TensorView::of(addTensor(next), tensorShape(next));
  }
  return views[value];
}

TensorView teg::viewOfCells(unsigned number, llvm::ArrayRef<ZRange> cells) {
  TensorView view = TensorView::of(number, shapeOf(cells));
  for (auto [dim, range] :
       llvm::zip_equal(view.pieces[0].projection.dims, cells))
    dim.constant = range.lo;
  return view;
}

TensorView teg::viewOfBlock(BlockOpInterface op, unsigned result,
                            llvm::ArrayRef<ZRange> range, unsigned number) {
  return viewOfCells(number,
                     partOfResult(op.getResultProjections()[result], range));
}

namespace {
/// Puts the blocks together that the rows of a stack are partial results of.
class StackReader {
public:
  explicit StackReader(const TensorView &stack) : stack(stack) {}

  /// Takes up the partial results that a piece is of; false where they do not
  /// go with the others.
  bool take(const ViewPiece &piece, const PartialBlock *block);
  std::optional<CoverageFault> findFault() const {
    return findCoverageFault(made.range, blocks);
  }
  llvm::SmallVector<int64_t> cellOf(llvm::ArrayRef<int64_t> point) const;

  PartialBlock made;

private:
  bool takeDim(const ViewPiece &piece, unsigned number, bool isFirst,
               ZBox &range);

  const TensorView &stack;
  SmallVector<std::optional<unsigned>> labels;
  std::vector<ZBox> blocks;
};
} // namespace

/// Row b, cell c of the stack is cell c + constant of the partial result.
bool StackReader::takeDim(const ViewPiece &piece, unsigned number, bool isFirst,
                          ZBox &range) {
  const ProjectionDim &dim = piece.projection.dims[number];
  if (!dim.isLinear() || dim.terms.size() != 1 ||
      !(dim.terms[0] == AffineTerm{number + 1, 1}))
    return false;
  const ZRange &cells = piece.cells[number + 1];
  int64_t extent = stack.shape[number + 1];
  if (!labels[number])
    return dim.constant == 0 && cells == ZRange{0, extent};
  unsigned label = *labels[number];
  int64_t origin = range[label].lo + dim.constant;
  ZRange all{origin, origin + extent};
  if (isFirst)
    made.range[label] = all;
  else if (made.range[label] != all)
    return false;
  range[label] = {origin + cells.lo, origin + cells.hi};
  return true;
}

bool StackReader::take(const ViewPiece &piece, const PartialBlock *block) {
  if (!block || !piece.steps.empty() ||
      (made.whole &&
       (block->whole != made.whole || block->result != made.result)))
    return false;
  bool isFirst = !made.whole;
  if (isFirst) {
    made = *block;
    labels = resultLabels(cast<BlockOpInterface>(made.whole), made.result);
  }
  ZBox range = block->range;
  for (unsigned number = 0; number < labels.size(); ++number)
    if (!takeDim(piece, number, isFirst, range))
      return false;
  for (auto [own, all] : llvm::zip_equal(range, made.range))
    all = {std::min(all.lo, own.lo), std::max(all.hi, own.hi)};
  // What is repeated is combined as often.
  blocks.insert(blocks.end(), piece.cells[0].size(), range);
  return true;
}

llvm::SmallVector<int64_t>
StackReader::cellOf(llvm::ArrayRef<int64_t> point) const {
  llvm::SmallVector<int64_t> cell;
  for (const std::optional<unsigned> &label : labels)
    cell.push_back(label ? point[*label] - made.range[*label].lo : 0);
  return cell;
}

std::optional<PartialBlock> GraphViews::combined(const TensorView &stack,
                                                 StackFault *fault) const {
  StackFault unused;
  StackFault &why = fault ? *fault : unused;
  for (const ViewPiece &piece : stack.pieces)
    if (const PartialBlock *block = partialBlock(piece.tensor)) {
      why.whole = block->whole;
      why.result = block->result;
      break;
    }
  if (!why.whole)
    return std::nullopt;
  StackReader reader(stack);
  for (const ViewPiece &piece : stack.pieces)
    if (!reader.take(piece, partialBlock(piece.tensor))) {
      for (const ZRange &cells : piece.cells)
        why.cell.push_back(cells.lo);
      return std::nullopt;
    }
  std::optional<CoverageFault> uncovered = reader.findFault();
  if (!uncovered)
    return std::move(reader.made);
  why.cell = reader.cellOf(uncovered->point);
  why.point = uncovered->point;
  why.times = uncovered->times;
  return std::nullopt;
}
