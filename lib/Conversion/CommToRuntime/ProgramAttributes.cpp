//===- ProgramAttributes.cpp - Checks of the attribute comm.programs ------===//

#include "ProgramAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "tapestry-rt/ABI.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Interfaces/Monoid.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Resharding.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tapestry;

program::CollectiveNumber::CollectiveNumber(int64_t called)
    : index(called & 0xffffffff),
      part((called >> TAPESTRY_PART_SHIFT) & 0xffff),
      parts(std::max<int64_t>(called >> TAPESTRY_PARTS_SHIFT, 1)) {}

namespace {

/// Which attributes may stand under a key; `kind` says it in messages.
struct Entry {
  StringLiteral key;
  StringLiteral kind;
  bool (*fits)(Attribute);
  bool isOptional = false;
};

} // namespace

template <typename AttrT> static bool is(Attribute attr) {
  return isa<AttrT>(attr);
}

static bool isInteger(Attribute attr) {
  auto integer = dyn_cast<IntegerAttr>(attr);
  return integer && integer.getType().isSignlessInteger(64);
}

/// As many as a grid may have.
static bool isDeviceCount(Attribute attr) {
  return isInteger(attr) && cast<IntegerAttr>(attr).getInt() > 0 &&
         cast<IntegerAttr>(attr).getInt() <= maxDevices;
}

static bool isElementType(Attribute attr) {
  auto type = dyn_cast<TypeAttr>(attr);
  return type &&
         (type.getValue().isIntOrFloat() || isa<ComplexType>(type.getValue()));
}

static bool isCollective(Attribute attr) {
  auto name = dyn_cast<StringAttr>(attr);
  return name && runtimeKind(name.getValue());
}

static bool isNames(Attribute attr) {
  auto list = dyn_cast<ArrayAttr>(attr);
  return list && llvm::all_of(list, llvm::IsaPred<StringAttr>);
}

static bool isLayouts(Attribute attr) {
  auto list = dyn_cast<ArrayAttr>(attr);
  return list && !list.empty() &&
         llvm::all_of(list, llvm::IsaPred<index::LayoutAttr>);
}

static constexpr Entry programEntries[] = {
    {program::name, "a string", is<StringAttr>},
    {program::devices, "a number of devices from 1 to 1048576 as i64",
     isDeviceCount},
    {program::entry, "a symbol", is<FlatSymbolRefAttr>},
    {program::body, "a symbol", is<FlatSymbolRefAttr>},
    {program::inputs, "a list", is<ArrayAttr>},
    {program::outputs, "a list", is<ArrayAttr>},
    {program::collectives, "a list", is<ArrayAttr>},
    {program::vertices, "a list", is<ArrayAttr>},
    {program::requirements, "a list", is<ArrayAttr>},
    {program::copies, "a list", is<ArrayAttr>},
    {program::unreadInputs, "a list of strings", isNames},
    {program::peakBytes, "an array of i64", is<DenseI64ArrayAttr>}};

static constexpr Entry tensorEntries[] = {
    {program::name, "a string", is<StringAttr>},
    {program::type, "an integer, float or complex type", isElementType},
    {program::layout, "a layout", is<index::LayoutAttr>},
    {program::file, "a string", is<StringAttr>, true},
    {program::takenIn, "a unit", is<UnitAttr>, true}};

static constexpr Entry collectiveEntries[] = {
    {program::vertex, "a string", is<StringAttr>},
    {program::kind, "the name of a collective", isCollective},
    {program::type, "an integer, float or complex type", isElementType},
    {program::from, "a layout", is<index::LayoutAttr>},
    {program::to, "a layout", is<index::LayoutAttr>},
    {program::bytes, "an i64", isInteger},
    {program::rims, "a list of layouts", isLayouts, true},
    {program::combine, "a symbol", is<FlatSymbolRefAttr>, true},
    {program::monoid, "a monoid", is<index::MonoidAttr>, true}};

static constexpr Entry vertexEntries[] = {
    {program::name, "a string", is<StringAttr>},
    {program::flops, "an i64", isInteger}};

static constexpr Entry copyEntries[] = {
    {program::vertex, "a string", is<StringAttr>},
    {program::bytes, "an i64", isInteger, true}};

static constexpr Entry requirementEntries[] = {
    {program::place, "a string", is<StringAttr>},
    {program::index, "a string", is<StringAttr>},
    {program::shape, "an array of i64", is<DenseI64ArrayAttr>},
    {program::bound, "a string", is<StringAttr>},
    {program::unsignedValue, "a unit", is<UnitAttr>, true}};

/// Starts an error that says where in a module it is.
static InFlightDiagnostic emitFault(ModuleOp module) {
  return module.emitError() << '\'' << program::attribute << "' ";
}

