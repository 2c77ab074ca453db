//===- Buckets.h - What elimination did, step by step -----------*- C++ -*-===//
//
// The bucket tree of an elimination (Dechter 1999): every variable's bucket
// holds the factors that it was eliminated from, and its table is a factor in
// the bucket of one of its neighbours. Elimination.cpp grows the tree from its
// leaves; Marginals.cpp sends messages back from its root.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_OPTIMIZE_BUCKETS_H
#define TAPESTRY_LIB_PLANNER_OPTIMIZE_BUCKETS_H

#include "Elimination.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>

// For innermost loops: compiled for wide vectors too, and chosen when the
// program starts. Additions and minima are the same in both.
#if defined(__x86_64__) && defined(__linux__) && defined(__clang__)
#define TAPESTRY_WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define TAPESTRY_WIDE_VECTORS
#endif

namespace tapestry::optimize::buckets {

/// The smaller one, in the form that compilers turn into vectors.
inline double lesser(double a, double b) { return b < a ? b : a; }

/// A dense table, row-major, over the interface classes of some variables.
struct Table {
  std::vector<uint32_t> dims;
  std::vector<double> values;
};

/// A cost that depends on the classes of several variables.
struct Factor {
  llvm::SmallVector<unsigned, 4> vars;
  llvm::SmallVector<SharedClasses, 4> maps;
  std::shared_ptr<const Table> table;
  /// The record whose table it is; nothing for an edge's.
  std::optional<unsigned> producer;
};

/// The coarsest classes that decide the classes of several maps.
struct Refinement {
  SharedClasses joint;
  /// For each of the maps, its class of every joint class.
  std::vector<std::vector<uint32_t>> parts;
};

/// The result of an elimination, shared by all equal ones.
struct Eliminated {
  std::shared_ptr<const Table> table;
  /// The cheapest choice of every own class, the smallest among equals, and
  /// what it costs by itself.
  std::vector<uint32_t> groupChoice;
  std::vector<double> groupCosts;
};

/// What eliminating a variable involves.
struct Step {
  unsigned var = 0;
  llvm::SmallVector<unsigned, 4> factors;
  /// The neighbours, ascending, and the classes that their factors see jointly.
  llvm::SmallVector<unsigned, 4> scope;
  llvm::SmallVector<const Refinement *, 4> classes;
  /// The classes of the variable itself; null without factors.
  const Refinement *own = nullptr;
  /// Entries of the resulting table; sums to be formed.
  double entries = 1;
  double work = 1;
};

/// A step as it was taken.
struct Record {
  Step step;
  std::shared_ptr<const Eliminated> result;
  /// What step.factors were.
  std::vector<Factor> factors;
  /// Per choice of the variable: its own cost and the tables over it alone.
  SharedCosts costs;
};

/// All steps in order, and what keeps their parts alive.
struct Trace {
  std::vector<Record> records;
  std::map<std::vector<const void *>, Refinement> refinements;
  std::vector<std::shared_ptr<const void>> held;
};

/// How one factor enters an elimination: its entries by joint class, own class
/// first, then its neighbours in scope order.
struct Operand {
  /// Per dimension and joint class, an offset into the factor's table; an
  /// entry's place there is the sum over its dimensions.
  std::vector<std::vector<size_t>> offsets;
  std::vector<double> values;
  size_t ownStride = 1;
  /// Per scope position; 0 where the factor does not depend on it.
  llvm::SmallVector<size_t, 4> strides;

  /// Goes through `values` in their order: calls `visit` with the place in the
  /// factor's table that the offsets of the last dimension add to.
  template <typename Visitor>
  void visitRows(Visitor visit, unsigned dim = 0, size_t base = 0) const {
    if (dim + 1 == offsets.size())
      visit(base);
    else
      for (size_t offset : offsets[dim])
        visitRows<Visitor &>(visit, dim + 1, base + offset);
  }
};

/// The operand that factor `position` of a step is; `factors` are the step's.
Operand operandOf(const Step &step, llvm::ArrayRef<Factor> factors,
                  unsigned position);

/// What a step's result depends on besides its variable's costs: its factors'
/// tables, as `tableOf` names them, and how they are joined. Equal shared parts
/// in equal places give an equal result.
std::vector<const void *>
structureOf(const Step &step, llvm::ArrayRef<Factor> factors,
            llvm::function_ref<const void *(const Factor &)> tableOf);

/// eliminateAll(), also returning how.
llvm::Expected<Elimination> eliminateAll(const PlanProblem &problem,
                                         const EliminationLimits &limits,
                                         Trace &trace);

} // namespace tapestry::optimize::buckets

#endif // TAPESTRY_LIB_PLANNER_OPTIMIZE_BUCKETS_H
