//===- NestPlan.cpp - How a loop nest is vectorised and tiled -------------===//
//
// Chooses the kind, lanes and order from extents and strides; TilePlan.cpp the
// register tile, blocks and packing.
// The constants were measured on AMD Zen 5 and Intel Sapphire Rapids cores.
//
//===----------------------------------------------------------------------===//

#include "DotProducts.h"
#include "NestPlanner.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tapestry {

/// How far ahead rows are fetched that no hardware can foresee: less does not
/// hide the latency of memory, more is a good part of the L1 cache.
constexpr int64_t fetchedBytes = 8 * 1024;

bool NestPlanner::canCarryLanes(unsigned dim) const {
  if (problem.dims[dim].reduction)
    return problem.lanesCombine;
  // Lanes from places apart take an instruction for that.
  for (const NestAccess &load : problem.loads)
    if (load.strides[dim] > 1 && (!target.maskedMemory || load.bits < 32))
      return false;
  return all_of(problem.accesses, [&](const NestAccess &access) {
    if (!access.output)
      return true;
    // A tile's results leave the registers after the reduction.
    for (unsigned other = 0; other < problem.dims.size(); ++other)
      if (problem.dims[other].reduction && access.dependsOn(other))
        return false;
    return access.dependsOn(dim);
  });
}

/// The cost of one vector of the access, in vector instructions.
double NestPlanner::accessCost(const NestAccess &access, unsigned dim) const {
  int64_t stride = access.strides[dim];
  if (stride == 0)
    return 0.25;
  if (stride == 1)
    return 1;
  // Two vectors hold them.
  if (stride == 2 && (!access.output || access.isPart))
    return 2.5;
  return plan.lanes * (access.output ? 1.5 : 1.0);
}

/// Lanes that whole vectors along `loop` have, per point.
double NestPlanner::waste(const NestDim &loop) const {
  if (!loop.known || loop.extent <= 0)
    return 1;
  return double(alignTo(loop.extent, plan.lanes)) / loop.extent;
}

/// Copies are transposed in whole squares, however short the reduction is.
double NestPlanner::squareWaste(const NestAccess &access) const {
  for (auto [dim, loop] : enumerate(problem.dims))
    if (loop.reduction && access.strides[dim] == 1)
      return waste(loop);
  return 1;
}

/// Whether lanes and rows are so many that copies serve for long and results
/// stay in registers for long: few of either, of one sum, may be computed in
/// blocks of few points (hasFewRows).
bool NestPlanner::hasLargeTiles(unsigned lanes, int rows) const {
  if (rows < 0)
    return false;
  int64_t least =
      std::min(problem.dims[lanes].extent, problem.dims[rows].extent);
  auto sums = count_if(problem.dims,
                       [](const NestDim &loop) { return loop.reduction; });
  return least > (sums > 1 ? packingRows - 1 : mostFewRows);
}

/// The cost of one vector of points when lanes run along `dim`.
double NestPlanner::laneCost(unsigned dim) const {
  const NestDim &loop = problem.dims[dim];
  int rowDim = rowDimFor(dim);
  double cost = 0;
  // A result is stored once for all points of its reduction.
  double points = 1;
  for (const NestDim &other : problem.dims)
    if (other.reduction)
      points *= other.known ? std::max<int64_t>(other.extent, 1) : 16;
  bool isLarge = hasLargeTiles(dim, rowDim);
  for (const NestAccess &access : problem.accesses) {
    double one = accessCost(access, dim);
    if (access.output) {
      if (loop.reduction)
        // Lanes are combined once per result.
        one = 12.0 * plan.lanes / std::max<int64_t>(loop.extent, 1);
      else if (hasReduction())
        one /= std::min(points, isLarge ? 128.0 : 16.0);
    } else if (!loop.reduction && hasReduction() && access.dependsOn(dim) &&
               rowDim >= 0 && !access.dependsOn(rowDim)) {
      // The vectors stay in registers for several rows; where they are not
      // contiguous a copy makes them so, once for all that read it.
      double rows = std::max<int64_t>(problem.dims[rowDim].extent, 1);
      for (auto [other, outer] : enumerate(problem.dims))
        if (isLarge && !outer.reduction && outer.known &&
            int(other) != rowDim && other != dim && !access.dependsOn(other))
          rows *= std::max<int64_t>(outer.extent, 1);
      double copied =
          1.0 / std::min(rows, 8.0) + 0.4 * one * squareWaste(access) / rows;
      one = one > 1 && problem.mayTrap ? one : std::min(one, copied);
    }
    cost += one;
  }
  for (const NestAccess &load : problem.loads)
    cost += accessCost(load, dim);
  return (cost + problem.bodyCost) * waste(loop);
}

