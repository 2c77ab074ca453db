//===- MemoryTrace.cpp - What a program allocates -------------------------===//

#include "tapestry/Codegen/Common/MemoryTrace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Dialect/Index/IR/IndexShare.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tapestry;

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

/// The number of `value` among its function's arguments, if it is one.
static std::optional<unsigned> argumentNumber(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return std::nullopt;
  return argument.getArgNumber();
}

std::optional<int64_t> MemoryTrace::evaluate(OpFoldResult value, Frame &frame) {
  if (auto constant = getConstantIntValue(value))
    return constant;
  return evaluate(dyn_cast<Value>(value), frame);
}

std::optional<int64_t> MemoryTrace::evaluate(Value value, Frame &frame) {
  if (!value)
    return std::nullopt;
  if (auto known = frame.values.find(value); known != frame.values.end())
    return known->second;
  std::optional<int64_t> result;
  if (std::optional<unsigned> number = argumentNumber(value))
    result = frame.arguments.valueOf(*number);
  else if (Operation *op = value.getDefiningOp())
    result = evaluateOp(op, value, frame);
  else if (auto loop =
               dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
           loop && value == loop.getInductionVar())
    return evaluate(loop.getLowerBound(), frame);
  if (result)
    frame.values[value] = *result;
  return result;
}

/// Sums and products wrap as they do in the program.
static std::optional<int64_t> compute(Operation *op, uint64_t a, uint64_t b) {
  int64_t x = a, y = b;
  bool isUnsigned = isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp>(op);
  bool divides = isUnsigned || isa<arith::DivSIOp, arith::CeilDivSIOp,
                                   arith::FloorDivSIOp, arith::RemSIOp>(op);
  if (divides && (y <= 0 || (isUnsigned && x < 0)))
    return std::nullopt;
  using Result = std::optional<int64_t>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) -> Result { return a + b; })
      .Case([&](arith::SubIOp) -> Result { return a - b; })
      .Case([&](arith::MulIOp) -> Result { return a * b; })
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](auto) -> Result { return x / y; })
      .Case([&](arith::FloorDivSIOp) -> Result { return x / y - (x % y < 0); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) -> Result { return x / y + (x % y > 0); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) -> Result { return x % y; })
      .Case([&](arith::MinSIOp) -> Result { return std::min(x, y); })
      .Case([&](arith::MaxSIOp) -> Result { return std::max(x, y); })
      .Case([&](arith::MinUIOp) -> Result { return std::min(a, b); })
      .Case([&](arith::MaxUIOp) -> Result { return std::max(a, b); })
      .Case([&](arith::AndIOp) -> Result { return a & b; })
      .Case([&](arith::OrIOp) -> Result { return a | b; })
      .Case([&](arith::XOrIOp) -> Result { return a ^ b; })
      .Case([&](arith::CmpIOp compare) -> Result {
        return arith::applyCmpPredicate(compare.getPredicate(), APInt(64, a),
                                        APInt(64, b));
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<int64_t> MemoryTrace::evaluateOp(Operation *op, Value value,
                                               Frame &frame) {
  if (auto constant = getConstantIntValue(value))
    // A condition that holds is 1, not -1.
    return value.getType().isInteger(1) ? int64_t(*constant != 0) : *constant;
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return evaluate(cast.getIn(), frame);
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getCallee() == "tapestry_rt_device"
               ? std::optional<int64_t>(device)
               : std::nullopt;
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    std::optional<int64_t> condition = evaluate(select.getCondition(), frame);
    if (!condition)
      return std::nullopt;
    return evaluate(*condition ? select.getTrueValue() : select.getFalseValue(),
                    frame);
  }
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> number = dim.getConstantIndex();
    return number ? sizeOf(dim.getSource(), *number, frame) : std::nullopt;
  }
  if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    auto size = llvm::find(metadata.getSizes(), value);
    return size == metadata.getSizes().end()
               ? std::nullopt
               : sizeOf(metadata.getSource(),
                        size - metadata.getSizes().begin(), frame);
  }
  // Threads take alike, whatever their shares are.
  if (auto share = dyn_cast<index::ShareOp>(op))
    return value == share.getBegin() ? std::optional<int64_t>(0)
                                     : evaluate(share.getUnits(), frame);
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  std::optional<int64_t> a = evaluate(op->getOperand(0), frame);
  std::optional<int64_t> b = a ? evaluate(op->getOperand(1), frame) : a;
  return b ? compute(op, *a, *b) : std::nullopt;
}

std::optional<int64_t> MemoryTrace::sizeOf(Value memref, unsigned dim,
                                           Frame &frame) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type || dim >= type.getRank())
    return std::nullopt;
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (std::optional<unsigned> number = argumentNumber(memref))
    return frame.arguments.sizeOf(*number, dim);
  Operation *op = memref.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return evaluate(alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)],
                    frame);
  if (auto cast = dyn_cast<memref::CastOp>(op))
    return sizeOf(cast.getSource(), dim, frame);
  if (auto view = dyn_cast<memref::ReinterpretCastOp>(op))
    return evaluate(view.getMixedSizes()[dim], frame);
  // The passes of a loop choose one of two alike.
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return sizeOf(select.getTrueValue(), dim, frame);
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    for (auto [number, size] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped[number] && dim-- == 0)
        return evaluate(size, frame);
  }
  return std::nullopt;
}

