//===- LaunchEmitter.cpp - What the emitters of kernels share -------------===//

#include "LaunchEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tapestry {

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void LaunchEmitter::begin(OpFoldResult blocks, int64_t threads) {
  Value one = b.value(1);
  launch = gpu::LaunchOp::create(b, b.value(blocks), one, one, b.value(threads),
                                 one, one);
  Block &body = launch.getBody().front();
  b.setInsertionPointToEnd(&body);
  gpu::TerminatorOp::create(b);
  b.setInsertionPointToStart(&body);
  block = launch.getBlockIds().x;
  thread = launch.getThreadIds().x;
}

std::pair<OpFoldResult, OpFoldResult>
LaunchEmitter::beginGrid(OpFoldResult items, int64_t each) {
  OpFoldResult blocks = b.min(b.ceilDiv(items, b.index(blockThreads * each)),
                              b.index(mostBlocks));
  begin(blocks, blockThreads);
  return {b.add(b.mul(block, b.index(blockThreads)), thread),
          b.mul(blocks, b.index(blockThreads))};
}

Value LaunchEmitter::share(Type element, int64_t count) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto type =
      MemRefType::get({count}, element, MemRefLayoutAttrInterface(), space);
  return launch.addWorkgroupAttribution(type, b.getLoc());
}

void LaunchEmitter::barrier() { gpu::BarrierOp::create(b); }

void LaunchEmitter::end() { b.setInsertionPointAfter(launch); }

LaunchEmitter::IndexList LaunchEmitter::loop(
    OpFoldResult from, OpFoldResult to, OpFoldResult step, ValueRange carried,
    llvm::function_ref<IndexList(OpFoldResult, ValueRange)> fn) {
  auto begins = b.known(from), ends = b.known(to), by = b.known(step);
  if (begins && ends && by && *begins < *ends && *begins + *by >= *ends)
    return fn(from, carried);
  auto loop =
      scf::ForOp::create(b, b.value(from), b.value(to), b.value(step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  IndexList results =
      fn(loop.getInductionVar(), ValueRange(loop.getRegionIterArgs()));
  // Without values there is a terminator.
  if (!carried.empty()) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, results);
  }
  return IndexList(loop.getResults());
}

void LaunchEmitter::loop(OpFoldResult from, OpFoldResult to, OpFoldResult step,
                         llvm::function_ref<void(OpFoldResult)> fn) {
  loop(from, to, step, ValueRange(), [&](OpFoldResult iv, ValueRange) {
    fn(iv);
    return IndexList();
  });
}

void LaunchEmitter::onlyIf(Value condition, llvm::function_ref<void()> fn) {
  auto op = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  fn();
}

OpFoldResult LaunchEmitter::rest(OpFoldResult x, OpFoldResult y) {
  return b.sub(x, b.mul(b.div(x, y), y));
}

SmallVector<OpFoldResult>
LaunchEmitter::takeApart(OpFoldResult number, ArrayRef<OpFoldResult> extents) {
  SmallVector<OpFoldResult> places(extents.size(), b.index(0));
  for (size_t at = extents.size(); at-- > 1;) {
    OpFoldResult quotient = b.div(number, extents[at]);
    places[at] = b.sub(number, b.mul(quotient, extents[at]));
    number = quotient;
  }
  if (!extents.empty())
    places[0] = number;
  return places;
}

Value LaunchEmitter::isLess(OpFoldResult x, OpFoldResult y) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, b.value(x),
                               b.value(y));
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

/// The accesses that say which loop is last: what is written where results are
/// counted, what is read where they are reduced.
SmallVector<unsigned> NestLauncher::loopsOf(bool reduction) const {
  SmallVector<unsigned> loops;
  for (auto [number, dim] : llvm::enumerate(nest.problem.dims))
    if (dim.reduction == reduction)
      loops.push_back(number);
  auto strideAlong = [&](unsigned loop) {
    int64_t least = INT64_MAX;
    for (const NestAccess &access : nest.problem.accesses)
      if (access.output != reduction && access.dependsOn(loop))
        least = std::min(least, std::abs(access.strides[loop]));
    return least;
  };
  // The far ones first.
  llvm::sort(loops, [&](unsigned a, unsigned c) {
    return std::pair(strideAlong(c), a) < std::pair(strideAlong(a), c);
  });
  return loops;
}

