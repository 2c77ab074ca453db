//===- SpmdDecoding.h - What the choices of a problem stand for -*- C++ -*-===//
//
// Private to the builder of a SpmdProblem and to what turns its solutions into
// placements.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_COST_SECONDS_SPMDDECODING_H
#define TAPESTRY_LIB_PLANNER_COST_SECONDS_SPMDDECODING_H

#include "ReshardingTable.h"
#include "tapestry/Planner/Cost/Seconds/SpmdProblem.h"
#include <map>

namespace tapestry::cost::seconds {

/// In MoveTable::stop: straight from where the result lies, which is no home.
inline constexpr uint16_t noStop = ~uint16_t(0);

/// The layouts that the choices of a variable show to an edge.
struct Shown {
  optimize::SharedClasses classes;
  std::vector<LayoutId> layouts;
  /// Equal lists have equal numbers.
  unsigned number = 0;
};

/// What vertices of the same form have in common.
struct WorkForm {
  std::vector<Partition> partitions;
  optimize::SharedChoices parts;
  optimize::SharedCosts costs;
  Shown result;
  /// Per layout of the result the seconds of the work of one pass, where it is
  /// of use.
  std::vector<double> seconds;
  std::vector<Shown> operands;
};

/// The homes of a tensor.
struct HomeForm {
  ReshardingTable *table = nullptr;
  /// The numbers in the table of the homes that are allowed; all of them where
  /// nothing is asked.
  std::vector<unsigned> allowed;
  optimize::SharedChoices parts;
  /// What broken preferences cost, and the moves at the program's border; of
  /// that these alone.
  optimize::SharedCosts costs;
  std::vector<double> border;
  optimize::SharedClasses classes;
};

/// The seconds of an edge.
struct MoveTable {
  optimize::SharedTable seconds;
  /// Row-major like the table: the layout in which partial values are combined,
  /// or the last plain stop before a read.
  std::vector<uint16_t> stop;
};

struct SpmdProblem::Decoding {
  Decoding(const model::PlanGraph &graph, const DeviceGrid &grid,
           const machine::Machine &machine)
      : graph(graph), grid(grid), machine(machine), costs(grid),
        uses(graph.uses()) {}

  /// What it takes to bring a result home from where its work leaves it, and
  /// from home to where an operand is read.
  const MoveTable &movesHome(const model::PlanVertex &vertex,
                             const WorkForm &work, const HomeForm &home);
  const MoveTable &movesToOperand(const model::PlanVertex &producer,
                                  const HomeForm &home, const Shown &operand,
                                  int64_t trips);

  const model::PlanGraph &graph;
  const DeviceGrid &grid;
  machine::Machine machine;
  ReshardingCostCache costs;
  std::vector<llvm::SmallVector<model::PlanUse, 2>> uses;
  std::vector<SpmdProblem::Variables> variables;
  std::vector<std::shared_ptr<const WorkForm>> work;
  std::vector<std::shared_ptr<const HomeForm>> home;
  std::map<std::vector<int64_t>, std::unique_ptr<ReshardingTable>> tables;
  /// Per vertex: how its result comes home; per operand how it is fetched.
  std::vector<const MoveTable *> toHome;
  std::vector<std::vector<const MoveTable *>> toOperand;
  /// By what they join.
  std::map<std::vector<int64_t>, std::unique_ptr<MoveTable>> moves;
};

} // namespace tapestry::cost::seconds

#endif // TAPESTRY_LIB_PLANNER_COST_SECONDS_SPMDDECODING_H
