//===- EmitBlock.cpp - Blocks that an object file brings ------------------===//

#include "EmitBlock.h"
#include "BodyEmitter.h"
#include "EmitMonoids.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryBlock.h"

using namespace mlir;
using namespace tapestry::ein;
namespace teg = tapestry::teg;

static teg::KernelTensor
kernelTensor(const tapestry::ein::Block::Tensor &tensor) {
  teg::KernelTensor result;
  result.name = tensor.name;
  result.element = stringify(tensor.type).str();
  result.projection = tensor.projection;
  Monoid monoid = comparesUnsigned(tensor.monoid, tensor.type) ? Monoid::Custom
                                                               : tensor.monoid;
  if (monoid != Monoid::None)
    result.monoid = tapestry::stringifyMonoid(convert(monoid)).str();
  return result;
}

/// The identity of what no monoid of the dialect combines; null of others.
static TypedAttr identityOf(const tapestry::ein::Block::Tensor &tensor,
                            MLIRContext *context) {
  if (tensor.custom)
    return constantAttr(tensor.custom->identity, tensor.type, context);
  if (!comparesUnsigned(tensor.monoid, tensor.type))
    return {};
  Type type = storedType(tensor.type, context);
  return IntegerAttr::get(type, tensor.monoid == Monoid::Max ? 0 : -1);
}

/// In the type of its elements.
static void fillCombiner(OpBuilder &builder, Location loc, Region &combiner,
                         const tapestry::ein::Block::Tensor &tensor) {
  OpBuilder::InsertionGuard guard(builder);
  Type type = storedType(tensor.type, builder.getContext());
  mlir::Block *block =
      builder.createBlock(&combiner, {}, {type, type}, {loc, loc});
  Value x = block->getArgument(0), y = block->getArgument(1), made;
  if (tensor.custom)
    made = emitCombined(builder, loc, *tensor.custom, x, y);
  else if (tensor.monoid == Monoid::Max)
    made = arith::MaxUIOp::create(builder, loc, x, y);
  else
    made = arith::MinUIOp::create(builder, loc, x, y);
  if (made.getType() != type)
    made = arith::TruncFOp::create(builder, loc, type, made);
  teg::BlockYieldOp::create(builder, loc, made);
}

Operation *tapestry::ein::buildBlock(OpBuilder &builder, Location loc,
                                     Location declared, StringRef name,
                                     const Vertex &vertex, ValueRange operands,
                                     TypeRange results) {
  const Block &block = *vertex.block;
  teg::Kernel kernel;
  kernel.symbol = block.name;
  kernel.labels.assign(block.labels.begin(), block.labels.end());
  for (const Block::Tensor &input : block.inputs)
    kernel.inputs.push_back(kernelTensor(input));
  for (const Block::Tensor &output : block.outputs)
    kernel.outputs.push_back(kernelTensor(output));
  SmallVector<NamedAttribute> params;
  for (const Block::Param &param : block.params) {
    kernel.params.push_back({param.name, stringify(param.type).str()});
    params.push_back(
        builder.getNamedAttr(param.name, constantAttr(param.value, param.type,
                                                      builder.getContext())));
  }
  for (const Block::Cost &cost : block.costs)
    kernel.costs.push_back({cost.label, cost.resource, cost.amount});
  auto attr = teg::KernelAttr::getChecked(
      [&] { return emitError(declared, "block '" + block.name + "': "); },
      builder.getContext(), kernel);
  if (!attr)
    return nullptr;
  SmallVector<int64_t> extents;
  for (const VertexLabel &label : vertex.labels)
    extents.push_back(label.extent);
  SmallVector<Attribute> pads, identities;
  bool isPadded = false;
  for (const Block::Tensor &input : block.inputs) {
    isPadded |= input.pad.has_value();
    pads.push_back(input.pad ? Attribute(constantAttr(*input.pad, input.type,
                                                      builder.getContext()))
                             : builder.getUnitAttr());
  }
  SmallVector<const Block::Tensor *> combined;
  for (const Block::Tensor &output : block.outputs)
    if (TypedAttr identity = identityOf(output, builder.getContext())) {
      identities.push_back(identity);
      combined.push_back(&output);
    }
  auto op = teg::BlockOp::create(
      builder, loc, results, builder.getStringAttr(name), attr,
      builder.getDenseI64ArrayAttr(extents), operands,
      isPadded ? builder.getArrayAttr(pads) : nullptr,
      builder.getDictionaryAttr(params),
      block.isIdempotent ? builder.getUnitAttr() : nullptr, /*costs=*/nullptr,
      identities.empty() ? nullptr : builder.getArrayAttr(identities),
      /*partition=*/nullptr,
      /*homes=*/nullptr, /*home_routes=*/nullptr, /*operand_routes=*/nullptr,
      /*scalarsCount=*/combined.size());
  for (auto [region, output] : llvm::zip_equal(op.getScalars(), combined))
    fillCombiner(builder, loc, region, *output);
  return op;
}
