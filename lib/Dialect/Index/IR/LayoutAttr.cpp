//===- LayoutAttr.cpp - Text form and rules of #tapestry_index.layout -----===//

#include "mlir/IR/DialectImplementation.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Reach.h"
#include <cstdlib>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::index;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Whether the numbers of one dimension leave room for the arithmetic on them:
/// extents, and how far the image may reach, are below 2^62.
static bool isWithinReach(const LayoutDim &dim) {
  constexpr int64_t limit = Reach::limit;
  auto isBelow = [&](int64_t value) { return -limit < value && value < limit; };
  Reach reach(dim.span);
  reach.add(dim.constant);
  for (const LayoutTerm &term : dim.terms) {
    // A label of extent 0 reaches nowhere by any coefficient.
    if (term.extent >= limit || !isBelow(term.coefficient))
      return false;
    if (term.within && (!isBelow(term.within->lo) || !isBelow(term.within->hi)))
      return false;
    reach.add(term.coefficient, term.extent);
  }
  return dim.extent < limit && dim.floordiv < limit && dim.mod < limit &&
         reach.isWithin();
}

/// Checks the numbers of one dimension; layout_c1 and layout_c2.
static LogicalResult verifyDim(function_ref<InFlightDiagnostic()> emitError,
                               const DeviceGrid &grid, unsigned number,
                               const LayoutDim &dim) {
  if (dim.extent < 0)
    return emitError() << "layout dimension " << number << " has extent "
                       << dim.extent << ", expected at least 0";
  if (dim.span < 1)
    return emitError() << "layout dimension " << number << " has span "
                       << dim.span << ", expected at least 1";
  if (dim.arms.before < 0 || dim.arms.behind < 0 ||
      dim.arms.before >= dim.span - dim.arms.behind)
    return emitError() << "layout dimension " << number << " has span "
                       << dim.span << " and arms of " << dim.arms.before
                       << " and " << dim.arms.behind
                       << ", expected a point between them";
  if (dim.floordiv < 1 || dim.mod < 0)
    return emitError() << "layout dimension " << number << " has floordiv "
                       << dim.floordiv << " and " << stringifyFold(dim.fold)
                       << " " << dim.mod << ", expected at least 1 and 0";
  if (dim.mod == 0 && dim.fold != Fold::Wrap)
    return emitError() << "layout dimension " << number << " has "
                       << stringifyFold(dim.fold) << " 0, expected at least 1";
  for (const LayoutTerm &term : dim.terms) {
    if (term.within && (term.within->lo < 0 || term.within->hi > term.extent))
      return emitError() << "layout dimension " << number << " looks at ["
                         << term.within->lo << ", " << term.within->hi
                         << ") of a label of extent " << term.extent;
    if (term.coefficient == 0 && !term.within)
      return emitError() << "layout dimension " << number
                         << " has a term of coefficient 0";
    if (term.extent < 0)
      return emitError() << "layout dimension " << number
                         << " has a label of extent " << term.extent
                         << ", expected at least 0";
    for (unsigned axis : term.cut)
      if (axis >= grid.axes.size())
        return emitError() << "layout dimension " << number
                           << " is cut over axis number " << axis
                           << " of a grid of "
                           << countOf(grid.axes.size(), "axis");
  }
  if (!isWithinReach(dim))
    return emitError() << "layout dimension " << number << " of extent "
                       << dim.extent << " reaches 2^62 or more";
  return success();
}

