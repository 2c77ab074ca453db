//===- StreamPhases.cpp - What of a stream runs when ----------------------===//
//
// Follows values that depend on all columns of a row. exp(x - m), where m is
// the greatest x, is computed with the greatest so far; sums of that are scaled
// when there is a greater one, and factors that all columns have in common wait
// for the sums.
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"
#include "Stream.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tapestry/Dialect/Index/IR/RelativeSums.h"

using namespace mlir;
using linalg::GenericOp;

namespace tapestry {
namespace {

/// What members compute, followed through the buffers between them.
class MemberValues {
public:
  explicit MemberValues(Stream &stream) : stream(stream) {}

  /// A value in a member's body.
  struct At {
    Value value;
    const StreamMember *member;
  };
  /// What the member's result `buffer` is reduced from by a maximum; null where
  /// that is not how it is made.
  At findMaximized(Value buffer);
  /// Whether both are the same at all points that agree on labels.
  bool isSame(At a, At b);
  /// Whether `value` is of what is maximized what `bound` is of the maximum,
  /// which is `argument`.
  bool isBoundOf(At value, At bound, BlockArgument argument, At maximized);

private:
  At resolve(At at);
  bool isSameRead(At a, At b);
  const StreamMember *writerOf(Value buffer, const StreamMember *before);

  Stream &stream;
  llvm::SmallDenseMap<std::pair<Value, Value>, bool> known;
};

class PhaseFinder {
public:
  explicit PhaseFinder(Stream &stream) : stream(stream) {}
  bool run();

private:
  using Factors = SmallVector<GenericOp, 1>;

  bool isWrittenOnce();
  bool addInside(StreamMember &member);
  bool addShifted(const StreamMember &member, OpOperand &bound);
  bool addDeferred(StreamMember &member);
  bool addOutput(GenericOp op, OpOperand &output);
  bool isGreatest(Value buffer);
  bool isLinear(Value value);
  bool isRelative(Value value);

