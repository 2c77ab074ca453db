//===- Constraints.cpp - Pins and preferences in the IR -------------------===//
//
// #tapestry.constraint, the discardable attributes that hold it, and what
// operators answer when the planner asks for their constraints.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Dialect/Tapestry/IR/Constraints.h"
#include "PlacementRules.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tapestry/Dialect/Index/IR/OwnAttributes.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryFused.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Dialect/Tapestry/IR/Unsigned.h"
#include "tapestry/Interfaces/Place.h"
#include "tapestry/Interfaces/SelectorInterface.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// ConstraintAttr
//===----------------------------------------------------------------------===//

LogicalResult
ConstraintAttr::verify(function_ref<InFlightDiagnostic()> emitError, bool,
                       bool isHard, FloatAttr weight, DictionaryAttr cuts,
                       bool) {
  // constraint_c1
  for (NamedAttribute entry : cuts) {
    if (auto count = dyn_cast<IntegerAttr>(entry.getValue())) {
      if (count.getValue().getSignificantBits() > 63 || count.getInt() < 1)
        return emitError() << "label '" << entry.getName().getValue()
                           << "' has " << count << " parts, the least is 1";
      continue;
    }
    auto axes = dyn_cast<ArrayAttr>(entry.getValue());
    if (!axes || axes.empty() ||
        !llvm::all_of(axes, [](Attribute a) { return isa<StringAttr>(a); }))
      return emitError() << "label '" << entry.getName().getValue()
                         << "' takes a number of parts or a list of axes, not "
                         << entry.getValue();
  }
  // constraint_c2
  if (!weight.getType().isF64() || !weight.getValue().isFinite() ||
      weight.getValueAsDouble() < 0)
    return emitError() << "a preference has the weight " << weight
                       << ", the least is 0.0 : f64";
  return success();
}

ConstraintAttr ConstraintAttr::get(MLIRContext *context,
                                   const ShardingConstraint &constraint,
                                   bool isHome) {
  Builder builder(context);
  llvm::SmallVector<NamedAttribute> cuts;
  for (const LabelConstraint &pin : constraint.cuts) {
    if (pin.axes.empty()) {
      cuts.push_back(builder.getNamedAttr(
          pin.label, builder.getI64IntegerAttr(pin.parts)));
      continue;
    }
    llvm::SmallVector<StringRef> axes(pin.axes.begin(), pin.axes.end());
    cuts.push_back(
        builder.getNamedAttr(pin.label, builder.getStrArrayAttr(axes)));
  }
  return get(context, isHome, constraint.isHard,
             builder.getF64FloatAttr(constraint.isHard ? 1 : constraint.weight),
             builder.getDictionaryAttr(cuts), constraint.isClosed);
}

ShardingConstraint ConstraintAttr::getConstraint(StringRef place) const {
  ShardingConstraint constraint;
  constraint.isHard = getIsHard();
  constraint.weight = getWeight().getValueAsDouble();
  constraint.isClosed = getIsClosed();
  constraint.place = place.str();
  for (NamedAttribute entry : getCuts()) {
    LabelConstraint pin;
    pin.label = entry.getName().str();
    if (auto count = dyn_cast<IntegerAttr>(entry.getValue()))
      pin.parts = count.getInt();
    else
      for (Attribute axis : cast<ArrayAttr>(entry.getValue()))
        pin.axes.push_back(cast<StringAttr>(axis).str());
    constraint.cuts.push_back(std::move(pin));
  }
  return constraint;
}

/// `<` (`pin` | `prefer` weight) (`cut` | `home`) dictionary
/// (`others` `=` `1`)? `>`
Attribute ConstraintAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef strength, side;
  double weight = 1;
  if (parser.parseLess() || parser.parseKeyword(&strength))
    return {};
  bool isHard = strength == "pin";
  if (!isHard && strength != "prefer") {
    parser.emitError(loc, "expected pin or prefer, got '") << strength << "'";
    return {};
  }
  if (!isHard && parser.parseFloat(weight))
    return {};
  SMLoc sideLoc = parser.getCurrentLocation();
  if (parser.parseKeyword(&side))
    return {};
  if (side != "cut" && side != "home") {
    parser.emitError(sideLoc, "expected cut or home, got '") << side << "'";
    return {};
  }
  DictionaryAttr cuts;
  if (parser.parseAttribute(cuts))
    return {};
  bool isClosed = succeeded(parser.parseOptionalKeyword("others"));
  if (isClosed) {
    SMLoc countLoc = parser.getCurrentLocation();
    int64_t count = 0;
    if (parser.parseEqual() || parser.parseInteger(count))
      return {};
    if (count != 1) {
      parser.emitError(countLoc, "other labels can only have 1 part, not ")
          << count;
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ConstraintAttr>(
      loc, parser.getContext(), side == "home", isHard,
      parser.getBuilder().getF64FloatAttr(weight), cuts, isClosed);
}

void ConstraintAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (getIsHard()) {
    printer << "pin";
  } else {
    printer << "prefer ";
    printer.printFloat(getWeight().getValue());
  }
  printer << (getIsHome() ? " home " : " cut ") << getCuts();
  if (getIsClosed())
    printer << " others = 1";
  printer << '>';
}

