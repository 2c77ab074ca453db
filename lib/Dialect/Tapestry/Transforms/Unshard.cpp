//===- Unshard.cpp - Whole operations from shards -------------------------===//
//
// Shards are grouped once it is known of what tensors their operands are
// slices: those of sources first, then those of what has been put together. A
// group that makes a whole becomes one operation; what its shards gave is a
// view of that.
//
//===----------------------------------------------------------------------===//

#include "FreshNames.h"
#include "GraphViews.h"
#include "PartialResults.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "llvm/ADT/SetVector.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYUNSHARD
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

/// A shard and what its operands are.
struct Shard {
  BlockOpInterface block() const { return cast<BlockOpInterface>(op); }
  ShardInterface sharded() const { return cast<ShardInterface>(op); }
  /// Null where the operator says its range itself.
  ShardOp ranged() const { return dyn_cast<ShardOp>(op); }

  Operation *op;
  ZBox range;
  /// The operands as views, each of slices of one tensor.
  std::vector<TensorView> operands;
  SmallVector<unsigned> tensors;
  std::vector<ShardRead> reads;
};

/// Shards that may be of one operation.
using Group = std::vector<Shard>;

class Unsharder {
public:
  Unsharder(Block &block, FreshNames &names) : block(block), names(names) {}

  void run();

  int64_t numShards = 0, numWholes = 0;

private:
  SmallVector<Operation *> takeReady(bool reductions);
  bool isReady(Operation *op);
  /// With `joined` what joins several tensors is one itself.
  std::optional<Shard> describe(BlockOpInterface op, bool joined);
  bool turnsInside(const Shard &shard);
  bool describeOperands(Shard &shard, bool joined);
  std::optional<unsigned> wholeOf(ShardOp shard, unsigned operand, bool joined);
  unsigned numberOf(Value tensor);
  bool agree(const Shard &a, const Shard &b);
  std::vector<Group> group(ArrayRef<Operation *> ready, bool joined);
  bool readsSlices(const Shard &shard);
  bool makeWhole(const Group &group);
  BlockOpInterface createWhole(const Group &group, const ZBox &space);
  BlockOpInterface cloneWhole(const Group &group);
  bool readsAsWhole(BlockOpInterface whole, const Shard &shard);
  void take(const Group &group, BlockOpInterface whole);
  void combine(Operation *op);
  void replaceUses();
  void replaceUses(Operation &op, Value result);
  void eraseUnused();

  /// What a tensor is, seen through what has been put together.
  TensorView resolve(Value value);
  /// The same, up to what joins several.
  TensorView resolveToJoin(Value value);
  ArrayRef<int64_t> shapeOf(unsigned tensor) {
    return cast<RankedTensorType>(views.tensor(tensor).getType()).getShape();
  }

  Block &block;
  FreshNames &names;
  GraphViews views;
  /// Of a tensor that has been put together with others: the view of that.
  llvm::DenseMap<unsigned, TensorView> wholes;
  /// The numbers of joins that are read as tensors.
  llvm::DenseMap<Value, unsigned> joins;
  /// Shards that may still be put together, and reductions of stacks.
  llvm::SetVector<Operation *> waiting;
  /// Those that have been.
  llvm::SmallPtrSet<Operation *, 16> done;
  /// What they became, with the shards, and with what stood for it.
  struct Whole {
    Operation *op;
    SmallVector<Operation *> shards;
    Operation *standIn = nullptr;
  };
  std::vector<Whole> made;
};

} // namespace

TensorView Unsharder::resolve(Value value) {
  TensorView view = views.of(value);
  TensorView resolved;
  resolved.shape = view.shape;
  for (ViewPiece &piece : view.pieces) {
    auto whole = wholes.find(piece.tensor);
    if (whole == wholes.end() || !resolved.add(whole->second, piece))
      resolved.pieces.push_back(std::move(piece));
  }
  resolved.merge();
  return resolved;
}

/// What a selector reads, where that is all of its result and of one operand.
static std::optional<std::pair<Value, Projection>> onlyRead(Value value) {
  auto selector = dyn_cast_or_null<SelectorInterface>(value.getDefiningOp());
  if (!selector || !selector.isTransparent())
    return std::nullopt;
  auto block = cast<BlockOpInterface>(value.getDefiningOp());
  auto reads = block.getReads();
  if (reads.size() != 1)
    return std::nullopt;
  auto &[operand, access] = reads.front();
  if (access.fallback != AccessFallback::None || selector.getResidue(operand))
    return std::nullopt;
  return std::pair(block.getTensorOperands()[operand], access.projection);
}