  Stream &stream;
  /// Of a row, and known when all its columns are.
  llvm::SmallDenseSet<Value> late;
  /// What has columns, relative to the greatest so far, and what it is to be
  /// multiplied by.
  llvm::SmallDenseMap<Value, Factors> relative;
  /// Values of the body that is looked at which are relative.
  llvm::SmallDenseSet<Value> bodyValues;
};

/// The last member before another that writes a buffer other than by filling.
const StreamMember *MemberValues::writerOf(Value buffer,
                                           const StreamMember *before) {
  const StreamMember *writer = nullptr;
  for (const StreamMember &member : stream.members) {
    if (&member == before)
      break;
    GenericOp op = member.op;
    if (!isFill(op) && llvm::is_contained(op.getOutputs(), buffer))
      writer = &member;
  }
  return writer;
}

/// Behind an element that is read of a buffer, the value that was stored there,
/// if nothing was reduced for it.
MemberValues::At MemberValues::resolve(At at) {
  while (auto argument = dyn_cast<BlockArgument>(at.value)) {
    GenericOp op = at.member->op;
    if (argument.getOwner() != op.getBody() ||
        argument.getArgNumber() >= op.getInputs().size())
      break;
    Value buffer = op.getInputs()[argument.getArgNumber()];
    const StreamMember *writer = writerOf(buffer, at.member);
    if (!writer)
      break;
    GenericOp from = writer->op;
    unsigned result =
        llvm::find(from.getOutputs(), buffer) - from.getOutputs().begin();
    if (!from.getMatchingIndexingMap(from.getDpsInitOperand(result))
             .isPermutation())
      break;
    at = {from.getBody()->getTerminator()->getOperand(result), writer};
  }
  return at;
}

bool MemberValues::isSameRead(At a, At b) {
  auto argument = dyn_cast<BlockArgument>(a.value);
  auto other = dyn_cast<BlockArgument>(b.value);
  if (!argument || !other)
    return false;
  GenericOp op = a.member->op, with = b.member->op;
  if (argument.getOwner() != op.getBody() || other.getOwner() != with.getBody())
    return argument == other;
  unsigned number = argument.getArgNumber(), second = other.getArgNumber();
  if (number >= op.getInputs().size() || second >= with.getInputs().size() ||
      op.getInputs()[number] != with.getInputs()[second] ||
      writerOf(op.getInputs()[number], a.member) !=
          writerOf(with.getInputs()[second], b.member))
    return false;
  auto labelsOf = [](const StreamMember &member, unsigned input) {
    GenericOp op = member.op;
    SmallVector<int> labels;
    for (AffineExpr expr : op.getIndexingMapsArray()[input].getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      labels.push_back(dim ? member.labels[dim.getPosition()] : -1);
    }
    return labels;
  };
  SmallVector<int> labels = labelsOf(*a.member, number);
  return labels == labelsOf(*b.member, second) &&
         !llvm::is_contained(labels, -1);
}

bool MemberValues::isSame(At a, At b) {
  a = resolve(a);
  b = resolve(b);
  Operation *op = a.value.getDefiningOp(), *with = b.value.getDefiningOp();
  if (!op || !with)
    return isSameRead(a, b);
  if (op == with)
    return true;
  if (auto seen = known.find({a.value, b.value}); seen != known.end())
    return seen->second;
  auto index = dyn_cast<linalg::IndexOp>(op);
  auto other = dyn_cast<linalg::IndexOp>(with);
  if (index && other) {
    int label = a.member->labels[index.getDim()];
    return label >= 0 && label == b.member->labels[other.getDim()];
  }
  bool areSame = index::isSameOp(op, with, [&](Value value, Value second) {
    return isSame({value, a.member}, {second, b.member});
  });
  return known[{a.value, b.value}] = areSame;
}

bool MemberValues::isBoundOf(At value, At bound, BlockArgument argument,
                             At maximized) {
  // Where that is infinite, 0 may be subtracted.
  if (bound.value == argument ||
      index::matchFiniteOrZero(bound.value, argument))
    return isSame(value, maximized);
  value = resolve(value);
  Operation *op = value.value.getDefiningOp();
  Operation *with = bound.value.getDefiningOp();
  if (!op || !with || with->getBlock() != argument.getOwner())
    return isSame(value, bound);
  return index::isSameOp(op, with, [&](Value one, Value other) {
    return isBoundOf({one, value.member}, {other, bound.member}, argument,
                     maximized);
  });
}

MemberValues::At MemberValues::findMaximized(Value buffer) {
  const StreamMember *member = writerOf(buffer, nullptr);
  if (!member)
    return {};
  GenericOp op = member->op;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    if (output.get() != buffer)
      continue;
    auto max = op.getMatchingYieldValue(&output)
                   ->get()
                   .getDefiningOp<arith::MaximumFOp>();
    BlockArgument accumulator = op.getMatchingBlockArgument(&output);
    if (!max || !llvm::is_contained(max->getOperands(), accumulator))
      return {};
    return {max.getLhs() == accumulator ? max.getRhs() : max.getLhs(), member};
  }
  return {};
}

/// What has no columns is made by one member, so that members can change
/// places.
bool PhaseFinder::isWrittenOnce() {
  for (auto &[buffer, dims] : stream.written) {
    if (llvm::is_contained(dims, stream.column))
      continue;
    Value written = buffer;
    auto writers = llvm::count_if(stream.members, [&](StreamMember &member) {
      return !isFill(member.op) &&
             llvm::is_contained(member.op.getOutputs(), written);
    });
    auto fills = llvm::count_if(stream.members, [&](StreamMember &member) {
      return isFill(member.op) && member.op.getOutputs()[0] == written;
    });
    if (writers != 1 || fills > 1)
      return false;
  }
  return true;
}

/// Whether `buffer` holds the greatest of a row.
bool PhaseFinder::isGreatest(Value buffer) {
  for (StreamMember &member : stream.members) {
    GenericOp op = member.op;
    if (isFill(op))
      continue;
    for (OpOperand &output : op.getDpsInitsMutable()) {
      if (output.get() != buffer)
        continue;
      Value yielded = op.getMatchingYieldValue(&output)->get();
      auto max = yielded.getDefiningOp<arith::MaximumFOp>();
      return max && llvm::is_contained(member.labels, stream.column) &&
             llvm::is_contained(max->getOperands(),
                                op.getMatchingBlockArgument(&output)) &&
             !llvm::is_contained(stream.written.lookup(buffer), -1);
    }
  }
  return false;
}

/// Whether `value` has a relative one as a factor or dividend, or is it.
bool PhaseFinder::isLinear(Value value) {
  if (bodyValues.contains(value))
    return true;
  if (auto quotient = value.getDefiningOp<arith::DivFOp>())
    return !isRelative(quotient.getRhs()) && isLinear(quotient.getLhs());
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  bool left = isRelative(product.getLhs());
  return left != isRelative(product.getRhs()) &&
         isLinear(left ? product.getLhs() : product.getRhs());
}

/// Whether `value` depends on a relative one.
bool PhaseFinder::isRelative(Value value) {
  if (bodyValues.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && isa<GenericOp>(op->getParentOp()) &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isRelative(operand); });
}