/// Checks that every axis stands for one label; layout_c3.
static LogicalResult
verifyAxesOnce(function_ref<InFlightDiagnostic()> emitError,
               const DeviceGrid &grid, const Layout &layout) {
  llvm::SmallVector<const LayoutTerm *> userOf(grid.axes.size());
  llvm::SmallVector<unsigned> dimOf(grid.axes.size());
  for (auto [number, dim] : llvm::enumerate(layout.dims)) {
    for (const LayoutTerm &term : dim.terms) {
      for (auto [position, axis] : llvm::enumerate(term.cut)) {
        const LayoutTerm *user = userOf[axis];
        bool twice = llvm::is_contained(
            llvm::ArrayRef(term.cut).take_front(position), axis);
        bool sameLabel =
            !user || (user->extent == term.extent && user->cut == term.cut);
        if (twice || !sameLabel)
          return emitError() << "axis \"" << grid.axes[axis].name
                             << "\" cuts layout dimension "
                             << (twice ? number : dimOf[axis])
                             << " and again layout dimension " << number;
      }
      for (unsigned axis : term.cut) {
        userOf[axis] = &term;
        dimOf[axis] = number;
      }
    }
  }
  return success();
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 GridAttr gridAttr, Layout layout) {
  const DeviceGrid &grid = gridAttr.getDeviceGrid();
  for (auto [number, dim] : llvm::enumerate(layout.dims))
    if (failed(verifyDim(emitError, grid, number, dim)))
      return failure();
  if (failed(verifyAxesOnce(emitError, grid, layout)))
    return failure();
  // layout_c4
  Cut used = layout.usedAxes();
  for (auto [position, axis] : llvm::enumerate(layout.partial)) {
    if (axis >= grid.axes.size())
      return emitError() << "layout is partial over axis number " << axis
                         << " of a grid of "
                         << countOf(grid.axes.size(), "axis");
    if (llvm::is_contained(used, axis))
      return emitError() << "axis \"" << grid.axes[axis].name
                         << "\" is partial and cuts a dimension";
    if (llvm::is_contained(llvm::ArrayRef(layout.partial).take_front(position),
                           axis))
      return emitError() << "axis \"" << grid.axes[axis].name
                         << "\" is partial twice";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Parser. The grid comes last, so axes are read by name and resolved at the
// end.
//===----------------------------------------------------------------------===//

namespace {
class LayoutParser {
public:
  explicit LayoutParser(AsmParser &parser) : parser(parser) {}

  LayoutAttr parse();

private:
  ParseResult parseDim();
  ParseResult parseImage(LayoutDim &dim);
  ParseResult parseLabel(LayoutDim &dim, int64_t coefficient);
  ParseResult parseOptionalCut(Cut &cut);
  ParseResult parseAxis(Cut &cut);
  ParseResult resolve(Cut &cut, const DeviceGrid &grid);

  AsmParser &parser;
  Layout layout;
  /// Cuts hold numbers into this list until the grid is known.
  llvm::SmallVector<std::pair<std::string, SMLoc>> names;
};
} // namespace

ParseResult LayoutParser::parseAxis(Cut &cut) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  if (parser.parseString(&name))
    return failure();
  cut.push_back(names.size());
  names.emplace_back(std::move(name), loc);
  return success();
}

/// (`by` name+)?
ParseResult LayoutParser::parseOptionalCut(Cut &cut) {
  if (failed(parser.parseOptionalKeyword("by")))
    return success();
  if (parseAxis(cut))
    return failure();
  std::string name;
  SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalString(&name))) {
    cut.push_back(names.size());
    names.emplace_back(name, loc);
    loc = parser.getCurrentLocation();
  }
  return success();
}

/// extent cut (`in` lo `to` hi)? `]`, after `[`.
ParseResult LayoutParser::parseLabel(LayoutDim &dim, int64_t coefficient) {
  LayoutTerm &term = dim.terms.emplace_back();
  term.coefficient = coefficient;
  if (parser.parseInteger(term.extent) || parseOptionalCut(term.cut))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("in"))) {
    term.within.emplace();
    if (parser.parseInteger(term.within->lo) || parser.parseKeyword("to") ||
        parser.parseInteger(term.within->hi))
      return failure();
  }
  return parser.parseRSquare();
}

/// `-`? item ((`+` | `-`) item)* with the constant last, where
/// item ::= (coefficient `*`)? `[` extent cut `]` | constant
ParseResult LayoutParser::parseImage(LayoutDim &dim) {
  for (bool first = true;; first = false) {
    int64_t sign = 1;
    if (succeeded(parser.parseOptionalMinus()))
      sign = -1;
    else if (failed(parser.parseOptionalPlus()) && !first)
      return success();
    if (succeeded(parser.parseOptionalLSquare())) {
      if (parseLabel(dim, sign))
        return failure();
      continue;
    }
    int64_t value;
    if (parser.parseInteger(value))
      return failure();
    if (failed(parser.parseOptionalStar())) {
      dim.constant = sign * value;
      return success();
    }
    if (parser.parseLSquare() || parseLabel(dim, sign * value))
      return failure();
  }
}

