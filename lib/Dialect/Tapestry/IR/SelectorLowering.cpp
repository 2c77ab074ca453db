//===- SelectorLowering.cpp - What selectors do ---------------------------===//
//
// A device has a window of every piece. What of it lies as in the result is put
// there as it is; of the rest each element is taken by the projection.
//
//===----------------------------------------------------------------------===//

#include "SelectorLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Dialect/Index/IR/IndexAssemble.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Dialect/Tapestry/IR/ElementBytes.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Interfaces/SelectorInterface.h"
#include <cstring>

using namespace mlir;
using namespace tapestry;

SmallVector<std::string> teg::detail::dimensionLabels(int64_t rank) {
  SmallVector<std::string> labels;
  for (int64_t dim = 0; dim < rank; ++dim)
    labels.push_back("d" + std::to_string(dim));
  return labels;
}

namespace {

class PieceEmitter {
public:
  PieceEmitter(OpBuilder &b, Location loc, const LocalBlock &block,
               const Access &piece, const std::optional<Residue> &residue,
               Value window)
      : b(b), loc(loc), block(block), piece(piece), residue(residue),
        window(window) {}

  /// What the device has of the piece; `offsets` gets where that lies in what
  /// it has of the result.
  Value emit(SmallVectorImpl<Value> &offsets);

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  /// The first point of a label that the piece serves, and how many.
  void emitServed();
  /// Of these those of the residue.
  void keepResidue();
  Value emitElements();
  /// Where the window of a piece whose elements take turns has the first one.
  Value emitTurns();

  OpBuilder &b;
  Location loc;
  const LocalBlock &block;
  const Access &piece;
  std::optional<Residue> residue;
  Value window;
  SmallVector<Value> firsts, sizes;
};

} // namespace

/// Whether elements lie beside each other as the labels, or those of a residue,
/// do.
static bool isShifted(const Projection &projection, unsigned rank,
                      const std::optional<Residue> &residue) {
  if (projection.rank() != rank)
    return false;
  for (auto [number, dim] : llvm::enumerate(projection.dims))
    if (dim.mod != 0 ||
        dim.floordiv !=
            (residue && residue->dim == number ? residue->modulus : 1) ||
        dim.terms.size() != 1 || dim.terms[0].dim != number ||
        dim.terms[0].coefficient != 1)
      return false;
  return true;
}

void PieceEmitter::emitServed() {
  for (auto [label, start] : llvm::enumerate(block.starts)) {
    Value first = start, end = block.ends[label];
    if (!piece.guard.empty()) {
      first = arith::MaxSIOp::create(b, loc, first,
                                     constant(piece.guard[label].lo));
      end =
          arith::MinSIOp::create(b, loc, end, constant(piece.guard[label].hi));
    }
    Value size = arith::SubIOp::create(b, loc, end, first);
    firsts.push_back(first);
    sizes.push_back(arith::MaxSIOp::create(b, loc, size, constant(0)));
  }
}

void PieceEmitter::keepResidue() {
  Value modulus = constant(residue->modulus);
  Value &first = firsts[residue->dim], &size = sizes[residue->dim];
  // remainder + modulus > first mod modulus.
  Value ahead = arith::SubIOp::create(
      b, loc, constant(residue->remainder + residue->modulus),
      arith::RemSIOp::create(b, loc, first, modulus));
  ahead = arith::RemSIOp::create(b, loc, ahead, modulus);
  first = arith::AddIOp::create(b, loc, first, ahead);
  // ceil((size - ahead) / modulus), and not less than 0.
  size = arith::AddIOp::create(
      b, loc, size,
      arith::SubIOp::create(b, loc, constant(residue->modulus - 1), ahead));
  size = arith::DivSIOp::create(
      b, loc, arith::MaxSIOp::create(b, loc, size, constant(0)), modulus);
}

Value PieceEmitter::emitTurns() {
  SmallVector<Value> starts =
      index::emitWindowStarts(b, loc, piece, block.starts, block.ends);
  SmallVector<OpFoldResult> offsets;
  SmallVector<OpFoldResult> ones(firsts.size(), b.getIndexAttr(1));
  for (auto [number, start] : llvm::enumerate(starts)) {
    Value place = firsts[number];
    if (number == residue->dim)
      place = arith::DivSIOp::create(b, loc, place, constant(residue->modulus));
    int64_t moved = piece.projection.dims[number].constant;
    place = arith::AddIOp::create(b, loc, place, constant(moved));
    offsets.push_back(arith::SubIOp::create(b, loc, place, start).getResult());
  }
  return tensor::ExtractSliceOp::create(b, loc, window, offsets,
                                        getAsOpFoldResult(sizes), ones);
}

Value PieceEmitter::emitElements() {
  unsigned rank = block.starts.size();
  auto type = cast<RankedTensorType>(window.getType());
  SmallVector<Value> starts =
      index::emitWindowStarts(b, loc, piece, block.starts, block.ends);
  auto projection =
      index::ProjectionAttr::get(b.getContext(), rank, piece.projection);
  Value empty = tensor::EmptyOp::create(b, loc, getAsOpFoldResult(sizes),
                                        type.getElementType());
  auto elements = linalg::GenericOp::create(
      b, loc, empty.getType(), ValueRange(), empty,
      b.getMultiDimIdentityMap(rank),
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange) {
        SmallVector<Value> point, local;
        for (auto [label, first] : llvm::enumerate(firsts))
          point.push_back(arith::AddIOp::create(
              b, loc, linalg::IndexOp::create(b, loc, label), first));
        auto read = index::ApplyOp::create(b, loc, projection, point);
        for (auto [place, start] : llvm::zip_equal(read.getResults(), starts))
          local.push_back(arith::SubIOp::create(b, loc, place, start));
        Value element = tensor::ExtractOp::create(b, loc, window, local);
        linalg::YieldOp::create(b, loc, element);
      });
  return elements.getResult(0);
}

