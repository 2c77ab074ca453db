//===- ConstantOp.cpp - Tensors that a graph holds ------------------------===//

#include "Placement.h"
#include "PlacementRules.h"
#include "SelectorLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tapestry/Dialect/Index/IR/IndexConstant.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryConstant.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryConstant.cpp.inc"

/// More is data, which the IR would have to carry from phase to phase.
static constexpr int64_t mostBytes = int64_t(1) << 20;

std::vector<Access> ConstantOp::getAccesses(unsigned) { return {}; }

DenseElementsAttr ConstantOp::valueOf(RankedTensorType type,
                                      llvm::ArrayRef<TypedAttr> elements) {
  if (!isa<ComplexType>(type.getElementType()))
    return DenseElementsAttr::get(type,
                                  llvm::to_vector_of<Attribute>(elements));
  llvm::SmallVector<std::complex<APFloat>> numbers;
  for (TypedAttr element : elements)
    numbers.push_back(cast<DenseElementsAttr>(element)
                          .getSplatValue<std::complex<APFloat>>());
  return DenseElementsAttr::get(type, numbers);
}

LogicalResult ConstantOp::verify() {
  // constant_c1
  if (!isa<DenseElementsAttr>(getValue()))
    return emitOpError("holds no dense elements");
  RankedTensorType type = getResultType();
  int64_t bytes = storedSize(type.getElementType());
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(bytes, extent, bytes) || bytes > mostBytes)
      return emitOpError() << "holds " << type
                           << ", which has more than the 2^20 bytes of a "
                              "constant";
  // constant_c2, constant_c3, constant_c4
  if (failed(verifyPartition(*this, getPartitionAttr(), type.getRank(),
                             "dimension")) ||
      failed(verifyHome(*this, getHomeAttr(), type.getShape())))
    return failure();
  return verifyRoutes(*this, getHomeRouteAttr(), getOperandRoutesAttr(),
                      getHomeAttr(), /*operands=*/{});
}

FailureOr<llvm::SmallVector<Value>>
ConstantOp::lowerLocal(OpBuilder &b, Location loc, const LocalBlock &block) {
  auto part = cast<RankedTensorType>(block.results.front());
  llvm::SmallVector<Value> sizes;
  for (auto [dim, bounds] :
       llvm::enumerate(llvm::zip_equal(block.starts, block.ends)))
    if (auto [start, end] = bounds; part.isDynamicDim(dim))
      sizes.push_back(arith::SubIOp::create(b, loc, end, start));
  Value taken = index::ConstantOp::create(b, loc, part, getElements(),
                                          block.starts, sizes);
  return llvm::SmallVector<Value>{taken};
}

llvm::Expected<std::vector<HostTensor>>
ConstantOp::evaluate(llvm::ArrayRef<const HostTensor *>) {
  Type element = getResultType().getElementType();
  llvm::Expected<HostTensor> result =
      HostTensor::create(*dtypeOf(element), getResultType().getShape());
  if (!result)
    return result.takeError();
  int64_t size = byteSize(result->dtype), place = 0;
  auto put = [&](const llvm::APInt &bits, int64_t bytes) {
    uint64_t word = bits.getZExtValue();
    std::memcpy(result->bytes.data() + place, &word, bytes);
    place += bytes;
  };
  if (isa<ComplexType>(element)) {
    for (const std::complex<APFloat> &number :
         getElements().getValues<std::complex<APFloat>>()) {
      put(number.real().bitcastToAPInt(), size / 2);
      put(number.imag().bitcastToAPInt(), size / 2);
    }
  } else if (isa<FloatType>(element)) {
    for (const APFloat &number : getElements().getValues<APFloat>())
      put(number.bitcastToAPInt(), size);
  } else {
    for (const APInt &number : getElements().getValues<APInt>())
      put(number, size);
  }
  std::vector<HostTensor> results;
  results.push_back(std::move(*result));
  return results;
}
