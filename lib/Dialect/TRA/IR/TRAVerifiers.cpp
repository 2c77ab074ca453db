//===- TRAVerifiers.cpp - Constraints of tra operations -------------------===//
//
// Checks stand in the order of the "Constraints:" lists in TRAOps.td and carry
// their labels.
//
//===----------------------------------------------------------------------===//

#include "VerifierRules.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Reach.h"
#include "tapestry/Support/Resharding.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

//===----------------------------------------------------------------------===//
// What operations share
//===----------------------------------------------------------------------===//

static std::string listToString(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(values, os);
  os << ']';
  return text;
}

/// Shape and element type of tensors and relations alike.
static LogicalResult verifySameTensor(Operation *op, ArrayRef<int64_t> shape,
                                      Type elementType,
                                      ArrayRef<int64_t> otherShape,
                                      Type otherElementType) {
  if (shape == otherShape && elementType == otherElementType)
    return success();
  return op->emitOpError("turns a tensor of shape ")
         << listToString(shape) << " and element type " << elementType
         << " into one of shape " << listToString(otherShape)
         << " and element type " << otherElementType;
}

static LogicalResult verifySameTensor(Operation *op, RelationType source,
                                      RelationType result) {
  return verifySameTensor(op, source.getShape(), source.getElementType(),
                          result.getShape(), result.getElementType());
}

LogicalResult tra::verifySameGrid(Operation *op, RelationType source,
                                  RelationType result) {
  index::GridAttr from = source.getLayout().getGrid();
  index::GridAttr to = result.getLayout().getGrid();
  if (from == to)
    return success();
  return op->emitOpError("moves from the grid ")
         << from << " of "
         << countOf(from.getDeviceGrid().numDevices(), "device")
         << " to the grid " << to << " of " << to.getDeviceGrid().numDevices();
}

/// `what` names the relation in the message.
static LogicalResult verifyNotPartial(Operation *op, StringRef what,
                                      RelationType relation) {
  if (!relation.isPartial())
    return success();
  return op->emitOpError(what)
         << " is partial over "
         << countOf(relation.getLayout().getLayout().partial.size(), "axis")
         << ", expected 0; aggregate it first";
}

/// Parts of `relation` are disjoint blocks that cover the tensor.
static LogicalResult verifyPlain(Operation *op, StringRef what,
                                 RelationType relation) {
  const Layout &layout = relation.getLayout().getLayout();
  size_t cuts = 0;
  for (auto [number, dim] : llvm::enumerate(layout.dims)) {
    if (!dim.isBlocked())
      return op->emitOpError("dimension ")
             << number << " of the " << what
             << " is not plain: its parts may overlap or leave gaps";
    for (const LayoutTerm &term : dim.terms)
      cuts += term.cut.size();
  }
  // A diagonal: devices hold only those parts whose keys agree.
  if (cuts != layout.usedAxes().size())
    return op->emitOpError("the ")
           << what << " is cut " << cuts << " times over "
           << countOf(layout.usedAxes().size(), "axis")
           << ", so that its parts leave gaps";
  return success();
}

/// `region` has one block that takes values of `arguments` and yields one of
/// `result`; `what` names it in messages.
static LogicalResult verifyScalarRegion(Operation *op, StringRef what,
                                        Region &region,
                                        ArrayRef<Type> arguments, Type result) {
  Block &block = region.front();
  if (block.getNumArguments() != arguments.size())
    return op->emitOpError("its ")
           << what << " takes " << countOf(block.getNumArguments(), "value")
           << ", not " << arguments.size();
  for (auto [number, types] :
       llvm::enumerate(llvm::zip_equal(block.getArgumentTypes(), arguments)))
    if (std::get<0>(types) != std::get<1>(types))
      return op->emitOpError("its ")
             << what << " takes a value of type " << std::get<0>(types)
             << " as number " << number << ", but elements are of type "
             << std::get<1>(types);
  auto yield =
      dyn_cast_or_null<YieldOp>(block.empty() ? nullptr : &block.back());
  if (!yield)
    return op->emitOpError("its ") << what << " does not end in a 'tra.yield'";
  if (yield.getValue().getType() != result)
    return yield->emitOpError("yields a value of type ")
           << yield.getValue().getType() << ", but elements are of type "
           << result;
  for (Operation &nested : block)
    if (!isMemoryEffectFree(&nested))
      return nested.emitOpError("has side effects, which the ")
             << what << " of a '" << op->getName() << "' must not have";
  return success();
}

