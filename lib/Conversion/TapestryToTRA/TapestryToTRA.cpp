//===- TapestryToTRA.cpp - From planned graphs to relations ---------------===//
//
// Walks a planned graph in order. Every tensor becomes the relation that lies
// in its home layout; every operator a join or a block, with the aggregates and
// the repartitions that its partition calls for. The body of a loop becomes a
// function of its own, which is given what it reads from outside as it reads
// it.
//
//===----------------------------------------------------------------------===//

#include "VertexEmitter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Conversion/Passes.h"
#include "tapestry/Dialect/TRA/IR/TRALoop.h"
#include "tapestry/Dialect/TRA/IR/TRAPoint.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Dialect/Tapestry/IR/Unsigned.h"
#include "tapestry/Interfaces/Fetches.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "tapestry/Interfaces/GraphNodeInterface.h"
#include "tapestry/Support/Resharding.h"

namespace tapestry {
#define GEN_PASS_DEF_CONVERTTAPESTRYTOTRA
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

namespace {

/// Lowers one graph into a new function.
class GraphLowering {
public:
  explicit GraphLowering(teg::GraphOp graph)
      : graph(graph), b(graph.getContext()), context(graph.getContext()) {}

  FailureOr<func::FuncOp> lower();

  int64_t joins = 0, aggregates = 0, repartitions = 0;

private:
  LogicalResult lowerOp(Operation &op);
  LogicalResult lowerNode(GraphNodeInterface node);
  LogicalResult lowerSource(GraphNodeInterface source);
  LogicalResult lowerSink(GraphNodeInterface sink);
  Value emitPoint(Location loc, ValueRange awaited);
  Value heldBack(Location loc, Value relation, ValueRange awaited);
  LogicalResult lowerVertex(BlockOpInterface op);
  LogicalResult lowerLoop(GraphLoopInterface loop);
  LogicalResult lowerBlock(Block &block);
  void createFunction();
  void finishFunction();
  void enterLoop(GraphLoopInterface loop);
  void finishBody(GraphLoopInterface loop);
  Value addArgument(unsigned level, Value relation);
  Value broughtInto(unsigned level, Value relation);
  unsigned levelOf(Value tensor) const;
  Value homeOf(Value tensor);
  func::FuncOp function() { return levels.back().function; }

  Value fetch(Value tensor, StringAttr reader, const Route &route,
              const Layout &wanted);
  SmallVector<Value> fetchPieces(BlockOpInterface op,
                                 const Partition &partition);
  Value bringHome(BlockOpInterface op, unsigned result, VertexEmitter &emitter,
                  Value relation);
  Value move(Value relation, StringRef vertex, StringAttr reader,
             const Route &route, const Layout &to);
  /// The attributes of the argument or the result that a node becomes. Files of
  /// unsigned integers have another type than the tensor.
  DictionaryAttr describe(GraphNodeInterface node) {
    SmallVector<NamedAttribute> attributes = {
        b.getNamedAttr("comm.name", b.getStringAttr(node.getTensorName()))};
    Type element = getElementTypeOrSelf(node.getNodeTensor().getType());
    if (teg::isUnsigned(node))
      attributes.push_back(b.getNamedAttr(
          "comm.type",
          TypeAttr::get(b.getIntegerType(element.getIntOrFloatBitWidth(),
                                         /*isSigned=*/false))));
    // A source or a sink of another dialect is in the caller's memory.
    if (auto file = node->getAttrOfType<teg::FileAttr>("target"))
      attributes.push_back(
          b.getNamedAttr("comm.file", b.getStringAttr(file.getPath())));
    return b.getDictionaryAttr(attributes);
  }
  Layout onDevice(Value tensor, int64_t device) {
    return Layout::onDevice(
        grid, cast<RankedTensorType>(tensor.getType()).getShape(), device);
  }
  tra::RelationType relationType(Type elementType, const Layout &layout) {
    return tra::RelationType::get(
        elementType, index::LayoutAttr::get(context, gridAttr, layout));
  }

