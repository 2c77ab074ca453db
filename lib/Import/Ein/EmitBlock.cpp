//===- EmitBlock.cpp - Blocks that an object file brings ------------------===//

#include "EmitBlock.h"
#include "BodyEmitter.h"
#include "EmitMonoids.h"
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
  if (tensor.monoid != Monoid::None)
    result.monoid = tapestry::stringifyMonoid(convert(tensor.monoid)).str();
  return result;
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
  return teg::BlockOp::create(
      builder, loc, results, builder.getStringAttr(name), attr,
      builder.getDenseI64ArrayAttr(extents), operands,
      builder.getDictionaryAttr(params),
      block.isIdempotent ? builder.getUnitAttr() : nullptr, /*costs=*/nullptr,
      /*partition=*/nullptr,
      /*homes=*/nullptr, /*home_routes=*/nullptr, /*operand_routes=*/nullptr);
}
