//===- PlainBlock.cpp - Plain operators as blocks of others ---------------===//
//
// The whole is the operator with the extents, tensors and types of the whole
// and with subscripts and labels that count from its first point. That the
// operator reads at each of its points what the whole reads there is shown by
// their projections; all else is the same by construction.
//
//===----------------------------------------------------------------------===//

#include "PlainBlock.h"
#include "GraphViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Verifier.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include "tapestry/Support/Error.h"
#include "tapestry/Support/ShardReads.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool teg::mayBeBlock(Operation *op) {
  auto block = dyn_cast_or_null<BlockOpInterface>(op);
  return block && hasBlocks(op) && !isa<ShardOp, GraphNodeInterface>(op) &&
         op->getNumResults() > 0 &&
         !llvm::is_contained(block.getLabelExtents(), 0);
}

std::optional<Projection> teg::readOf(BlockOpInterface op, unsigned operand) {
  if (auto einsum = dyn_cast<EinsumOp>(op.getOperation())) {
    auto read = index::getSubscripts(einsum.getOperandMap(operand));
    return succeeded(read) ? std::optional(*read) : std::nullopt;
  }
  std::vector<Access> accesses = op.getAccesses(operand);
  if (accesses.size() != 1)
    return std::nullopt;
  return std::move(accesses[0].projection);
}

//===----------------------------------------------------------------------===//
// Orders of operands
//===----------------------------------------------------------------------===//

SmallVector<unsigned>
teg::orderLike(unsigned count, function_ref<bool(unsigned, unsigned)> isLike) {
  constexpr unsigned none = ~0u;
  SmallVector<unsigned> order(count, none);
  llvm::SmallBitVector isTaken(count);
  auto take = [&](unsigned place, unsigned operand) {
    order[place] = operand;
    isTaken.set(operand);
  };
  for (unsigned place = 0; place < count; ++place)
    if (isLike(place, place))
      take(place, place);
  for (bool any : {false, true})
    for (unsigned place = 0; place < count; ++place)
      for (unsigned operand = 0; operand < count && order[place] == none;
           ++operand)
        if (!isTaken.test(operand) && (any || isLike(operand, place)))
          take(place, operand);
  if (llvm::is_sorted(order))
    order.clear();
  return order;
}

void teg::reorderOperands(EinsumOp op, ArrayRef<unsigned> order) {
  SmallVector<Value> operands;
  SmallVector<Attribute> maps, pads;
  Block &body = op.getBody().front();
  for (unsigned operand : order) {
    operands.push_back(op.getInputs()[operand]);
    maps.push_back(op.getIndexingMaps()[operand]);
    pads.push_back(op.getPads()[operand]);
    BlockArgument own = body.getArgument(operand);
    own.replaceAllUsesWith(body.addArgument(own.getType(), own.getLoc()));
  }
  body.eraseArguments(0, order.size());
  maps.push_back(op.getIndexingMaps()[order.size()]);
  Builder builder(op.getContext());
  op->setOperands(operands);
  op.setIndexingMapsAttr(builder.getArrayAttr(maps));
  op.setPadsAttr(builder.getArrayAttr(pads));
}