  teg::GraphOp graph;
  OpBuilder b;
  MLIRContext *context;
  index::GridAttr gridAttr;
  DeviceGrid grid;
  /// The function that a block of the graph becomes: the graph's own or a
  /// loop's body.
  struct Level {
    Level(func::FuncOp function, Block &block)
        : function(function), block(&block) {}
    func::FuncOp function;
    Block *block;
    /// Of the level around it: what the function is given after what is
    /// carried; and what that is called inside.
    SmallVector<Value> invariants;
    llvm::DenseMap<Value, Value> arguments;
  };
  /// Those around the current operation, outermost first.
  SmallVector<Level, 2> levels;
  /// Per source, the argument that it is.
  llvm::DenseMap<Operation *, Value> arguments;
  SmallVector<std::pair<DictionaryAttr, Value>> results;
  /// Name and work of every operator.
  SmallVector<Attribute> vertices;
  /// Per graph tensor, its relation in the home layout.
  llvm::DenseMap<Value, Value> homes;
  /// Per point its token.
  llvm::DenseMap<Value, Value> tokens;
};

} // namespace

void GraphLowering::createFunction() {
  SmallVector<Type> inputs;
  auto sources = graphNodes(graph.getBody().front(), GraphNodeKind::Source);
  for (GraphNodeInterface source : sources)
    inputs.push_back(source.getNodeTensor().getType());
  b.setInsertionPoint(graph);
  auto function = func::FuncOp::create(b, graph.getLoc(), graph.getSymName(),
                                       b.getFunctionType(inputs, {}));
  function->setDiscardableAttr(deviceAttrName, b.getUnitAttr());
  function->setDiscardableAttr("comm.grid", gridAttr);
  if (Attribute unread = graph->getAttr(teg::unreadInputsAttrName))
    function->setDiscardableAttr("comm.unread_inputs", unread);
  Block *body = function.addEntryBlock();
  // All at once: setting one copies the list.
  SmallVector<DictionaryAttr> names;
  for (auto [number, source] : llvm::enumerate(sources)) {
    names.push_back(describe(source));
    arguments[source] = body->getArgument(number);
  }
  function.setAllArgAttrs(names);
  b.setInsertionPointToStart(body);
  levels.emplace_back(function, graph.getBody().front());
}

LogicalResult GraphLowering::lowerSource(GraphNodeInterface source) {
  auto home = cast<BlockOpInterface>(*source).getHomeLayout(/*result=*/0);
  if (!home)
    return source.emitError("'")
           << source.getTensorName()
           << "' has no home layout: plan the graph first";
  Value tensor = source.getNodeTensor();
  Type elementType = cast<RankedTensorType>(tensor.getType()).getElementType();
  std::optional<int64_t> device = source.getNodeDevice();
  Layout given = device ? onDevice(tensor, *device) : home->second;
  Value relation = tra::FromTensorOp::create(b, source.getLoc(),
                                             relationType(elementType, given),
                                             arguments.lookup(source));
  // Who gives it does so after the points.
  if (!source.getAwaitedValues().empty())
    relation = tra::TakeInOp::create(
        b, source.getLoc(), relation.getType(), relation,
        llvm::map_to_vector(source.getAwaitedValues(),
                            [&](Value point) { return tokens.lookup(point); }));
  homes[tensor] =
      move(relation, source.getTensorName(), StringAttr(), {}, home->second);
  return success();
}

/// Repartitions `relation` over the layouts of `route` to `to`, for `reader`
/// where that is given.
Value GraphLowering::move(Value relation, StringRef vertex, StringAttr reader,
                          const Route &route, const Layout &to) {
  auto step = [&](const Layout &layout) {
    auto type = cast<tra::RelationType>(relation.getType());
    tra::RelationType wanted = relationType(type.getElementType(), layout);
    if (type == wanted)
      return;
    relation =
        tra::RepartitionOp::create(b, relation.getLoc(), wanted,
                                   b.getStringAttr(vertex), reader, relation);
    ++repartitions;
  };
  for (const Layout &layout : route)
    step(layout);
  step(to);
  return relation;
}

unsigned GraphLowering::levelOf(Value tensor) const {
  unsigned level = 0;
  while (levels[level].block != tensor.getParentBlock())
    ++level;
  return level;
}

/// What a tensor's home is called where the current operation stands.
Value GraphLowering::homeOf(Value tensor) {
  Value relation = homes.lookup(tensor);
  for (unsigned level = levelOf(tensor) + 1; level < levels.size(); ++level)
    relation = broughtInto(level, relation);
  return relation;
}

/// What an op fetches of an operand, for `reader`: every reader does for
/// itself, just before it runs, or before the loops start that do not make it.
Value GraphLowering::fetch(Value tensor, StringAttr reader, const Route &route,
                           const Layout &wanted) {
  OpResult result = producerOf(tensor);
  auto producer = cast<BlockOpInterface>(result.getOwner());
  unsigned home = levelOf(tensor);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&levels[home].function.front());
  Value relation = move(homes.lookup(tensor),
                        producer.getResultName(result.getResultNumber()),
                        reader, route, wanted);
  for (unsigned level = home + 1; level < levels.size(); ++level)
    relation = broughtInto(level, relation);
  return relation;
}