Value PieceEmitter::emit(SmallVectorImpl<Value> &offsets) {
  emitServed();
  if (residue)
    keepResidue();
  for (auto [first, start] : llvm::zip_equal(firsts, block.starts))
    offsets.push_back(arith::SubIOp::create(b, loc, first, start));
  if (!isShifted(piece.projection, firsts.size(), residue))
    return emitElements();
  return residue ? emitTurns() : window;
}

SmallVector<Value> teg::detail::lowerSelector(BlockOpInterface op, OpBuilder &b,
                                              Location loc,
                                              const LocalBlock &block) {
  auto type = cast<RankedTensorType>(block.results.front());
  auto selector = cast<SelectorInterface>(op.getOperation());
  auto reads = op.getReads();
  unsigned rank = type.getRank();
  // What is one window is that.
  if (reads.size() == 1 && reads[0].second.guard.empty() &&
      isShifted(reads[0].second.projection, rank, std::nullopt)) {
    Value window = block.windows[0];
    if (window.getType() != type)
      window = tensor::CastOp::create(b, loc, type, window);
    return {window};
  }
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim = 0; dim < rank; ++dim)
    sizes.push_back(
        type.isDynamicDim(dim)
            ? OpFoldResult(arith::SubIOp::create(b, loc, block.ends[dim],
                                                 block.starts[dim])
                               .getResult())
            : b.getIndexAttr(type.getDimSize(dim)));
  Value result = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  if (TypedAttr pad = op.getPad(/*operand=*/0)) {
    // Booleans lie in bytes.
    if (auto integer = dyn_cast<IntegerAttr>(pad))
      pad = IntegerAttr::get(
          type.getElementType(),
          integer.getValue().zextOrTrunc(type.getElementTypeBitWidth()));
    result = linalg::FillOp::create(b, loc, emitConstant(b, loc, pad), result)
                 .getResult(0);
  }
  SmallVector<Value> pieces, offsets;
  SmallVector<int64_t> strides;
  for (auto [read, window] : llvm::zip_equal(reads, block.windows)) {
    std::optional<Residue> residue = selector.getResidue(read.first);
    pieces.push_back(PieceEmitter(b, loc, block, read.second, residue, window)
                         .emit(offsets));
    // All take turns, or none.
    if (!residue)
      continue;
    strides.assign(rank, 1);
    strides[residue->dim] = residue->modulus;
  }
  return {index::AssembleOp::create(
      b, loc, type, pieces, offsets, result,
      strides.empty() ? nullptr : b.getDenseI64ArrayAttr(strides))};
}

//===----------------------------------------------------------------------===//
// By definition
//===----------------------------------------------------------------------===//

/// The row-major number of a point.
static int64_t numberOf(llvm::ArrayRef<int64_t> point,
                        llvm::ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (auto [coordinate, extent] : llvm::zip_equal(point, shape))
    number = number * extent + coordinate;
  return number;
}

/// Goes to the next point of a box; false behind the last.
static bool advance(llvm::MutableArrayRef<int64_t> point,
                    llvm::ArrayRef<ZRange> box) {
  for (size_t dim = box.size(); dim-- > 0;) {
    if (++point[dim] < box[dim].hi)
      return true;
    point[dim] = box[dim].lo;
  }
  return false;
}

llvm::Expected<std::vector<HostTensor>>
teg::detail::evaluateSelector(BlockOpInterface op,
                              llvm::ArrayRef<const HostTensor *> operands) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  llvm::Expected<HostTensor> result =
      HostTensor::create(operands.front()->dtype, type.getShape());
  if (!result)
    return result.takeError();
  auto selector = cast<SelectorInterface>(op.getOperation());
  int64_t size = byteSize(result->dtype);
  if (TypedAttr pad = op.getPad(/*operand=*/0)) {
    std::vector<uint8_t> element = bytesOf(pad, size);
    for (int64_t number = 0, e = result->numElements(); number < e; ++number)
      std::memcpy(result->bytes.data() + number * size, element.data(), size);
  }
  for (auto &[operand, piece] : op.getReads()) {
    const HostTensor &tensor = *operands[operand];
    std::optional<Residue> residue = selector.getResidue(operand);
    ZBox served = piece.guarded(op.getIndexSpace());
    if (isEmpty(served))
      continue;
    SmallVector<int64_t> point, place(tensor.shape.size());
    for (const ZRange &range : served)
      point.push_back(range.lo);
    do {
      if (residue && !residue->holds(point))
        continue;
      ZBox at;
      for (int64_t coordinate : point)
        at.push_back({coordinate, coordinate + 1});
      for (auto [dim, range] : llvm::enumerate(piece.projection.image(at)))
        place[dim] = range.lo;
      std::memcpy(
          result->bytes.data() + numberOf(point, type.getShape()) * size,
          tensor.bytes.data() + numberOf(place, tensor.shape) * size, size);
    } while (advance(point, served));
  }
  std::vector<HostTensor> results;
  results.push_back(std::move(*result));
  return results;
}
