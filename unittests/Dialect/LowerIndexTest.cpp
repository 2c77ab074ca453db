//===- LowerIndexTest.cpp - Lowered index code against the structs --------===//
//
// Lowers ops on constants: what the emitted arithmetic folds to must be what
// the plain structs say, for every device and random layouts, projections and
// boxes.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Dialect/Index/Transforms/Passes.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::index;

namespace {

class LowerIndexTest : public ::testing::Test {
protected:
  LowerIndexTest() : builder(&context), loc(builder.getUnknownLoc()) {
    context.loadDialect<TapestryIndexDialect, arith::ArithDialect>();
    context.allowUnregisteredDialects();
    module = ModuleOp::create(loc);
    builder.setInsertionPointToStart(module->getBody());
  }

  int64_t pick(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  llvm::SmallVector<Value> constants(llvm::ArrayRef<ZRange> box) {
    llvm::SmallVector<Value> values;
    for (const ZRange &range : box)
      values.append({constant(range.lo), constant(range.hi)});
    return values;
  }

  /// Records that `values` must turn out to be `box`.
  void expect(ValueRange values, ZBox box) {
    OperationState state(loc, "test.use");
    state.addOperands(values);
    expectations.emplace_back(builder.create(state), std::move(box));
  }

  /// Lowers everything and compares.
  void check() {
    RewritePatternSet patterns(&context);
    populateLowerTapestryIndexPatterns(patterns);
    walkAndApplyPatterns(*module, std::move(patterns));
    for (auto &[use, box] : expectations) {
      ASSERT_EQ(use->getNumOperands(), 2 * box.size());
      for (auto [dim, range] : llvm::enumerate(box)) {
        EXPECT_EQ(valueOf(use->getOperand(2 * dim)), range.lo);
        EXPECT_EQ(valueOf(use->getOperand(2 * dim + 1)), range.hi);
      }
    }
  }

  std::optional<int64_t> valueOf(Value value) {
    llvm::APInt result;
    if (matchPattern(value, m_ConstantInt(&result)))
      return result.getSExtValue();
    return std::nullopt;
  }

  /// A range of small numbers, empty now and then.
  ZRange pickRange() {
    int64_t lo = pick(-6, 6);
    return {lo, lo + pick(-1, 7)};
  }

  Projection pickProjection(unsigned rank) {
    Projection projection;
    for (int64_t dims = pick(1, 3); dims > 0; --dims) {
      ProjectionDim &dim = projection.dims.emplace_back();
      for (unsigned label = 0; label < rank; ++label)
        if (int64_t coefficient = pick(-3, 3))
          dim.terms.push_back({label, coefficient});
      dim.constant = pick(-5, 5);
      dim.size = pick(1, 3);
      dim.stride = pick(1, 3);
      if (pick(0, 1)) {
        dim.floordiv = pick(1, 3);
        dim.mod = pick(0, 6);
      }
    }
    return projection;
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
  OwningOpRef<ModuleOp> module;
  std::vector<std::pair<Operation *, ZBox>> expectations;
  std::mt19937 random{31};
};

TEST_F(LowerIndexTest, PartsOfRandomLayouts) {
  for (int round = 0; round < 60; ++round) {
    DeviceGrid grid = DeviceGrid::ofPrimes(pick(1, 12));
    Layout layout;
    unsigned axis = 0;
    for (int64_t dims = pick(1, 2); dims > 0; --dims) {
      LayoutDim &dim = layout.dims.emplace_back();
      dim.extent = pick(0, 20);
      dim.constant = pick(-3, 3);
      dim.span = pick(1, 3);
      for (int64_t terms = pick(0, 2); terms > 0; --terms) {
        LayoutTerm &term = dim.terms.emplace_back();
        term.coefficient = pick(0, 1) ? pick(1, 2) : -pick(1, 2);
        term.extent = pick(0, 9);
        while (axis < grid.axes.size() && pick(0, 1))
          term.cut.push_back(axis++);
        if (pick(0, 2) == 0)
          term.within = ZRange{pick(0, term.extent), pick(0, term.extent)};
      }
      if (pick(0, 1)) {
        dim.floordiv = pick(1, 3);
        dim.mod = pick(0, 6);
      }
      // Plain cuts have a path of their own.
      if (pick(0, 1)) {
        dim.constant = 0;
        dim.span = 1;
        dim.floordiv = 1;
        dim.mod = 0;
        dim.terms.assign(1, LayoutTerm());
        dim.terms[0].coefficient = 1;
        dim.terms[0].extent = dim.extent;
      }
    }
    auto attr = LayoutAttr::get(&context, grid, layout);
    for (int64_t device = 0; device < grid.numDevices(); ++device) {
      auto clipped = PartOp::create(builder, loc, attr, constant(device));
      expect(clipped.getBox(), layout.box(grid, device));
      auto whole = PartOp::create(builder, loc, attr, constant(device),
                                  /*unclipped=*/true);
      expect(whole.getBox(), layout.imageBox(grid, device));
    }
  }
  check();
}

TEST_F(LowerIndexTest, ImagesOfRandomProjections) {
  for (int round = 0; round < 200; ++round) {
    unsigned rank = pick(0, 3);
    Access access{pickProjection(rank)};
    ZBox box, point;
    llvm::SmallVector<Value> at;
    for (unsigned label = 0; label < rank; ++label) {
      box.push_back(pickRange());
      at.push_back(constant(pick(-9, 9)));
      point.push_back({*valueOf(at.back()), *valueOf(at.back()) + 1});
      if (round % 2)
        access.guard.push_back(pickRange());
    }
    auto attr = ProjectionAttr::get(&context, rank, access.projection);
    auto image = ImageOp::create(builder, loc, attr, constants(box));
    expect(image.getImage(), access.projection.image(box));
    auto start = ApplyOp::create(builder, loc, attr, at);
    llvm::SmallVector<Value> starts, ends;
    for (const ZRange &range : box) {
      starts.push_back(constant(range.lo));
      ends.push_back(constant(range.hi));
    }
    llvm::SmallVector<Value> window =
        emitWindowStarts(builder, loc, access, starts, ends);
    // Two values each, compared as bounds.
    for (auto [dim, at] : llvm::enumerate(start.getStarts())) {
      int64_t first = access.projection.image(point)[dim].lo;
      int64_t least = access.image(box)[dim].lo;
      expect({at, window[dim]}, {{first, least}});
    }
  }
  check();
}

TEST_F(LowerIndexTest, RandomBoxes) {
  for (int round = 0; round < 200; ++round) {
    ZBox a, b;
    for (int64_t dims = pick(0, 3); dims > 0; --dims) {
      a.push_back(pickRange());
      b.push_back(pickRange());
    }
    auto both = IntersectOp::create(builder, loc, constants(a), constants(b));
    expect(both.getBox(), tapestry::intersect(a, b));
  }
  check();
}

} // namespace