/// The pieces of an op's operands where it reads them. What several are fetched
/// by is fetched once.
SmallVector<Value> GraphLowering::fetchPieces(BlockOpInterface op,
                                              const Partition &partition) {
  SmallVector<Value> tensors = op.getTensorOperands();
  auto reads = op.getReads();
  std::vector<Access> fetches = fetchesOf(op);
  SmallVector<Route> routes = op.getOperandRouteLayouts();
  // Not every op has any.
  routes.resize(reads.size());
  SmallVector<Value> fetched, pieces;
  for (auto [number, read] : llvm::enumerate(reads)) {
    Value tensor = tensors[read.first];
    auto layoutOf = [&](const Access &access) {
      return Layout::ofProjection(
          access.projection, op.getLabelExtents(), partition,
          cast<RankedTensorType>(tensor.getType()).getShape(), access.guard);
    };
    unsigned first = 0;
    while (tensors[reads[first].first] != tensor ||
           !fetches[first].readsAs(fetches[number]))
      ++first;
    auto reader = b.getStringAttr(op.getVertexName() + "." + Twine(first));
    fetched.push_back(first < number ? fetched[first]
                                     : fetch(tensor, reader, routes[number],
                                             layoutOf(fetches[number])));
    OpResult result = producerOf(tensor);
    pieces.push_back(move(fetched.back(),
                          cast<BlockOpInterface>(result.getOwner())
                              .getResultName(result.getResultNumber()),
                          reader, {}, layoutOf(read.second)));
  }
  return pieces;
}

/// What an op wrote, combined and rounded, in its home layout: partial values
/// are combined right into the first layout on the way.
Value GraphLowering::bringHome(BlockOpInterface op, unsigned result,
                               VertexEmitter &emitter, Value relation) {
  auto type = cast<tra::RelationType>(relation.getType());
  const Layout &written = type.getLayout().getLayout();
  Layout whole = written;
  whole.partial.clear();
  auto homeAttr = op.getHomeLayout(result);
  Layout home = homeAttr ? homeAttr->second : whole;
  Route route = op.getHomeRouteLayouts(result);
  if (!written.partial.empty()) {
    Layout first = route.empty() ? home : route.front();
    // A layout that the partial values cannot be scattered to is reached in two
    // steps.
    if (first != whole && !canReduceScatter(grid, written, first))
      first = whole;
    relation = emitter.emitAggregate(result, relation, first);
    ++aggregates;
  }
  auto tensor = cast<RankedTensorType>(op->getResult(result).getType());
  if (type.getElementType() != tensor.getElementType())
    relation = emitter.emitRounding(result, relation);
  return move(relation, op.getResultName(result), StringAttr(), route, home);
}

