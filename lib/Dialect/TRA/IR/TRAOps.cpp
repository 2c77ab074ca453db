//===- TRAOps.cpp - Text form and folds of tra operations -----------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Index/IR/Speculation.h"
#include "tapestry/Dialect/TRA/IR/TRA.h"
#include "tapestry/Support/Access.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

/// Parses and prints `[97, 53]`.
static ParseResult parseExtents(OpAsmParser &parser,
                                DenseI64ArrayAttr &extents) {
  SmallVector<int64_t> values;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(values.emplace_back());
      }))
    return failure();
  extents = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

static void printExtents(OpAsmPrinter &printer, Operation *,
                         DenseI64ArrayAttr extents) {
  printer << '[';
  llvm::interleaveComma(extents.asArrayRef(), printer);
  printer << ']';
}

#define GET_OP_CLASSES
#include "tapestry/Dialect/TRA/IR/TRAOps.cpp.inc"

Speculation::Speculatability JoinOp::getSpeculatability() {
  return index::speculatabilityOf(*this);
}

Speculation::Speculatability BlockOp::getSpeculatability() {
  return index::speculatabilityOf(*this);
}

Speculation::Speculatability AggregateOp::getSpeculatability() {
  return index::speculatabilityOf(*this);
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

OpFoldResult FromTensorOp::fold(FoldAdaptor) {
  auto tensor = getTensor().getDefiningOp<ToTensorOp>();
  if (tensor && tensor.getRelation().getType() == getType())
    return tensor.getRelation();
  return {};
}

OpFoldResult ToTensorOp::fold(FoldAdaptor) {
  if (auto relation = getRelation().getDefiningOp<FromTensorOp>())
    return relation.getTensor();
  return {};
}

OpFoldResult RepartitionOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? getSource() : Value();
}

//===----------------------------------------------------------------------===//
// Pads
//===----------------------------------------------------------------------===//

static constexpr StringLiteral elseName = "else";

Attribute tra::getElse(MLIRContext *context) {
  return StringAttr::get(context, elseName);
}

bool tra::isElse(Attribute pad) {
  auto name = dyn_cast<StringAttr>(pad);
  return name && name.getValue() == elseName;
}

/// Null for what is no constant.
static TypedAttr padAt(ArrayAttr pads, unsigned input) {
  Attribute pad = pads[input];
  return isa<StringAttr>(pad) ? TypedAttr() : dyn_cast<TypedAttr>(pad);
}

//===----------------------------------------------------------------------===//
// JoinOp: what it knows
//===----------------------------------------------------------------------===//

std::optional<unsigned> JoinOp::labelNamed(StringRef name) {
  for (auto [number, label] :
       llvm::enumerate(getLabels().getAsValueRange<StringAttr>()))
    if (label == name)
      return number;
  return std::nullopt;
}

AffineMap JoinOp::getInputMap(unsigned input) {
  return cast<AffineMapAttr>(getIndexingMaps()[input]).getValue();
}

AffineMap JoinOp::getResultMap() { return getInputMap(getInputs().size()); }

TypedAttr JoinOp::getPad(unsigned input) { return padAt(getPads(), input); }

SmallVector<std::pair<unsigned, unsigned>> JoinOp::getOperandPieces() {
  SmallVector<std::pair<unsigned, unsigned>> pieces;
  for (unsigned input = 0, e = getInputs().size(); input < e; ++input) {
    if (input > 0 && isElse(getPads()[input - 1]))
      ++pieces.back().second;
    else
      pieces.push_back({input, input + 1});
  }
  return pieces;
}

Projection JoinOp::getRead(unsigned input) {
  Projection read = *index::getSubscripts(getInputMap(input));
  unsigned first = input, last = input;
  while (first > 0 && isElse(getPads()[first - 1]))
    --first;
  while (last + 1 < getInputs().size() && isElse(getPads()[last]))
    ++last;
  std::optional<Fold> fold = index::foldOf(getPads()[last]);
  if (!fold)
    return read;
  Projection folded = read;
  foldInto(folded, getExtents(),
           cast<RelationType>(getInputs()[input].getType()).getShape(), *fold);
  for (unsigned piece = first; piece <= last; ++piece) {
    Projection other = *index::getSubscripts(getInputMap(piece));
    for (auto [dim, with, line] :
         llvm::zip_equal(folded.dims, other.dims, read.dims))
      if (with.constant != line.constant)
        dim = line;
  }
  return folded;
}

/// The range of the label that a plain dimension is read along, of `extent`
/// elements, of which all are read, no more and no less; none where there are
/// several labels, or others.
static std::optional<ZRange> rangeOfWhole(const ProjectionDim &dim,
                                          int64_t extent) {
  if (dim.terms.size() != 1 || dim.size != 1 || !dim.isLinear())
    return std::nullopt;
  int64_t coefficient = dim.terms.front().coefficient;
  int64_t first = -dim.constant, last = extent - 1 - dim.constant;
  if (first % coefficient != 0 || last % coefficient != 0)
    return std::nullopt;
  auto [least, most] = std::minmax(first / coefficient, last / coefficient);
  return ZRange{least, most + 1};
}

