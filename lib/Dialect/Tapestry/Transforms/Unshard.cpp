//===- Unshard.cpp - Whole operations from shards -------------------------===//
//
// Shards are grouped once it is known of what tensors their operands are
// slices: those of sources first, then those of what has been put together. A
// group that makes a whole becomes one operation; what its shards gave is a
// view of that. What they read of no tensor of the graph, such a whole reads of
// a concatenation.
//
//===----------------------------------------------------------------------===//

#include "Unshard.h"
#include "FreshNames.h"
#include "JoinedReads.h"
#include "PartialResults.h"
#include "ReadyOrder.h"
#include "WholeViews.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

/// A shard and what its operands are slices of.
struct Shard {
  ShardOp op;
  Computation computation;
  ZBox range;
  SmallVector<unsigned> tensors;
};

/// Shards that may be of one operation.
using Group = std::vector<Shard>;

class Unsharder {
public:
  Unsharder(Block &block, FreshNames &names)
      : block(block), names(names),
        order([this](Operation *op, ReadyOrder::IsWaiting isWaiting) {
          return findUnknown(op, isWaiting);
        }) {}

  // What it calls itself knows where it is.
  Unsharder(const Unsharder &) = delete;
  Unsharder &operator=(const Unsharder &) = delete;

  void run();

  int64_t numShards = 0, numWholes = 0;

private:
  void combineReady();
  SmallVector<Operation *> takeReady();
  Operation *findUnknown(Operation *op, ReadyOrder::IsWaiting isWaiting);
  /// With `joined` what joins several tensors is one itself.
  std::optional<Shard> describe(ShardOp op, bool joined);
  std::optional<unsigned> wholeOf(ShardOp shard, unsigned operand, bool joined);
  std::vector<Group> group(ArrayRef<Operation *> ready, bool joined);
  unsigned nearness(ShardOp a, ShardOp b);
  std::vector<Group> groupAlike(ArrayRef<Operation *> ready);
  std::optional<unsigned> commonTensor(const Group &group, unsigned operand);
  std::optional<TensorView> readByAll(const Group &group, unsigned operand);
  bool joinOperands(Group &group);
  void makeWhole(const Group &group);
  BlockOpInterface cloneWhole(const Group &group);
  bool combine(BlockOpInterface op);
  void replaceUses();
  void replaceUses(Operation &op, Value result);
  void eraseUnused();

  std::function<Value(unsigned)> numbered = [this](unsigned number) {
    return views.tensor(number);
  };

  Block &block;
  FreshNames &names;
  WholeViews views;
  /// Per shard that has been put together what it became.
  llvm::DenseMap<Operation *, Operation *> wholeOfShard;
  /// Shards that may still be put together, and what may combine partial
  /// values.
  ReadyOrder order;
  /// Those that have been.
  llvm::SmallPtrSet<Operation *, 16> done;
  /// What they became, with the shards, and with what stood for it.
  struct Whole {
    Operation *op;
    SmallVector<Operation *> shards;
    Operation *standIn = nullptr;
  };
  std::vector<Whole> made;
  /// Per whole its place among those.
  llvm::DenseMap<Operation *, size_t> placesOfWholes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Whether an operator may do nothing but combine scalars.
static bool mayCombine(Operation *op) {
  auto block = dyn_cast<BlockOpInterface>(op);
  return block && block.getScalarRegion();
}

/// The first operation that made what an operand is a slice of and may still be
/// put together.
Operation *Unsharder::findUnknown(Operation *op,
                                  ReadyOrder::IsWaiting isWaiting) {
  for (Value operand : op->getOperands())
    for (const ViewPiece &piece : views.resolve(operand).pieces)
      if (Operation *maker = views.tensor(piece.tensor).getDefiningOp();
          maker && isWaiting(maker))
        return maker;
  return nullptr;
}

/// Takes all up that combine what is known; a sum of sums follows those.
void Unsharder::combineReady() {
  const std::map<unsigned, Operation *> &ready = order.ready();
  for (auto next = ready.begin(); next != ready.end();) {
    auto [place, op] = *next;
    // What it lets go on comes behind it.
    if (mayCombine(op) &&
        (combine(cast<BlockOpInterface>(op)) || !isa<ShardOp>(op)))
      order.leave(op);
    next = ready.upper_bound(place);
  }
}

/// The shards of which it is known; they wait no longer.
SmallVector<Operation *> Unsharder::takeReady() {
  SmallVector<Operation *> shards;
  for (auto [place, op] : order.ready())
    if (isa<ShardOp>(op))
      shards.push_back(op);
  order.leave(shards);
  return shards;
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
      return views.numberOf(input);
    auto cut = input.getDefiningOp<SliceOp>();
    if (cut && cut.getInput().getType() == type && !cut.getStrides() &&
        slice == cut.getReads()[0].second.image(cut.getIndexSpace()))
      return views.numberOf(cut.getInput());
  }
  TensorView view = joined ? views.resolveToJoin(input) : views.resolve(input);
  if (view.pieces.size() != 1)
    return std::nullopt;
  unsigned tensor = view.pieces.front().tensor;
  if (views.tensor(tensor).getType() != type ||
      findDifference(view, viewOfCells(tensor, slice)))
    return std::nullopt;
  return tensor;
}

