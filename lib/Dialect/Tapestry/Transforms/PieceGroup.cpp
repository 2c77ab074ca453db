//===- PieceGroup.cpp - Pieces of tensors as blocks of one operator -------===//

#include "PieceGroup.h"
#include "EinsumViews.h"
#include "JoinedReads.h"
#include "PlainBlock.h"
#include "RecognizeShards.h"
#include "VertexTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Error.h"
#include "tapestry/Support/Sharding.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

std::string teg::nameOfTensor(Value tensor) {
  auto op = tensor.getDefiningOp<BlockOpInterface>();
  return op ? op.getResultName(cast<OpResult>(tensor).getResultNumber())
            : "what the loop carries";
}

std::optional<Cell> teg::originOf(const ViewPiece &piece) {
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

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The points that an operator's place in the tensor says, all of those that
/// are reduced.
bool PieceGroups::placeMember(const Join &join, const Placed &placed,
                              std::string &reason) {
  auto op = placed.tensor.getDefiningOp<BlockOpInterface>();
  unsigned result = cast<OpResult>(placed.tensor).getResultNumber();
  Projection written = op.getResultProjections()[result];
  ArrayRef<int64_t> shape = shapeOfTensor(placed.tensor);
  Member member{op, op.getIndexSpace()};
  llvm::SmallBitVector isWritten(extents.size());
  for (auto [number, dim] : llvm::enumerate(written.dims)) {
    if (dim.terms.empty() && shape[number] != join.shape[number]) {
      reason = joinedText("'", op.getVertexName(), "' writes all ",
                          shape[number], " places of dimension ", number,
                          ", of which there are ", join.shape[number]);
      return false;
    }
    if (dim.terms.empty())
      continue;
    unsigned label = dim.terms[0].dim;
    isWritten.set(label);
    extents[label] = join.shape[number];
    member.range[label].lo += placed.origin[number];
    member.range[label].hi += placed.origin[number];
  }
  for (auto [label, range] : llvm::enumerate(member.range))
    if (!isWritten.test(label))
      extents[label] = std::max(extents[label], range.hi);
  members.push_back(std::move(member));
  return true;
}

/// Of a sum or a product it does not matter which comes first: an einsum reads
/// in the order of another what that reads.
void PieceGroups::orderOperands(BlockOpInterface op, BlockOpInterface first) {
  auto einsum = dyn_cast<EinsumOp>(op.getOperation());
  if (!einsum || hasPlan(op))
    return;
  SmallVector<unsigned> order =
      orderLike(op->getNumOperands(), [&](unsigned own, unsigned its) {
        Value mine = op->getOperand(own), other = first->getOperand(its);
        return shapeOfTensor(mine).size() == shapeOfTensor(other).size() &&
               haveOneTensor(mine, other, views);
      });
  if (order.empty())
    return;
  reorderOperands(einsum, order);
  reordered.emplace_back(einsum, inverseOrder(order));
}

bool PieceGroups::placeMembers(const Join &join,
                               const std::vector<Placed> &tensors,
                               std::string &reason) {
  members.clear();
  auto first = tensors.front().tensor.getDefiningOp<BlockOpInterface>();
  unsigned result = cast<OpResult>(tensors.front().tensor).getResultNumber();
  extents = first.getLabelExtents();
  for (const Placed &placed : tensors) {
    auto op = placed.tensor.getDefiningOp<BlockOpInterface>();
    if (op->getBlock() != &block || isKnown(op) ||
        op->getName() != first->getName())
      return false;
    if (op->getNumOperands() != first->getNumOperands() ||
        op.getIndexRank() != first.getIndexRank() ||
        cast<OpResult>(placed.tensor).getResultNumber() != result) {
      reason = joinedText("'", op.getVertexName(), "' has ",
                          countOf(op->getNumOperands(), "operand"), " and ",
                          countOf(op.getIndexRank(), "label"), ", '",
                          first.getVertexName(), "' ", first->getNumOperands(),
                          " and ", first.getIndexRank());
      return false;
    }
    orderOperands(op, first);
    for (auto [number, own, its] :
         llvm::enumerate(op->getOperands(), first->getOperands()))
      if (shapeOfTensor(own).size() != shapeOfTensor(its).size()) {
        reason = joinedText("operand ", number, " of '", op.getVertexName(),
                            "' is ", own.getType(), ", of '",
                            first.getVertexName(), "' ", its.getType());
        return false;
      }
    if (llvm::any_of(members,
                     [&](const Member &other) { return other.op == op; })) {
      reason = joinedText("'", op.getVertexName(), "' is there twice");
      return false;
    }
    if (!placeMember(join, placed, reason))
      return false;
  }
  return true;
}

/// An operand of all members, if it is one value or slices of one.
std::optional<PieceGroups::OperandOfAll>
PieceGroups::commonSlices(unsigned operand) {
  auto sliced = [](Value value) {
    auto slice = value.getDefiningOp<SliceOp>();
    return slice && !slice.getStrides() ? slice : SliceOp();
  };
  Value first = members.front().op->getOperand(operand);
  SliceOp cut = sliced(first);
  for (Value tensor : {first, cut ? cut.getInput() : first}) {
    OperandOfAll all;
    for (Member &member : members) {
      Value own = member.op->getOperand(operand);
      if (own == tensor)
        all.origins.push_back(Cell(shapeOfTensor(own).size(), 0));
      else if (SliceOp slice = sliced(own); slice && slice.getInput() == tensor)
        all.origins.push_back(Cell(slice.getStarts()));
      else
        break;
    }
    if (all.origins.size() != members.size())
      continue;
    all.name = nameOfTensor(tensor);
    all.shape = Cell(shapeOfTensor(tensor));
    return all;
  }
  return std::nullopt;
}

/// A tensor that a group makes of which all members read slices.
std::optional<PieceGroups::OperandOfAll>
PieceGroups::knownOperand(unsigned operand) {
  OperandOfAll all;
  std::optional<unsigned> group;
  for (Member &member : members) {
    std::optional<Cell> first;
    for (const ViewPiece &piece :
         views.of(member.op->getOperand(operand)).pieces) {
      auto made = dyn_cast<OpResult>(views.tensor(piece.tensor));
      auto *maker = made ? known.find(made.getOwner()) : known.end();
      std::optional<Cell> origin = originOf(piece);
      if (maker == known.end() || !origin ||
          group.value_or(maker->second.group) != maker->second.group)
        return std::nullopt;
      group = maker->second.group;
      BlockOpInterface whole = maker->second.shard.getWholeOp();
      Projection written = whole.getResultProjections()[made.getResultNumber()];
      for (auto [cell, part] : llvm::zip_equal(
               *origin, partOfResult(written, maker->second.shard.getBox())))
        cell = part.lo - cell;
      if (first && *first != *origin)
        return std::nullopt;
      first = std::move(origin);
      all.name = nameOfTensor(made);
      all.shape = Cell(shapeOfTensor(whole->getResult(made.getResultNumber())));
    }
    if (!first)
      return std::nullopt;
    all.origins.push_back(std::move(*first));
  }
  return all;
}

/// The tensor of which all members read slices, if there is one.
std::optional<PieceGroups::OperandOfAll>
PieceGroups::commonOperand(unsigned operand) {
  // As it is given, whatever that is of.
  if (auto all = commonSlices(operand))
    return all;
  if (auto all = knownOperand(operand))
    return all;
  OperandOfAll all;
  Value common;
  for (Member &member : members) {
    const TensorView &view = views.of(member.op->getOperand(operand));
    std::optional<Cell> origin =
        view.pieces.size() == 1 ? originOf(view.pieces[0]) : std::nullopt;
    if (!origin)
      return std::nullopt;
    Value tensor = views.tensor(view.pieces[0].tensor);
    if (common && tensor != common)
      return std::nullopt;
    common = tensor;
    for (int64_t &place : *origin)
      place = -place;
    all.origins.push_back(std::move(*origin));
  }
  all.name = nameOfTensor(common);
  all.shape = Cell(shapeOfTensor(common));
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

/// Gives members the points along a label that their slices have in a dimension
/// of an operand.
void PieceGroups::cutLabel(unsigned operand, unsigned dim,
                           const AffineTerm &term, ArrayRef<Cell> origins) {
  Cell starts;
  for (auto [member, origin] : llvm::zip_equal(members, origins)) {
    std::optional<Projection> own = readOf(member.op, operand);
    if (!own)
      return;
    // As if the label began with 0.
    ZBox range = member.range;
    range[term.dim].lo = 0;
    starts.push_back(shiftOf(own->dims[dim], range, origin[dim]) /
                     term.coefficient);
  }
  int64_t least = *llvm::min_element(starts);
  for (auto [member, start] : llvm::zip_equal(members, starts)) {
    ZRange &range = member.range[term.dim];
    range = {start - least, start - least + range.size()};
    extents[term.dim] = std::max(extents[term.dim], range.hi);
  }
}

/// Of a sum, the points along reduced labels that members have: those of their
/// slices.
void PieceGroups::cutReduced(ArrayRef<std::optional<OperandOfAll>> operands) {
  llvm::SmallBitVector isOpen(extents.size(), true);
  BlockOpInterface first = members.front().op;
  Projection written = first.getResultProjections().front();
  for (const ProjectionDim &dim : written.dims)
    if (!dim.terms.empty())
      isOpen.reset(dim.terms[0].dim);
  for (size_t round = isOpen.count(); round-- > 0;)
    for (auto [number, operand] : llvm::enumerate(operands)) {
      std::optional<Projection> read =
          operand ? readOf(first, number) : std::nullopt;
      for (unsigned d = 0; read && d < read->rank(); ++d) {
        const ProjectionDim &dim = read->dims[d];
        auto isUnknown = [&](const AffineTerm &term) {
          return isOpen.test(term.dim);
        };
        auto *term = llvm::find_if(dim.terms, isUnknown);
        if (!dim.isLinear() || llvm::count_if(dim.terms, isUnknown) != 1 ||
            term->coefficient < 1)
          continue;
        isOpen.reset(term->dim);
        cutLabel(number, d, *term, operand->origins);
      }
    }
}

/// Whether all members read a tensor as one operator does.
bool PieceGroups::checkCommon(unsigned operand, OperandOfAll &all,
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
      for (auto [place, own, other] : llvm::zip_equal(wanted, shifts, expected))
        place += other - own;
      reason =
          joinedText("operand ", operand, " of '", member.op.getVertexName(),
                     "' begins at ", pointText(origin), " of '", all.name,
                     "', expected ", pointText(wanted), " as '",
                     members.front().op.getVertexName(), "' reads it");
      return false;
    }
    member.origins.push_back(origin);
  }
  return true;
}