/// Whether `value` is made of `argument`, and of what comes from outside,
/// alone.
static bool isMadeOf(Value value, BlockArgument argument) {
  if (value == argument)
    return true;
  if (auto other = dyn_cast<BlockArgument>(value))
    return other.getOwner() != argument.getOwner();
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != argument.getOwner())
    return true;
  return !isa<linalg::IndexOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isMadeOf(operand, argument);
         });
}

/// Whether `value` depends on `argument` other than through `except`.
static bool dependsOn(Value value, BlockArgument argument, Value except) {
  if (value == argument)
    return true;
  Operation *op = value.getDefiningOp();
  return value != except && op && op->getBlock() == argument.getOwner() &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOn(operand, argument, except);
         });
}

/// exp(x - bound) and what is made of it. With another x the greatest so far
/// might make it infinite.
bool PhaseFinder::addShifted(const StreamMember &member, OpOperand &bound) {
  GenericOp op = member.op;
  if (!isGreatest(bound.get()) || stream.greatest)
    return false;
  BlockArgument argument = op.getMatchingBlockArgument(&bound);
  for (auto difference : op.getBody()->getOps<arith::SubFOp>()) {
    Value made = difference.getRhs();
    if (!difference->hasOneUse() || !dependsOn(made, argument, Value()) ||
        !isMadeOf(made, argument))
      continue;
    auto power = dyn_cast<math::ExpOp>(*difference->getUsers().begin());
    if (!power)
      return false;
    stream.greatest = bound.get();
    stream.bound = made;
    stream.boundArgument = argument;
    bodyValues.insert(power);
    MemberValues values(stream);
    if (!values.isBoundOf({difference.getLhs(), &member}, {made, &member},
                          argument, values.findMaximized(bound.get())))
      return false;
    // Nothing else may know the greatest value.
    return llvm::all_of(op.getBody()->getTerminator()->getOperands(),
                        [&](Value yielded) {
                          return !dependsOn(yielded, argument, power);
                        }) &&
           !dependsOn(difference.getLhs(), argument, power);
  }
  return false;
}

