//===- RecognizeShards.cpp - Shards that are written plainly --------------===//
//
// From what is put together back to what it is made of: where the pieces lie in
// a tensor says which points of one operator each of them would be; what they
// read, where its tensors lie in what that one reads. What they read of each
// other's kind is put together likewise, so that chains are followed. Nothing
// is proved here but that each piece computes as the shard that takes its
// place.
//
//===----------------------------------------------------------------------===//

#include "RecognizeShards.h"
#include "PartialResults.h"
#include "PieceGroup.h"
#include "PlainBlock.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Support/Error.h"
#include <deque>

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYRECOGNIZESHARDS
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {
class ShardRecognizer {
public:
  ShardRecognizer(Block &block, FreshNames &names)
      : groups(block, names), views(groups.views) {}

  /// Takes apart what a value is made of, and what that is made of; false where
  /// that is no one operator. Adds what else has been tried.
  bool recognize(Value value, unsigned number, std::vector<TriedJoin> &tried);

  PieceGroups groups;

private:
  std::optional<Join> joinOf(Value value, std::string &reason);
  bool makeGroup(const Join &join, unsigned number, std::string &reason);
  /// What tensors are sums of.
  struct Sums {
    std::vector<Placed> parts;
    SmallVector<Operation *> ops;
    llvm::SmallPtrSet<Value, 8> met;
    /// Whether a tensor is summed twice, which no blocks of one operator are.
    bool isTwice = false;
  };
  bool takeSum(const Placed &sum, Sums &sums, unsigned depth);

  GraphViews &views;
};
} // namespace

//===----------------------------------------------------------------------===//
// What tensors are made of
//===----------------------------------------------------------------------===//

/// The operator of the first tensor that a view is of.
static Operation *firstMaker(GraphViews &views, Value value) {
  const TensorView &view = views.of(value);
  return view.pieces.empty()
             ? nullptr
             : views.tensor(view.pieces.front().tensor).getDefiningOp();
}

/// What a value is made of, if that is several tensors, each of them whole and
/// not known.
std::optional<Join> ShardRecognizer::joinOf(Value value, std::string &reason) {
  const TensorView &view = views.of(value);
  Join made{{}, Cell(view.shape)};
  StringRef kind;
  for (const ViewPiece &piece : view.pieces) {
    Value tensor = views.tensor(piece.tensor);
    Operation *maker = tensor.getDefiningOp();
    std::optional<Cell> origin = originOf(piece);
    if (!origin || !mayBeBlock(maker) || groups.isKnown(maker) ||
        (!kind.empty() && maker->getName().getStringRef() != kind))
      return std::nullopt;
    kind = maker->getName().getStringRef();
    made.tensors.push_back({tensor, std::move(*origin)});
  }
  if (made.tensors.size() < 2)
    return std::nullopt;
  for (auto [piece, placed] : llvm::zip_equal(view.pieces, made.tensors))
    if (ArrayRef(shapeOf(piece.cells)) != shapeOfTensor(placed.tensor)) {
      ZBox cells = piece.projection.image(piece.cells);
      reason =
          joinedText("of '", nameOfTensor(placed.tensor), "' it has only ",
                     boxToString(cells), " of ",
                     boxToString(boxOfShape(shapeOfTensor(placed.tensor))));
      return std::nullopt;
    }
  return made;
}

/// Adds what a tensor is a sum of, and sums of sums: reductions by the monoid
/// that combines them, and what adds them; false where it is no sum. Ends with
/// the first tensor that is met twice: sums of sums may have any number of
/// those.
bool ShardRecognizer::takeSum(const Placed &sum, Sums &sums, unsigned depth) {
  constexpr unsigned mostDepth = 64;
  if (sums.isTwice || !sums.met.insert(sum.tensor).second) {
    sums.isTwice = true;
    return false;
  }
  auto op = sum.tensor.getDefiningOp<BlockOpInterface>();
  if (!op || !op.getScalarRegion() || depth > mostDepth)
    return false;
  // The first that is reduced says by which monoid.
  Operation *first = op;
  for (unsigned step = 0; step <= mostDepth; ++step) {
    SmallVector<Value> read = cast<BlockOpInterface>(first).getTensorOperands();
    first = read.empty() ? nullptr : firstMaker(views, read.front());
    if (!mayBeBlock(first) ||
        cast<BlockOpInterface>(first).getMonoidIdentity(0))
      break;
  }
  if (!mayBeBlock(first))
    return false;
  auto reduced = cast<BlockOpInterface>(first);
  std::optional<CombinedStack> stack;
  if (reduced.getMonoidIdentity(0))
    stack = stackOf(op, reduced, /*result=*/0,
                    [&](Value operand) { return views.of(operand); });
  if (!stack)
    return false;
  std::vector<Placed> made;
  for (const ViewPiece &piece : stack->view.pieces) {
    Value tensor = views.tensor(piece.tensor);
    ViewPiece row = piece;
    row.cells.erase(row.cells.begin());
    for (ProjectionDim &dim : row.projection.dims)
      for (AffineTerm &term : dim.terms)
        term.dim = term.dim == 0 ? row.cells.size() : term.dim - 1;
    std::optional<Cell> origin = originOf(row);
    if (!origin || piece.cells[0].size() != 1 ||
        !mayBeBlock(tensor.getDefiningOp()) ||
        row.cells != boxOfShape(shapeOfTensor(sum.tensor)) ||
        shapeOfTensor(tensor) != shapeOfTensor(sum.tensor))
      return false;
    made.push_back({tensor, sum.origin});
  }
  sums.ops.push_back(op);
  for (const Placed &part : made)
    if (!takeSum(part, sums, depth + 1))
      sums.parts.push_back(part);
  return true;
}

