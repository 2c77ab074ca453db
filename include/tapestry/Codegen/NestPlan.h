//===- NestPlan.h - How a loop nest is vectorised and tiled -----*- C++ -*-===//
//
// The policy of the CPU code phase on plain structs: which dimension the vector
// lanes run along, which register tile, which blocks, what is packed. It knows
// no IR; NestEmitter carries a plan out.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_NESTPLAN_H
#define TAPESTRY_CODEGEN_NESTPLAN_H

#include "tapestry/Codegen/TargetInfo.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tapestry {

/// What is assumed of an extent that is known at run time only.
constexpr int64_t assumedExtent = 256;

/// One loop of a nest.
struct NestDim {
  /// The number of points; `assumedExtent` when not `known`.
  int64_t extent = assumedExtent;
  bool known = false;
  bool reduction = false;
};

/// How an operand's address moves: `strides[d]` elements per step of loop d.
/// A stride that is known at run time only is an estimate above 1, so that 0
/// (does not depend on the loop) and 1 (contiguous) are always exact.
struct NestAccess {
  llvm::SmallVector<int64_t, 6> strides;
  unsigned bits = 32;
  bool output = false;

  bool dependsOn(unsigned dim) const { return strides[dim] != 0; }
};

/// A perfect loop nest: output = body(inputs, output), in any order of points
/// but that the reduction's combining operation is associative and commutative.
struct NestProblem {
  llvm::SmallVector<NestDim, 6> dims;
  llvm::SmallVector<NestAccess, 4> accesses;
  /// The widest type that the body computes in.
  unsigned computeBits = 32;
  /// The body's cost in vector instructions per vector of results.
  unsigned bodyCost = 1;
  /// Partial results of different lanes can be combined afterwards.
  bool lanesCombine = false;
  /// The body may trap on lanes that hold no data (integer division).
  bool mayTrap = false;
};

enum class NestKind {
  /// No loop that lanes could run along.
  Scalar,
  /// No reduction: every point is computed once.
  Map,
  /// Vector lanes along a parallel loop, reductions inside a register tile.
  Tile,
  /// Vector lanes along a reduction loop.
  LaneReduction,
};

/// How a tile's operand is copied before it is used.
enum class Packing {
  None,
  /// Into panels of the tile's columns: a block of the reduction, for all tiles
  /// of the block.
  Columns,
  /// Into one panel of the tile's rows, for all tiles side by side.
  Rows,
};

struct NestPlan {
  NestKind kind = NestKind::Scalar;
  /// The loop that lanes run along.
  unsigned vectorDim = 0;
  unsigned lanes = 1;
  /// Vectors side by side along vectorDim.
  unsigned vectors = 1;
  /// The loop of the register tile's rows; -1 for none.
  int rowDim = -1;
  unsigned rows = 1;
  /// Parallel loops around the tile, outermost first.
  llvm::SmallVector<unsigned, 6> outer;
  /// Reduction loops, outermost first, without vectorDim.
  llvm::SmallVector<unsigned, 6> inner;
  /// Tile: reduction points per block (blocks cut inner[0]); 0 for no blocks.
  int64_t reductionBlock = 0;
  /// Tile: points of vectorDim per block, a multiple of lanes * vectors; 0 for
  /// no blocks. Map: as for blockDim.
  int64_t vectorBlock = 0;
  /// Map: a loop along which some input is contiguous (a transposed one); it is
  /// walked in blocks of `blockSize` around blocks of vectorDim, and is not in
  /// `outer`. -1 for none.
  int blockDim = -1;
  int64_t blockSize = 0;
  /// Per access.
  llvm::SmallVector<Packing, 4> packing;
};

/// Chooses a plan. `problem` has at least one dimension and one output.
NestPlan planNest(const NestProblem &problem, const TargetInfo &target);

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_NESTPLAN_H
