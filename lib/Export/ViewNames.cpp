//===- ViewNames.cpp - What operators are that only move elements ---------===//

#include "ViewNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tapestry;

namespace {
/// What a body does with elements.
enum class Body { Computes, HandsOn, Chooses };
} // namespace

/// Labels may be computed with, elements be chosen only.
static Body bodyOf(Region &scalar) {
  llvm::DenseSet<Value> elements;
  elements.insert(scalar.args_begin(), scalar.args_end());
  auto isElement = [&](Value value) { return elements.contains(value); };
  bool chooses = false;
  for (Operation &step : scalar.front().without_terminator()) {
    if (llvm::none_of(step.getOperands(), isElement))
      continue;
    auto select = dyn_cast<arith::SelectOp>(step);
    if (!select || isElement(select.getCondition()))
      return Body::Computes;
    elements.insert(select.getResult());
    chooses = true;
  }
  if (!llvm::all_of(scalar.front().getTerminator()->getOperands(), isElement))
    return Body::Computes;
  return chooses ? Body::Chooses : Body::HandsOn;
}

/// How one operand is read at the points that write `written`.
static llvm::StringRef nameOfRead(const Access &read,
                                  const Projection &written) {
  if (read.fallback != AccessFallback::None)
    return "pad";
  bool divides = false, reverses = false, shifts = false, drops = false;
  llvm::SmallVector<unsigned> order, target;
  for (const ProjectionDim &dim : read.projection.dims) {
    divides |= !dim.isLinear();
    drops |= dim.terms.empty();
    if (dim.terms.size() != 1)
      continue;
    int64_t coefficient = dim.terms.front().coefficient;
    order.push_back(dim.terms.front().dim);
    reverses |= coefficient < 0;
    shifts |= coefficient > 1 || (coefficient == 1 && dim.constant != 0);
  }
  for (const ProjectionDim &dim : written.dims)
    if (dim.isPlainDim())
      target.push_back(dim.terms.front().dim);
  // What one selector does beside keeping the order of labels.
  llvm::SmallVector<llvm::StringRef> names;
  if (divides)
    names.push_back("repeat");
  if (reverses)
    names.push_back("reverse");
  if (shifts || drops)
    names.push_back("slice");
  if (order.size() < target.size() && !drops)
    names.push_back("broadcast");
  llvm::erase_if(target,
                 [&](unsigned label) { return !is_contained(order, label); });
  if (order != target)
    names.push_back("permute");
  if (names.empty())
    return "copy";
  return names.size() == 1 ? names.front() : "view";
}

llvm::StringRef tapestry::viewName(BlockOpInterface op) {
  Region *scalar = op.getScalarRegion();
  if (!scalar || op->getNumResults() != 1 ||
      op.getResultMonoid(0) != Monoid::None)
    return {};
  Body body = bodyOf(*scalar);
  if (body == Body::Computes)
    return {};
  if (body == Body::Chooses)
    return "concat";
  Projection written = op.getResultProjections().front();
  llvm::StringRef name;
  for (auto &[operand, read] : op.getReads()) {
    llvm::StringRef one = nameOfRead(read, written);
    if (!name.empty() && name != one)
      return "view";
    name = one;
  }
  return name;
}