LogicalResult GraphLowering::lowerVertex(BlockOpInterface op) {
  StringRef name = op.getVertexName();
  // 2^63 and more are as many as the runtime can be told.
  double operations = op.getNumPoints() * op.getWork().flops;
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  int64_t flops = operations < static_cast<double>(most)
                      ? static_cast<int64_t>(operations)
                      : most;
  for (unsigned result = 0; result < op->getNumResults(); ++result)
    vertices.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("flops", b.getI64IntegerAttr(result == 0 ? flops : 0)),
         b.getNamedAttr("name", b.getStringAttr(op.getResultName(result)))}));
  FailureOr<std::optional<Partition>> partition = op.getPartitionOn(grid);
  if (failed(partition))
    return failure();
  if (!*partition)
    return op.emitError("'")
           << name << "' has no partition: plan the graph first";
  VertexEmitter emitter(b, gridAttr, op, **partition);
  SmallVector<Value> pieces = fetchPieces(op, **partition);
  for (Value &piece : pieces)
    piece = heldBack(op.getLoc(), piece, op.getAwaited());
  FailureOr<SmallVector<Value>> written = emitter.emitWritten(pieces);
  if (failed(written))
    return failure();
  ++joins;
  for (auto [number, relation] : llvm::enumerate(*written)) {
    auto home = op.getHomeLayout(number);
    if (home && !home->second.isPlain())
      return op.emitError("'")
             << name
             << "' has a home layout whose parts overlap; only a source may";
    homes[op->getResult(number)] = bringHome(op, number, emitter, relation);
  }
  return success();
}

/// The token of what happens after `awaited`, points and tensors.
Value GraphLowering::emitPoint(Location loc, ValueRange awaited) {
  return tra::PointOp::create(b, loc, tra::TokenType::get(context),
                              llvm::map_to_vector(awaited, [&](Value each) {
                                Value token = tokens.lookup(each);
                                return token ? token : homeOf(each);
                              }));
}

/// `relation` as it is there after `awaited`. What the body of a loop awaits
/// from outside has happened before the loop.
Value GraphLowering::heldBack(Location loc, Value relation,
                              ValueRange awaited) {
  SmallVector<Value> after;
  SmallVector<Value> tensors;
  for (Value each : awaited) {
    if (each.getParentBlock() != levels.back().block)
      continue;
    if (Value token = tokens.lookup(each))
      after.push_back(token);
    else
      tensors.push_back(each);
  }
  if (!tensors.empty())
    after.push_back(emitPoint(loc, tensors));
  if (after.empty())
    return relation;
  return tra::AwaitOp::create(b, loc, relation.getType(), relation, after);
}

LogicalResult GraphLowering::lowerSink(GraphNodeInterface sink) {
  Value tensor = sink.getNodeTensor();
  Value relation = homes.lookup(tensor);
  auto type = cast<tra::RelationType>(relation.getType());
  if (!type.getLayout().getLayout().isPlain()) {
    // An input that is kept as windows leaves the program cut by nothing.
    auto source = cast<BlockOpInterface>(tensor.getDefiningOp());
    return sink.emitError("'")
           << sink.getTensorName() << "' is '" << source.getVertexName()
           << "', whose home layout's parts overlap";
  }
  relation = heldBack(sink.getLoc(), relation, sink.getAwaitedValues());
  if (std::optional<int64_t> device = sink.getNodeDevice()) {
    OpResult result = producerOf(tensor);
    relation = move(relation,
                    cast<BlockOpInterface>(result.getOwner())
                        .getResultName(result.getResultNumber()),
                    StringAttr(), {}, onDevice(tensor, *device));
  }
  // Who follows the sink has it handed out here already.
  if (sink->getNumResults() == 1 && !sink->getResult(0).use_empty())
    tokens[sink->getResult(0)] =
        tra::HandOutOp::create(b, sink.getLoc(), tra::TokenType::get(context),
                               b.getI64IntegerAttr(results.size()), relation);
  results.push_back(
      {describe(sink),
       tra::ToTensorOp::create(b, sink.getLoc(), tensor.getType(), relation)});
  return success();
}

