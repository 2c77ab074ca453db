//===- TapestryToTRA.cpp - From planned graphs to relations ---------------===//
//
// Walks a planned graph in order. Every tensor becomes the relation that lies
// in its home layout; every einsum a join, with the aggregate and the
// repartitions that its partition calls for.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "tapestry/Conversion/Passes.h"
#include "tapestry/Dialect/TRA/IR/TRA.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Support/Resharding.h"
#include "llvm/ADT/TypeSwitch.h"

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
  LogicalResult lowerSource(teg::SourceOp source);
  LogicalResult lowerEinsum(teg::EinsumOp einsum);
  LogicalResult lowerSink(teg::SinkOp sink);
  void createFunction();
  void finishFunction();

  Value fetchOperand(teg::EinsumOp einsum, unsigned operand,
                     const Partition &partition);
  Value bringHome(teg::EinsumOp einsum, Value relation);
  Value move(Value relation, StringRef vertex, StringAttr reader,
             const Route &route, const Layout &to);
  tra::JoinOp emitJoin(teg::EinsumOp einsum, const Partition &partition,
                       ArrayRef<Value> operands, Type elementType);
  Value emitAggregate(teg::EinsumOp einsum, Value partial, const Layout &home);
  Value emitRounding(teg::EinsumOp einsum, Value wide);
  index::LayoutAttr attrOf(const Layout &layout) {
    return index::LayoutAttr::get(context, gridAttr, layout);
  }
  tra::RelationType relationType(Type elementType, const Layout &layout) {
    return tra::RelationType::get(elementType, attrOf(layout));
  }
  void cloneRegion(Region &from, Region &to);

  teg::GraphOp graph;
  OpBuilder b;
  MLIRContext *context;
  index::GridAttr gridAttr;
  DeviceGrid grid;
  func::FuncOp function;
  SmallVector<teg::SourceOp> sources;
  SmallVector<std::pair<StringAttr, Value>> results;
  /// Per graph tensor, its relation in the home layout.
  llvm::DenseMap<Value, Value> homes;
};

} // namespace

void GraphLowering::createFunction() {
  SmallVector<Type> inputs;
  for (auto source : graph.getOps<teg::SourceOp>()) {
    sources.push_back(source);
    inputs.push_back(source.getResult().getType());
  }
  b.setInsertionPoint(graph);
  function = func::FuncOp::create(b, graph.getLoc(), graph.getSymName(),
                                  b.getFunctionType(inputs, {}));
  function->setDiscardableAttr("comm.grid", gridAttr);
  if (Attribute unread = graph->getAttr(teg::unreadInputsAttrName))
    function->setDiscardableAttr("comm.unread_inputs", unread);
  Block *body = function.addEntryBlock();
  for (auto [number, source] : llvm::enumerate(sources))
    function.setArgAttr(number, "comm.name", source.getNameAttr());
  b.setInsertionPointToStart(body);
}

