//===- PaperRecount.cpp - The paper's cost, counted by the verifier -------===//

#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Cost/Recount.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::elements;
using namespace tapestry::model;

/// Section 7's example, step by step: every consumer part is assembled from
/// pieces; each piece but the first brings a producer part here and sends the
/// growing consumer part on; where a producer part is not used whole, the first
/// piece has to be fetched as well. What a part is beside of counts as if it
/// were assembled, too.
static double moveCost(llvm::ArrayRef<Piece> made, llvm::ArrayRef<Piece> used) {
  bool isSame = true;
  double piece = 1, consumers = 1, assembled = 1;
  for (unsigned dim = 0; dim < made.size(); ++dim) {
    double beside = made[dim].count > 1 ? used[dim].beside : 0;
    isSame = isSame && made[dim].length == used[dim].length &&
             made[dim].count == used[dim].count && beside == 0;
    piece *= std::min(made[dim].length, used[dim].length);
    consumers *= used[dim].count;
    assembled *= used[dim].length + beside;
  }
  if (isSame)
    return 0;
  double perConsumer = (assembled / piece - 1) * (sizeOf(made) + assembled);
  if (sizeOf(made) > piece)
    perConsumer += sizeOf(made);
  return consumers * perConsumer;
}

std::vector<VertexCost> cost::elements::recountPaper(const DecidedPlan &plan) {
  const PlanGraph &graph = plan.context.graph;
  std::vector<VertexCost> costs;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    const PartVector &parts = plan.parts[v];
    double join = 0, repartition = 0, calls = 1, combined = 1;
    for (unsigned l = 0; l < parts.size(); ++l) {
      calls *= parts[l];
      if (vertex.labels[l].reduced)
        combined *= parts[l];
    }
    for (const PlanOperand &operand : vertex.operands) {
      const PlanVertex &producer = graph.vertices[operand.producer];
      std::vector<Piece> read = piecesOf(operand.projection, vertex, parts,
                                         producer.shape, operand.guard);
      join += calls * sizeOf(read);
      if (!producer.storedFor)
        repartition +=
            operand.trips *
            moveCost(piecesOf(producer.output, producer,
                              plan.parts[operand.producer], producer.shape),
                     read);
    }
    std::vector<Piece> made =
        piecesOf(vertex.output, vertex, parts, vertex.shape);
    std::vector<Piece> whole;
    for (const Piece &piece : made) {
      int64_t extent = vertex.shape[whole.size()];
      whole.push_back(piece);
      whole.back().length = extent;
      whole.back().count = 1;
    }
    if (vertex.constraints.entersAt)
      repartition += moveCost(whole, made);
    for (size_t n = vertex.constraints.leavesAt.size(); n > 0; --n)
      repartition += moveCost(made, whole);
    double aggregate =
        (calls - calls / combined) *
        sizeOf(piecesOf(vertex.output, vertex, parts, vertex.shape));
    for (unsigned l = 0; l < parts.size() && !vertex.cutAs; ++l)
      if (vertex.labels[l].scanned) {
        double given = 1;
        for (unsigned o = 0; o < parts.size(); ++o) {
          int64_t points =
              blockRange(vertex.labels[o].extent, parts[o], 0).size();
          given *= o == l ? std::min(points, vertex.totalCount) : points;
        }
        aggregate += calls * (parts[l] - 1) * given;
      }
    VertexCost &cost = costs.emplace_back(3);
    cost[PaperJoin] = vertex.trips * join;
    cost[PaperAggregate] = vertex.trips * aggregate;
    cost[PaperRepartition] = repartition;
  }
  return costs;
}
