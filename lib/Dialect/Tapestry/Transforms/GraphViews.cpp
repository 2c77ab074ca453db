//===- GraphViews.cpp - What the tensors of a graph are -------------------===//

#include "GraphViews.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tapestry/Interfaces/SelectorInterface.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static llvm::ArrayRef<int64_t> tensorShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

/// Per dimension of a result its label.
static SmallVector<unsigned> resultLabels(BlockOpInterface op) {
  Projection written = op.getResultProjections().front();
  return llvm::map_to_vector(
      written.dims, [](const ProjectionDim &dim) { return dim.terms[0].dim; });
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

TensorView teg::viewOfBlock(BlockOpInterface op, llvm::ArrayRef<ZRange> range,
                            unsigned number) {
  TensorView view;
  for (unsigned label : resultLabels(op))
    view.shape.push_back(range[label].size());
  view = TensorView::of(number, view.shape);
  for (auto [dim, label] :
       llvm::zip_equal(view.pieces[0].projection.dims, resultLabels(op)))
    dim.constant = range[label].lo;
  return view;
}

bool teg::isComplete(BlockOpInterface op, llvm::ArrayRef<ZRange> range) {
  for (auto [kind, extent, block] :
       llvm::zip_equal(op.getLabelKinds(), op.getLabelExtents(), range))
    if (kind != LabelKind::Parallel && block != ZRange{0, extent})
      return false;
  return true;
}

std::optional<PartialBlock>
GraphViews::combined(const TensorView &stack) const {
  PartialBlock made;
  SmallVector<unsigned> labels;
  std::vector<ZBox> blocks;
  for (const ViewPiece &piece : stack.pieces) {
    const PartialBlock *block = partialBlock(piece.tensor);
    if (!block || !piece.steps.empty() ||
        (made.whole && block->whole != made.whole))
      return std::nullopt;
    bool isFirst = !made.whole;
    if (isFirst) {
      made = *block;
      labels = resultLabels(cast<BlockOpInterface>(made.whole));
    }
    ZBox range = block->range;
    for (auto [number, label] : llvm::enumerate(labels)) {
      // Row b, cell c of the stack is cell c + constant of the partial result.
      const ProjectionDim &dim = piece.projection.dims[number];
      if (!dim.isLinear() || dim.terms.size() != 1 ||
          !(dim.terms[0] == AffineTerm{static_cast<unsigned>(number + 1), 1}))
        return std::nullopt;
      int64_t origin = range[label].lo + dim.constant;
      ZRange all{origin, origin + stack.shape[number + 1]};
      if (isFirst)
        made.range[label] = all;
      else if (made.range[label] != all)
        return std::nullopt;
      const ZRange &cells = piece.cells[number + 1];
      range[label] = {origin + cells.lo, origin + cells.hi};
    }
    for (auto [own, all] : llvm::zip_equal(range, made.range))
      all = {std::min(all.lo, own.lo), std::max(all.hi, own.hi)};
    // What is repeated is combined as often.
    blocks.insert(blocks.end(), piece.cells[0].size(), range);
  }
  if (!made.whole || findCoverageFault(made.range, blocks))
    return std::nullopt;
  return made;
}
