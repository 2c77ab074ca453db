//===- TRADialect.cpp - The tra dialect's attributes and types ------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "tapestry/Dialect/Index/IR/OwnAttributes.h"
#include "tapestry/Dialect/TRA/IR/TRALoop.h"
#include "tapestry/Dialect/TRA/IR/TRAPoint.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

/// Parses `[97, 53]`.
static ParseResult parseIntegers(AsmParser &parser,
                                 SmallVector<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

/// Parses and prints `[97, 53] / [2, 1]`.
static ParseResult parseShapeByParts(AsmParser &parser,
                                     SmallVector<int64_t> &shape,
                                     SmallVector<int64_t> &parts) {
  return failure(parseIntegers(parser, shape) || parser.parseSlash() ||
                 parseIntegers(parser, parts));
}

static void printShapeByParts(AsmPrinter &printer, ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> parts) {
  printer << '[';
  llvm::interleaveComma(shape, printer);
  printer << "] / [";
  llvm::interleaveComma(parts, printer);
  printer << ']';
}

#include "tapestry/Dialect/TRA/IR/TRADialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tapestry/Dialect/TRA/IR/TRATypes.cpp.inc"

namespace {
/// A relation in bytecode: a code, the element type's number and the layout,
/// which the rest follows from.
class TRABytecode : public index::BytecodeVersion {
public:
  using BytecodeVersion::BytecodeVersion;

  Type readType(DialectBytecodeReader &reader) const override;
  LogicalResult writeType(Type type,
                          DialectBytecodeWriter &writer) const override;

private:
  static constexpr uint64_t relationCode = 0;
};
} // namespace

static Type elementTypeOf(uint64_t number, MLIRContext *context) {
  Builder builder(context);
  for (Type type : std::initializer_list<Type>{
           builder.getF64Type(), builder.getF32Type(), builder.getF16Type(),
           builder.getBF16Type(), builder.getI8Type(), builder.getI16Type(),
           builder.getI32Type(), builder.getI64Type(), builder.getI1Type(),
           ComplexType::get(builder.getF32Type()),
           ComplexType::get(builder.getF64Type())})
    if (static_cast<uint64_t>(*dtypeOf(type)) == number)
      return type;
  return {};
}

Type TRABytecode::readType(DialectBytecodeReader &reader) const {
  std::optional<uint64_t> code = readCode(reader);
  uint64_t number;
  if (!code || failed(reader.readVarInt(number)))
    return {};
  Type elementType = elementTypeOf(number, reader.getContext());
  if (*code != relationCode || !elementType) {
    reader.emitError() << "no type of the dialect '"
                       << getDialect()->getNamespace() << "' has the code "
                       << *code << " and the element type " << number;
    return {};
  }
  index::LayoutAttr layout = index::readLayout(reader);
  return layout ? RelationType::get(elementType, layout) : Type();
}

LogicalResult TRABytecode::writeType(Type type,
                                     DialectBytecodeWriter &writer) const {
  auto relation = dyn_cast<RelationType>(type);
  // Elements that no tensor of a graph has stay text.
  std::optional<DType> element;
  if (relation && !isTextAlone(writer) &&
      index::hasCode(relation.getLayout().getLayout()))
    element = dtypeOf(relation.getElementType());
  if (!element)
    return failure();
  writer.writeVarInt(relationCode);
  writer.writeVarInt(static_cast<uint64_t>(*element));
  index::writeLayout(relation.getLayout(), writer);
  return success();
}

void TRADialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tapestry/Dialect/TRA/IR/TRATypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tapestry/Dialect/TRA/IR/TRAOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tapestry/Dialect/TRA/IR/TRALoop.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tapestry/Dialect/TRA/IR/TRAPoint.cpp.inc"
      >();
  addInterfaces<TRABytecode>();
}

//===----------------------------------------------------------------------===//
// Layouts of relations
//===----------------------------------------------------------------------===//

SmallVector<int64_t> tra::partsOf(const DeviceGrid &grid,
                                  const Layout &layout) {
  SmallVector<int64_t> parts;
  for (const LayoutDim &dim : layout.dims) {
    // Terms of one label repeat its axes.
    llvm::SmallSet<unsigned, 4> axes;
    for (const LayoutTerm &term : dim.terms)
      axes.insert(term.cut.begin(), term.cut.end());
    int64_t count = 1;
    for (unsigned axis : axes)
      count *= grid.axes[axis].size;
    parts.push_back(count);
  }
  return parts;
}

Layout tra::writtenLayout(AffineMap map, ArrayRef<int64_t> extents,
                          const Partition &partition) {
  SmallVector<int64_t> shape;
  SmallVector<Cut> cuts;
  llvm::SmallBitVector reduced(extents.size(), true);
  for (AffineExpr expr : map.getResults()) {
    unsigned label = cast<AffineDimExpr>(expr).getPosition();
    shape.push_back(extents[label]);
    cuts.push_back(partition.cuts[label]);
    reduced.reset(label);
  }
  Layout layout = Layout::blocked(shape, cuts);
  for (unsigned label : reduced.set_bits())
    llvm::append_range(layout.partial, partition.cuts[label]);
  llvm::sort(layout.partial);
  return layout;
}

