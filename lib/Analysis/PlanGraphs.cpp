//===- PlanGraphs.cpp - Between graphs in IR and the planner --------------===//

#include "tapestry/Analysis/PlanGraphs.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tapestry/Interfaces/GraphNodeInterface.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tapestry;

/// Bytes of a stored element; booleans take one.
static int64_t elementBytes(Type elementType) {
  return (elementType.getIntOrFloatBitWidth() + 7) / 8;
}

namespace {

/// Collects the vertices of one block.
class VertexCollector {
public:
  LogicalResult add(BlockOpInterface op);
  GraphVertices take() { return std::move(result); }

private:
  LogicalResult addOperands(BlockOpInterface op, PlanVertex &vertex);

  GraphVertices result;
  llvm::DenseMap<Value, unsigned> producers;
};

} // namespace

LogicalResult VertexCollector::addOperands(BlockOpInterface op,
                                           PlanVertex &vertex) {
  SmallVector<Value> operands = op.getTensorOperands();
  auto projections = op.getOperandProjections();
  auto &numbers = result.operandNumbers.emplace_back();
  for (auto [number, operand] : llvm::enumerate(operands)) {
    auto producer = producers.find(operand);
    if (producer == producers.end())
      return op.emitError("operand ")
             << number << " of '" << op.getVertexName()
             << "' is not the result of a block operator";
    PlanOperand use;
    use.producer = producer->second;
    use.projection = projections[number];
    use.padded = op.isOperandPadded(number);
    auto *known = llvm::find_if(vertex.operands, [&](const PlanOperand &other) {
      return other.producer == use.producer &&
             other.projection == use.projection;
    });
    numbers.push_back(known - vertex.operands.begin());
    if (known == vertex.operands.end())
      vertex.operands.push_back(use);
  }
  return success();
}

LogicalResult VertexCollector::add(BlockOpInterface op) {
  auto outputs = op.getResultProjections();
  if (outputs.size() != 1 || op->getNumResults() < 1)
    return op.emitError("'") << op.getVertexName() << "' has " << outputs.size()
                             << " results; a vertex has one";
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  PlanVertex vertex;
  vertex.name = op.getVertexName().str();
  SmallVector<std::string> names = op.getLabelNames();
  SmallVector<int64_t> extents = op.getLabelExtents();
  SmallVector<bool> reduced = op.getReducedLabels();
  double points = 1;
  for (auto [name, extent, isReduced] :
       llvm::zip_equal(names, extents, reduced)) {
    vertex.labels.push_back({name, extent, isReduced});
    points *= extent;
  }
  if (failed(addOperands(op, vertex)))
    return failure();
  vertex.output = outputs.front();
  vertex.shape.assign(type.getShape().begin(), type.getShape().end());
  vertex.elementBytes = elementBytes(type.getElementType());
  // Partial values are kept and combined in the accumulator's type.
  if (TypedAttr identity = op.getMonoidIdentity(0))
    vertex.accumulatorBytes = elementBytes(identity.getType());
  else
    vertex.accumulatorBytes = vertex.elementBytes;
  vertex.flops = points * op.getFlopsPerPoint();
  vertex.isInput = isGraphSource(op);
  vertex.isOutput =
      llvm::any_of(op->getResult(0).getUsers(), [](Operation *user) {
        return !isa<BlockOpInterface>(user);
      });
  vertex.constraints = op.getConstraints();
  producers[op->getResult(0)] = result.graph.vertices.size();
  result.graph.vertices.push_back(std::move(vertex));
  result.ops.push_back(op);
  return success();
}

FailureOr<GraphVertices> tapestry::buildPlanGraph(Block &block) {
  VertexCollector collector;
  for (Operation &op : block)
    if (auto vertex = dyn_cast<BlockOpInterface>(op))
      if (failed(collector.add(vertex)))
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

void tapestry::applyPlacement(const GraphVertices &vertices,
                              const DeviceGrid &grid,
                              const Placement &placement) {
  for (auto [op, operands, place] : llvm::zip_equal(
           vertices.ops, vertices.operandNumbers, placement.vertices)) {
    BlockOpInterface vertex = op;
    if (place.partition)
      vertex.setPartitionOn(grid, *place.partition);
    vertex.setHomeLayout(grid, place.home);
    SmallVector<Route> routes(operands.size());
    if (!place.operandRoutes.empty())
      for (auto [route, operand] : llvm::zip_equal(routes, operands))
        route = place.operandRoutes[operand];
    vertex.setRoutes(grid, place.homeRoute, routes);
  }
}
