//===- PaperCost.cpp - The EinDecomp paper's cost, in elements ------------===//

#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::elements;
using namespace tapestry::model;

/// The number of kernel calls: the product over the distinct labels.
static double callsOf(llvm::ArrayRef<int64_t> parts) {
  double calls = 1;
  for (int64_t part : parts)
    calls *= part;
  return calls;
}

double cost::elements::joinCost(const PlanGraph &graph,
                                const PlanVertex &vertex,
                                llvm::ArrayRef<int64_t> parts) {
  double perCall = 0;
  for (const PlanOperand &operand : vertex.operands)
    perCall += partElements(
        projectedParts(operand.projection, vertex.extents(), parts,
                       graph.vertices[operand.producer].shape, operand.guard));
  return double(vertex.trips) * callsOf(parts) * perCall;
}

double cost::elements::aggregateCost(const PlanVertex &vertex,
                                     llvm::ArrayRef<int64_t> parts) {
  double combined = 1;
  for (auto [label, part] : llvm::zip_equal(vertex.labels, parts))
    if (label.reduced)
      combined *= part;
  double perPart = partElements(
      projectedParts(vertex.output, vertex.extents(), parts, vertex.shape));
  // Every block gets the totals of all others along a scanned label.
  double totals = 0;
  if (std::optional<unsigned> scanned = vertex.scannedLabel();
      scanned && !vertex.cutAs) {
    totals = callsOf(parts) * (parts[*scanned] - 1);
    for (unsigned l = 0; l < parts.size(); ++l) {
      int64_t block = ceilDiv(vertex.labels[l].extent, parts[l]);
      totals *= l == *scanned ? std::min(block, vertex.totalCount) : block;
    }
  }
  return double(vertex.trips) *
         (callsOf(parts) / combined * (combined - 1) * perPart + totals);
}

double cost::elements::repartitionCost(llvm::ArrayRef<PartDim> producer,
                                       llvm::ArrayRef<PartDim> consumer) {
  assert(producer.size() == consumer.size() && "parts of different tensors");
  if (producer == consumer)
    return 0;
  double produced = partElements(producer);
  double consumed = 1, shared = 1;
  for (auto [from, to] : llvm::zip_equal(producer, consumer)) {
    shared *= std::min(from.size, to.size);
    consumed *= to.size + (from.count > 1 ? to.beside : 0);
  }
  double count = partCount(consumer);
  double cost = (consumed / shared - 1) * count * (consumed + produced);
  if (produced != shared)
    cost += produced * count;
  return cost;
}

double cost::elements::borderCost(const PlanVertex &vertex,
                                  llvm::ArrayRef<int64_t> parts) {
  const ShardingConstraints &asked = vertex.constraints;
  if (!asked.entersAt && asked.leavesAt.empty())
    return 0;
  TensorParts kept =
      projectedParts(vertex.output, vertex.extents(), parts, vertex.shape);
  TensorParts whole =
      projectedParts(vertex.output, vertex.extents(),
                     PartVector(vertex.labels.size(), 1), vertex.shape);
  return (asked.entersAt ? repartitionCost(whole, kept) : 0) +
         double(asked.leavesAt.size()) * repartitionCost(kept, whole);
}

std::vector<VertexCost>
cost::elements::paperCosts(const PlanGraph &graph,
                           llvm::ArrayRef<PartVector> parts) {
  std::vector<VertexCost> costs(graph.vertices.size(), VertexCost(3));
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    costs[v][PaperJoin] = joinCost(graph, vertex, parts[v]);
    costs[v][PaperAggregate] = aggregateCost(vertex, parts[v]);
    costs[v][PaperRepartition] = borderCost(vertex, parts[v]);
    for (const PlanOperand &operand : vertex.operands) {
      const PlanVertex &producer = graph.vertices[operand.producer];
      if (producer.storedFor)
        continue;
      costs[v][PaperRepartition] +=
          operand.trips *
          repartitionCost(
              projectedParts(producer.output, producer.extents(),
                             parts[operand.producer], producer.shape),
              projectedParts(operand.projection, vertex.extents(), parts[v],
                             producer.shape, operand.guard));
    }
  }
  return costs;
}
