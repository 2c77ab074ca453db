//===- IndexAssemble.cpp - Pieces of one tensor ---------------------------===//

#include "tapestry/Dialect/Index/IR/IndexAssemble.h"

using namespace mlir;
using namespace tapestry::index;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexAssemble.cpp.inc"

LogicalResult AssembleOp::verify() {
  RankedTensorType whole = getInit().getType();
  // assemble_c1
  for (auto [number, piece] : llvm::enumerate(getPieces())) {
    auto type = cast<RankedTensorType>(piece.getType());
    bool fits = type.getRank() == whole.getRank() &&
                type.getElementType() == whole.getElementType();
    for (int64_t dim = 0; fits && dim < whole.getRank(); ++dim)
      fits = type.isDynamicDim(dim) || whole.isDynamicDim(dim) ||
             type.getDimSize(dim) <= whole.getDimSize(dim);
    if (!fits)
      return emitOpError() << "puts piece " << number << ", " << type
                           << ", into " << whole;
  }
  // assemble_c2
  size_t expected = getPieces().size() * whole.getRank();
  if (getOffsets().size() != expected)
    return emitOpError() << "has " << getOffsets().size() << " offsets for "
                         << getPieces().size() << " pieces of rank "
                         << whole.getRank() << ", expected " << expected;
  // assemble_c3
  auto strides = getStrides();
  if (strides && (strides->size() != static_cast<size_t>(whole.getRank()) ||
                  llvm::any_of(*strides, [](int64_t s) { return s < 1; }))) {
    InFlightDiagnostic diagnostic = emitOpError() << "has the strides [";
    llvm::interleaveComma(*strides, diagnostic);
    return diagnostic << "] for rank " << whole.getRank();
  }
  return success();
}
