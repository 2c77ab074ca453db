//===- VectorMap.cpp - Neighbouring points with one load ------------------===//

#include "VectorMap.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tapestry/Codegen/Common/Buffers.h"

using namespace mlir;

namespace tapestry {

/// What a thread loads at once, and how many points it computes at most.
static constexpr int64_t vectorBytes = 16, mostLanes = 8;

VectorMap::VectorMap(IndexBuilder &b, Nest &nest, ArrayRef<unsigned> loops)
    : NestLauncher(b, nest), loops(loops) {
  if (loops.empty() || llvm::any_of(nest.problem.dims, [](const NestDim &dim) {
        return dim.reduction;
      }))
    return;
  lanes = mostLanes;
  while (lanes > 1 && !fits(lanes))
    lanes /= 2;
}

bool VectorMap::isAlong(unsigned operand) const {
  const NestOperand &from = nest.operands[operand];
  return !from.scalar && IndexBuilder::known(from.strides[loops.back()]) == 1;
}

int64_t VectorMap::bytesOf(unsigned operand) const {
  return storedBytes(nest.operands[operand].elementType).value_or(0);
}

/// Whether vectors of `count` elements begin where others end.
bool VectorMap::fits(int64_t count) const {
  auto isWhole = [&](OpFoldResult number) {
    auto known = IndexBuilder::known(number);
    return known && *known % count == 0;
  };
  if (loops.size() > 1 && !isWhole(nest.extents[loops.back()]))
    return false;
  for (auto [number, operand] : llvm::enumerate(nest.operands)) {
    bool isOutput = number >= nest.numInputs();
    if (!isAlong(number)) {
      if (isOutput || (!operand.scalar &&
                       IndexBuilder::known(operand.strides[loops.back()]) != 0))
        return false;
      continue;
    }
    Type type = operand.elementType;
    int64_t bytes = bytesOf(number);
    if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() != 8 * bytes ||
        count * bytes > vectorBytes)
      return false;
    for (unsigned loop : ArrayRef(loops).drop_back())
      if (!isWhole(operand.strides[loop]))
        return false;
  }
  return true;
}

OpFoldResult VectorMap::countVectors(OpFoldResult points) {
  if (lanes == 1)
    return b.index(0);
  Value wrong = b.value(0);
  for (auto [number, operand] : llvm::enumerate(nest.operands)) {
    if (!isAlong(number))
      continue;
    Value start =
        memref::ExtractAlignedPointerAsIndexOp::create(b, operand.flat);
    int64_t bytes = bytesOf(number);
    OpFoldResult address = b.add(start, b.mul(operand.offset, b.index(bytes)));
    Value low =
        arith::AndIOp::create(b, b.value(address), b.value(lanes * bytes - 1));
    wrong = arith::OrIOp::create(b, wrong, low);
  }
  Value isRight =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, wrong, b.value(0));
  return arith::SelectOp::create(
             b, isRight, b.value(b.div(points, b.index(lanes))), b.value(0))
      .getResult();
}

void VectorMap::compute(OpFoldResult vector) {
  NestPoint first =
      moveTo(nest.origin(b), loops, b.mul(vector, b.index(lanes)));
  auto typeOf = [&](unsigned operand) {
    return VectorType::get({lanes}, nest.operands[operand].elementType);
  };
  auto alignment = [&](unsigned operand) {
    return llvm::MaybeAlign(static_cast<uint64_t>(lanes * bytesOf(operand)));
  };
  SmallVector<Value> loaded(nest.operands.size());
  SmallVector<SmallVector<Value>> results(nest.outputs.size());
  for (int64_t lane = 0; lane < lanes; ++lane) {
    NestPoint point = nest.advance(b, first, loops.back(), b.index(lane));
    IndexList values = evaluate(point, [&](unsigned number) -> Value {
      // What a fill would have put there.
      if (number >= nest.numInputs())
        if (Value start = nest.initial[number - nest.numInputs()])
          return start;
      Value &value = loaded[number];
      if (!isAlong(number)) {
        if (!value)
          value = loadAt(number, first.offset[number]);
        return value;
      }
      if (!value)
        value = vector::LoadOp::create(
            b, typeOf(number), nest.operands[number].flat,
            ValueRange{b.value(first.offset[number])}, /*nontemporal=*/false,
            alignment(number));
      return vector::ExtractOp::create(b, value, lane);
    });
    for (auto [result, value] : llvm::zip_equal(results, values))
      result.push_back(value);
  }
  for (auto [output, values] : llvm::enumerate(results)) {
    unsigned number = operandOf(output);
    Value all = vector::FromElementsOp::create(b, typeOf(number), values);
    vector::StoreOp::create(b, all, nest.operands[number].flat,
                            ValueRange{b.value(first.offset[number])},
                            /*nontemporal=*/false, alignment(number));
  }
}

} // namespace tapestry
