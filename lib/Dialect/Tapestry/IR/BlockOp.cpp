//===- BlockOp.cpp - Index space and rules of tapestry.block --------------===//
//
// All that is asked of a block follows from its kernel's projections. The
// checks carry the labels of the constraints in the op's description.
//
//===----------------------------------------------------------------------===//

#include "BlockBody.h"
#include "IndexSpaceRules.h"
#include "PlacementRules.h"
#include "ScalarRegions.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryBlock.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Counted.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// `[` (label `=` extent),* `]`, of the kernel's labels in their order
static ParseResult parseIndexRanges(OpAsmParser &parser, KernelAttr kernel,
                                    DenseI64ArrayAttr &extents) {
  llvm::SmallVector<int64_t> values;
  llvm::ArrayRef<std::string> labels = kernel.getKernel().labels;
  SMLoc loc = parser.getCurrentLocation();
  auto parseRange = [&]() -> ParseResult {
    SMLoc place = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual() ||
        parser.parseInteger(values.emplace_back()))
      return failure();
    if (values.size() <= labels.size() && name != labels[values.size() - 1])
      return parser.emitError(place, "expected label '")
             << labels[values.size() - 1] << "', got '" << name << "'";
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  if (values.size() != labels.size())
    return parser.emitError(loc, "expected ")
           << countOf(labels.size(), "range") << ", got " << values.size();
  extents = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

static void printIndexRanges(OpAsmPrinter &printer, BlockOp op, KernelAttr,
                             DenseI64ArrayAttr) {
  printer << '[';
  llvm::interleaveComma(llvm::zip(op.getSignature().labels, op.getExtents()),
                        printer, [&](auto label) {
                          printer << std::get<0>(label) << " = "
                                  << std::get<1>(label);
                        });
  printer << ']';
}

/// (`body` region)? (`combine` region `identity` value
/// (`,` region `identity` value)*)?
static ParseResult
parseScalars(OpAsmParser &parser,
             SmallVectorImpl<std::unique_ptr<Region>> &scalars,
             ArrayAttr &identities) {
  std::unique_ptr<Region> body;
  if (succeeded(parser.parseOptionalKeyword("body"))) {
    body = std::make_unique<Region>();
    if (parser.parseRegion(*body))
      return failure();
  }
  bool combines = succeeded(parser.parseOptionalKeyword("combine"));
  llvm::SmallVector<Attribute> values;
  if (combines)
    do {
      scalars.push_back(std::make_unique<Region>());
      if (parser.parseRegion(*scalars.back()) ||
          parser.parseKeyword("identity") ||
          parser.parseAttribute(values.emplace_back()))
        return failure();
    } while (succeeded(parser.parseOptionalComma()));
  if (combines)
    identities = parser.getBuilder().getArrayAttr(values);
  if (body)
    scalars.push_back(std::move(body));
  return success();
}

static void printScalars(OpAsmPrinter &printer, BlockOp op,
                         MutableArrayRef<Region> scalars,
                         ArrayAttr identities) {
  if (Region *body = op.getBody()) {
    printer << "body ";
    printer.printRegion(*body);
    printer << (identities ? " " : "");
  }
  if (!identities)
    return;
  // Of an operation that does not verify there may be more of one.
  for (auto [number, both] : llvm::enumerate(llvm::zip(scalars, identities))) {
    printer << (number == 0 ? "combine " : ", ");
    printer.printRegion(std::get<0>(both));
    printer << " identity " << std::get<1>(both);
  }
}

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryBlock.cpp.inc"

void BlockOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  for (auto [number, result] : llvm::enumerate(getOutputs()))
    detail::nameResult(result,
                       number == 0 ? getName()
                                   : StringRef(getSignature()
                                                   .outputs[number] //
                                                   .name),
                       setName);
}

//===----------------------------------------------------------------------===//
// BlockOpInterface
//===----------------------------------------------------------------------===//

/// Whole dimensions have the tensor's extents.
static Projection filledIn(Projection projection, RankedTensorType type) {
  for (auto [dim, extent] : llvm::zip(projection.dims, type.getShape()))
    if (dim.size == 0)
      dim.size = extent;
  return projection;
}

