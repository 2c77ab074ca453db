//===- RequireOp.cpp - The end of a run whose indices lie outside ---------===//

#include "PlacementRules.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/Place.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

llvm::SmallVector<std::string> RequireOp::getLabelNames() { return {}; }
llvm::SmallVector<int64_t> RequireOp::getLabelExtents() { return {}; }
llvm::SmallVector<LabelKind> RequireOp::getLabelKinds() { return {}; }

llvm::SmallVector<Value> RequireOp::getTensorOperands() {
  return {getFirst(), getValue()};
}

std::vector<Access> RequireOp::getAccesses(unsigned) { return {Access()}; }

std::vector<Projection> RequireOp::getResultProjections() {
  return {Projection()};
}

Monoid RequireOp::getResultMonoid(unsigned) { return Monoid::None; }
TypedAttr RequireOp::getMonoidIdentity(unsigned) { return {}; }
Value RequireOp::emitCombine(unsigned, OpBuilder &, Location, Value, Value) {
  return {};
}

PointWork RequireOp::getWork() { return {}; }

FailureOr<llvm::SmallVector<Value>>
RequireOp::lowerLocal(OpBuilder &b, Location loc, const LocalBlock &block) {
  // Device code has no places of its own.
  std::string place = placeOf(getLoc());
  index::RequireOp::create(
      b, loc, block.windows[0], block.windows[1],
      b.getStringAttr((place.empty() ? "" : place + ": ") + "error: "),
      getIndexAttr(), getShapeAttr(), getBoundAttr(), getUnsignedValueAttr());
  return llvm::SmallVector<Value>{block.windows[0]};
}

llvm::Expected<std::vector<HostTensor>>
RequireOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  int64_t first = operands[0]->data<int64_t>().front();
  if (first != nothingOutside) {
    int64_t count = llvm::product_of(getShape());
    if (first < 0 || first >= count)
      return llvm::createStringError(
          "index " + getIndex() + " has " + llvm::Twine(count) +
          " elements, none with the number " + llvm::Twine(first));
    int64_t value = operands[1]->data<int64_t>().front();
    std::string coordinate;
    for (int64_t extent : llvm::reverse(getShape())) {
      coordinate = (coordinate.empty() ? "]" : ", ") + coordinate;
      coordinate = std::to_string(first % extent) + coordinate;
      first /= extent;
    }
    return llvm::createStringError(
        "index " + getIndex() + (coordinate.empty() ? "" : "[") + coordinate +
        " is " +
        (getUnsignedValue() ? llvm::utostr(value) : llvm::itostr(value)) +
        ", but " + getBound());
  }
  std::vector<HostTensor> results;
  results.push_back(*operands.front());
  return results;
}

LogicalResult RequireOp::verify() {
  // require_c1
  if (failed(index::verifyNumbered(*this, getShape())))
    return failure();
  // require_c2
  if (failed(verifyPartition(*this, getPartitionAttr(), 0, "label")) ||
      failed(verifyHome(*this, getHomeAttr(), {})))
    return failure();
  return verifyRoutes(*this, getHomeRouteAttr(), getOperandRoutesAttr(),
                      getHomeAttr(), getOperands());
}
