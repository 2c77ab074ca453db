//===- NestPlan.h - How a loop nest is vectorised and tiled -----*- C++ -*-===//
//
// The policy of code for CPUs on plain structs: which dimension the vector
// lanes run along, which register tile, which blocks, what is packed. It knows
// no IR; NestEmitter carries a plan out.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_CPU_NESTPLAN_H
#define TAPESTRY_CODEGEN_CPU_NESTPLAN_H

#include "tapestry/Codegen/CPU/TargetInfo.h"
#include "tapestry/Codegen/Common/NestProblem.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tapestry {

enum class NestKind {
  /// No loop that lanes could run along.
  Scalar,
  /// No reduction: every point is computed once.
  Map,
  /// Vector lanes along a parallel loop, reductions inside a register tile.
  Tile,
  /// Vector lanes along a reduction loop.
  LaneReduction,
  /// Running values, lanes along the loop that they run along (`inner` is then
  /// empty) or across it, over blocks of `vectorBlock` lines.
  Scan,
};

/// How a tile's operand is copied before it is used.
enum class Packing {
  None,
  /// Into panels of the tile's columns: a block of the reduction, for all tiles
  /// of the block. LaneReduction: vectors along the reduction, of all columns.
  Columns,
  /// Into one panel of the tile's rows, for all tiles side by side.
  Rows,
};

/// Instructions that add several products of narrow numbers to each 32-bit
/// lane.
enum class Dot {
  None,
  /// Two of bf16.
  BF16Pairs,
  /// Two of i16, to which operands of 8 bits are widened.
  I16Pairs,
  /// Four of u8 with i8, to which what is neither is shifted.
  I8Quads,
};

/// How many points of the reduction such an instruction takes.
constexpr unsigned groupOf(Dot dot) {
  return dot == Dot::None ? 1 : dot == Dot::I8Quads ? 4 : 2;
}

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
  /// LaneReduction: a loop of few points, the number of which is known,
  /// `columns` of which are computed beside the rows; -1 for none.
  int columnDim = -1;
  unsigned columns = 1;
  /// Parallel loops around the tile, outermost first.
  llvm::SmallVector<unsigned, 6> outer;
  /// Tile: parallel loops within a block, around its rows: what is packed of
  /// the columns serves them all. They are not in `outer`.
  llvm::SmallVector<unsigned, 2> shared;
  /// Reduction loops, outermost first, without vectorDim.
  llvm::SmallVector<unsigned, 6> inner;
  /// Tile: as many points of inner.back() as this takes lie side by side, in
  /// words of 32 bits, padded with zeros. Reductions are counted in words then.
  Dot dot = Dot::None;
  /// Tile: words are multiplied in tile registers, of 16 words in 16 lines
  /// each.
  bool tiles = false;
  /// Tile: reduction points per block (blocks cut inner[0]); 0 for no blocks.
  int64_t reductionBlock = 0;
  /// Tile: points of vectorDim per block, a multiple of lanes * vectors; 0 for
  /// no blocks. Map: as for blockDim. Scan: see there.
  int64_t vectorBlock = 0;
  /// Tile: results are symmetric in the loops of rows and columns, and those
  /// left of the tiles on the diagonal are copied from those above.
  bool mirrors = false;
  /// Map: a loop along which some input is contiguous (a transposed one); it is
  /// walked in blocks of `blockSize` around blocks of vectorDim, and is not in
  /// `outer`. -1 for none.
  int blockDim = -1;
  int64_t blockSize = 0;
  /// Per access.
  llvm::SmallVector<Packing, 4> packing;
  /// Tile: while a block is computed, what the next block of the reduction, of
  /// which there is one loop, reads of unpacked columns is fetched into the L2
  /// cache, a part of it by each row of tiles. The number of rows is known.
  bool fetchesBlocks = false;
  /// The loop that threads share out, in runs of `splitStep` points; -1 where
  /// one thread computes all.
  int splitDim = -1;
  int64_t splitStep = 1;
  /// About how long one thread takes; 0 where that is not known.
  double nanoseconds = 0;
  /// Map: per load, how many points of the innermost outer loop ahead the row
  /// that it reads is fetched into the cache; 0 where it is not.
  llvm::SmallVector<int64_t, 1> fetchAhead;
};

/// Of several threads: which loop they share out, and what that is worth. Only
/// parallel loops are, so that results have the same bits for any number of
/// threads. Called by planNest.
void planSplit(const NestProblem &problem, NestPlan &plan);

/// Chooses a plan. `problem` has at least one dimension and one output.
NestPlan planNest(const NestProblem &problem, const TargetInfo &target);

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_CPU_NESTPLAN_H
