//===- OperatorPiecesTest.cpp - Operators that no dialect here has --------===//
//
// Operations of upstream dialects become block operators from outside: a
// concatenation, which reads in pieces, and a wide product, which has two
// results. The planner and the shard verifier know neither.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "tapestry/Analysis/PlanGraphs.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Dialect/Tapestry/Transforms/ShardCoverage.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::elements;
using namespace tapestry::cost::seconds;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::teg;

namespace {

/// What both have in common: labels are the dimensions of the results, cuts and
/// homes are attributes.
template <typename Model, typename Op>
struct PointwiseModel : BlockOpInterface::ExternalModel<Model, Op> {
  static RankedTensorType typeOf(Operation *op) {
    return cast<RankedTensorType>(op->getResult(0).getType());
  }

  llvm::StringRef getVertexName(Operation *op) const {
    return op->getAttrOfType<StringAttr>("vertex").getValue();
  }
  llvm::SmallVector<std::string> getLabelNames(Operation *) const {
    return {"i", "j"};
  }
  llvm::SmallVector<int64_t> getLabelExtents(Operation *op) const {
    return llvm::to_vector(typeOf(op).getShape());
  }
  llvm::SmallVector<LabelKind> getLabelKinds(Operation *) const {
    return {LabelKind::Parallel, LabelKind::Parallel};
  }
  llvm::SmallVector<Value> getTensorOperands(Operation *op) const {
    return llvm::to_vector(op->getOperands());
  }
  std::vector<Access> getAccesses(Operation *, unsigned) const {
    return {Access{Projection::identity(2)}};
  }
  std::vector<Projection> getResultProjections(Operation *op) const {
    return std::vector<Projection>(op->getNumResults(),
                                   Projection::identity(2));
  }
  std::vector<Write> getWrites(Operation *, unsigned) const {
    return {Write{Projection::identity(2)}};
  }
  std::optional<llvm::SmallVector<int64_t>> getDeviceSet(Operation *op) const {
    if (!op->hasAttr("devices"))
      return std::nullopt;
    return llvm::SmallVector<int64_t>{0, 1};
  }
  llvm::SmallVector<Value> getAwaited(Operation *op) const {
    if (!op->hasAttr("awaits"))
      return {};
    return {op->getOperand(0).getDefiningOp()->getOperand(0)};
  }
  bool hasPartition(Operation *op) const { return op->hasAttr("partition"); }
  FailureOr<std::optional<Partition>>
  getPartitionOn(Operation *op, const DeviceGrid &grid) const {
    auto attr = op->getAttrOfType<index::PartitionAttr>("partition");
    if (!attr)
      return std::optional<Partition>();
    FailureOr<Partition> partition = attr.getPartition(grid);
    if (failed(partition))
      return failure();
    return std::optional<Partition>(*partition);
  }
  void setPartitionOn(Operation *op, const DeviceGrid &grid,
                      const Partition &partition) const {
    op->setAttr("partition",
                index::PartitionAttr::get(op->getContext(), grid, partition));
  }
  static std::string homeName(unsigned result) {
    return "home" + std::to_string(result);
  }
  std::optional<std::pair<DeviceGrid, Layout>>
  getHomeLayout(Operation *op, unsigned result) const {
    auto home = op->getAttrOfType<index::LayoutAttr>(homeName(result));
    if (!home)
      return std::nullopt;
    return std::pair(home.getDeviceGrid(), home.getLayout());
  }
  void setHomeLayout(Operation *op, unsigned result, const DeviceGrid &grid,
                     const Layout &layout) const {
    op->setAttr(homeName(result),
                index::LayoutAttr::get(op->getContext(), grid, layout));
  }
  Monoid getResultMonoid(Operation *, unsigned) const { return Monoid::None; }
  TypedAttr getMonoidIdentity(Operation *, unsigned) const { return {}; }
  Value emitCombine(Operation *, unsigned, OpBuilder &, Location, Value,
                    Value) const {
    return {};
  }
  FailureOr<llvm::SmallVector<Value>>
  lowerLocal(Operation *, OpBuilder &, Location, const LocalBlock &) const {
    return failure();
  }
  llvm::Expected<std::vector<HostTensor>>
  evaluate(Operation *, llvm::ArrayRef<const HostTensor *>) const {
    return llvm::createStringError("not evaluated here");
  }
  PointWork getWork(Operation *) const { return {2, 3}; }
  ShardingConstraints getConstraints(Operation *, unsigned) const { return {}; }
};

struct ProductModel : PointwiseModel<ProductModel, arith::MulSIExtendedOp> {};

struct ConcatModel : PointwiseModel<ConcatModel, tensor::ConcatOp> {
  /// Rows of an operand lie behind those of the operands before it.
  std::vector<Access> getAccesses(Operation *op, unsigned operand) const {
    int64_t first = 0;
    for (unsigned before = 0; before < operand; ++before)
      first += rowsOf(op, before);
    Access access{Projection::identity(2)};
    access.projection.dims[0].constant = -first;
    access.guard = {{first, first + rowsOf(op, operand)},
                    {0, typeOf(op).getDimSize(1)}};
    return {access};
  }
  static int64_t rowsOf(Operation *op, unsigned operand) {
    return cast<RankedTensorType>(op->getOperand(operand).getType())
        .getDimSize(0);
  }
};

class OperatorPieces : public ::testing::Test {
protected:
  OperatorPieces() : builder(&context), loc(builder.getUnknownLoc()) {
    context.loadDialect<TapestryDialect, index::TapestryIndexDialect,
                        arith::ArithDialect, tensor::TensorDialect>();
    llvm::cantFail(registerCostModel(elementsModel()));
    llvm::cantFail(registerCostModel(secondsModel()));
    tensor::ConcatOp::attachInterface<ConcatModel>(context);
    arith::MulSIExtendedOp::attachInterface<ProductModel>(context);
    module = ModuleOp::create(loc);
    builder.setInsertionPointToStart(module->getBody());
    graph = GraphOp::create(builder, loc, "graph");
    builder.setInsertionPointToStart(&graph.getBody().front());
    Value a = source("A", 12), b = source("B", 20);
    concat =
        tensor::ConcatOp::create(builder, loc, /*dim=*/0, ValueRange{a, b, a});
    concat->setAttr("vertex", builder.getStringAttr("Y"));
    product = arith::MulSIExtendedOp::create(builder, loc, concat->getResult(0),
                                             concat->getResult(0));
    product->setAttr("vertex", builder.getStringAttr("P"));
    SinkOp::create(builder, loc, "low", product->getResult(0));
    SinkOp::create(builder, loc, "high", product->getResult(1));
  }

