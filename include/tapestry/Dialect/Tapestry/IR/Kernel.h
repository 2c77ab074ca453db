//===- Kernel.h - Signatures of block operators -----------------*- C++ -*-===//
//
// The white paper's "Signature Nodes" as a plain struct, which the attribute
// #tapestry.kernel wraps.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_KERNEL_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_KERNEL_H

#include "mlir/IR/BuiltinTypes.h"
#include "tapestry/Interfaces/Monoid.h"
#include "tapestry/Support/Projection.h"
#include "llvm/ADT/Hashing.h"
#include <string>

namespace tapestry::teg {

/// A tensor that a block reads or writes.
struct KernelTensor {
  std::string name;
  /// The type of its elements as `.ein` names it: f64, ..., i8, u8, ..., bool,
  /// c64, c128.
  std::string element;
  /// What an index point reads or writes. A dimension of size 0 is whole.
  Projection projection;
  /// How an output combines what labels contribute that it lacks: a monoid's
  /// name; empty where it lacks none.
  std::string monoid;

  bool operator==(const KernelTensor &o) const {
    return name == o.name && element == o.element &&
           projection == o.projection && monoid == o.monoid;
  }
};

struct KernelParam {
  std::string name, element;
  bool operator==(const KernelParam &o) const {
    return name == o.name && element == o.element;
  }
};

/// What one more step along a label takes of a resource; with an empty label,
/// what each index point does.
struct KernelCost {
  std::string label, resource;
  int64_t amount = 0;
  bool operator==(const KernelCost &o) const {
    return label == o.label && resource == o.resource && amount == o.amount;
  }
};

struct Kernel {
  /// The function behind it, as TAPESTRY_BLOCK of tapestry-rt/Block.h names it.
  std::string symbol;
  llvm::SmallVector<std::string, 4> labels;
  llvm::SmallVector<KernelTensor, 4> inputs, outputs;
  llvm::SmallVector<KernelParam, 2> params;
  llvm::SmallVector<KernelCost, 2> costs;

  bool operator==(const Kernel &o) const {
    return symbol == o.symbol && labels == o.labels && inputs == o.inputs &&
           outputs == o.outputs && params == o.params && costs == o.costs;
  }
};
llvm::hash_code hash_value(const Kernel &kernel);

/// The number of the element type of that name in tapestry-rt/Block.h; nothing
/// of what elements of tensors cannot be.
std::optional<int32_t> elementCode(llvm::StringRef name);
/// The element type of such a name.
mlir::Type elementTypeNamed(mlir::MLIRContext *context, llvm::StringRef name);
/// Of those, whether it is an integer without a sign.
inline bool isUnsignedName(llvm::StringRef name) {
  return name.starts_with("u");
}

/// What a label stands for in a kernel.
enum class LabelUse {
  Plain,   ///< A dimension of some output, which may be cut.
  Region,  ///< It moves tiles of outputs, and is never cut.
  Reduced, ///< No output has it, or some lack it and combine along it.
};
/// One per label.
llvm::SmallVector<LabelUse> labelUses(const Kernel &kernel);
/// Whether `output` combines along some label.
bool isReduced(const Kernel &kernel, const KernelTensor &output);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_KERNEL_H
