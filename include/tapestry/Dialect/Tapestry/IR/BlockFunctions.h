//===- BlockFunctions.h - Functions that compute blocks ---------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_BLOCKFUNCTIONS_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_BLOCKFUNCTIONS_H

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/MLIRContext.h"
#include "tapestry-rt/Block.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <string>
#include <vector>

namespace tapestry::teg {

/// The functions that blocks are evaluated by, under the names that kernels
/// have for them; one table per context. Filled before anything is evaluated.
class BlockFunctions : public mlir::DialectInterface::Base<BlockFunctions> {
public:
  BlockFunctions(mlir::Dialect *dialect) : Base(dialect) {}

  static BlockFunctions &of(mlir::MLIRContext *context);

  llvm::StringMap<TapestryBlockFunction> functions;
  /// Calls one, of which `failure` is said where it crashes; none: a crash is
  /// the process' own.
  std::function<int32_t(TapestryBlockFunction, const TapestryBlockCall *,
                        const std::string &failure)>
      guardedCall;
  /// Blocks that are known to make other values of the same.
  llvm::StringSet<> varying;
  /// Blocks whose signatures are known to be tried all over, with their ranges.
  llvm::StringSet<> tried;

  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BlockFunctions)
};

/// A block of a graph and the function that it calls.
struct BlockUse {
  std::string name, function;
  mlir::Location loc;
};
/// All of them, in order.
std::vector<BlockUse> findBlocks(mlir::Operation *graph);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_BLOCKFUNCTIONS_H