LogicalResult GraphLowering::lowerSource(teg::SourceOp source) {
  auto home = source.getHomeLayout();
  if (!home)
    return source.emitError("'")
           << source.getName() << "' has no home layout: plan the graph first";
  unsigned number = llvm::find(sources, source) - sources.begin();
  homes[source.getResult()] = tra::FromTensorOp::create(
      b, source.getLoc(),
      relationType(source.getResult().getType().getElementType(), home->second),
      function.getArgument(number));
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

/// An operand where the einsum reads it. Every reader fetches for itself, just
/// before it runs; subscripts that occur twice are fetched once.
Value GraphLowering::fetchOperand(teg::EinsumOp einsum, unsigned operand,
                                  const Partition &partition) {
  Value tensor = einsum.getInputs()[operand];
  auto type = cast<RankedTensorType>(tensor.getType());
  Layout read =
      Layout::ofProjection(einsum.getOperandProjections()[operand],
                           einsum.getExtents(), partition, type.getShape());
  unsigned first = 0;
  while (einsum.getInputs()[first] != tensor ||
         einsum.getOperandMap(first) != einsum.getOperandMap(operand))
    ++first;
  auto reader = b.getStringAttr(einsum.getName() + "." + Twine(first));
  auto producer = cast<BlockOpInterface>(tensor.getDefiningOp());
  return move(homes.lookup(tensor), producer.getVertexName(), reader,
              einsum.getOperandRouteLayouts()[operand], read);
}

/// Copies a region of an einsum into one of the tra dialect.
void GraphLowering::cloneRegion(Region &from, Region &to) {
  OpBuilder::InsertionGuard guard(b);
  IRMapping mapping;
  Block &source = from.front();
  SmallVector<Location> locations(source.getNumArguments(), from.getLoc());
  Block *target = b.createBlock(&to, {}, source.getArgumentTypes(), locations);
  mapping.map(source.getArguments(), target->getArguments());
  for (Operation &op : source) {
    if (auto label = dyn_cast<teg::LabelOp>(op))
      mapping.map(label.getResult(),
                  tra::LabelOp::create(b, op.getLoc(), b.getIndexType(),
                                       label.getLabelAttr())
                      .getValue());
    else if (auto yield = dyn_cast<teg::YieldOp>(op))
      tra::YieldOp::create(b, op.getLoc(),
                           mapping.lookupOrDefault(yield.getValue()));
    else
      b.clone(op, mapping);
  }
}

tra::JoinOp GraphLowering::emitJoin(teg::EinsumOp einsum,
                                    const Partition &partition,
                                    ArrayRef<Value> operands,
                                    Type elementType) {
  Layout written =
      tra::writtenLayout(einsum.getResultMap(), einsum.getExtents(), partition);
  auto join = tra::JoinOp::create(
      b, einsum.getLoc(), relationType(elementType, written),
      einsum.getNameAttr(), einsum.getLabelsAttr(), einsum.getExtentsAttr(),
      index::PartitionAttr::get(context, grid, partition), operands,
      einsum.getIndexingMapsAttr(), einsum.getPadsAttr(),
      einsum.getMonoidAttr(), einsum.getCustomIdentityAttr());
  cloneRegion(einsum.getBody(), join.getKernel());
  if (!einsum.getCombiner().empty())
    cloneRegion(einsum.getCombiner(), join.getCombine());
  ++joins;
  return join;
}

Value GraphLowering::emitAggregate(teg::EinsumOp einsum, Value partial,
                                   const Layout &home) {
  Type elementType =
      cast<tra::RelationType>(partial.getType()).getElementType();
  auto aggregate = tra::AggregateOp::create(
      b, einsum.getLoc(), relationType(elementType, home), einsum.getNameAttr(),
      einsum.getMonoidAttr(), partial, einsum.getCustomIdentityAttr());
  if (!einsum.getCombiner().empty())
    cloneRegion(einsum.getCombiner(), aggregate.getCombine());
  ++aggregates;
  return aggregate;
}

/// A join of its own that rounds an accumulated relation to the element type.
Value GraphLowering::emitRounding(teg::EinsumOp einsum, Value wide) {
  auto type = cast<tra::RelationType>(wide.getType());
  Type narrow = einsum.getResultType().getElementType();
  SmallVector<Attribute> labels;
  AffineMap resultMap = einsum.getResultMap();
  for (AffineExpr expr : resultMap.getResults())
    labels.push_back(
        einsum.getLabels()[cast<AffineDimExpr>(expr).getPosition()]);
  Partition partition;
  for (const LayoutDim &dim : type.getLayout().getLayout().dims)
    partition.cuts.push_back(Cut(dim.cut()));
  auto identity = AffineMapAttr::get(b.getMultiDimIdentityMap(type.getRank()));
  auto join = tra::JoinOp::create(
      b, einsum.getLoc(), relationType(narrow, type.getLayout().getLayout()),
      einsum.getNameAttr(), b.getArrayAttr(labels),
      b.getDenseI64ArrayAttr(type.getShape()),
      index::PartitionAttr::get(context, grid, partition), ValueRange{wide},
      b.getArrayAttr({identity, identity}), b.getArrayAttr(b.getUnitAttr()),
      MonoidAttr::get(context, Monoid::None), TypedAttr());
  OpBuilder::InsertionGuard guard(b);
  Location loc = einsum.getLoc();
  Block *body =
      b.createBlock(&join.getKernel(), {}, {type.getElementType()}, {loc});
  tra::YieldOp::create(
      b, loc, arith::TruncFOp::create(b, loc, narrow, body->getArgument(0)));
  return join.getResult();
}

/// A body that yields the accumulator of a narrow float type although nothing
/// is reduced rounds in place.
static void roundInKernel(tra::JoinOp join, Type narrow) {
  auto yield = cast<tra::YieldOp>(join.getKernel().front().getTerminator());
  OpBuilder b(yield);
  Value value = yield.getValue();
  if (value.getType() != narrow)
    yield.getValueMutable().assign(
        arith::TruncFOp::create(b, yield.getLoc(), narrow, value));
}

/// What an einsum wrote, combined and rounded, in its home layout: partial
/// values are combined right into the first layout on the way.
Value GraphLowering::bringHome(teg::EinsumOp einsum, Value relation) {
  auto type = cast<tra::RelationType>(relation.getType());
  const Layout &written = type.getLayout().getLayout();
  Layout whole = written;
  whole.partial.clear();
  auto homeAttr = einsum.getHomeLayout();
  Layout home = homeAttr ? homeAttr->second : whole;
  Route route = einsum.getHomeRouteLayouts();
  if (!written.partial.empty()) {
    Layout first = route.empty() ? home : route.front();
    // A layout that the partial values cannot be scattered to is reached in two
    // steps.
    if (first != whole && !canReduceScatter(grid, written, first))
      first = whole;
    relation = emitAggregate(einsum, relation, first);
  }
  if (type.getElementType() != einsum.getResultType().getElementType())
    relation = emitRounding(einsum, relation);
  return move(relation, einsum.getName(), StringAttr(), route, home);
}

LogicalResult GraphLowering::lowerEinsum(teg::EinsumOp einsum) {
  FailureOr<std::optional<Partition>> partition = einsum.getPartitionOn(grid);
  if (failed(partition))
    return failure();
  if (!*partition)
    return einsum.emitError("'")
           << einsum.getName() << "' has no partition: plan the graph first";
  SmallVector<Value> operands;
  for (unsigned operand = 0; operand < einsum.getInputs().size(); ++operand)
    operands.push_back(fetchOperand(einsum, operand, **partition));

  Type narrow = einsum.getResultType().getElementType();
  bool reduces = einsum.getMonoid() != Monoid::None;
  Type computed = reduces ? einsum.getAccumulatorType() : narrow;
  tra::JoinOp join = emitJoin(einsum, **partition, operands, computed);
  if (!reduces)
    roundInKernel(join, narrow);
  auto home = einsum.getHomeLayout();
  if (home && !home->second.isPlain())
    return einsum.emitError("'")
           << einsum.getName()
           << "' has a home layout whose parts overlap; only a source may";

  homes[einsum.getResult()] = bringHome(einsum, join.getResult());
  return success();
}

LogicalResult GraphLowering::lowerSink(teg::SinkOp sink) {
  Value relation = homes.lookup(sink.getTensor());
  auto type = cast<tra::RelationType>(relation.getType());
  Layout layout = type.getLayout().getLayout();
  if (!layout.isPlain()) {
    // An input that is kept as windows leaves the program cut by nothing.
    auto source = cast<BlockOpInterface>(sink.getTensor().getDefiningOp());
    return sink.emitError("'")
           << sink.getName() << "' is '" << source.getVertexName()
           << "', whose home layout's parts overlap";
  }
  results.push_back(
      {sink.getNameAttr(),
       tra::ToTensorOp::create(b, sink.getLoc(), sink.getTensor().getType(),
                               relation)});
  return success();
}

void GraphLowering::finishFunction() {
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (auto &[name, value] : results) {
    values.push_back(value);
    types.push_back(value.getType());
  }
  func::ReturnOp::create(b, graph.getLoc(), values);
  function.setFunctionType(
      b.getFunctionType(function.getArgumentTypes(), types));
  for (auto [number, result] : llvm::enumerate(results))
    function.setResultAttr(number, "comm.name", result.first);
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

  SmallVector<Attribute> vertices;
  for (Operation &op : graph.getBody().front()) {
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](teg::SourceOp source) { return lowerSource(source); })
            .Case([&](teg::EinsumOp einsum) {
              int64_t points = volume(einsum.getIndexSpace());
              vertices.push_back(b.getDictionaryAttr(
                  {b.getNamedAttr(
                       "flops",
                       b.getI64IntegerAttr(points * einsum.getFlopsPerPoint())),
                   b.getNamedAttr("name", einsum.getNameAttr())}));
              return lowerEinsum(einsum);
            })
            .Case([&](teg::SinkOp sink) { return lowerSink(sink); })
            // The program of a device runs in order, which keeps every
            // happens-before.
            .Case([&](teg::SequencePointOp) { return success(); })
            .Default([&](Operation *other) {
              return other->emitError("has no relation to lower to");
            });
    if (failed(result)) {
      function.erase();
      return failure();
    }
  }
  finishFunction();
  function->setDiscardableAttr("comm.vertices", b.getArrayAttr(vertices));
  return function;
}

namespace {
struct ConvertTapestryToTRA
    : tapestry::impl::ConvertTapestryToTRABase<ConvertTapestryToTRA> {
  void runOnOperation() override {
    for (auto graph :
         llvm::make_early_inc_range(getOperation().getOps<teg::GraphOp>())) {
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
