//===- PlanGraphs.cpp - Between graphs in IR and the planner --------------===//

#include "tapestry/Analysis/PlanGraphs.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Interfaces/Fetches.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "tapestry/Interfaces/GraphNodeInterface.h"
#include "tapestry/Interfaces/Place.h"
#include "tapestry/Interfaces/ScanInterface.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;

namespace {

/// Collects the vertices of a graph, those of its loops among them.
class VertexCollector {
public:
  LogicalResult add(Block &block);
  GraphVertices take() { return std::move(result); }

private:
  LogicalResult add(BlockOpInterface op);
  LogicalResult add(GraphLoopInterface loop);
  void keepTogether(unsigned first, unsigned second);
  LogicalResult addOperands(BlockOpInterface op, PlanVertex &vertex);
  void addResult(BlockOpInterface op, unsigned number, PlanVertex vertex);
  void addPin(GraphNodeInterface node);

  GraphVertices result;
  llvm::DenseMap<Value, unsigned> producers;
  /// How often each block is run.
  llvm::DenseMap<Block *, int64_t> trips;
};

} // namespace

LogicalResult VertexCollector::addOperands(BlockOpInterface op,
                                           PlanVertex &vertex) {
  SmallVector<Value> operands = op.getTensorOperands();
  auto &numbers = result.operandNumbers.emplace_back();
  auto reads = op.getReads();
  for (auto [read, access] : llvm::zip_equal(reads, fetchesOf(op))) {
    unsigned number = read.first;
    auto producer = producers.find(operands[number]);
    if (producer == producers.end())
      return op.emitError("operand ")
             << number << " of '" << op.getVertexName()
             << "' is not the result of a block operator";
    PlanOperand use;
    use.producer = producer->second;
    use.projection = access.projection;
    use.padded = access.fallback != AccessFallback::None;
    use.guard = access.guard;
    use.kind = access.kind;
    // What is of a block around a loop is there before its first pass.
    use.trips = trips.lookup(operands[number].getParentBlock());
    auto *known = llvm::find_if(vertex.operands, [&](const PlanOperand &other) {
      return other.readsAs(use);
    });
    numbers.push_back(known - vertex.operands.begin());
    if (known == vertex.operands.end())
      vertex.operands.push_back(use);
  }
  return success();
}

static bool isNamed(const Projection &projection, unsigned label) {
  return llvm::any_of(projection.dims, [&](const ProjectionDim &dim) {
    return llvm::any_of(
        dim.terms, [&](const AffineTerm &term) { return term.dim == label; });
  });
}

/// Labels that index no result and are not reduced write regions of it, which
/// no cut into blocks describes: they are kept whole.
static void pinRegionLabels(BlockOpInterface op, PlanVertex &vertex) {
  ShardingConstraint whole;
  std::vector<Projection> results = op.getResultProjections();
  auto scan = dyn_cast<ScanInterface>(*op);
  for (auto [number, kind] : llvm::enumerate(op.getLabelKinds()))
    if (kind == LabelKind::Parallel &&
        !(scan && scan.getScannedLabel() == number) &&
        llvm::none_of(results, [&, label = number](const Projection &result) {
          return isNamed(result, label);
        })) {
      vertex.labels[number].isRegion = true;
      whole.cuts.push_back({vertex.labels[number].name, 1, {}});
    }
  if (!whole.cuts.empty())
    vertex.constraints.work.push_back(std::move(whole));
}

/// The device that a source or a sink is on.
static DevicePin pinOf(GraphNodeInterface node) {
  bool isSource = node.getNodeKind() == GraphNodeKind::Source;
  return {*node.getNodeDevice(),
          (isSource ? "input '" : "output '") + node.getTensorName().str() +
              "'",
          placeOf(node->getLoc())};
}

