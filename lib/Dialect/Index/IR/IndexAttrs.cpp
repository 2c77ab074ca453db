//===- IndexAttrs.cpp - Attributes of tapestry_index ----------------------===//

#include "tapestry/Dialect/Index/IR/IndexAttrs.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::index;

#define GET_ATTRDEF_CLASSES
#include "tapestry/Dialect/Index/IR/IndexAttrs.cpp.inc"

void TapestryIndexDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tapestry/Dialect/Index/IR/IndexAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Hashes of the plain structs
//===----------------------------------------------------------------------===//

llvm::hash_code tapestry::hash_value(const DeviceGrid &grid) {
  llvm::hash_code hash = llvm::hash_value(grid.axes.size());
  for (const DeviceGrid::Axis &axis : grid.axes)
    hash = llvm::hash_combine(hash, axis.name, axis.size);
  return hash;
}

llvm::hash_code tapestry::hash_value(const Projection &projection) {
  llvm::hash_code hash = llvm::hash_value(projection.dims.size());
  for (const ProjectionDim &dim : projection.dims) {
    hash = llvm::hash_combine(hash, dim.constant, dim.size, dim.stride,
                              dim.floordiv, dim.mod, dim.fold);
    for (const AffineTerm &term : dim.terms)
      hash = llvm::hash_combine(hash, term.dim, term.coefficient);
  }
  return hash;
}

static llvm::hash_code hashCut(llvm::ArrayRef<unsigned> cut) {
  return llvm::hash_combine_range(cut.begin(), cut.end());
}

llvm::hash_code tapestry::hash_value(const Layout &layout) {
  llvm::hash_code hash =
      llvm::hash_combine(layout.dims.size(), hashCut(layout.partial));
  for (const LayoutDim &dim : layout.dims) {
    hash = llvm::hash_combine(hash, dim.extent, dim.constant, dim.span,
                              dim.floordiv, dim.mod, dim.fold, dim.arms.before,
                              dim.arms.behind);
    for (const LayoutTerm &term : dim.terms)
      hash = llvm::hash_combine(hash, term.coefficient, term.extent,
                                hashCut(term.cut), term.within.has_value());
  }
  return hash;
}

//===----------------------------------------------------------------------===//
// GridAttr: <"d.0" = 2, "d.1" = 3>
//===----------------------------------------------------------------------===//

LogicalResult
GridAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                 // The generated declaration takes a copy.
                 // NOLINTNEXTLINE(performance-unnecessary-value-param)
                 DeviceGrid grid) {
  llvm::StringSet<> names;
  int64_t devices = 1;
  for (const DeviceGrid::Axis &axis : grid.axes) {
    // grid_c1
    if (axis.size < 1)
      return emitError() << "grid axis \"" << axis.name << "\" has size "
                         << axis.size << ", expected at least 1";
    if (axis.size > maxDevices / devices)
      return emitError() << "there are more than " << maxDevices
                         << " devices at grid axis \"" << axis.name
                         << "\" of size " << axis.size;
    devices *= axis.size;
    // grid_c2
    if (axis.name.empty())
      return emitError() << "a grid axis of size " << axis.size
                         << " has an empty name";
    if (!names.insert(axis.name).second)
      return emitError() << "grid axis \"" << axis.name << "\" occurs twice";
  }
  return success();
}

Attribute GridAttr::parse(AsmParser &parser, Type) {
  DeviceGrid grid;
  auto parseAxis = [&]() -> ParseResult {
    DeviceGrid::Axis &axis = grid.axes.emplace_back();
    return failure(parser.parseString(&axis.name) || parser.parseEqual() ||
                   parser.parseInteger(axis.size));
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseAxis))
    return {};
  return parser.getChecked<GridAttr>(loc, parser.getContext(), grid);
}

void GridAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getDeviceGrid().axes, printer,
                        [&](const DeviceGrid::Axis &axis) {
                          printer.printString(axis.name);
                          printer << " = " << axis.size;
                        });
  printer << '>';
}

//===----------------------------------------------------------------------===//
// RangeAttr: <0 to 4, 2 to 5>
//===----------------------------------------------------------------------===//

RangeAttr RangeAttr::get(MLIRContext *context, llvm::ArrayRef<ZRange> box) {
  llvm::SmallVector<int64_t> bounds;
  for (const ZRange &range : box)
    bounds.append({range.lo, range.hi});
  return Base::get(context, bounds);
}

ZBox RangeAttr::getBox() const {
  ZBox box;
  for (size_t dim = 0; dim < getRank(); ++dim)
    box.push_back({getBounds()[2 * dim], getBounds()[2 * dim + 1]});
  return box;
}

