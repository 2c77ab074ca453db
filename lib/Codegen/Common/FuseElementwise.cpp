//===- FuseElementwise.cpp - Fuse elementwise operations on buffers -------===//
//
// A greedy walk over the operations of each block, producers first.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "tapestry/Codegen/Common/BlockAccesses.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/Nest.h"
#include "tapestry/Codegen/Common/Passes.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "tapestry/Codegen/Common/Passes.h.inc"

namespace {

/// What computing a value again may cost, in vector instructions per vector, to
/// be cheaper than storing and loading it.
constexpr unsigned recomputeCost = 6;

/// The most operations of a body that is made of two: beyond that nothing is
/// gained, and what generates code of it takes more than linear time.
constexpr unsigned largestBody = 256;

using linalg::GenericOp;

/// A buffer that only operations of this block use, not through views.
struct Intermediate {
  memref::AllocOp alloc;
  /// Of what the producer writes: all of them.
  SmallVector<OpOperand *> reads;
  /// It holds other values, too, before or behind these.
  bool isReused = false;
};

std::optional<Intermediate> intermediateOf(GenericOp producer) {
  Intermediate result;
  Value buffer = producer.getOutputs()[0];
  result.alloc = buffer.getDefiningOp<memref::AllocOp>();
  if (!result.alloc || result.alloc->getBlock() != producer->getBlock())
    return std::nullopt;
  GenericOp overwrites;
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (user == producer || isa<memref::DeallocOp, memref::DimOp>(user))
      continue;
    auto generic = dyn_cast<GenericOp>(user);
    if (!generic || generic->getBlock() != producer->getBlock())
      return std::nullopt;
    if (!producer->isBeforeInBlock(generic))
      result.isReused = true;
    else if (!generic.isDpsInit(&use))
      result.reads.push_back(&use);
    else if (!overwrites || generic->isBeforeInBlock(overwrites))
      overwrites = generic;
  }
  if (overwrites) {
    // Others go on with what is there, or leave some of it.
    if (!isElementwise(overwrites))
      return std::nullopt;
    result.isReused = true;
    llvm::erase_if(result.reads, [&](OpOperand *use) {
      return overwrites->isBeforeInBlock(use->getOwner());
    });
  }
  return result;
}

/// The producer's loops as functions of the consumer's, at the point whose
/// value the consumer reads through `use`.
AffineMap loopsAt(GenericOp producer, OpOperand &use) {
  auto consumer = cast<GenericOp>(use.getOwner());
  AffineMap toLoops =
      inversePermutation(producer.getIndexingMapsArray().back());
  return toLoops.compose(consumer.getMatchingIndexingMap(&use));
}

/// Whether every loop has a plain subscript that gives its extent.
bool boundsAllLoops(ArrayRef<AffineMap> maps, unsigned loops) {
  llvm::SmallBitVector bound(loops);
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        bound.set(dim.getPosition());
  return bound.all();
}

/// Builds the operands and the body of an operation made of two.
class Combiner {
public:
  Combiner(GenericOp producer, GenericOp consumer, AffineMap producerLoops)
      : producer(producer), consumer(consumer), producerLoops(producerLoops) {}

  /// The operation before `consumer` that computes the producer's value where
  /// the consumer read it; with `keep`, stores it too. Null when a loop would
  /// lose its extent.
  GenericOp build(bool keep);

private:
  void addInput(Value value, AffineMap map, BlockArgument old);
  void addOperands(bool keep);
  void emitBody(OpBuilder &b, Location loc, ValueRange arguments, bool keep);

  GenericOp producer, consumer;
  AffineMap producerLoops;
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> inputMaps, outputMaps;
  /// Per input: the arguments of the old bodies that it stands for.
  SmallVector<SmallVector<BlockArgument>> olds;
};

void Combiner::addInput(Value value, AffineMap map, BlockArgument old) {
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (inputs[i] == value && inputMaps[i] == map)
      return olds[i].push_back(old);
  inputs.push_back(value);
  inputMaps.push_back(map);
  olds.push_back({old});
}