/// Adds the vertex of result `number`, of which `vertex` has what is not the
/// result's own.
void VertexCollector::addResult(BlockOpInterface op, unsigned number,
                                PlanVertex vertex) {
  Value value = op->getResult(number);
  auto type = cast<RankedTensorType>(value.getType());
  vertex.name = op.getResultName(number);
  ShardingConstraints asked = op.getConstraints(number);
  llvm::append_range(asked.work, vertex.constraints.work);
  vertex.constraints = std::move(asked);
  vertex.output = op.getResultProjections()[number];
  vertex.isUnread = op->getNumResults() > 1 && value.use_empty();
  for (auto [label, kind] : llvm::enumerate(op.getLabelKinds())) {
    PlanLabel &own = vertex.labels[label];
    own.reduced = !vertex.isUnread && !isNamed(vertex.output, label);
    own.selected = kind == LabelKind::Selected;
  }
  vertex.shape.assign(type.getShape().begin(), type.getShape().end());
  vertex.elementBytes = storedSize(type.getElementType());
  // Partial values are kept and combined in the accumulator's type.
  if (TypedAttr identity = op.getMonoidIdentity(number))
    vertex.accumulatorBytes = storedSize(getElementTypeOrSelf(identity));
  else
    vertex.accumulatorBytes = vertex.elementBytes;
  auto scan = dyn_cast<ScanInterface>(*op);
  if (std::optional<unsigned> scanned =
          scan ? scan.getScannedLabel() : std::nullopt) {
    vertex.labels[*scanned].reduced = false;
    vertex.labels[*scanned].scanned = true;
    vertex.totalCount = scan.getTotalCount();
    vertex.accumulatorBytes = storedSize(scan.getTotalType());
  }
  vertex.isOutput = isHandedOut(value);
  producers[value] = result.graph.vertices.size();
  result.graph.vertices.push_back(std::move(vertex));
  result.ops.push_back(op);
}

LogicalResult VertexCollector::add(BlockOpInterface op) {
  size_t results = op.getResultProjections().size();
  if (results != op->getNumResults() || results == 0)
    return op.emitError("'")
           << op.getVertexName() << "' has "
           << countOf(op->getNumResults(), "result") << " and says of "
           << results << " where they are written";
  // The order of the graph is kept for what is an operand.
  for (Value awaited : op.getAwaited())
    if (!llvm::is_contained(op->getOperands(), awaited))
      return op.emitError("'") << op.getVertexName()
                               << "' awaits a value that is no operand of it: "
                                  "nothing keeps it before";
  PlanVertex vertex;
  vertex.trips = trips.lookup(op->getBlock());
  for (auto [name, extent] :
       llvm::zip_equal(op.getLabelNames(), op.getLabelExtents()))
    vertex.labels.push_back({name, extent, false});
  // Every further result has the labels and the cut of the first.
  PlanVertex companion = vertex;
  companion.cutAs = result.graph.vertices.size();
  if (failed(addOperands(op, vertex)))
    return failure();
  PointWork work = op.getWork();
  vertex.flops = op.getNumPoints() * work.flops;
  vertex.extraBytes = op.getNumPoints() * work.bytes;
  vertex.isInput = isGraphSource(op);
  std::optional<DevicePin> entersAt;
  if (auto source = dyn_cast<GraphNodeInterface>(*op))
    if (source.getNodeDevice())
      entersAt = pinOf(source);
  vertex.isNest = op.getScalarRegion() && results == 1;
  pinRegionLabels(op, vertex);
  addResult(op, 0, std::move(vertex));
  result.graph.vertices.back().constraints.entersAt = std::move(entersAt);
  for (unsigned number = 1; number < results; ++number) {
    result.operandNumbers.emplace_back();
    addResult(op, number, companion);
  }
  return success();
}

/// A dimension that `other` writes whole is not cut in `vertex` either.
static void keepWhole(PlanVertex &vertex, const PlanVertex &other) {
  ShardingConstraint whole;
  for (auto [own, dim] : llvm::zip_equal(vertex.output.dims, other.output.dims))
    if (dim.terms.empty() && !own.terms.empty())
      whole.cuts.push_back({vertex.labels[own.terms.front().dim].name, 1, {}});
  if (!whole.cuts.empty())
    vertex.constraints.work.push_back(std::move(whole));
}

/// Two tensors that take turns in the same memory are kept in one layout.
void VertexCollector::keepTogether(unsigned first, unsigned second) {
  std::vector<PlanVertex> &vertices = result.graph.vertices;
  keepWhole(vertices[first], vertices[second]);
  keepWhole(vertices[second], vertices[first]);
  ShardingConstraints &one = vertices[first].constraints;
  ShardingConstraints &other = vertices[second].constraints;
  // Both are in the group that either was put into.
  std::string group = one.layoutGroup;
  if (group.empty())
    group = other.layoutGroup;
  if (group.empty())
    group = "carried " + vertices[second].name;
  std::string merged = other.layoutGroup;
  one.layoutGroup = other.layoutGroup = group;
  for (PlanVertex &vertex : vertices)
    if (!merged.empty() && vertex.constraints.layoutGroup == merged)
      vertex.constraints.layoutGroup = group;
}

