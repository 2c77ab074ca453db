//===- EinsumTest.cpp - Builder and block interface of tapestry.einsum ----===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

class EinsumTest : public ::testing::Test {
protected:
  EinsumTest() : builder(&context), loc(builder.getUnknownLoc()) {
    context.loadDialect<TapestryDialect, index::TapestryIndexDialect,
                        arith::ArithDialect, math::MathDialect>();
    module = ModuleOp::create(loc);
    builder.setInsertionPointToStart(module->getBody());
    graph = GraphOp::create(builder, loc, "graph");
    builder.setInsertionPointToStart(&graph.getBody().front());
  }

  Value source(StringRef name, llvm::ArrayRef<int64_t> shape, Type element) {
    return SourceOp::create(builder, loc, name,
                            RankedTensorType::get(shape, element));
  }

  /// A 1-d convolution of stride 2 with an activation:
  /// Y[b, o] = sum[r, c] tanh(X[b, 2 o + r - 1, c] * W[r, c]), X padded by 0.
  EinsumOp buildConvolution() {
    Type f16 = builder.getF16Type();
    Value x = source("X", {5, 20, 3}, f16);
    Value w = source("W", {4, 3}, f16);
    AffineExpr b, o, r, c;
    bindDims(&context, b, o, r, c);
    auto map = [&](llvm::ArrayRef<AffineExpr> exprs) {
      return AffineMap::get(4, 0, exprs, &context);
    };
    return EinsumOp::create(
        builder, loc, "Y", {"b", "o", "r", "c"}, {5, 10, 4, 3}, {x, w},
        {map({b, o * 2 + r - 1, c}), map({r, c}), map({b, o})},
        {cast<TypedAttr>(builder.getFloatAttr(f16, 0.0)), TypedAttr()},
        Monoid::Add, RankedTensorType::get({5, 10}, f16),
        [](OpBuilder &body, Location loc, ValueRange args) -> Value {
          Value product = arith::MulFOp::create(body, loc, args[0], args[1]);
          Value wide =
              arith::ExtFOp::create(body, loc, body.getF32Type(), product);
          return math::TanhOp::create(body, loc, wide);
        });
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
  OwningOpRef<ModuleOp> module;
  GraphOp graph;
};

TEST_F(EinsumTest, BuilderMakesAValidOp) {
  EinsumOp op = buildConvolution();
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(op.getLabelIndex("r"), 2u);
  EXPECT_EQ(op.getLabelIndex("q"), std::nullopt);
  EXPECT_TRUE(op.getAccumulatorType().isF32());
  EXPECT_EQ(op.getIdentity(), builder.getF32FloatAttr(0.0));
}

TEST_F(EinsumTest, InterfaceStatesIndexSpaceAndProjections) {
  auto op = cast<BlockOpInterface>(buildConvolution().getOperation());
  EXPECT_EQ(op.getVertexName(), "Y");
  EXPECT_EQ(op.getLabelNames(),
            (llvm::SmallVector<std::string>{"b", "o", "r", "c"}));
  EXPECT_EQ(op.getIndexSpace(), boxOfShape({5, 10, 4, 3}));
  EXPECT_EQ(op.getLabelKinds(), (llvm::SmallVector<LabelKind>{
                                    LabelKind::Parallel, LabelKind::Parallel,
                                    LabelKind::Reduced, LabelKind::Reduced}));
  ASSERT_EQ(op.getReads().size(), 2u);
  EXPECT_EQ(op.getAccesses(0).front().fallback, AccessFallback::Pad);
  EXPECT_EQ(op.getAccesses(1).front().fallback, AccessFallback::None);
  // The window 2 o + r - 1 over o in [3, 6) and r in [0, 4).
  ZBox image =
      op.getAccesses(0).front().image(ZBox{{1, 2}, {3, 6}, {0, 4}, {0, 3}});
  EXPECT_EQ(image, (ZBox{{1, 2}, {5, 13}, {0, 3}}));
  ASSERT_EQ(op.getResultProjections().size(), 1u);
  EXPECT_EQ(
      op.getResultProjections()[0].image(ZBox{{1, 2}, {3, 6}, {0, 4}, {0, 3}}),
      (ZBox{{1, 2}, {3, 6}}));
  // A product, a hyperbolic tangent, a sum; the conversion is free.
  EXPECT_EQ(op.getWork().flops, 3);
  EXPECT_EQ(op.getWork().bytes, 0);
  EXPECT_EQ(op.getNumPoints(), 5 * 10 * 4 * 3);
  EXPECT_FALSE(op.getDeviceSet());
  EXPECT_TRUE(op.getAwaited().empty());
}

TEST_F(EinsumTest, PartitionAndHomeAreWrittenAndRead) {
  DeviceGrid grid = DeviceGrid::ofPrimes(6);
  graph.setGridAttr(index::GridAttr::get(&context, grid));
  auto op = cast<BlockOpInterface>(buildConvolution().getOperation());
  EXPECT_FALSE(op.hasPartition());
  FailureOr<std::optional<Partition>> none = op.getPartitionOn(grid);
  ASSERT_TRUE(succeeded(none));
  EXPECT_FALSE(none->has_value());

  Partition partition;
  partition.cuts = {{}, {1}, {0}, {}};
  op.setPartitionOn(grid, partition);
  Layout home = Layout::blocked({5, 10}, {Cut{}, Cut{1, 0}});
  op.setHomeLayout(0, grid, home);
  EXPECT_TRUE(succeeded(verify(*module)));
  FailureOr<std::optional<Partition>> read = op.getPartitionOn(grid);
  ASSERT_TRUE(succeeded(read) && read->has_value());
  EXPECT_EQ(**read, partition);
  ASSERT_TRUE(op.getHomeLayout(0));
  EXPECT_EQ(op.getHomeLayout(0)->first, grid);
  EXPECT_EQ(op.getHomeLayout(0)->second, home);
  EXPECT_EQ(lookupGrid(op), graph.getGridAttr());
}

TEST_F(EinsumTest, SourcesAreBlocksOfTheirOwnShape) {
  Value value = source("A", {7, 11}, builder.getI64Type());
  auto op = cast<BlockOpInterface>(value.getDefiningOp());
  EXPECT_EQ(op.getVertexName(), "A");
  EXPECT_EQ(op.getLabelExtents(), (llvm::SmallVector<int64_t>{7, 11}));
  EXPECT_EQ(op.getLabelKinds(),
            (llvm::SmallVector<LabelKind>(2, LabelKind::Parallel)));
  EXPECT_TRUE(op.getTensorOperands().empty());
  EXPECT_EQ(op.getResultProjections()[0], Projection::identity(2));
  EXPECT_EQ(op.getScalarRegion(), nullptr);
  EXPECT_EQ(op.getWork().flops, 0);
  EXPECT_FALSE(op.getMonoidIdentity(0));
}

TEST_F(EinsumTest, CustomMonoidIsCloned) {
  Value a = source("A", {9}, builder.getI32Type());
  AffineExpr i = builder.getAffineDimExpr(0);
  auto op = EinsumOp::create(
      builder, loc, "S", {"i"}, {9}, {a},
      {AffineMap::get(1, 0, {i}, &context), AffineMap::get(1, 0, &context)}, {},
      Monoid::None, RankedTensorType::get({}, builder.getI32Type()),
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  // x + y + x y has the identity 0.
  teg::buildCustomMonoid(
      op, builder, builder.getI32IntegerAttr(0),
      [](OpBuilder &body, Location loc, Value x, Value y) -> Value {
        Value product = arith::MulIOp::create(body, loc, x, y);
        Value sum = arith::AddIOp::create(body, loc, x, y);
        return arith::AddIOp::create(body, loc, product, sum);
      });
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(op.getIdentity(), builder.getI32IntegerAttr(0));
  EXPECT_EQ(op.getWork().flops, 3);

  builder.setInsertionPointToEnd(module->getBody());
  Value x = arith::ConstantIntOp::create(builder, loc, 4, 32);
  Value y = arith::ConstantIntOp::create(builder, loc, 6, 32);
  Value combined = op.emitCombine(0, builder, loc, x, y);
  auto sum = combined.getDefiningOp<arith::AddIOp>();
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->getBlock(), module->getBody());
  auto product = sum.getLhs().getDefiningOp<arith::MulIOp>();
  ASSERT_TRUE(product);
  EXPECT_EQ(product.getLhs(), x);
  EXPECT_EQ(product.getRhs(), y);
}

} // namespace
