//===- SegmentPrograms.cpp - Long programs as calls of parts --------------===//
//
// LLVM's time for a block grows faster than the block. A program's is one line
// of calls, so it can be cut anywhere: what is used across a cut is handed
// over. Where the line repeats itself it is cut at the same places each time,
// and equal parts are one function of the numbers in which they differ.
//
//===----------------------------------------------------------------------===//

#include "BufferPointers.h"
#include "ProgramAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/DistinctFunctions.h"
#include "tapestry/Conversion/Passes.h"
#include "tapestry/Support/Repeats.h"
#include <map>

namespace tapestry {
#define GEN_PASS_DEF_SEGMENTPROGRAMS
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

static bool isConstant(Operation *op) {
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

/// Memory of the function's frame, which no part may own that others use.
static bool isFrameMemory(Operation *op) {
  return isa_and_nonnull<memref::AllocaOp>(op) && op->getNumOperands() == 0;
}

/// The number that an operation is given; none where the operand is no
/// constant.
static std::optional<int64_t> numberGiven(const OpOperand &operand) {
  auto constant = operand.get().getDefiningOp<arith::ConstantOp>();
  auto value = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : nullptr;
  if (!value || !value.getType().isInteger(64))
    return std::nullopt;
  return value.getInt();
}

//===----------------------------------------------------------------------===//
// Where to cut
//===----------------------------------------------------------------------===//

namespace {
/// Consecutive operations, cut into runs of at most so many calls.
class Cuts {
public:
  Cuts(ArrayRef<Operation *> ops, size_t mostCalls)
      : ops(ops), mostCalls(mostCalls) {}

  SmallVector<ArrayRef<Operation *>> find();

private:
  size_t callsIn(size_t from, size_t to) const {
    return llvm::count_if(ops.slice(from, to - from),
                          llvm::IsaPred<func::CallOp>);
  }
  void cutPlainly(size_t from, size_t to);
  void cutRepeat(const Repeat &repeat);

  ArrayRef<Operation *> ops;
  size_t mostCalls;
  SmallVector<ArrayRef<Operation *>> parts;
};
} // namespace

/// A number for each operation; equal ones do the same to other values.
static std::vector<uint64_t> kindsOf(ArrayRef<Operation *> ops) {
  std::vector<uint64_t> kinds;
  for (Operation *op : ops) {
    uint64_t kind = OperationEquivalence::computeHash(
        op, OperationEquivalence::ignoreHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations |
            OperationEquivalence::IgnoreDiscardableAttrs);
    for (Value operand : op->getOperands())
      kind = llvm::hash_combine(kind, operand.getType());
    kinds.push_back(kind);
  }
  return kinds;
}

void Cuts::cutPlainly(size_t from, size_t to) {
  size_t calls = 0;
  for (size_t at = from; at < to; ++at) {
    calls += isa<func::CallOp>(ops[at]);
    if (calls <= mostCalls)
      continue;
    parts.push_back(ops.slice(from, at - from));
    from = at;
    calls = 1;
  }
  if (from < to)
    parts.push_back(ops.slice(from, to - from));
}

/// As many periods as fit into a part; one that does not fit is cut by itself.
void Cuts::cutRepeat(const Repeat &repeat) {
  size_t calls = callsIn(repeat.begin, repeat.begin + repeat.period);
  size_t step =
      repeat.period * std::max<size_t>(1, mostCalls / std::max(calls, 1ul));
  for (size_t at = repeat.begin; at < repeat.end(); at += step)
    cutPlainly(at, std::min(at + step, repeat.end()));
}

SmallVector<ArrayRef<Operation *>> Cuts::find() {
  size_t at = 0;
  for (const Repeat &repeat : findRepeats(kindsOf(ops), 2 * mostCalls)) {
    cutPlainly(at, repeat.begin);
    cutRepeat(repeat);
    at = repeat.end();
  }
  cutPlainly(at, ops.size());
  return std::move(parts);
}

//===----------------------------------------------------------------------===//
// One part
//===----------------------------------------------------------------------===//

namespace {

/// A function, one call of it, and the numbers that this call hands over for
/// its last arguments.
struct Part {
  func::FuncOp function;
  func::CallOp call;
  SmallVector<int64_t> numbers;
};

/// Makes a function of some operations: of what it takes from before and leaves
/// for later.
class Outliner {
public:
  Outliner(Block &home, ArrayRef<Operation *> ops,
           const llvm::DenseSet<Operation *> &floating)
      : home(home), ops(ops), floating(floating),
        inside(ops.begin(), ops.end()), b(ops.back()->getNextNode()),
        inner(b.getContext()), loc(home.getParentOp()->getLoc()) {}

  Part outline(StringRef name);

private:
  bool isInside(Operation *op) {
    return inside.contains(home.findAncestorOpInBlock(*op)) ||
           block->findAncestorOpInBlock(*op);
  }
  bool isUsedInside(Operation *op) {
    return llvm::all_of(op->getUsers(),
                        [&](Operation *user) { return isInside(user); });
  }
  SmallVector<Value> findResults();
  void takeOperands(Operation *op);
  Value taken(Value value);
  Value takeBuffer(Value value, MemRefType type);
  Value takeElement(Value pointer);
  void takeNumbers(Part &part);

  Block &home;
  ArrayRef<Operation *> ops;
  const llvm::DenseSet<Operation *> &floating;
  llvm::DenseSet<Operation *> inside;
  /// Where the part is called.
  OpBuilder b;
  /// In the part, before the operation that takes its operands.
  OpBuilder inner;
  Location loc;
  Block *block = nullptr;
  SmallVector<Value> arguments;
  llvm::DenseMap<Value, Value> mapping;
  llvm::DenseSet<Value> freed;
  SmallVector<OpOperand *> numbers;
};

} // namespace

/// What stands in one of the caller's arrays is loaded in the part, by its
/// number there: the parts of layers then differ in that number only.
Value Outliner::takeElement(Value pointer) {
  auto load = pointer.getDefiningOp<LLVM::LoadOp>();
  if (!load || !floating.contains(load))
    return nullptr;
  int64_t number = 0;
  Value array = load.getAddr();
  if (auto element = array.getDefiningOp<LLVM::GEPOp>()) {
    ArrayRef<int32_t> indices = element.getRawConstantIndices();
    if (indices.size() != 1 || !element.getDynamicIndices().empty() ||
        element.getElemType() != load.getType())
      return nullptr;
    number = indices.front();
    array = element.getBase();
  }
  if (!isa<BlockArgument>(array))
    return nullptr;
  Value given = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(number));
  auto element = LLVM::GEPOp::create(inner, loc, array.getType(),
                                     load.getType(), taken(array), given);
  numbers.push_back(&element.getDynamicIndicesMutable()[0]);
  return LLVM::LoadOp::create(inner, loc, load.getType(), element);
}

/// A pointer and sizes instead of all that describes a buffer.
Value Outliner::takeBuffer(Value value, MemRefType type) {
  auto take = [&](Value given) -> Value {
    arguments.push_back(given);
    return block->addArgument(given.getType(), loc);
  };
  Value outside = pointerTo(b, loc, value);
  Value pointer = takeElement(outside);
  if (!pointer)
    pointer = take(outside);
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(take(memref::DimOp::create(b, loc, value, dim)));
  return bufferAt(inner, loc, pointer, type, sizes);
}

/// What `value` from outside is called inside.
Value Outliner::taken(Value value) {
  if (Value known = mapping.lookup(value))
    return known;
  Value made;
  // Who frees a buffer needs the pointer that was allocated.
  auto type = dyn_cast<MemRefType>(value.getType());
  if (Operation *op = value.getDefiningOp();
      isConstant(op) || (isFrameMemory(op) && isUsedInside(op))) {
    made = OpBuilder::atBlockBegin(block).clone(*op)->getResult(0);
  } else if (type && type.getLayout().isIdentity() && !type.getMemorySpace() &&
             (!freed.contains(value) || pointerMadeInto(value))) {
    made = takeBuffer(value, type);
  } else {
    arguments.push_back(value);
    made = block->addArgument(value.getType(), loc);
  }
  return mapping[value] = made;
}

/// Values of `op` and of what is in it that come from outside.
void Outliner::takeOperands(Operation *op) {
  inner.setInsertionPoint(op);
  op->walk([&](Operation *nested) {
    for (OpOperand &operand : nested->getOpOperands()) {
      if (operand.get().getParentBlock() != &home)
        continue;
      // Every number that a call is given becomes an argument.
      if (isa<func::CallOp>(nested) && numberGiven(operand))
        numbers.push_back(&operand);
      else
        operand.set(taken(operand.get()));
    }
  });
}

void Outliner::takeNumbers(Part &part) {
  for (OpOperand *operand : numbers) {
    part.numbers.push_back(*numberGiven(*operand));
    operand->set(block->addArgument(operand->get().getType(), loc));
  }
}

/// What later operations use.
SmallVector<Value> Outliner::findResults() {
  SmallVector<Value> results;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !isInside(user); }))
        results.push_back(result);
  return results;
}

