//===- Surrounded.h - Parts of tensors among poison -------------*- C++ -*-===//
//
// Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_SURROUNDED_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_SURROUNDED_H

#include "BlockValues.h"

namespace tapestry::teg {

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
