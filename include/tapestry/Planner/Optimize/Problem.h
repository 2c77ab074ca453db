//===- Problem.h - The planning problem that solvers see --------*- C++ -*-===//
//
// Variables with choices, a cost per choice, and a cost per pair of choices of
// two connected variables. A pairwise cost depends on the choices only through
// the layout of the shared tensor, so the choices are grouped into interface
// classes and the table is classes x classes: this is what keeps exact solving
// cheap. Solvers know nothing of tensors or of the cost model; costs may be
// elements, seconds or anything that adds up.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_OPTIMIZE_PROBLEM_H
#define TAPESTRY_PLANNER_OPTIMIZE_PROBLEM_H

#include "tapestry/Support/Error.h"
#include "tapestry/Support/Layout.h"
#include <memory>
#include <string>
#include <vector>

namespace tapestry::optimize {

/// Groups the choices of a variable: choices of one class are equal for an
/// edge.
struct ClassMap {
  /// The class of every choice, each smaller than numClasses.
  std::vector<uint32_t> classOf;
  uint32_t numClasses = 0;

  /// Every choice is a class of its own.
  static ClassMap identity(uint32_t numChoices);
};

/// A row-major matrix of costs, not negative.
struct CostTable {
  uint32_t rows = 0;
  uint32_t columns = 0;
  std::vector<double> values;

  double at(uint32_t row, uint32_t column) const {
    return values[size_t(row) * columns + column];
  }
};

/// Parts of a problem that many variables and edges have in common. Equal parts
/// are best made once and shared: solvers recognise repeated structure by
/// pointer and then solve it once. Sharing never changes a result.
using SharedCosts = std::shared_ptr<const std::vector<double>>;
using SharedClasses = std::shared_ptr<const ClassMap>;
using SharedTable = std::shared_ptr<const CostTable>;
using SharedChoices = std::shared_ptr<const std::vector<PartVector>>;
using SharedBytes = std::shared_ptr<const std::vector<int64_t>>;

struct PlanProblem {
  struct Variable {
    std::string name;
    /// What each choice means: the parts per label. Solvers only count them.
    SharedChoices choices;
    /// The cost of every choice by itself; at least one entry.
    SharedCosts costs;
    /// False for a tensor that is given: only its edges cost anything.
    bool hasWork = true;

    uint32_t numChoices() const { return costs->size(); }
  };

  /// table[class of from's choice][class of to's choice]. `from` produces what
  /// `to` reads; two edges may join the same pair of variables.
  struct Edge {
    unsigned from = 0;
    unsigned to = 0;
    SharedClasses fromClasses;
    SharedClasses toClasses;
    SharedTable table;
  };

  /// In an order in which every edge leads from a smaller to a larger index.
  std::vector<Variable> variables;
  std::vector<Edge> edges;

  /// Bytes per device that are held from step `first` to step `last`, both
  /// included. They depend on the choice of a variable or, where `ofEdge`, on
  /// the classes that an edge's ends show.
  struct MemoryTerm {
    bool ofEdge = false;
    /// The number of the variable or edge.
    unsigned owner = 0;
    /// Per choice of the variable, or row-major like the edge's table.
    SharedBytes bytes;
    unsigned first = 0;
    unsigned last = 0;
    /// What messages call the tensor; empty: the owner's name in quotes.
    std::string tensor = {};
  };
  std::vector<MemoryTerm> memory;
  /// Where `memory` are lower bounds, terms that are closer to most programs: a
  /// guide, by which nothing is proved. Without any, `memory` is the guide.
  std::vector<MemoryTerm> expected;
  /// The most bytes per device that may be held at any step; 0: no limit. A
  /// solver that cannot honour a limit must refuse the problem.
  int64_t memoryLimit = 0;

  /// Sizes agree and edges ascend; the error names the variable or edge.
  llvm::Error validate() const;
  /// The cost of one choice per variable.
  double evaluate(llvm::ArrayRef<uint32_t> choice) const;
  double edgeCost(const Edge &edge, llvm::ArrayRef<uint32_t> choice) const;
  /// The largest sum of bytes over all steps.
  int64_t peakBytes(llvm::ArrayRef<uint32_t> choice) const;
  /// Every variable and edge at its own cheapest: a bound that costs nothing.
  double independentBound() const;
};

/// One choice per variable, with what is known of its quality.
struct Solution {
  std::vector<uint32_t> choice;
  double cost = 0;
  /// No choice costs less.
  double lowerBound = 0;
  bool provedOptimal = false;
};

/// The most choices that one variable may have: beyond it a problem is refused
/// instead of filling memory.
constexpr uint32_t maxChoicesPerVariable = 200'000;

/// The least that a pair of layouts costs which a layout group forbids.
/// So large that solvers avoid it, so small that sums stay exact enough.
constexpr double forbiddenCost = 1e15;

} // namespace tapestry::optimize

#endif // TAPESTRY_PLANNER_OPTIMIZE_PROBLEM_H
