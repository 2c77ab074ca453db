//===- MemoryRepair.h - Plans that keep a memory limit ----------*- C++ -*-===//

#ifndef TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYREPAIR_H
#define TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYREPAIR_H

#include "MemoryRows.h"

namespace tapestry::optimize {

/// Moves single variables to the choice that exceeds the limit least at the
/// rows that it has to do with and, of such, costs least, until none moves.
class MemoryRepair {
public:
  MemoryRepair(const PlanProblem &problem, const MemoryRows &rows);
  /// Whether the choice keeps the limit afterwards. One that did before still
  /// does, and costs no more.
  bool run(std::vector<uint32_t> &choice, int64_t limit);
  /// Choices looked at so far, times what each has to do with.
  double work = 0;

private:
  /// A range of rows over which all terms of a variable are constant.
  struct Segment {
    unsigned first = 0;
    unsigned last = 0;
    /// The terms held there.
    llvm::SmallVector<unsigned, 4> terms;
  };
  void findSegments(unsigned var);
  bool move(unsigned var, std::vector<uint32_t> &choice, int64_t limit);
  /// Adds what the terms of `var` hold, times `sign`, to the rows.
  void addTerms(unsigned var, llvm::ArrayRef<uint32_t> choice, int64_t sign);
  std::vector<double> costsOf(unsigned var,
                              llvm::ArrayRef<uint32_t> choice) const;
  /// The bytes of a term of `var` for each of its choices.
  std::vector<int64_t> bytesOf(unsigned term, unsigned var,
                               llvm::ArrayRef<uint32_t> choice) const;

  const PlanProblem &problem;
  const MemoryRows &rows;
  std::vector<llvm::SmallVector<unsigned, 4>> edgesOf, termsOf;
  std::vector<std::vector<Segment>> segmentsOf;
  std::vector<int64_t> held;
};

} // namespace tapestry::optimize

#endif // TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYREPAIR_H
