//===- MemoryRows.h - The steps at which memory can peak --------*- C++ -*-===//
//
// Memory terms are held over ranges of steps. Only steps whose set of terms is
// in no other step's set can be the peak; each is a row, a linear constraint on
// the choices. Prices per row turn bytes into costs of variables and edges.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYROWS_H
#define TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYROWS_H

#include "tapestry/Planner/Optimize/Problem.h"

namespace tapestry::optimize {

/// Prices of a byte, per row: multiples of a power of two so coarse that sums
/// of prices are exact.
using Prices = std::vector<double>;
Prices roundPrices(llvm::ArrayRef<double> prices);

/// The rows of a problem; the same for every restriction of it, which is why
/// the problem is an argument of what depends on choices.
class MemoryRows {
public:
  explicit MemoryRows(const PlanProblem &problem);

  size_t size() const { return steps.size(); }
  unsigned stepOf(size_t row) const { return steps[row]; }
  /// The rows at which a term is held, both included.
  struct Span {
    unsigned first = 0;
    unsigned last = 0;
  };
  Span spanOf(unsigned term) const { return spans[term]; }

  /// Bytes per row.
  std::vector<int64_t> held(const PlanProblem &problem,
                            llvm::ArrayRef<uint32_t> choice) const;

  /// The problem without memory terms whose costs are those of `problem` (zero
  /// unless `withCosts`) plus the priced bytes. Equal parts with equal prices
  /// stay shared.
  PlanProblem priced(const PlanProblem &problem, const Prices &prices,
                     bool withCosts) const;

private:
  std::vector<unsigned> steps;
  std::vector<Span> spans;
};

/// The entry of a term that `choice` leads to.
int64_t bytesOfTerm(const PlanProblem &problem,
                    const PlanProblem::MemoryTerm &term,
                    llvm::ArrayRef<uint32_t> choice);

/// Whether any term has a negative entry, which no solver accepts.
llvm::Error checkMemoryTerms(const PlanProblem &problem);

} // namespace tapestry::optimize

#endif // TAPESTRY_LIB_PLANNER_OPTIMIZE_MEMORYROWS_H
