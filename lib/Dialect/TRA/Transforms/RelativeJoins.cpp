//===- RelativeJoins.cpp - Sums of values relative to maxima --------------===//

#include "RelativeJoins.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "tapestry/Dialect/Index/IR/RelativeSums.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

RelativeJoin *RelativeJoins::find(Operation *op) {
  for (const std::unique_ptr<RelativeJoin> &each : joins)
    if (each->join == op)
      return each.get();
  return nullptr;
}

/// Whether an operand is one piece without a pad, read at distinct labels.
static bool isPlainRead(JoinOp join, unsigned input) {
  return isa<UnitAttr>(join.getPads()[input]) &&
         (input == 0 || !isElse(join.getPads()[input - 1])) &&
         join.getInputMap(input).isProjectedPermutation();
}

/// The labels that an operand, or the result, is read or written at.
static SmallVector<unsigned> labelsOf(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) {
    return cast<AffineDimExpr>(expr).getPosition();
  });
}

/// What the kernel takes of an operand; nothing where operands have pieces.
static BlockArgument argumentOf(JoinOp join, unsigned input) {
  Block &kernel = join.getKernel().front();
  return kernel.getNumArguments() == join.getInputs().size()
             ? kernel.getArgument(input)
             : BlockArgument();
}

static Value yieldedBy(JoinOp join) {
  return join.getKernel().front().getTerminator()->getOperand(0);
}

/// Elements that a device has of a join's result at most.
static double elementsOf(JoinOp join) {
  double elements = 1;
  Partition partition = join.getResolvedPartition();
  for (unsigned label : labelsOf(join.getResultMap()))
    elements *= ceilDiv(join.getExtents()[label],
                        partsOf(join.getDeviceGrid(), partition.cuts[label]));
  return elements;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// Which labels of a join are those of another that computes the same.
class LabelMatch {
public:
  LabelMatch(JoinOp from, JoinOp to)
      : from(from), to(to), fromCuts(from.getResolvedPartition()),
        toCuts(to.getResolvedPartition()), labels(from.getLabels().size(), -1) {
  }

  /// Whether a label may be one of the other join, as far as is known.
  bool bind(unsigned label, unsigned other);
  bool bind(ArrayRef<unsigned> some, ArrayRef<unsigned> others) {
    return some.size() == others.size() &&
           llvm::all_of(llvm::zip_equal(some, others), [&](auto pair) {
             return bind(std::get<0>(pair), std::get<1>(pair));
           });
  }
  /// Whether both values are the same where labels are.
  bool isEqual(Value value, Value other);

  ArrayRef<int> get() const { return labels; }

private:
  bool isEqualArgument(BlockArgument argument, BlockArgument other);

  JoinOp from, to;
  Partition fromCuts, toCuts;
  SmallVector<int> labels;
  llvm::SmallDenseMap<Value, Value> known;
};

} // namespace

bool LabelMatch::bind(unsigned label, unsigned other) {
  if (labels[label] >= 0)
    return labels[label] == int(other);
  if (llvm::is_contained(labels, int(other)) ||
      from.getExtents()[label] != to.getExtents()[other] ||
      fromCuts.cuts[label] != toCuts.cuts[other])
    return false;
  labels[label] = other;
  return true;
}

bool LabelMatch::isEqualArgument(BlockArgument argument, BlockArgument other) {
  unsigned input = argument.getArgNumber(), with = other.getArgNumber();
  return argumentOf(from, input) && argumentOf(to, with) &&
         from.getInputs()[input] == to.getInputs()[with] &&
         isPlainRead(from, input) && isPlainRead(to, with) &&
         bind(labelsOf(from.getInputMap(input)),
              labelsOf(to.getInputMap(with)));
}

