//===- EinsumSyntax.cpp - Text form of tapestry.einsum --------------------===//
//
//   tapestry.einsum "C" [i = 97, k = 41] (%A[i, 2 * k] pad 0.0 : f32) -> [i]
//     reduce add partition #p home #h home_route [#r] operand_routes [[], []]
//     attributes {...} { body }
//     combine { combiner } identity 1 : i32 : (operand types) -> result type
//
//===----------------------------------------------------------------------===//

#include "Placement.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

namespace {
class EinsumParser {
public:
  EinsumParser(OpAsmParser &parser, OperationState &state)
      : parser(parser), state(state), builder(parser.getBuilder()),
        properties(state.getOrAddProperties<EinsumOp::Properties>()) {}

  ParseResult parse();

private:
  ParseResult parseLabels();
  ParseResult parseSubscripts();
  ParseResult parseOperand();
  ParseResult parseClauses();
  ParseResult parseAttributes();
  ParseResult parseCombiner();
  ParseResult parseTypes();

  OpAsmParser &parser;
  OperationState &state;
  Builder &builder;
  EinsumOp::Properties &properties;

  llvm::SmallVector<std::pair<StringRef, AffineExpr>> labels;
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<AffineMap> maps;
  llvm::SmallVector<Attribute> pads;
};
} // namespace

/// `[` (label `=` extent),* `]`
ParseResult EinsumParser::parseLabels() {
  llvm::SmallVector<int64_t> extents;
  auto parseLabel = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual() ||
        parser.parseInteger(extents.emplace_back()))
      return failure();
    // Subscripts could not tell the two apart: einsum_c1.
    for (const auto &[other, expr] : labels)
      if (other == name)
        return parser.emitError(loc, "label '") << name << "' occurs twice";
    labels.emplace_back(name, builder.getAffineDimExpr(labels.size()));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseLabel))
    return failure();
  llvm::SmallVector<StringRef> names(llvm::make_first_range(labels));
  properties.labels = builder.getStrArrayAttr(names);
  properties.extents = builder.getDenseI64ArrayAttr(extents);
  return success();
}

/// `[` (affine expression of labels),* `]`
ParseResult EinsumParser::parseSubscripts() {
  llvm::SmallVector<AffineExpr> exprs;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
        return parser.parseAffineExpr(labels, exprs.emplace_back());
      }))
    return failure();
  maps.push_back(AffineMap::get(labels.size(), 0, exprs, builder.getContext()));
  return success();
}

/// %value subscripts (`pad` constant | fold)?
ParseResult EinsumParser::parseOperand() {
  if (parser.parseOperand(operands.emplace_back()) || parseSubscripts())
    return failure();
  Attribute &pad = pads.emplace_back(builder.getUnitAttr());
  if (succeeded(parser.parseOptionalKeyword("pad")))
    return parser.parseAttribute(pad);
  for (Fold fold : {Fold::Edge, Fold::Reflect, Fold::Symmetric})
    if (succeeded(parser.parseOptionalKeyword(stringifyFold(fold))))
      pad = builder.getStringAttr(stringifyFold(fold));
  return success();
}

/// (`reduce` monoid)? (`partition` attr)? (`home` attr)?
/// (`home_route` attr)? (`operand_routes` attr)?
ParseResult EinsumParser::parseClauses() {
  Monoid monoid = Monoid::None;
  if (succeeded(parser.parseOptionalKeyword("reduce"))) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<Monoid> parsed = symbolizeMonoid(name);
    if (!parsed || *parsed == Monoid::None)
      return parser.emitError(loc, "expected add, mul, max, min, and, or, xor "
                                   "or custom, got '")
             << name << "'";
    monoid = *parsed;
  }
  properties.monoid = MonoidAttr::get(builder.getContext(), monoid);
  if (parsePlacement(parser, properties.partition, properties.home))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("home_route")) &&
      parser.parseAttribute(properties.home_route))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("operand_routes")))
    return parser.parseAttribute(properties.operand_routes);
  return success();
}