void Combiner::addOperands(bool keep) {
  Value buffer = producer.getOutputs()[0];
  for (OpOperand *operand : consumer.getDpsInputOperands())
    if (operand->get() != buffer)
      addInput(operand->get(), consumer.getMatchingIndexingMap(operand),
               consumer.getMatchingBlockArgument(operand));
  for (OpOperand *operand : producer.getDpsInputOperands())
    addInput(operand->get(),
             producer.getMatchingIndexingMap(operand).compose(producerLoops),
             producer.getMatchingBlockArgument(operand));
  if (keep) {
    outputs.push_back(buffer);
    outputMaps.push_back(
        producer.getIndexingMapsArray().back().compose(producerLoops));
  }
  for (OpOperand &operand : consumer.getDpsInitsMutable()) {
    outputs.push_back(operand.get());
    outputMaps.push_back(consumer.getMatchingIndexingMap(&operand));
  }
}

/// `expr` over the loops of the operation that is being built.
Value emitIndex(OpBuilder &b, Location loc, AffineExpr expr, unsigned loops) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return linalg::IndexOp::create(b, loc, dim.getPosition());
  SmallVector<Value> indices(loops);
  for (unsigned loop = 0; loop < loops; ++loop)
    if (expr.isFunctionOfDim(loop))
      indices[loop] = linalg::IndexOp::create(b, loc, loop);
  return affine::expandAffineExpr(b, loc, expr, indices, {});
}

/// Whether `expr` divides by positive constants only; nothing else has a value.
bool isDefined(AffineExpr expr) {
  bool defined = expr.isPureAffine();
  expr.walk([&](AffineExpr part) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (!binary || binary.getKind() == AffineExprKind::Add ||
        binary.getKind() == AffineExprKind::Mul)
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    defined &= divisor && divisor.getValue() > 0;
  });
  return defined;
}

void Combiner::emitBody(OpBuilder &b, Location loc, ValueRange arguments,
                        bool keep) {
  IRMapping mapping;
  for (auto [number, old] : llvm::enumerate(olds))
    for (BlockArgument argument : old)
      mapping.map(argument, arguments[number]);
  unsigned at = inputs.size() + (keep ? 1 : 0);
  for (BlockArgument old : consumer.getBody()->getArguments().take_back(
           consumer.getOutputs().size()))
    mapping.map(old, arguments[at++]);

  for (Operation &op : producer.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      mapping.map(index.getResult(),
                  emitIndex(b, loc, producerLoops.getResult(index.getDim()),
                            consumer.getNumLoops()));
    else
      b.clone(op, mapping);
  }
  Value produced = mapping.lookupOrDefault(
      producer.getBody()->getTerminator()->getOperand(0));
  for (OpOperand *operand : consumer.getDpsInputOperands())
    if (operand->get() == producer.getOutputs()[0])
      mapping.map(consumer.getMatchingBlockArgument(operand), produced);

  for (Operation &op : consumer.getBody()->without_terminator())
    b.clone(op, mapping);
  SmallVector<Value> results;
  if (keep)
    results.push_back(produced);
  for (Value value : consumer.getBody()->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  linalg::YieldOp::create(b, loc, results);
}

GenericOp Combiner::build(bool keep) {
  addOperands(keep);
  SmallVector<AffineMap> maps = inputMaps;
  llvm::append_range(maps, outputMaps);
  if (!boundsAllLoops(maps, consumer.getNumLoops()))
    return nullptr;
  OpBuilder b(consumer);
  auto combined = GenericOp::create(
      b, consumer.getLoc(), inputs, outputs, maps,
      consumer.getIteratorTypesArray(),
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        emitBody(body, loc, arguments, keep);
      });
  combined->setDiscardableAttrs(consumer->getDiscardableAttrDictionary());
  return combined;
}

struct FuseElementwise : public impl::FuseElementwiseBase<FuseElementwise> {
  using FuseElementwiseBase::FuseElementwiseBase;

  void runOnOperation() override;
  void runOnBlock(Block &block);
  void generalize(Block &block);
  void sinkFills(Block &block);
  bool compose(GenericOp producer);
  bool merge(GenericOp producer);
  bool canCompose(GenericOp producer, OpOperand &use, unsigned cost);
  bool canMerge(GenericOp producer, OpOperand &use);
  void delayFrees(GenericOp producer, GenericOp reader);
  void lookAt(Block &block);
  void replace(GenericOp old, GenericOp made) {
    accesses->replace(old, made);
    erased.insert(old);
    old.erase();
  }
  void erase(GenericOp op) {
    accesses->erase(op);
    erased.insert(op);
    op.erase();
  }

  /// What this sweep has erased.
  llvm::SmallPtrSet<Operation *, 8> erased;
  /// Whether the block has changed since it was last looked at.
  bool isStale = true;
  /// As the sweep has left the block so far.
  std::optional<BlockAccesses> accesses;
  /// By the root of what they free.
  llvm::DenseMap<Value, SmallVector<memref::DeallocOp, 1>> frees;
};