bool LabelMatch::isEqual(Value value, Value other) {
  if (auto seen = known.find(value); seen != known.end())
    return seen->second == other;
  known[value] = other;
  auto argument = dyn_cast<BlockArgument>(value);
  auto otherArgument = dyn_cast<BlockArgument>(other);
  if (argument || otherArgument)
    return argument && otherArgument &&
           isEqualArgument(argument, otherArgument);
  Operation *op = value.getDefiningOp(), *with = other.getDefiningOp();
  auto label = dyn_cast<LabelOp>(op), otherLabel = dyn_cast<LabelOp>(with);
  if (label && otherLabel)
    return bind(*from.labelNamed(label.getName()),
                *to.labelNamed(otherLabel.getName()));
  return index::isSameOp(
      op, with, [&](Value one, Value second) { return isEqual(one, second); });
}

namespace {

/// Which values of a kernel are a multiple of one of them.
class Multiples {
public:
  explicit Multiples(Value base) : base(base) {}

  bool isMultiple(Value value);
  /// The operand of a product or quotient that the base is in; null for others.
  Value nextOf(Operation *op);

private:
  bool dependsOn(Value value);

  Value base;
  llvm::SmallDenseMap<Value, bool> dependent;
};

} // namespace

bool Multiples::dependsOn(Value value) {
  if (value == base)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto known = dependent.find(value); known != dependent.end())
    return known->second;
  // What regions take is not followed.
  bool depends = op->getNumRegions() > 0 ||
                 llvm::any_of(op->getOperands(), [&](Value operand) {
                   return dependsOn(operand);
                 });
  return dependent[value] = depends;
}

Value Multiples::nextOf(Operation *op) {
  if (!op || !isa<arith::MulFOp, arith::DivFOp>(op))
    return Value();
  bool isLeft = dependsOn(op->getOperand(0));
  if (isLeft == dependsOn(op->getOperand(1)) ||
      (!isLeft && isa<arith::DivFOp>(op)))
    return Value();
  return op->getOperand(isLeft ? 0 : 1);
}

bool Multiples::isMultiple(Value value) {
  if (value == base)
    return true;
  Operation *op = value.getDefiningOp();
  if (Value next = nextOf(op))
    return isMultiple(next);
  if (auto negation = dyn_cast_or_null<arith::NegFOp>(op))
    return isMultiple(negation.getOperand());
  if (auto choice = dyn_cast_or_null<arith::SelectOp>(op))
    return !dependsOn(choice.getCondition()) &&
           llvm::all_of(
               ValueRange{choice.getTrueValue(), choice.getFalseValue()},
               [&](Value each) {
                 return matchPattern(each, m_AnyZeroFloat()) ||
                        isMultiple(each);
               });
  return false;
}

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

namespace {

class Finder {
public:
  bool begin(JoinOp shift, unsigned input);
  bool addReaders(Value relation, ArrayRef<int> dims,
                  ArrayRef<RowFactor> factors);
  bool paysOff(int64_t leastBytes);

  RelativeJoins found;

private:
  arith::SubFOp findDifference(JoinOp shift, unsigned input);
  bool add(std::unique_ptr<RelativeJoin> made, Value base);
  bool isFactorOfRow(RelativeJoin &reader, Value value);
  Value takeFactors(RelativeJoin &reader, Value base);
  bool sumsUp(RelativeJoin &reader);
  bool isRow(int label) { return label >= 0 && !isColumn.test(label); }

  /// Labels of the maximum that it reduces.
  llvm::SmallBitVector isColumn;
  /// What labels of the maximum are cut over.
  Partition cuts;
  Type element;
};

} // namespace

/// Whether a value of the kernel is that of an operand without columns.
bool Finder::isFactorOfRow(RelativeJoin &reader, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.hasOneUse() || argument.getType() != element)
    return false;
  unsigned input = argument.getArgNumber();
  return argumentOf(reader.join, input) && input != reader.input &&
         isPlainRead(reader.join, input) &&
         llvm::all_of(
             labelsOf(reader.join.getInputMap(input)),
             [&](unsigned label) { return isRow(reader.labels[label]); });
}

