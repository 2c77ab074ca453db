//===- CollectiveTest.cpp - What collectives say of themselves ------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tapestry/Dialect/Comm/IR/Comm.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::comm;

namespace {

class CollectiveTest : public ::testing::Test {
protected:
  CollectiveTest() : builder(&context), module(ModuleOp::create(loc())) {
    context.loadDialect<index::TapestryIndexDialect, CommDialect>();
    builder.setInsertionPointToStart(module->getBody());
  }

  Location loc() { return UnknownLoc::get(&context); }

  index::LayoutAttr layout(const DeviceGrid &grid, ArrayRef<int64_t> shape,
                           ArrayRef<Cut> cuts, Cut partial = {}) {
    Layout result = Layout::blocked(shape, cuts);
    result.partial = partial;
    return index::LayoutAttr::get(&context, grid, result);
  }

  /// A value of the type of a part.
  Value part(index::LayoutAttr of, Type element) {
    return UnrealizedConversionCastOp::create(
               builder, loc(), TypeRange{partType(of, element)}, ValueRange())
        .getResult(0);
  }

  template <typename Op, typename... Args>
  CollectiveOpInterface collective(index::LayoutAttr from, index::LayoutAttr to,
                                   Type element, Args... args) {
    Operation *op =
        Op::create(builder, loc(), "V", args..., part(from, element), from, to);
    EXPECT_TRUE(succeeded(verify(op)));
    return cast<CollectiveOpInterface>(op);
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
};

TEST_F(CollectiveTest, PartTypesAreDynamicWhereDevicesDiffer) {
  DeviceGrid four = DeviceGrid::ofPrimes(4);
  Type f32 = builder.getF32Type();
  int64_t dynamic = ShapedType::kDynamic;
  // Five rows on four devices: two, two, one and none.
  EXPECT_EQ(partType(layout(four, {5, 8}, {{0, 1}, {}}), f32),
            RankedTensorType::get({dynamic, 8}, f32));
  EXPECT_EQ(partType(layout(four, {5, 8}, {{}, {1}}), f32),
            RankedTensorType::get({5, 4}, f32));
}

TEST_F(CollectiveTest, StoredBytes) {
  EXPECT_EQ(storedSize(builder.getI1Type()), 1);
  EXPECT_EQ(storedSize(builder.getI8Type()), 1);
  EXPECT_EQ(storedSize(builder.getBF16Type()), 2);
  EXPECT_EQ(storedSize(builder.getI32Type()), 4);
  EXPECT_EQ(storedSize(builder.getF64Type()), 8);
  EXPECT_EQ(storedSize(ComplexType::get(builder.getF64Type())), 16);
}

TEST_F(CollectiveTest, AllGatherCountsUnevenParts) {
  DeviceGrid two = DeviceGrid::ofPrimes(2);
  auto rows = layout(two, {5, 7}, {{0}, {}});
  auto whole = layout(two, {5, 7}, {{}, {}});
  auto op = collective<AllGatherOp>(rows, whole, builder.getF64Type());
  // Three rows one way, two the other, of seven f64 each.
  EXPECT_EQ(op.getPredictedBytes(), (3 + 2) * 7 * 8);
  EXPECT_EQ(op.getKind(), CollectiveKind::AllGather);
  EXPECT_EQ(op.getGroupSize(), 2);
  EXPECT_EQ(op.getVertex(), "V");
  EXPECT_EQ(op.getAxes(), builder.getStrArrayAttr({"d.0"}));
  EXPECT_EQ(op.getReduction(), std::nullopt);
  EXPECT_EQ(op.getCombineRegion(), nullptr);
  auto bits = collective<AllGatherOp>(rows, whole, builder.getI1Type());
  EXPECT_EQ(bits.getPredictedBytes(), (3 + 2) * 7);
}

TEST_F(CollectiveTest, ReductionsCountTheRing) {
  DeviceGrid grid = DeviceGrid::ofPrimes(6);
  auto partial = layout(grid, {6, 9}, {{0}, {}}, {1});
  auto summed = layout(grid, {6, 9}, {{0}, {}});
  auto scattered = layout(grid, {6, 9}, {{0}, {1}});
  Type f32 = builder.getF32Type();
  auto reduce = collective<AllReduceOp>(partial, summed, f32, Monoid::Add);
  // Two groups of three devices around 3 x 9 elements.
  EXPECT_EQ(reduce.getPredictedBytes(), 2 * (2 * (3 - 1) * 27) * 4);
  EXPECT_EQ(reduce.getGroupSize(), 3);
  EXPECT_EQ(reduce.getReduction(), Monoid::Add);
  EXPECT_EQ(reduce.getCombineRegion(), nullptr);
  auto scatter =
      collective<ReduceScatterOp>(partial, scattered, f32, Monoid::Max);
  EXPECT_EQ(scatter.getPredictedBytes(), 2 * ((3 - 1) * 27) * 4);
  EXPECT_EQ(scatter.getKind(), CollectiveKind::ReduceScatter);
}

TEST_F(CollectiveTest, PermutesAndHalos) {
  DeviceGrid four = DeviceGrid::ofPrimes(4);
  auto ab = layout(four, {8}, {{0, 1}}), ba = layout(four, {8}, {{1, 0}});
  auto permute = collective<CollectivePermuteOp>(ab, ba, builder.getI64Type());
  EXPECT_EQ(permute.getKind(), CollectiveKind::CollectivePermute);
  // Devices 1 and 2 exchange two elements each.
  EXPECT_EQ(permute.getPredictedBytes(), 2 * 2 * 8);
}

} // namespace