//===----------------------------------------------------------------------===//
// From what is put together on
//===----------------------------------------------------------------------===//

bool ShardRecognizer::makeGroup(const Join &join, unsigned number,
                                std::string &reason) {
  Sums sums;
  for (const Placed &placed : join.tensors)
    if (!takeSum(placed, sums, /*depth=*/0))
      sums.parts.push_back(placed);
  bool isSum = !sums.ops.empty() && !sums.isTwice;
  if (isSum && groups.make(join, sums.parts, /*isSum=*/true, number, reason)) {
    groups.addCombining(sums.ops);
    return true;
  }
  // Else what adds may itself be in pieces.
  std::string other;
  return join.tensors.size() > 1 &&
         groups.make(join, join.tensors, /*isSum=*/false, number,
                     reason.empty() ? reason : other);
}

bool ShardRecognizer::recognize(Value value, unsigned number,
                                std::vector<TriedJoin> &tried) {
  std::string reason;
  std::deque<Join> open;
  if (std::optional<Join> made = joinOf(value, reason))
    open.push_back(std::move(*made));
  else if (mayBeBlock(value.getDefiningOp()) && views.isOwn(value))
    open.push_back({{{value, Cell(shapeOfTensor(value).size(), 0)}},
                    Cell(shapeOfTensor(value))});
  auto add = [&](Location loc, std::string name) {
    if (!reason.empty())
      tried.push_back({number, loc, std::move(name), std::move(reason)});
    reason.clear();
  };
  if (open.empty() || !makeGroup(open.front(), number, reason)) {
    add(value.getLoc(), "'" + nameOfTensor(value) + "'");
    return false;
  }
  for (open.pop_front();; open.pop_front()) {
    llvm::append_range(open, groups.takeRead());
    if (open.empty())
      return true;
    // What is read of what is not put together is read as it is.
    if (!makeGroup(open.front(), number, reason)) {
      Value first = open.front().tensors.front().tensor;
      add(first.getLoc(), "what '" + nameOfTensor(first) + "' is a piece of");
    }
  }
}

Recognized teg::recognizeShards(GraphOp graph,
                                const llvm::DenseSet<unsigned> &excluded) {
  Recognized found;
  std::vector<std::pair<Block *, std::vector<std::pair<unsigned, Value>>>>
      blocks;
  llvm::DenseMap<Block *, size_t> places;
  unsigned number = 0;
  graph.walk<WalkOrder::PreOrder>([&](Operation *op) {
    ++number;
    auto vertex = dyn_cast<BlockOpInterface>(op);
    if (!vertex)
      return WalkResult::advance();
    auto [place, isNew] = places.try_emplace(op->getBlock(), blocks.size());
    if (isNew)
      blocks.emplace_back().first = op->getBlock();
    if (op->getNumResults() == 1 && !excluded.contains(number) &&
        isa<RankedTensorType>(op->getResult(0).getType()))
      blocks[place->second].second.emplace_back(number, op->getResult(0));
    return WalkResult::skip();
  });
  FreshNames names(graph);
  for (auto &[block, values] : blocks) {
    ShardRecognizer recognizer(*block, names);
    // What is put together last first; what that says of tensors may tell where
    // the pieces of others lie, which are tried again.
    std::vector<TriedJoin> tried;
    for (size_t before = ~size_t(0); before != found.made.size();) {
      before = found.made.size();
      tried.clear();
      for (auto &[number, value] : llvm::reverse(values)) {
        std::vector<TriedJoin> vain;
        bool isMade = recognizer.recognize(value, number, vain);
        if (isMade)
          found.made.push_back(
              {number, value.getLoc(), "'" + nameOfTensor(value) + "'", ""});
        llvm::append_range(isMade ? found.tried : tried, vain);
      }
    }
    llvm::append_range(found.tried, tried);
    found.numShards += recognizer.groups.replace();
  }
  return found;
}

void teg::report(const TriedJoin &join) {
  emitRemark(join.loc) << join.name << " is not put together: " << join.reason;
}

namespace {
struct TapestryRecognizeShards
    : tapestry::teg::impl::TapestryRecognizeShardsBase<
          TapestryRecognizeShards> {
  void runOnOperation() override {
    Recognized found = recognizeShards(getOperation(), /*excluded=*/{});
    llvm::for_each(found.tried, report);
    numShards += found.numShards;
    getOperation().walk([](ShardOp op) { op->removeAttr(joinAttrName); });
  }
};
} // namespace
