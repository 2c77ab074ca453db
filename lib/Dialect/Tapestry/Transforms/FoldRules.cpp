//===- FoldRules.cpp - Subgraphs that become one vertex -------------------===//
//
// Structure decides what matches, bodies and maps: not who made it, what its
// labels are called or in which order operands stand.
//
//===----------------------------------------------------------------------===//

#include "BuiltinRules.h"
#include "Inlining.h"
#include "RewriteKinds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/PatternMatch.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAttrs.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryFused.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// What a value was before a float was made wider or narrower.
template <typename... Casts> static Value withoutCast(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<Casts...>(op) ? op->getOperand(0) : value;
}

/// The value of the body as it is combined.
static Value yielded(EinsumOp op) {
  return cast<YieldOp>(op.getBody().front().getTerminator()).getValue();
}

static std::optional<unsigned> operandBehind(Value value) {
  auto argument = dyn_cast<BlockArgument>(withoutCast<arith::ExtFOp>(value));
  return argument ? std::optional(argument.getArgNumber()) : std::nullopt;
}

/// Whether the body is one of these operations on an element of each of two
/// operands.
template <typename... Ops> static bool combinesTwo(EinsumOp op) {
  Operation *top = withoutCast<arith::TruncFOp>(yielded(op)).getDefiningOp();
  if (op.getInputs().size() != 2 || !isa_and_nonnull<Ops...>(top))
    return false;
  auto a = operandBehind(top->getOperand(0));
  auto b = operandBehind(top->getOperand(1));
  return a && b && *a != *b;
}

static bool isProd(EinsumOp op) {
  return op.getMonoid() == Monoid::None &&
         combinesTwo<arith::MulFOp, arith::MulIOp, complex::MulOp>(op);
}

static bool isSum(EinsumOp op) {
  return op.getMonoid() == Monoid::None &&
         combinesTwo<arith::AddFOp, arith::AddIOp, complex::AddOp>(op);
}

/// Whether labels of one tensor, which is read once and as it is, are summed
/// up.
static bool isSumDim(EinsumOp op) {
  return op.getMonoid() == Monoid::Add && op.getInputs().size() == 1 &&
         operandBehind(yielded(op)) && op.getOperandMap(0).isPermutation();
}

//===----------------------------------------------------------------------===//
// linear-fold
//===----------------------------------------------------------------------===//

namespace {
/// Prod => SumDim => Sum to LinearBlock, which keeps what is summed up whole.
struct FoldLinear : public OpRewritePattern<EinsumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EinsumOp sum,
                                PatternRewriter &rewriter) const override {
    if (!isSum(sum))
      return rewriter.notifyMatchFailure(sum, "it is no sum of two tensors");
    auto [prod, sums] = findSummedProduct(sum);
    if (!prod)
      return rewriter.notifyMatchFailure(
          sum, "neither of its operands sums up products");
    return fold(sum, sums, prod, rewriter);
  }

  static bool isLikely(Operation *op) {
    auto sum = cast<EinsumOp>(op);
    return isSum(sum) && findSummedProduct(sum).first;
  }

private:
  /// Prod and SumDim, or null.
  static std::pair<EinsumOp, EinsumOp> findSummedProduct(EinsumOp sum) {
    for (Value operand : sum.getInputs())
      if (auto sums = operand.getDefiningOp<EinsumOp>(); sums && isSumDim(sums))
        // Inside a loop products from outside would be computed in every pass.
        if (auto prod = sums.getInputs()[0].getDefiningOp<EinsumOp>();
            prod && isProd(prod) && prod->getBlock() == sums->getBlock())
          return {prod, sums};
    return {};
  }

  static LogicalResult fold(EinsumOp sum, EinsumOp sums, EinsumOp prod,
                            PatternRewriter &rewriter) {
    for (EinsumOp inner : {prod, sums})
      if (!inner.getResult().hasOneUse())
        return rewriter.notifyMatchFailure(sum, "'" + inner.getName() +
                                                    "' is read elsewhere too");
    SmallVector<std::string> reduced;
    for (auto [name, kind] :
         llvm::zip_equal(sums.getLabelNames(), sums.getLabelKinds()))
      if (kind == LabelKind::Reduced)
        reduced.push_back(name);
    for (const std::string &label : reduced)
      if (asksToCut(sums->getAttr(constraintsAttrName), label))
        return rewriter.notifyMatchFailure(sum, "'" + label + "' of '" +
                                                    sums.getName() +
                                                    "' is asked to be cut");
    if (llvm::Error error = checkUnasked(prod))
      return rewriter.notifyMatchFailure(sum, llvm::toString(std::move(error)));
    llvm::Expected<EinsumOp> block =
        inlineProducer(sums, prod, sums.getMonoid());
    if (!block)
      return rewriter.notifyMatchFailure(sum,
                                         llvm::toString(block.takeError()));
    for (const std::string &label : reduced)
      keepWhole(*block, label);
    rewriter.setInsertionPoint(sums);
    rewriter.insert(block->getOperation());
    rewriter.replaceOp(sums, block->getResult());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// fuse-elementwise
//===----------------------------------------------------------------------===//

/// An elementwise producer that nothing else reads, into the einsum that does,
/// unless that would compute it more often.
struct FuseElementwise : public OpRewritePattern<EinsumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EinsumOp reader,
                                PatternRewriter &rewriter) const override {
    for (Value operand : reader.getInputs()) {
      auto producer = operand.getDefiningOp<EinsumOp>();
      if (!producer || producer.getMonoid() != Monoid::None)
        continue;
      if (!operand.hasOneUse()) {
        (void)rewriter.notifyMatchFailure(
            reader, "'" + producer.getName() + "' is read more than once");
        continue;
      }
      if (producer->getBlock() != reader->getBlock()) {
        (void)rewriter.notifyMatchFailure(
            reader, "'" + producer.getName() +
                        "' would be computed in every pass of a loop");
        continue;
      }
      if (pointsOf(reader) > pointsOf(producer)) {
        (void)rewriter.notifyMatchFailure(
            reader, "'" + producer.getName() + "' would be computed at " +
                        Twine(pointsOf(reader)) + " points, not at " +
                        Twine(pointsOf(producer)));
        continue;
      }
      llvm::Expected<EinsumOp> fused = fuseInto(producer, reader);
      if (!fused) {
        (void)rewriter.notifyMatchFailure(reader,
                                          llvm::toString(fused.takeError()));
        continue;
      }
      rewriter.insert(fused->getOperation());
      rewriter.replaceOp(reader, fused->getResult());
      return success();
    }
    return rewriter.notifyMatchFailure(
        reader, "it has no elementwise producer to itself");
  }