/// Where the tensors that members read of an operand lie in one, and what they
/// read, if that one's subscripts had no constants.
bool PieceGroups::placeRead(unsigned operand,
                            llvm::MapVector<Value, Cell> &origins,
                            std::vector<Cell> &own, std::string &reason) {
  for (Member &member : members) {
    std::optional<Projection> read = readOf(member.op, operand);
    bool isLinear =
        read && llvm::all_of(read->dims, [](const ProjectionDim &dim) {
          return dim.isLinear();
        });
    Cell place;
    for (unsigned d = 0; isLinear && d < read->rank(); ++d)
      place.push_back(-shiftOf(read->dims[d], member.range, 0));
    for (const ViewPiece &piece :
         views.of(member.op->getOperand(operand)).pieces) {
      std::optional<Cell> origin = isLinear ? originOf(piece) : std::nullopt;
      if (!origin) {
        reason =
            joinedText("operand ", operand, " of '", member.op.getVertexName(),
                       "' is no slice of a tensor");
        return false;
      }
      for (auto [cell, first] : llvm::zip_equal(*origin, place))
        cell += first;
      Value tensor = views.tensor(piece.tensor);
      auto [there, isNew] = origins.insert({tensor, *origin});
      if (!isNew && there->second != *origin) {
        reason = joinedText("operand ", operand, " of '",
                            member.op.getVertexName(), "' has '",
                            nameOfTensor(tensor), "' at ", pointText(*origin),
                            ", that of another at ", pointText(there->second));
        return false;
      }
    }
    own.push_back(std::move(place));
  }
  return true;
}

