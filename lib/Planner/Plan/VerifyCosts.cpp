//===- VerifyCosts.cpp - Whether a plan's costs are right -----------------===//

#include "VerifyCosts.h"
#include "VerifyMoves.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace tapestry;

namespace {
/// What one read or write of a tensor looks like per dimension.
struct Piece {
  double length;
  double count;
};
} // namespace

/// The first shard is the largest: measure what it touches.
static std::vector<Piece> piecesOf(const Projection &projection,
                                   const PlanVertex &vertex,
                                   llvm::ArrayRef<int64_t> parts,
                                   llvm::ArrayRef<int64_t> shape) {
  ZBox shard;
  for (unsigned l = 0; l < parts.size(); ++l)
    shard.push_back(blockRange(vertex.labels[l].extent, parts[l], 0));
  ZBox touched = projection.image(shard);
  std::vector<Piece> pieces;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    double count = 1;
    for (const AffineTerm &term : projection.dims[dim].terms)
      count *= parts[term.dim];
    pieces.push_back(
        {double(std::min(touched[dim].size(), shape[dim])), count});
  }
  return pieces;
}

static double sizeOf(llvm::ArrayRef<Piece> pieces) {
  double size = 1;
  for (const Piece &piece : pieces)
    size *= piece.length;
  return size;
}

/// Section 7's example, step by step: every consumer part is assembled from
/// pieces; each piece but the first brings a producer part here and sends the
/// growing consumer part on; where a producer part is not used whole, the first
/// piece has to be fetched as well.
static double moveCost(llvm::ArrayRef<Piece> made, llvm::ArrayRef<Piece> used) {
  bool isSame = true;
  double piece = 1, consumers = 1;
  for (unsigned dim = 0; dim < made.size(); ++dim) {
    isSame = isSame && made[dim].length == used[dim].length &&
             made[dim].count == used[dim].count;
    piece *= std::min(made[dim].length, used[dim].length);
    consumers *= used[dim].count;
  }
  if (isSame)
    return 0;
  double perConsumer =
      (sizeOf(used) / piece - 1) * (sizeOf(made) + sizeOf(used));
  if (sizeOf(made) > piece)
    perConsumer += sizeOf(made);
  return consumers * perConsumer;
}

static llvm::Error compareCost(llvm::StringRef place, llvm::StringRef what,
                               double stated, double counted) {
  if (std::abs(stated - counted) <= 1e-9 * std::abs(counted))
    return llvm::Error::success();
  return planError(place, what, " is given as ", llvm::format("%.17g", stated),
                   ", counted are ", llvm::format("%.17g", counted));
}

static std::vector<VertexCost> countPaper(const PlanGraph &graph,
                                          const Plan &plan) {
  std::vector<VertexCost> costs;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    const PartVector &parts = plan.vertices[v].parts;
    double join = 0, repartition = 0, calls = 1, combined = 1;
    for (unsigned l = 0; l < parts.size(); ++l) {
      calls *= parts[l];
      if (vertex.labels[l].reduced)
        combined *= parts[l];
    }
    for (const PlanOperand &operand : vertex.operands) {
      const PlanVertex &producer = graph.vertices[operand.producer];
      std::vector<Piece> read =
          piecesOf(operand.projection, vertex, parts, producer.shape);
      join += calls * sizeOf(read);
      if (!producer.storedFor)
        repartition += moveCost(piecesOf(producer.output, producer,
                                         plan.vertices[operand.producer].parts,
                                         producer.shape),
                                read);
    }
    double aggregate =
        (calls - calls / combined) *
        sizeOf(piecesOf(vertex.output, vertex, parts, vertex.shape));
    costs.push_back({join, aggregate, repartition});
  }
  return costs;
}

//===----------------------------------------------------------------------===//
// The cost model spmd
//===----------------------------------------------------------------------===//

/// The largest box that a device touches through a projection, of all devices
/// with whole blocks.
static double touchedElements(const Projection &projection,
                              const PlanVertex &vertex,
                              llvm::ArrayRef<int64_t> parts,
                              llvm::ArrayRef<int64_t> shape) {
  return sizeOf(piecesOf(projection, vertex, parts, shape));
}

