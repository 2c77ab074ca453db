//===- IndexBytecode.cpp - Attributes of tapestry_index in bytecode -------===//

#include "mlir/IR/Builders.h"
#include "tapestry/Dialect/Index/IR/BytecodeFields.h"
#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::index;

namespace {

/// What an attribute's content begins with. The numbers stand in files.
enum class Code : uint8_t {
  Grid = 0,
  Range = 1,
  Projection = 2,
  Partition = 3,
  Layout = 4,
  Monoid = 5,
};

/// The rank is the one number that text spells out, dimension by dimension; of
/// more than this it stays text.
constexpr unsigned maxIndexRank = 1 << 12;

using AxisNames = llvm::SmallVector<llvm::SmallVector<std::string, 2>, 4>;

class IndexBytecode : public BytecodeVersion {
public:
  using BytecodeVersion::BytecodeVersion;

  Attribute readAttribute(DialectBytecodeReader &reader) const override;
  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &writer) const override;
};

} // namespace

static ArrayAttr cutsOf(MLIRContext *context, const AxisNames &names) {
  Builder builder(context);
  llvm::SmallVector<Attribute> cuts;
  for (const auto &axes : names)
    cuts.push_back(builder.getStrArrayAttr(
        llvm::SmallVector<StringRef>(axes.begin(), axes.end())));
  return builder.getArrayAttr(cuts);
}

static ProjectionAttr readProjection(DialectBytecodeReader &reader) {
  FieldReader fields(reader);
  unsigned rank;
  Projection projection;
  if (!fields.read(rank) || !fields.read(projection))
    return {};
  if (rank <= maxIndexRank)
    return fields.make<ProjectionAttr>(rank, projection);
  reader.emitError() << "projection of an index space of rank " << rank
                     << ", expected at most " << maxIndexRank;
  return {};
}

static MonoidAttr readMonoid(DialectBytecodeReader &reader) {
  unsigned number;
  if (!FieldReader(reader).read(number))
    return {};
  if (std::optional<Monoid> monoid = symbolizeMonoid(number))
    return MonoidAttr::get(reader.getContext(), *monoid);
  reader.emitError() << "no monoid has the number " << number;
  return {};
}

LayoutAttr index::readLayout(DialectBytecodeReader &reader) {
  FieldReader fields(reader);
  DeviceGrid grid;
  Layout layout;
  if (!fields.read(grid) || !fields.read(layout))
    return {};
  auto gridAttr = fields.make<GridAttr>(grid);
  return gridAttr ? fields.make<LayoutAttr>(gridAttr, layout) : LayoutAttr();
}

void index::writeLayout(LayoutAttr layout, DialectBytecodeWriter &writer) {
  FieldWriter(writer).write(layout.getDeviceGrid());
  FieldWriter(writer).write(layout.getLayout());
}

Attribute IndexBytecode::readAttribute(DialectBytecodeReader &reader) const {
  std::optional<uint64_t> code = readCode(reader);
  if (!code)
    return {};
  FieldReader fields(reader);
  switch (static_cast<Code>(std::min<uint64_t>(*code, UINT8_MAX))) {
  case Code::Grid: {
    DeviceGrid grid;
    return fields.read(grid) ? fields.make<GridAttr>(grid) : GridAttr();
  }
  case Code::Range: {
    ZBox box;
    return fields.read(box) ? RangeAttr::get(reader.getContext(), box)
                            : RangeAttr();
  }
  case Code::Projection:
    return readProjection(reader);
  case Code::Partition: {
    AxisNames names;
    if (!fields.read(names))
      return {};
    return fields.make<PartitionAttr>(cutsOf(reader.getContext(), names));
  }
  case Code::Layout:
    return readLayout(reader);
  case Code::Monoid:
    return readMonoid(reader);
  }
  reader.emitError() << "no attribute of the dialect '"
                     << getDialect()->getNamespace() << "' has the code "
                     << *code;
  return {};
}

LogicalResult
IndexBytecode::writeAttribute(Attribute attr,
                              DialectBytecodeWriter &writer) const {
  if (isTextAlone(writer))
    return failure();
  FieldWriter fields(writer);
  auto begin = [&](Code code) {
    writer.writeVarInt(static_cast<uint64_t>(code));
  };
  if (auto grid = dyn_cast<GridAttr>(attr)) {
    begin(Code::Grid);
    fields.write(grid.getDeviceGrid());
    return success();
  }
  if (auto range = dyn_cast<RangeAttr>(attr)) {
    begin(Code::Range);
    fields.write(range.getBox());
    return success();
  }
  if (auto projection = dyn_cast<ProjectionAttr>(attr)) {
    if (projection.getIndexRank() > maxIndexRank ||
        !hasCode(projection.getProjection()))
      return failure();
    begin(Code::Projection);
    fields.write(projection.getIndexRank());
    fields.write(projection.getProjection());
    return success();
  }
  if (auto partition = dyn_cast<PartitionAttr>(attr)) {
    // Names that have a type stay text.
    for (unsigned dim = 0; dim < partition.getRank(); ++dim)
      for (auto name :
           cast<ArrayAttr>(partition.getCuts()[dim]).getAsRange<StringAttr>())
        if (!isa<NoneType>(name.getType()))
          return failure();
    begin(Code::Partition);
    writer.writeVarInt(partition.getRank());
    for (unsigned dim = 0; dim < partition.getRank(); ++dim)
      writer.writeList(partition.getAxes(dim),
                       [&](StringRef name) { writer.writeOwnedString(name); });
    return success();
  }
  if (auto layout = dyn_cast<LayoutAttr>(attr)) {
    if (!hasCode(layout.getLayout()))
      return failure();
    begin(Code::Layout);
    writeLayout(layout, writer);
    return success();
  }
  if (auto monoid = dyn_cast<MonoidAttr>(attr)) {
    begin(Code::Monoid);
    fields.write(static_cast<unsigned>(monoid.getValue()));
    return success();
  }
  return failure();
}

void TapestryIndexDialect::registerBytecode() {
  addInterfaces<IndexBytecode>();
}
