//===- Surrounded.h - Parts of tensors among poison -------------*- C++ -*-===//
//
// Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_SURROUNDED_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_SURROUNDED_H

#include "BlockValues.h"
#include "tapestry/Support/ZTensor.h"
#include <optional>

namespace tapestry::teg {

/// What lies where nobody may look. Of integers the last two are a one in all
/// bits and 0, the others far out: with and without a sign there are a largest
/// and a least one.
enum class Poison { NaN, Large, LargeNegative, Infinite, NegativeInfinite };
/// An element's bytes of it.
llvm::SmallVector<uint8_t> bytesOfPoison(DType dtype, Poison poison);

/// A tensor with a rim of one element, of which a part holds values and the
/// rest what nobody may look at.
class Surrounded {
public:
  /// Of a tensor of these elements in the box `whole`.
  Surrounded(DType dtype, ZBox whole, ZBox part);

  /// Fills everything with an element's bytes.
  void fill(llvm::ArrayRef<uint8_t> element);
  /// Copies the part from the tensor.
  void copyPart(const HostTensor &from, const ZBox &part);
  TensorPart view();
  /// The first place outside of the part that does not hold this byte alone.
  std::optional<ZPoint> findOutside(uint8_t byte);
  /// The number of the element, and its bytes, at a place of the tensor, which
  /// may lie on the rim.
  int64_t elementAt(llvm::ArrayRef<int64_t> place) const;
  uint8_t *at(llvm::ArrayRef<int64_t> place) {
    return tensor.bytes.data() + elementAt(place) * byteSize(tensor.dtype);
  }

  HostTensor tensor;
  ZBox whole, part;
  llvm::SmallVector<int64_t> strides;
};

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_SURROUNDED_H