int NestPlanner::rowDimFor(unsigned lanes) const {
  int best = -1;
  int64_t bestExtent = 0;
  for (unsigned dim = 0; dim < problem.dims.size(); ++dim) {
    const NestDim &loop = problem.dims[dim];
    if (loop.reduction || dim == lanes)
      continue;
    bool reuse = any_of(problem.accesses, [&](const NestAccess &access) {
      return !access.output && access.dependsOn(lanes) &&
             !access.dependsOn(dim);
    });
    if (reuse && loop.extent >= bestExtent) {
      best = dim;
      bestExtent = loop.extent;
    }
  }
  return best;
}

/// Lanes run along the dimension in which the elements lie side by side, else
/// along the scanned one, where they are parts of pairs.
void NestPlanner::planScan() {
  unsigned numDims = problem.dims.size();
  auto haveStep = [&](unsigned dim, int64_t step) {
    return all_of(problem.accesses, [&](const NestAccess &access) {
      return !access.output || access.strides[dim] == step ||
             (problem.dims[dim].reduction && !access.dependsOn(dim));
    });
  };
  for (unsigned choice = 0; choice < 2 * numDims; ++choice) {
    unsigned dim = choice % numDims;
    bool isPart = choice >= numDims;
    if (!haveStep(dim, isPart ? 2 : 1) ||
        (isPart && !problem.dims[dim].reduction))
      continue;
    plan.kind = NestKind::Scan;
    plan.vectorDim = dim;
    plan.vectors = 4;
    // What as many lines carry stays in the first-level cache.
    plan.vectorBlock = 64 * int64_t(plan.lanes);
    orderLoops();
    return;
  }
}

NestPlan NestPlanner::run() {
  if (problem.isScan) {
    if (plan.lanes >= 2)
      planScan();
    return plan;
  }
  if (std::optional<FewColumns> loops =
          findFewColumns(problem, target, plan.lanes)) {
    planColumns(*loops);
    return plan;
  }
  int best = -1;
  double bestCost = 0;
  for (unsigned dim = 0; dim < problem.dims.size(); ++dim) {
    if (!canCarryLanes(dim))
      continue;
    double cost = laneCost(dim);
    if (best < 0 || cost <= bestCost) {
      best = dim;
      bestCost = cost;
    }
  }
  if (best < 0 || plan.lanes < 2)
    return plan;
  plan.vectorDim = best;
  if (problem.dims[best].reduction)
    planLaneReduction();
  else if (hasReduction())
    planTile();
  else {
    planMap();
    planFetches();
  }
  return plan;
}

/// Parallel loops from the outermost of the result inwards, reduction loops
/// from the largest input strides to the smallest.
void NestPlanner::orderLoops() {
  auto weight = [&](unsigned dim, bool output) {
    int64_t sum = 0;
    for (const NestAccess &access : problem.accesses)
      if (access.output == output)
        sum += std::abs(access.strides[dim]);
    return sum;
  };
  for (unsigned dim = 0; dim < problem.dims.size(); ++dim) {
    if (dim == plan.vectorDim || int(dim) == plan.rowDim ||
        int(dim) == plan.columnDim)
      continue;
    (problem.dims[dim].reduction ? plan.inner : plan.outer).push_back(dim);
  }
  llvm::sort(plan.outer, [&](unsigned a, unsigned b) {
    return std::pair(-weight(a, true), a) < std::pair(-weight(b, true), b);
  });
  if (problem.keepsOrder)
    return;
  bool byRows = packsInAnyOrder();
  auto key = [&](unsigned dim) {
    return std::tuple(byRows ? -rowStride(dim) : 0, -weight(dim, false), dim);
  };
  llvm::sort(plan.inner,
             [&](unsigned a, unsigned b) { return key(a) < key(b); });
}

/// Whether all columns are packed as they lie, which takes the same time for
/// any order of the reduction; the order is that of the rows then, which tiles
/// read in place.
bool NestPlanner::packsInAnyOrder() const {
  if (plan.kind != NestKind::Tile || plan.rowDim < 0 || problem.mayTrap ||
      problem.dims[plan.rowDim].extent < packingRows)
    return false;
  return all_of(problem.accesses, [&](const NestAccess &access) {
    if (access.output || !access.dependsOn(plan.vectorDim))
      return true;
    return access.strides[plan.vectorDim] == 1 &&
           !access.dependsOn(plan.rowDim) &&
           all_of(plan.inner, [&](unsigned dim) {
             return access.strides[dim] * access.bits / 8 >= farBytes;
           });
  });
}

/// How far the operands of rows go in a step along `dim`.
int64_t NestPlanner::rowStride(unsigned dim) const {
  int64_t sum = 0;
  for (const NestAccess &access : problem.accesses)
    if (!access.output && access.dependsOn(plan.rowDim))
      sum += std::abs(access.strides[dim]);
  return sum;
}