Attribute RangeAttr::parse(AsmParser &parser, Type) {
  ZBox box;
  auto parseRange = [&]() -> ParseResult {
    ZRange &range = box.emplace_back();
    return failure(parser.parseInteger(range.lo) || parser.parseKeyword("to") ||
                   parser.parseInteger(range.hi));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseRange))
    return {};
  return get(parser.getContext(), box);
}

void RangeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getBox(), printer, [&](const ZRange &range) {
    printer << range.lo << " to " << range.hi;
  });
  printer << '>';
}

//===----------------------------------------------------------------------===//
// ProjectionAttr: <(d0, d1) -> (2 * d0 + d1, d1), shape = [3, 1]>
//===----------------------------------------------------------------------===//

AffineMap ProjectionAttr::getStartMap() const {
  return index::getStartMap(getProjection(), getIndexRank(), getContext());
}

LogicalResult
ProjectionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       unsigned indexRank, Projection projection) {
  for (auto [number, dim] : llvm::enumerate(projection.dims)) {
    // projection_c3
    if (dim.size < 1)
      return emitError() << "projection has shape " << dim.size
                         << " in dimension " << number
                         << ", expected at least 1";
    if (dim.stride < 1)
      return emitError() << "projection has stride " << dim.stride
                         << " in dimension " << number
                         << ", expected at least 1";
    if (dim.floordiv < 1 || dim.mod < 0)
      return emitError() << "projection has floordiv " << dim.floordiv
                         << " and " << stringifyFold(dim.fold) << " " << dim.mod
                         << " in dimension " << number
                         << ", expected at least 1 and 0";
    if (dim.mod == 0 && dim.fold != Fold::Wrap)
      return emitError() << "projection has " << stringifyFold(dim.fold)
                         << " 0 in dimension " << number
                         << ", expected at least 1";
    // projection_c4
    unsigned next = 0;
    for (const AffineTerm &term : dim.terms) {
      if (term.dim >= indexRank)
        return emitError() << "projection names index dimension " << term.dim
                           << " of an index space of rank " << indexRank;
      if (term.dim < next || term.coefficient == 0)
        return emitError() << "projection has a term of coefficient "
                           << term.coefficient << " and index dimension "
                           << term.dim << " out of order in dimension "
                           << number;
      next = term.dim + 1;
    }
  }
  return success();
}

namespace {
/// A number that every dimension of a projection has beside its linear form,
/// left out of the text where it is `neutral` in all of them.
struct DimNumber {
  StringRef name;
  int64_t ProjectionDim::*member;
  int64_t neutral;
};
} // namespace

static constexpr DimNumber dimNumbers[] = {
    {"shape", &ProjectionDim::size, 1},
    {"strides", &ProjectionDim::stride, 1},
    {"floordivs", &ProjectionDim::floordiv, 1},
    {"mods", &ProjectionDim::mod, 0}};

/// Parses `, name = [...]` entries into the numbers of `projection`.
static ParseResult parseProjectionExtras(AsmParser &parser,
                                         Projection &projection) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    const auto *entry = llvm::find_if(
        dimNumbers, [&](const DimNumber &n) { return n.name == name; });
    if (entry == std::end(dimNumbers))
      return parser.emitError(
                 loc, "expected 'shape', 'strides', 'floordivs' or 'mods', "
                      "got '")
             << name << "'";
    llvm::SmallVector<int64_t> values;
    llvm::SmallVector<Fold> folds;
    auto parseValue = [&]() -> ParseResult {
      Fold &fold = folds.emplace_back(Fold::Wrap);
      for (Fold other : {Fold::Edge, Fold::Reflect, Fold::Symmetric})
        if (entry->member == &ProjectionDim::mod &&
            succeeded(parser.parseOptionalKeyword(stringifyFold(other))))
          fold = other;
      return parser.parseInteger(values.emplace_back());
    };
    if (parser.parseEqual() || parser.parseCommaSeparatedList(
                                   AsmParser::Delimiter::Square, parseValue))
      return failure();
    // projection_c2
    if (values.size() != projection.rank())
      return parser.emitError(loc)
             << "projection has " << countOf(projection.rank(), "result")
             << " but " << values.size() << " entries in '" << name << "'";
    for (auto [dim, value, fold] :
         llvm::zip_equal(projection.dims, values, folds)) {
      dim.*entry->member = value;
      if (entry->member == &ProjectionDim::mod)
        dim.fold = fold;
    }
  }
  return success();
}

Attribute ProjectionAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  AffineMap map;
  if (parser.parseLess() || parser.parseAffineMap(map))
    return {};
  // projection_c1
  FailureOr<Projection> projection = getLinearForms(map);
  if (failed(projection) || map.getNumSymbols() != 0) {
    parser.emitError(loc, "projection is not linear in its dimensions with "
                          "constant integer coefficients");
    return {};
  }
  if (parseProjectionExtras(parser, *projection) || parser.parseGreater())
    return {};
  return parser.getChecked<ProjectionAttr>(loc, parser.getContext(),
                                           map.getNumDims(), *projection);
}