Projection BlockOp::getInputProjection(unsigned operand) {
  return filledIn(getSignature().inputs[operand].projection,
                  getTensorType(operand));
}

Projection BlockOp::getOutputProjection(unsigned result) {
  return filledIn(getSignature().outputs[result].projection,
                  getOutputType(result));
}

llvm::SmallVector<std::string> BlockOp::getLabelNames() {
  return llvm::to_vector_of<std::string>(getSignature().labels);
}

llvm::SmallVector<int64_t> BlockOp::getLabelExtents() {
  return llvm::to_vector(getExtents());
}

llvm::SmallVector<LabelKind> BlockOp::getLabelKinds() {
  return llvm::map_to_vector(labelUses(getSignature()), [](LabelUse use) {
    return use == LabelUse::Reduced ? LabelKind::Reduced : LabelKind::Parallel;
  });
}

llvm::SmallVector<Value> BlockOp::getTensorOperands() {
  return llvm::to_vector(getInputs());
}

/// Where one dimension's regions begin and end.
static ZRange rangeOf(const ProjectionDim &dim,
                      llvm::ArrayRef<int64_t> extents) {
  ProjectionDim last = dim;
  last.constant += (dim.size - 1) * dim.stride;
  return {imageOf(dim, extents).lo, imageOf(last, extents).hi};
}

std::vector<Access> BlockOp::getAccesses(unsigned operand) {
  Access access{getInputProjection(operand)};
  if (getPad(operand))
    for (auto [dim, extent] : llvm::zip_equal(
             access.projection.dims, getTensorType(operand).getShape()))
      if (!ZRange{0, extent}.contains(rangeOf(dim, getExtents())))
        access.fallback = AccessFallback::Pad;
  return {access};
}

TypedAttr BlockOp::getPad(unsigned operand) {
  ArrayAttr pads = getPadsAttr();
  return pads ? dyn_cast<TypedAttr>(pads[operand]) : TypedAttr();
}

std::vector<Projection> BlockOp::getResultProjections() {
  std::vector<Projection> projections;
  for (unsigned result = 0; result < getNumResults(); ++result) {
    Projection projection = getOutputProjection(result);
    // Tiles are written whole, as their labels are not cut.
    for (auto [dim, extent] :
         llvm::zip(projection.dims, getOutputType(result).getShape()))
      if (!dim.isPlainDim())
        dim = {{}, 0, /*size=*/extent};
    projections.push_back(std::move(projection));
  }
  return projections;
}

std::vector<Write> BlockOp::getWrites(unsigned result) {
  return {Write{getOutputProjection(result)}};
}

Monoid BlockOp::getResultMonoid(unsigned result) {
  return symbolizeMonoid(getSignature().outputs[result].monoid)
      .value_or(Monoid::None);
}

/// Which of the block's own monoids an output's is.
static unsigned customNumber(BlockOp op, unsigned result) {
  return llvm::count_if(llvm::seq(0u, result), [&](unsigned earlier) {
    return op.getResultMonoid(earlier) == Monoid::Custom;
  });
}

Region *BlockOp::getBody() {
  size_t combiners = getIdentitiesAttr() ? getIdentitiesAttr().size() : 0;
  return getScalars().size() > combiners ? &getScalars().back() : nullptr;
}

Type BlockOp::getBodyType(unsigned operand) {
  const KernelTensor &input = getSignature().inputs[operand];
  llvm::SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::zip_equal(input.projection.dims,
                                            getTensorType(operand).getShape()))
    if (dim.size != 1)
      shape.push_back(dim.size == 0 ? extent : dim.size);
  Type element = getTensorType(operand).getElementType();
  return shape.empty() ? element : RankedTensorType::get(shape, element);
}

Region *BlockOp::getCombiner(unsigned result) {
  return getResultMonoid(result) == Monoid::Custom
             ? &getScalars()[customNumber(*this, result)]
             : nullptr;
}