std::optional<Shard> Unsharder::describe(ShardOp op, bool joined) {
  SmallVector<unsigned> tensors;
  for (unsigned number = 0; number < op.getInputs().size(); ++number) {
    std::optional<unsigned> tensor = wholeOf(op, number, joined);
    if (!tensor)
      return std::nullopt;
    tensors.push_back(*tensor);
  }
  return Shard{op, Computation(op), op.getBox(), std::move(tensors)};
}

static bool coversOnce(const Group &group) {
  std::vector<ZBox> ranges;
  for (const Shard &shard : group)
    ranges.push_back(shard.range);
  ShardOp first = group.front().op;
  return !findCoverageFault(first.getWholeOp().getIndexSpace(), ranges);
}

/// Of shards that are of equal tensors, those of several equal operations
/// apart.
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
  // Per hash of what they compute and read.
  llvm::DenseMap<size_t, SmallVector<size_t, 1>> places;
  for (Operation *op : ready) {
    std::optional<Shard> shard = describe(cast<ShardOp>(op), joined);
    if (!shard)
      continue;
    SmallVector<size_t, 1> &likely = places[llvm::hash_combine(
        shard->computation.hash(), llvm::hash_combine_range(shard->tensors))];
    auto *same = llvm::find_if(likely, [&](size_t place) {
      const Shard &first = alike[place].front();
      return first.tensors == shard->tensors &&
             first.computation.isOf(shard->computation);
    });
    if (same == likely.end()) {
      likely.push_back(alike.size());
      same = std::prev(likely.end());
      alike.emplace_back();
    }
    alike[*same].push_back(std::move(*shard));
  }
  std::vector<Group> groups;
  for (Group &shards : alike)
    llvm::append_range(groups, takeApart(std::move(shards)));
  return groups;
}

//===----------------------------------------------------------------------===//
// Reads of no tensor of the graph
//===----------------------------------------------------------------------===//

/// How much two shards have to do with each other: operands that are of one
/// tensor, and readers of both.
unsigned Unsharder::nearness(ShardOp a, ShardOp b) {
  unsigned near = 0;
  auto tensorsOf = [&](Value operand) {
    llvm::SmallDenseSet<unsigned> tensors;
    for (const ViewPiece &piece : views.resolve(operand).pieces)
      tensors.insert(piece.tensor);
    return tensors;
  };
  for (auto [mine, its] : llvm::zip_equal(a.getInputs(), b.getInputs())) {
    auto tensors = tensorsOf(its);
    near += llvm::any_of(tensorsOf(mine), [&](unsigned tensor) {
      return tensors.contains(tensor);
    });
  }
  for (Operation *user : a->getUsers())
    near += llvm::is_contained(b->getUsers(), user);
  return near;
}

/// Shards that compute alike and make a whole, whatever they read; those of
/// several such operations apart, near ones together.
std::vector<Group> Unsharder::groupAlike(ArrayRef<Operation *> ready) {
  std::vector<Group> groups;
  for (Operation *op : ready) {
    auto shard = cast<ShardOp>(op);
    Shard known = {shard, Computation(shard), shard.getBox(), {}};
    Group *best = nullptr;
    unsigned most = 0;
    for (Group &group : groups) {
      bool fits = group.front().computation.isOf(known.computation) &&
                  llvm::none_of(group, [&](const Shard &other) {
                    return !isEmpty(intersect(other.range, known.range));
                  });
      unsigned near = fits ? nearness(group.front().op, shard) : 0;
      if (fits && (!best || near > most)) {
        best = &group;
        most = near;
      }
    }
    (best ? *best : groups.emplace_back()).push_back(std::move(known));
  }
  llvm::erase_if(groups, [](const Group &group) { return !coversOnce(group); });
  return groups;
}