//===----------------------------------------------------------------------===//
// On operations
//===----------------------------------------------------------------------===//

static void addConstraints(Operation *op, ShardingConstraints &constraints) {
  auto list = op->getAttrOfType<ArrayAttr>(constraintsAttrName);
  if (!list)
    return;
  std::string place = placeOf(op->getLoc());
  for (auto constraint : list.getAsRange<ConstraintAttr>())
    (constraint.getIsHome() ? constraints.home : constraints.work)
        .push_back(constraint.getConstraint(place));
}

ShardingConstraints teg::constraintsOf(OpResult result) {
  ShardingConstraints constraints;
  Operation *op = result.getOwner();
  bool isFirst = result.getResultNumber() == 0;
  if (isFirst)
    addConstraints(op, constraints);
  for (Operation *user : result.getUsers())
    if (isa<SinkOp>(user))
      addConstraints(user, constraints);
  if (!isFirst)
    return constraints;
  if (auto group = op->getAttrOfType<StringAttr>(layoutGroupAttrName)) {
    constraints.layoutGroup = group.str();
    constraints.layoutGroupPlace = placeOf(op->getLoc());
  }
  return constraints;
}

static RankedTensorType constrainedType(Operation *op) {
  if (auto sink = dyn_cast<SinkOp>(op))
    return cast<RankedTensorType>(sink.getTensor().getType());
  return cast<RankedTensorType>(op->getResult(0).getType());
}

/// tapestry_c2
static LogicalResult verifyLabels(Operation *op, ConstraintAttr constraint) {
  bool isOnLabels = !constraint.getIsHome() && !isGraphSource(op);
  llvm::SmallVector<std::string> labels;
  if (isOnLabels)
    labels = cast<BlockOpInterface>(op).getLabelNames();
  for (NamedAttribute entry : constraint.getCuts()) {
    StringRef label = entry.getName().getValue();
    if (isOnLabels) {
      if (llvm::is_contained(labels, label))
        continue;
      InFlightDiagnostic diagnostic = op->emitOpError()
                                      << "has a constraint on label '" << label
                                      << "', its labels are [";
      llvm::interleaveComma(labels, diagnostic, [&](StringRef name) {
        diagnostic << '"' << name << '"';
      });
      return diagnostic << "]";
    }
    int64_t rank = constrainedType(op).getRank();
    int64_t dim = 0;
    if (label.getAsInteger(10, dim) || dim < 0 || dim >= rank)
      return op->emitOpError() << "has a constraint on dimension '" << label
                               << "', the tensor has rank " << rank;
  }
  return success();
}

static LogicalResult verifyConstraints(Operation *op, ArrayAttr list) {
  for (auto constraint : list.getAsRange<ConstraintAttr>()) {
    if (isa<SinkOp>(op) && !constraint.getIsHome())
      return op->emitOpError()
             << "has a constraint on a cut, a sink's are on the "
                "home";
    if (failed(verifyLabels(op, constraint)))
      return failure();
  }
  return success();
}

LogicalResult teg::verifyAsked(Operation *op) {
  auto list = op->getAttrOfType<ArrayAttr>(constraintsAttrName);
  return list ? verifyConstraints(op, list) : success();
}

//===----------------------------------------------------------------------===//
// What the dialect's discardable attributes hold, and where they stand
//===----------------------------------------------------------------------===//

static bool areConstraints(Operation *op, Attribute value) {
  return isa<SinkOp, BlockOpInterface>(op) &&
         index::isListOf<ConstraintAttr>(value);
}

static bool isLayoutGroup(Operation *op, Attribute value) {
  auto group = dyn_cast<StringAttr>(value);
  return isa<BlockOpInterface>(op) && !isa<SinkOp>(op) && group &&
         !group.empty();
}

static bool isUnsignedMark(Operation *op, Attribute value) {
  // The operation may still be any, as attributes are looked at first.
  Type tensor;
  if (isa<SourceOp>(op) && op->getNumResults() == 1)
    tensor = op->getResult(0).getType();
  else if (isa<SinkOp>(op) && op->getNumOperands() > 0)
    tensor = op->getOperand(0).getType();
  if (!tensor || !isa<UnitAttr>(value))
    return false;
  Type element = getElementTypeOrSelf(tensor);
  return element.isSignlessInteger() && !element.isInteger(1);
}