void FuseElementwise::runOnOperation() {
  if (!isDeviceCode(getOperation()) || isKernel(getOperation()))
    return;
  SmallVector<Block *> blocks;
  getOperation().walk([&](Block *block) {
    if (!isa<linalg::LinalgOp>(block->getParentOp()))
      blocks.push_back(block);
  });
  for (Block *block : blocks)
    runOnBlock(*block);
  accesses.reset();
}

/// What a sweep, or a walk that moves operations, goes by.
void FuseElementwise::lookAt(Block &block) {
  if (!isStale)
    return;
  isStale = false;
  erased.clear();
  accesses.emplace(block);
  frees.clear();
  for (auto free : block.getOps<memref::DeallocOp>())
    frees[rootOf(free.getMemref())].push_back(free);
}

void FuseElementwise::runOnBlock(Block &block) {
  isStale = true;
  generalize(block);
  sinkFills(block);
  // What fusion makes is looked at in the next sweep; a chain of n operations
  // takes about log2(n) of them.
  for (auto attempt : {&FuseElementwise::compose, &FuseElementwise::merge}) {
    bool changed = true;
    while (changed) {
      changed = false;
      lookAt(block);
      for (GenericOp op : llvm::to_vector(block.getOps<GenericOp>()))
        if (!erased.contains(op) && isElementwise(op))
          changed |= (this->*attempt)(op);
      isStale |= changed;
    }
  }
  sinkFills(block);
}

/// Named operations and copies become generics.
void FuseElementwise::generalize(Block &block) {
  IRRewriter rewriter(&getContext());
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto named = dyn_cast<linalg::LinalgOp>(op);
    if (!named || isa<GenericOp>(op) || !named.hasPureBufferSemantics())
      continue;
    rewriter.setInsertionPoint(&op);
    DictionaryAttr attributes = op.getDiscardableAttrDictionary();
    FailureOr<GenericOp> generic = linalg::generalizeNamedOp(rewriter, named);
    if (succeeded(generic))
      (*generic)->setDiscardableAttrs(attributes);
  }
}

/// Moves each fill down to the first operation that touches its buffer.
void FuseElementwise::sinkFills(Block &block) {
  lookAt(block);
  for (GenericOp op : llvm::to_vector(block.getOps<GenericOp>())) {
    if (!isElementwise(op) || llvm::any_of(op.getInputs(), [](Value input) {
          return isa<MemRefType>(input.getType());
        }))
      continue;
    Value buffer = op.getOutputs()[0];
    Operation *at = accesses->firstTouchAfter(op, buffer);
    // Who touches everything may come after the buffer's end.
    auto isFreedBefore = [&](memref::DeallocOp free) {
      return free->isBeforeInBlock(at);
    };
    if (!at || at == op->getNextNode() ||
        llvm::any_of(frees.lookup(rootOf(buffer)), isFreedBefore))
      continue;
    op->moveBefore(at);
    isStale = true;
  }
}

bool FuseElementwise::canCompose(GenericOp producer, OpOperand &use,
                                 unsigned cost) {
  auto consumer = cast<GenericOp>(use.getOwner());
  AffineMap map = consumer.getMatchingIndexingMap(&use);
  // Each point once, or for nothing.
  if ((!map.isPermutation() && cost > 0) ||
      !llvm::all_of(map.getResults(), isDefined) || !buffersLoadedBy(consumer))
    return false;
  AffineMap loops = loopsAt(producer, use);
  for (OpOperand &output : consumer.getDpsInitsMutable())
    for (OpOperand *input : producer.getDpsInputOperands())
      if (mayAlias(input->get(), output.get()) &&
          (input->get() != output.get() ||
           producer.getMatchingIndexingMap(input).compose(loops) !=
               consumer.getMatchingIndexingMap(&output)))
        return false;
  return !accesses->mayChangeInputs(producer, consumer);
}

/// Frees of the producer's inputs move behind the new reader.
void FuseElementwise::delayFrees(GenericOp producer, GenericOp reader) {
  for (Value input : producer.getInputs()) {
    if (!isa<MemRefType>(input.getType()))
      continue;
    auto known = frees.find(rootOf(input));
    if (known == frees.end())
      continue;
    for (memref::DeallocOp free : known->second)
      if (free->isBeforeInBlock(reader))
        free->moveAfter(reader);
  }
}

