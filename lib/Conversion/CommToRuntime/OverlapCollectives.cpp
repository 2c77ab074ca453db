//===- OverlapCollectives.cpp - Collectives beside computation ------------===//
//
// Splits calls of collectives into starts and waits, as Support/Overlap.h says
// where. What that is told of a function is its operations on buffers; those
// that compute addresses and sizes, and allocations, go to where they are
// needed.
//
//===----------------------------------------------------------------------===//

#include "ProgramAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Conversion/Passes.h"
#include "tapestry/Support/Overlap.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

namespace tapestry {
#define GEN_PASS_DEF_OVERLAPCOLLECTIVES
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

/// What the runtime does for one that only calls it; null for others.
static func::CallOp runtimeCallIn(func::FuncOp function) {
  if (!function || function.isExternal() || isKernel(function) ||
      !isDeviceCode(function) || !function.getBody().hasOneBlock())
    return nullptr;
  func::CallOp found;
  for (auto call : function.front().getOps<func::CallOp>()) {
    if (found || !call.getCallee().starts_with("tapestry_rt_"))
      return nullptr;
    found = call;
  }
  return found;
}

static bool isCollectiveCall(func::FuncOp function) {
  func::CallOp call = runtimeCallIn(function);
  return call && call.getCallee() == "tapestry_rt_collective" &&
         function.getNumArguments() == 4;
}

/// Whether a call leaves the device nothing to do but wait for others, or less.
static bool isShort(func::FuncOp callee) {
  if (callee.isExternal())
    return callee.getName().starts_with("tapestry_rt_");
  func::CallOp runtime = runtimeCallIn(callee);
  return runtime &&
         !llvm::is_contained({"tapestry_rt_sort", "tapestry_rt_block"},
                             runtime.getCallee());
}

//===----------------------------------------------------------------------===//
// What operations touch
//===----------------------------------------------------------------------===//

namespace {

/// The operations of a block as steps, but for those that touch no memory that
/// is there.
class Line {
public:
  Line(Block &block, SymbolTable &symbols,
       llvm::DenseMap<Operation *, llvm::BitVector> &kernelWrites)
      : block(block), symbols(symbols), kernelWrites(kernelWrites) {}

  void read();
  /// The first step that what `value` is made of is there for.
  size_t availableAt(Value value) const;
  /// Moves what `value` is made of before `place`.
  void provide(Value value, Operation *place) const;
  /// The operation before which step `number` begins.
  Operation *placeOf(size_t number) const { return ops[number]; }

  std::vector<LineStep> steps;
  struct Collective {
    func::CallOp call;
    int64_t number;
    size_t step;
  };
  SmallVector<Collective> collectives;

private:
  static bool isFree(Operation &op) {
    return isa<memref::AllocOp>(op) ||
           (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
            !op.hasTrait<OpTrait::IsTerminator>());
  }
  std::optional<unsigned> bufferOf(Value memref);
  bool touch(LineStep &step, Value memref, bool writes);
  bool readOp(Operation &op, LineStep &step);
  bool readCall(func::CallOp call, LineStep &step);
  bool readRegions(Operation &op, LineStep &step);
  const llvm::BitVector &writesOf(func::FuncOp kernel);