/// The tensor of which an operand of all shards is what they read.
std::optional<unsigned> Unsharder::commonTensor(const Group &group,
                                                unsigned operand) {
  for (bool joined : {true, false}) {
    std::optional<unsigned> first = wholeOf(group.front().op, operand, joined);
    if (first && llvm::all_of(group, [&](const Shard &shard) {
          return wholeOf(shard.op, operand, joined) == first;
        }))
      return first;
  }
  return std::nullopt;
}

/// The concatenation of tensors of which each shard reads its slice.
std::optional<TensorView> Unsharder::readByAll(const Group &group,
                                               unsigned operand) {
  ShardOp first = group.front().op;
  BlockOpInterface whole = first.getWholeOp();
  auto type = cast<RankedTensorType>(whole->getOperand(operand).getType());
  std::vector<ReadPart> parts;
  for (const Shard &shard : group)
    parts.push_back({getSliceOf(whole, operand, shard.range),
                     views.resolve(shard.op->getOperand(operand))});
  std::optional<TensorView> read = joinParts(type.getShape(), parts);
  return read && isConcatenation(*read, numbered) ? read : std::nullopt;
}

/// Finds what a whole of the shards reads, which is put together where that is
/// no tensor of the graph; false where it is not known.
bool Unsharder::joinOperands(Group &group) {
  ShardOp first = group.front().op;
  SmallVector<std::optional<unsigned>> tensors;
  SmallVector<TensorView> joined(first.getInputs().size());
  SmallVector<Value> behind;
  for (auto [operand, view] : llvm::enumerate(joined)) {
    std::optional<unsigned> tensor = commonTensor(group, operand);
    if (!tensor) {
      std::optional<TensorView> read = readByAll(group, operand);
      if (!read)
        return false;
      view = std::move(*read);
      tensor = view.asTensor();
      if (tensor && views.shapeOf(*tensor) != ArrayRef(view.shape))
        tensor = std::nullopt;
    }
    tensors.push_back(tensor);
    if (tensor)
      behind.push_back(views.tensor(*tensor));
    for (const ViewPiece &piece : view.pieces)
      behind.push_back(views.tensor(piece.tensor));
  }
  llvm::SmallPtrSet<Operation *, 16> shards;
  for (const Shard &shard : group)
    shards.insert(shard.op);
  if (areMadeOf(behind, shards, block, wholeOfShard))
    return false;
  OpBuilder builder(first);
  for (auto [operand, view] : llvm::enumerate(joined)) {
    if (!tensors[operand])
      tensors[operand] = views.numberOf(createConcatenation(
          builder, first.getLoc(), names,
          first.getName() + "." + Twine(operand), view, numbered));
    group.front().tensors.push_back(*tensors[operand]);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Wholes
//===----------------------------------------------------------------------===//

/// The operator that a group says to be blocks of, on what it reads.
BlockOpInterface Unsharder::cloneWhole(const Group &group) {
  ShardOp first = group.front().op;
  OpBuilder builder(first);
  Operation *whole = builder.clone(*first.getWholeOp());
  whole->setOperands(
      llvm::map_to_vector(group.front().tensors, [&](unsigned tensor) {
        return views.tensor(tensor);
      }));
  // That of a source or a sink is not ours.
  if (isa<GraphNodeInterface>(whole))
    return cast<BlockOpInterface>(whole);
  std::string name = names.next(first.getName());
  if (whole->getInherentAttr("name"))
    whole->setAttr("name", builder.getStringAttr(name));
  return cast<BlockOpInterface>(whole);
}

/// The results of shards that are put together are views of the whole's, but
/// for partial ones.
void Unsharder::makeWhole(const Group &group) {
  if (!coversOnce(group))
    return;
  BlockOpInterface whole = cloneWhole(group);
  for (OpResult all : whole->getResults()) {
    unsigned result = all.getResultNumber(), number = views.addTensor(all);
    views.set(all, TensorView::of(number, views.shapeOf(number)));
    for (const Shard &shard : group) {
      unsigned own = *views.of(shard.op->getResult(result)).asTensor();
      if (isComplete(whole, result, shard.range))
        views.setWhole(own, viewOfBlock(whole, result, shard.range, number));
      else
        views.setPartial(own, {whole, shard.range, result});
    }
  }
  Whole known = {whole, {}};
  for (const Shard &shard : group) {
    done.insert(shard.op);
    wholeOfShard[shard.op] = whole;
    known.shards.push_back(shard.op);
  }
  placesOfWholes[whole] = made.size();
  made.push_back(std::move(known));
  numShards += group.size();
  ++numWholes;
}

/// What combines partial results that make a whole is a view of that; false
/// where an operator does something else.
bool Unsharder::combine(BlockOpInterface op) {
  auto viewOf = [&](Value operand) { return views.resolve(operand); };
  const PartialBlock *part = views.partialOperand(op, viewOf);
  if (!part)
    return false;
  auto stack =
      stackOf(op, cast<BlockOpInterface>(part->whole), part->result, viewOf);
  if (!stack)
    return false;
  auto block = views.combined(stack->view);
  if (!block)
    return false;
  auto whole = cast<BlockOpInterface>(block->whole);
  Value all = whole->getResult(block->result), made = op->getResult(0);
  unsigned own = *views.of(made).asTensor();
  if (!block->blocks.empty() ||
      !isComplete(whole, block->result, block->range)) {
    views.setPartial(own, std::move(*block));
  } else {
    if (getElementTypeOrSelf(all) != getElementTypeOrSelf(made))
      return false;
    views.setWhole(own, viewOfBlock(whole, block->result, block->range,
                                    *views.of(all).asTensor()));
  }
  done.insert(op);
  return true;
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
  TensorView view = views.resolve(result);
  std::optional<unsigned> tensor = view.asTensor();
  Value whole = tensor ? views.tensor(*tensor) : Value();
  if (whole == result)
    return;
  if (whole && whole.getType() == result.getType()) {
    result.replaceAllUsesWith(whole);
    auto all = dyn_cast<OpResult>(whole);
    auto known = all && all.getResultNumber() == 0
                     ? placesOfWholes.find(all.getOwner())
                     : placesOfWholes.end();
    if (known != placesOfWholes.end())
      made[known->second].standIn = &op;
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
    if (!isGone && whole.op->use_empty() && !isGraphSink(whole.op))
      whole.op->erase();
    else if (erased.contains(whole.standIn) &&
             !isa<GraphNodeInterface>(whole.op) &&
             whole.op->getInherentAttr("name"))
      whole.op->setAttr("name", StringAttr::get(whole.op->getContext(),
                                                erased[whole.standIn]));
  }
}

void Unsharder::run() {
  SmallVector<Operation *> unknown;
  for (Operation &op : block)
    if (isa<ShardOp>(op) || mayCombine(&op))
      unknown.push_back(&op);
  order.start(unknown);
  while (!order.isEmpty()) {
    combineReady();
    SmallVector<Operation *> shards = takeReady();
    // Shards read joins of the graph itself; what is joined for one shard, the
    // tensors behind it.
    for (bool joined : {true, false}) {
      for (const Group &whole : group(shards, joined))
        makeWhole(whole);
      llvm::erase_if(shards, [&](Operation *op) { return done.contains(op); });
    }
    for (Group &whole : groupAlike(shards))
      if (joinOperands(whole))
        makeWhole(whole);
  }
  if (made.empty())
    return;
  replaceUses();
  eraseUnused();
  sortTopologically(&block);
}

UnshardCounts teg::unshard(GraphOp graph) {
  UnshardCounts counts;
  FreshNames names(graph);
  SmallVector<Block *> blocks = {&graph.getBody().front()};
  // What is around a loop comes first: its body reads what that becomes.
  graph.walk<WalkOrder::PreOrder>(
      [&](GraphLoopInterface loop) { blocks.push_back(&loop.getLoopBody()); });
  for (Block *block : blocks) {
    Unsharder unsharder(*block, names);
    unsharder.run();
    counts.shards += unsharder.numShards;
    counts.wholes += unsharder.numWholes;
  }
  return counts;
}