/// Computes `producer` inside its readers, if that is possible and pays for all
/// of them.
bool FuseElementwise::compose(GenericOp producer) {
  auto intermediate = intermediateOf(producer);
  if (!intermediate || intermediate->reads.empty())
    return false;
  FailureOr<Nest> nest = Nest::analyze(producer);
  // What a body loads from is no operand, of which the rules here are.
  if (failed(nest) || !nest->problem.loads.empty())
    return false;
  unsigned cost = nest->problem.bodyCost;
  llvm::SmallSetVector<Operation *, 4> readers;
  for (OpOperand *use : intermediate->reads) {
    readers.insert(use->getOwner());
    if (!canCompose(producer, *use, cost))
      return false;
  }
  if (cost * (intermediate->reads.size() - 1) > recomputeCost)
    return false;
  size_t size = llvm::range_size(*producer.getBody());
  for (Operation *reader : readers)
    if (size + llvm::range_size(*cast<GenericOp>(reader).getBody()) >
        largestBody)
      return false;

  // One reader may read the buffer through several maps; one at a time.
  SmallVector<std::pair<GenericOp, GenericOp>> replaced;
  for (Operation *reader : readers) {
    auto consumer = cast<GenericOp>(reader);
    SmallVector<AffineMap> maps;
    for (OpOperand *use : intermediate->reads)
      if (use->getOwner() == reader)
        maps.push_back(loopsAt(producer, *use));
    GenericOp combined;
    if (llvm::all_equal(maps))
      combined = Combiner(producer, consumer, maps.front()).build(false);
    if (!combined) {
      for (auto [old, made] : replaced)
        made.erase();
      return false;
    }
    replaced.push_back({consumer, combined});
  }
  for (auto [old, made] : replaced) {
    delayFrees(producer, made);
    replace(old, made);
  }
  erase(producer);
  ++numComposed;
  if (intermediate->isReused)
    return true;
  frees.erase(intermediate->alloc.getMemref());
  for (Operation *user :
       llvm::make_early_inc_range(intermediate->alloc->getUsers()))
    if (isa<memref::DeallocOp>(user))
      user->erase();
  if (intermediate->alloc->use_empty())
    intermediate->alloc.erase();
  return true;
}

/// Whether the consumer can do its part at each point right after the producer.
bool FuseElementwise::canMerge(GenericOp producer, OpOperand &use) {
  auto consumer = cast<GenericOp>(use.getOwner());
  AffineMap map = consumer.getMatchingIndexingMap(&use);
  // A scalar has no loop to share.
  if (!consumer.hasPureBufferSemantics() || !map.isPermutation() ||
      map.getNumResults() == 0 || consumer.getOutputs().size() != 1)
    return false;
  for (OpOperand *other : consumer.getDpsInputOperands())
    if (mayAlias(other->get(), use.get()) &&
        (other->get() != use.get() ||
         consumer.getMatchingIndexingMap(other) != map))
      return false;
  // The buffer's contiguous dimension is what the lanes of both run along.
  unsigned last = cast<AffineDimExpr>(map.getResults().back()).getPosition();
  FailureOr<Nest> nest = Nest::analyze(consumer);
  bool reduces = consumer.getNumReductionLoops() > 0;
  if (failed(nest) || !nest->problem.loads.empty() ||
      (reduces &&
       (!nest->problem.lanesCombine || consumer.getIteratorTypesArray()[last] !=
                                           utils::IteratorType::reduction)))
    return false;
  // The result is new to the producer.
  return !touches(producer, consumer.getOutputs()[0]);
}

/// Merges `producer` with its first reader; the buffer stays.
bool FuseElementwise::merge(GenericOp producer) {
  Value buffer = producer.getOutputs()[0];
  auto consumer =
      dyn_cast_or_null<GenericOp>(accesses->firstTouchAfter(producer, buffer));
  if (!consumer)
    return false;
  OpOperand *use = nullptr;
  for (OpOperand *operand : consumer.getDpsInputOperands())
    if (operand->get() == buffer)
      use = operand;
  if (!use || !canMerge(producer, *use) ||
      !accesses->canSink(producer, consumer))
    return false;
  GenericOp combined =
      Combiner(producer, consumer, loopsAt(producer, *use)).build(true);
  if (!combined)
    return false;
  delayFrees(producer, combined);
  replace(consumer, combined);
  erase(producer);
  ++numMerged;
  return true;
}

} // namespace
} // namespace tapestry
