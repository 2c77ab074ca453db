//===- HostFold.h - Elements combined in host memory ------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_EVALUATE_HOSTFOLD_H
#define TAPESTRY_DIALECT_INDEX_EVALUATE_HOSTFOLD_H

#include "tapestry/Dialect/Index/Evaluate/ScalarProgram.h"

namespace tapestry::reference {

/// Values that take up elements of tensors, one after another, by a monoid:
/// what operators without a scalar region are evaluated with. Sums and products
/// of floats are rounded about once, however many elements there are.
class HostFold {
public:
  static llvm::Expected<HostFold> compile(BlockOpInterface op,
                                          const Combination &combination);
  /// What is combined are values of a function.
  static llvm::Expected<HostFold> compile(BlockOpInterface op,
                                          const ScalarFunction &function,
                                          const Combination &combination);

  /// Makes `count` values the identity.
  void reset(int64_t count = 1);
  /// Value number `at` combined with element `from`, of the kind that the
  /// identity is: float, integer or complex.
  void take(int64_t at, const HostTensor &tensor, int64_t from) {
    set(0, tensor, from);
    step(at);
  }
  /// Element `from` is that operand of the function from the next step on.
  void set(unsigned operand, const HostTensor &tensor, int64_t from);
  void setLabels(llvm::ArrayRef<int64_t> point);
  /// Value number `at` combined with the function of what was set.
  void step(int64_t at);
  void store(int64_t at, HostTensor &tensor, int64_t to);

private:
  explicit HostFold(ScalarProgram compiled);
  void load(int64_t at);
  void save(int64_t at);

  ScalarProgram program;
  Registers registers;
  llvm::SmallVector<Slot, 4> slots;
  /// Per value one number for each slot.
  std::vector<double> floats;
  std::vector<int64_t> integers;
};

} // namespace tapestry::reference

#endif // TAPESTRY_DIALECT_INDEX_EVALUATE_HOSTFOLD_H
