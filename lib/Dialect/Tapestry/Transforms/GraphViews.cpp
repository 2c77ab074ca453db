//===- GraphViews.cpp - What the tensors of a graph are -------------------===//

#include "GraphViews.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tapestry/Dialect/Tapestry/IR/Constraints.h"
#include "tapestry/Interfaces/SelectorInterface.h"
#include "tapestry/Support/Sharding.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

llvm::ArrayRef<int64_t> teg::shapeOfTensor(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

std::string teg::pointText(llvm::ArrayRef<int64_t> point) {
  std::string text = "(";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(point, os);
  return text + ")";
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

void GraphViews::forget(Operation *op) {
  for (Value result : op->getResults())
    views.erase(result);
}

bool GraphViews::isOwn(Value value) {
  std::optional<unsigned> number = of(value).asTensor();
  return number && tensors[*number] == value;
}

/// Of a selector whose operands are known.
std::optional<TensorView> GraphViews::lookThrough(Operation *op) {
  auto selector = dyn_cast_or_null<SelectorInterface>(op);
  if (!selector || !selector.isTransparent() || op->hasAttr(madeAttrName))
    return std::nullopt;
  auto block = cast<BlockOpInterface>(op);
  TensorView view;
  view.shape = llvm::to_vector(shapeOfTensor(op->getResult(0)));
  SmallVector<Value> operands = block.getTensorOperands();
  for (auto &[operand, access] : block.getReads()) {
    const TensorView &read = of(operands[operand]);
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
      views[next] = TensorView::of(addTensor(next), shapeOfTensor(next));
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

std::optional<CoverageFault> teg::findSumFault(ArrayRef<ZRange> range,
                                               ArrayRef<ZBox> blocks) {
  std::optional<CoverageFault> fault = findCoverageFault(range, blocks);
  if (!fault || fault->times != 0)
    return fault;
  std::optional<SmallVector<int64_t>> twice;
  for (size_t first = 0; first < blocks.size(); ++first)
    for (const ZBox &other : blocks.drop_front(first + 1)) {
      ZBox common = intersect(blocks[first], other);
      if (isEmpty(common))
        continue;
      auto point = llvm::map_to_vector(
          common, [](const ZRange &label) { return label.lo; });
      if (!twice || point < *twice)
        twice = std::move(point);
    }
  if (!twice)
    return fault;
  int64_t times = llvm::count_if(blocks, [&](const ZBox &block) {
    return llvm::all_of(llvm::zip_equal(block, *twice), [](auto pair) {
      auto [label, value] = pair;
      return label.lo <= value && value < label.hi;
    });
  });
  return CoverageFault{std::move(*twice), times};
}

namespace {
/// Puts the blocks together that the rows of a stack are partial results of.
class StackReader {
public:
  explicit StackReader(const TensorView &stack) : stack(stack) {}

  /// Takes up the partial results that a piece is of; false where they do not
  /// go with the others.
  bool take(const ViewPiece &piece, const PartialBlock *block);
  llvm::SmallVector<int64_t> cellOf(llvm::ArrayRef<int64_t> point) const;
  bool isOpen() const;

  PartialBlock made;
  std::vector<ZBox> blocks;

private:
  bool takeDim(const ViewPiece &piece, unsigned number, bool isFirst,
               ZBox &range);

  const TensorView &stack;
  SmallVector<std::optional<unsigned>> labels;
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
    made.blocks.clear();
    labels = resultLabels(cast<BlockOpInterface>(made.whole), made.result);
  }
  ZBox range = block->range;
  for (unsigned number = 0; number < labels.size(); ++number)
    if (!takeDim(piece, number, isFirst, range))
      return false;
  for (auto [own, all] : llvm::zip_equal(range, made.range))
    all = {std::min(all.lo, own.lo), std::max(all.hi, own.hi)};
  // What is repeated is combined as often.
  if (block->blocks.empty())
    blocks.insert(blocks.end(), piece.cells[0].size(), range);
  for (const ZBox &part : block->blocks)
    if (ZBox own = intersect(part, range); !isEmpty(own))
      blocks.insert(blocks.end(), piece.cells[0].size(), own);
  return true;
}

/// Whether there are too few of them: other sums may have the rest.
bool StackReader::isOpen() const {
  double there = 0;
  for (const ZBox &block : blocks)
    there += static_cast<double>(volume(block));
  return there < static_cast<double>(volume(made.range));
}

llvm::SmallVector<int64_t>
StackReader::cellOf(llvm::ArrayRef<int64_t> point) const {
  llvm::SmallVector<int64_t> cell;
  for (const std::optional<unsigned> &label : labels)
    cell.push_back(label ? point[*label] - made.range[*label].lo : 0);
  return cell;
}

const PartialBlock *
GraphViews::partialOperand(BlockOpInterface op,
                           function_ref<TensorView(Value)> viewOf) const {
  if (partial.empty())
    return nullptr;
  for (Value operand : op.getTensorOperands())
    for (const ViewPiece &piece : viewOf(operand).pieces)
      if (const PartialBlock *block = partialBlock(piece.tensor))
        return block;
  return nullptr;
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
  if (reader.isOpen()) {
    reader.made.blocks = std::move(reader.blocks);
    return std::move(reader.made);
  }
  std::optional<CoverageFault> uncovered =
      findSumFault(reader.made.range, reader.blocks);
  if (!uncovered)
    return std::move(reader.made);
  why.cell = reader.cellOf(uncovered->point);
  why.point = uncovered->point;
  why.times = uncovered->times;
  return std::nullopt;
}
