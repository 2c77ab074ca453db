//===- TapestryBytecode.cpp - Attributes of tapestry in bytecode ----------===//

#include "mlir/IR/Builders.h"
#include "tapestry/Dialect/Index/IR/BytecodeFields.h"
#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAttrs.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryDialect.h"

namespace tapestry::teg {

static constexpr auto membersOf(const KernelTensor *) {
  return std::tuple(&KernelTensor::name, &KernelTensor::element,
                    &KernelTensor::projection, &KernelTensor::monoid);
}
static constexpr auto membersOf(const KernelParam *) {
  return std::tuple(&KernelParam::name, &KernelParam::element);
}
static constexpr auto membersOf(const KernelCost *) {
  return std::tuple(&KernelCost::label, &KernelCost::resource,
                    &KernelCost::amount);
}
static constexpr auto membersOf(const Kernel *) {
  return std::tuple(&Kernel::symbol, &Kernel::labels, &Kernel::inputs,
                    &Kernel::outputs, &Kernel::params, &Kernel::costs);
}

} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

/// What the content of an attribute begins with.
enum AttributeCode : uint64_t {
  ConstraintCode = 0,
  KernelCode = 1,
  FileCode = 2,
  GeneratorCode = 3
};

enum ConstraintFlag : unsigned { Home = 1, Hard = 2, Closed = 4 };

class TapestryBytecode : public index::BytecodeVersion {
public:
  using BytecodeVersion::BytecodeVersion;

  Attribute readAttribute(DialectBytecodeReader &reader) const override;
  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &writer) const override;
};

} // namespace

/// Reads one label with the axes that cut it or, without them, its parts.
static bool readCut(DialectBytecodeReader &reader,
                    llvm::SmallVectorImpl<NamedAttribute> &cuts) {
  index::FieldReader fields(reader);
  Builder builder(reader.getContext());
  std::string label;
  llvm::SmallVector<std::string, 2> axes;
  int64_t parts = 0;
  if (!fields.read(label) || !fields.read(axes) ||
      (axes.empty() && !fields.read(parts)))
    return false;
  if (label.empty()) {
    reader.emitError() << "a constraint names a label of no characters";
    return false;
  }
  llvm::SmallVector<StringRef> names(axes.begin(), axes.end());
  cuts.emplace_back(builder.getStringAttr(label),
                    axes.empty() ? Attribute(builder.getI64IntegerAttr(parts))
                                 : builder.getStrArrayAttr(names));
  return true;
}

/// A generator: 0 or the kind of random numbers and one, and their seed.
static Attribute readGenerator(DialectBytecodeReader &reader) {
  index::FieldReader fields(reader);
  unsigned kind;
  int64_t seed;
  if (!fields.read(kind) || !fields.read(seed))
    return {};
  auto random = kind == 0 ? std::nullopt : index::symbolizeRandomKind(kind - 1);
  if (kind != 0 && !random) {
    reader.emitError() << "no random numbers have the code " << kind;
    return {};
  }
  return GeneratorAttr::get(reader.getContext(), random, random ? seed : 0);
}

Attribute TapestryBytecode::readAttribute(DialectBytecodeReader &reader) const {
  std::optional<uint64_t> code = readCode(reader);
  if (!code)
    return {};
  index::FieldReader fields(reader);
  if (*code == KernelCode) {
    Kernel kernel;
    return fields.read(kernel) ? fields.make<KernelAttr>(kernel) : KernelAttr();
  }
  if (*code == FileCode) {
    std::string path;
    return fields.read(path) ? fields.make<FileAttr>(StringRef(path))
                             : FileAttr();
  }
  if (*code == GeneratorCode)
    return readGenerator(reader);
  if (*code != ConstraintCode) {
    reader.emitError() << "no attribute of the dialect '"
                       << getDialect()->getNamespace() << "' has the code "
                       << *code;
    return {};
  }
  unsigned flags;
  if (!fields.read(flags))
    return {};
  FailureOr<llvm::APFloat> weight =
      reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
  uint64_t count;
  if (failed(weight) || failed(reader.readVarInt(count)))
    return {};
  Builder builder(reader.getContext());
  llvm::SmallVector<NamedAttribute> cuts;
  for (uint64_t i = 0; i < count; ++i)
    if (!readCut(reader, cuts))
      return {};
  if (auto twice = DictionaryAttr::findDuplicate(cuts, /*isSorted=*/false)) {
    reader.emitError() << "a constraint names label " << twice->getName()
                       << " twice";
    return {};
  }
  return fields.make<ConstraintAttr>(
      (flags & Home) != 0, (flags & Hard) != 0,
      FloatAttr::get(builder.getF64Type(), *weight),
      builder.getDictionaryAttr(cuts), (flags & Closed) != 0);
}

LogicalResult
TapestryBytecode::writeAttribute(Attribute attr,
                                 DialectBytecodeWriter &writer) const {
  if (auto kernel = dyn_cast<KernelAttr>(attr)) {
    if (isTextAlone(writer))
      return failure();
    writer.writeVarInt(KernelCode);
    index::FieldWriter(writer).write(kernel.getKernel());
    return success();
  }
  if (auto file = dyn_cast<FileAttr>(attr)) {
    if (isTextAlone(writer))
      return failure();
    writer.writeVarInt(FileCode);
    writer.writeOwnedString(file.getPath());
    return success();
  }
  if (auto generator = dyn_cast<GeneratorAttr>(attr)) {
    if (isTextAlone(writer))
      return failure();
    writer.writeVarInt(GeneratorCode);
    auto random = generator.getRandom();
    writer.writeVarInt(random ? static_cast<unsigned>(*random) + 1 : 0);
    writer.writeSignedVarInt(generator.getSeed());
    return success();
  }
  auto constraint = dyn_cast<ConstraintAttr>(attr);
  // Numbers of parts and names of other types than usual stay text.
  if (!constraint || isTextAlone(writer) ||
      ConstraintAttr::get(attr.getContext(), constraint.getConstraint(""),
                          constraint.getIsHome()) != constraint)
    return failure();
  writer.writeVarInt(ConstraintCode);
  writer.writeVarInt((constraint.getIsHome() ? Home : 0) |
                     (constraint.getIsHard() ? Hard : 0) |
                     (constraint.getIsClosed() ? Closed : 0));
  writer.writeAPFloatWithKnownSemantics(constraint.getWeight().getValue());
  writer.writeList(constraint.getCuts(), [&](NamedAttribute entry) {
    writer.writeOwnedString(entry.getName().getValue());
    auto axes = dyn_cast<ArrayAttr>(entry.getValue());
    writer.writeVarInt(axes ? axes.size() : 0);
    if (!axes)
      return writer.writeSignedVarInt(
          cast<IntegerAttr>(entry.getValue()).getInt());
    for (auto axis : axes.getAsRange<StringAttr>())
      writer.writeOwnedString(axis.getValue());
  });
  return success();
}

void TapestryDialect::registerBytecode() { addInterfaces<TapestryBytecode>(); }
