//===- VerifierRules.cpp - What verifiers of tra ops share ----------------===//

#include "VerifierRules.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Reach.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

std::string tra::listToString(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(values, os);
  os << ']';
  return text;
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

LogicalResult tra::verifyScalarRegion(Operation *op, StringRef what,
                                      Region &region, ArrayRef<Type> arguments,
                                      Type result) {
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

LogicalResult tra::verifyCustom(Operation *op, Monoid monoid,
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

LogicalResult tra::verifyMonoidType(Operation *op, Monoid monoid,
                                    Type elementType) {
  if (isLegalMonoid(monoid, elementType))
    return success();
  return op->emitOpError("reduces by '")
         << stringifyMonoid(monoid)
         << "', which does not combine elements of type " << elementType;
}

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