/// Whether what was allocated is known by its address: hundreds of buffers that
/// are handed over as all that describes them cost LLVM much.
static bool isPointer(Value result) {
  auto alloc = result.getDefiningOp<memref::AllocOp>();
  return alloc && alloc.getType().hasStaticShape() &&
         alloc.getType().getLayout().isIdentity() &&
         !alloc.getType().getMemorySpace();
}

Part Outliner::outline(StringRef name) {
  Part part;
  part.function = func::FuncOp::create(loc, name, b.getFunctionType({}, {}));
  part.function.setPrivate();
  part.function->setAttr(deviceAttrName, b.getUnitAttr());
  block = part.function.addEntryBlock();
  for (Operation *op : ops)
    if (auto free = dyn_cast<memref::DeallocOp>(op))
      freed.insert(free.getMemref());
  SmallVector<Value> results = findResults();
  for (Operation *op : ops) {
    op->moveBefore(block, block->end());
    takeOperands(op);
    // What tells layers of a model apart must not tell their code apart.
    op->removeDiscardableAttr("tapestry.vertex");
  }
  takeNumbers(part);
  inner.setInsertionPointToEnd(block);
  SmallVector<Value> returned = llvm::map_to_vector(results, [&](Value result) {
    return isPointer(result) ? pointerTo(inner, loc, result) : result;
  });
  func::ReturnOp::create(inner, loc, returned);
  TypeRange types = ValueRange(returned).getTypes();
  part.call = func::CallOp::create(b, loc, name, types, arguments);
  for (auto [result, given] :
       llvm::zip_equal(results, part.call.getResults())) {
    Value handed = given;
    if (isPointer(result))
      handed = bufferAt(b, loc, given, cast<MemRefType>(result.getType()), {});
    result.replaceUsesWithIf(
        handed, [&](OpOperand &use) { return !isInside(use.getOwner()); });
  }
  part.function.setFunctionType(
      b.getFunctionType(block->getArgumentTypes(), types));
  return part;
}