SmallVector<OpFoldResult>
NestLauncher::extentsOf(ArrayRef<unsigned> loops) const {
  return llvm::map_to_vector(loops,
                             [&](unsigned loop) { return nest.extents[loop]; });
}

OpFoldResult NestLauncher::product(ArrayRef<OpFoldResult> extents) {
  OpFoldResult all = b.index(1);
  for (OpFoldResult extent : extents)
    all = b.mul(all, extent);
  return all;
}

NestPoint NestLauncher::moveTo(const NestPoint &point, ArrayRef<unsigned> loops,
                               OpFoldResult number) {
  NestPoint there = point;
  for (auto [loop, place] :
       llvm::zip_equal(loops, takeApart(number, extentsOf(loops))))
    there = nest.advance(b, there, loop, place);
  return there;
}

unsigned NestLauncher::operandOf(unsigned output) const {
  return nest.op.getNumDpsInputs() + output;
}

bool NestLauncher::isStored(unsigned output) const {
  const NestAccess &access = nest.problem.accesses[operandOf(output)];
  for (auto [loop, dim] : llvm::enumerate(nest.problem.dims))
    if (dim.reduction && access.dependsOn(loop))
      return true;
  return false;
}

Value NestLauncher::loadAt(unsigned operand, OpFoldResult offset) {
  const NestOperand &from = nest.operands[operand];
  if (from.scalar)
    return from.scalar;
  return memref::LoadOp::create(b, from.flat, b.value(offset));
}

void NestLauncher::storeAt(Value value, unsigned operand, OpFoldResult offset) {
  memref::StoreOp::create(b, value, nest.operands[operand].flat,
                          b.value(offset));
}

Value NestLauncher::startOf(unsigned output, const NestPoint &point) {
  if (Value start = nest.initial[output])
    return start;
  unsigned operand = operandOf(output);
  return loadAt(operand, point.offset[operand]);
}

Value NestLauncher::loadOf(Operation *op, ValueRange indices) {
  const NestLoad &from = nest.loads[nest.loadNumbers.lookup(op)];
  OpFoldResult place = from.offset;
  for (auto [index, stride] : llvm::zip_equal(indices, from.strides))
    place = b.add(place, b.mul(index, stride));
  return memref::LoadOp::create(b, from.flat, b.value(place));
}

NestLauncher::IndexList
NestLauncher::evaluate(const NestPoint &point,
                       llvm::function_ref<Value(unsigned)> operand) {
  BodyEmitter body(b, nest.body(), /*lanes=*/1);
  auto argument = [&](unsigned number, Site) { return operand(number); };
  auto index = [&](unsigned dim, Site) {
    int loop = nest.loopOf[dim];
    return loop < 0 ? b.value(0) : b.value(point.index[loop]);
  };
  body.setLoad(
      [&](Operation *op, ValueRange indices) { return loadOf(op, indices); });
  IndexList results;
  for (OutputBody &output : nest.outputs)
    results.push_back(body.evaluate(output.yielded, Site(), argument, index));
  return results;
}

NestLauncher::IndexList NestLauncher::compute(const NestPoint &point,
                                              ValueRange sums) {
  SmallVector<int> sumOf(nest.outputs.size(), -1);
  int numSums = 0;
  for (unsigned output = 0; output < nest.outputs.size(); ++output)
    if (!isStored(output))
      sumOf[output] = numSums++;
  IndexList results = evaluate(point, [&](unsigned number) -> Value {
    unsigned inputs = nest.numInputs();
    if (number >= inputs && sumOf[number - inputs] >= 0)
      return sums[sumOf[number - inputs]];
    return loadAt(number, point.offset[number]);
  });
  IndexList next;
  for (unsigned output = 0; output < nest.outputs.size(); ++output)
    if (sumOf[output] >= 0)
      next.push_back(results[output]);
    else
      storeAt(results[output], operandOf(output),
              point.offset[operandOf(output)]);
  return next;
}

Value NestLauncher::combine(unsigned output, Value x, Value y) {
  return cloneOnVectors(b, nest.outputs[output].combine, {x, y}, /*lanes=*/1);
}

} // namespace tapestry