/// The body's vertices stand for all passes. What is carried is read in the
/// body where the first value lies, which is where the next ones lie, too.
LogicalResult VertexCollector::add(GraphLoopInterface loop) {
  Block &body = loop.getLoopBody();
  std::optional<int64_t> passes =
      llvm::checkedMul(trips.lookup(loop->getBlock()), loop.getMostPasses());
  if (!passes)
    return loop.emitError("'")
           << loop.getLoopName() << "' and the loops around it have more than "
           << std::numeric_limits<int64_t>::max() << " passes";
  trips[&body] = *passes;
  for (auto [argument, init] :
       llvm::zip_equal(body.getArguments(), loop->getOperands()))
    producers[argument] = producers.lookup(init);
  if (failed(add(body)))
    return failure();
  for (auto [result, init, next] : llvm::zip_equal(
           loop->getResults(), loop->getOperands(), loop.getNexts())) {
    producers[result] = producers.lookup(next);
    keepTogether(producers.lookup(init), producers.lookup(next));
  }
  return success();
}

/// A tensor that leaves the program on one device is brought there.
void VertexCollector::addPin(GraphNodeInterface node) {
  std::optional<int64_t> device = node.getNodeDevice();
  if (!device || node.getNodeKind() != GraphNodeKind::Sink)
    return;
  PlanVertex &vertex =
      result.graph.vertices[producers.lookup(node.getNodeTensor())];
  vertex.constraints.leavesAt.push_back(pinOf(node));
}

LogicalResult VertexCollector::add(Block &block) {
  trips.try_emplace(&block, 1);
  for (Operation &op : block) {
    if (auto vertex = dyn_cast<BlockOpInterface>(op);
        vertex && !isGraphSink(&op)) {
      if (failed(add(vertex)))
        return failure();
    } else if (auto loop = dyn_cast<GraphLoopInterface>(op)) {
      if (failed(add(loop)))
        return failure();
    } else if (auto node = dyn_cast<GraphNodeInterface>(op)) {
      addPin(node);
    } else if (!op.hasTrait<OpTrait::IsTerminator>() &&
               !isOpTriviallyDead(&op)) {
      op.emitError("'") << op.getName()
                        << "' has no index space that a plan could cut";
      return failure();
    }
  }
  return success();
}

FailureOr<GraphVertices> tapestry::buildPlanGraph(Block &block) {
  VertexCollector collector;
  if (failed(collector.add(block)))
    return failure();
  GraphVertices vertices = collector.take();
  vertices.graph.resolveStorage();
  if (llvm::Error error = vertices.graph.validate()) {
    emitError(block.getParentOp()->getLoc())
        << llvm::toString(std::move(error));
    return failure();
  }
  return vertices;
}

llvm::Error tapestry::checkDevicePins(Block &block, int64_t devices) {
  for (GraphNodeKind kind : {GraphNodeKind::Source, GraphNodeKind::Sink})
    for (GraphNodeInterface node : graphNodes(block, kind))
      if (node.getNodeDevice())
        if (llvm::Error error = checkDevicePin(pinOf(node), devices))
          return error;
  return llvm::Error::success();
}

void tapestry::applyPlacement(const GraphVertices &vertices,
                              const DeviceGrid &grid,
                              const Placement &placement) {
  for (unsigned v = 0; v < vertices.ops.size(); ++v) {
    if (vertices.graph.vertices[v].cutAs)
      continue; // Its lead's op has been told.
    BlockOpInterface op = vertices.ops[v];
    const VertexPlacement &place = placement.vertices[v];
    if (place.partition)
      op.setPartitionOn(grid, *place.partition);
    SmallVector<Route> homeRoutes;
    for (unsigned result = 0; result < op->getNumResults(); ++result) {
      op.setHomeLayout(result, grid, placement.vertices[v + result].home);
      homeRoutes.push_back(placement.vertices[v + result].homeRoute);
    }
    const auto &operands = vertices.operandNumbers[v];
    SmallVector<Route> routes(operands.size());
    if (!place.operandRoutes.empty())
      for (auto [route, operand] : llvm::zip_equal(routes, operands))
        route = place.operandRoutes[operand];
    op.setRoutes(grid, homeRoutes, routes);
  }
}