//===----------------------------------------------------------------------===//
// Equal parts
//===----------------------------------------------------------------------===//

/// Numbers in which `parts`, all calls of one function, differ by the same from
/// one call to the next are one argument; the others are constants again.
static void settleNumbers(MutableArrayRef<Part> parts) {
  const Part &first = parts.front();
  func::FuncOp function = first.function;
  Block &block = function.front();
  unsigned known = block.getNumArguments() - first.numbers.size();
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  Location loc = function.getLoc();
  // The number that stands for those with the same steps, and its argument.
  std::map<std::vector<int64_t>, std::pair<size_t, Value>> leaders;
  for (size_t number = 0; number < first.numbers.size(); ++number) {
    std::vector<int64_t> steps;
    for (const Part &part : parts)
      steps.push_back(part.numbers[number] - first.numbers[number]);
    bool differs = llvm::any_of(steps, [](int64_t step) { return step != 0; });
    Value argument = block.getArgument(known + number);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
    };
    Value replacement;
    if (!differs) {
      replacement = constant(first.numbers[number]);
    } else {
      auto [entry, isNew] = leaders.try_emplace(steps, number, Value());
      auto &[leader, given] = entry->second;
      if (isNew) {
        given = block.addArgument(argument.getType(), loc);
        for (Part &part : parts) {
          OpBuilder before(part.call);
          part.call.getOperandsMutable().append(Value(arith::ConstantOp::create(
              before, loc, before.getI64IntegerAttr(part.numbers[number]))));
        }
      }
      int64_t offset = first.numbers[number] - first.numbers[leader];
      replacement =
          offset == 0
              ? given
              : Value(arith::AddIOp::create(b, loc, given, constant(offset)));
    }
    argument.replaceAllUsesWith(replacement);
  }
  block.eraseArguments(known, first.numbers.size());
  function.setFunctionType(
      b.getFunctionType(block.getArgumentTypes(), function.getResultTypes()));
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