void ProjectionAttr::print(AsmPrinter &printer) const {
  raw_ostream &os = printer.getStream();
  const Projection &projection = getProjection();
  auto printDim = [&](unsigned dim) { os << 'd' << dim; };
  os << "<(";
  llvm::interleaveComma(llvm::seq<unsigned>(0, getIndexRank()), os, printDim);
  os << ") -> (";
  llvm::interleaveComma(projection.dims, os, [&](const ProjectionDim &dim) {
    printLinearForm(os, dim, printDim);
  });
  os << ')';
  for (const DimNumber &number : dimNumbers) {
    if (llvm::all_of(projection.dims, [&](const ProjectionDim &dim) {
          return dim.*number.member == number.neutral;
        }))
      continue;
    os << ", " << number.name << " = [";
    llvm::interleaveComma(projection.dims, os, [&](const ProjectionDim &dim) {
      if (number.member == &ProjectionDim::mod && dim.fold != Fold::Wrap)
        os << stringifyFold(dim.fold) << ' ';
      os << dim.*number.member;
    });
    os << ']';
  }
  os << '>';
}

//===----------------------------------------------------------------------===//
// PartitionAttr: <[["d.0"], [], ["d.1", "d.2"]]>
//===----------------------------------------------------------------------===//

PartitionAttr PartitionAttr::get(MLIRContext *context, const DeviceGrid &grid,
                                 const Partition &partition) {
  Builder builder(context);
  llvm::SmallVector<Attribute> cuts;
  for (const Cut &cut : partition.cuts) {
    llvm::SmallVector<Attribute> names;
    for (unsigned axis : cut)
      names.push_back(builder.getStringAttr(grid.axes[axis].name));
    cuts.push_back(builder.getArrayAttr(names));
  }
  return Base::get(context, builder.getArrayAttr(cuts));
}

LogicalResult
PartitionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayAttr cuts) {
  llvm::StringMap<unsigned> dimOfAxis;
  for (auto [dim, cut] : llvm::enumerate(cuts)) {
    // partition_c1
    auto names = dyn_cast<ArrayAttr>(cut);
    if (!names || !llvm::all_of(names, llvm::IsaPred<StringAttr>))
      return emitError() << "partition entry " << dim
                         << " is not a list of axis names: " << cut;
    // partition_c2
    for (auto name : names.getAsRange<StringAttr>()) {
      auto [previous, isNew] = dimOfAxis.try_emplace(name.getValue(), dim);
      if (!isNew)
        return emitError() << "axis " << name << " cuts index dimension "
                           << previous->second << " and again index dimension "
                           << dim;
    }
  }
  return success();
}

llvm::SmallVector<StringRef> PartitionAttr::getAxes(unsigned dim) const {
  return llvm::to_vector(
      cast<ArrayAttr>(getCuts()[dim]).getAsValueRange<StringAttr>());
}

bool PartitionAttr::isTrivial() const {
  return llvm::all_of(getCuts().getAsRange<ArrayAttr>(),
                      [](ArrayAttr names) { return names.empty(); });
}

FailureOr<Partition> PartitionAttr::getPartition(
    const DeviceGrid &grid,
    function_ref<InFlightDiagnostic()> emitError) const {
  Partition partition;
  for (unsigned dim = 0; dim < getRank(); ++dim) {
    Cut &cut = partition.cuts.emplace_back();
    for (StringRef name : getAxes(dim)) {
      std::optional<unsigned> axis = grid.axisNamed(name);
      if (!axis) {
        if (emitError)
          emitError() << "index dimension " << dim << " is cut over axis \""
                      << name << "\", which the grid "
                      << GridAttr::get(getContext(), grid) << " lacks";
        return failure();
      }
      cut.push_back(*axis);
    }
  }
  return partition;
}

Attribute PartitionAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  ArrayAttr cuts;
  if (parser.parseLess() || parser.parseAttribute(cuts) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<PartitionAttr>(loc, parser.getContext(), cuts);
}

void PartitionAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printAttribute(getCuts());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// MonoidAttr as a bare word
//===----------------------------------------------------------------------===//

ParseResult tapestry::parseMonoid(AsmParser &parser, MonoidAttr &monoid) {
  FailureOr<Monoid> parsed = FieldParser<Monoid>::parse(parser);
  if (failed(parsed))
    return failure();
  monoid = MonoidAttr::get(parser.getContext(), *parsed);
  return success();
}

void tapestry::printMonoid(AsmPrinter &printer, Operation *,
                           MonoidAttr monoid) {
  printer << stringifyMonoid(monoid.getValue());
}
