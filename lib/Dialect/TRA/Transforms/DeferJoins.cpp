//===- DeferJoins.cpp - Joins before a maximum is aggregated --------------===//

#include "DeferJoins.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/Index/IR/RelativeSums.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

namespace {

/// Rewrites the joins that are relative to one maximum.
class Deferral {
public:
  explicit Deferral(RelativeJoins &found)
      : found(found), b(found.maximum),
        whole(found.shift().join.getInputs()[found.shift().input]) {}

  /// Finds what is to come after all joins of relative values; fails where
  /// some of them needs it.
  bool prepare();
  void apply();

private:
  using KernelBody = llvm::function_ref<Value(Location, ValueRange)>;

  bool waits(Operation &op);
  bool isKnownBefore(Value factor) const;
  void keepFactors(RelativeJoin &relative);
  Value emitBound(Value value);
  void dropFactors(RelativeJoin &relative);
  void emitWeights();
  void weigh(RelativeJoin &sum);
  /// A label of a join that is made.
  struct Label {
    StringAttr name;
    int64_t extent;
    Cut cut;
  };
  /// An operand of it, with the labels that it is read at.
  using Read = std::pair<Value, SmallVector<unsigned>>;
  Value emitJoin(JoinOp like, ArrayRef<Label> labels, ArrayRef<Read> reads,
                 KernelBody body);
  Label labelOf(JoinOp join, unsigned label);

  RelativeJoins &found;
  OpBuilder b;
  /// The maximum, as it is read.
  Value whole;
  /// Operations that are moved behind, in the order of the program.
  llvm::SetVector<Operation *> waiting;
  /// exp(own maximum - maximum).
  Value weights;
};

} // namespace

/// Whether an operation needs what is to be moved behind.
bool Deferral::waits(Operation &op) {
  RelativeJoin *known = found.find(&op);
  return llvm::any_of(op.getOpOperands(), [&](OpOperand &operand) {
    unsigned number = operand.getOperandNumber();
    if (known && (number == known->input ||
                  llvm::is_contained(known->factorInputs, number)))
      return false;
    Operation *producer = operand.get().getDefiningOp();
    RelativeJoin *relative = found.find(producer);
    // What sums need is put before their aggregates.
    return waiting.contains(producer) || (relative && relative->isSum);
  });
}

/// Whether a factor can stay where it is.
bool Deferral::isKnownBefore(Value factor) const {
  Operation *producer = factor.getDefiningOp();
  return !producer || !waiting.contains(producer);
}

/// Leaves in a join's kernel the factors that it need not lose.
void Deferral::keepFactors(RelativeJoin &relative) {
  llvm::erase_if(relative.factors, [&](const RowFactor &factor) {
    return isKnownBefore(factor.relation);
  });
  for (unsigned at = relative.factorOps.size(); at-- > 0;) {
    if (!isKnownBefore(relative.join.getInputs()[relative.factorInputs[at]]))
      continue;
    relative.factorInputs.erase(relative.factorInputs.begin() + at);
    relative.factorOps.erase(relative.factorOps.begin() + at);
    relative.isFactor = false;
  }
}

bool Deferral::prepare() {
  waiting.insert(found.aggregate);
  Operation *last = found.joins.back()->join;
  for (Operation *op = found.aggregate; op != last->getNextNode();
       op = op->getNextNode()) {
    if (!isMemoryEffectFree(op))
      return false;
    RelativeJoin *known = found.find(op);
    if (!waits(*op))
      continue;
    if (known)
      return false;
    waiting.insert(op);
  }
  for (const std::unique_ptr<RelativeJoin> &each : found.joins)
    keepFactors(*each);
  return true;
}

/// What the kernel subtracts where the maximum is `value`.
Value Deferral::emitBound(Value value) {
  IRMapping mapping;
  mapping.map(found.argument, value);
  for (Operation *op : found.boundOps)
    b.clone(*op, mapping);
  return mapping.lookupOrDefault(found.bound);
}