std::optional<int64_t> MemoryTrace::sizeOn(int64_t number, Value memref,
                                           unsigned dim,
                                           ArgumentSizes &arguments) {
  device = number;
  Frame frame(arguments);
  return sizeOf(memref, dim, frame);
}

std::optional<int64_t> MemoryTrace::valueOn(int64_t number, Value value,
                                            ArgumentSizes &arguments) {
  device = number;
  Frame frame(arguments);
  return evaluate(value, frame);
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// What a call hands over, in terms of its caller.
class MemoryTrace::CallSizes : public ArgumentSizes {
public:
  CallSizes(MemoryTrace &trace, func::CallOp call, Frame &caller)
      : trace(trace), call(call), caller(caller) {}

  std::optional<int64_t> valueOf(unsigned argument) override {
    return trace.evaluate(call.getOperand(argument), caller);
  }
  std::optional<int64_t> sizeOf(unsigned argument, unsigned dim) override {
    return trace.sizeOf(call.getOperand(argument), dim, caller);
  }

private:
  MemoryTrace &trace;
  func::CallOp call;
  Frame &caller;
};

/// All that a call's allocations may depend on: the numbers that it hands over,
/// those of sizes included.
std::vector<std::optional<int64_t>> MemoryTrace::numbersOf(func::CallOp call,
                                                           Frame &caller) {
  std::vector<std::optional<int64_t>> numbers;
  for (Value operand : call.getOperands()) {
    if (operand.getType().isIntOrIndex())
      numbers.push_back(evaluate(operand, caller));
    auto type = dyn_cast<MemRefType>(operand.getType());
    for (unsigned dim = 0; type && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        numbers.push_back(sizeOf(operand, dim, caller));
  }
  return numbers;
}

/// Whether somebody else knows what `function` takes.
bool MemoryTrace::asksFor(func::FuncOp function) const {
  return hooks.temporaries && isKernel(function);
}

const Temporaries &MemoryTrace::temporariesOf(func::FuncOp kernel) {
  auto [known, isNew] = temporaries.try_emplace(kernel);
  if (isNew)
    known->second = hooks.temporaries(kernel);
  return known->second;
}

bool MemoryTrace::acts(func::FuncOp function) {
  if (!function || function.isExternal())
    return false;
  if (asksFor(function))
    return temporariesOf(function) != nullptr;
  auto [known, isNew] = functionActs.try_emplace(function, true);
  if (!isNew)
    return known->second;
  bool any = !actionsOf(function.front()).empty();
  return functionActs[function] = any;
}

/// Whether `op` tells the runtime of copies.
static bool isCount(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  return call && call.getCallee() == "tapestry_rt_copied";
}

/// Whether `call` is the runtime's, of a collective or a half of one.
static bool isCollective(func::CallOp call) {
  return llvm::is_contained(
      {"tapestry_rt_collective", "tapestry_rt_start", "tapestry_rt_wait"},
      call.getCallee());
}

/// Whether running `op` may change what is allocated, or is to be heard of.
bool MemoryTrace::acts(Operation *op) {
  if (isa<memref::AllocOp, memref::DeallocOp>(op))
    return true;
  if (auto call = dyn_cast<func::CallOp>(op))
    return isCollective(call) || isCount(call) ||
           acts(module.lookupSymbol<func::FuncOp>(call.getCallee()));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (!actionsOf(block).empty())
        return true;
  return false;
}

const std::vector<Operation *> &MemoryTrace::actionsOf(Block &block) {
  if (auto known = actions.find(&block); known != actions.end())
    return known->second;
  std::vector<Operation *> found;
  for (Operation &op : block)
    if (acts(&op))
      found.push_back(&op);
  return actions[&block] = std::move(found);
}

bool MemoryTrace::run(Block &block, Frame &frame) {
  // A copy: calls inside may add to the map that the list is in.
  std::vector<Operation *> list = actionsOf(block);
  return llvm::all_of(list, [&](Operation *op) { return runOp(op, frame); });
}

bool MemoryTrace::allocate(memref::AllocOp alloc, Frame &frame) {
  MemRefType type = alloc.getType();
  std::optional<int64_t> element = storedBytes(type.getElementType());
  if (!element)
    return false;
  int64_t bytes = *element;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    std::optional<int64_t> size = sizeOf(alloc.getResult(), dim, frame);
    if (!size || *size < 0)
      return false;
    if (llvm::MulOverflow(bytes, *size, bytes))
      return false;
  }
  // As the lowering asks for it: whole multiples of the alignment.
  int64_t alignment = alloc.getAlignment().value_or(hooks.alignment);
  bytes = llvm::divideCeil(bytes, alignment) * alignment;
  allocated[alloc.getResult()] = bytes;
  live += bytes;
  peak = std::max(peak, live);
  return true;
}

bool MemoryTrace::runCall(func::CallOp call, Frame &frame) {
  if (isCollective(call)) {
    std::optional<int64_t> index = evaluate(call.getOperand(1), frame);
    if (!index)
      return false;
    int64_t staging = hooks.staging ? hooks.staging(*index, device) : 0;
    if (call.getCallee() != "tapestry_rt_wait")
      peak = std::max(peak, live + staging);
    if (call.getCallee() == "tapestry_rt_start")
      live += staging;
    else if (call.getCallee() == "tapestry_rt_wait")
      live -= staging;
    return true;
  }
  if (isCount(call)) {
    std::optional<int64_t> index = evaluate(call.getOperand(1), frame);
    if (index && hooks.copied)
      hooks.copied(*index, evaluate(call.getOperand(2), frame));
    return true;
  }
  auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
  CallSizes sizes(*this, call, frame);
  if (asksFor(callee)) {
    std::optional<MemoryUse> use = temporariesOf(callee)(sizes);
    if (!use)
      return false;
    peak = std::max(peak, live + use->peak);
    live += use->left;
    return true;
  }
  if (!llvm::hasSingleElement(callee.getBody()))
    return false;
  // How often a function calls itself is not known.
  if (!running.insert(callee).second)
    return false;
  // Calls within calls are as many as 2^depth: each is followed once.
  std::pair key(callee.getOperation(), numbersOf(call, frame));
  auto known = calls.find(key);
  if (known == calls.end()) {
    int64_t before = live, highest = std::exchange(peak, live);
    Frame inner(sizes);
    if (!run(callee.front(), inner))
      return false;
    known = calls.insert({key, {peak - before, live - before}}).first;
    live = before;
    peak = highest;
  }
  running.erase(callee);
  peak = std::max(peak, live + known->second.peak);
  live += known->second.left;
  return true;
}

/// How many passes a loop has that ends by a condition is not known, but what
/// it allocates in one pass it frees in that.
bool MemoryTrace::runPass(scf::WhileOp loop, Frame &frame) {
  if (!actionsOf(*loop.getBeforeBody()).empty())
    return false;
  llvm::DenseMap<Value, int64_t> before = frame.values;
  for (Value argument : loop.getAfterArguments())
    if (argument.getType().isIndex())
      frame.values[argument] = 0;
  int64_t held = live;
  bool known = run(*loop.getAfterBody(), frame);
  frame.values = before;
  return known && live == held;
}

/// Sizes inside a loop depend on how many points are left, if on anything: all
/// iterations but the last are like the first.
bool MemoryTrace::runLoop(Operation *op, Frame &frame) {
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return runPass(loop, frame);
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return false;
  std::optional<int64_t> first = evaluate(loop.getLowerBound(), frame);
  std::optional<int64_t> end = evaluate(loop.getUpperBound(), frame);
  std::optional<int64_t> step = evaluate(loop.getStep(), frame);
  if (!first || !end || !step || *step <= 0)
    return false;
  if (*first >= *end)
    return true;
  int64_t last = *first + (*end - 1 - *first) / *step * *step;
  llvm::DenseMap<Value, int64_t> before = frame.values;
  for (int64_t at : {*first, last}) {
    frame.values[loop.getInductionVar()] = at;
    if (!run(*loop.getBody(), frame))
      return false;
    frame.values = before;
    if (*first == last)
      break;
  }
  return true;
}

bool MemoryTrace::runOp(Operation *op, Frame &frame) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return allocate(alloc, frame);
  if (auto free = dyn_cast<memref::DeallocOp>(op)) {
    Value memref = free.getMemref();
    while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
      memref = view.getViewSource();
    auto known = allocated.find(memref);
    if (known == allocated.end())
      return false;
    live -= known->second;
    allocated.erase(known);
    return true;
  }
  if (auto call = dyn_cast<func::CallOp>(op))
    return runCall(call, frame);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    std::optional<int64_t> condition = evaluate(branch.getCondition(), frame);
    // What is only counted is so whenever it runs.
    if (!condition && !branch.elseBlock() &&
        llvm::all_of(actionsOf(*branch.thenBlock()), isCount))
      return run(*branch.thenBlock(), frame);
    if (!condition)
      return false;
    if (*condition)
      return run(*branch.thenBlock(), frame);
    return !branch.elseBlock() || run(*branch.elseBlock(), frame);
  }
  return runLoop(op, frame);
}

std::optional<MemoryUse> MemoryTrace::trace(func::FuncOp function,
                                            int64_t number,
                                            ArgumentSizes &arguments) {
  device = number;
  live = peak = 0;
  allocated.clear();
  calls.clear();
  running = {function};
  Frame frame(arguments);
  if (!llvm::hasSingleElement(function.getBody()) ||
      !run(function.front(), frame))
    return std::nullopt;
  return MemoryUse{peak, live};
}