/// An identity and a combine region belong to a custom monoid only.
static LogicalResult verifyCustom(Operation *op, Monoid monoid,
                                  TypedAttr identity, Region &combine,
                                  Type elementType) {
  unsigned expected = monoid == Monoid::Custom ? 1 : 0;
  unsigned identities = identity ? 1 : 0;
  unsigned combines = combine.empty() ? 0 : 1;
  if (identities != expected)
    return op->emitOpError("reduces by '")
           << stringifyMonoid(monoid) << "' with " << identities
           << " identities, not " << expected;
  if (combines != expected)
    return op->emitOpError("reduces by '")
           << stringifyMonoid(monoid) << "' with " << combines
           << " combine regions, not " << expected;
  if (identity && (!isElementValue(identity) ||
                   getElementTypeOrSelf(identity) != elementType))
    return op->emitOpError("has an identity of type ")
           << identity.getType() << ", but elements are of type "
           << elementType;
  return success();
}

/// Whether the built-in monoid is defined on the element type.
static LogicalResult verifyMonoidType(Operation *op, Monoid monoid,
                                      Type elementType) {
  if (isLegalMonoid(monoid, elementType))
    return success();
  return op->emitOpError("reduces by '")
         << stringifyMonoid(monoid)
         << "', which does not combine elements of type " << elementType;
}

//===----------------------------------------------------------------------===//
// Tensors and relations
//===----------------------------------------------------------------------===//

LogicalResult FromTensorOp::verify() {
  RankedTensorType tensor = getTensor().getType();
  RelationType relation = getType();
  // from_tensor_c1
  if (failed(verifySameTensor(*this, tensor.getShape(), tensor.getElementType(),
                              relation.getShape(), relation.getElementType())))
    return failure();
  // from_tensor_c2
  return verifyNotPartial(*this, "result", relation);
}

LogicalResult ToTensorOp::verify() {
  RankedTensorType tensor = getType();
  RelationType relation = getRelation().getType();
  // to_tensor_c1
  if (failed(verifySameTensor(*this, relation.getShape(),
                              relation.getElementType(), tensor.getShape(),
                              tensor.getElementType())))
    return failure();
  // to_tensor_c2
  if (failed(verifyNotPartial(*this, "relation", relation)))
    return failure();
  // to_tensor_c3
  return verifyPlain(*this, "relation", relation);
}

//===----------------------------------------------------------------------===//
// Join
//===----------------------------------------------------------------------===//

LogicalResult tra::verifyReach(Operation *op, const Twine &what,
                               const Projection &projection,
                               ArrayRef<int64_t> extents) {
  for (auto [number, dim] : llvm::enumerate(projection.dims)) {
    unsigned position = number;
    Reach reach(1);
    // Adds |a| * b, which `name` stands for in the message.
    auto add = [&](const Twine &name, int64_t a, int64_t b) -> LogicalResult {
      reach.add(a, b);
      if (reach.isWithin())
        return success();
      return op->emitOpError("dimension ")
             << position << " of " << what << " is addressed by the " << name
             << ", with which it reaches 2^62 or more";
    };
    // Coefficients of labels without values are looked at, too.
    for (const AffineTerm &term : dim.terms)
      if (failed(add("coefficient " + Twine(term.coefficient), term.coefficient,
                     std::max<int64_t>(extents[term.dim], 1))))
        return failure();
    if (failed(add("constant " + Twine(dim.constant), dim.constant, 1)) ||
        failed(
            add("shape " + Twine(dim.size) + " of stride " + Twine(dim.stride),
                dim.size - 1, dim.stride)))
      return failure();
    for (auto [name, value] :
         {std::pair("floordiv", dim.floordiv), std::pair("mod", dim.mod)})
      if (value >= Reach::limit)
        return op->emitOpError("dimension ")
               << position << " of " << what << " is addressed by the " << name
               << " " << value << ", which is 2^62 or more";
  }
  return success();
}