/// unsigned_c2
static LogicalResult verifyUnsigned(Operation *op) {
  auto source = isa<SinkOp>(op) ? op->getOperand(0).getDefiningOp<SourceOp>()
                                : cast<SourceOp>(op);
  if (!source)
    return success();
  for (Operation *user : source->getUsers())
    if (isa<SinkOp>(user) && isUnsigned(user) != isUnsigned(source))
      return op->emitOpError()
             << "hands the " << (isUnsigned(source) ? "unsigned" : "signed")
             << " integers of a source out as "
             << (isUnsigned(user) ? "unsigned" : "signed") << " ones";
  return success();
}

static bool areUnreadInputs(Operation *op, Attribute value) {
  return isa<GraphOp>(op) && index::isListOf<StringAttr>(value);
}

static bool areRewrites(Operation *op, Attribute value) {
  return isa<GraphOp>(op) && index::isListOf<ArrayAttr>(value) &&
         llvm::all_of(cast<ArrayAttr>(value), index::isListOf<StringAttr>);
}

static bool isVertexName(Operation *, Attribute value) {
  return isa<StringAttr>(value);
}

static bool isMark(Operation *, Attribute value) {
  return isa<UnitAttr>(value);
}

static bool isMadeMark(Operation *op, Attribute value) {
  return isa<EinsumOp, SelectorInterface>(op) && isa<UnitAttr>(value);
}

static bool isDeviceMark(Operation *op, Attribute value) {
  return isa<FunctionOpInterface, CallOpInterface>(op) && isa<UnitAttr>(value);
}

static bool isWork(Operation *op, Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return isa<FunctionOpInterface>(op) && number &&
         number.getType().isInteger(64) && number.getInt() >= 0;
}

static constexpr index::OwnAttribute ownAttributes[] = {
    // tapestry_c1
    {constraintsAttrName,
     "lists constraints on an operator or a "
     "sink",
     areConstraints},
    // tapestry_c3
    {layoutGroupAttrName, "names the layout group of an operator",
     isLayoutGroup},
    // tapestry_c4
    {unreadInputsAttrName, "lists names of inputs on a graph", areUnreadInputs},
    // unsigned_c1
    {unsignedAttrName, "is a unit attribute of sources and sinks of integers",
     isUnsignedMark},
    // tapestry_c5
    {"tapestry.rewrites", "lists rewrites, each a list of words, on a graph",
     areRewrites},
    {madeAttrName, "is a unit attribute of einsums and selectors", isMadeMark},
    {"tapestry.vertex", "is a string, the name of the vertex that an op is of",
     isVertexName},
    {"tapestry.device", "is a unit attribute of functions and calls",
     isDeviceMark},
    {"tapestry.host", "is a unit attribute", isMark},
    {"tapestry.kernel", "is a unit attribute", isMark},
    {"tapestry.rim", "is a unit attribute", isMark},
    {"tapestry.joined", "is a unit attribute", isMark},
    {"tapestry.parallel", "is a unit attribute", isMark},
    {"tapestry.work", "is a 64-bit number of nanoseconds of a function",
     isWork},
    {"tapestry.tail_mask", "is a unit attribute", isMark},
};

LogicalResult
TapestryDialect::verifyOperationAttribute(Operation *op,
                                          NamedAttribute attribute) {
  if (failed(index::verifyOwnAttribute(op, attribute, ownAttributes)))
    return failure();
  // What holds others looks at what is asked of it once it knows them.
  if (isa<FusedOp, ShardOp>(op))
    return success();
  if (attribute.getName() == constraintsAttrName)
    return verifyConstraints(op, cast<ArrayAttr>(attribute.getValue()));
  if (attribute.getName() == unsignedAttrName)
    return verifyUnsigned(op);
  return success();
}

static bool areExtents(Operation *, Attribute value) {
  return isa<DenseI64ArrayAttr>(value);
}

/// Names of sources and sinks, and what kernels are given.
static constexpr index::OwnAttribute signatureAttributes[] = {
    {nameAttrName, "is a string", isVertexName},
    {"tapestry.extents", "is an array of 64-bit integers", areExtents}};

LogicalResult
TapestryDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                          NamedAttribute attribute) {
  return index::verifyOwnAttribute(op, attribute, signatureAttributes);
}

LogicalResult
TapestryDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                             NamedAttribute attribute) {
  return index::verifyOwnAttribute(op, attribute, signatureAttributes);
}