SmallVector<unsigned> teg::inverseOrder(ArrayRef<unsigned> order) {
  SmallVector<unsigned> inverse(order.size());
  for (auto [place, operand] : llvm::enumerate(order))
    inverse[operand] = place;
  return inverse;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

namespace {
class WholeBuilder {
public:
  WholeBuilder(BlockOpInterface op, const PlainBlock &block,
               std::string &reason)
      : op(op), block(block), reason(reason) {}

  /// The whole, in a block of its own; null with the reason.
  BlockOpInterface build();
  bool readsAlike(BlockOpInterface whole);

private:
  bool fail(std::string why) {
    reason = std::move(why);
    return false;
  }
  void moveMaps(Operation *whole);
  void setPads(Operation *whole);
  bool moveLabels(BlockOpInterface whole);
  bool moveLabel(Operation *read, int64_t by);
  void setTypes(BlockOpInterface whole);
  bool leavesOperand(unsigned operand);

  BlockOpInterface op;
  const PlainBlock &block;
  std::string &reason;
  Block tensors;
};
} // namespace

/// Whether index points read beside an operand.
bool WholeBuilder::leavesOperand(unsigned operand) {
  std::optional<Projection> read = readOf(op, operand);
  return !read ||
         !contains(boxOfShape(tensorType(op->getOperand(operand)).getShape()),
                   read->image(op.getIndexSpace()));
}

/// Subscripts of the whole's labels and of its tensors.
void WholeBuilder::moveMaps(Operation *whole) {
  auto einsum = dyn_cast<EinsumOp>(whole);
  if (!einsum)
    return;
  SmallVector<AffineMap> maps = llvm::to_vector(
      einsum.getIndexingMaps().getAsValueRange<AffineMapAttr>());
  for (auto [number, operand] : llvm::enumerate(block.operands)) {
    auto read = index::getSubscripts(maps[number]);
    if (failed(read))
      continue;
    for (auto [dim, origin] : llvm::zip_equal(read->dims, operand.origin)) {
      dim.constant += origin * dim.floordiv;
      for (const AffineTerm &term : dim.terms)
        dim.constant -= term.coefficient * block.range[term.dim].lo;
      if (dim.mod != 0)
        dim.constant -=
            llvm::divideFloorSigned(dim.constant, dim.mod * dim.floordiv) *
            dim.mod * dim.floordiv;
    }
    maps[number] = index::canonicalSubscripts(
        index::getStartMap(*read, block.range.size(), whole->getContext()));
  }
  einsum.setIndexingMapsAttr(
      Builder(whole->getContext()).getAffineMapArrayAttr(maps));
}

void WholeBuilder::setPads(Operation *whole) {
  std::optional<Attribute> said = whole->getInherentAttr("pads");
  if (!said || !block.pads)
    return;
  // None is said where nothing is read beside any operand.
  SmallVector<Attribute> pads(block.pads.size(),
                              UnitAttr::get(whole->getContext()));
  if (auto own = dyn_cast_or_null<ArrayAttr>(*said))
    pads.assign(own.begin(), own.end());
  for (auto [number, pad] : llvm::enumerate(pads))
    if (pad != block.pads[number] && !leavesOperand(number))
      pad = block.pads[number];
  whole->setAttr("pads", ArrayAttr::get(whole->getContext(), pads));
}

/// A label's value in the whole is the block's and where that starts, which the
/// body adds.
bool WholeBuilder::moveLabel(Operation *read, int64_t by) {
  for (Operation *user : llvm::make_early_inc_range(read->getUsers())) {
    if (isa<arith::IndexCastOp>(user)) {
      if (!moveLabel(user, by))
        return false;
      continue;
    }
    auto sum = dyn_cast<arith::AddIOp>(user);
    std::optional<int64_t> added =
        sum ? getConstantIntValue(OpFoldResult(
                  sum.getLhs() == read->getResult(0) ? sum.getRhs()
                                                     : sum.getLhs()))
            : std::nullopt;
    if (added != by)
      return false;
    SmallVector<Value> summands(sum->getOperands());
    sum.replaceAllUsesWith(read->getResult(0));
    sum.erase();
    for (Value summand : summands)
      if (Operation *constant = summand.getDefiningOp();
          constant != read && constant->use_empty())
        constant->erase();
  }
  return true;
}

bool WholeBuilder::moveLabels(BlockOpInterface whole) {
  SmallVector<std::pair<Operation *, unsigned>> reads;
  if (Region *scalar = whole.getScalarRegion())
    scalar->walk([&](Operation *inner) {
      if (std::optional<unsigned> label = whole.getLabelReadBy(inner))
        reads.emplace_back(inner, *label);
    });
  else if (auto ranged = dyn_cast<RangeInterface>(whole.getOperation()))
    for (unsigned label = 0; label < block.range.size(); ++label)
      if (block.range[label].lo != 0 && ranged.readsPlaceAlong(label))
        return fail(joinedText("its values depend on label '",
                               op.getLabelNames()[label], "'"));
  for (auto [read, label] : reads)
    if (int64_t by = block.range[label].lo; by != 0 && !moveLabel(read, by))
      return fail(joinedText("it reads label '", op.getLabelNames()[label],
                             "', to which it would have to add ", by));
  return true;
}

void WholeBuilder::setTypes(BlockOpInterface whole) {
  Builder builder(whole->getContext());
  if (std::optional<Attribute> extents = whole->getInherentAttr("extents");
      extents && *extents)
    whole->setAttr("extents", builder.getDenseI64ArrayAttr(block.extents));
  for (auto [result, written, element] :
       llvm::zip_equal(whole->getResults(), op.getResultProjections(),
                       block.elementTypes)) {
    SmallVector<int64_t> shape(tensorType(result).getShape());
    for (auto [extent, dim] : llvm::zip_equal(shape, written.dims))
      if (!dim.terms.empty())
        extent = block.extents[dim.terms[0].dim];
    result.setType(RankedTensorType::get(shape, element));
  }
}

BlockOpInterface WholeBuilder::build() {
  for (auto [operand, value] :
       llvm::zip_equal(block.operands, op->getOperands()))
    tensors.addArgument(RankedTensorType::get(
                            operand.shape, tensorType(value).getElementType()),
                        op.getLoc());
  auto whole = cast<BlockOpInterface>(op->clone());
  tensors.push_back(whole);
  whole->setOperands(tensors.getArguments());
  if (hasPlan(whole))
    forgetPlan(whole);
  setPads(whole);
  moveMaps(whole);
  setTypes(whole);
  if (!moveLabels(whole))
    return {};
  std::string error;
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &said) {
    if (error.empty() && said.getSeverity() == DiagnosticSeverity::Error)
      error = said.str();
    return success();
  });
  if (failed(mlir::verify(whole))) {
    fail("the whole would be none: " + error);
    return {};
  }
  if (ArrayRef(whole.getLabelExtents()) != ArrayRef(block.extents)) {
    fail(joinedText("the whole would have the index space ",
                    boxToString(whole.getIndexSpace()), ", expected ",
                    boxToString(boxOfShape(block.extents))));
    return {};
  }
  llvm::SmallBitVector cut = getShardedLabels(whole);
  for (auto [label, range] : llvm::enumerate(block.range))
    if (!cut.test(label) && range.size() != block.extents[label]) {
      fail(joinedText("along its label '", op.getLabelNames()[label],
                      "' there are no blocks"));
      return {};
    }
  return whole;
}