/// Whether the text form can write a label as a bare word of an affine
/// expression.
static bool isIdentifier(StringRef name) {
  if (name.empty() || llvm::isDigit(name.front()) || name == "mod" ||
      name == "floordiv" || name == "ceildiv")
    return false;
  return llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || StringRef("_$.").contains(c);
  });
}

LogicalResult tra::verifyLabels(Operation *op, ArrayAttr labels,
                                ArrayRef<int64_t> extents) {
  if (labels.size() != extents.size())
    return op->emitOpError("has ")
           << countOf(labels.size(), "label") << ", but "
           << countOf(extents.size(), "extent");
  llvm::SmallDenseSet<Attribute, 8> seen;
  for (auto [attr, extent] : llvm::zip_equal(labels, extents)) {
    StringRef name = cast<StringAttr>(attr).getValue();
    if (!isIdentifier(name))
      return op->emitOpError("label '") << name << "' is not an identifier";
    if (!seen.insert(attr).second)
      return op->emitOpError("label '") << name << "' occurs twice";
    if (extent < 0)
      return op->emitOpError("label '")
             << name << "' has extent " << extent << ", expected at least 0";
    if (extent >= Reach::limit)
      return op->emitOpError("label '")
             << name << "' has extent " << extent << ", which is 2^62 or more";
  }
  return success();
}

/// join_c2, join_c3, join_c4: numbers and forms of the indexing maps.
static LogicalResult verifyMaps(JoinOp op) {
  // join_c2
  size_t relations = op.getInputs().size() + 1;
  if (op.getIndexingMaps().size() != relations)
    return op.emitOpError("has ")
           << op.getIndexingMaps().size() << " indexing maps for " << relations
           << " relations";
  for (unsigned number = 0; number < relations; ++number) {
    AffineMap map = op.getInputMap(number);
    if (map.getNumDims() != op.getLabels().size() || map.getNumSymbols() != 0)
      return op.emitOpError("indexing map ")
             << number << " has " << countOf(map.getNumDims(), "dimension")
             << " and " << countOf(map.getNumSymbols(), "symbol")
             << ", expected " << op.getLabels().size() << " and 0";
    auto type = cast<RelationType>(number + 1 < relations
                                       ? op.getInputs()[number].getType()
                                       : op.getType());
    if (map.getNumResults() != type.getRank())
      return op.emitOpError("indexing map ")
             << number << " has " << map.getNumResults()
             << " subscripts for a relation of "
             << countOf(type.getRank(), "dimension");
  }
  // join_c3
  AffineMap resultMap = op.getResultMap();
  if (!resultMap.isProjectedPermutation())
    return op.emitOpError("writes its result at the subscripts ")
           << AffineMapAttr::get(resultMap) << ", expected distinct labels";
  for (auto [dim, expr] : llvm::enumerate(resultMap.getResults())) {
    unsigned label = cast<AffineDimExpr>(expr).getPosition();
    int64_t extent = op.getType().getShape()[dim];
    if (extent != op.getExtents()[label])
      return op.emitOpError("dimension ")
             << dim << " of the result has extent " << extent
             << ", but its label " << op.getLabels()[label] << " has extent "
             << op.getExtents()[label];
  }
  // join_c4
  for (unsigned number = 0; number + 1 < relations; ++number) {
    FailureOr<Projection> read = index::getSubscripts(op.getInputMap(number));
    if (failed(read))
      return op.emitOpError("reads operand ")
             << number << " at the subscripts " << op.getIndexingMaps()[number]
             << ", which are not affine with integer coefficients, nor such a "
                "form divided and wrapped around once";
    if (failed(verifyReach(op, "operand " + Twine(number), *read,
                           op.getExtents())))
      return failure();
  }
  return success();
}