private:
  static int64_t pointsOf(EinsumOp op) {
    int64_t points = 1;
    for (int64_t extent : op.getExtents())
      points *= extent;
    return points;
  }
};

//===----------------------------------------------------------------------===//
// fuse-producer
//===----------------------------------------------------------------------===//

/// A producer and the operator that alone reads what it makes, to one of both:
/// Linear => ReLU. Of two shards, to a shard of that.
struct FuseProducer : public OpInterfaceRewritePattern<BlockOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(BlockOpInterface consumer,
                                PatternRewriter &rewriter) const override {
    for (BlockOpInterface producer : producersOf(consumer)) {
      auto fused = fuse(producer, consumer, rewriter);
      if (fused) {
        rewriter.replaceOp(consumer, *fused);
        return success();
      }
      (void)rewriter.notifyMatchFailure(consumer,
                                        llvm::toString(fused.takeError()));
    }
    return rewriter.notifyMatchFailure(consumer,
                                       "it has no producer to itself");
  }

  static bool isApplicable(Operation *op) {
    auto consumer = dyn_cast<BlockOpInterface>(op);
    return consumer && llvm::any_of(producersOf(consumer), [&](auto producer) {
             OpBuilder nowhere(op->getContext());
             auto fused = fuse(producer, consumer, nowhere);
             if (fused)
               (*fused)->destroy();
             else
               llvm::consumeError(fused.takeError());
             return static_cast<bool>(fused);
           });
  }

