//===- DeferMaxima.cpp - Sums relative to a device's own maxima -----------===//

#include "RelativeJoins.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/TRA/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace tapestry::tra {
#define GEN_PASS_DEF_DEFERMAXIMA
#include "tapestry/Dialect/TRA/Transforms/Passes.h.inc"
} // namespace tapestry::tra

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
  void takeOwnMaximum();
  void dropFactors();
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
  Value emitJoin(RelativeJoin &like, ArrayRef<Label> labels,
                 ArrayRef<Read> reads, KernelBody body);
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
    if (known && operand.getOperandNumber() == known->input)
      return false;
    Operation *producer = operand.get().getDefiningOp();
    RelativeJoin *relative = found.find(producer);
    // What sums need is put before their aggregates.
    return waiting.contains(producer) || (relative && relative->isSum);
  });
}

bool Deferral::prepare() {
  waiting.insert(found.aggregate);
  Operation *last = found.joins.back()->join;
  for (Operation *op = found.aggregate; op != last->getNextNode();
       op = op->getNextNode()) {
    if (!isMemoryEffectFree(op))
      return false;
    RelativeJoin *known = found.find(op);
    if ((known && known->isFactor) || !waits(*op))
      continue;
    if (known)
      return false;
    waiting.insert(op);
  }
  return true;
}

/// The kernel subtracts the device's own maximum, and nothing where that is
/// -inf: exp(-inf) is 0 then, too, where there is anything at all.
void Deferral::takeOwnMaximum() {
  RelativeJoin &shift = found.shift();
  shift.join->setOperand(shift.input, found.maximum.getResult());
  Operation *difference = differenceIn(shift);
  Value own = difference->getOperand(1);
  auto type = cast<FloatType>(own.getType());
  Location loc = difference->getLoc();
  b.setInsertionPoint(difference);
  auto constant = [&](APFloat value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  };
  Value least =
      constant(APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true));
  Value isLeast =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, own, least);
  Value bound = arith::SelectOp::create(
      b, loc, isLeast, constant(APFloat::getZero(type.getFloatSemantics())),
      own);
  difference->setOperand(1, bound);
}

void Deferral::dropFactors() {
  for (const std::unique_ptr<RelativeJoin> &each : found.joins)
    if (each->isFactor)
      each->join.getResult().replaceAllUsesWith(
          each->join.getInputs()[each->input]);
}

Deferral::Label Deferral::labelOf(JoinOp join, unsigned label) {
  return {cast<StringAttr>(join.getLabels()[label]), join.getExtents()[label],
          join.getResolvedPartition().cuts[label]};
}

Value Deferral::emitJoin(RelativeJoin &like, ArrayRef<Label> labels,
                         ArrayRef<Read> reads, KernelBody body) {
  MLIRContext *context = b.getContext();
  JoinOp join = like.join;
  Location loc = join.getLoc();
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
  index::GridAttr grid = join.getType().getLayout().getGrid();
  auto type = RelationType::get(
      join.getType().getElementType(),
      index::LayoutAttr::get(
          context, grid,
          withPartialOf(operands, partition,
                        writtenLayout(maps.back(), extents, partition))));
  auto made = JoinOp::create(
      b, loc, type, join.getVertexAttr(), b.getArrayAttr(names),
      b.getDenseI64ArrayAttr(extents),
      index::PartitionAttr::get(context, join.getDeviceGrid(), partition),
      operands, b.getAffineMapArrayAttr(maps),
      b.getArrayAttr(SmallVector<Attribute>(reads.size(), b.getUnitAttr())),
      index::MonoidAttr::get(context, Monoid::None), TypedAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&made.getKernel(), {}, elements,
                               SmallVector<Location>(elements.size(), loc));
  YieldOp::create(b, loc, body(loc, block->getArguments()));
  return made.getResult();
}

/// exp(own maximum - maximum) of every row and device.
void Deferral::emitWeights() {
  JoinOp maximum = found.maximum;
  SmallVector<Label> labels;
  SmallVector<unsigned> rows;
  for (AffineExpr expr : maximum.getResultMap().getResults()) {
    rows.push_back(labels.size());
    labels.push_back(labelOf(maximum, cast<AffineDimExpr>(expr).getPosition()));
  }
  b.setInsertionPointAfterValue(whole);
  weights = emitJoin(
      found.shift(), labels, {{maximum.getResult(), rows}, {whole, rows}},
      [&](Location loc, ValueRange values) {
        Value step = arith::SubFOp::create(b, loc, values[0], values[1]);
        return math::ExpOp::create(b, loc, step).getResult();
      });
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
  SmallVector<Read> reads = {{sum.join.getResult(), kept}, {weights, at}};
  for (RelativeJoin *factor : sum.factors) {
    unsigned by = 1 - factor->input;
    JoinOp join = factor->join;
    Read &read =
        reads.emplace_back(join.getInputs()[by], SmallVector<unsigned>());
    for (AffineExpr expr : join.getInputMap(by).getResults())
      read.second.push_back(
          rows.lookup(factor->labels[cast<AffineDimExpr>(expr).getPosition()]));
  }
  SmallVector<Operation *> readers(sum.join->user_begin(),
                                   sum.join->user_end());
  b.setInsertionPoint(
      *llvm::min_element(readers, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      }));
  Value weighed =
      emitJoin(sum, labels, reads, [&](Location loc, ValueRange values) {
        Value value = arith::MulFOp::create(b, loc, values[0], values[1]);
        for (auto [factor, by] :
             llvm::zip_equal(sum.factors, values.drop_front(2))) {
          JoinOp join = factor->join;
          Block &kernel = join.getKernel().front();
          IRMapping mapping;
          mapping.map(kernel.getArgument(factor->input), value);
          mapping.map(kernel.getArgument(1 - factor->input), by);
          value = b.clone(kernel.front(), mapping)->getResult(0);
        }
        return value;
      });
  for (Operation *reader : readers)
    reader->replaceUsesOfWith(sum.join.getResult(), weighed);
}

void Deferral::apply() {
  takeOwnMaximum();
  dropFactors();
  Operation *last = found.joins.back()->join;
  for (Operation *op : waiting) {
    op->moveAfter(last);
    last = op;
  }
  emitWeights();
  for (const std::unique_ptr<RelativeJoin> &each : found.joins)
    if (each->isSum)
      weigh(*each);
  for (const std::unique_ptr<RelativeJoin> &each : found.joins)
    if (each->isFactor)
      each->join.erase();
}

namespace {
struct DeferMaxima : tra::impl::DeferMaximaBase<DeferMaxima> {
  void runOnOperation() override {
    SmallVector<JoinOp> joins(getOperation().getOps<JoinOp>());
    llvm::SmallDenseSet<Operation *> erased;
    for (JoinOp join : joins) {
      if (erased.contains(join))
        continue;
      for (unsigned input = 0; input < join.getInputs().size(); ++input) {
        std::optional<RelativeJoins> found = findRelativeJoins(join, input);
        if (!found)
          continue;
        Deferral deferral(*found);
        if (!deferral.prepare())
          continue;
        for (const std::unique_ptr<RelativeJoin> &each : found->joins)
          if (each->isFactor)
            erased.insert(each->join);
        deferral.apply();
        ++numDeferred;
        break;
      }
    }
  }
};
} // namespace