TypedAttr BlockOp::getMonoidIdentity(unsigned result) {
  if (getResultMonoid(result) == Monoid::Custom)
    return cast<TypedAttr>(getIdentitiesAttr()[customNumber(*this, result)]);
  return monoidIdentity(getResultMonoid(result),
                        getOutputType(result).getElementType());
}

Value BlockOp::emitCombine(unsigned result, OpBuilder &builder, Location loc,
                           Value a, Value b) {
  if (Region *combiner = getCombiner(result))
    return emitCombiner(builder, *combiner, a, b);
  return emitMonoid(builder, loc, getResultMonoid(result), a, b);
}

/// The points of an index space; an empty one counts as one.
static double countPoints(ArrayRef<int64_t> steps) {
  double points = 1;
  for (int64_t extent : steps)
    points *= std::max<int64_t>(extent, 1);
  return points;
}

double BlockOp::getCost(StringRef resource, ArrayRef<int64_t> steps) {
  if (DictionaryAttr costs = getCostsAttr())
    if (auto own = costs.getAs<IntegerAttr>(resource))
      return static_cast<double>(own.getInt()) * countPoints(steps) /
             countPoints(getExtents());
  double taken = 0;
  for (const KernelCost &cost : getSignature().costs) {
    if (cost.resource != resource)
      continue;
    double count = countPoints(steps);
    for (auto [label, extent] : llvm::zip(getSignature().labels, steps))
      if (label == cost.label)
        count = extent;
    taken += static_cast<double>(cost.amount) * count;
  }
  return taken;
}

static bool saysCost(BlockOp op, StringRef resource) {
  return (op.getCostsAttr() && op.getCostsAttr().get(resource)) ||
         llvm::any_of(op.getSignature().costs, [&](const KernelCost &cost) {
           return cost.resource == resource;
         });
}

/// What a body does, and what combines the values that it yields.
static int64_t countBodyFlops(BlockOp op) {
  int64_t flops = countFlops(*op.getBody());
  for (unsigned result = 0; result < op.getNumResults(); ++result)
    if (op.getResultMonoid(result) != Monoid::None) {
      Region *combiner = op.getCombiner(result);
      flops +=
          combiner
              ? countFlops(*combiner)
              : countCombineFlops(op.getResultMonoid(result), *op.getBody(),
                                  op.getOutputType(result).getElementType());
    }
  return flops;
}

/// Each point has its share of what the whole takes.
PointWork BlockOp::getWork() {
  double points = countPoints(getExtents());
  constexpr double most = 1e15;
  auto share = [&](StringRef resource) {
    return std::llround(
        std::min(getCost(resource, getExtents()) / points, most));
  };
  PointWork work = {/*flops=*/share("flops"), /*bytes=*/share("ram")};
  if (getBody() && !saysCost(*this, "flops"))
    work.flops = countBodyFlops(*this);
  return work;
}

std::optional<std::pair<DeviceGrid, Layout>>
BlockOp::getHomeLayout(unsigned result) {
  if (!getHomesAttr())
    return std::nullopt;
  return detail::resolveHome(cast<index::LayoutAttr>(getHomesAttr()[result]));
}

void BlockOp::setHomeLayout(unsigned result, const DeviceGrid &grid,
                            const Layout &layout) {
  setHomesAttr(withHome(getHomesAttr(), getNumResults(), result,
                        index::LayoutAttr::get(getContext(), grid, layout)));
}

Route BlockOp::getHomeRouteLayouts(unsigned result) {
  return detail::resolveRoutes(getHomeRoutesAttr(), getNumResults())[result];
}

LogicalResult BlockOp::reifyResultShapes(OpBuilder &,
                                         ReifiedRankedShapedTypeDims &shapes) {
  for (unsigned result = 0; result < getNumResults(); ++result)
    shapes.push_back(
        getAsIndexOpFoldResult(getContext(), getOutputType(result).getShape()));
  return success();
}

