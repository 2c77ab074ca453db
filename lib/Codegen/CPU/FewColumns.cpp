//===- FewColumns.cpp - Products with few columns -------------------------===//
//
// Of transposing the operand with many rows, or of broadcasting its elements to
// vectors that are not full, too little comes where the other one has few
// columns. Lanes along the reduction read it where it lies.
//
//===----------------------------------------------------------------------===//

#include "FewColumns.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tapestry {

/// How many columns are few where all operands lie along the reduction.
constexpr int64_t mostAlignedColumns = 32;
/// Vectors along the reduction that are worth combining their lanes.
constexpr int64_t leastVectors = 32;
constexpr int64_t leastAlignedVectors = 16;
/// Longer sums need their rounding errors, which the other forms keep.
constexpr int64_t mostPoints = 32 * 1024;
/// The body's cost at which rows x columns accumulators are in registers.
constexpr unsigned mostBodyCost = 8;

static bool suits(const NestProblem &problem, const TargetInfo &target,
                  unsigned lanes, const FewColumns &loops) {
  const NestDim &rows = problem.dims[loops.rows];
  const NestDim &columns = problem.dims[loops.columns];
  const NestDim &points = problem.dims[loops.lanes];
  bool hasRows = false, hasColumns = false, areAligned = true;
  for (const NestAccess &access : problem.accesses) {
    bool byRow = access.dependsOn(loops.rows);
    bool byColumn = access.dependsOn(loops.columns);
    bool byPoint = access.dependsOn(loops.lanes);
    if (access.output) {
      if (!byRow || !byColumn || byPoint)
        return false;
      continue;
    }
    if (byRow == byColumn || !byPoint)
      return false;
    // Where rows are contiguous, lanes along them need no transposing.
    if (byRow &&
        (access.strides[loops.lanes] != 1 || access.strides[loops.rows] == 1))
      return false;
    hasRows |= byRow;
    hasColumns |= byColumn;
    areAligned &= access.strides[loops.lanes] == 1;
  }
  // Lanes along the columns take as many vectors for more of them; with few
  // registers they are as fast when they fill one.
  int64_t most = target.vectorRegisters < 32 ? lanes - 1 : 3 * lanes / 2;
  if (areAligned)
    most = mostAlignedColumns;
  int64_t least = lanes * (areAligned ? leastAlignedVectors : leastVectors);
  // The panel of all columns stays in the L2 cache.
  return hasRows && hasColumns && columns.known && points.known &&
         columns.extent >= 2 && columns.extent <= most &&
         rows.extent >= 2 * columns.extent && points.extent >= least &&
         points.extent <= mostPoints &&
         points.extent * columns.extent * problem.computeBits / 8 <=
             target.l2Bytes;
}

std::optional<FewColumns> findFewColumns(const NestProblem &problem,
                                         const TargetInfo &target,
                                         unsigned lanes) {
  SmallVector<unsigned, 6> parallel, reductions;
  for (auto [number, loop] : enumerate(problem.dims))
    (loop.reduction ? reductions : parallel).push_back(number);
  if (lanes < 2 || reductions.size() != 1 || problem.isScan ||
      problem.mayTrap || !problem.lanesCombine || !problem.loads.empty() ||
      problem.bodyCost > mostBodyCost)
    return std::nullopt;
  for (unsigned rows : parallel)
    for (unsigned columns : parallel) {
      FewColumns loops{reductions.front(), rows, columns};
      if (rows != columns && suits(problem, target, lanes, loops))
        return loops;
    }
  return std::nullopt;
}

} // namespace tapestry