/// Finds the factors of rows in what a join yields; what is left of that where
/// there is no other operation than these.
Value Finder::takeFactors(RelativeJoin &reader, Value base) {
  Multiples multiples(base);
  JoinOp join = reader.join;
  Value left = yieldedBy(join);
  for (Value at = left; at != base;) {
    Operation *op = at.getDefiningOp();
    Value next = multiples.nextOf(op);
    if (!next || !op->hasOneUse())
      break;
    Value by = op->getOperand(op->getOperand(0) == next ? 1 : 0);
    if (isFactorOfRow(reader, by)) {
      unsigned input = cast<BlockArgument>(by).getArgNumber();
      RowFactor factor{join.getInputs()[input], {}, isa<arith::DivFOp>(op)};
      for (unsigned label : labelsOf(join.getInputMap(input)))
        factor.rows.push_back(reader.labels[label]);
      reader.factors.push_back(std::move(factor));
      reader.factorInputs.push_back(input);
      reader.factorOps.push_back(op);
      if (left == at)
        left = next;
    }
    at = next;
  }
  return left;
}

/// Whether it adds up all columns of each row, and nothing but aggregates reads
/// the sums.
bool Finder::sumsUp(RelativeJoin &reader) {
  JoinOp join = reader.join;
  SmallVector<unsigned> kept = labelsOf(join.getResultMap());
  for (auto [label, of] : llvm::enumerate(reader.labels))
    if (of >= 0 && isColumn.test(of) == llvm::is_contained(kept, label))
      return false;
  return join.getMonoid() == Monoid::Add && join.getType().isPartial() &&
         llvm::all_of(join->getUsers(), [](Operation *user) {
           auto aggregate = dyn_cast<AggregateOp>(user);
           return aggregate && aggregate.getMonoid() == Monoid::Add;
         });
}

/// Adds a join whose kernel takes the relative value `base`, or computes it.
bool Finder::add(std::unique_ptr<RelativeJoin> made, Value base) {
  RelativeJoin &reader = *made;
  JoinOp join = reader.join;
  found.joins.push_back(std::move(made));
  // All of the maximum's labels, cut as there.
  Partition partition = join.getResolvedPartition();
  for (unsigned label = 0; label < isColumn.size(); ++label) {
    auto *at = llvm::find(reader.labels, int(label));
    if (at == reader.labels.end() ||
        partition.cuts[at - reader.labels.begin()] != cuts.cuts[label])
      return false;
  }
  if (join.getType().getElementType() != element ||
      !Multiples(base).isMultiple(yieldedBy(join)))
    return false;
  Value left = takeFactors(reader, base);
  reader.isFactor = left == base && base == argumentOf(join, reader.input) &&
                    join.getMonoid() == Monoid::None &&
                    !reader.factorOps.empty() &&
                    join.getInputMap(reader.input) == join.getResultMap();
  if (join.getMonoid() != Monoid::None)
    return reader.isSum = sumsUp(reader);
  return addReaders(
      join.getResult(),
      llvm::map_to_vector(labelsOf(join.getResultMap()),
                          [&](unsigned label) { return reader.labels[label]; }),
      reader.factors);
}

bool Finder::addReaders(Value relation, ArrayRef<int> dims,
                        ArrayRef<RowFactor> factors) {
  for (OpOperand &use : relation.getUses()) {
    auto join = dyn_cast<JoinOp>(use.getOwner());
    unsigned input = use.getOperandNumber();
    if (!join || found.find(join) || !isPlainRead(join, input))
      return false;
    BlockArgument base = argumentOf(join, input);
    if (!base)
      return false;
    auto reader = std::make_unique<RelativeJoin>();
    reader->join = join;
    reader->input = input;
    reader->labels.assign(join.getLabels().size(), -1);
    reader->factors.append(factors.begin(), factors.end());
    for (auto [label, of] :
         llvm::zip_equal(labelsOf(join.getInputMap(input)), dims))
      reader->labels[label] = of;
    if (!add(std::move(reader), base))
      return false;
  }
  return true;
}

/// The aggregate that a relation is, wherever it lies.
static AggregateOp aggregateOf(Value relation) {
  while (auto moved = relation.getDefiningOp<RepartitionOp>())
    relation = moved.getSource();
  return relation.getDefiningOp<AggregateOp>();
}

