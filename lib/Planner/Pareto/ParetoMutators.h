//===- ParetoMutators.h - Random changes of plans ---------------*- C++ -*-===//
//
// What the stochastic search may do to a plan. To add a mutator: a class, and a
// line in allMutators().
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_PARETO_PARETOMUTATORS_H
#define TAPESTRY_LIB_PLANNER_PARETO_PARETOMUTATORS_H

#include "ParetoPopulation.h"
#include "StateEvaluator.h"

namespace tapestry::pareto {

/// What mutators work with.
struct MutationContext {
  StateEvaluators &evaluators;
  ParetoPopulation &population;
  Random &random;
  /// Objectives, scaled, of a plan that becomes a member if it is worth it;
  /// counts as a trial.
  llvm::function_ref<Objectives(const ParetoState &)> tryOut;
};

class ParetoMutator {
public:
  /// `prior`: the improvements per trial that benchmarks let expect.
  ParetoMutator(llvm::StringRef name, double prior)
      : name(name), prior(prior) {}
  virtual ~ParetoMutator() = default;

  const llvm::StringRef name;
  const double prior;

  /// A cheap test, right in most cases.
  virtual bool applies(const ParetoState &state,
                       MutationContext &context) const = 0;
  /// A legal plan that differs from `state`, or nothing where the dice led
  /// nowhere.
  virtual std::optional<ParetoState> mutate(const ParetoState &state,
                                            MutationContext &context) const = 0;
};

/// All mutators, in a fixed order.
std::vector<std::unique_ptr<ParetoMutator>> allMutators();

/// Those that change the cuts of one vertex or of a few, and homes.
void addCutMutators(std::vector<std::unique_ptr<ParetoMutator>> &mutators);
/// Those that change the grid or the graph, that cross two plans or that look
/// at many changes.
void addGraphMutators(std::vector<std::unique_ptr<ParetoMutator>> &mutators);

/// Takes `axis` from every label that has it.
void removeAxis(Partition &partition, unsigned axis);
/// Moves `axis` to `label`, before the cut's entry number `position`.
void moveAxis(Partition &partition, unsigned axis, unsigned label,
              unsigned position);
/// The label that `axis` cuts.
std::optional<unsigned> labelOfAxis(const Partition &partition, unsigned axis);

/// The plan with another partition of one vertex; nothing if that is illegal or
/// no change.
std::optional<ParetoState> withPartition(const ParetoState &state,
                                         StateEvaluator &evaluator,
                                         unsigned vertex,
                                         const Partition &partition);

/// A partition of `vertex` that reads operand `operand` as `producer` is cut,
/// as far as the dimensions are plain; other axes stay where they are.
Partition followProducer(const StateEvaluator &evaluator, unsigned vertex,
                         unsigned operand, const Partition &own,
                         const Partition &producer);

} // namespace tapestry::pareto

#endif // TAPESTRY_LIB_PLANNER_PARETO_PARETOMUTATORS_H