/// A quotient by, or a product with, a value per row.
bool PhaseFinder::addDeferred(StreamMember &member) {
  GenericOp op = member.op;
  Block &body = *op.getBody();
  if (op.getOutputs().size() != 1 || op.getInputs().size() != 2 ||
      llvm::range_size(body) != 2)
    return false;
  Operation &factor = body.front();
  OpOperand *by = nullptr, *values = nullptr;
  for (OpOperand *input : op.getDpsInputOperands())
    (relative.contains(input->get()) ? values : by) = input;
  if (!by || !values || !late.contains(by->get()) ||
      llvm::is_contained(stream.written.lookup(by->get()), -1) ||
      values->get() != op.getOutputs()[0])
    return false;
  Value dividend = op.getMatchingBlockArgument(values);
  Value divisor = op.getMatchingBlockArgument(by);
  bool divides = isa<arith::DivFOp>(factor) &&
                 factor.getOperand(0) == dividend &&
                 factor.getOperand(1) == divisor;
  bool multiplies = isa<arith::MulFOp>(factor) &&
                    llvm::is_contained(factor.getOperands(), dividend) &&
                    llvm::is_contained(factor.getOperands(), divisor);
  if ((!divides && !multiplies) ||
      body.getTerminator()->getOperand(0) != factor.getResult(0))
    return false;
  relative[values->get()].push_back(op);
  member.deferred = true;
  return true;
}

/// What `op` makes of relative values: others, or sums of them.
bool PhaseFinder::addOutput(GenericOp op, OpOperand &output) {
  Value buffer = output.get();
  Value yielded = op.getMatchingYieldValue(&output)->get();
  Factors factors;
  for (Value input : op.getInputs())
    if (auto known = relative.find(input); known != relative.end()) {
      if (!factors.empty() && factors != known->second)
        return false;
      factors = known->second;
    }
  if (stream.hasColumn(buffer)) {
    if (!isRelative(yielded)) {
      relative.erase(buffer);
      return true;
    }
    relative[buffer] = factors;
    return isLinear(yielded);
  }
  late.insert(buffer);
  if (!isRelative(yielded))
    return true;
  auto sum = yielded.getDefiningOp<arith::AddFOp>();
  BlockArgument accumulator = op.getMatchingBlockArgument(&output);
  if (!sum || !accumulator.hasOneUse() || !stream.startsFromZero(buffer) ||
      (sum.getLhs() != accumulator && sum.getRhs() != accumulator) ||
      !isLinear(sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs()) ||
      accumulator.getType() !=
          cast<MemRefType>(stream.greatest.getType()).getElementType())
    return false;
  stream.sums.push_back({buffer, factors});
  return true;
}

/// A member with columns, where columns come in blocks.
bool PhaseFinder::addInside(StreamMember &member) {
  GenericOp op = member.op;
  bodyValues.clear();
  for (OpOperand *input : op.getDpsInputOperands())
    if (relative.contains(input->get()))
      bodyValues.insert(op.getMatchingBlockArgument(input));
  SmallVector<OpOperand *> lateInputs;
  for (OpOperand *input : op.getDpsInputOperands())
    if (late.contains(input->get()))
      lateInputs.push_back(input);
  if (!lateInputs.empty() && !bodyValues.empty())
    return addDeferred(member);
  if (lateInputs.size() > 1 ||
      (lateInputs.size() == 1 && !addShifted(member, *lateInputs.front())))
    return false;
  return llvm::all_of(op.getDpsInitsMutable(),
                      [&](OpOperand &output) { return addOutput(op, output); });
}

bool PhaseFinder::run() {
  if (!isWrittenOnce())
    return false;
  for (StreamMember &member : stream.members) {
    if (llvm::is_contained(member.labels, stream.column)) {
      if (isFill(member.op)) {
        relative.erase(member.op.getOutputs()[0]);
        continue;
      }
      if (!addInside(member))
        return false;
      continue;
    }
    bool isLate = llvm::any_of(member.op->getOperands(), [&](Value operand) {
      return late.contains(operand);
    });
    member.phase = isLate ? StreamPhase::After : StreamPhase::Before;
    if (isLate)
      late.insert(member.op.getOutputs().begin(), member.op.getOutputs().end());
  }
  return true;
}

} // namespace

void findPhases(Stream &stream) {
  Stream found = stream;
  found.cutsColumns = PhaseFinder(found).run();
  if (!found.cutsColumns) {
    stream.cutsColumns = false;
    return;
  }
  stream = std::move(found);
  findMasks(stream);
}

} // namespace tapestry