  Block &block;
  SymbolTable &symbols;
  llvm::DenseMap<Operation *, llvm::BitVector> &kernelWrites;
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, size_t> numbers;
  llvm::MapVector<Value, unsigned> buffers;
};

} // namespace

/// A number per distinct memory; none where it is not known which that is.
std::optional<unsigned> Line::bufferOf(Value memref) {
  Value root = rootOf(memref);
  if (isOfUnknownOrigin(root))
    return std::nullopt;
  // What was there before the function began may overlap: that is number 0.
  if (!isDistinct(root))
    return 0;
  return buffers.insert({root, buffers.size() + 1}).first->second;
}

bool Line::touch(LineStep &step, Value memref, bool writes) {
  std::optional<unsigned> buffer = bufferOf(memref);
  if (!buffer)
    return false;
  (writes ? step.writes : step.reads).push_back(*buffer);
  return true;
}

/// The arguments that a kernel may write.
const llvm::BitVector &Line::writesOf(func::FuncOp kernel) {
  auto [known, isNew] = kernelWrites.try_emplace(kernel);
  llvm::BitVector &writes = known->second;
  if (!isNew)
    return writes;
  writes.resize(kernel.getNumArguments());
  kernel.walk([&](Operation *op) {
    if (op == kernel || op->hasTrait<OpTrait::IsTerminator>() ||
        (op->getNumRegions() != 0 && !isa<linalg::LinalgOp>(op)))
      return WalkResult::advance();
    std::optional<SmallVector<Touch>> touches = touchesOf(op);
    if (!touches) {
      writes.set();
      return WalkResult::interrupt();
    }
    for (const Touch &touch : *touches) {
      if (!touch.writes)
        continue;
      auto argument = dyn_cast<BlockArgument>(touch.buffer);
      if (argument && argument.getOwner() == &kernel.front())
        writes.set(argument.getArgNumber());
      else if (isOfUnknownOrigin(touch.buffer))
        writes.set();
    }
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  return writes;
}

bool Line::readCall(func::CallOp call, LineStep &step) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || !isDeviceCode(call))
    return false;
  step.takesTime = !isShort(callee);
  for (OpOperand &operand : call->getOpOperands()) {
    Type type = operand.get().getType();
    unsigned number = operand.getOperandNumber();
    if (isa<LLVM::LLVMPointerType>(type) && number == 0)
      continue; // what runs the program
    if (type.isIntOrIndexOrFloat())
      continue;
    if (!isa<BaseMemRefType>(type))
      return false;
    bool writes = true;
    if (isCollectiveCall(callee))
      writes = number == 3;
    else if (isKernel(callee) && !callee.isExternal())
      writes = writesOf(callee).test(number);
    if (!touch(step, operand.get(), writes))
      return false;
  }
  return true;
}

/// All buffers from outside that operations inside may reach.
bool Line::readRegions(Operation &op, LineStep &step) {
  step.takesTime = true;
  WalkResult walked = op.walk([&](Operation *inner) {
    bool isKnown = inner->getNumRegions() != 0 ||
                   inner->hasTrait<OpTrait::IsTerminator>() ||
                   accessesOf(inner).has_value();
    for (Value operand : inner->getOperands())
      if (isa<BaseMemRefType>(operand.getType()) &&
          operand.getParentBlock() == &block)
        isKnown &= touch(step, operand, /*writes=*/true);
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

bool Line::readOp(Operation &op, LineStep &step) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return readCall(call, step);
  if (op.getNumRegions() != 0 && !isa<linalg::LinalgOp>(op))
    return readRegions(op, step);
  std::optional<SmallVector<Touch>> touches = accessesOf(&op);
  step.takesTime = isa<linalg::LinalgOp, memref::CopyOp>(op);
  return touches && llvm::all_of(*touches, [&](const Touch &each) {
           return touch(step, each.buffer, each.writes);
         });
}

void Line::read() {
  for (Operation &op : block) {
    if (isFree(op))
      continue;
    LineStep step;
    step.isFence = !readOp(op, step);
    auto call = dyn_cast<func::CallOp>(op);
    if (call && !step.isFence &&
        isCollectiveCall(symbols.lookup<func::FuncOp>(call.getCallee())))
      if (std::optional<int64_t> number =
              getConstantIntValue(call.getOperand(1)))
        collectives.push_back({call, *number, steps.size()});
    numbers[&op] = steps.size();
    steps.push_back(std::move(step));
    ops.push_back(&op);
  }
}

size_t Line::availableAt(Value value) const {
  size_t first = 0;
  SmallVector<Value> work = {value};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || op->getBlock() != &block || !seen.insert(next).second)
      continue;
    if (auto step = numbers.find(op); step != numbers.end())
      first = std::max(first, step->second + 1);
    else
      llvm::append_range(work, op->getOperands());
  }
  return first;
}

void Line::provide(Value value, Operation *place) const {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &block || op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    provide(operand, place);
  op->moveBefore(place);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct OverlapCollectives
    : tapestry::impl::OverlapCollectivesBase<OverlapCollectives> {
  using OverlapCollectivesBase::OverlapCollectivesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<SmallVector<DictionaryAttr>> programs = program::readAll(
        module, {program::body, program::collectives, program::devices});
    if (failed(programs))
      return signalPassFailure();
    SymbolTable table(module);
    symbols = &table;
    for (DictionaryAttr program : *programs) {
      devices = program.getAs<IntegerAttr>(program::devices).getInt();
      collectives = program.getAs<ArrayAttr>(program::collectives);
      if (collectives.empty() || devices == 0)
        continue;
      overlapIn(table.lookup<func::FuncOp>(
          program.getAs<FlatSymbolRefAttr>(program::body).getValue()));
    }
  }

private:
  void overlapIn(func::FuncOp function);
  void overlapIn(Block &block);
  int64_t bytesOf(int64_t number) const;
  func::FuncOp halfOf(func::FuncOp whole, StringRef half);
  func::CallOp callHalf(func::CallOp whole, StringRef half, Operation *place);

  SymbolTable *symbols = nullptr;
  int64_t devices = 1;
  ArrayAttr collectives;
  llvm::SmallPtrSet<Operation *, 4> seen;
  llvm::DenseMap<Operation *, llvm::BitVector> kernelWrites;
};

} // namespace