/// extent cut |
/// extent `=` image (`floordiv` d)? (fold m)? (`span` k)? (`arms` a b)?
ParseResult LayoutParser::parseDim() {
  LayoutDim &dim = layout.dims.emplace_back();
  if (parser.parseInteger(dim.extent))
    return failure();
  if (failed(parser.parseOptionalEqual())) {
    LayoutTerm &term = dim.terms.emplace_back();
    term.extent = dim.extent;
    return parseOptionalCut(term.cut);
  }
  if (parseImage(dim))
    return failure();
  auto parseNumber = [&](StringRef keyword, int64_t &value) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    return parser.parseInteger(value);
  };
  if (parseNumber("floordiv", dim.floordiv))
    return failure();
  for (Fold fold : {Fold::Wrap, Fold::Edge, Fold::Reflect, Fold::Symmetric})
    if (succeeded(parser.parseOptionalKeyword(stringifyFold(fold)))) {
      dim.fold = fold;
      if (parser.parseInteger(dim.mod))
        return failure();
      break;
    }
  if (parseNumber("span", dim.span))
    return failure();
  if (failed(parser.parseOptionalKeyword("arms")))
    return success();
  return failure(parser.parseInteger(dim.arms.before) ||
                 parser.parseInteger(dim.arms.behind));
}

ParseResult LayoutParser::resolve(Cut &cut, const DeviceGrid &grid) {
  for (unsigned &axis : cut) {
    auto &[name, loc] = names[axis];
    std::optional<unsigned> number = grid.axisNamed(name);
    // layout_c2
    if (!number)
      return parser.emitError(loc, "axis \"")
             << name << "\" is not in the grid "
             << GridAttr::get(parser.getContext(), grid);
    axis = *number;
  }
  return success();
}

LayoutAttr LayoutParser::parse() {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&]() { return parseDim(); }))
    return {};
  if (succeeded(parser.parseOptionalKeyword("partial")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
        return parseAxis(layout.partial);
      }))
    return {};
  GridAttr grid;
  if (parser.parseKeyword("on") || parser.parseAttribute(grid) ||
      parser.parseGreater())
    return {};
  for (LayoutDim &dim : layout.dims)
    for (LayoutTerm &term : dim.terms)
      if (resolve(term.cut, grid.getDeviceGrid()))
        return {};
  if (resolve(layout.partial, grid.getDeviceGrid()))
    return {};
  return parser.getChecked<LayoutAttr>(loc, parser.getContext(), grid, layout);
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  return LayoutParser(parser).parse();
}

//===----------------------------------------------------------------------===//
// Printer
//===----------------------------------------------------------------------===//

static void printCut(AsmPrinter &printer, const DeviceGrid &grid,
                     llvm::ArrayRef<unsigned> cut) {
  if (cut.empty())
    return;
  printer << " by";
  for (unsigned axis : cut) {
    printer << ' ';
    printer.printString(grid.axes[axis].name);
  }
}

static void printDim(AsmPrinter &printer, const DeviceGrid &grid,
                     const LayoutDim &dim) {
  printer << dim.extent;
  if (dim.isPlain())
    return printCut(printer, grid, dim.cut());
  printer << " = ";
  bool first = true;
  auto printSign = [&](int64_t value) {
    if (first)
      printer << (value < 0 ? "-" : "");
    else
      printer << (value < 0 ? " - " : " + ");
    first = false;
  };
  for (const LayoutTerm &term : dim.terms) {
    printSign(term.coefficient);
    if (std::abs(term.coefficient) != 1)
      printer << std::abs(term.coefficient) << " * ";
    printer << '[' << term.extent;
    printCut(printer, grid, term.cut);
    if (term.within)
      printer << " in " << term.within->lo << " to " << term.within->hi;
    printer << ']';
  }
  if (dim.constant != 0 || first) {
    printSign(dim.constant);
    printer << std::abs(dim.constant);
  }
  if (dim.floordiv != 1)
    printer << " floordiv " << dim.floordiv;
  if (dim.mod != 0)
    printer << ' ' << stringifyFold(dim.fold) << ' ' << dim.mod;
  if (dim.span != 1)
    printer << " span " << dim.span;
  if (dim.arms.any())
    printer << " arms " << dim.arms.before << ' ' << dim.arms.behind;
}

void LayoutAttr::print(AsmPrinter &printer) const {
  const DeviceGrid &grid = getDeviceGrid();
  printer << "<[";
  llvm::interleaveComma(getLayout().dims, printer, [&](const LayoutDim &dim) {
    printDim(printer, grid, dim);
  });
  printer << ']';
  if (!getLayout().partial.empty()) {
    printer << " partial [";
    llvm::interleaveComma(getLayout().partial, printer, [&](unsigned axis) {
      printer.printString(grid.axes[axis].name);
    });
    printer << ']';
  }
  printer << " on ";
  printer.printAttribute(getGrid());
  printer << '>';
}