LogicalResult tra::verifyReads(Operation *op, ArrayAttr pads, ValueRange inputs,
                               ArrayRef<int64_t> extents,
                               llvm::function_ref<Access(unsigned)> accessOf) {
  if (pads.size() != inputs.size())
    return op->emitOpError("has ") << countOf(pads.size(), "pad") << " for "
                                   << countOf(inputs.size(), "operand");
  ZBox space = boxOfShape(extents);
  for (auto [number, input] : llvm::enumerate(inputs)) {
    auto type = cast<RelationType>(input.getType());
    // Whoever knows of pieces has looked at them.
    if (isElse(pads[number]) || (number > 0 && isElse(pads[number - 1])))
      continue;
    if (auto fold = index::foldOf(pads[number])) {
      Projection read = accessOf(number).projection;
      if (auto failed = foldInto(read, extents, type.getShape(), *fold))
        return op->emitOpError("reads dimension ")
               << *failed << " of operand " << number << ", of extent "
               << type.getShape()[*failed] << ", at what cannot be folded by "
               << stringifyFold(*fold);
      continue;
    }
    auto pad = dyn_cast<TypedAttr>(pads[number]);
    if (pad ? !isElementValue(pad) : !isa<UnitAttr>(pads[number]))
      return op->emitOpError("pad ")
             << number << " is neither 'unit' nor a value: " << pads[number];
    if (pad && getElementTypeOrSelf(pad) != type.getElementType())
      return op->emitOpError("pad ")
             << number << " is of type " << getElementTypeOrSelf(pad)
             << ", but its operand's elements are of type "
             << type.getElementType();
    if (pad)
      continue;
    Access access = accessOf(number);
    for (auto [dim, read] : llvm::enumerate(access.image(space))) {
      ZRange bounds{0, type.getShape()[dim]};
      const ProjectionDim &form = access.projection.dims[dim];
      // Sparse values that wrap around may only seem to leave it.
      if (form.mod != 0 && form.size == 1 && access.guard.empty())
        read = startsOfDim(form, extents);
      if (!bounds.contains(read))
        return op->emitOpError("reads dimension ")
               << dim << " of operand " << number << " in " << boxToString(read)
               << ", which leaves its bounds " << boxToString(bounds)
               << " without a pad";
    }
  }
  return success();
}

/// Whether two pieces lie in the tensor at no common point: some dimension of
/// theirs is further apart than its extent.
static bool areApart(const Projection &a, const Projection &b,
                     ArrayRef<int64_t> shape) {
  return llvm::any_of(llvm::zip_equal(a.dims, b.dims, shape),
                      [](const auto &dims) {
                        const auto &[one, other, extent] = dims;
                        return one.constant - other.constant >= extent ||
                               other.constant - one.constant >= extent;
                      });
}

/// The piece `number` of an operand beside those from `first` on before it.
static LogicalResult verifyPiece(JoinOp op, unsigned first, unsigned number) {
  auto error = [&]() {
    return op.emitOpError("reads operand ")
           << number << ", another piece of operand " << first << ", ";
  };
  auto type = cast<RelationType>(op.getInputs()[number].getType());
  Projection piece = *index::getSubscripts(op.getInputMap(number));
  for (unsigned before = first; before < number; ++before) {
    auto other = cast<RelationType>(op.getInputs()[before].getType());
    if (other.getShape() != type.getShape() ||
        other.getElementType() != type.getElementType())
      return error() << "of shape " << listToString(type.getShape())
                     << " and element type " << type.getElementType()
                     << ", which is not that of operand " << before;
    Projection earlier = *index::getSubscripts(op.getInputMap(before));
    for (auto [dim, forms] :
         llvm::enumerate(llvm::zip_equal(piece.dims, earlier.dims))) {
      const auto &[form, with] = forms;
      if (!form.isLinear() || !with.isLinear() || form.terms != with.terms)
        return error() << "at another form of the labels in dimension " << dim;
    }
    if (!areApart(piece, earlier, type.getShape()))
      return error() << "at points at which operand " << before
                     << " is read, too";
  }
  return success();
}

