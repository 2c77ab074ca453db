//===- CostModel.h - What a plan costs, as an object ------------*- C++ -*-===//
//
// A cost model says what the search minimises: it builds the problem that
// solvers see, turns a solution into a plan, prices any plan, and knows what no
// plan can save. The planner, plan files, tables and pages ask it and know no
// model by name. To add one: a class derived from CostModel, registered under
// its name.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_COST_COSTMODEL_H
#define TAPESTRY_PLANNER_COST_COSTMODEL_H

#include "tapestry/Planner/Layout/Placement.h"
#include "tapestry/Planner/Machine/Machine.h"
#include "tapestry/Planner/Optimize/Problem.h"
#include <functional>
#include <limits>

namespace tapestry::cost {

/// What a plan costs at one vertex: one number per component of its model.
struct VertexCost {
  llvm::SmallVector<double, 3> components;

  VertexCost() = default;
  explicit VertexCost(size_t components) : components(components, 0.0) {}
  double &operator[](size_t component) { return components[component]; }
  double operator[](size_t component) const { return components[component]; }
  double total() const {
    double sum = 0;
    for (double component : components)
      sum += component;
    return sum;
  }
};

/// One of the figures that a vertex' cost is made of.
struct CostComponent {
  /// In plan.json.
  llvm::StringLiteral key;
  /// In tables and pages.
  llvm::StringLiteral title;
};

/// What a model reckons with. All of it must outlive what is made from it.
struct CostContext {
  const model::PlanGraph &graph;
  /// Axes of prime sizes.
  const DeviceGrid &grid;
  /// Without a name for models that need none.
  const machine::Machine &machine;
};

/// A plan as a model prices it: everything is decided.
struct DecidedPlan {
  CostContext context;
  /// The parts of every vertex.
  std::vector<PartVector> parts;
  const layout::Placement &placement;
};

/// What a solution decides, one entry per vertex: parts, for which placement
/// then chooses axes and homes, or those, too.
struct Decision {
  std::vector<PartVector> parts;
  std::vector<layout::VertexPlacement> placed;
};

/// The planning problem of a graph on a grid under one model, and what its
/// variables and choices mean.
class ModelProblem {
public:
  virtual ~ModelProblem();

  virtual const optimize::PlanProblem &problem() const = 0;
  /// Whether every plan on the grid is a solution, so that a bound of the
  /// problem is one of all plans.
  virtual bool isComplete() const { return true; }
  /// What a solution means. Fails where the solver found nothing that is
  /// allowed.
  virtual llvm::Expected<Decision>
  decode(llvm::ArrayRef<uint32_t> choice) const = 0;
  /// The part of a solution's cost that stands for broken preferences.
  virtual double penalty(llvm::ArrayRef<uint32_t> choice) const = 0;

  using Builder =
      std::function<llvm::Expected<std::unique_ptr<ModelProblem>>()>;
  /// What builds problems of the same graph that leave other plans out, most
  /// promising first; none where this one is complete. For use while this
  /// problem lives.
  virtual std::vector<Builder> others() const { return {}; }

  // For explanations.

  /// The variable that says how a vertex is cut; nothing where another vertex
  /// or nobody decides that.
  virtual std::optional<unsigned> variableOf(unsigned vertex) const = 0;
  /// The parts of a vertex under a choice of its variable.
  virtual PartVector partsOf(unsigned vertex, uint32_t choice) const = 0;
  /// The solution that a plan is: one choice per variable; nothing for a
  /// variable whose choice the problem does not have.
  virtual std::vector<std::optional<uint32_t>>
  choicesOf(const DecidedPlan &plan) const = 0;
  /// An extra cost from which on a choice is one that a layout group forbids.
  virtual double forbidding() const {
    return std::numeric_limits<double>::infinity();
  }
};

class CostModel {
public:
  virtual ~CostModel();

  //===--------------------------------------------------------------------===//
  // Words
  //===--------------------------------------------------------------------===//

  /// What users call it: "paper".
  virtual llvm::StringRef name() const = 0;
  /// What costs are counted in: "elements".
  virtual llvm::StringRef unit() const = 0;
  /// What a vertex' cost consists of; the same list on every call.
  virtual llvm::ArrayRef<CostComponent> components() const = 0;
  /// Whether costs count whole things.
  virtual bool isWhole() const { return true; }
  /// A cost without its unit.
  virtual std::string format(double cost) const;

  //===--------------------------------------------------------------------===//
  // The search
  //===--------------------------------------------------------------------===//

  /// Whether it reckons with a machine: grids are then laid over its axes.
  virtual bool needsMachine() const { return false; }
  /// Whether a plan for fewer devices may cost less, so that it pays to look at
  /// them.
  virtual bool mayIdle() const { return false; }
  /// Whether solutions say where results are kept and over which axes labels
  /// are cut, or only into how many parts.
  virtual bool decidesHomes() const = 0;

  /// The problem of `context` with at most so many bytes per device at once; 0:
  /// no limit.
  virtual llvm::Expected<std::unique_ptr<ModelProblem>>
  buildProblem(const CostContext &context, int64_t memoryLimit) const = 0;

  /// No plan of `graph` for `devices` devices costs less, whatever the grid.
  /// Takes no noticeable time, and is no smaller for fewer devices.
  virtual double independentBound(const model::PlanGraph &graph,
                                  const machine::Machine &machine,
                                  int64_t devices) const {
    return 0;
  }

  enum class Effort { Little, Much };
  /// No plan costs less, for grids that are too large for a complete problem.
  /// Ends early once the bound is known to be `enough`.
  virtual double
  lowerBound(const CostContext &context, Effort effort,
             double enough = std::numeric_limits<double>::infinity()) const {
    return independentBound(context.graph, context.machine,
                            context.grid.numDevices());
  }

  //===--------------------------------------------------------------------===//
  // Prices
  //===--------------------------------------------------------------------===//

  /// What a plan costs at every vertex.
  virtual std::vector<VertexCost> price(const DecidedPlan &plan) const = 0;
  /// The same for the verifier, by code that shares nothing with price() and
  /// buildProblem().
  virtual std::vector<VertexCost> recount(const DecidedPlan &plan) const = 0;

  /// What any plan costs at least at a vertex that it cuts into as many blocks
  /// as `parts` makes; 0: not known. Vertices with equal labels, projections
  /// and operands' shapes have equal bounds.
  virtual double boundVertex(const model::PlanGraph &graph, unsigned vertex,
                             llvm::ArrayRef<int64_t> parts) const {
    return 0;
  }
};

/// The model that is used where none is named.
inline constexpr llvm::StringLiteral defaultCostModel("paper");

/// Adds a model, which must live on, under its name. Fails, and nothing
/// changes, where another one has the name; adding one again is no fault.
llvm::Error registerCostModel(const CostModel &model);

/// All registered models in the order of their registration.
llvm::ArrayRef<const CostModel *> costModels();

/// Their names.
std::vector<std::string> costModelNames();

/// The model of this name; the error lists the names there are.
llvm::Expected<const CostModel *> costModelNamed(llvm::StringRef name);

/// A number of whole things: whole, or with two digits of a fraction.
std::string countText(double count);

} // namespace tapestry::cost

#endif // TAPESTRY_PLANNER_COST_COSTMODEL_H