llvm::SmallVector<TypedAttr> BlockOp::getParamValues() {
  return llvm::map_to_vector(
      getSignature().params, [&](const KernelParam &param) {
        return cast<TypedAttr>(getParams().get(param.name));
      });
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// block_c1 of inputs or outputs.
static LogicalResult verifyTensors(BlockOp op, StringRef what,
                                   llvm::ArrayRef<KernelTensor> wanted,
                                   TypeRange given) {
  if (wanted.size() != given.size())
    return op.emitOpError() << "has " << given.size() << ' ' << what
                            << "s, but its kernel has " << wanted.size();
  for (auto [tensor, type] : llvm::zip_equal(wanted, given)) {
    auto shaped = cast<RankedTensorType>(type);
    Type element = elementTypeNamed(op.getContext(), tensor.element);
    if (shaped.getElementType() != element ||
        shaped.getRank() != tensor.projection.rank())
      return op.emitOpError()
             << what << " '" << tensor.name << "' is " << shaped
             << ", but its kernel has rank " << tensor.projection.rank()
             << " and elements of type " << element;
  }
  return success();
}

static std::string textOf(BlockOp op, const ProjectionDim &dim) {
  Builder b(op.getContext());
  return subscriptText(b.getStrArrayAttr(llvm::to_vector_of<StringRef>(
                           op.getSignature().labels)),
                       dim);
}

/// block_c2
static LogicalResult verifyReads(BlockOp op) {
  bool isEmpty = llvm::is_contained(op.getExtents(), 0);
  for (unsigned operand = 0; operand < op.getInputs().size(); ++operand) {
    Projection projection = op.getInputProjection(operand);
    for (auto [number, dim] : llvm::enumerate(projection.dims)) {
      StringRef name = op.getSignature().inputs[operand].name;
      ProjectionDim last = dim;
      int64_t span;
      if (llvm::MulOverflow(dim.size - 1, dim.stride, span) ||
          llvm::AddOverflow(dim.constant, span, last.constant) ||
          !isWithinReach(dim, op.getExtents()) ||
          !isWithinReach(last, op.getExtents()))
        return op.emitOpError() << "subscript '" << textOf(op, dim) << "' of '"
                                << name << "' reaches 2^62 or more";
      int64_t extent = op.getTensorType(operand).getDimSize(number);
      if (isEmpty || (dim.terms.empty() && dim.size == extent) ||
          op.getPad(operand))
        continue;
      ZRange read = rangeOf(dim, op.getExtents());
      if (!ZRange{0, extent}.contains(read))
        return op.emitOpError()
               << "subscript '" << textOf(op, dim) << "' of '" << name
               << "' reads [" << read.lo << ", " << read.hi
               << "), outside dimension " << number << " of extent " << extent;
    }
  }
  return success();
}

/// block_c10
static LogicalResult verifyPads(BlockOp op) {
  ArrayAttr pads = op.getPadsAttr();
  if (!pads)
    return success();
  if (pads.size() != op.getInputs().size())
    return op.emitOpError() << "has " << countOf(pads.size(), "pad") << " for "
                            << countOf(op.getInputs().size(), "input");
  for (auto [number, pad] : llvm::enumerate(pads)) {
    Type element = op.getTensorType(number).getElementType();
    auto value = dyn_cast<TypedAttr>(pad);
    if (!isa<UnitAttr>(pad) && (!value || !isElementValue(value) ||
                                getElementTypeOrSelf(value) != element))
      return op.emitOpError()
             << "pads '" << op.getSignature().inputs[number].name << "' with "
             << pad << ", expected a constant of type " << element;
  }
  return success();
}

/// block_c3
static LogicalResult verifyWrites(BlockOp op) {
  for (unsigned result = 0; result < op.getNumResults(); ++result) {
    Projection projection = op.getOutputProjection(result);
    for (auto [number, dim] : llvm::enumerate(projection.dims)) {
      if (dim.terms.empty())
        continue;
      int64_t written, extent = op.getOutputType(result).getDimSize(number);
      int64_t points = op.getExtents()[dim.terms.front().dim];
      if (llvm::MulOverflow(points, dim.size, written) || written != extent)
        return op.emitOpError()
               << "writes " << points << " times "
               << countOf(dim.size, "element") << " along dimension " << number
               << " of extent " << extent << " of '"
               << op.getSignature().outputs[result].name << "'";
    }
  }
  return success();
}

/// block_c4
static LogicalResult verifyParams(BlockOp op) {
  const Kernel &kernel = op.getSignature();
  for (const KernelParam &param : kernel.params) {
    Type type = elementTypeNamed(op.getContext(), param.element);
    auto value = dyn_cast_or_null<TypedAttr>(op.getParams().get(param.name));
    if (!value || !isa<IntegerAttr, FloatAttr>(value) ||
        value.getType() != type)
      return op.emitOpError() << "parameter '" << param.name << "' is "
                              << op.getParams().get(param.name)
                              << ", expected a constant of type " << type;
  }
  for (NamedAttribute given : op.getParams())
    if (llvm::none_of(kernel.params, [&](const KernelParam &param) {
          return given.getName() == param.name;
        }))
      return op.emitOpError()
             << "has a parameter '" << given.getName().getValue()
             << "', which its kernel does not know";
  return success();
}

/// block_c8
static LogicalResult verifyCosts(BlockOp op) {
  if (DictionaryAttr costs = op.getCostsAttr())
    for (NamedAttribute cost : costs) {
      auto amount = dyn_cast<IntegerAttr>(cost.getValue());
      if (!amount || !amount.getType().isSignlessInteger(64) ||
          amount.getInt() < 0)
        return op.emitOpError()
               << "costs " << cost.getValue() << " of '"
               << cost.getName().getValue()
               << "', expected a number of type i64, at least 0";
    }
  return success();
}

/// block_c5
static LogicalResult verifyCut(BlockOp op) {
  if (failed(verifyPartition(op, op.getPartitionAttr(), op.getExtents().size(),
                             "label")))
    return failure();
  if (!op.getPartitionAttr())
    return success();
  for (auto [label, use] : llvm::enumerate(labelUses(op.getSignature())))
    if (use == LabelUse::Region &&
        !op.getPartitionAttr().getAxes(label).empty())
      return op.emitOpError()
             << "cuts label '" << op.getSignature().labels[label]
             << "', which moves tiles of what is written";
  return success();
}

LogicalResult BlockOp::verify() {
  const Kernel &kernel = getSignature();
  Builder b(getContext());
  // block_c1
  if (failed(verifyTensors(*this, "input", kernel.inputs,
                           getInputs().getTypes())) ||
      failed(verifyTensors(*this, "output", kernel.outputs,
                           getOutputs().getTypes())) ||
      failed(verifyLabels(
          *this,
          b.getStrArrayAttr(llvm::to_vector_of<StringRef>(kernel.labels)),
          getExtents())))
    return failure();
  if (failed(verifyPads(*this)) || failed(verifyReads(*this)) ||
      failed(verifyWrites(*this)) || failed(verifyParams(*this)) ||
      failed(verifyCut(*this)) || failed(verifyCosts(*this)))
    return failure();
  // block_c6, block_c7
  return verifyPlacement(*this, getHomesAttr(), getHomeRoutesAttr(),
                         getOperandRoutesAttr(), getInputs());
}

// block_c11
LogicalResult BlockOp::verifyRegions() {
  size_t custom = customNumber(*this, getNumResults()),
         identities = getIdentitiesAttr() ? getIdentitiesAttr().size() : 0;
  size_t regions = getScalars().size() - (getBody() ? 1 : 0);
  if (getScalars().size() > custom + 1 || regions != custom ||
      identities != custom)
    return emitOpError() << "has " << regions << " combine regions and "
                         << identities << " identities for " << custom
                         << " custom monoids";
  for (unsigned result = 0; result < getNumResults(); ++result)
    if (Region *combiner = getCombiner(result))
      if (failed(verifyCombiner(*this, Monoid::Custom, *combiner,
                                getMonoidIdentity(result),
                                getOutputType(result).getElementType())))
        return failure();
  return verifyBody(*this);
}