/// join_c5, join_c6: pads, pieces and bounds.
static LogicalResult verifySubscripts(JoinOp op) {
  if (failed(verifyReads(op, op.getPads(), op.getInputs(), op.getExtents(),
                         [&](unsigned number) {
                           return Access{
                               *index::getSubscripts(op.getInputMap(number))};
                         })))
    return failure();
  for (auto [first, end] : op.getOperandPieces()) {
    for (unsigned number = first + 1; number < end; ++number)
      if (failed(verifyPiece(op, first, number)))
        return failure();
    Attribute last = op.getPads()[end - 1];
    if (isElse(last) ||
        (end - first > 1 && !isa<UnitAttr>(last) && !index::foldOf(last)))
      return op.emitOpError("has the pad ")
             << last << " at operand " << end - 1
             << ", behind which no other piece of it comes, expected 'unit'";
  }
  return success();
}

/// join_c7 to join_c11: monoid and regions.
static LogicalResult verifyComputation(JoinOp op) {
  // join_c7
  size_t reduced = op.getReducedLabels().size();
  if ((op.getMonoid() == Monoid::None) != (reduced == 0))
    return op.emitOpError("reduces ") << countOf(reduced, "label") << " by '"
                                      << stringifyMonoid(op.getMonoid()) << "'";
  // join_c8
  Type elementType = op.getType().getElementType();
  if (failed(verifyCustom(op, op.getMonoid(), op.getIdentityAttr(),
                          op.getCombine(), elementType)))
    return failure();
  // join_c9
  if (failed(verifyMonoidType(op, op.getMonoid(), elementType)))
    return failure();
  // join_c10
  SmallVector<Type> arguments;
  for (auto [first, end] : op.getOperandPieces())
    arguments.push_back(
        cast<RelationType>(op.getInputs()[first].getType()).getElementType());
  if (failed(verifyScalarRegion(op, "kernel", op.getKernel(), arguments,
                                elementType)))
    return failure();
  // join_c11
  if (op.getCombine().empty())
    return success();
  return verifyScalarRegion(op, "combine region", op.getCombine(),
                            {elementType, elementType}, elementType);
}

LogicalResult tra::verifyLayout(Operation *op, const Twine &what,
                                RelationType type,
                                index::PartitionAttr partition,
                                const Layout &expected) {
  if (type.getLayout().getLayout() == expected)
    return success();
  auto layout = index::LayoutAttr::getChecked(
      [&] { return op->emitOpError(what) << ": "; }, op->getContext(),
      type.getLayout().getGrid(), expected);
  if (!layout)
    return failure();
  return op->emitOpError(what)
         << " lies as " << type.getLayout() << ", but the partition "
         << partition << " makes it lie as " << layout;
}

FailureOr<Partition> tra::verifyPartition(Operation *op,
                                          index::PartitionAttr partition,
                                          size_t numLabels,
                                          const DeviceGrid &grid) {
  if (partition.getRank() == numLabels)
    return partition.getPartition(grid, [&] { return op->emitOpError(); });
  op->emitOpError("has a partition of ")
      << countOf(partition.getRank(), "label") << ", but "
      << countOf(numLabels, "label");
  return failure();
}

/// The points that read an operand; all where none may be left out.
static ZBox guardIn(JoinOp op, unsigned number) {
  bool isPiece = isElse(op.getPads()[number]) ||
                 (number > 0 && isElse(op.getPads()[number - 1]));
  bool isLinear = llvm::all_of(op.getRead(number).dims,
                               [](const auto &dim) { return dim.isLinear(); });
  return isLinear && !isPiece ? op.getGuard(number) : ZBox();
}

/// join_c12 to join_c14: everything lies where the partition says.
static LogicalResult verifyPlacement(JoinOp op) {
  // join_c12
  FailureOr<Partition> partition = verifyPartition(
      op, op.getPartition(), op.getLabels().size(), op.getDeviceGrid());
  if (failed(partition))
    return failure();
  for (Value input : op.getInputs())
    if (failed(verifySameGrid(op, cast<RelationType>(input.getType()),
                              op.getType())))
      return failure();
  // join_c13
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    auto type = cast<RelationType>(input.getType());
    Layout expected =
        Layout::ofProjection(op.getRead(number), op.getExtents(), *partition,
                             type.getShape(), guardIn(op, number));
    // Each device reads its own value.
    expected.partial = type.getLayout().getLayout().partial;
    if (failed(verifyLayout(op, "operand " + Twine(number), type,
                            op.getPartition(), expected)))
      return failure();
  }
  // join_c14
  return verifyLayout(
      op, "result", op.getType(), op.getPartition(),
      withPartialOf(
          op.getInputs(), *partition,
          writtenLayout(op.getResultMap(), op.getExtents(), *partition)));
}

