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
#include "GraphViews.h"
#include "PartialResults.h"
#include "PlainBlock.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "tapestry/Support/Error.h"
#include "tapestry/Support/Sharding.h"
#include <deque>

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYRECOGNIZESHARDS
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

using Cell = SmallVector<int64_t>;

static ArrayRef<int64_t> shapeOfTensor(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

static std::string cellText(ArrayRef<int64_t> cell) {
  std::string text = "(";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(cell, os);
  return text + ")";
}

static std::string nameOf(Value tensor) {
  auto op = tensor.getDefiningOp<BlockOpInterface>();
  return op ? op.getResultName(cast<OpResult>(tensor).getResultNumber())
            : "what the loop carries";
}

namespace {

/// A tensor, and where its first cell lies in another.
struct Placed {
  Value tensor;
  Cell origin;
};

/// Tensors that make another of this shape.
struct Join {
  std::vector<Placed> tensors;
  Cell shape;
};

/// An operator that may be a block of one, with others.
struct Member {
  BlockOpInterface op;
  ZBox range;
  /// Per operand the first cell in what the whole reads.
  SmallVector<Cell> origins = {};
};

/// An operand of all members.
struct OperandOfAll {
  Cell shape;
  /// Null where it is made of several.
  Value tensor;
  /// Per member where its operand lies in the tensor.
  std::vector<Cell> origins;
  /// What it is made of otherwise.
  Join join;
};

class ShardRecognizer {
public:
  ShardRecognizer(Block &block, FreshNames &names)
      : block(block), names(names) {}

  /// Takes apart what a value is made of; false with the reason, which is empty
  /// where it is not made of several operators of one kind.
  bool recognize(Value value, unsigned number, std::string &reason);
  /// Puts the shards in place.
  unsigned replace();

private:
  std::optional<Join> joinOf(Value value);
  bool recognize(const Join &join, std::string &reason);
  bool takeSum(const Placed &sum, std::vector<Placed> &parts, unsigned depth);
  bool makeGroup(const Join &join, const std::vector<Placed> &tensors,
                 bool isSum, std::string &reason);
  bool placeMembers(const Join &join, const std::vector<Placed> &tensors,
                    std::string &reason);
  std::optional<OperandOfAll> commonOperand(unsigned operand);
  void cutReduced(ArrayRef<std::optional<OperandOfAll>> operands);
  bool checkCommon(unsigned operand, OperandOfAll &all, std::string &reason);
  bool joinOperand(unsigned operand, OperandOfAll &all, std::string &reason);
  bool isPartOfJoins(ArrayRef<OperandOfAll> operands, std::string &reason);
  bool createShards(ArrayRef<OperandOfAll> operands, Type element,
                    unsigned result, std::string &reason);

  Block &block;
  FreshNames &names;
  GraphViews views;
  /// The group that is made, and the extents of its labels.
  std::vector<Member> members;
  Cell extents;
  /// What has been recognized, with the shard that takes its place and the
  /// number of its group.
  struct Known {
    ShardOp shard;
    unsigned group = 0;
  };
  llvm::MapVector<Operation *, Known> known;
  unsigned numGroups = 0;
  /// What is still to be looked at of the current tensor, and its number.
  std::deque<Join> open;
  unsigned join = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// What tensors are made of
//===----------------------------------------------------------------------===//

/// Where a tensor's first cell would lie in a view, of which a piece is as it
/// lies in the tensor.
static std::optional<Cell> originOf(const ViewPiece &piece) {
  if (!piece.steps.empty() ||
      piece.projection.dims.size() != piece.cells.size())
    return std::nullopt;
  Cell origin;
  for (auto [number, dim] : llvm::enumerate(piece.projection.dims)) {
    if (!dim.isLinear() || dim.size != 1 || dim.terms.size() != 1 ||
        !(dim.terms[0] == AffineTerm{static_cast<unsigned>(number), 1}))
      return std::nullopt;
    origin.push_back(-dim.constant);
  }
  return origin;
}

/// The operator of the first tensor that a view is of.
static Operation *firstMaker(GraphViews &views, Value value) {
  const TensorView &view = views.of(value);
  return view.pieces.empty()
             ? nullptr
             : views.tensor(view.pieces.front().tensor).getDefiningOp();
}

/// What a value is made of, if that is several tensors, each of them whole.
std::optional<Join> ShardRecognizer::joinOf(Value value) {
  const TensorView &view = views.of(value);
  Join made{{}, Cell(view.shape)};
  double cells = 0, all = 1;
  for (const ViewPiece &piece : view.pieces) {
    Value tensor = views.tensor(piece.tensor);
    std::optional<Cell> origin = originOf(piece);
    if (!origin || !mayBeBlock(tensor.getDefiningOp()) ||
        ArrayRef(shapeOf(piece.cells)) != shapeOfTensor(tensor))
      return std::nullopt;
    cells += static_cast<double>(volume(piece.cells));
    made.tensors.push_back({tensor, std::move(*origin)});
  }
  for (int64_t extent : view.shape)
    all *= static_cast<double>(extent);
  return made.tensors.size() > 1 && cells == all ? std::optional(made)
                                                 : std::nullopt;
}

/// Adds what a tensor is a sum of, and sums of sums: reductions by the monoid
/// that combines them; false where it is no sum.
bool ShardRecognizer::takeSum(const Placed &sum, std::vector<Placed> &parts,
                              unsigned depth) {
  constexpr unsigned mostDepth = 64;
  auto op = sum.tensor.getDefiningOp<BlockOpInterface>();
  if (!op || !op.getScalarRegion() || depth > mostDepth)
    return false;
  // The first that is reduced says by which monoid.
  Operation *first = op;
  for (unsigned step = 0; step <= mostDepth; ++step) {
    SmallVector<Value> read = cast<BlockOpInterface>(first).getTensorOperands();
    first = read.empty() ? nullptr : firstMaker(views, read.front());
    if (!mayBeBlock(first) || cast<BlockOpInterface>(first).getMonoidIdentity(0))
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
  for (const Placed &part : made)
    if (!takeSum(part, parts, depth + 1))
      parts.push_back(part);
  return true;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Per member the points that its place in the tensor says, all of those that
/// are reduced.
bool ShardRecognizer::placeMembers(const Join &join,
                                   const std::vector<Placed> &tensors,
                                   std::string &reason) {
  members.clear();
  auto first = tensors.front().tensor.getDefiningOp<BlockOpInterface>();
  unsigned result =
      cast<OpResult>(tensors.front().tensor).getResultNumber();
  extents = first.getLabelExtents();
  for (const Placed &placed : tensors) {
    auto op = placed.tensor.getDefiningOp<BlockOpInterface>();
    if (op->getBlock() != &block || op->getName() != first->getName() ||
        op->getNumOperands() != first->getNumOperands() ||
        op.getIndexRank() != first.getIndexRank() ||
        cast<OpResult>(placed.tensor).getResultNumber() != result)
      return false;
    Projection written = op.getResultProjections()[result];
    if (written != first.getResultProjections()[result] ||
        llvm::any_of(written.dims, [](const ProjectionDim &dim) {
          return dim.terms.empty();
        })) {
      reason = joinedText("'", op.getVertexName(),
                          "' writes its result otherwise than '",
                          first.getVertexName(), "'");
      return false;
    }
    Member member{op, op.getIndexSpace()};
    llvm::SmallBitVector isWritten(extents.size());
    for (auto [number, dim] : llvm::enumerate(written.dims)) {
      unsigned label = dim.terms[0].dim;
      isWritten.set(label);
      extents[label] = join.shape[number];
      member.range[label].lo += placed.origin[number];
      member.range[label].hi += placed.origin[number];
    }
    for (auto [label, range] : llvm::enumerate(member.range))
      if (!isWritten.test(label))
        extents[label] = std::max(extents[label], range.hi);
    if (known.contains(op))
      return false;
    if (llvm::any_of(members, [&](const Member &other) {
          return other.op == op;
        })) {
      reason = joinedText("'", op.getVertexName(), "' is there twice");
      return false;
    }
    members.push_back(std::move(member));
  }
  return true;
}

/// The tensor of which all members read slices, if there is one.
std::optional<OperandOfAll> ShardRecognizer::commonOperand(unsigned operand) {
  auto readBy = [&](const Member &member) {
    return member.op->getOperand(operand);
  };
  auto sliced = [&](Value value) {
    auto slice = value.getDefiningOp<SliceOp>();
    return slice && !slice.getStrides() ? slice : SliceOp();
  };
  Value first = readBy(members.front());
  SliceOp cut = sliced(first);
  // As they are given, slices of anything; else slices of slices.
  for (Value tensor : {first, cut ? cut.getInput() : Value()}) {
    OperandOfAll all;
    for (const Member &member : members) {
      Value own = readBy(member);
      if (!tensor)
        break;
      if (own == tensor)
        all.origins.push_back(Cell(shapeOfTensor(own).size(), 0));
      else if (SliceOp slice = sliced(own); slice && slice.getInput() == tensor)
        all.origins.push_back(Cell(slice.getStarts()));
      else
        break;
    }
    if (all.origins.size() != members.size())
      continue;
    all.tensor = tensor;
    all.shape = Cell(shapeOfTensor(tensor));
    return all;
  }
  OperandOfAll all;
  for (const Member &member : members) {
    const TensorView &view = views.of(readBy(member));
    std::optional<Cell> origin =
        view.pieces.size() == 1 ? originOf(view.pieces[0]) : std::nullopt;
    if (!origin)
      return std::nullopt;
    Value tensor = views.tensor(view.pieces[0].tensor);
    if (all.tensor && tensor != all.tensor)
      return std::nullopt;
    all.tensor = tensor;
    for (int64_t &place : *origin)
      place = -place;
    all.origins.push_back(std::move(*origin));
  }
  all.shape = Cell(shapeOfTensor(all.tensor));
  return all;
}

/// What a dimension of the whole's operand adds to the labels, if a block's
/// operand lies at `origin`; or where it lies, if it added nothing.
static int64_t shiftOf(const ProjectionDim &dim, const ZBox &range,
                       int64_t origin) {
  int64_t shift = origin + dim.constant;
  for (const AffineTerm &term : dim.terms)
    shift -= term.coefficient * range[term.dim].lo;
  return shift;
}

/// Of a sum, the points along reduced labels that members have: those of their
/// slices.
void ShardRecognizer::cutReduced(
    ArrayRef<std::optional<OperandOfAll>> operands) {
  llvm::SmallBitVector isOpen(extents.size(), true);
  BlockOpInterface first = members.front().op;
  Projection written = first.getResultProjections().front();
  for (const ProjectionDim &dim : written.dims)
    isOpen.reset(dim.terms[0].dim);
  for (size_t round = isOpen.count(); round-- > 0;)
    for (auto [number, operand] : llvm::enumerate(operands)) {
      std::optional<Projection> read =
          operand ? readOf(first, number) : std::nullopt;
      for (unsigned d = 0; read && d < read->rank(); ++d) {
        const ProjectionDim &dim = read->dims[d];
        const AffineTerm *term = nullptr;
        unsigned numOpen = 0;
        for (const AffineTerm &other : dim.terms)
          if (isOpen.test(other.dim)) {
            term = &other;
            ++numOpen;
          }
        if (numOpen != 1 || term->coefficient < 1 || !dim.isLinear())
          continue;
        unsigned label = term->dim;
        Cell starts;
        for (auto [member, origin] : llvm::zip_equal(members, operand->origins))
          if (auto own = readOf(member.op, number))
            starts.push_back(shiftOf(own->dims[d], member.range, origin[d]) /
                             term->coefficient);
        if (starts.size() != members.size())
          continue;
        isOpen.reset(label);
        int64_t least = *llvm::min_element(starts);
        for (auto [member, start] : llvm::zip_equal(members, starts)) {
          int64_t size = member.range[label].size();
          member.range[label] = {start - least, start - least + size};
          extents[label] = std::max(extents[label], start - least + size);
        }
      }
    }
}

/// Whether all members read a tensor as one operator does.
bool ShardRecognizer::checkCommon(unsigned operand, OperandOfAll &all,
                                  std::string &reason) {
  Cell expected;
  for (auto [member, origin] : llvm::zip_equal(members, all.origins)) {
    std::optional<Projection> read = readOf(member.op, operand);
    if (!read) {
      reason = joinedText("'", member.op.getVertexName(), "' reads operand ",
                          operand, " in several pieces");
      return false;
    }
    Cell shifts;
    for (auto [dim, place] : llvm::zip_equal(read->dims, origin))
      shifts.push_back(dim.isLinear() ? shiftOf(dim, member.range, place) : 0);
    if (expected.empty())
      expected = shifts;
    if (shifts != expected) {
      Cell wanted = origin;
      for (auto [place, own, other] :
           llvm::zip_equal(wanted, shifts, expected))
        place += other - own;
      reason = joinedText("operand ", operand, " of '",
                          member.op.getVertexName(), "' begins at ",
                          cellText(origin), " of '", nameOf(all.tensor),
                          "', expected ", cellText(wanted), " as '",
                          members.front().op.getVertexName(), "' reads it");
      return false;
    }
    member.origins.push_back(origin);
  }
  return true;
}

/// Puts together what members read of several tensors.
bool ShardRecognizer::joinOperand(unsigned operand, OperandOfAll &all,
                                  std::string &reason) {
  llvm::MapVector<Value, Cell> origins;
  std::vector<Cell> own;
  for (Member &member : members) {
    std::optional<Projection> read = readOf(member.op, operand);
    const TensorView &view = views.of(member.op->getOperand(operand));
    bool isKnown = read && llvm::all_of(read->dims, [](const auto &dim) {
                     return dim.isLinear();
                   });
    Cell place;
    for (unsigned d = 0; isKnown && d < read->rank(); ++d)
      place.push_back(-shiftOf(read->dims[d], member.range, 0));
    for (const ViewPiece &piece : view.pieces) {
      std::optional<Cell> origin = isKnown ? originOf(piece) : std::nullopt;
      if (!origin) {
        reason = joinedText("operand ", operand, " of '",
                            member.op.getVertexName(),
                            "' is no slice as the others'");
        return false;
      }
      for (auto [cell, first] : llvm::zip_equal(*origin, place))
        cell += first;
      Value tensor = views.tensor(piece.tensor);
      auto [there, isNew] = origins.insert({tensor, *origin});
      if (!isNew && there->second != *origin) {
        reason = joinedText("operand ", operand, " of '",
                            member.op.getVertexName(), "' has '",
                            nameOf(tensor), "' at ", cellText(*origin),
                            ", that of another at ", cellText(there->second));
        return false;
      }
    }
    own.push_back(std::move(place));
  }
  // From the first cell of all on.
  Cell least = origins.front().second;
  for (auto &[tensor, origin] : origins)
    for (auto [low, cell] : llvm::zip_equal(least, origin))
      low = std::min(low, cell);
  // In a group that is known, as that has them.
  std::optional<unsigned> group;
  for (auto &[tensor, origin] : origins) {
    auto it = known.find(tensor.getDefiningOp());
    if (it == known.end())
      continue;
    auto whole = it->second.shard.getWholeOp();
    unsigned result = cast<OpResult>(tensor).getResultNumber();
    ZBox part = partOfResult(whole.getResultProjections()[result],
                             it->second.shard.getBox());
    if (!group)
      for (auto [low, cell, own] : llvm::zip_equal(least, origin, part))
        low = cell - own.lo;
    group = it->second.group;
    all.shape = Cell(shapeOfTensor(whole->getResult(result)));
  }
  if (all.shape.empty())
    all.shape.resize(least.size(), 0);
  for (auto &[tensor, origin] : origins) {
    Placed placed{tensor, origin};
    for (auto [cell, low, extent, size] : llvm::zip_equal(
             placed.origin, least, all.shape, shapeOfTensor(tensor))) {
      cell -= low;
      extent = std::max(extent, cell + size);
    }
    all.join.tensors.push_back(std::move(placed));
  }
  all.join.shape = all.shape;
  for (auto [member, place] : llvm::zip_equal(members, own)) {
    for (auto [cell, low] : llvm::zip_equal(place, least))
      cell -= low;
    member.origins.push_back(std::move(place));
  }
  return true;
}

/// Whether several tensors may be put together that members read: they are made
/// by operators of one kind, or another operand is cut.
bool ShardRecognizer::isPartOfJoins(ArrayRef<OperandOfAll> operands,
                                    std::string &reason) {
  bool isCut = llvm::any_of(operands, [](const OperandOfAll &all) {
    return all.tensor && !llvm::all_equal(all.origins);
  });
  for (auto [number, all] : llvm::enumerate(operands)) {
    if (all.tensor)
      continue;
    StringRef kind;
    bool areAlike = llvm::all_of(all.join.tensors, [&](const Placed &placed) {
      Operation *maker = placed.tensor.getDefiningOp();
      if (!mayBeBlock(maker))
        return false;
      if (kind.empty())
        kind = maker->getName().getStringRef();
      return maker->getName().getStringRef() == kind;
    });
    if (areAlike || isCut)
      continue;
    reason = joinedText("operand ", number, " is of '",
                        nameOf(all.join.tensors[0].tensor), "' and '",
                        nameOf(all.join.tensors[1].tensor),
                        "', which are no slices of one tensor");
    return false;
  }
  return true;
}

/// What the operators of a group say of what is beside their operands.
static ArrayAttr padsOf(ArrayRef<Member> members) {
  SmallVector<Attribute> pads;
  for (const Member &member : members) {
    auto own = dyn_cast_or_null<ArrayAttr>(
        member.op->getInherentAttr("pads").value_or(Attribute()));
    if (!own)
      continue;
    if (pads.empty())
      pads.assign(own.begin(), own.end());
    for (auto [pad, other] : llvm::zip_equal(pads, own))
      if (isa<UnitAttr>(pad))
        pad = other;
  }
  return pads.empty()
             ? ArrayAttr()
             : ArrayAttr::get(members.front().op->getContext(), pads);
}

bool ShardRecognizer::createShards(ArrayRef<OperandOfAll> operands,
                                   Type element, unsigned result,
                                   std::string &reason) {
  std::vector<ShardOp> shards;
  std::optional<Computation> first;
  ArrayAttr pads = padsOf(members);
  bool isFine = true;
  for (Member &member : members) {
    PlainBlock plain{extents, member.range, {}, pads, {}};
    for (auto [all, origin] : llvm::zip_equal(operands, member.origins))
      plain.operands.push_back({all.shape, origin});
    for (OpResult own : member.op->getResults())
      plain.elementTypes.push_back(own.getResultNumber() == result
                                       ? element
                                       : getElementTypeOrSelf(own));
    std::string why;
    ShardOp shard = createShard(member.op, plain, names, why);
    if (shard) {
      shards.push_back(shard);
      shard->setAttr(joinAttrName,
                     IntegerAttr::get(IntegerType::get(block.getParentOp()
                                                           ->getContext(),
                                                       64),
                                      join));
      Computation computation(shard);
      if (!first)
        first = computation;
      else if (!computation.isOf(*first))
        why = computation.differenceFrom(*first) + " as of '" +
              members.front().op.getVertexName().str() + "'";
    }
    if (!why.empty()) {
      reason = joinedText("'", member.op.getVertexName(),
                          "' is no block with the range ",
                          boxToString(member.range), ": ", why);
      isFine = false;
      break;
    }
  }
  if (isFine) {
    for (auto [member, shard] : llvm::zip_equal(members, shards))
      known[member.op] = {shard, numGroups};
    ++numGroups;
    return true;
  }
  for (auto [member, shard] : llvm::zip(members, shards)) {
    SmallVector<Value> read(shard->getOperands());
    shard->erase();
    for (auto [own, given] : llvm::zip_equal(read, member.op->getOperands()))
      if (own != given)
        own.getDefiningOp()->erase();
  }
  return false;
}

bool ShardRecognizer::makeGroup(const Join &join,
                                const std::vector<Placed> &tensors, bool isSum,
                                std::string &reason) {
  if (!placeMembers(join, tensors, reason))
    return false;
  std::vector<std::optional<OperandOfAll>> common;
  unsigned numOperands = members.front().op->getNumOperands();
  for (unsigned operand = 0; operand < numOperands; ++operand)
    common.push_back(commonOperand(operand));
  if (isSum) {
    // Of nothing in common it is a sum of several.
    if (llvm::none_of(common, [](const auto &all) { return all.has_value(); }))
      return false;
    cutReduced(common);
  }
  std::vector<ZBox> ranges;
  for (const Member &member : members)
    ranges.push_back(member.range);
  if (auto fault = findCoverageFault(boxOfShape(extents), ranges)) {
    reason = joinedText("index point ", cellText(fault->point),
                        " is computed ", fault->times, " times, expected 1");
    return false;
  }
  std::vector<OperandOfAll> operands;
  for (auto [number, all] : llvm::enumerate(common)) {
    operands.push_back(all ? std::move(*all) : OperandOfAll());
    if (all ? !checkCommon(number, operands.back(), reason)
            : !joinOperand(number, operands.back(), reason))
      return false;
  }
  unsigned result = cast<OpResult>(tensors.front().tensor).getResultNumber();
  Type element = getElementTypeOrSelf(join.tensors.front().tensor);
  if (!isPartOfJoins(operands, reason) ||
      !createShards(operands, element, result, reason))
    return false;
  for (OperandOfAll &all : operands)
    if (!all.tensor && llvm::none_of(all.join.tensors, [&](const Placed &placed) {
          return !mayBeBlock(placed.tensor.getDefiningOp()) ||
                 known.contains(placed.tensor.getDefiningOp());
        }))
      open.push_back(std::move(all.join));
  return true;
}

bool ShardRecognizer::recognize(const Join &join, std::string &reason) {
  std::vector<Placed> parts;
  bool isSum = false;
  for (const Placed &placed : join.tensors)
    if (takeSum(placed, parts, /*depth=*/0))
      isSum = true;
    else
      parts.push_back(placed);
  std::string other;
  if (isSum && makeGroup(join, parts, /*isSum=*/true, reason))
    return true;
  if (join.tensors.size() < 2 ||
      !makeGroup(join, join.tensors, /*isSum=*/false, isSum ? other : reason))
    return false;
  return true;
}

bool ShardRecognizer::recognize(Value value, unsigned number,
                                std::string &reason) {
  join = number;
  open.clear();
  if (std::optional<Join> made = joinOf(value))
    open.push_back(std::move(*made));
  else if (mayBeBlock(value.getDefiningOp()) && views.isOwn(value))
    open.push_back({{{value, Cell(shapeOfTensor(value).size(), 0)}},
                    Cell(shapeOfTensor(value))});
  else
    return false;
  if (llvm::any_of(open.front().tensors, [&](const Placed &placed) {
        return known.contains(placed.tensor.getDefiningOp());
      }))
    return false;
  bool isMade = recognize(open.front(), reason);
  // What is read of what is not put together is read as it is.
  for (open.pop_front(); isMade && !open.empty(); open.pop_front()) {
    std::string unused;
    Join next = open.front();
    (void)recognize(next, unused);
  }
  return isMade;
}

unsigned ShardRecognizer::replace() {
  for (auto &[op, made] : known)
    op->replaceAllUsesWith(made.shard->getResults());
  // Some read others.
  for (auto &[op, made] : known)
    op->erase();
  return known.size();
}

std::map<unsigned, TriedJoin>
teg::recognizeShards(GraphOp graph, const llvm::DenseSet<unsigned> &excluded,
                     unsigned &numShards,
                     std::map<unsigned, TriedJoin> &made) {
  std::map<unsigned, TriedJoin> tried;
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
    // What is put together last first.
    for (auto &[number, value] : llvm::reverse(values)) {
      std::string reason;
      bool isMade = recognizer.recognize(value, number, reason);
      if (isMade || !reason.empty())
        (isMade ? made : tried)
            .insert({number, {value.getLoc(), nameOf(value), reason}});
    }
    numShards += recognizer.replace();
  }
  return tried;
}

namespace {
struct TapestryRecognizeShards
    : tapestry::teg::impl::TapestryRecognizeShardsBase<
          TapestryRecognizeShards> {
  void runOnOperation() override {
    unsigned shards = 0;
    std::map<unsigned, TriedJoin> made;
    for (auto &[number, join] :
         recognizeShards(getOperation(), {}, shards, made))
      emitRemark(join.loc) << "'" << join.name
                           << "' is made by no one operator: " << join.reason;
    numShards += shards;
    getOperation().walk([](ShardOp op) { op->removeAttr(joinAttrName); });
  }
};
} // namespace
