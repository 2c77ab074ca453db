//===- Targets.cpp - What sources come from and sinks lead to -------------===//

#include "Targets.h"
#include "PlacementRules.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Dialect/Tapestry/IR/Unsigned.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// FileAttr
//===----------------------------------------------------------------------===//

LogicalResult FileAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef path) {
  // file_c1
  if (path.empty())
    return emitError() << "the path of a file is empty";
  if (path.contains('\0'))
    return emitError() << "the path of a file has a byte of value 0";
  return success();
}

//===----------------------------------------------------------------------===//
// GeneratorAttr
//===----------------------------------------------------------------------===//

static constexpr StringLiteral iota = "iota";

/// `<` (`iota` | (`bits` | `uniform` | `normal`) `seed` integer) `>`
Attribute GeneratorAttr::parse(AsmParser &parser, Type) {
  StringRef word;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return {};
  auto random = index::symbolizeRandomKind(word);
  if (!random && word != iota) {
    parser.emitError(loc, "expected bits, uniform, normal or iota, got '")
        << word << "'";
    return {};
  }
  int64_t seed = 0;
  if ((random && (parser.parseKeyword("seed") || parser.parseInteger(seed))) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), random, seed);
}

void GeneratorAttr::print(AsmPrinter &printer) const {
  if (getRandom())
    printer << '<' << index::stringifyRandomKind(*getRandom()) << " seed "
            << getSeed() << '>';
  else
    printer << '<' << iota << '>';
}

/// The largest number up to which the type has all.
static int64_t mostCounted(Type type) {
  if (auto real = dyn_cast<FloatType>(type))
    return int64_t(1) << std::min(real.getFPMantissaWidth(), 62U);
  return type.isSignlessInteger()
             ? llvm::maxIntN(std::min(type.getIntOrFloatBitWidth(), 63U))
             : 0;
}

LogicalResult
GeneratorAttr::verifyNumbers(function_ref<InFlightDiagnostic()> emitError,
                             RankedTensorType type) {
  Type element = type.getElementType();
  if (getRandom())
    return index::verifyDrawn(*getRandom(), element, emitError);
  if (!element.isIntOrFloat())
    return emitError() << "counts in elements of type " << element
                       << ", expected integers or floats";
  int64_t last = type.getNumElements() - 1;
  if (element.isInteger(1) || last > mostCounted(element))
    return emitError() << "counts to " << last << ", but " << element
                       << " has all integers only up to "
                       << (element.isInteger(1) ? 0 : mostCounted(element));
  return success();
}

//===----------------------------------------------------------------------===//
// Their form behind `from` and `to`, where a type follows
//===----------------------------------------------------------------------===//

ParseResult teg::parseTarget(OpAsmParser &parser, Attribute &target) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  if (word == FileAttr::getMnemonic())
    target = FileAttr::parse(parser, Type());
  else if (word == GeneratorAttr::getMnemonic())
    target = GeneratorAttr::parse(parser, Type());
  else
    return parser.emitError(loc, "expected file or generator, got '")
           << word << "'";
  return success(target != nullptr);
}

void teg::printTarget(OpAsmPrinter &printer, Operation *, Attribute target) {
  if (auto file = dyn_cast<FileAttr>(target)) {
    printer << FileAttr::getMnemonic();
    file.print(printer);
  } else if (auto generator = dyn_cast<GeneratorAttr>(target)) {
    printer << GeneratorAttr::getMnemonic();
    generator.print(printer);
  }
}

//===----------------------------------------------------------------------===//
// Sources and sinks
//===----------------------------------------------------------------------===//

/// source_c4 and source_c5, sink_c2 and sink_c3
static LogicalResult verifyDevice(GraphNodeInterface node) {
  std::optional<int64_t> device = node.getNodeDevice();
  if (!device)
    return success();
  if (*device < 0)
    return node->emitOpError()
           << "is on device " << *device << ", the first is number 0";
  if (cast<RankedTensorType>(node.getNodeTensor().getType()).getRank() == 0)
    return node->emitOpError() << "is a scalar on device " << *device
                               << ", but every device holds a scalar";
  index::GridAttr grid = lookupGrid(node);
  int64_t devices = grid ? grid.getDeviceGrid().numDevices() : *device + 1;
  if (*device < devices)
    return success();
  return node->emitOpError()
         << "is on device " << *device << ", the last of the graph's "
         << countOf(devices, "device") << " is number " << devices - 1;
}

LogicalResult teg::detail::verifySourceTarget(SourceOp source) {
  // source_c3
  Attribute target = source.getTargetAttr();
  auto generator = dyn_cast_if_present<GeneratorAttr>(target);
  if (target && !generator && !isa<FileAttr>(target))
    return source.emitOpError()
           << "comes from " << target << ", expected a file or a generator";
  if (generator && failed(generator.verifyNumbers(
                       [&] { return source.emitOpError(); }, source.getType())))
    return failure();
  // source_c6
  if (generator && source.getDevice())
    return source.emitOpError()
           << "is generated on device " << *source.getDevice()
           << ", but what is generated is computed where it is read";
  return verifyDevice(cast<GraphNodeInterface>(source.getOperation()));
}

/// sink_c4
static LogicalResult verifyFollowers(SinkOp sink) {
  if (!sink.getDone())
    return success();
  for (Operation *user : sink.getDone().getUsers())
    if (!isa<SequencePointOp>(user) || user->getBlock() != sink->getBlock())
      return sink.emitOpError("is awaited by '")
             << user->getName()
             << "', expected a sequence point beside it, which others follow";
  return success();
}

LogicalResult SinkOp::verify() {
  // sink_c1
  Attribute target = getTargetAttr();
  if (target && !isa<FileAttr>(target))
    return emitOpError() << "leads to " << target << ", expected a file";
  if (failed(verifyDevice(cast<GraphNodeInterface>(getOperation()))))
    return failure();
  return verifyFollowers(*this);
}