void NestPlanner::planMap() {
  plan.kind = NestKind::Map;
  plan.vectors = problem.bodyCost > 24 ? 2 : 4;
  const NestDim &loop = problem.dims[plan.vectorDim];
  if (loop.known)
    plan.vectors = std::clamp<int64_t>(
        PowerOf2Ceil(divideCeil(std::max<int64_t>(loop.extent, 1), plan.lanes)),
        1, plan.vectors);
  // What is gathered and scattered costs the same, however many there are.
  if (llvm::all_of(problem.accesses, [&](const NestAccess &access) {
        return access.strides[plan.vectorDim] > 1;
      }))
    plan.vectors = 1;
  orderLoops();
  // A transposed operand is contiguous along another loop: walk both in blocks.
  for (const NestAccess &access : problem.accesses) {
    if (access.strides[plan.vectorDim] <= 1)
      continue;
    for (unsigned dim : plan.outer)
      if (access.strides[dim] == 1)
        plan.blockDim = dim;
  }
  if (plan.blockDim < 0)
    return;
  plan.blockSize = plan.lanes;
  plan.vectorBlock = 2 * plan.lanes;
  llvm::erase(plan.outer, unsigned(plan.blockDim));
}

/// Not rows of a line, where it costs more than it saves when indices are
/// sorted, nor tables that lie in near caches.
void NestPlanner::planFetches() {
  plan.fetchAhead.assign(problem.loads.size(), 0);
  if (plan.blockDim >= 0 || plan.outer.empty())
    return;
  unsigned along = plan.outer.back();
  const NestDim &row = problem.dims[plan.vectorDim];
  const NestDim &rows = problem.dims[along];
  for (auto [load, ahead] : zip_equal(problem.loads, plan.fetchAhead)) {
    int64_t bytes = row.extent * load.bits / 8;
    if (!row.known || bytes < 2 * bufferAlignment || !load.jumps[along] ||
        load.strides[plan.vectorDim] != 1 ||
        load.tableBytes <= 4 * target.l2Bytes)
      continue;
    int64_t points = std::max<int64_t>(divideCeil(fetchedBytes, bytes), 2);
    if (!rows.known || rows.extent >= 2 * points)
      ahead = points;
  }
}

void NestPlanner::planLaneReduction() {
  plan.kind = NestKind::LaneReduction;
  plan.rowDim = rowDimFor(plan.vectorDim);
  const NestDim &loop = problem.dims[plan.vectorDim];
  bool reuse = plan.rowDim >= 0;
  if (!reuse && loop.known && loop.extent <= 4 * plan.lanes) {
    // Short rows: several at a time hide the latency instead.
    for (unsigned dim = 0; dim < problem.dims.size(); ++dim)
      if (!problem.dims[dim].reduction)
        plan.rowDim = dim;
  }
  plan.vectors = 8;
  if (plan.rowDim >= 0) {
    const NestDim &rows = problem.dims[plan.rowDim];
    plan.rows = rows.known ? std::clamp<int64_t>(rows.extent, 1, 4) : 4;
    plan.vectors = 2;
  }
  if (problem.bodyCost > 8)
    plan.vectors = std::min(plan.vectors, 4u);
  if (loop.known)
    while (plan.vectors > 1 && int64_t(plan.lanes) * plan.vectors >
                                   std::max<int64_t>(loop.extent, 1))
      plan.vectors /= 2;
  orderLoops();
}

/// Products with few columns: results of rows x columns at a time.
void NestPlanner::planColumns(const FewColumns &loops) {
  plan.kind = NestKind::LaneReduction;
  plan.vectorDim = loops.lanes;
  plan.rowDim = loops.rows;
  plan.columnDim = loops.columns;
  // Accumulators, a vector of each column and one of a row are in registers;
  // several columns, the better all, as each tile reads the rows again.
  int64_t registers = target.vectorRegisters;
  int64_t extent = problem.dims[loops.columns].extent;
  int64_t most = registers < 32 ? 3 : extent <= 8 ? 8 : 4;
  plan.columns = divideCeil(extent, divideCeil(extent, most));
  plan.rows =
      std::min<int64_t>((registers - 1 - plan.columns) / plan.columns, 8);
  // The rows of a tile, or all columns where one tile has them, stay in the L1
  // cache.
  int64_t lines = std::max(plan.rows, plan.columns);
  plan.vectorBlock = alignDown(
      target.l1Bytes * 3 / 4 / (lines * problem.computeBits / 8), plan.lanes);
  if (problem.dims[loops.lanes].extent <= plan.vectorBlock * 5 / 4)
    plan.vectorBlock = 0;
  for (auto [number, access] : enumerate(problem.accesses))
    if (!access.output && access.dependsOn(loops.columns))
      plan.packing[number] = Packing::Columns;
  orderLoops();
}

NestPlan planNest(const NestProblem &problem, const TargetInfo &target) {
  NestPlan plan = NestPlanner(problem, target).run();
  planSplit(problem, plan);
  return plan;
}

} // namespace tapestry