/// The roofline of the first device, whose block is the largest.
static double countWork(const PlanGraph &graph, const Plan &plan, unsigned v) {
  const PlanVertex &vertex = graph.vertices[v];
  const PartVector &parts = plan.vertices[v].parts;
  double points = 1, all = 1, combined = 1;
  for (unsigned l = 0; l < parts.size(); ++l) {
    points *= blockRange(vertex.labels[l].extent, parts[l], 0).size();
    all *= vertex.labels[l].extent;
    if (vertex.labels[l].reduced)
      combined *= parts[l];
  }
  int64_t resultBytes = combined > 1 && vertex.accumulatorBytes > 0
                            ? vertex.accumulatorBytes
                            : vertex.elementBytes;
  double bytes =
      touchedElements(vertex.output, vertex, parts, vertex.shape) * resultBytes;
  for (const PlanOperand &operand : vertex.operands) {
    const PlanVertex &producer = graph.vertices[operand.producer];
    bytes +=
        touchedElements(operand.projection, vertex, parts, producer.shape) *
        producer.elementBytes;
  }
  return plan.machine.vertexLatency +
         std::max(vertex.flops * points / all /
                      plan.machine.flopsOf(vertex.elementBytes),
                  bytes / plan.machine.memoryBandwidth);
}

/// One step of a move.
static double secondsOfMove(const Plan &plan, const Layout &from,
                            const Layout &to, int64_t elementBytes) {
  const DeviceGrid &grid = plan.grid;
  const Machine &machine = plan.machine;
  if (from == to)
    return 0;
  double latency = 0, bandwidth = std::numeric_limits<double>::infinity();
  Collective moved = countMove(grid, from, to);
  for (unsigned axis : moved.axes) {
    Link link = machine.linkOf(grid.axes[axis].name);
    latency = std::max(latency, link.latency);
    bandwidth = std::min(bandwidth, link.bandwidth);
  }
  double held = moved.combined, received = moved.mostReceived;
  double group = moved.groupSize;
  if (from.partial.empty()) {
    if (moved.elements > 0)
      return (group - 1) * latency + received * elementBytes / bandwidth;
    return 2 * received * elementBytes / machine.memoryBandwidth;
  }
  double ring = (group - 1) *
                (latency + std::ceil(held / group) * elementBytes / bandwidth);
  if (moved.kind == CollectiveKind::ReduceScatter)
    return ring;
  double levels = std::ceil(std::log2(group));
  double small = std::min<double>(held * elementBytes, smallAllReduceBytes);
  double tree = 2 * levels * (latency + small / bandwidth);
  return held * elementBytes <= smallAllReduceBytes ? tree
                                                    : std::max(2 * ring, tree);
}

static std::vector<VertexCost> countSpmd(const PlanGraph &graph,
                                         const Plan &plan) {
  std::vector<VertexCost> costs(graph.vertices.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    if (vertex.isInput)
      continue;
    auto count = [&](const PlanVertex &tensor, llvm::ArrayRef<Layout> steps) {
      double seconds = 0;
      for (unsigned s = 1; s < steps.size(); ++s)
        seconds += secondsOfMove(
            plan, steps[s - 1], steps[s],
            tensor.bytesPerElement(!steps[s - 1].partial.empty()));
      return seconds;
    };
    costs[v].join = countWork(graph, plan, v);
    costs[v].aggregate = count(vertex, layoutsOfResult(graph, plan, v));
    for (unsigned o = 0; o < vertex.operands.size(); ++o)
      costs[v].repartition += count(graph.vertices[vertex.operands[o].producer],
                                    layoutsOfRead(graph, plan, {v, o}));
  }
  return costs;
}

llvm::Error tapestry::verifyCosts(const PlanGraph &graph, const Plan &plan) {
  bool isSpmd = plan.costModel == "spmd";
  std::vector<VertexCost> counted =
      isSpmd ? countSpmd(graph, plan) : countPaper(graph, plan);
  double total = 0;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    std::string place = "vertex '" + graph.vertices[v].name + "': ";
    const VertexCost &stated = plan.vertices[v].cost;
    for (auto [what, member] :
         {std::pair("join", &VertexCost::join),
          std::pair("aggregate", &VertexCost::aggregate),
          std::pair("repartition", &VertexCost::repartition)})
      if (llvm::Error error =
              compareCost(place, what, stated.*member, counted[v].*member))
        return error;
    total += counted[v].total();
  }
  if (llvm::Error error = compareCost("the plan's ", "cost", plan.cost, total))
    return error;
  if (plan.lowerBound > plan.cost)
    return planError("the plan's lower bound ",
                     llvm::format("%.17g", plan.lowerBound),
                     " exceeds its cost ", llvm::format("%.17g", plan.cost));
  if (plan.provedOptimal && plan.lowerBound != plan.cost)
    return planError(
        "the plan is called optimal at cost ", llvm::format("%.17g", plan.cost),
        " with a lower bound of ", llvm::format("%.17g", plan.lowerBound));
  return llvm::Error::success();
}
