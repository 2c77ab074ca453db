//===- NestPlanner.h - The choices that make a nest's plan ------*- C++ -*-===//

#ifndef TAPESTRY_LIB_CODEGEN_CPU_NESTPLANNER_H
#define TAPESTRY_LIB_CODEGEN_CPU_NESTPLANNER_H

#include "FewColumns.h"
#include "tapestry/Codegen/CPU/NestPlan.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace tapestry {

/// Below this many rows, copying an operand into panels costs more than it
/// saves when its lanes are contiguous already.
inline constexpr int64_t packingRows = 24;
/// Steps of so many bytes go to another page or cache set each.
inline constexpr int64_t farBytes = 1024;
/// How many rows are few, see hasFewRows.
inline constexpr int64_t mostFewRows = 64;

/// Carries out planNest.
class NestPlanner {
public:
  NestPlanner(const NestProblem &problem, const TargetInfo &target)
      : problem(problem), target(target) {
    plan.lanes = std::max(1u, target.vectorBits / problem.computeBits);
    plan.packing.assign(problem.accesses.size(), Packing::None);
  }

  NestPlan run();

private:
  bool canCarryLanes(unsigned dim) const;
  /// Bytes from one point of the innermost reduction loop to the next.
  int64_t stepOf(const NestAccess &access) const {
    return access.strides[plan.inner.back()] * access.bits / 8;
  }
  bool isFarColumn(const NestAccess &access) const {
    return !access.output && access.dependsOn(plan.vectorDim) &&
           !access.dependsOn(plan.rowDim) && stepOf(access) >= farBytes;
  }
  double laneCost(unsigned dim) const;
  double accessCost(const NestAccess &access, unsigned dim) const;
  double waste(const NestDim &loop) const;
  double squareWaste(const NestAccess &access) const;
  bool hasLargeTiles(unsigned lanes, int rows) const;
  /// The best loop for rows when lanes run along `lanes`: one that some operand
  /// with lanes does not depend on, so that its vectors serve several rows. -1
  /// when there is none.
  int rowDimFor(unsigned lanes) const;
  bool hasReduction() const {
    return llvm::any_of(problem.dims,
                        [](const NestDim &d) { return d.reduction; });
  }

  void planMap();
  void planFetches();
  void planLaneReduction();
  void planColumns(const FewColumns &loops);
  void planScan();
  bool packsInAnyOrder() const;
  int64_t rowStride(unsigned dim) const;
  void orderLoops();

  // TilePlan.cpp
  void planTile();
  bool hasFewRows() const;
  void chooseRegisterTile();
  void choosePacking();
  void chooseBlocks();
  void sharePanels();
  bool isSymmetric() const;

  /// As it was given; with a dot product that of its words.
  NestProblem problem;
  const TargetInfo &target;
  NestPlan plan;
  /// hasFewRows().
  bool fewRows = false;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_CPU_NESTPLANNER_H