/// A join without the factors of rows that it has.
void Deferral::dropFactors(RelativeJoin &relative) {
  JoinOp old = relative.join;
  if (relative.isFactor) {
    old.getResult().replaceAllUsesWith(old.getInputs()[relative.input]);
    old.erase();
    return;
  }
  for (Operation *op : relative.factorOps) {
    auto isFactor = [&](Value value) {
      auto argument = dyn_cast<BlockArgument>(value);
      return argument &&
             llvm::is_contained(relative.factorInputs, argument.getArgNumber());
    };
    op->getResult(0).replaceAllUsesWith(
        op->getOperand(isFactor(op->getOperand(0)) ? 1 : 0));
    op->erase();
  }
  SmallVector<Value> operands;
  SmallVector<Attribute> maps, pads;
  llvm::BitVector dropped(old.getInputs().size());
  for (unsigned input : relative.factorInputs)
    dropped.set(input);
  for (unsigned input = 0; input < dropped.size(); ++input) {
    if (dropped.test(input))
      continue;
    operands.push_back(old.getInputs()[input]);
    maps.push_back(old.getIndexingMaps()[input]);
    pads.push_back(old.getPads()[input]);
  }
  maps.push_back(AffineMapAttr::get(old.getResultMap()));
  old.getKernel().front().eraseArguments(dropped);
  b.setInsertionPoint(old);
  auto made = JoinOp::create(
      b, old.getLoc(), old.getType(), old.getVertexAttr(), old.getLabelsAttr(),
      old.getExtentsAttr(), old.getPartitionAttr(), operands,
      b.getArrayAttr(maps), b.getArrayAttr(pads), old.getMonoidAttr(),
      old.getIdentityAttr());
  made.getKernel().takeBody(old.getKernel());
  old.getResult().replaceAllUsesWith(made.getResult());
  old.erase();
  relative.join = made;
}

Deferral::Label Deferral::labelOf(JoinOp join, unsigned label) {
  return {cast<StringAttr>(join.getLabels()[label]), join.getExtents()[label],
          join.getResolvedPartition().cuts[label]};
}

Value Deferral::emitJoin(JoinOp like, ArrayRef<Label> labels,
                         ArrayRef<Read> reads, KernelBody body) {
  MLIRContext *context = b.getContext();
  Location loc = like.getLoc();
  SmallVector<Attribute> names;
  SmallVector<int64_t> extents;
  Partition partition;
  for (const Label &label : labels) {
    names.push_back(label.name);
    extents.push_back(label.extent);
    partition.cuts.push_back(label.cut);
  }
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands;
  SmallVector<Type> elements;
  for (auto &[relation, at] : reads) {
    maps.push_back(
        AffineMap::getMultiDimMapWithTargets(labels.size(), at, context));
    operands.push_back(relation);
    elements.push_back(cast<RelationType>(relation.getType()).getElementType());
  }
  maps.push_back(b.getMultiDimIdentityMap(labels.size()));
  index::GridAttr grid = like.getType().getLayout().getGrid();
  auto type = RelationType::get(
      like.getType().getElementType(),
      index::LayoutAttr::get(
          context, grid,
          withPartialOf(operands, partition,
                        writtenLayout(maps.back(), extents, partition))));
  auto made = JoinOp::create(
      b, loc, type, like.getVertexAttr(), b.getArrayAttr(names),
      b.getDenseI64ArrayAttr(extents),
      index::PartitionAttr::get(context, like.getDeviceGrid(), partition),
      operands, b.getAffineMapArrayAttr(maps),
      b.getArrayAttr(SmallVector<Attribute>(reads.size(), b.getUnitAttr())),
      index::MonoidAttr::get(context, Monoid::None), TypedAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&made.getKernel(), {}, elements,
                               SmallVector<Location>(elements.size(), loc));
  YieldOp::create(b, loc, body(loc, block->getArguments()));
  return made.getResult();
}

