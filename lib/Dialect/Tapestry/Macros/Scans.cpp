//===- Scans.cpp - Running values of expressions --------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScan.h"
#include "tapestry/Dialect/Tapestry/Macros/Macros.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// The tensor that `expr` is, by its dimensions; null where it is more.
static Value tensorOf(const ScalarExpr &expr, ArrayRef<int64_t> shape) {
  if (expr.body || expr.reads.size() != 1)
    return {};
  const ScalarRead &read = expr.reads.front();
  auto type = cast<RankedTensorType>(read.tensor.getType());
  bool isWhole = !read.pad && read.map.isIdentity() && type.getShape() == shape;
  return isWhole ? read.tensor : Value();
}

Operation *teg::buildScan(OpBuilder &builder, Location loc, StringRef name,
                          ArrayRef<ScalarLabel> labels, unsigned along,
                          tapestry::Monoid monoid, Type elementType,
                          const ScalarExpr &expr) {
  SmallVector<StringRef> names;
  SmallVector<int64_t> extents;
  for (const ScalarLabel &label : labels) {
    names.push_back(label.name);
    extents.push_back(label.extent);
  }
  Value operand = tensorOf(expr, extents);
  if (!operand) {
    // Not rounded before it is combined.
    bool isNarrow = elementType.isF16() || elementType.isBF16();
    operand = buildEinsum(builder, loc, (name + ".term").str(), labels,
                          labels.size(), tapestry::Monoid::None,
                          isNarrow ? builder.getF32Type() : elementType, expr);
  }
  return ScanOp::create(
      builder, loc, RankedTensorType::get(extents, elementType), name,
      builder.getStrArrayAttr(names), monoid, names[along], operand,
      /*custom_identity=*/nullptr, /*partition=*/nullptr, /*home=*/nullptr,
      /*home_route=*/nullptr, /*operand_routes=*/nullptr);
}