LogicalResult GraphLowering::lowerNode(GraphNodeInterface node) {
  switch (node.getNodeKind()) {
  case GraphNodeKind::Source:
    return lowerSource(node);
  case GraphNodeKind::Sink:
    return lowerSink(node);
  case GraphNodeKind::Point:
    tokens[node->getResult(0)] =
        emitPoint(node.getLoc(), node.getAwaitedValues());
    return success();
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// One more argument of a level's function, as a relation in it.
Value GraphLowering::addArgument(unsigned level, Value relation) {
  auto type = cast<tra::RelationType>(relation.getType());
  func::FuncOp function = levels[level].function;
  auto tensor = RankedTensorType::get(type.getShape(), type.getElementType());
  auto described = b.getDictionaryAttr(
      {b.getNamedAttr("comm.layout", type.getLayout()),
       b.getNamedAttr("comm.type", TypeAttr::get(type.getElementType()))});
  unsigned number = function.getNumArguments();
  (void)function.insertArgument(number, tensor, described, function.getLoc());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.front());
  return tra::FromTensorOp::create(b, function.getLoc(), type,
                                   function.getArgument(number));
}

/// What a relation of the level around `level` is called in that.
Value GraphLowering::broughtInto(unsigned level, Value relation) {
  Value &inside = levels[level].arguments[relation];
  if (!inside) {
    levels[level].invariants.push_back(relation);
    inside = addArgument(level, relation);
  }
  return inside;
}

/// Starts the function of the body, which is given what is carried.
void GraphLowering::enterLoop(GraphLoopInterface loop) {
  auto module = graph->getParentOfType<ModuleOp>();
  std::string name = (graph.getSymName() + "." + loop.getLoopName()).str();
  while (module.lookupSymbol(name))
    name += "_";
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(graph);
  auto function =
      func::FuncOp::create(b, loop.getLoc(), name, b.getFunctionType({}, {}));
  function.setPrivate();
  function->setDiscardableAttr(deviceAttrName, b.getUnitAttr());
  function.addEntryBlock();
  levels.emplace_back(function, loop.getLoopBody());
  for (auto [argument, init] :
       llvm::zip_equal(loop.getLoopBody().getArguments(), loop->getOperands()))
    homes[argument] = addArgument(levels.size() - 1, homes.lookup(init));
}

void GraphLowering::finishBody(GraphLoopInterface loop) {
  SmallVector<Value> made(loop.getNexts());
  if (loop.getStop())
    made.push_back(loop.getStop());
  SmallVector<Value> values;
  for (Value tensor : made)
    values.push_back(tra::ToTensorOp::create(b, loop.getLoc(), tensor.getType(),
                                             homes.lookup(tensor)));
  func::ReturnOp::create(b, loop.getLoc(), values);
  func::FuncOp function = levels.back().function;
  function.setFunctionType(b.getFunctionType(function.getArgumentTypes(),
                                             ValueRange(values).getTypes()));
}

LogicalResult GraphLowering::lowerLoop(GraphLoopInterface loop) {
  enterLoop(loop);
  OpBuilder::InsertPoint outside = b.saveInsertionPoint();
  b.setInsertionPointToEnd(&function().front());
  if (failed(lowerBlock(loop.getLoopBody())))
    return failure();
  SmallVector<Value> inits;
  for (auto [init, next] :
       llvm::zip_equal(loop->getOperands(), loop.getNexts())) {
    Value first = homes.lookup(init);
    if (first.getType() != homes.lookup(next).getType())
      return loop.emitError("'")
             << loop.getLoopName() << "' carries '"
             << cast<BlockOpInterface>(next.getDefiningOp()).getVertexName()
             << "' in another layout than it starts with: plan the graph";
    inits.push_back(first);
  }
  finishBody(loop);
  Level body = levels.pop_back_val();
  b.restoreInsertionPoint(outside);
  auto lowered = tra::LoopOp::create(
      b, loop.getLoc(), ValueRange(inits).getTypes(),
      FlatSymbolRefAttr::get(body.function),
      b.getI64IntegerAttr(loop.getMostPasses()),
      loop.getStop() ? b.getUnitAttr() : UnitAttr(), inits, body.invariants);
  for (auto [tensor, relation] :
       llvm::zip_equal(loop->getResults(), lowered.getResults()))
    homes[tensor] = relation;
  return success();
}

LogicalResult GraphLowering::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(lowerOp(op)))
      return failure();
  return success();
}

