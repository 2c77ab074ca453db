//===- PaperCost.h - The EinDecomp paper's cost, in elements ----*- C++ -*-===//
//
// Sections 6 and 7 of the paper, extended to uneven extents (parts are rounded
// up) and to windows (a part is the image of a label block, halo included).
// Every figure is a number of elements that move in the worst case.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_COST_ELEMENTS_PAPERCOST_H
#define TAPESTRY_PLANNER_COST_ELEMENTS_PAPERCOST_H

#include "tapestry/Planner/Cost/CostModel.h"
#include "tapestry/Planner/Model/TensorParts.h"

namespace tapestry::cost::elements {

/// p * sum over the operands of one part's elements (section 7, "transferring
/// into the join"); 0 for an input. This and the next are of all passes of the
/// loops around the vertex.
double joinCost(const model::PlanGraph &graph, const model::PlanVertex &vertex,
                llvm::ArrayRef<int64_t> parts);

/// p / n_agg * (n_agg - 1) * n_Z (section 7, "transferring into the
/// aggregation"); 0 when no reduced label is cut; and the totals that blocks
/// along a scanned label get of the others.
double aggregateCost(const model::PlanVertex &vertex,
                     llvm::ArrayRef<int64_t> parts);

/// (n_c / n_int - 1) * k_x * (n_c + n_p), plus n_p * k_x when n_p != n_int
/// (section 7, "re-partitioning across operations"); 0 when the parts are
/// equal. The paper's parts begin where their producers' do; of one that is
/// read beside that, n_c counts what it is beside of as well.
double repartitionCost(llvm::ArrayRef<model::PartDim> producer,
                       llvm::ArrayRef<model::PartDim> consumer);

/// Repartitions of a tensor that enters the program whole on one device, and
/// into one that leaves so.
double borderCost(const model::PlanVertex &vertex,
                  llvm::ArrayRef<int64_t> parts);

/// The components of a vertex' cost.
enum PaperComponent : unsigned {
  PaperJoin,
  PaperAggregate,
  /// Repartitions of the operands into the form that the vertex reads, and of
  /// the tensor itself at the program's border.
  PaperRepartition,
};

/// The costs of every vertex when vertex v is cut by parts[v].
std::vector<VertexCost> paperCosts(const model::PlanGraph &graph,
                                   llvm::ArrayRef<PartVector> parts);

/// The same for the verifier, with code of its own.
std::vector<VertexCost> recountPaper(const DecidedPlan &plan);

/// What joins and aggregates cost at least at a vertex that is cut into as many
/// blocks as `parts` makes; 0 for an input.
double paperVertexBound(const model::PlanGraph &graph,
                        const model::PlanVertex &vertex,
                        llvm::ArrayRef<int64_t> parts);

/// The cost model `paper`.
const CostModel &elementsModel();

} // namespace tapestry::cost::elements

#endif // TAPESTRY_PLANNER_COST_ELEMENTS_PAPERCOST_H