/// The value under a key, if any, is of its kind.
static LogicalResult verifyEntry(ModuleOp module, DictionaryAttr dictionary,
                                 const Entry &entry, bool isNeeded) {
  Attribute value = dictionary.get(entry.key);
  if (!value && isNeeded)
    return emitFault(module)
           << "has the entry " << dictionary << ", which lacks '" << entry.key
           << "', " << entry.kind;
  if (value && !entry.fits(value))
    return emitFault(module) << "has '" << entry.key << "' = " << value
                             << ", expected " << entry.kind;
  return success();
}

/// `attr` is a dictionary of these entries.
static LogicalResult verifyDictionary(ModuleOp module, Attribute attr,
                                      ArrayRef<Entry> entries) {
  auto dictionary = dyn_cast<DictionaryAttr>(attr);
  if (!dictionary)
    return emitFault(module) << "holds " << attr << ", expected a dictionary";
  for (const Entry &entry : entries)
    if (failed(verifyEntry(module, dictionary, entry, !entry.isOptional)))
      return failure();
  return success();
}

/// `layout`, if there is one, is of as many devices as the program.
static LogicalResult verifyDevices(ModuleOp module, DictionaryAttr program,
                                   index::LayoutAttr layout) {
  auto devices = program.getAs<IntegerAttr>(program::devices);
  if (!devices || !layout ||
      layout.getDeviceGrid().numDevices() == devices.getInt())
    return success();
  return emitFault(module) << "has the layout " << layout << " in a program of "
                           << countOf(devices.getInt(), "device");
}

/// What planning of the move relies on; the comm dialect's rules of it.
static LogicalResult verifyMove(ModuleOp module, index::LayoutAttr from,
                                index::LayoutAttr to) {
  const Layout &source = from.getLayout(), &target = to.getLayout();
  if (from.getGrid() == to.getGrid() && source.shape() == target.shape() &&
      source.isDisjoint() && target.partial.empty())
    return success();
  return emitFault(module) << "has a collective from " << from << " to " << to
                           << ", which no collective turns into each other";
}

static LogicalResult verifyProgram(ModuleOp module, DictionaryAttr program) {
  auto listOf = [&](StringRef key) {
    auto list = program.getAs<ArrayAttr>(key);
    return list ? list.getValue() : ArrayRef<Attribute>();
  };
  for (StringRef key : {program::inputs, program::outputs})
    for (Attribute tensor : listOf(key))
      if (failed(verifyDictionary(module, tensor, tensorEntries)) ||
          failed(verifyDevices(module, program,
                               cast<DictionaryAttr>(tensor)
                                   .getAs<index::LayoutAttr>(program::layout))))
        return failure();
  for (Attribute attr : listOf(program::collectives)) {
    if (failed(verifyDictionary(module, attr, collectiveEntries)))
      return failure();
    auto collective = cast<DictionaryAttr>(attr);
    auto from = collective.getAs<index::LayoutAttr>(program::from);
    auto to = collective.getAs<index::LayoutAttr>(program::to);
    if (failed(verifyDevices(module, program, from)) ||
        failed(verifyMove(module, from, to)))
      return failure();
    if (auto rims = collective.getAs<ArrayAttr>(program::rims))
      for (auto rim : rims.getAsRange<index::LayoutAttr>())
        if (failed(verifyMove(module, from, rim)))
          return failure();
  }
  for (Attribute requirement : listOf(program::requirements))
    if (failed(verifyDictionary(module, requirement, requirementEntries)))
      return failure();
  for (Attribute copy : listOf(program::copies))
    if (failed(verifyDictionary(module, copy, copyEntries)))
      return failure();
  for (Attribute vertex : listOf(program::vertices))
    if (failed(verifyDictionary(module, vertex, vertexEntries)))
      return failure();
  return success();
}

FailureOr<SmallVector<DictionaryAttr>>
program::readAll(ModuleOp module, ArrayRef<StringLiteral> needed) {
  SmallVector<DictionaryAttr> programs;
  auto list = module->getAttrOfType<ArrayAttr>(attribute);
  if (!list)
    return programs;
  llvm::StringSet<> names;
  for (Attribute element : list) {
    if (failed(verifyDictionary(module, element, {})))
      return failure();
    auto program = cast<DictionaryAttr>(element);
    for (const Entry &entry : programEntries)
      if (failed(verifyEntry(module, program, entry,
                             llvm::is_contained(needed, entry.key))))
        return failure();
    if (failed(verifyProgram(module, program)))
      return failure();
    auto name = program.getAs<StringAttr>(program::name);
    if (name && !names.insert(name.getValue()).second)
      return emitFault(module) << "names the program " << name << " twice";
    programs.push_back(program);
  }
  return programs;
}