Layout tra::withPartialOf(ValueRange operands, const Partition &partition,
                          Layout written) {
  auto isCut = [&](unsigned axis) {
    return llvm::any_of(partition.cuts, [&](const Cut &cut) {
      return llvm::is_contained(cut, axis);
    });
  };
  for (Value operand : operands)
    for (unsigned axis :
         cast<RelationType>(operand.getType()).getLayout().getLayout().partial)
      if (!isCut(axis) && !llvm::is_contained(written.partial, axis))
        written.partial.push_back(axis);
  llvm::sort(written.partial);
  return written;
}

Layout tra::writtenLayout(const Projection &projection,
                          ArrayRef<int64_t> extents, const Partition &partition,
                          ArrayRef<int64_t> shape) {
  Layout layout = Layout::ofProjection(projection, extents, partition, shape);
  llvm::SmallBitVector lacking(extents.size(), true);
  for (auto [number, dim] : llvm::enumerate(projection.dims)) {
    for (const AffineTerm &term : dim.terms)
      lacking.reset(term.dim);
    if (dim.floordiv != 1)
      layout.dims[number] =
          Layout::blocked({shape[number]},
                          {partition.cuts[dim.terms.front().dim]})
              .dims.front();
  }
  for (unsigned label : lacking.set_bits())
    llvm::append_range(layout.partial, partition.cuts[label]);
  llvm::sort(layout.partial);
  return layout;
}

RankedTensorType tra::windowType(index::LayoutAttr layout, Type elementType,
                                 bool isPadded) {
  const DeviceGrid &grid = layout.getDeviceGrid();
  SmallVector<int64_t> shape;
  for (const LayoutDim &dim : layout.getLayout().dims) {
    auto sizeOn = [&](int64_t device) {
      return (isPadded ? dim.imageRange(grid, device) : dim.range(grid, device))
          .size();
    };
    int64_t size = sizeOn(0);
    for (int64_t device = 1, e = grid.numDevices(); device < e; ++device)
      if (sizeOn(device) != size)
        size = ShapedType::kDynamic;
    shape.push_back(size);
  }
  return RankedTensorType::get(shape, storageType(elementType));
}

SmallVector<Type> tra::bodyArguments(TypeRange operands, ArrayAttr pads,
                                     unsigned numLabels) {
  SmallVector<Type> arguments;
  for (auto [operand, pad] : llvm::zip_equal(operands, pads)) {
    auto type = cast<RelationType>(operand);
    arguments.push_back(windowType(type.getLayout(), type.getElementType(),
                                   /*isPadded=*/!isa<UnitAttr>(pad)));
  }
  arguments.append(2 * numLabels, IndexType::get(pads.getContext()));
  return arguments;
}

SmallVector<Type> tra::bodyResults(TypeRange results) {
  return llvm::map_to_vector(results, [](Type result) -> Type {
    auto type = cast<RelationType>(result);
    return windowType(type.getLayout(), type.getElementType(),
                      /*isPadded=*/false);
  });
}

//===----------------------------------------------------------------------===//
// RelationType
//===----------------------------------------------------------------------===//

RelationType RelationType::get(Type elementType, index::LayoutAttr layout) {
  return get(layout.getContext(), layout.getLayout().shape(),
             partsOf(layout.getDeviceGrid(), layout.getLayout()), elementType,
             layout);
}

const DeviceGrid &RelationType::getDeviceGrid() const {
  return getLayout().getDeviceGrid();
}

bool RelationType::isPartial() const {
  return !getLayout().getLayout().partial.empty();
}

LogicalResult
RelationType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     ArrayRef<int64_t> shape, ArrayRef<int64_t> parts,
                     Type elementType, index::LayoutAttr layout) {
  // relation_c1
  if (!dtypeOf(elementType))
    return emitError()
           << "a relation's elements are f64, f32, f16, bf16, i8, "
              "i16, i32, i64, i1, complex<f32> or complex<f64>, not "
           << elementType;
  // relation_c2
  SmallVector<int64_t> layoutShape = layout.getLayout().shape();
  if (shape.size() != layoutShape.size())
    return emitError() << "the relation has "
                       << countOf(shape.size(), "dimension")
                       << ", its layout has " << layoutShape.size();
  for (auto [dim, extents] : llvm::enumerate(llvm::zip(shape, layoutShape)))
    if (std::get<0>(extents) != std::get<1>(extents))
      return emitError() << "dimension " << dim
                         << " of the relation has extent "
                         << std::get<0>(extents) << ", in its layout "
                         << std::get<1>(extents);
  // relation_c3
  SmallVector<int64_t> layoutParts =
      partsOf(layout.getDeviceGrid(), layout.getLayout());
  if (parts.size() != layoutParts.size())
    return emitError() << "the relation counts the parts of "
                       << countOf(parts.size(), "dimension")
                       << ", its layout has " << layoutParts.size();
  for (auto [dim, counts] : llvm::enumerate(llvm::zip(parts, layoutParts)))
    if (std::get<0>(counts) != std::get<1>(counts))
      return emitError() << "dimension " << dim << " of the relation has "
                         << countOf(std::get<0>(counts), "part")
                         << ", in its layout " << std::get<1>(counts);
  return success();
}

// No attribute of an operation, an argument or a result is this dialect's.

LogicalResult TRADialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  return index::verifyOwnAttribute(op, attribute, {});
}

LogicalResult TRADialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned,
                                                   NamedAttribute attribute) {
  return index::verifyOwnAttribute(op, attribute, {});
}

LogicalResult
TRADialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                        NamedAttribute attribute) {
  return index::verifyOwnAttribute(op, attribute, {});
}