/// The path of a source's or a sink's file, if it has one, in one spelling;
/// links are not followed.
static std::string fileOf(Attribute target) {
  auto file = dyn_cast_if_present<FileAttr>(target);
  if (!file)
    return "";
  llvm::SmallString<64> path(file.getPath());
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

/// Whether a source is given only after a sink has been handed out.
static bool follows(SourceOp source, SinkOp sink) {
  if (!sink.getDone())
    return false;
  llvm::SetVector<Value> before(source.getPoints().begin(),
                                source.getPoints().end());
  for (size_t next = 0; next < before.size(); ++next) {
    if (before[next] == sink.getDone())
      return true;
    // What is computed in a loop follows what its body reads.
    if (Operation *made = before[next].getDefiningOp())
      made->walk([&](Operation *op) {
        before.insert(op->operand_begin(), op->operand_end());
      });
  }
  return false;
}

/// The tensors of a source and a sink that share a file.
static LogicalResult verifyReadBack(SourceOp source, SinkOp sink,
                                    StringRef file) {
  if (!follows(source, sink)) {
    InFlightDiagnostic diagnostic =
        sink.emitError() << "output '" << sink.getName() << "' is written to '"
                         << file << "', as input '" << source.getName()
                         << "' is read from it";
    diagnostic.attachNote(source.getLoc())
        << "'" << source.getName() << "' is here";
    return diagnostic;
  }
  Type read = source.getType(), written = sink.getTensor().getType();
  bool isSame = isUnsigned(source) == isUnsigned(sink);
  if (read == written && isSame)
    return success();
  auto text = [&](Operation *op, Type type) {
    return (isUnsigned(op) && !isSame ? "unsigned " : "") +
           llvm::formatv("{0}", type).str();
  };
  InFlightDiagnostic diagnostic =
      source.emitError() << "input '" << source.getName() << "' reads "
                         << text(source, read) << " from '" << file
                         << "', to which output '" << sink.getName()
                         << "' before it writes " << text(sink, written);
  diagnostic.attachNote(sink.getLoc()) << "'" << sink.getName() << "' is here";
  return diagnostic;
}

LogicalResult teg::detail::verifyFiles(GraphOp graph) {
  // graph_c4
  llvm::StringMap<SmallVector<SourceOp, 1>> sources;
  for (auto source : graph.getBody().getOps<SourceOp>())
    sources[fileOf(source.getTargetAttr())].push_back(source);
  llvm::StringMap<SinkOp> sinks;
  for (auto sink : graph.getBody().getOps<SinkOp>()) {
    std::string file = fileOf(sink.getTargetAttr());
    if (file.empty())
      continue;
    auto readers = sources.find(file);
    for (SourceOp source :
         readers == sources.end() ? ArrayRef<SourceOp>() : readers->second)
      if (failed(verifyReadBack(source, sink, file)))
        return failure();
    auto [known, isNew] = sinks.try_emplace(file, sink);
    if (isNew)
      continue;
    InFlightDiagnostic diagnostic =
        sink.emitError() << "output '" << sink.getName() << "' is written to '"
                         << file << "', as output '" << known->second.getName()
                         << "' is";
    diagnostic.attachNote(known->second.getLoc())
        << "'" << known->second.getName() << "' is here";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// In bytecode
//===----------------------------------------------------------------------===//

/// Whether the file that is read, or written, is of version `first` or later.
static bool isOf(DialectBytecodeReader &reader, uint64_t first) {
  return index::BytecodeVersion::isRead(
      reader, TapestryDialect::getDialectNamespace(), first);
}
static bool isOf(DialectBytecodeWriter &writer, uint64_t first) {
  return index::BytecodeVersion::isWritten(
      writer, TapestryDialect::getDialectNamespace(), first);
}

static LogicalResult readTarget(DialectBytecodeReader &reader,
                                Attribute &target, IntegerAttr &device) {
  if (isOf(reader, index::BytecodeVersion::firstTargeted) &&
      failed(reader.readOptionalAttribute(target)))
    return failure();
  return isOf(reader, index::BytecodeVersion::firstPinned)
             ? reader.readOptionalAttribute(device)
             : success();
}

static void writeTarget(DialectBytecodeWriter &writer, Attribute target,
                        IntegerAttr device) {
  if (isOf(writer, index::BytecodeVersion::firstTargeted))
    writer.writeOptionalAttribute(target);
  if (isOf(writer, index::BytecodeVersion::firstPinned))
    writer.writeOptionalAttribute(device);
}

LogicalResult SourceOp::readProperties(DialectBytecodeReader &reader,
                                       OperationState &state) {
  auto &p = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(p.home)) ||
      failed(reader.readAttribute(p.name)) ||
      failed(reader.readOptionalAttribute(p.partition)))
    return failure();
  return readTarget(reader, p.target, p.device);
}

void SourceOp::writeProperties(DialectBytecodeWriter &writer) {
  auto &p = getProperties();
  writer.writeOptionalAttribute(p.home);
  writer.writeAttribute(p.name);
  writer.writeOptionalAttribute(p.partition);
  writeTarget(writer, p.target, p.device);
}

LogicalResult SinkOp::readProperties(DialectBytecodeReader &reader,
                                     OperationState &state) {
  auto &p = state.getOrAddProperties<Properties>();
  return failed(reader.readAttribute(p.name))
             ? failure()
             : readTarget(reader, p.target, p.device);
}

void SinkOp::writeProperties(DialectBytecodeWriter &writer) {
  auto &p = getProperties();
  writer.writeAttribute(p.name);
  writeTarget(writer, p.target, p.device);
}
