//===- IndexAttrsTest.cpp - Attributes of tapestry_index against structs --===//

#include "tapestry/Dialect/Index/IR/IndexAttrs.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::index;

namespace {

class IndexAttrsTest : public ::testing::Test {
protected:
  IndexAttrsTest() { context.loadDialect<TapestryIndexDialect>(); }

  int64_t pick(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  }

  /// The attribute that the text of `attr` stands for.
  Attribute reparsed(Attribute attr) {
    std::string text;
    llvm::raw_string_ostream(text) << attr;
    return parseAttribute(text, &context);
  }

  MLIRContext context;
  std::mt19937 random{20240607};
};

TEST_F(IndexAttrsTest, GridsGiveTheirStructBack) {
  DeviceGrid grid = DeviceGrid::ofPrimes(60);
  auto attr = GridAttr::get(&context, grid);
  EXPECT_EQ(attr.getDeviceGrid(), grid);
  EXPECT_EQ(attr.getDeviceGrid().numDevices(), 60);
  EXPECT_EQ(reparsed(attr), attr);
  EXPECT_NE(attr, GridAttr::get(&context, DeviceGrid::ofPrimes(61)));
}

TEST_F(IndexAttrsTest, RangesKeepEmptyBoundsApart) {
  ZBox box = {{3, 7}, {-2, 5}};
  auto attr = RangeAttr::get(&context, box);
  EXPECT_EQ(attr.getBox(), box);
  EXPECT_EQ(attr.getRank(), 2u);
  EXPECT_NE(RangeAttr::get(&context, ZBox{{3, 3}}),
            RangeAttr::get(&context, ZBox{{4, 4}}));
}

TEST_F(IndexAttrsTest, PartitionsResolveOnAGrid) {
  DeviceGrid grid = DeviceGrid::ofPrimes(30);
  Partition partition;
  partition.cuts = {{2}, {}, {1, 0}};
  auto attr = PartitionAttr::get(&context, grid, partition);
  EXPECT_EQ(attr.getAxes(2),
            (llvm::SmallVector<llvm::StringRef>{"d.1", "d.0"}));
  EXPECT_FALSE(attr.isTrivial());
  FailureOr<Partition> resolved = attr.getPartition(grid);
  ASSERT_TRUE(succeeded(resolved));
  EXPECT_EQ(*resolved, partition);
  // A grid of 6 devices has no axis d.2.
  EXPECT_TRUE(failed(attr.getPartition(DeviceGrid::ofPrimes(6))));
}

TEST_F(IndexAttrsTest, RandomProjectionsRoundTrip) {
  for (int round = 0; round < 200; ++round) {
    unsigned rank = pick(0, 4);
    Projection projection;
    for (int64_t dims = pick(0, 4); dims > 0; --dims) {
      ProjectionDim &dim = projection.dims.emplace_back();
      for (unsigned label = 0; label < rank; ++label)
        if (int64_t coefficient = pick(-3, 3))
          dim.terms.push_back({label, coefficient});
      dim.constant = pick(-5, 5);
      dim.size = pick(1, 3);
      dim.stride = pick(1, 3);
      if (round % 2) {
        dim.floordiv = pick(1, 3);
        dim.mod = pick(0, 5);
      }
    }
    auto attr = ProjectionAttr::get(&context, rank, projection);
    EXPECT_EQ(attr.getProjection(), projection);
    EXPECT_EQ(attr.getIndexRank(), rank);
    EXPECT_EQ(reparsed(attr), attr);

    // The affine map says the same, but for shapes and strides.
    if (round % 2) {
      for (auto [start, dim] :
           llvm::zip_equal(attr.getStartMap().getResults(), projection.dims)) {
        SmallVector<Attribute> point;
        ZBox box;
        for (unsigned label = 0; label < rank; ++label) {
          int64_t at = pick(-9, 9);
          point.push_back(Builder(&context).getIndexAttr(at));
          box.push_back({at, at + 1});
        }
        SmallVector<Attribute> value;
        ASSERT_TRUE(succeeded(
            AffineMap::get(rank, 0, start).constantFold(point, value)));
        EXPECT_EQ(cast<IntegerAttr>(value[0]).getInt(),
                  imageOfDim(dim, box).lo);
      }
      continue;
    }
    FailureOr<Projection> starts = getLinearForms(attr.getStartMap());
    ASSERT_TRUE(succeeded(starts));
    for (auto [start, dim] : llvm::zip_equal(starts->dims, projection.dims)) {
      EXPECT_EQ(start.terms, dim.terms);
      EXPECT_EQ(start.constant, dim.constant);
    }
  }
}

TEST_F(IndexAttrsTest, RandomLayoutsRoundTrip) {
  DeviceGrid grid = DeviceGrid::ofPrimes(210);
  for (int round = 0; round < 200; ++round) {
    Layout layout;
    unsigned axis = 0;
    for (int64_t dims = pick(0, 3); dims > 0; --dims) {
      LayoutDim &dim = layout.dims.emplace_back();
      dim.extent = pick(0, 40);
      dim.constant = pick(-4, 4);
      dim.span = pick(1, 3);
      for (int64_t terms = pick(0, 2); terms > 0; --terms) {
        LayoutTerm &term = dim.terms.emplace_back();
        term.coefficient = pick(0, 1) ? pick(1, 3) : -pick(1, 3);
        term.extent = pick(0, 20);
        while (axis < grid.axes.size() && pick(0, 1))
          term.cut.push_back(axis++);
        if (pick(0, 2) == 0) {
          term.within = ZRange{pick(0, term.extent), pick(0, term.extent)};
          term.coefficient *= pick(0, 1);
        }
      }
      if (pick(0, 2) == 0) {
        dim.floordiv = pick(1, 4);
        dim.mod = pick(0, 5);
      }
    }
    while (axis < grid.axes.size() && pick(0, 1))
      layout.partial.push_back(axis++);
    auto attr = LayoutAttr::get(&context, grid, layout);
    EXPECT_EQ(attr.getLayout(), layout);
    EXPECT_EQ(attr.getDeviceGrid(), grid);
    EXPECT_EQ(reparsed(attr), attr);
  }
}

TEST_F(IndexAttrsTest, LinearFormsRefuseWhatIsNotLinear) {
  AffineExpr i = getAffineDimExpr(0, &context);
  AffineExpr j = getAffineDimExpr(1, &context);
  EXPECT_TRUE(failed(getLinearForm(i.floorDiv(2))));
  EXPECT_TRUE(failed(getLinearForm(i % 3 + j)));
  EXPECT_TRUE(failed(getLinearForm(getAffineSymbolExpr(0, &context) + i)));
  int64_t large = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(failed(getLinearForm((i * large + j) * 2)));
  FailureOr<ProjectionDim> form = getLinearForm((i * 3 - j) * 2 - 5 + j);
  ASSERT_TRUE(succeeded(form));
  EXPECT_EQ(form->terms, (llvm::SmallVector<AffineTerm, 2>{{0, 6}, {1, -1}}));
  EXPECT_EQ(form->constant, -5);
}

/// Whatever upstream makes of an expression, its form has the same values and
/// prints as what is parsed.
TEST_F(IndexAttrsTest, SubscriptsDivideAndWrapAround) {
  AffineExpr i = getAffineDimExpr(0, &context);
  AffineExpr j = getAffineDimExpr(1, &context);
  unsigned known = 0;
  for (int round = 0; round < 3000; ++round) {
    AffineExpr expr = i * pick(-3, 3) + j * pick(-3, 3) + pick(-9, 9);
    for (int64_t steps = pick(1, 3); steps > 0; --steps) {
      int64_t by = pick(1, 6) * pick(1, 2);
      if (int64_t what = pick(0, 2); what == 0)
        expr = expr.floorDiv(by);
      else if (what == 1)
        expr = expr % by;
      else
        expr = expr + i * pick(-2, 2) + by;
    }
    FailureOr<ProjectionDim> form = getSubscript(expr);
    if (failed(form))
      continue;
    ++known;
    AffineMap map = AffineMap::get(2, 0, expr);
    AffineMap canonical = canonicalSubscripts(map);
    EXPECT_EQ(getAffineExpr(*form, &context),
              getAffineExpr(*getSubscript(canonical.getResult(0)), &context));
    for (int64_t x = -7; x < 7; ++x)
      for (int64_t y = -7; y < 7; ++y) {
        int64_t value = form->constant;
        for (const AffineTerm &term : form->terms)
          value += term.coefficient * (term.dim == 0 ? x : y);
        value = wrapped({value, value + 1}, form->floordiv, form->mod).lo;
        EXPECT_EQ(map.compose(llvm::ArrayRef<int64_t>{x, y})[0], value);
        EXPECT_EQ(canonical.compose(llvm::ArrayRef<int64_t>{x, y})[0], value);
      }
  }
  EXPECT_GT(known, 1000u);
}

TEST_F(IndexAttrsTest, SubscriptsArePrintedAsTheyAreParsed) {
  AffineExpr i = getAffineDimExpr(0, &context);
  AffineExpr j = getAffineDimExpr(1, &context);
  auto text = [](AffineExpr expr) {
    std::string printed;
    llvm::raw_string_ostream os(printed);
    printSubscript(os, *getSubscript(expr),
                   [&](unsigned dim) { os << (dim == 0 ? "i" : "j"); });
    return printed;
  };
  EXPECT_EQ(text((i + 1) % 8), "(i + 1) mod 8");
  EXPECT_EQ(text(i.floorDiv(4)), "i floordiv 4");
  EXPECT_EQ(text(i.floorDiv(4) - 1), "(i - 4) floordiv 4");
  EXPECT_EQ(text((i * 2 - j).floorDiv(3) % 5),
            "((2 * i - j) floordiv 3) mod 5");
  EXPECT_EQ(text((i % 12).floorDiv(4)), "(i floordiv 4) mod 3");
  EXPECT_EQ(text((i % 12) % 4), "i mod 4");
  EXPECT_TRUE(failed(getSubscript((i % 12).floorDiv(5))));
  EXPECT_TRUE(failed(getSubscript(i % 12 + 1)));
  EXPECT_TRUE(failed(getSubscript(i.floorDiv(2) + j.floorDiv(3))));
}

} // namespace
