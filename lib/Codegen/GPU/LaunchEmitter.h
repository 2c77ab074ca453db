//===- LaunchEmitter.h - What the emitters of kernels share -----*- C++ -*-===//
//
// Launches of one-dimensional grids, loops, and the evaluation of a nest's body
// at a point, and the entry points of the emitters.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_GPU_LAUNCHEMITTER_H
#define TAPESTRY_LIB_CODEGEN_GPU_LAUNCHEMITTER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "tapestry/Codegen/Common/BodyEmitter.h"
#include "tapestry/Codegen/Common/Nest.h"

namespace tapestry {

/// Threads that run together.
constexpr int64_t warpThreads = 32;
/// Threads of a block.
constexpr int64_t blockThreads = 256;
/// Blocks of a grid at most, where each may go on behind its first part.
constexpr int64_t mostBlocks = 16384;

/// What buffers of a row may take of a block's memory.
constexpr int64_t rowBytes = 32 << 10;

/// Each builds the launch of a materialised nest at `b`'s insertion point.
void emitPoints(IndexBuilder &b, Nest &nest);
void emitBlockReduction(IndexBuilder &b, Nest &nest);
void emitTile(IndexBuilder &b, Nest &nest);
/// The launch of an operation that has no nest.
mlir::LogicalResult emitPlain(IndexBuilder &b, mlir::linalg::GenericOp op);
/// The same as work of `threads` threads of each block of `launch`.
mlir::LogicalResult emitPlainIn(IndexBuilder &b, mlir::linalg::GenericOp op,
                                mlir::gpu::LaunchOp launch, int64_t threads);

/// The value of an operation that only computes numbers at one point.
void emitPlainAt(IndexBuilder &b, mlir::linalg::GenericOp op,
                 llvm::ArrayRef<mlir::OpFoldResult> index);

/// The launch in the place of a loop over updates of which each is that of one
/// thread; false where `op` is none.
bool emitScatter(IndexBuilder &b, mlir::Operation *op);

/// Whether `op` is a loop over rows as FormRowKernels makes them, and the
/// launch in its place.
bool isRowLoop(mlir::Operation *op);
mlir::LogicalResult emitRows(IndexBuilder &b, mlir::Operation *op);

/// Whether a block per result is worth it.
bool wantsBlocks(const Nest &nest);
/// Whether results are computed in tiles.
bool wantsTile(const Nest &nest);

class LaunchEmitter {
public:
  explicit LaunchEmitter(IndexBuilder &b) : b(b) {}

protected:
  using IndexList = llvm::SmallVector<mlir::Value>;

  /// Begins a launch of `blocks` blocks of `threads` threads; what is built
  /// next is what each thread does.
  void begin(mlir::OpFoldResult blocks, int64_t threads);
  /// The same for so many items, `each` of them a thread: the first number of
  /// the thread, and by how much it goes on from there.
  std::pair<mlir::OpFoldResult, mlir::OpFoldResult>
  beginGrid(mlir::OpFoldResult items, int64_t each = 1);
  /// Memory of a block.
  mlir::Value share(mlir::Type element, int64_t count);
  void barrier();
  /// Ends the launch; what is built next follows it.
  void end();

  /// Runs `fn` for iv = from, from + step, ... < to, values being carried
  /// along.
  IndexList
  loop(mlir::OpFoldResult from, mlir::OpFoldResult to, mlir::OpFoldResult step,
       mlir::ValueRange carried,
       llvm::function_ref<IndexList(mlir::OpFoldResult, mlir::ValueRange)> fn);
  void loop(mlir::OpFoldResult from, mlir::OpFoldResult to,
            mlir::OpFoldResult step,
            llvm::function_ref<void(mlir::OpFoldResult)> fn);
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> fn);
  /// Takes `number`, below the product of the extents, apart; the last one
  /// changes fastest.
  llvm::SmallVector<mlir::OpFoldResult>
  takeApart(mlir::OpFoldResult number,
            llvm::ArrayRef<mlir::OpFoldResult> extents);
  mlir::OpFoldResult rest(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::Value isLess(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// The value of the thread whose number differs by that bit; all threads of
  /// the warp ask.
  mlir::Value fromLane(mlir::Value value, int64_t distance);

  IndexBuilder &b;
  mlir::gpu::LaunchOp launch;
  mlir::OpFoldResult block, thread;
};

/// The same for a nest.
class NestLauncher : public LaunchEmitter {
public:
  NestLauncher(IndexBuilder &b, Nest &nest) : LaunchEmitter(b), nest(nest) {}

protected:
  /// The parallel loops, or those that are reduced, in an order in which
  /// neighbours of the last one are neighbours in memory.
  llvm::SmallVector<unsigned> loopsOf(bool reduction) const;
  llvm::SmallVector<mlir::OpFoldResult>
  extentsOf(llvm::ArrayRef<unsigned> loops) const;
  mlir::OpFoldResult product(llvm::ArrayRef<mlir::OpFoldResult> extents);
  /// `point` with these loops moved on to the point of that number.
  NestPoint moveTo(const NestPoint &point, llvm::ArrayRef<unsigned> loops,
                   mlir::OpFoldResult number);
  /// Whether each point of what is reduced has a result of its own.
  bool isStored(unsigned output) const;
  unsigned operandOf(unsigned output) const;

  mlir::Value loadAt(unsigned operand, mlir::OpFoldResult offset);
  void storeAt(mlir::Value value, unsigned operand, mlir::OpFoldResult offset);
  /// What an output starts from at a point.
  mlir::Value startOf(unsigned output, const NestPoint &point);
  /// What the body yields at a point, its arguments being what `operand` gives.
  IndexList evaluate(const NestPoint &point,
                     llvm::function_ref<mlir::Value(unsigned)> operand);
  /// Computes a point: stores the outputs that each point has, and returns what
  /// the others, whose values so far are in `sums`, are then.
  IndexList compute(const NestPoint &point, mlir::ValueRange sums);
  mlir::Value combine(unsigned output, mlir::Value a, mlir::Value b2);
  mlir::Value identityOfOutput(unsigned output);
  /// What all threads of a block have of these outputs, combined: the first
  /// warp gets it. All threads ask; they wait behind it before they ask again.
  IndexList combineThreads(llvm::ArrayRef<unsigned> outputs, IndexList sums,
                           int64_t threads);
  /// The same of as many threads of each warp.
  IndexList combineLanes(llvm::ArrayRef<unsigned> outputs, IndexList sums,
                         int64_t lanes);
  mlir::Value loadOf(mlir::Operation *op, mlir::ValueRange indices);

  Nest &nest;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_GPU_LAUNCHEMITTER_H