/// (`attributes` dictionary)? of discardable attributes.
ParseResult EinsumParser::parseAttributes() {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  for (StringRef name : EinsumOp::getAttributeNames())
    if (state.attributes.get(name))
      return parser.emitError(loc, "'")
             << name << "' is written in the einsum's own syntax";
  return success();
}

/// (`combine` region `identity` constant)?
ParseResult EinsumParser::parseCombiner() {
  Region *combiner = state.addRegion();
  if (failed(parser.parseOptionalKeyword("combine")))
    return success();
  return failure(parser.parseRegion(*combiner) ||
                 parser.parseKeyword("identity") ||
                 parser.parseAttribute(properties.custom_identity));
}

ParseResult EinsumParser::parseTypes() {
  SMLoc loc = parser.getCurrentLocation();
  FunctionType type;
  if (parser.parseColonType(type))
    return failure();
  if (type.getNumResults() != 1)
    return parser.emitError(loc, "expected 1 result type, got ")
           << type.getNumResults();
  state.addTypes(type.getResults());
  return parser.resolveOperands(operands, type.getInputs(), loc,
                                state.operands);
}

ParseResult EinsumParser::parse() {
  if (parser.parseAttribute(properties.name) || parseLabels() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     [&]() { return parseOperand(); }) ||
      parser.parseArrow() || parseSubscripts() || parseClauses() ||
      parseAttributes() || parser.parseRegion(*state.addRegion()) ||
      parseCombiner() || parseTypes())
    return failure();
  properties.indexing_maps = builder.getAffineMapArrayAttr(maps);
  properties.pads = builder.getArrayAttr(pads);
  return success();
}

ParseResult EinsumOp::parse(OpAsmParser &parser, OperationState &state) {
  return EinsumParser(parser, state).parse();
}

//===----------------------------------------------------------------------===//
// Printer
//===----------------------------------------------------------------------===//

/// Prints subscripts in the names of the labels.
static void printSubscripts(OpAsmPrinter &printer, EinsumOp op, AffineMap map) {
  raw_ostream &os = printer.getStream();
  FailureOr<Projection> projection = index::getSubscripts(map);
  assert(succeeded(projection) && "the verifier refuses other subscripts");
  auto labels = op.getLabels();
  os << '[';
  llvm::interleaveComma(projection->dims, os, [&](const ProjectionDim &dim) {
    index::printSubscript(os, dim, [&](unsigned label) {
      os << cast<StringAttr>(labels[label]).getValue();
    });
  });
  os << ']';
}

void EinsumOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getNameAttr() << " [";
  llvm::interleaveComma(
      llvm::zip_equal(getLabels().getAsValueRange<StringAttr>(), getExtents()),
      printer, [&](auto label) {
        printer << std::get<0>(label) << " = " << std::get<1>(label);
      });
  printer << ']';
  printer << " (";
  llvm::interleaveComma(
      llvm::enumerate(getInputs()), printer, [&](auto operand) {
        printer << operand.value();
        printSubscripts(printer, *this, getOperandMap(operand.index()));
        if (TypedAttr pad = getPad(operand.index()))
          printer << " pad " << pad;
        else if (std::optional<Fold> fold = getFold(operand.index()))
          printer << ' ' << stringifyFold(*fold);
      });
  printer << ") -> ";
  printSubscripts(printer, *this, getResultMap());
  if (getMonoid() != Monoid::None)
    printer << " reduce " << stringifyMonoid(getMonoid());
  printPlacement(printer, *this, getPartitionAttr(), getHomeAttr());
  if (getHomeRouteAttr())
    printer << " home_route " << getHomeRouteAttr();
  if (getOperandRoutesAttr())
    printer << " operand_routes " << getOperandRoutesAttr();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  printer << ' ';
  printer.printRegion(getBody());
  if (getMonoid() == Monoid::Custom) {
    printer << " combine ";
    printer.printRegion(getCombiner());
    printer << " identity " << getCustomIdentityAttr();
  }
  printer << " : ";
  printer.printFunctionalType(getInputs().getTypes(),
                              (*this)->getResultTypes());
}
