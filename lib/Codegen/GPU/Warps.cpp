//===- Warps.cpp - What the threads of a block have, as one ---------------===//

#include "LaunchEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tapestry {

Value NestLauncher::identityOfOutput(unsigned output) {
  return arith::ConstantOp::create(
      b, identityOf(nest.outputs[output].combine,
                    nest.operands[operandOf(output)].elementType));
}

Value LaunchEmitter::fromLane(Value value, int64_t distance) {
  auto ask = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, word, static_cast<int32_t>(distance),
                                  warpThreads, gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  Type type = value.getType(), word = b.getI32Type();
  unsigned width = type.getIntOrFloatBitWidth();
  Type bits = b.getIntegerType(width);
  Value asked = arith::BitcastOp::create(b, bits, value);
  if (width == 64) {
    Value shift = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
    Value high = ask(arith::TruncIOp::create(
        b, word, arith::ShRUIOp::create(b, asked, shift)));
    Value low = ask(arith::TruncIOp::create(b, word, asked));
    asked = arith::OrIOp::create(
        b,
        arith::ShLIOp::create(b, arith::ExtUIOp::create(b, bits, high), shift),
        arith::ExtUIOp::create(b, bits, low));
  } else if (width < 32) {
    asked = arith::TruncIOp::create(
        b, bits, ask(arith::ExtUIOp::create(b, word, asked)));
  } else {
    asked = ask(asked);
  }
  return arith::BitcastOp::create(b, type, asked);
}

NestLauncher::IndexList NestLauncher::combineLanes(ArrayRef<unsigned> outputs,
                                                   IndexList sums,
                                                   int64_t lanes) {
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2)
    for (auto [number, sum] : llvm::enumerate(sums))
      sum = combine(outputs[number], sum, fromLane(sum, distance));
  return sums;
}

/// In each warp first; then each warp adds the sums of all.
NestLauncher::IndexList NestLauncher::combineThreads(ArrayRef<unsigned> outputs,
                                                     IndexList sums,
                                                     int64_t threads) {
  sums = combineLanes(outputs, std::move(sums), warpThreads);
  int64_t warps = threads / warpThreads;
  if (warps == 1)
    return sums;
  OpFoldResult warp = b.div(thread, b.index(warpThreads));
  OpFoldResult lane = rest(thread, b.index(warpThreads));
  SmallVector<Value> shared;
  for (Value sum : sums)
    shared.push_back(share(sum.getType(), warps));
  onlyIf(isLess(lane, b.index(1)), [&] {
    for (auto [memory, sum] : llvm::zip_equal(shared, sums))
      memref::StoreOp::create(b, sum, memory, b.value(warp));
  });
  barrier();
  Value isThere = isLess(lane, b.index(warps));
  OpFoldResult place = b.min(lane, b.index(warps - 1));
  IndexList all;
  for (auto [number, memory] : llvm::enumerate(shared))
    all.push_back(arith::SelectOp::create(
        b, isThere, memref::LoadOp::create(b, memory, b.value(place)),
        identityOfOutput(outputs[number])));
  return combineLanes(outputs, all, llvm::PowerOf2Ceil(warps));
}

} // namespace tapestry