private:
  static llvm::SmallSetVector<BlockOpInterface, 4>
  producersOf(BlockOpInterface consumer) {
    llvm::SmallSetVector<BlockOpInterface, 4> producers;
    for (Value operand : consumer->getOperands())
      if (auto producer = operand.getDefiningOp<BlockOpInterface>();
          producer && !isGraphSource(producer))
        producers.insert(producer);
    return producers;
  }

  /// Fails where what lies between escapes, or is better no vertex at all.
  static llvm::Error checkReaders(BlockOpInterface producer,
                                  BlockOpInterface consumer) {
    StringRef name = producer.getVertexName();
    if (producer->getBlock() != consumer->getBlock())
      return planError("'", name,
                       "' would be computed in every pass of a loop");
    if (!llvm::all_of(producer->getUsers(), [&](Operation *user) {
          return user == consumer.getOperation();
        }))
      return planError("'", name, "' is read elsewhere too");
    if (producer.getScalarRegion() && consumer.getScalarRegion() &&
        llvm::all_of(producer.getLabelKinds(), [](LabelKind kind) {
          return kind == LabelKind::Parallel;
        }))
      return planError("'", name,
                       "' reduces nothing: its body can be part of the other");
    // What reads it can be one body with the consumer; one in the other, every
    // answer would be asked for through all of them.
    if (auto shard = dyn_cast<ShardOp>(producer.getOperation());
        isa<FusedOp>(shard ? shard.getWholeOp() : producer.getOperation()))
      return planError("'", name, "' is fused already");
    return checkAsked(producer);
  }

  /// Fails where something is asked of the producer but to keep whole what is
  /// so in the fused operator.
  static llvm::Error checkAsked(BlockOpInterface producer) {
    auto names = producer.getLabelNames();
    auto kinds = producer.getLabelKinds();
    for (NamedAttribute asked : producer->getDiscardableAttrs()) {
      if (asked.getName() != constraintsAttrName)
        return planError("'", producer.getVertexName(), "' has '",
                         asked.getName().getValue(),
                         "', which is about it as it is");
      for (auto each :
           cast<ArrayAttr>(asked.getValue()).getAsRange<ConstraintAttr>()) {
        if (each.getIsHome())
          return planError("the home of '", producer.getVertexName(),
                           "' is asked for");
        for (const LabelConstraint &cut : each.getConstraint("").cuts) {
          size_t label = llvm::find(names, cut.label) - names.begin();
          if (cut.parts != 1 || !cut.axes.empty() ||
              kinds[label] == LabelKind::Parallel)
            return planError("how '", cut.label, "' of '",
                             producer.getVertexName(), "' is cut is asked for");
        }
      }
    }
    return llvm::Error::success();
  }

  static llvm::Expected<Operation *>
  fuse(BlockOpInterface producer, BlockOpInterface consumer, OpBuilder &b) {
    if (llvm::Error error = checkReaders(producer, consumer))
      return std::move(error);
    auto first = dyn_cast<ShardOp>(producer.getOperation());
    auto second = dyn_cast<ShardOp>(consumer.getOperation());
    if (first && second)
      return fuseShards(first, second, b);
    std::string reason = whyNotFused(producer, consumer);
    if (!reason.empty())
      return planError(reason);
    return FusedOp::create(b, consumer.getLoc(), producer, consumer)
        .getOperation();
  }

  static llvm::Expected<Operation *> fuseShards(ShardOp producer,
                                                ShardOp consumer, OpBuilder &b);
};

/// Fuses what they are shards of, where the one is given what the other makes.
llvm::Expected<Operation *>
FuseProducer::fuseShards(ShardOp producer, ShardOp consumer, OpBuilder &b) {
  OwningOpRef<Operation *> first(producer.getWholeOp()->clone());
  OwningOpRef<Operation *> second(consumer.getWholeOp()->clone());
  SmallVector<Value> operands(producer.getInputs());
  for (auto [number, input] : llvm::enumerate(consumer.getInputs())) {
    if (input != producer->getResult(0)) {
      operands.push_back(input);
      continue;
    }
    if (first->getResult(0).getType() != second->getOperand(number).getType())
      return planError("'", producer.getName(), "' is of ",
                       first->getResult(0).getType(), ", but '",
                       consumer.getName(), "' of ",
                       second->getOperand(number).getType());
    second->setOperand(number, first->getResult(0));
  }
  auto from = cast<BlockOpInterface>(*first),
       to = cast<BlockOpInterface>(*second);
  auto release = llvm::scope_exit([&]() { second->dropAllReferences(); });
  std::string reason = whyNotFused(from, to);
  if (!reason.empty())
    return planError(reason);
  OpBuilder apart(b.getContext());
  OwningOpRef<Operation *> whole(
      FusedOp::create(apart, consumer.getLoc(), from, to).getOperation());
  auto fused = cast<FusedOp>(*whole);
  if (fused.getProducerRange(consumer.getBox()) != producer.getBox())
    return planError(
        "'", producer.getName(), "' computes ", boxToString(producer.getBox()),
        ", but '", consumer.getName(), "' reads what ",
        boxToString(fused.getProducerRange(consumer.getBox())), " makes");
  return ShardOp::create(b, consumer.getLoc(), consumer.getName(),
                         cast<BlockOpInterface>(*whole), consumer.getBox(),
                         operands)
      .getOperation();
}
} // namespace

void teg::addFoldRules(std::deque<RewriteRule> &rules) {
  std::string root = EinsumOp::getOperationName().str();
  rules.push_back(
      {"linear-fold", RuleKind::Global, root, 0,
       "Prod, SumDim and Sum to a block that keeps the summed "
       "labels whole",
       [](RewritePatternSet &set) { set.add<FoldLinear>(set.getContext()); },
       /*isSearched=*/true, FoldLinear::isLikely});
  // A search has it as the kind `fuse`.
  rules.push_back({"fuse-elementwise", RuleKind::Global, root, 1,
                   "an elementwise producer into its only reader",
                   [](RewritePatternSet &set) {
                     set.add<FuseElementwise>(set.getContext());
                   },
                   /*isSearched=*/false});
  rules.push_back(
      {"fuse-producer", RuleKind::Global, /*root=*/"", 2,
       "a producer and its only reader to one operator",
       [](RewritePatternSet &set) { set.add<FuseProducer>(set.getContext()); },
       /*isSearched=*/true, FuseProducer::isApplicable,
       /*addDialects=*/{}, /*isCertain=*/true});
}