namespace {
struct SegmentPrograms : tapestry::impl::SegmentProgramsBase<SegmentPrograms> {
  using SegmentProgramsBase::SegmentProgramsBase;

  void runOnOperation() override {
    FailureOr<SmallVector<DictionaryAttr>> programs =
        program::readAll(getOperation(), {program::body});
    if (failed(programs))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    SmallVector<Attribute> described;
    for (DictionaryAttr program : *programs) {
      NamedAttrList attributes(program);
      auto body = symbols.lookup<func::FuncOp>(
          program.getAs<FlatSymbolRefAttr>(program::body).getValue());
      if (body && body.getBody().hasOneBlock()) {
        auto entry = program.getAs<FlatSymbolRefAttr>(program::entry);
        func::FuncOp home = segment(
            body,
            entry ? symbols.lookup<func::FuncOp>(entry.getValue()) : nullptr,
            symbols);
        attributes.set(program::body, FlatSymbolRefAttr::get(home));
      }
      described.push_back(attributes.getDictionary(&getContext()));
    }
    if (!described.empty())
      getOperation()->setAttr(program::attribute,
                              ArrayAttr::get(&getContext(), described));
  }

private:
  func::FuncOp segment(func::FuncOp body, func::FuncOp entry,
                       SymbolTable &symbols);
  void outlineParts(Block &block, ArrayRef<ArrayRef<Operation *>> cuts,
                    const llvm::DenseSet<Operation *> &floating, StringRef name,
                    SymbolTable &symbols);
};
} // namespace

/// The only call of `callee` in `caller`, where that is one block.
static func::CallOp onlyCall(func::FuncOp caller, func::FuncOp callee) {
  if (!caller || !caller.getBody().hasOneBlock())
    return nullptr;
  func::CallOp found;
  for (auto call : caller.front().getOps<func::CallOp>())
    if (call.getCallee() == callee.getSymName()) {
      if (found)
        return nullptr;
      found = call;
    }
  return found;
}

/// Moves what floats to where it is first used: what lives from one end of a
/// block to the other costs LLVM a place on the stack.
static void sinkToUses(Block &block, llvm::DenseSet<Operation *> &floating) {
  auto place = [&](auto &&self, Operation *op, Operation *before) -> void {
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp();
          source && floating.erase(source)) {
        source->moveBefore(before);
        self(self, source, source);
      }
  };
  for (Operation &op : llvm::make_early_inc_range(block))
    if (!floating.contains(&op))
      place(place, &op, &op);
}

/// Whether nothing is done to what `pointer` shows but to read it.
static bool isOnlyRead(Value pointer) {
  return llvm::all_of(pointer.getUsers(), [](Operation *user) {
    if (auto load = dyn_cast<LLVM::LoadOp>(user))
      return !load.getVolatile_();
    return isa<LLVM::GEPOp>(user) && isOnlyRead(user->getResult(0));
  });
}