/// The number of a tensor that is read as it is, whatever it is made of.
unsigned Unsharder::numberOf(Value tensor) {
  if (std::optional<unsigned> known = resolve(tensor).asTensor();
      known && shapeOf(*known) == ArrayRef(views.of(tensor).shape))
    return *known;
  auto [join, isNew] = joins.try_emplace(tensor);
  if (isNew)
    join->second = views.addTensor(tensor);
  return join->second;
}

TensorView Unsharder::resolveToJoin(Value value) {
  // From the value up to what is no slice, and back.
  SmallVector<std::pair<Value, Projection>> slices;
  Value source = value;
  while (auto read = onlyRead(source)) {
    slices.emplace_back(source, std::move(read->second));
    source = read->first;
  }
  TensorView view = resolve(source);
  if (view.pieces.size() > 1)
    view = TensorView::of(numberOf(source), view.shape);
  for (auto &[slice, projection] : llvm::reverse(slices)) {
    TensorView next;
    next.shape =
        llvm::to_vector(cast<RankedTensorType>(slice.getType()).getShape());
    if (!next.add(view, projection, boxOfShape(next.shape)))
      return resolve(value);
    view = std::move(next);
  }
  return view;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static bool isReduction(Operation *op) {
  auto sharded = dyn_cast<ShardInterface>(op);
  return sharded && sharded.getReducedStack();
}

/// Whether it is known what the operands are: no slices of what may be put
/// together.
bool Unsharder::isReady(Operation *op) {
  return llvm::none_of(op->getOperands(), [&](Value operand) {
    return llvm::any_of(resolve(operand).pieces, [&](const ViewPiece &piece) {
      Operation *producer = views.tensor(piece.tensor).getDefiningOp();
      return producer && waiting.contains(producer);
    });
  });
}

/// The reductions, or the others, of which it is known; they wait no longer.
SmallVector<Operation *> Unsharder::takeReady(bool reductions) {
  SmallVector<Operation *> ready;
  for (Operation *op : waiting)
    if (isReduction(op) == reductions && isReady(op))
      ready.push_back(op);
  for (Operation *op : ready)
    waiting.remove(op);
  return ready;
}

/// The tensor of which an operand of a block is what that reads.
std::optional<unsigned> Unsharder::wholeOf(ShardOp shard, unsigned operand,
                                           bool joined) {
  BlockOpInterface whole = shard.getWholeOp();
  Value input = shard.getInputs()[operand];
  auto type = cast<RankedTensorType>(whole->getOperand(operand).getType());
  ZBox slice = getSliceOf(whole, operand, shard.getBox());
  if (joined) {
    if (input.getType() == type && slice == boxOfShape(type.getShape()))
      return numberOf(input);
    auto cut = input.getDefiningOp<SliceOp>();
    if (cut && cut.getInput().getType() == type && !cut.getStrides() &&
        slice == cut.getReads()[0].second.image(cut.getIndexSpace()))
      return numberOf(cut.getInput());
  }
  TensorView view = joined ? resolveToJoin(input) : resolve(input);
  if (view.pieces.size() != 1)
    return std::nullopt;
  unsigned tensor = view.pieces.front().tensor;
  if (views.tensor(tensor).getType() != type ||
      findDifference(view, viewOfCells(tensor, slice)))
    return std::nullopt;
  return tensor;
}

bool Unsharder::describeOperands(Shard &shard, bool joined) {
  auto sharded = shard.sharded();
  BlockOpInterface op = shard.block();
  for (auto [number, operand] : llvm::enumerate(op.getTensorOperands())) {
    TensorView view = joined ? resolveToJoin(operand) : resolve(operand);
    auto read = asSliceRead({sharded.getSubscripts(number), view},
                            op.getLabelExtents());
    if (!read)
      return false;
    shard.operands.push_back(std::move(view));
    shard.tensors.push_back(read->first);
    shard.reads.push_back(std::move(read->second));
  }
  return true;
}

std::optional<Shard> Unsharder::describe(BlockOpInterface op, bool joined) {
  Shard shard;
  shard.op = op;
  shard.range = *getRangeOfShard(op);
  if (ShardOp block = shard.ranged()) {
    for (unsigned number = 0; number < block.getInputs().size(); ++number) {
      std::optional<unsigned> tensor = wholeOf(block, number, joined);
      if (!tensor)
        return std::nullopt;
      shard.tensors.push_back(*tensor);
    }
  } else if (!describeOperands(shard, joined)) {
    return std::nullopt;
  }
  return shard;
}

static int64_t remainderOf(int64_t value, int64_t divisor) {
  return divisor == 0 ? value : ((value % divisor) + divisor) % divisor;
}

/// How long a turn is that a read says to make; 0 where it makes none.
static int64_t turnOf(const ProjectionDim &dim) {
  return dim.fold == Fold::Wrap ? dim.mod : 0;
}

/// Whether a shard wraps around less than a tensor, which others of its
/// operation do, too, that do not show it.
bool Unsharder::turnsInside(const Shard &shard) {
  if (shard.ranged())
    return false;
  for (auto [tensor, read] : llvm::zip_equal(shard.tensors, shard.reads))
    for (auto [dim, extent] :
         llvm::zip_equal(read.projection.dims, shapeOf(tensor)))
      if (turnOf(dim) != 0 && turnOf(dim) != extent)
        return true;
  return false;
}

/// Whether two shards read the same tensors by one projection, up to turns
/// around a tensor, and do the same with what they read.
bool Unsharder::agree(const Shard &a, const Shard &b) {
  if (ShardOp first = a.ranged(), second = b.ranged(); first || second)
    return first && second && a.tensors == b.tensors &&
           computeAlike(first.getWholeOp(), second.getWholeOp());
  auto sharded = a.sharded();
  if (a.tensors != b.tensors || !sharded.computesAs(b.op) ||
      getElementTypeOrSelf(a.op->getResult(0)) !=
          getElementTypeOrSelf(b.op->getResult(0)))
    return false;
  for (auto [number, tensor] : llvm::enumerate(a.tensors))
    for (auto [dim, extent] : llvm::enumerate(shapeOf(tensor))) {
      const ProjectionDim &x = a.reads[number].projection.dims[dim];
      const ProjectionDim &y = b.reads[number].projection.dims[dim];
      if (x.terms != y.terms || x.floordiv != y.floordiv)
        return false;
      int64_t distance = x.constant - y.constant;
      distance +=
          (a.reads[number].slice[dim].lo - b.reads[number].slice[dim].lo) *
          x.floordiv;
      for (const AffineTerm &term : x.terms)
        distance -=
            term.coefficient * (a.range[term.dim].lo - b.range[term.dim].lo);
      int64_t turn = turnOf(x) ? turnOf(x) : turnOf(y) ? turnOf(y) : extent;
      if (remainderOf(distance, turn * x.floordiv) != 0)
        return false;
    }
  return true;
}

/// From 0 to the last points of all shards, or what they are blocks of.
static ZBox spaceOf(const Group &group) {
  if (ShardOp shard = group.front().ranged())
    return shard.getWholeOp().getIndexSpace();
  ZBox space(group.front().range.size(), ZRange{0, 0});
  for (const Shard &shard : group)
    for (auto [all, own] : llvm::zip_equal(space, shard.range))
      all.hi = std::max(all.hi, own.hi);
  return space;
}

static bool coversOnce(const Group &group) {
  std::vector<ZBox> ranges;
  for (const Shard &shard : group)
    ranges.push_back(shard.range);
  return !findCoverageFault(spaceOf(group), ranges);
}

/// Of shards that agree, those of several equal operations apart.
static std::vector<Group> takeApart(Group shards) {
  if (coversOnce(shards))
    return {std::move(shards)};
  std::vector<Group> groups;
  for (Shard &shard : shards) {
    auto fits = llvm::find_if(groups, [&](const Group &group) {
      return llvm::none_of(group, [&](const Shard &other) {
        return !isEmpty(intersect(other.range, shard.range));
      });
    });
    if (fits == groups.end())
      fits = groups.insert(groups.end(), Group());
    fits->push_back(std::move(shard));
  }
  return groups;
}

std::vector<Group> Unsharder::group(ArrayRef<Operation *> ready, bool joined) {
  std::vector<Group> alike;
  for (Operation *op : ready) {
    std::optional<Shard> shard = describe(cast<BlockOpInterface>(op), joined);
    if (!shard)
      continue;
    auto same = llvm::find_if(alike, [&](const Group &group) {
      return agree(group.front(), *shard);
    });
    if (same == alike.end())
      same = alike.insert(alike.end(), Group());
    same->push_back(std::move(*shard));
    if (!turnsInside(same->back()))
      continue;
    // The first says how long a turn is, by which others may agree.
    std::swap(same->front(), same->back());
    for (Group &other : llvm::make_range(std::next(same), alike.end()))
      if (agree(same->front(), other.front())) {
        llvm::move(other, std::back_inserter(*same));
        other.clear();
      }
    llvm::erase_if(alike, [](const Group &group) { return group.empty(); });
  }
  std::vector<Group> groups;
  for (Group &shards : alike)
    llvm::append_range(groups, takeApart(std::move(shards)));
  return groups;
}

//===----------------------------------------------------------------------===//
// Wholes
//===----------------------------------------------------------------------===//

/// The operation of which a group would be the shards; null where they read by
/// no one projection.
BlockOpInterface Unsharder::createWhole(const Group &group, const ZBox &space) {
  SmallVector<Value> operands;
  std::vector<Projection> projections;
  for (auto [number, tensor] : llvm::enumerate(group.front().tensors)) {
    std::vector<ShardedRead> reads;
    for (const Shard &shard : group)
      reads.push_back({shard.range, shard.reads[number]});
    std::optional<Projection> projection =
        projectionOfShards(reads, shapeOf(tensor));
    if (!projection)
      return {};
    projections.push_back(std::move(*projection));
    operands.push_back(views.tensor(tensor));
  }
  BlockOpInterface first = group.front().block();
  std::string name = names.next(first.getVertexName());
  ShardedBlock whole;
  whole.name = name;
  whole.range = space;
  whole.isShard = false;
  whole.operands = operands;
  whole.projections = projections;
  whole.elementType = getElementTypeOrSelf(first->getResult(0));
  OpBuilder builder(first);
  return cast<BlockOpInterface>(
      cast<ShardInterface>(first.getOperation()).createBlock(builder, whole));
}

/// The operator that a group says to be blocks of, on what it reads.
BlockOpInterface Unsharder::cloneWhole(const Group &group) {
  Operation *first = group.front().op;
  OpBuilder builder(first);
  Operation *whole = builder.clone(*cast<ShardOp>(first).getWholeOp());
  whole->setOperands(
      llvm::map_to_vector(group.front().tensors, [&](unsigned tensor) {
        return views.tensor(tensor);
      }));
  std::string name = names.next(group.front().block().getVertexName());
  if (whole->getInherentAttr("name"))
    whole->setAttr("name", builder.getStringAttr(name));
  return cast<BlockOpInterface>(whole);
}

bool Unsharder::readsAsWhole(BlockOpInterface whole, const Shard &shard) {
  auto all = cast<ShardInterface>(whole.getOperation());
  auto own = shard.sharded();
  for (auto [number, tensor] : llvm::enumerate(shard.tensors))
    if (findReadFault({all.getSubscripts(number),
                       TensorView::of(tensor, shapeOf(tensor))},
                      {own.getSubscripts(number), shard.operands[number]},
                      shard.range))
      return false;
  return true;
}

/// The results of shards that are put together are views of the whole's, but
/// for partial ones.
void Unsharder::take(const Group &group, BlockOpInterface whole) {
  for (OpResult all : whole->getResults()) {
    unsigned result = all.getResultNumber(), number = views.addTensor(all);
    views.set(all, TensorView::of(number, shapeOf(number)));
    for (const Shard &shard : group) {
      unsigned own = *views.of(shard.op->getResult(result)).asTensor();
      if (isComplete(whole, result, shard.range))
        wholes[own] = viewOfBlock(whole, result, shard.range, number);
      else
        views.setPartial(own, {whole, shard.range, result});
    }
  }
  for (const Shard &shard : group)
    done.insert(shard.op);
  made.push_back({whole, llvm::map_to_vector(group, [](const Shard &shard) {
                    return shard.op;
                  })});
  numShards += group.size();
  ++numWholes;
}

/// Whether a shard reads less than whole tensors.
bool Unsharder::readsSlices(const Shard &shard) {
  for (auto [tensor, read] : llvm::zip_equal(shard.tensors, shard.reads))
    if (read.slice != boxOfShape(shapeOf(tensor)))
      return true;
  return false;
}

bool Unsharder::makeWhole(const Group &group) {
  if (!coversOnce(group))
    return false;
  if (group.front().ranged()) {
    take(group, cloneWhole(group));
    return true;
  }
  // One block from 0 on need not be all: others may be missing.
  if (group.size() == 1 && readsSlices(group.front()))
    return false;
  BlockOpInterface whole = createWhole(group, spaceOf(group));
  if (!whole)
    return false;
  if (!llvm::all_of(group, [&](const Shard &shard) {
        return readsAsWhole(whole, shard);
      })) {
    whole.erase();
    return false;
  }
  take(group, whole);
  return true;
}

/// A reduction of partial results that make a whole is a view of that.
void Unsharder::combine(Operation *op) {
  auto block =
      views.combined(resolve(cast<ShardInterface>(op).getReducedStack()));
  if (!block)
    return;
  auto whole = cast<BlockOpInterface>(block->whole);
  Value result = op->getResult(0), all = whole->getResult(block->result);
  unsigned own = *views.of(result).asTensor();
  Type element = getElementTypeOrSelf(result);
  bool isRounded = isa<ShardInterface>(block->whole);
  if (!combineAlike(cast<BlockOpInterface>(op), /*resultOfA=*/0, whole,
                    block->result))
    return;
  if (!isComplete(whole, block->result, block->range)) {
    views.setPartial(own, std::move(*block));
  } else {
    // Partial results are accumulators, which are rounded here.
    if (isRounded)
      all.setType(cast<RankedTensorType>(all.getType()).clone(element));
    else if (getElementTypeOrSelf(all) != element)
      return;
    wholes[own] = viewOfBlock(whole, block->result, block->range,
                              *views.of(all).asTensor());
  }
  done.insert(op);
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// Readers of what is put together read that, or a slice of it.
void Unsharder::replaceUses() {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (isa<SelectorInterface>(op) || done.contains(&op))
      for (Value result : op.getResults())
        if (!result.use_empty())
          replaceUses(op, result);
}

void Unsharder::replaceUses(Operation &op, Value result) {
  TensorView view = resolve(result);
  std::optional<unsigned> tensor = view.asTensor();
  Value whole = tensor ? views.tensor(*tensor) : Value();
  if (whole == result)
    return;
  if (whole && whole.getType() == result.getType()) {
    result.replaceAllUsesWith(whole);
    for (Whole &known : made)
      if (known.op == whole.getDefiningOp() &&
          cast<OpResult>(whole).getResultNumber() == 0)
        known.standIn = &op;
  } else if (!isa<SelectorInterface>(op) && view.pieces.size() == 1 &&
             view.pieces.front().steps.empty()) {
    const ViewPiece &piece = view.pieces.front();
    OpBuilder builder(&op);
    result.replaceAllUsesWith(SliceOp::create(
        builder, op.getLoc(),
        names.next(cast<BlockOpInterface>(op).getVertexName()),
        views.tensor(piece.tensor), piece.projection.image(piece.cells)));
  }
}

/// Erases what nobody reads any longer. A whole of which shards are left, as
/// partial results that are no sum's, is none.
void Unsharder::eraseUnused() {
  llvm::DenseMap<Operation *, std::string> erased;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if ((isa<SelectorInterface>(op) || done.contains(&op)) && op.use_empty()) {
      erased[&op] = cast<BlockOpInterface>(op).getVertexName();
      op.erase();
    }
  for (Whole &whole : made) {
    bool isGone = llvm::all_of(
        whole.shards, [&](Operation *shard) { return erased.contains(shard); });
    if (!isGone && whole.op->use_empty())
      whole.op->erase();
    else if (erased.contains(whole.standIn) &&
             whole.op->getInherentAttr("name"))
      whole.op->setAttr("name", StringAttr::get(whole.op->getContext(),
                                                erased[whole.standIn]));
  }
}

void Unsharder::run() {
  for (Operation &op : block)
    if (getRangeOfShard(&op) || isReduction(&op))
      waiting.insert(&op);
  while (!waiting.empty()) {
    for (Operation *op : takeReady(/*reductions=*/true))
      combine(op);
    SmallVector<Operation *> ready = takeReady(/*reductions=*/false);
    // Shards read joins of the graph itself; what is joined for one shard, the
    // tensors behind it.
    for (bool joined : {true, false}) {
      for (const Group &shards : group(ready, joined))
        makeWhole(shards);
      llvm::erase_if(ready, [&](Operation *op) { return done.contains(op); });
    }
  }
  if (made.empty())
    return;
  replaceUses();
  eraseUnused();
  sortTopologically(&block);
}

namespace {
struct TapestryUnshard
    : tapestry::teg::impl::TapestryUnshardBase<TapestryUnshard> {
  void runOnOperation() override {
    FreshNames names(getOperation());
    SmallVector<Block *> blocks = {&getOperation().getBody().front()};
    // What is around a loop comes first: its body reads what that becomes.
    getOperation().walk<WalkOrder::PreOrder>([&](GraphLoopInterface loop) {
      blocks.push_back(&loop.getLoopBody());
    });
    for (Block *block : blocks) {
      Unsharder unsharder(*block, names);
      unsharder.run();
      numShards += unsharder.numShards;
      numWholes += unsharder.numWholes;
    }
  }
};
} // namespace
