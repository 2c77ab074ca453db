//===- TapestryOps.cpp - Builders and accessors of tapestry's ops ---------===//

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "Placement.h"
#include "ScalarRegions.h"
#include "Targets.h"
#include "mlir/IR/Builders.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Index/IR/Speculation.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// A graph's visibility is a keyword, like any function's.
static OptionalParseResult parseVisibility(OpAsmParser &parser,
                                           StringAttr &visibility) {
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword,
                                         {"public", "private", "nested"})))
    return std::nullopt;
  visibility = parser.getBuilder().getStringAttr(keyword);
  return success();
}

static void printVisibility(OpAsmPrinter &printer, Operation *,
                            StringAttr visibility) {
  printer << visibility.getValue();
}

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.cpp.inc"

Speculation::Speculatability EinsumOp::getSpeculatability() {
  return index::speculatabilityOf(*this);
}

index::GridAttr teg::lookupGrid(Operation *op) {
  auto graph = dyn_cast<GraphOp>(op);
  if (!graph)
    graph = op->getParentOfType<GraphOp>();
  return graph ? graph.getGridAttr() : index::GridAttr();
}

/// A vertex' name as a value name where it is one, so that IR reads as written.
void teg::detail::nameResult(Value result, StringRef name,
                             OpAsmSetValueNameFn setName) {
  if (!name.empty() && !llvm::isDigit(name.front()))
    setName(result, name);
}

//===----------------------------------------------------------------------===//
// GraphOp and SourceOp
//===----------------------------------------------------------------------===//

void GraphOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    index::GridAttr grid) {
  state.getOrAddProperties<Properties>().sym_name = builder.getStringAttr(name);
  state.getOrAddProperties<Properties>().grid = grid;
  state.addRegion()->emplaceBlock();
}

void SourceOp::getAsmResultNames(function_ref<void(Value, StringRef)> setName) {
  detail::nameResult(getResult(), getName(), setName);
}

//===----------------------------------------------------------------------===//
// EinsumOp
//===----------------------------------------------------------------------===//

void EinsumOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     llvm::ArrayRef<StringRef> labels,
                     llvm::ArrayRef<int64_t> extents, ValueRange operands,
                     llvm::ArrayRef<AffineMap> maps,
                     llvm::ArrayRef<TypedAttr> pads, Monoid monoid,
                     RankedTensorType resultType, BodyBuilder bodyBuilder) {
  llvm::SmallVector<Attribute> padAttrs(operands.size(), builder.getUnitAttr());
  for (auto [entry, pad] : llvm::zip(padAttrs, pads))
    if (pad)
      entry = pad;

  auto &properties = state.getOrAddProperties<Properties>();
  properties.name = builder.getStringAttr(name);
  properties.labels = builder.getStrArrayAttr(labels);
  properties.extents = builder.getDenseI64ArrayAttr(extents);
  properties.indexing_maps = builder.getAffineMapArrayAttr(maps);
  properties.pads = builder.getArrayAttr(padAttrs);
  properties.monoid = MonoidAttr::get(builder.getContext(), monoid);
  state.addOperands(operands);
  state.addTypes(resultType);
  Region *body = state.addRegion();
  state.addRegion();
  if (!bodyBuilder)
    return;

  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(body);
  for (Value operand : operands)
    block->addArgument(cast<ShapedType>(operand.getType()).getElementType(),
                       state.location);
  Value value = bodyBuilder(builder, state.location, block->getArguments());
  YieldOp::create(builder, state.location, value);
}

void teg::detail::buildCombiner(OpBuilder &builder, Location loc,
                                Region &combiner, Type type,
                                CombineBuilder combineBuilder) {
  OpBuilder::InsertionGuard guard(builder);
  combiner.getBlocks().clear();
  Block *block = builder.createBlock(&combiner, {}, {type, type}, {loc, loc});
  Value value = combineBuilder(builder, loc, block->getArgument(0),
                               block->getArgument(1));
  YieldOp::create(builder, loc, value);
}

std::optional<unsigned> EinsumOp::getLabelIndex(StringRef label) {
  for (auto [index, name] :
       llvm::enumerate(getLabels().getAsValueRange<StringAttr>()))
    if (name == label)
      return index;
  return std::nullopt;
}

AffineMap EinsumOp::getOperandMap(unsigned operand) {
  return cast<AffineMapAttr>(getIndexingMaps()[operand]).getValue();
}

AffineMap EinsumOp::getResultMap() {
  return cast<AffineMapAttr>(getIndexingMaps()[getInputs().size()]).getValue();
}

TypedAttr EinsumOp::getPad(unsigned operand) {
  Attribute pad = getPads()[operand];
  return isa<StringAttr>(pad) ? TypedAttr() : dyn_cast<TypedAttr>(pad);
}

std::optional<Fold> EinsumOp::getFold(unsigned operand) {
  return index::foldOf(getPads()[operand]);
}

RankedTensorType EinsumOp::getInputType(unsigned operand) {
  return cast<RankedTensorType>(getInputs()[operand].getType());
}

RankedTensorType EinsumOp::getResultType() {
  return cast<RankedTensorType>(getResult().getType());
}

Type EinsumOp::getAccumulatorType() {
  return cast<YieldOp>(getBody().front().getTerminator()).getValue().getType();
}

TypedAttr EinsumOp::getIdentity() {
  return identityOf(*this, getAccumulatorType());
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

void GatherOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     llvm::ArrayRef<StringRef> labels,
                     llvm::ArrayRef<int64_t> extents, Value table,
                     ValueRange indices, llvm::ArrayRef<AffineMap> maps,
                     TypedAttr pad, ValueRange checks) {
  auto type = RankedTensorType::get(
      extents.drop_back(indices.size()),
      cast<RankedTensorType>(table.getType()).getElementType());
  build(builder, state, type, builder.getStringAttr(name),
        builder.getStrArrayAttr(labels), builder.getDenseI64ArrayAttr(extents),
        table, indices, checks, builder.getAffineMapArrayAttr(maps), pad,
        /*partition=*/nullptr, /*home=*/nullptr, /*home_route=*/nullptr,
        /*operand_routes=*/nullptr);
}

AffineMap GatherOp::getMap(unsigned operand) {
  return cast<AffineMapAttr>(getIndexingMaps()[operand]).getValue();
}

llvm::SmallVector<std::optional<unsigned>> GatherOp::getIndexOfDims() {
  size_t selected = getLabels().size() - getIndices().size();
  llvm::SmallVector<std::optional<unsigned>> indices;
  for (AffineExpr expr : getMap(0).getResults()) {
    auto label = dyn_cast<AffineDimExpr>(expr);
    bool isSelected = label && label.getPosition() >= selected;
    indices.push_back(isSelected ? std::optional(label.getPosition() - selected)
                                 : std::nullopt);
  }
  return indices;
}
