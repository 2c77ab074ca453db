//===- IndexFolds.cpp - Constant folding of tapestry_index's ops ----------===//
//
// Folds by the plain structs of tapestry/Support, which makes a folded op an
// independent check of what tapestry-lower-index emits.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::index;

/// The values of constant operands; nothing where one is not constant or so
/// large that the arithmetic might leave 64 bits.
static std::optional<llvm::SmallVector<int64_t>>
getValues(llvm::ArrayRef<Attribute> operands) {
  constexpr int64_t limit = int64_t(1) << 31;
  llvm::SmallVector<int64_t> values;
  for (Attribute operand : operands) {
    auto value = dyn_cast_or_null<IntegerAttr>(operand);
    if (!value || value.getInt() >= limit || value.getInt() <= -limit)
      return std::nullopt;
    values.push_back(value.getInt());
  }
  return values;
}

/// The box of constant lo, hi operands.
static std::optional<ZBox> getConstantBox(llvm::ArrayRef<Attribute> operands) {
  auto values = getValues(operands);
  if (!values)
    return std::nullopt;
  ZBox box;
  for (size_t i = 0; i + 1 < values->size(); i += 2)
    box.push_back({(*values)[i], (*values)[i + 1]});
  return box;
}

/// Whether image and apply stay within 64 bits at the operands that
/// `getValues` admits.
static bool hasSmallNumbers(const Projection &projection) {
  constexpr int64_t limit = int64_t(1) << 24;
  auto isSmall = [](int64_t value) { return -limit < value && value < limit; };
  auto isSmallTerm = [&](const AffineTerm &term) {
    return isSmall(term.coefficient);
  };
  return llvm::all_of(projection.dims, [&](const ProjectionDim &dim) {
    return dim.terms.size() < 64 && isSmall(dim.constant) &&
           isSmall(dim.size) && isSmall(dim.stride) && isSmall(dim.floordiv) &&
           isSmall(dim.mod) && llvm::all_of(dim.terms, isSmallTerm);
  });
}

static LogicalResult setResults(MLIRContext *context,
                                llvm::ArrayRef<int64_t> values,
                                llvm::SmallVectorImpl<OpFoldResult> &results) {
  Builder builder(context);
  for (int64_t value : values)
    results.push_back(builder.getIndexAttr(value));
  return success();
}

static LogicalResult setResults(MLIRContext *context,
                                llvm::ArrayRef<ZRange> box,
                                llvm::SmallVectorImpl<OpFoldResult> &results) {
  llvm::SmallVector<int64_t> values;
  for (const ZRange &range : box)
    values.append({range.lo, range.hi});
  return setResults(context, values, results);
}

LogicalResult ApplyOp::fold(FoldAdaptor adaptor,
                            llvm::SmallVectorImpl<OpFoldResult> &results) {
  const Projection &projection = getProjection().getProjection();
  auto point = getValues(adaptor.getPoint());
  if (!point || !hasSmallNumbers(projection))
    return failure();
  llvm::SmallVector<int64_t> starts;
  for (const ProjectionDim &dim : projection.dims) {
    int64_t start = dim.constant;
    for (const AffineTerm &term : dim.terms)
      start += term.coefficient * (*point)[term.dim];
    starts.push_back(
        wrapped({start, start + 1}, dim.floordiv, dim.mod, dim.fold).lo);
  }
  return setResults(getContext(), starts, results);
}

LogicalResult ImageOp::fold(FoldAdaptor adaptor,
                            llvm::SmallVectorImpl<OpFoldResult> &results) {
  const Projection &projection = getProjection().getProjection();
  std::optional<ZBox> box = getConstantBox(adaptor.getBounds());
  if (!box || !hasSmallNumbers(projection))
    return failure();
  return setResults(getContext(), projection.image(*box), results);
}

LogicalResult IntersectOp::fold(FoldAdaptor adaptor,
                                llvm::SmallVectorImpl<OpFoldResult> &results) {
  std::optional<ZBox> lhs = getConstantBox(adaptor.getLhs());
  std::optional<ZBox> rhs = getConstantBox(adaptor.getRhs());
  if (!lhs || !rhs)
    return failure();
  return setResults(getContext(), intersect(*lhs, *rhs), results);
}

LogicalResult PartOp::fold(FoldAdaptor adaptor,
                           llvm::SmallVectorImpl<OpFoldResult> &results) {
  const DeviceGrid &grid = getLayout().getDeviceGrid();
  auto device = getValues(adaptor.getDevice());
  // A device outside the grid has no part; leave that to run time.
  if (!device || device->front() < 0 || device->front() >= grid.numDevices())
    return failure();
  const Layout &layout = getLayout().getLayout();
  ZBox box = getUnclipped() ? layout.imageBox(grid, device->front())
                            : layout.box(grid, device->front());
  return setResults(getContext(), box, results);
}