  Value source(StringRef name, int64_t rows) {
    return SourceOp::create(
        builder, loc, name,
        RankedTensorType::get({rows, 16}, builder.getI32Type()));
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
  OwningOpRef<ModuleOp> module;
  GraphOp graph;
  Operation *concat = nullptr, *product = nullptr;
};

TEST_F(OperatorPieces, BecomeOperandsAndCompanions) {
  FailureOr<GraphVertices> vertices = buildPlanGraph(graph.getBody().front());
  ASSERT_TRUE(succeeded(vertices));
  const auto &planned = vertices->graph.vertices;
  ASSERT_EQ(planned.size(), 5u);
  const PlanVertex &y = planned[2];
  // A is read twice, at different rows: two pieces of one tensor.
  ASSERT_EQ(y.operands.size(), 3u);
  EXPECT_EQ(y.operands[0].producer, y.operands[2].producer);
  EXPECT_EQ(y.operands[1].guard, (ZBox{{12, 32}, {0, 16}}));
  EXPECT_EQ(y.operands[2].guard, (ZBox{{32, 44}, {0, 16}}));
  EXPECT_EQ(vertices->operandNumbers[2],
            (llvm::SmallVector<unsigned, 2>{0, 1, 2}));
  EXPECT_EQ(y.flops, 2 * 44 * 16);
  EXPECT_EQ(y.extraBytes, 3 * 44 * 16);
  EXPECT_EQ(planned[3].name, "P");
  EXPECT_EQ(planned[4].name, "P#1");
  EXPECT_EQ(planned[4].cutAs, 3u);
  EXPECT_EQ(planned[4].flops, 0);
  EXPECT_TRUE(planned[3].isOutput && planned[4].isOutput);
  // Both factors are one piece of one tensor.
  EXPECT_EQ(planned[3].operands.size(), 1u);
  EXPECT_EQ(vertices->operandNumbers[3],
            (llvm::SmallVector<unsigned, 2>{0, 0}));
}

TEST_F(OperatorPieces, ArePlannedAndProved) {
  FailureOr<GraphVertices> vertices = buildPlanGraph(graph.getBody().front());
  ASSERT_TRUE(succeeded(vertices));
  for (llvm::StringRef costModel : {"paper", "spmd"}) {
    PlannerOptions options;
    options.devices = 6;
    options.costModel = costModel.str();
    options.mayIdle = false;
    llvm::Expected<Plan> decided = makePlan(vertices->graph, options);
    ASSERT_TRUE(bool(decided)) << llvm::toString(decided.takeError());
    applyPlacement(*vertices, decided->grid, decided->placement);
    for (Operation *op : {concat, product}) {
      auto vertex = cast<BlockOpInterface>(op);
      EXPECT_TRUE(vertex.hasPartition());
      for (unsigned result = 0; result < op->getNumResults(); ++result)
        EXPECT_TRUE(vertex.getHomeLayout(result));
      EXPECT_TRUE(succeeded(verifyShards(vertex, decided->grid)));
    }
  }
}

TEST_F(OperatorPieces, RunOnTheirDevicesOnly) {
  concat->setAttr("devices", builder.getUnitAttr());
  FailureOr<GraphVertices> vertices = buildPlanGraph(graph.getBody().front());
  ASSERT_TRUE(succeeded(vertices));
  for (int64_t devices : {2, 4}) {
    PlannerOptions options;
    options.devices = devices;
    llvm::Expected<Plan> decided = makePlan(vertices->graph, options);
    ASSERT_TRUE(bool(decided)) << llvm::toString(decided.takeError());
    applyPlacement(*vertices, decided->grid, decided->placement);
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      message += diagnostic.str();
      return success();
    });
    auto proved = verifyShards(cast<BlockOpInterface>(concat), decided->grid);
    EXPECT_EQ(succeeded(proved), devices == 2);
    EXPECT_EQ(message, devices == 2
                           ? ""
                           : "shards of \"Y\": device 2 of 4 has one, but only "
                             "devices 0, 1 may run it");
  }
}

TEST_F(OperatorPieces, AwaitTheirOperandsOnly) {
  product->setAttr("awaits", builder.getUnitAttr());
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(buildPlanGraph(graph.getBody().front())));
  EXPECT_EQ(message, "'P' awaits a value that is no operand of it: nothing "
                     "keeps it before");
}

} // namespace
