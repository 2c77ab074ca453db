//===- BlockLowering.cpp - One device's call of a block's function --------===//

#include "BlockBody.h"
#include "BlockValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tapestry/Dialect/Index/IR/IndexBlock.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryBlock.h"
#include <complex>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

int64_t teg::paramBits(TypedAttr value) {
  if (auto real = dyn_cast<FloatAttr>(value))
    return llvm::bit_cast<int64_t>(real.getValueAsDouble());
  auto integer = cast<IntegerAttr>(value).getValue();
  return integer.getBitWidth() == 1
             ? static_cast<int64_t>(integer.getZExtValue())
             : integer.getSExtValue();
}

std::optional<StoredBits> teg::identityBits(BlockOp op, unsigned result) {
  TypedAttr identity = op.getMonoidIdentity(result);
  if (!identity)
    return std::nullopt;
  auto bitsOf = [](const APFloat &real) {
    return static_cast<int64_t>(real.bitcastToAPInt().getZExtValue());
  };
  if (auto real = dyn_cast<FloatAttr>(identity))
    return StoredBits{bitsOf(real.getValue()), 0};
  if (auto integer = dyn_cast<IntegerAttr>(identity))
    return StoredBits{static_cast<int64_t>(integer.getValue().getZExtValue()),
                      0};
  auto parts = *cast<DenseElementsAttr>(identity)
                    .getValues<std::complex<APFloat>>()
                    .begin();
  return StoredBits{bitsOf(parts.real()), bitsOf(parts.imag())};
}

FailureOr<SmallVector<Value>> BlockOp::lowerLocal(OpBuilder &b, Location loc,
                                                  const LocalBlock &block) {
  if (getBody())
    return lowerBody(*this, b, loc, block);
  const Kernel &kernel = getSignature();
  SmallVector<Value> offsets, sizes;
  SmallVector<int64_t> shapes, types, fills, params, paramTypes;
  for (auto [number, tensor] : llvm::enumerate(kernel.inputs)) {
    llvm::append_range(
        offsets, index::emitWindowStarts(b, loc, getAccesses(number).front(),
                                         block.starts, block.ends));
    llvm::append_range(shapes, getTensorType(number).getShape());
    types.push_back(*elementCode(tensor.element));
  }
  std::vector<Projection> writes = getResultProjections();
  for (auto [number, tensor] : llvm::enumerate(kernel.outputs)) {
    auto part = cast<RankedTensorType>(block.results[number]);
    for (auto [dim, written] : llvm::enumerate(writes[number].dims)) {
      if (written.terms.empty()) {
        offsets.push_back(arith::ConstantIndexOp::create(b, loc, 0));
        continue;
      }
      unsigned label = written.terms.front().dim;
      offsets.push_back(block.starts[label]);
      if (part.isDynamicDim(dim))
        sizes.push_back(arith::SubIOp::create(b, loc, block.ends[label],
                                              block.starts[label]));
    }
    llvm::append_range(shapes, getOutputType(number).getShape());
    types.push_back(*elementCode(tensor.element));
    std::optional<StoredBits> identity = identityBits(*this, number);
    fills.push_back(identity.has_value());
    llvm::append_range(fills, identity.value_or(StoredBits{0, 0}));
  }
  for (auto [param, value] : llvm::zip_equal(kernel.params, getParamValues())) {
    params.push_back(paramBits(value));
    paramTypes.push_back(*elementCode(param.element));
  }
  auto call = index::CallBlockOp::create(
      b, loc, block.results, b.getStringAttr(kernel.symbol), block.windows,
      block.starts, block.ends, offsets, sizes, getExtentsAttr(),
      b.getDenseI64ArrayAttr(shapes), b.getDenseI64ArrayAttr(types),
      b.getDenseI64ArrayAttr(fills), b.getDenseI64ArrayAttr(params),
      b.getDenseI64ArrayAttr(paramTypes));
  return SmallVector<Value>(call.getResults());
}
