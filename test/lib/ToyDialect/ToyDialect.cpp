//===- ToyDialect.cpp - A dialect that Tapestry knows nothing of ----------===//
//
// A plug-in with six operators. What the planner and the lowering ask of them
// is answered here (medians), in Moves.cpp (operators that read or write in
// pieces) and, for all, in Placement.cpp, ToyLowering.cpp and ToyEvaluate.cpp.
//
//===----------------------------------------------------------------------===//

#include "Toy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"
#include "tapestry/Plugin.h"

using namespace mlir;
using namespace tapestry;
using namespace toy;

#include "ToyDialect.cpp.inc"

#define GET_OP_CLASSES
#include "ToyOps.cpp.inc"

void ToyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ToyOps.cpp.inc"
      >();
}

LogicalResult MedianStatsOp::verify() {
  RankedTensorType input = getInput().getType();
  auto row =
      RankedTensorType::get({input.getDimSize(0)}, input.getElementType());
  if (input.getRank() != 2 || !input.hasStaticShape() ||
      !isa<Float16Type, Float32Type>(input.getElementType()) ||
      getEnergy().getType() != row || getPeak().getType() != row)
    return emitOpError("makes two vectors, one element per row, of a matrix of "
                       "f16 or f32");
  return success();
}

//===----------------------------------------------------------------------===//
// Index space: rows, and columns that are reduced
//===----------------------------------------------------------------------===//

SmallVector<std::string> MedianStatsOp::getLabelNames() {
  return {"row", "column"};
}

SmallVector<int64_t> MedianStatsOp::getLabelExtents() {
  return llvm::to_vector(getInput().getType().getShape());
}

SmallVector<LabelKind> MedianStatsOp::getLabelKinds() {
  return {LabelKind::Parallel, LabelKind::Reduced};
}

SmallVector<Value> MedianStatsOp::getTensorOperands() { return {getInput()}; }

std::vector<Access> MedianStatsOp::getAccesses(unsigned) {
  // Three rows around each point.
  Access window;
  window.projection = Projection::identity(2);
  window.projection.dims[0].constant = -1;
  window.projection.dims[0].size = 3;
  window.fallback = AccessFallback::Pad;
  return {window};
}

TypedAttr MedianStatsOp::getPad(unsigned) {
  return cast<TypedAttr>(
      Builder(getContext()).getZeroAttr(getInput().getType().getElementType()));
}

std::vector<Projection> MedianStatsOp::getResultProjections() {
  return {Projection::identity(1), Projection::identity(1)};
}

//===----------------------------------------------------------------------===//
// Results and cost
//===----------------------------------------------------------------------===//

Monoid MedianStatsOp::getResultMonoid(unsigned result) {
  return result == 0 ? Monoid::Custom : Monoid::Max;
}

TypedAttr MedianStatsOp::getMonoidIdentity(unsigned result) {
  Builder b(getContext());
  return result == 0 ? TypedAttr(b.getF32FloatAttr(0))
                     : monoidIdentity(Monoid::Max,
                                      getPeak().getType().getElementType());
}

// Rows do not know where they stand, nor do columns.
bool MedianStatsOp::readsPlaceAlong(unsigned) { return false; }

PointWork MedianStatsOp::getWork() {
  // A median, a norm and a maximum.
  return {/*flops=*/4 + 4 + 1, /*bytes=*/0};
}

extern "C" const PluginInfo *tapestryGetPluginInfo() {
  static const PluginInfo info = {
      pluginAPIVersion, "toy",
      [](DialectRegistry &registry) { registry.insert<ToyDialect>(); },
      nullptr};
  return &info;
}
