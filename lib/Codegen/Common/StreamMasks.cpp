//===- StreamMasks.cpp - Columns that change nothing ----------------------===//
//
// Goes through a stream's bodies as if comparisons of the column with the row
// were false: where all that is reduced is the reduction's identity then,
// blocks of such columns need not be computed.
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"
#include "Stream.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "tapestry/Codegen/Common/Nest.h"

using namespace mlir;
using linalg::GenericOp;

namespace tapestry {
namespace {

/// A linear function of the column and the row.
struct Linear {
  int64_t column = 0, row = 0, constant = 0;
  SmallVector<std::pair<int64_t, Value>, 1> terms;

  void add(const Linear &other, int64_t factor) {
    column += factor * other.column;
    row += factor * other.row;
    constant += factor * other.constant;
    for (auto [times, value] : other.terms)
      terms.push_back({factor * times, value});
  }
};

class MaskFinder {
public:
  MaskFinder(Stream &stream, int64_t side) : stream(stream), side(side) {}
  bool run();

  SmallVector<StreamMask> masks;

private:
  std::optional<Linear> linearOf(Value value);
  std::optional<StreamMask> maskOf(arith::CmpIOp compare);
  Attribute evaluate(Value value);
  Attribute evaluateOp(Operation &op);
  bool isNeutral(OpOperand &output);

  Stream &stream;
  int64_t side;
  const StreamMember *member = nullptr;
  /// What is known of buffers, and of the values of a body.
  llvm::SmallDenseMap<Value, Attribute> buffers, values;
};

std::optional<Linear> MaskFinder::linearOf(Value value) {
  Linear result;
  if (auto constant = getConstantIntValue(value)) {
    result.constant = *constant;
    return result;
  }
  Operation *op = value.getDefiningOp();
  Block *body = GenericOp(member->op).getBody();
  if (!op || op->getBlock() != body) {
    if (!value.getType().isIndex() ||
        (!op && cast<BlockArgument>(value).getOwner() == body))
      return std::nullopt;
    result.terms.push_back({1, value});
    return result;
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    int label = member->labels[index.getDim()];
    result.column = label == stream.column;
    result.row = label == stream.rows.back();
    return result.column || result.row ? std::optional(result) : std::nullopt;
  }
  if (!isa<arith::AddIOp, arith::SubIOp>(op) || !value.getType().isIndex())
    return std::nullopt;
  auto left = linearOf(op->getOperand(0)), right = linearOf(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  result.add(*left, 1);
  result.add(*right, isa<arith::AddIOp>(op) ? 1 : -1);
  return result;
}

std::optional<StreamMask> MaskFinder::maskOf(arith::CmpIOp compare) {
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  bool isLess = predicate == Predicate::sle || predicate == Predicate::slt;
  bool isMore = predicate == Predicate::sge || predicate == Predicate::sgt;
  auto left = linearOf(compare.getLhs()), right = linearOf(compare.getRhs());
  if ((!isLess && !isMore) || !left || !right)
    return std::nullopt;
  // difference <= 0
  Linear difference;
  difference.add(*left, isLess ? 1 : -1);
  difference.add(*right, isLess ? -1 : 1);
  if (predicate == Predicate::slt || predicate == Predicate::sgt)
    ++difference.constant;
  if (difference.column != side || difference.row != -side)
    return std::nullopt;
  StreamMask mask{side, -difference.constant, {}};
  for (auto [times, value] : difference.terms)
    mask.terms.push_back({-times, value});
  return mask;
}

/// A known number; null otherwise.
Attribute MaskFinder::evaluate(Value value) {
  if (auto known = values.find(value); known != values.end())
    return known->second;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != GenericOp(member->op).getBody())
    return {};
  Attribute result = evaluateOp(*op);
  values[value] = result;
  return result;
}

static bool isLeast(Attribute value) {
  auto number = dyn_cast_or_null<FloatAttr>(value);
  return number && number.getValue().isInfinity() &&
         number.getValue().isNegative();
}

static bool isZero(Attribute value) {
  auto number = dyn_cast_or_null<FloatAttr>(value);
  return number && number.getValue().isZero();
}

Attribute MaskFinder::evaluateOp(Operation &op) {
  Builder b(op.getContext());
  auto operand = [&](unsigned number) {
    return evaluate(op.getOperand(number));
  };
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    if (std::optional<StreamMask> mask = maskOf(compare)) {
      masks.push_back(*mask);
      return b.getBoolAttr(false);
    }
    return {};
  }
  if (isa<arith::AndIOp>(op)) {
    // Both are asked: either may be the mask.
    for (Attribute side : {operand(0), operand(1)})
      if (side == b.getBoolAttr(false))
        return side;
    return {};
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Attribute condition = evaluate(select.getCondition());
    if (auto known = dyn_cast_or_null<BoolAttr>(condition))
      return evaluate(known.getValue() ? select.getTrueValue()
                                       : select.getFalseValue());
    Attribute yes = operand(1);
    return yes == operand(2) ? yes : Attribute();
  }
  // What is subtracted is never -inf, and where it is NaN all is.
  if (isa<arith::SubFOp>(op) && isLeast(operand(0)) &&
      stream.bound == op.getOperand(1))
    return operand(0);
  if (isa<math::ExpOp>(op) && isLeast(operand(0)))
    return b.getFloatAttr(op.getResult(0).getType(), 0.0);
  if (isa<arith::MulFOp>(op))
    for (Attribute factor : {operand(0), operand(1)})
      if (isZero(factor))
        return b.getFloatAttr(op.getResult(0).getType(), 0.0);
  return {};
}

/// Whether the reduction into `output` leaves it as it is.
bool MaskFinder::isNeutral(OpOperand &output) {
  GenericOp op = member->op;
  BlockArgument accumulator = op.getMatchingBlockArgument(&output);
  Operation *combine = op.getMatchingYieldValue(&output)->get().getDefiningOp();
  if (!combine || combine->getNumOperands() != 2 ||
      !llvm::is_contained(combine->getOperands(), accumulator))
    return false;
  Value value = combine->getOperand(combine->getOperand(0) == accumulator);
  Attribute known = evaluate(value);
  TypedAttr identity = identityOf(combine, accumulator.getType());
  return known && identity &&
         (known == identity || (isZero(known) && isZero(identity)));
}

bool MaskFinder::run() {
  for (const StreamMember &each : stream.members) {
    if (each.phase != StreamPhase::Inside || each.deferred)
      continue;
    member = &each;
    GenericOp op = each.op;
    values.clear();
    for (OpOperand &operand : op->getOpOperands())
      if (auto known = buffers.find(operand.get()); known != buffers.end())
        values[op.getMatchingBlockArgument(&operand)] = known->second;
    for (OpOperand &output : op.getDpsInitsMutable()) {
      if (!stream.hasColumn(output.get())) {
        if (!isNeutral(output))
          return false;
        continue;
      }
      // A contraction's own sums are not looked into.
      Attribute known;
      if (op.getMatchingBlockArgument(&output).use_empty())
        known = evaluate(op.getMatchingYieldValue(&output)->get());
      buffers[output.get()] = known;
    }
  }
  return !masks.empty();
}

} // namespace

void findMasks(Stream &stream) {
  for (int64_t side : {1, -1}) {
    MaskFinder finder(stream, side);
    if (finder.run())
      llvm::append_range(stream.masks, finder.masks);
  }
}

} // namespace tapestry
