//===- WholeViews.cpp - What tensors are of what is put together ----------===//

#include "WholeViews.h"
#include "tapestry/Interfaces/SelectorInterface.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

const TensorView &WholeViews::resolve(Value value) {
  std::unique_ptr<Resolved> &known = resolved[value];
  if (known && known->numWholes == wholes.size())
    return known->view;
  if (!known)
    known = std::make_unique<Resolved>();
  *known = {wholes.size(), TensorView()};
  TensorView &view = known->view;
  const TensorView &direct = of(value);
  view.shape = direct.shape;
  for (const ViewPiece &piece : direct.pieces) {
    auto whole = wholes.find(piece.tensor);
    if (whole == wholes.end() || !view.add(whole->second, piece))
      view.pieces.push_back(piece);
  }
  view.merge();
  return view;
}

/// What a selector reads, where that is all of its result and of one operand.
static std::optional<std::pair<Value, Projection>> onlyRead(Value value) {
  auto selector = dyn_cast_or_null<SelectorInterface>(value.getDefiningOp());
  if (!selector || !selector.isTransparent())
    return std::nullopt;
  auto block = cast<BlockOpInterface>(value.getDefiningOp());
  auto reads = block.getReads();
  if (reads.size() != 1)
    return std::nullopt;
  auto &[operand, access] = reads.front();
  if (access.fallback != AccessFallback::None || selector.getResidue(operand))
    return std::nullopt;
  return std::pair(block.getTensorOperands()[operand], access.projection);
}

unsigned WholeViews::numberOf(Value tensor) {
  if (std::optional<unsigned> known = resolve(tensor).asTensor();
      known && shapeOf(*known) == ArrayRef(of(tensor).shape))
    return *known;
  auto [join, isNew] = joins.try_emplace(tensor);
  if (isNew)
    join->second = addTensor(tensor);
  return join->second;
}

TensorView WholeViews::resolveToJoin(Value value) {
  // From the value up to what is no slice, and back.
  SmallVector<std::pair<Value, Projection>> slices;
  Value source = value;
  while (auto read = onlyRead(source)) {
    slices.emplace_back(source, std::move(read->second));
    source = read->first;
  }
  const TensorView &behind = resolve(source);
  TensorView view = behind.pieces.size() > 1
                        ? TensorView::of(numberOf(source), behind.shape)
                        : behind;
  for (auto &[slice, projection] : llvm::reverse(slices)) {
    TensorView next;
    next.shape =
        llvm::to_vector(cast<RankedTensorType>(slice.getType()).getShape());
    if (!next.add(view, projection, boxOfShape(next.shape)))
      return resolve(value);
    view = std::move(next);
  }
  return view;
}
