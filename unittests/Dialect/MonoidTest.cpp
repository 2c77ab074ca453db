//===- MonoidTest.cpp - Identities and combinations of named monoids ------===//

#include "tapestry/Interfaces/Monoid.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace tapestry;

namespace {

class MonoidTest : public ::testing::Test {
protected:
  MonoidTest() : builder(&context) {
    context.loadDialect<arith::ArithDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
    builder.setInsertionPointToStart(module->getBody());
  }

  /// The value that a monoid combines two constants to, by constant folding.
  Attribute combine(Monoid monoid, TypedAttr a, TypedAttr b) {
    Location loc = builder.getUnknownLoc();
    Value x = arith::ConstantOp::create(builder, loc, a);
    Value y = arith::ConstantOp::create(builder, loc, b);
    Operation *op = emitMonoid(builder, loc, monoid, x, y).getDefiningOp();
    llvm::SmallVector<OpFoldResult> results;
    if (failed(op->fold({a, b}, results)) || results.size() != 1)
      return {};
    if (auto folded = dyn_cast<Attribute>(results.front()))
      return folded;
    Attribute folded;
    matchPattern(cast<Value>(results.front()), m_Constant(&folded));
    return folded;
  }

  TypedAttr number(Type type) {
    int64_t value = std::uniform_int_distribution<int64_t>(-100, 100)(random);
    if (auto floatType = dyn_cast<FloatType>(type))
      return builder.getFloatAttr(floatType, value / 4.0);
    unsigned width = type.getIntOrFloatBitWidth();
    return builder.getIntegerAttr(
        type, llvm::APInt(64, value, /*isSigned=*/true).trunc(width));
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  std::mt19937 random{7};
};

const Monoid named[] = {Monoid::Add, Monoid::Mul, Monoid::Max, Monoid::Min,
                        Monoid::And, Monoid::Or,  Monoid::Xor};

TEST_F(MonoidTest, IdentityChangesNothing) {
  llvm::SmallVector<Type> types = {
      builder.getF64Type(),  builder.getF32Type(), builder.getF16Type(),
      builder.getBF16Type(), builder.getI8Type(),  builder.getI16Type(),
      builder.getI32Type(),  builder.getI64Type(), builder.getI1Type()};
  int checked = 0;
  for (Type type : types) {
    for (Monoid monoid : named) {
      if (!isLegalMonoid(monoid, type))
        continue;
      TypedAttr identity = monoidIdentity(monoid, type);
      ASSERT_TRUE(identity) << stringifyMonoid(monoid).str();
      EXPECT_EQ(identity.getType(), type);
      for (int round = 0; round < 10; ++round) {
        TypedAttr value = number(type);
        EXPECT_EQ(combine(monoid, value, identity), value)
            << stringifyMonoid(monoid).str();
        ++checked;
      }
    }
  }
  // Four floats with four monoids, four integers with seven, i1 with five.
  EXPECT_EQ(checked, 10 * (4 * 4 + 4 * 7 + 5));
}

TEST_F(MonoidTest, CombinesByItsMeaning) {
  auto i32 = [&](int value) { return builder.getI32IntegerAttr(value); };
  EXPECT_EQ(combine(Monoid::Add, i32(-5), i32(3)), i32(-2));
  EXPECT_EQ(combine(Monoid::Mul, i32(-5), i32(3)), i32(-15));
  EXPECT_EQ(combine(Monoid::Max, i32(-5), i32(3)), i32(3));
  EXPECT_EQ(combine(Monoid::Min, i32(-5), i32(3)), i32(-5));
  EXPECT_EQ(combine(Monoid::And, i32(12), i32(10)), i32(8));
  EXPECT_EQ(combine(Monoid::Or, i32(12), i32(10)), i32(14));
  EXPECT_EQ(combine(Monoid::Xor, i32(12), i32(10)), i32(6));
  // false < true, whatever the sign of a one-bit integer.
  TypedAttr yes = builder.getBoolAttr(true), no = builder.getBoolAttr(false);
  EXPECT_EQ(combine(Monoid::Max, yes, no), yes);
  EXPECT_EQ(combine(Monoid::Min, yes, no), no);
}

TEST_F(MonoidTest, LegalityFollowsTheType) {
  EXPECT_FALSE(isLegalMonoid(Monoid::Add, builder.getI1Type()));
  EXPECT_FALSE(isLegalMonoid(Monoid::Mul, builder.getI1Type()));
  EXPECT_TRUE(isLegalMonoid(Monoid::Max, builder.getI1Type()));
  EXPECT_FALSE(isLegalMonoid(Monoid::And, builder.getF32Type()));
  EXPECT_TRUE(isLegalMonoid(Monoid::Xor, builder.getI8Type()));
  EXPECT_FALSE(monoidIdentity(Monoid::None, builder.getF32Type()));
  EXPECT_FALSE(monoidIdentity(Monoid::Custom, builder.getF32Type()));
}

} // namespace