LogicalResult GraphLowering::lowerOp(Operation &op) {
  if (auto node = dyn_cast<GraphNodeInterface>(op))
    return lowerNode(node);
  if (auto loop = dyn_cast<GraphLoopInterface>(op))
    return lowerLoop(loop);
  if (auto vertex = dyn_cast<BlockOpInterface>(op))
    return lowerVertex(vertex);
  return op.emitError("has no relation to lower to");
}

void GraphLowering::finishFunction() {
  SmallVector<Value> values;
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> names;
  for (auto &[attributes, value] : results) {
    names.push_back(attributes);
    values.push_back(value);
    types.push_back(value.getType());
  }
  func::ReturnOp::create(b, graph.getLoc(), values);
  function().setFunctionType(
      b.getFunctionType(function().getArgumentTypes(), types));
  function().setAllResultAttrs(names);
}

FailureOr<func::FuncOp> GraphLowering::lower() {
  gridAttr = graph.getGridAttr();
  if (!gridAttr) {
    graph.emitError("'") << graph.getSymName()
                         << "' has no grid of devices: plan the graph first";
    return failure();
  }
  grid = gridAttr.getDeviceGrid();
  createFunction();

  if (failed(lowerBlock(graph.getBody().front()))) {
    for (Level &level : levels)
      level.function.erase();
    return failure();
  }
  finishFunction();
  function()->setDiscardableAttr("comm.vertices", b.getArrayAttr(vertices));
  return function();
}

namespace {
struct ConvertTapestryToTRA
    : tapestry::impl::ConvertTapestryToTRABase<ConvertTapestryToTRA> {
  /// The names that operations of the module use of others; no graph calls
  /// itself.
  llvm::DenseSet<StringAttr> namesUsed() {
    llvm::DenseSet<StringAttr> used;
    for (Operation &op : *getOperation().getBody()) {
      auto uses = SymbolTable::getSymbolUses(&op);
      for (SymbolTable::SymbolUse use :
           uses ? *uses : SymbolTable::UseRange({})) {
        StringAttr name = use.getSymbolRef().getRootReference();
        if (name !=
            op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
          used.insert(name);
      }
    }
    return used;
  }

  void runOnOperation() override {
    llvm::DenseSet<StringAttr> used = namesUsed();
    for (auto graph :
         llvm::make_early_inc_range(getOperation().getOps<teg::GraphOp>())) {
      // The runtime starts a program on every device; nobody calls it.
      if (used.contains(graph.getSymNameAttr())) {
        graph.emitError("'")
            << graph.getSymName()
            << "' is called: tapestry-inline-calls comes first";
        return signalPassFailure();
      }
      GraphLowering lowering(graph);
      if (failed(lowering.lower()))
        return signalPassFailure();
      numJoins += lowering.joins;
      numAggregates += lowering.aggregates;
      numRepartitions += lowering.repartitions;
      graph.erase();
    }
  }
};
} // namespace
