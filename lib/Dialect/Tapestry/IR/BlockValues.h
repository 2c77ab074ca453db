//===- BlockValues.h - Blocks on tensors in host memory ---------*- C++ -*-===//
//
// Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_BLOCKVALUES_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_BLOCKVALUES_H

#include "tapestry-rt/Block.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryBlock.h"
#include <array>
#include <memory>

namespace tapestry::teg {

/// A parameter as 64 bits: those of a double, or an integer.
int64_t paramBits(mlir::TypedAttr value);

/// The bits of an element's first and second part.
using StoredBits = std::array<int64_t, 2>;
/// The identity by which output `result` is combined; nothing where it is not.
std::optional<StoredBits> identityBits(BlockOp op, unsigned result);

/// A part of a tensor in memory: the box `part` of it, with these strides.
struct TensorPart {
  void *data = nullptr;
  ZBox part;
  llvm::SmallVector<int64_t> strides;
};

/// A tensor as a block sees it: the elements of `box`, which holds more than
/// the tensor where that is padded.
struct PaddedOperand {
  const HostTensor *elements;
  ZBox box;
  /// What `elements` points to where there is more.
  std::unique_ptr<HostTensor> padded;
};
llvm::Expected<std::vector<PaddedOperand>>
padOperands(BlockOp op, llvm::ArrayRef<const HostTensor *> operands);

/// The image of a box of index points under a projection.
ZBox partOf(const Projection &projection, llvm::ArrayRef<ZRange> box);

/// Calls a block's function for a box of the index space that is not empty.
/// Returns what the function does.
int32_t callBlock(BlockOp op, TapestryBlockFunction function,
                  llvm::ArrayRef<ZRange> box, llvm::ArrayRef<TensorPart> inputs,
                  llvm::ArrayRef<TensorPart> outputs);

/// Fills a tensor with the identity by which output `result` is combined.
void fillIdentity(BlockOp op, unsigned result, void *data, int64_t elements);

/// Computes boxes of the index space with all that the signature does not
/// project from them poisoned, and refuses a function that reads or writes
/// there, or makes other bits of the same, with the tensor, the box and the
/// first element that shows it. `results` are those of the box `range`, in
/// which all that is tried lies. Warns once of a function that makes other
/// values each time, of which less can be tried.
llvm::Error checkSignature(BlockOp op, TapestryBlockFunction function,
                           llvm::ArrayRef<PaddedOperand> operands,
                           llvm::ArrayRef<ZRange> range,
                           llvm::ArrayRef<HostTensor> results);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_BLOCKVALUES_H