ZBox JoinOp::getGuard(unsigned input) {
  const Layout &layout =
      cast<RelationType>(getInputs()[input].getType()).getLayout().getLayout();
  ZBox whole = boxOfShape(getExtents());
  ZBox guard = whole;
  Partition partition = getResolvedPartition();
  Projection read = getRead(input);
  for (auto [dim, held] : llvm::zip_equal(read.dims, layout.dims)) {
    // A dimension that the guard leaves whole does not say of which points.
    if (held.isPlain())
      if (std::optional<ZRange> range = rangeOfWhole(dim, held.extent)) {
        ZRange &label = guard[dim.terms.front().dim];
        label = intersect(label, *range);
      }
    for (auto [number, term] : llvm::enumerate(held.terms)) {
      if (!term.within)
        continue;
      // Behind the terms of its subscript a dimension has those of labels that
      // no subscript names.
      std::optional<unsigned> label;
      if (number < dim.terms.size())
        label = dim.terms[number].dim;
      for (unsigned other = 0; other < guard.size() && !label; ++other)
        if (partition.cuts[other] == term.cut)
          label = other;
      if (label)
        guard[*label] = intersect(guard[*label], *term.within);
    }
  }
  return guard == whole ? ZBox() : guard;
}

SmallVector<unsigned> JoinOp::getReducedLabels() {
  return llvm::to_vector_of<unsigned>(
      getUnusedDimsBitVector(getResultMap()).set_bits());
}

Partition JoinOp::getResolvedPartition() {
  return *getPartition().getPartition(getDeviceGrid());
}

//===----------------------------------------------------------------------===//
// BlockOp
//===----------------------------------------------------------------------===//

const DeviceGrid &BlockOp::getDeviceGrid() {
  return cast<RelationType>(getResultTypes().front()).getDeviceGrid();
}

const Projection &BlockOp::getRead(unsigned input) {
  return cast<index::ProjectionAttr>(getReads()[input]).getProjection();
}

const Projection &BlockOp::getWrite(unsigned result) {
  return cast<index::ProjectionAttr>(getWrites()[result]).getProjection();
}

ZBox BlockOp::getGuard(unsigned input) {
  if (!getGuardsAttr())
    return {};
  auto guard = dyn_cast<index::RangeAttr>(getGuardsAttr()[input]);
  return guard ? guard.getBox() : ZBox();
}

TypedAttr BlockOp::getPad(unsigned input) { return padAt(getPads(), input); }

Partition BlockOp::getResolvedPartition() {
  return *getPartition().getPartition(getDeviceGrid());
}

//===----------------------------------------------------------------------===//
// JoinOp: text form
//===----------------------------------------------------------------------===//

namespace {
/// Parses the pieces of a join into its properties and operands.
class JoinParser {
public:
  JoinParser(OpAsmParser &parser, OperationState &state)
      : parser(parser), state(state),
        properties(state.getOrAddProperties<JoinOp::Properties>()) {}

  ParseResult parse();

private:
  ParseResult parseLabels();
  ParseResult parseSubscripts();
  ParseResult parseOperand();
  ParseResult parseReduction();
  ParseResult parseRegions();
  ParseResult parseTypes();

  OpAsmParser &parser;
  OperationState &state;
  JoinOp::Properties &properties;
  /// Every label's name and dimension.
  SmallVector<std::pair<StringRef, AffineExpr>> labels;
  SmallVector<AffineMap> maps;
  SmallVector<Attribute> pads;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
};
} // namespace

/// `[i = 97, k = 41]`
ParseResult JoinParser::parseLabels() {
  SmallVector<StringRef> names;
  SmallVector<int64_t> extents;
  auto parseLabel = [&]() -> ParseResult {
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual() ||
        parser.parseInteger(extents.emplace_back()))
      return failure();
    labels.push_back(
        {name, parser.getBuilder().getAffineDimExpr(names.size())});
    names.push_back(name);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseLabel))
    return failure();
  properties.labels = parser.getBuilder().getStrArrayAttr(names);
  properties.extents = parser.getBuilder().getDenseI64ArrayAttr(extents);
  return success();
}

/// `[2 * y + r - 1, i]`
ParseResult JoinParser::parseSubscripts() {
  SmallVector<AffineExpr> subscripts;
  auto parseSubscript = [&]() {
    return parser.parseAffineExpr(labels, subscripts.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseSubscript))
    return failure();
  AffineMap map = AffineMap::get(labels.size(), /*symbolCount=*/0, subscripts,
                                 parser.getContext());
  // One form for all ways to write a subscript; what is none is left to the
  // verifier.
  FailureOr<Projection> projection = index::getSubscripts(map);
  if (succeeded(projection))
    map = index::getStartMap(*projection, labels.size(), parser.getContext());
  maps.push_back(map);
  return success();
}