/// What one device sends.
int64_t OverlapCollectives::bytesOf(int64_t number) const {
  program::CollectiveNumber of(number);
  if (number < 0 || of.index >= int64_t(collectives.size()))
    return 0;
  auto bytes = cast<DictionaryAttr>(collectives[of.index])
                   .getAs<IntegerAttr>(program::bytes);
  return bytes ? bytes.getInt() / devices / of.parts : 0;
}

/// The function that calls one half of what `whole` calls.
func::FuncOp OverlapCollectives::halfOf(func::FuncOp whole, StringRef half) {
  std::string name = (half + "." + whole.getSymName()).str();
  if (auto known = symbols->lookup<func::FuncOp>(name))
    return known;
  std::string runtime = ("tapestry_rt_" + half).str();
  func::CallOp call = runtimeCallIn(whole);
  auto declared = symbols->lookup<func::FuncOp>(call.getCallee());
  if (!symbols->lookup(runtime)) {
    func::FuncOp declaration = declared.clone();
    declaration.setSymName(runtime);
    symbols->insert(declaration, declared->getIterator());
  }
  func::FuncOp made = whole.clone();
  made.setSymName(name);
  symbols->insert(made, whole->getIterator());
  runtimeCallIn(made).setCallee(runtime);
  return made;
}

func::CallOp OverlapCollectives::callHalf(func::CallOp whole, StringRef half,
                                          Operation *place) {
  auto callee = symbols->lookup<func::FuncOp>(whole.getCallee());
  func::CallOp made = whole.clone();
  OpBuilder(place).insert(made);
  made.setCallee(halfOf(callee, half).getSymName());
  return made;
}

void OverlapCollectives::overlapIn(Block &block) {
  Line line(block, *symbols, kernelWrites);
  line.read();
  std::vector<LineCollective> found;
  for (Line::Collective each : line.collectives) {
    size_t earliest = 0;
    for (Value operand : each.call.getOperands())
      earliest = std::max(earliest, line.availableAt(operand));
    found.push_back({each.step, bytesOf(each.number), earliest});
  }
  std::vector<LineSpan> spans =
      findSpans(line.steps, found, {leastBytes, together});
  // At one place waits come first.
  for (auto [each, span] : llvm::zip_equal(line.collectives, spans))
    if (!span.isWhole)
      callHalf(each.call, "wait", line.placeOf(span.wait));
  for (auto [each, span] : llvm::zip_equal(line.collectives, spans)) {
    if (span.isWhole)
      continue;
    Operation *place = line.placeOf(span.start);
    func::CallOp start = callHalf(each.call, "start", place);
    for (Value operand : start.getOperands())
      line.provide(operand, start);
    ++numStarted;
  }
  for (auto [each, span] : llvm::zip_equal(line.collectives, spans))
    if (!span.isWhole)
      each.call.erase();
}

/// A program, and the bodies of its loops, which it calls.
void OverlapCollectives::overlapIn(func::FuncOp function) {
  if (!function || function.isExternal() || isKernel(function) ||
      !function.getBody().hasOneBlock() || !seen.insert(function).second)
    return;
  SmallVector<func::FuncOp> called;
  function.walk([&](func::CallOp call) {
    auto callee = symbols->lookup<func::FuncOp>(call.getCallee());
    if (callee && isDeviceCode(callee) && !runtimeCallIn(callee))
      called.push_back(callee);
  });
  overlapIn(function.front());
  for (func::FuncOp callee : called)
    overlapIn(callee);
}