/// Puts together what members read of several tensors.
bool PieceGroups::joinOperand(unsigned operand, OperandOfAll &all,
                              std::string &reason) {
  llvm::MapVector<Value, Cell> origins;
  std::vector<Cell> own;
  if (!placeRead(operand, origins, own, reason) || origins.empty())
    return false;
  Cell first = origins.front().second;
  for (auto &[tensor, origin] : origins)
    for (auto [low, cell] : llvm::zip_equal(first, origin))
      low = std::min(low, cell);
  all.shape.resize(first.size(), 0);
  for (auto &[tensor, origin] : origins) {
    Placed placed{tensor, origin};
    for (auto [cell, low, extent, size] : llvm::zip_equal(
             placed.origin, first, all.shape, shapeOfTensor(tensor))) {
      cell -= low;
      extent = std::max(extent, cell + size);
    }
    all.join.tensors.push_back(std::move(placed));
  }
  all.join.shape = all.shape;
  for (auto [member, place] : llvm::zip_equal(members, own)) {
    for (auto [cell, low] : llvm::zip_equal(place, first))
      cell -= low;
    member.origins.push_back(std::move(place));
  }
  return true;
}

/// Whether several tensors may be put together that members read: they are made
/// by operators of one kind, or another operand is cut.
bool PieceGroups::mayJoin(ArrayRef<OperandOfAll> operands,
                          std::string &reason) {
  bool isCut = llvm::any_of(operands, [](const OperandOfAll &all) {
    return !all.name.empty() && !llvm::all_equal(all.origins);
  });
  for (auto [number, all] : llvm::enumerate(operands)) {
    if (!all.name.empty())
      continue;
    StringRef kind;
    bool areAlike = llvm::all_of(all.join.tensors, [&](const Placed &placed) {
      Operation *maker = placed.tensor.getDefiningOp();
      if (!mayBeBlock(maker) && !isa_and_nonnull<ShardOp>(maker))
        return false;
      if (kind.empty())
        kind = maker->getName().getStringRef();
      return maker->getName().getStringRef() == kind;
    });
    if (areAlike || isCut)
      continue;
    reason = joinedText("operand ", number, " is of '",
                        nameOfTensor(all.join.tensors.front().tensor),
                        "' and '", nameOfTensor(all.join.tensors.back().tensor),
                        "', which are no slices of one tensor");
    return false;
  }
  return true;
}