/// Puts the operations of `body` where it is called; what stood before there,
/// and only makes its arguments, is returned.
static llvm::DenseSet<Operation *> inlineBody(func::FuncOp body,
                                              func::CallOp call) {
  // The caller's arrays of buffers: of other memory a part may change what a
  // load would find later.
  llvm::DenseSet<Value> arrays;
  for (BlockArgument argument : call->getBlock()->getArguments())
    if (isOnlyRead(argument))
      arrays.insert(argument);
  auto isOfArray = [&](LLVM::LoadOp load) {
    auto element = load.getAddr().getDefiningOp<LLVM::GEPOp>();
    return arrays.contains(element ? element.getBase() : load.getAddr());
  };
  llvm::DenseSet<Operation *> before;
  for (Operation *op = call->getPrevNode(); op; op = op->getPrevNode()) {
    auto load = dyn_cast<LLVM::LoadOp>(op);
    if (load ? isOfArray(load) : isMemoryEffectFree(op))
      before.insert(op);
  }
  Block &block = body.front();
  for (auto [argument, given] :
       llvm::zip_equal(block.getArguments(), call.getOperands()))
    argument.replaceAllUsesWith(given);
  call->getBlock()->getOperations().splice(
      call->getIterator(), block.getOperations(), block.begin(),
      block.getTerminator()->getIterator());
  call.erase();
  return before;
}

/// Makes functions of the parts, and of equal ones one.
void SegmentPrograms::outlineParts(Block &block,
                                   ArrayRef<ArrayRef<Operation *>> cuts,
                                   const llvm::DenseSet<Operation *> &floating,
                                   StringRef name, SymbolTable &symbols) {
  Operation *function = block.getParentOp();
  DistinctFunctions distinct;
  llvm::MapVector<Operation *, SmallVector<Part>> kinds;
  for (ArrayRef<Operation *> cut : cuts) {
    Part part = Outliner(block, cut, floating).outline(name);
    if (func::FuncOp known = distinct.findOrAdd(part.function)) {
      part.function.erase();
      part.function = known;
      ++numShared;
    } else {
      symbols.insert(part.function, function->getIterator());
      ++numParts;
    }
    part.call.setCallee(part.function.getSymName());
    kinds[part.function].push_back(part);
  }
  for (auto &[equal, parts] : kinds)
    settleNumbers(parts);
}

/// Returns what runs the parts, or the program where it is short.
func::FuncOp SegmentPrograms::segment(func::FuncOp body, func::FuncOp entry,
                                      SymbolTable &symbols) {
  llvm::DenseSet<Operation *> views;
  for (Operation &op : body.front())
    if (isa<ViewLikeOpInterface>(op) && isMemoryEffectFree(&op) &&
        llvm::all_of(op.getUsers(), [&](Operation *user) {
          return user->getBlock() == op.getBlock();
        }))
      views.insert(&op);
  sinkToUses(body.front(), views);
  SmallVector<Operation *> ops;
  for (Operation &op : body.front().without_terminator())
    if (!isConstant(&op) && !isFrameMemory(&op))
      ops.push_back(&op);
  SmallVector<ArrayRef<Operation *>> cuts = Cuts(ops, mostCalls).find();
  if (cuts.size() < 2)
    return body;
  std::string name = (body.getSymName() + ".part").str();
  func::FuncOp home = body;
  llvm::DenseSet<Operation *> floating;
  // One call of hundreds of buffers costs more than those of the parts.
  if (func::CallOp call = onlyCall(entry, body)) {
    floating = inlineBody(body, call);
    home = entry;
    symbols.erase(body);
  }
  Block &block = home.front();
  outlineParts(block, cuts, floating, name, symbols);
  sinkToUses(block, floating);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (floating.contains(&op) ? op.use_empty() : isOpTriviallyDead(&op))
      op.erase();
  return home;
}