/// The difference x - m, or x - (|m| < inf ? m : 0), in the kernel of a join
/// that uses m for nothing else; null where there is none.
arith::SubFOp Finder::findDifference(JoinOp shift, unsigned input) {
  BlockArgument argument = argumentOf(shift, input);
  if (!argument || !isPlainRead(shift, input))
    return {};
  found.argument = found.bound = argument;
  auto choice =
      llvm::find_if(argument.getUsers(), llvm::IsaPred<arith::SelectOp>);
  if (choice != argument.getUsers().end()) {
    auto select = index::matchFiniteOrZero(choice->getResult(0), argument);
    if (!select)
      return {};
    Operation *compared = select.getCondition().getDefiningOp();
    Operation *absolute = compared->getOperand(0).getDefiningOp();
    if (!absolute->hasOneUse() || !compared->hasOneUse() ||
        llvm::range_size(argument.getUsers()) != 2)
      return {};
    for (Value constant : {compared->getOperand(1), select.getFalseValue()})
      found.boundOps.push_back(constant.getDefiningOp());
    found.boundOps.append({absolute, compared, select});
    found.bound = select;
  }
  if (!found.bound.hasOneUse())
    return {};
  auto difference = dyn_cast<arith::SubFOp>(*found.bound.user_begin());
  bool isPlain = difference && difference.getRhs() == found.bound &&
                 difference->getParentRegion() == &shift.getKernel();
  return isPlain ? difference : arith::SubFOp();
}

bool Finder::begin(JoinOp shift, unsigned input) {
  // The maximum, of partial ones that lie as it does.
  auto whole = cast<RelationType>(shift.getInputs()[input].getType());
  found.aggregate = aggregateOf(shift.getInputs()[input]);
  if (!found.aggregate || found.aggregate.getMonoid() != Monoid::Max)
    return false;
  found.maximum = found.aggregate.getSource().getDefiningOp<JoinOp>();
  element = whole.getElementType();
  if (!found.maximum || found.maximum.getMonoid() != Monoid::Max ||
      !(element.isF32() || element.isF64()) ||
      found.maximum.getType().getLayout().getLayout().dims !=
          whole.getLayout().getLayout().dims)
    return false;
  cuts = found.maximum.getResolvedPartition();
  isColumn.resize(found.maximum.getLabels().size());
  for (unsigned label : found.maximum.getReducedLabels())
    isColumn.set(label);

  // exp(x - m).
  arith::SubFOp difference = findDifference(shift, input);
  if (!difference || !difference->hasOneUse())
    return false;
  auto power = dyn_cast<math::ExpOp>(*difference->user_begin());
  LabelMatch match(shift, found.maximum);
  if (!power ||
      !match.bind(labelsOf(shift.getInputMap(input)),
                  labelsOf(found.maximum.getResultMap())) ||
      !match.isEqual(difference.getLhs(), yieldedBy(found.maximum)))
    return false;
  auto first = std::make_unique<RelativeJoin>();
  first->join = shift;
  first->input = input;
  first->labels.assign(match.get().begin(), match.get().end());
  return add(std::move(first), power);
}

/// Whether sums have fewer elements than what they are made of, which is not
/// too little.
bool Finder::paysOff(int64_t leastBytes) {
  double sums = 0, points = 1;
  for (unsigned label = 0; label < isColumn.size(); ++label)
    points *= ceilDiv(found.maximum.getExtents()[label],
                      partsOf(found.maximum.getDeviceGrid(), cuts.cuts[label]));
  for (const std::unique_ptr<RelativeJoin> &each : found.joins)
    if (each->isSum)
      sums += elementsOf(each->join);
  return sums > 0 && sums <= points &&
         points * element.getIntOrFloatBitWidth() >= 8.0 * leastBytes;
}

std::optional<RelativeJoins>
tra::findRelativeJoins(JoinOp shift, unsigned input, int64_t leastBytes) {
  Finder finder;
  if (!finder.begin(shift, input) || !finder.paysOff(leastBytes))
    return std::nullopt;
  llvm::sort(finder.found.joins, [](const auto &a, const auto &b) {
    return a->join->isBeforeInBlock(b->join);
  });
  return std::move(finder.found);
}