/// What the operators of a group say of what is beside their operands.
template <typename Members> static ArrayAttr padsOf(Members &members) {
  SmallVector<Attribute> pads;
  for (auto &member : members) {
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
  return pads.empty() ? ArrayAttr()
                      : ArrayAttr::get(members.front().op->getContext(), pads);
}

bool PieceGroups::createShards(ArrayRef<OperandOfAll> operands,
                               Type elementType, unsigned result,
                               unsigned number, std::string &reason) {
  std::vector<ShardOp> shards;
  std::optional<Computation> first;
  ArrayAttr pads = padsOf(members);
  Builder builder(block.getParentOp()->getContext());
  for (Member &member : members) {
    PlainBlock plain{extents, member.range, {}, pads, {}};
    for (auto [all, origin] : llvm::zip_equal(operands, member.origins))
      plain.operands.push_back({all.shape, origin});
    for (OpResult own : member.op->getResults())
      plain.elementTypes.push_back(own.getResultNumber() == result
                                       ? elementType
                                       : getElementTypeOrSelf(own));
    std::string why;
    if (ShardOp shard = createShard(member.op, plain, names, why)) {
      shards.push_back(shard);
      shard->setAttr(joinAttrName, builder.getI64IntegerAttr(number));
      Computation computation(shard);
      if (!first)
        first = computation;
      else if (!computation.isOf(*first))
        why = computation.differenceFrom(*first) + " as of '" +
              members.front().op.getVertexName().str() + "'";
    }
    if (why.empty())
      continue;
    reason = joinedText("'", member.op.getVertexName(),
                        "' is no block with the range ",
                        boxToString(member.range), ": ", why);
    for (auto [member, shard] : llvm::zip(members, shards))
      eraseShard(shard, member.op);
    return false;
  }
  for (auto [member, shard] : llvm::zip_equal(members, shards))
    known[member.op] = {shard, numGroups};
  ++numGroups;
  return true;
}

bool PieceGroups::make(const Join &join, const std::vector<Placed> &tensors,
                       bool isSum, unsigned number, std::string &reason) {
  read.clear();
  reordered.clear();
  if (tryMake(join, tensors, isSum, number, reason))
    return true;
  for (auto &[op, order] : reordered)
    reorderOperands(op, order);
  return false;
}

bool PieceGroups::tryMake(const Join &join, const std::vector<Placed> &tensors,
                          bool isSum, unsigned number, std::string &reason) {
  // Of what is not cut, and of other operators, a sum is what it says.
  std::string unsaid;
  if (!placeMembers(join, tensors, isSum ? unsaid : reason))
    return false;
  std::vector<std::optional<OperandOfAll>> common;
  for (OpOperand &operand : members.front().op->getOpOperands())
    common.push_back(commonOperand(operand.getOperandNumber()));
  if (isSum)
    cutReduced(common);
  std::vector<ZBox> ranges;
  for (const Member &member : members)
    ranges.push_back(member.range);
  if (isSum && llvm::all_equal(ranges))
    return false;
  if (auto fault = findCoverageFault(boxOfShape(extents), ranges)) {
    reason = joinedText("index point ", pointText(fault->point),
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
  if (!mayJoin(operands, reason) ||
      !createShards(operands, element, result, number, reason))
    return false;
  for (OperandOfAll &all : operands)
    if (all.name.empty() &&
        llvm::none_of(all.join.tensors, [&](const Placed &placed) {
          return !mayBeBlock(placed.tensor.getDefiningOp()) ||
                 isKnown(placed.tensor.getDefiningOp());
        }))
      read.push_back(std::move(all.join));
  return true;
}

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

PieceGroups::PieceGroups(Block &block, FreshNames &names)
    : block(block), names(names) {
  // Of so many tensors others read all that is put together.
  constexpr size_t mostPieces = 1024;
  for (auto einsum : block.getOps<EinsumOp>()) {
    auto view = viewOfEinsum(einsum, views, mostPieces);
    if (!view || view->pieces.size() < 2 ||
        llvm::all_equal(llvm::map_range(
            view->pieces, [](const ViewPiece &piece) { return piece.tensor; })))
      continue;
    joins.push_back(einsum);
    views.set(einsum.getResult(), std::move(*view));
  }
}

/// Writes what einsums put together of operators that are known as
/// concatenations.
void PieceGroups::replaceJoins() {
  auto tensorOf = [&](unsigned number) { return views.tensor(number); };
  for (EinsumOp einsum : llvm::reverse(joins)) {
    const TensorView &view = views.of(einsum.getResult());
    bool isOfKnown = llvm::all_of(view.pieces, [&](const ViewPiece &piece) {
      return isKnown(views.tensor(piece.tensor).getDefiningOp());
    });
    if (!isOfKnown || !isConcatenation(view, tensorOf, /*slices=*/true))
      continue;
    OpBuilder builder(einsum);
    Value joined = createConcatenation(builder, einsum.getLoc(), names,
                                       einsum.getName(), view, tensorOf);
    joined.getDefiningOp<ConcatOp>().setNameAttr(einsum.getNameAttr());
    einsum.getResult().replaceAllUsesWith(joined);
    einsum->erase();
  }
}

int64_t PieceGroups::replace() {
  replaceJoins();
  for (auto &[op, made] : known)
    op->replaceAllUsesWith(made.shard->getResults());
  // Some read others.
  for (auto &[op, made] : known)
    op->erase();
  return known.size();
}
