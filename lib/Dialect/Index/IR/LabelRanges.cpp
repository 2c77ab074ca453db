//===- LabelRanges.cpp - Where scalar regions choose what -----------------===//

#include "tapestry/Dialect/Index/IR/LabelRanges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tapestry;

/// How many operations are looked at.
static constexpr unsigned mostOperations = 256;

static std::optional<int64_t> numberOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) ||
      number.getSignificantBits() > 62)
    return std::nullopt;
  return number.getSExtValue();
}

namespace {
/// label + shift.
struct ShiftedLabel {
  unsigned label;
  int64_t shift;
};

class RangeFinder {
public:
  RangeFinder(llvm::ArrayRef<ZRange> points, index::LabelOf labelOf)
      : points(points), labelOf(labelOf) {}

  ZBox where(Value condition, bool isTrue);
  ZBox choosing(Value value);

private:
  std::optional<ShiftedLabel> labelIn(Value value);
  ZBox whereCompared(arith::CmpIOp compare, bool isTrue);

  llvm::ArrayRef<ZRange> points;
  index::LabelOf labelOf;
  unsigned left = mostOperations;
};
} // namespace

std::optional<ShiftedLabel> RangeFinder::labelIn(Value value) {
  int64_t shift = 0;
  for (;;) {
    Operation *made = value.getDefiningOp();
    if (!made || left == 0)
      return std::nullopt;
    --left;
    if (std::optional<unsigned> label = labelOf(made))
      return ShiftedLabel{*label, shift};
    if (!isa<arith::AddIOp, arith::SubIOp>(made))
      return std::nullopt;
    std::optional<int64_t> number = numberOf(made->getOperand(1));
    constexpr int64_t most = int64_t(1) << 61;
    if (!number || std::abs(*number) > most || std::abs(shift) > most)
      return std::nullopt;
    shift += isa<arith::AddIOp>(made) ? *number : -*number;
    value = made->getOperand(0);
  }
}

ZBox RangeFinder::whereCompared(arith::CmpIOp compare, bool isTrue) {
  ZBox box(points);
  std::optional<ShiftedLabel> at = labelIn(compare.getLhs());
  std::optional<int64_t> number = numberOf(compare.getRhs());
  if (!at || !number)
    return box;
  int64_t bound = *number - at->shift;
  ZRange &range = box[at->label];
  auto predicate = isTrue ? compare.getPredicate()
                          : arith::invertPredicate(compare.getPredicate());
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    range.hi = std::min(range.hi, bound);
    break;
  case arith::CmpIPredicate::sle:
    range.hi = std::min(range.hi, bound + 1);
    break;
  case arith::CmpIPredicate::sge:
    range.lo = std::max(range.lo, bound);
    break;
  case arith::CmpIPredicate::sgt:
    range.lo = std::max(range.lo, bound + 1);
    break;
  case arith::CmpIPredicate::eq:
    range = intersect(range, {bound, bound + 1});
    break;
  default:
    break;
  }
  range.hi = std::max(range.lo, range.hi);
  return box;
}

static ZBox hullOf(const ZBox &a, const ZBox &b) {
  if (isEmpty(a) || isEmpty(b))
    return isEmpty(a) ? b : a;
  ZBox hull = a;
  for (auto [all, own] : llvm::zip_equal(hull, b))
    all = {std::min(all.lo, own.lo), std::max(all.hi, own.hi)};
  return hull;
}

ZBox RangeFinder::where(Value condition, bool isTrue) {
  Operation *made = condition.getDefiningOp();
  if (!made || left == 0)
    return ZBox(points);
  --left;
  if (auto compare = dyn_cast<arith::CmpIOp>(made))
    return whereCompared(compare, isTrue);
  // Both hold, or one at least does not.
  if (isa<arith::AndIOp, arith::OrIOp>(made)) {
    ZBox a = where(made->getOperand(0), isTrue);
    ZBox b = where(made->getOperand(1), isTrue);
    return isa<arith::AndIOp>(made) == isTrue ? intersect(a, b) : hullOf(a, b);
  }
  return ZBox(points);
}

ZBox RangeFinder::choosing(Value value) {
  std::optional<ZBox> all;
  for (OpOperand &use : value.getUses()) {
    auto choice = dyn_cast<arith::SelectOp>(use.getOwner());
    if (!choice || use.getOperandNumber() == 0 || left == 0)
      return ZBox(points);
    --left;
    ZBox own =
        intersect(where(choice.getCondition(), use.getOperandNumber() == 1),
                  choosing(choice.getResult()));
    all = all ? hullOf(*all, own) : own;
  }
  return all ? *all : ZBox(points);
}

ZBox index::pointsWhere(Value condition, bool isTrue,
                        llvm::ArrayRef<ZRange> points, LabelOf labelOf) {
  return RangeFinder(points, labelOf).where(condition, isTrue);
}

ZBox index::pointsThatChoose(Value value, llvm::ArrayRef<ZRange> points,
                             LabelOf labelOf) {
  return RangeFinder(points, labelOf).choosing(value);
}