/// exp(own maximum - maximum) of every row and device, as they are subtracted.
/// Sums of a device whose own is the maximum stay as they are, infinite ones,
/// too.
void Deferral::emitWeights() {
  JoinOp maximum = found.maximum;
  SmallVector<Label> labels;
  SmallVector<unsigned> rows;
  for (AffineExpr expr : maximum.getResultMap().getResults()) {
    rows.push_back(labels.size());
    labels.push_back(labelOf(maximum, cast<AffineDimExpr>(expr).getPosition()));
  }
  b.setInsertionPointAfterValue(whole);
  auto emitWeight = [&](Location loc, ValueRange values) -> Value {
    // Where a device has nothing, it has no part in the sums.
    Value own = values[0];
    if (!found.boundOps.empty()) {
      Value bound = emitBound(own);
      own = arith::SelectOp::create(b, loc, index::emitIsLeast(b, loc, own),
                                    own, bound);
    }
    Value step = arith::SubFOp::create(b, loc, own, emitBound(values[1]));
    Value power = math::ExpOp::create(b, loc, step);
    Value isSame = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                         values[0], values[1]);
    Value one =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(own.getType(), 1.0));
    return arith::SelectOp::create(b, loc, isSame, one, power);
  };
  weights = emitJoin(maximum, labels,
                     {{maximum.getResult(), rows}, {whole, rows}}, emitWeight);
}

/// Partial sums become relative to the maximum, with the factors that they
/// still lack.
void Deferral::weigh(RelativeJoin &sum) {
  SmallVector<Label> labels;
  SmallVector<unsigned> kept;
  // The number here of each row label of the maximum.
  llvm::SmallDenseMap<int, unsigned> rows;
  for (AffineExpr expr : sum.join.getResultMap().getResults()) {
    unsigned label = cast<AffineDimExpr>(expr).getPosition();
    if (sum.labels[label] >= 0)
      rows[sum.labels[label]] = labels.size();
    kept.push_back(labels.size());
    labels.push_back(labelOf(sum.join, label));
  }
  SmallVector<unsigned> at;
  for (AffineExpr expr : found.maximum.getResultMap().getResults())
    at.push_back(rows.lookup(cast<AffineDimExpr>(expr).getPosition()));
  SmallVector<Read> reads = {{sum.join.getResult(), kept},
                             {weights, at},
                             {found.maximum.getResult(), at}};
  for (const RowFactor &factor : sum.factors) {
    Read &read = reads.emplace_back(factor.relation, SmallVector<unsigned>());
    for (int row : factor.rows)
      read.second.push_back(rows.lookup(row));
  }
  SmallVector<Operation *> readers(sum.join->user_begin(),
                                   sum.join->user_end());
  b.setInsertionPoint(
      *llvm::min_element(readers, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      }));
  Value weighed =
      emitJoin(sum.join, labels, reads, [&](Location loc, ValueRange values) {
        // Relative to -inf sums may be no numbers, which means nothing where
        // there is more elsewhere.
        Value value = index::emitWeighed(b, loc, values[0], values[1],
                                         index::emitIsLeast(b, loc, values[2]));
        for (auto [factor, by] :
             llvm::zip_equal(sum.factors, values.drop_front(3)))
          value = factor.divides
                      ? arith::DivFOp::create(b, loc, value, by).getResult()
                      : arith::MulFOp::create(b, loc, value, by).getResult();
        return value;
      });
  for (Operation *reader : readers)
    reader->replaceUsesOfWith(sum.join.getResult(), weighed);
}

void Deferral::apply() {
  found.shift().join->setOperand(found.shift().input,
                                 found.maximum.getResult());
  Operation *last = found.joins.back()->join;
  for (Operation *op : waiting) {
    op->moveAfter(last);
    last = op;
  }
  for (const std::unique_ptr<RelativeJoin> &each : found.joins)
    if (!each->factorOps.empty())
      dropFactors(*each);
  emitWeights();
  for (const std::unique_ptr<RelativeJoin> &each : found.joins)
    if (each->isSum)
      weigh(*each);
}

bool tra::deferJoins(RelativeJoins &found,
                     SmallVectorImpl<Operation *> &erased) {
  Deferral deferral(found);
  if (!deferral.prepare())
    return false;
  for (const std::unique_ptr<RelativeJoin> &each : found.joins)
    if (!each->factorOps.empty())
      erased.push_back(each->join);
  deferral.apply();
  return true;
}