/// `%x[2 * y + r - 1] pad 0.0 : f32`, `%x[i - 1] edge` or
/// `%x[i + 1] else %y[i - 7]`
ParseResult JoinParser::parseOperand() {
  for (;;) {
    if (parser.parseOperand(operands.emplace_back()) || parseSubscripts())
      return failure();
    Attribute &pad = pads.emplace_back(parser.getBuilder().getUnitAttr());
    if (succeeded(parser.parseOptionalKeyword("pad")))
      return parser.parseAttribute(pad);
    for (Fold fold : {Fold::Edge, Fold::Reflect, Fold::Symmetric})
      if (succeeded(parser.parseOptionalKeyword(stringifyFold(fold)))) {
        pad = parser.getBuilder().getStringAttr(stringifyFold(fold));
        return success();
      }
    if (failed(parser.parseOptionalKeyword("else")))
      return success();
    pad = getElse(parser.getContext());
  }
}

/// `reduce custom identity 0.0 : f32`, or nothing.
ParseResult JoinParser::parseReduction() {
  properties.monoid = MonoidAttr::get(parser.getContext(), Monoid::None);
  if (succeeded(parser.parseOptionalKeyword("reduce")) &&
      parseMonoid(parser, properties.monoid))
    return failure();
  if (failed(parser.parseOptionalKeyword("identity")))
    return success();
  return parser.parseAttribute(properties.identity);
}

ParseResult JoinParser::parseRegions() {
  if (parser.parseRegion(*state.addRegion()))
    return failure();
  Region *combine = state.addRegion();
  if (failed(parser.parseOptionalKeyword("combine")))
    return success();
  return parser.parseRegion(*combine);
}

/// `: (!a, !b) -> !c`
ParseResult JoinParser::parseTypes() {
  SMLoc loc = parser.getCurrentLocation();
  FunctionType type;
  if (parser.parseColonType(type))
    return failure();
  if (type.getNumResults() != 1)
    return parser.emitError(loc)
           << "a join has 1 result, not " << type.getNumResults();
  state.addTypes(type.getResults());
  return parser.resolveOperands(operands, type.getInputs(), loc,
                                state.operands);
}

ParseResult JoinParser::parse() {
  if (parser.parseAttribute(properties.vertex) || parseLabels() ||
      parser.parseKeyword("by") ||
      parser.parseAttribute(properties.partition) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     [&] { return parseOperand(); }) ||
      parser.parseArrow() || parseSubscripts() || parseReduction() ||
      parseRegions() || parser.parseOptionalAttrDict(state.attributes))
    return failure();
  properties.indexing_maps = parser.getBuilder().getAffineMapArrayAttr(maps);
  properties.pads = parser.getBuilder().getArrayAttr(pads);
  return parseTypes();
}

ParseResult JoinOp::parse(OpAsmParser &parser, OperationState &result) {
  return JoinParser(parser, result).parse();
}

static void printSubscripts(OpAsmPrinter &printer, JoinOp op, AffineMap map) {
  auto printLabel = [&](unsigned dim) {
    printer << cast<StringAttr>(op.getLabels()[dim]).getValue();
  };
  printer << '[';
  llvm::interleaveComma(map.getResults(), printer, [&](AffineExpr expr) {
    FailureOr<ProjectionDim> form = index::getSubscript(expr);
    if (succeeded(form))
      index::printSubscript(printer.getStream(), *form, printLabel);
    else // Only in operations that do not verify.
      expr.print(printer.getStream());
  });
  printer << ']';
}

void JoinOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getVertexAttr() << " [";
  llvm::interleaveComma(
      llvm::zip(getLabels().getAsValueRange<StringAttr>(), getExtents()),
      printer, [&](auto label) {
        printer << std::get<0>(label) << " = " << std::get<1>(label);
      });
  printer << "] by " << getPartition() << " (";
  for (auto [number, input] : llvm::enumerate(getInputs())) {
    bool isPiece = number > 0 && isElse(getPads()[number - 1]);
    printer << (isPiece ? " else " : number > 0 ? ", " : "") << input;
    printSubscripts(printer, *this, getInputMap(number));
    if (TypedAttr pad = getPad(number))
      printer << " pad " << pad;
    else if (std::optional<Fold> fold = index::foldOf(getPads()[number]))
      printer << ' ' << stringifyFold(*fold);
  }
  printer << ") -> ";
  printSubscripts(printer, *this, getResultMap());
  if (getMonoid() != Monoid::None)
    printer << " reduce " << stringifyMonoid(getMonoid());
  if (getIdentityAttr())
    printer << " identity " << getIdentityAttr();
  printer << ' ';
  printer.printRegion(getKernel());
  if (!getCombine().empty()) {
    printer << " combine ";
    printer.printRegion(getCombine());
  }
  SmallVector<StringRef> inherent(getAttributeNames());
  printer.printOptionalAttrDict((*this)->getAttrs(), inherent);
  printer << " : ";
  printer.printFunctionalType(*this);
}