LogicalResult JoinOp::verify() {
  // join_c1
  return failure(failed(verifyLabels(*this, getLabels(), getExtents())) ||
                 failed(verifyMaps(*this)) || failed(verifySubscripts(*this)));
}

LogicalResult JoinOp::verifyRegions() {
  return failure(failed(verifyComputation(*this)) ||
                 failed(verifyPlacement(*this)));
}

LogicalResult LabelOp::verify() {
  // label_c1
  auto join = (*this)->getParentOfType<JoinOp>();
  if (!join || !join.getKernel().isAncestor((*this)->getParentRegion()))
    return emitOpError("\"")
           << getName() << "\" does not lie in the kernel of a 'tra.join'";
  // label_c2
  if (!join.labelNamed(getName()))
    return emitOpError("names the label \"")
           << getName() << "\", but the join has only " << join.getLabels();
  return success();
}

//===----------------------------------------------------------------------===//
// Aggregate and repartition
//===----------------------------------------------------------------------===//

/// aggregate_c4: the boxes stay, or are cut within each group.
static LogicalResult verifyTargets(AggregateOp op) {
  const DeviceGrid &grid = op.getType().getDeviceGrid();
  const Layout &from = op.getSource().getType().getLayout().getLayout();
  const Layout &to = op.getType().getLayout().getLayout();
  if (canReduceScatter(grid, from, to))
    return success();
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    ZBox held = from.box(grid, device), target = to.box(grid, device);
    if (held != target && !(isEmpty(held) && isEmpty(target)))
      return op.emitOpError("device ")
             << device << " holds partial values of " << boxToString(held)
             << " and would get " << boxToString(target)
             << ": neither that box nor a share of its group's";
  }
  return success();
}

LogicalResult AggregateOp::verify() {
  RelationType source = getSource().getType(), result = getType();
  // aggregate_c1
  if (failed(verifySameTensor(*this, source, result)))
    return failure();
  // aggregate_c2
  if (failed(verifySameGrid(*this, source, result)))
    return failure();
  // aggregate_c3
  if (!source.isPartial())
    return emitOpError("source is partial over 0 axes, expected at least 1");
  if (failed(verifyNotPartial(*this, "result", result)))
    return failure();
  // aggregate_c4
  if (failed(verifyTargets(*this)))
    return failure();
  // aggregate_c5
  if (getMonoid() == Monoid::None)
    return emitOpError("combines partial values by 'none'");
  // aggregate_c6
  Type elementType = result.getElementType();
  if (failed(verifyCustom(*this, getMonoid(), getIdentityAttr(), getCombine(),
                          elementType)))
    return failure();
  // aggregate_c7
  return verifyMonoidType(*this, getMonoid(), elementType);
}

LogicalResult AggregateOp::verifyRegions() {
  // aggregate_c8
  if (getCombine().empty())
    return success();
  Type elementType = getType().getElementType();
  return verifyScalarRegion(*this, "combine region", getCombine(),
                            {elementType, elementType}, elementType);
}

/// Whether every device has what it is to have.
static bool holdsAll(RelationType source, RelationType result) {
  const DeviceGrid &grid = source.getDeviceGrid();
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device)
    if (!contains(source.getLayout().getLayout().box(grid, device),
                  result.getLayout().getLayout().box(grid, device)))
      return false;
  return true;
}

LogicalResult RepartitionOp::verify() {
  RelationType source = getSource().getType(), result = getType();
  // repartition_c1
  if (failed(verifySameTensor(*this, source, result)))
    return failure();
  // repartition_c2
  if (failed(verifySameGrid(*this, source, result)))
    return failure();
  // repartition_c3
  if (failed(verifyNotPartial(*this, "source", source)) ||
      failed(verifyNotPartial(*this, "result", result)))
    return failure();
  // repartition_c4
  if (!source.getLayout().getLayout().isDisjoint() && holdsAll(source, result))
    return success();
  return verifyPlain(*this, "source", source);
}
