//===- NestSplit.cpp - Which loop threads share out -----------------------===//
//
// Every thread runs the whole nest over its part of one loop: what it packs, it
// packs for itself. The outer the loop, the less is packed twice.
//
//===----------------------------------------------------------------------===//

#include "tapestry-rt/ABI.h"
#include "tapestry/Codegen/CPU/NestPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace llvm;

namespace tapestry {

/// A loop of so many runs is shared evenly enough among any threads.
constexpr int64_t manyRuns = 16;
/// What an instruction on vectors takes, in and outside of register tiles.
constexpr double tileNanoseconds = 0.15, mapNanoseconds = 0.25;

/// What a byte takes that comes from memory or goes there, and up to how many
/// bytes are near.
constexpr double byteNanoseconds = 0.05, nearBytes = 1 << 20;

static double bytesOf(const NestProblem &problem) {
  double sum = 0;
  for (const NestAccess &access : problem.accesses) {
    double bytes = access.bits / 8.0;
    for (auto [number, dim] : enumerate(problem.dims))
      if (access.dependsOn(number))
        bytes *= dim.extent;
    sum += bytes;
  }
  return sum;
}

static double estimate(const NestProblem &problem, const NestPlan &plan) {
  double vectors = 1.0 / plan.lanes;
  for (const NestDim &dim : problem.dims)
    vectors *= dim.extent;
  if (plan.kind == NestKind::Tile)
    return vectors / groupOf(plan.dot) / (plan.mirrors ? 2 : 1) *
           problem.bodyCost * tileNanoseconds;
  double accesses = problem.accesses.size() + problem.loads.size();
  double bytes = bytesOf(problem);
  return std::max(vectors * (problem.bodyCost + accesses) * mapNanoseconds,
                  bytes > nearBytes ? bytes * byteNanoseconds : 0);
}

/// Loops that may be shared out and the runs of points that stay together, the
/// best first.
static SmallVector<std::pair<unsigned, int64_t>, 8>
splittable(const NestPlan &plan) {
  SmallVector<std::pair<unsigned, int64_t>, 8> loops;
  for (unsigned dim : plan.outer)
    loops.push_back({dim, 1});
  int64_t width = int64_t(plan.lanes) * plan.vectors;
  if (plan.kind == NestKind::Map) {
    if (plan.blockDim >= 0)
      loops.push_back({unsigned(plan.blockDim), plan.blockSize});
    else
      loops.push_back({plan.vectorDim, width});
  }
  // Of a symmetric result, tiles that cross the diagonal stay in one run.
  if (plan.kind == NestKind::Tile)
    loops.push_back({plan.vectorDim, plan.mirrors
                                         ? std::lcm(width, int64_t(plan.rows))
                                         : width});
  for (unsigned dim : plan.shared)
    loops.push_back({dim, 1});
  bool hasRows = plan.kind == NestKind::LaneReduction ||
                 (plan.kind == NestKind::Tile && !plan.mirrors && !plan.tiles);
  if (hasRows && plan.rowDim >= 0)
    loops.push_back({unsigned(plan.rowDim), plan.rows});
  return loops;
}

void planSplit(const NestProblem &problem, NestPlan &plan) {
  if (plan.kind == NestKind::Scalar ||
      !all_of(problem.dims, [](const NestDim &dim) { return dim.expected; }))
    return;
  plan.nanoseconds = estimate(problem, plan);
  if (plan.nanoseconds < 2 * TAPESTRY_PART_NANOSECONDS)
    return;
  int64_t most = 1;
  for (auto [dim, step] : splittable(plan)) {
    int64_t runs = divideCeil(problem.dims[dim].extent, step);
    if (runs > most) {
      most = runs;
      plan.splitDim = dim;
      plan.splitStep = step;
    }
    if (runs >= manyRuns)
      return;
  }
}

} // namespace tapestry