/// The same, with what leaves the tensor folded.
static Projection foldedReadOf(BlockOpInterface op, unsigned operand,
                               const Projection &read) {
  auto einsum = dyn_cast<EinsumOp>(op.getOperation());
  return einsum ? einsum.getSubscripts(operand) : read;
}

/// Says where an operator reads something else than the whole.
static std::string faultText(unsigned operand, const ReadFault &fault) {
  std::string text =
      joinedText("what it reads of operand ", operand, " cannot be compared");
  if (!fault.isFound)
    return text;
  auto readText = [&](const std::optional<ViewCell> &cell) {
    return cell ? "cell " + pointText(cell->place) : "what is beside it";
  };
  return joinedText("at index point ", pointText(fault.point),
                    " it reads of operand ", operand, " ", readText(fault.got),
                    ", expected ", readText(fault.expected));
}

/// Whether the operator reads of an operand, which is that box of the whole's
/// tensor, at each index point what the whole does.
bool WholeBuilder::readsAlike(BlockOpInterface whole) {
  for (auto [number, operand] : llvm::enumerate(block.operands)) {
    std::optional<Projection> own = readOf(op, number),
                              all = readOf(whole, number);
    if (!own || !all)
      return fail(joinedText("operand ", number, " is read in several pieces"));
    TensorView tensor = TensorView::of(0, operand.shape);
    TensorView given =
        TensorView::of(0, tensorType(op->getOperand(number)).getShape());
    for (auto [dim, origin] :
         llvm::zip_equal(given.pieces[0].projection.dims, operand.origin))
      dim.constant = origin;
    auto fault =
        findReadFault({foldedReadOf(whole, number, *all), tensor},
                      {foldedReadOf(op, number, *own), given}, block.range);
    if (fault)
      return fail(faultText(number, *fault));
    // Of regions, too, what is beside the operand is beside the tensor.
    ZBox image = own->image(op.getIndexSpace());
    for (auto [dim, origin] : llvm::enumerate(operand.origin))
      if ((image[dim].lo < 0 && origin != 0) ||
          (image[dim].hi > given.shape[dim] &&
           origin + given.shape[dim] != operand.shape[dim]))
        return fail(joinedText("operand ", number, " is read at ",
                               boxToString(image), " of ",
                               boxToString(boxOfShape(given.shape)),
                               ", where the whole's goes on"));
  }
  return true;
}

ShardOp teg::createShard(BlockOpInterface op, const PlainBlock &block,
                         FreshNames &names, std::string &reason) {
  WholeBuilder builder(op, block, reason);
  BlockOpInterface whole = builder.build();
  if (!whole || !builder.readsAlike(whole))
    return {};
  for (OpResult result : op->getResults())
    if (Type part = getTypeOfPart(whole, result.getResultNumber(), block.range);
        part != result.getType()) {
      reason = joinedText("it makes ", result.getType(), ", a block ", part);
      return {};
    }
  SmallVector<ZBox> boxes;
  for (auto [number, value] : llvm::enumerate(op->getOperands())) {
    ZBox &slice = boxes.emplace_back(getSliceOf(whole, number, block.range));
    for (auto [cells, origin] :
         llvm::zip_equal(slice, block.operands[number].origin))
      cells = {cells.lo - origin, cells.hi - origin};
    ZBox all = boxOfShape(tensorType(value).getShape());
    if (contains(all, slice))
      continue;
    reason = joinedText("operand ", number, " has ", boxToString(all),
                        ", a block reads ", boxToString(slice));
    return {};
  }
  OpBuilder b(op);
  SmallVector<Value> slices;
  for (auto [number, value] : llvm::enumerate(op->getOperands())) {
    std::string name = (op.getVertexName() + "." + Twine(number)).str();
    bool isAll = boxes[number] == boxOfShape(tensorType(value).getShape());
    slices.push_back(isAll ? value
                           : SliceOp::create(b, op.getLoc(), names.next(name),
                                             value, boxes[number])
                                 .getResult());
  }
  return ShardOp::create(b, op.getLoc(), op.getVertexName(), whole, block.range,
                         slices);
}

SmallVector<Operation *> teg::slicesFor(ShardOp shard, BlockOpInterface op) {
  SmallVector<Operation *> slices;
  for (Value own : shard->getOperands())
    if (!llvm::is_contained(op->getOperands(), own))
      slices.push_back(own.getDefiningOp());
  return slices;
}

void teg::eraseShard(ShardOp shard, BlockOpInterface op) {
  SmallVector<Operation *> slices = slicesFor(shard, op);
  shard->erase();
  for (Operation *slice : slices)
    slice->erase();
}
