//===- CountCopies.cpp - What device programs copy ------------------------===//
//
// A copy is an operation that stores elements as it has loaded them: a window
// put together, a slice, a layout changed, what a loop begins or ends with. An
// output of what inputs have has to be written once: that is none.
// Such operations are what they are once kernels have been formed; what went
// into another kernel is none. Behind the last one of a vertex the runtime is
// told what they have written.
//
//===----------------------------------------------------------------------===//

#include "ProgramAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Conversion/Passes.h"

namespace tapestry {
#define GEN_PASS_DEF_COUNTCOPIES
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

//===----------------------------------------------------------------------===//
// Which operations copy
//===----------------------------------------------------------------------===//

/// Whether a value in a body is an element of an operand, or one of several by
/// choice; constants beside them are pads.
static bool isLoaded(Value value, linalg::GenericOp op) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == op.getBody() &&
           argument.getArgNumber() < op.getNumDpsInputs() &&
           isa<MemRefType>(
               op.getDpsInputs()[argument.getArgNumber()].getType());
  Operation *made = value.getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(made)) {
    auto isElement = [&](Value chosen) {
      return matchPattern(chosen, m_Constant()) || isLoaded(chosen, op);
    };
    return (isLoaded(select.getTrueValue(), op) &&
            isElement(select.getFalseValue())) ||
           (isElement(select.getTrueValue()) &&
            isLoaded(select.getFalseValue(), op));
  }
  // Booleans lie in bytes.
  if (isa_and_nonnull<arith::TruncIOp, arith::ExtUIOp>(made))
    return (made->getOperand(0).getType().isInteger(1) ||
            value.getType().isInteger(1)) &&
           isLoaded(made->getOperand(0), op);
  return isa_and_nonnull<memref::LoadOp>(made);
}

/// The buffers that `op` copies into.
static SmallVector<Value> copiedInto(Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return {copy.getTarget()};
  if (auto copy = dyn_cast<linalg::CopyOp>(op))
    return llvm::to_vector(copy.getOutputs());
  auto generic = dyn_cast<linalg::GenericOp>(op);
  SmallVector<Value> targets;
  if (!generic || !generic.hasPureBufferSemantics() ||
      generic.getNumParallelLoops() != generic.getNumLoops())
    return targets;
  Operation *yield = generic.getBody()->getTerminator();
  for (auto [value, target] :
       llvm::zip_equal(yield->getOperands(), generic.getOutputs()))
    if (isLoaded(value, generic))
      targets.push_back(target);
  return targets;
}

/// The buffers that a kernel copies into, by their numbers among its arguments:
/// all of what it writes by copies alone.
static SmallVector<unsigned> copiedArguments(func::FuncOp kernel) {
  llvm::MapVector<unsigned, bool> copiedOnly;
  kernel.walk([&](linalg::LinalgOp op) {
    SmallVector<Value> copied = copiedInto(op);
    for (Value target : op.getDpsInits()) {
      auto argument = dyn_cast<BlockArgument>(rootOf(target));
      if (!argument || argument.getOwner() != &kernel.front())
        continue;
      auto [known, isNew] = copiedOnly.insert({argument.getArgNumber(), true});
      known->second &= llvm::is_contained(copied, target);
    }
  });
  SmallVector<unsigned> numbers;
  for (auto [number, isCopied] : copiedOnly)
    if (isCopied)
      numbers.push_back(number);
  return numbers;
}

//===----------------------------------------------------------------------===//
// What they write
//===----------------------------------------------------------------------===//

namespace {

/// The copies of a vertex in one block.
struct Copied {
  SmallVector<Value> targets;
  Operation *last = nullptr;
};

struct CountCopies : tapestry::impl::CountCopiesBase<CountCopies> {
  void runOnOperation() override {
    FailureOr<SmallVector<DictionaryAttr>> programs =
        program::readAll(getOperation(), {program::body, program::name});
    if (failed(programs))
      return signalPassFailure();
    SmallVector<Attribute> counted;
    for (DictionaryAttr program : *programs) {
      copies.clear();
      seen.clear();
      auto body = getOperation().lookupSymbol<func::FuncOp>(
          program.getAs<FlatSymbolRefAttr>(program::body).getValue());
      auto inputs = program.getAs<ArrayAttr>(program::inputs);
      own = body;
      described = program;
      numInputs = inputs ? inputs.size() : 0;
      if (body && !body.isExternal() && body.getNumArguments() != 0)
        count(body);
      NamedAttrList attributes(program);
      if (!copies.empty())
        attributes.set(program::copies, ArrayAttr::get(&getContext(), copies));
      counted.push_back(attributes.getDictionary(&getContext()));
    }
    if (!counted.empty())
      getOperation()->setAttr(program::attribute,
                              ArrayAttr::get(&getContext(), counted));
  }

private:
  void count(func::FuncOp function);
  void countIn(Block &block, Value rank);
  bool writesOutput(Operation &op, ArrayRef<Value> targets);
  StringAttr ownerOf(Operation &op, Value target);
  SmallVector<Value> targetsOf(Operation &op);
  func::FuncOp declareCount(Location loc, Type rank);

  /// What the program's copies are called.
  SmallVector<Attribute> copies;
  /// The program's own function, whose arguments are the rank, so many inputs
  /// and the outputs.
  func::FuncOp own;
  DictionaryAttr described;
  size_t numInputs = 0;
  /// The functions that are counted in, which loops call.
  llvm::SmallPtrSet<Operation *, 4> seen;
  llvm::DenseMap<Operation *, SmallVector<unsigned>> kernels;
};

} // namespace

func::FuncOp CountCopies::declareCount(Location loc, Type rank) {
  constexpr llvm::StringLiteral name = "tapestry_rt_copied";
  if (auto known = getOperation().lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder b(getOperation().getBodyRegion());
  auto function = func::FuncOp::create(
      b, loc, name,
      b.getFunctionType({rank, b.getI64Type(), b.getI64Type()}, {}));
  function.setPrivate();
  function->setAttr(deviceAttrName, b.getUnitAttr());
  return function;
}

/// The buffers that an operation of a program copies into.
SmallVector<Value> CountCopies::targetsOf(Operation &op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return copiedInto(&op);
  auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal() || !isKernel(callee))
    return {};
  auto [known, isNew] = kernels.try_emplace(callee);
  if (isNew)
    known->second = copiedArguments(callee);
  return llvm::map_to_vector(
      known->second, [&](unsigned number) { return call.getOperand(number); });
}

/// Whether outputs, the targets of a copy or of a kernel, are handed what
/// inputs have.
bool CountCopies::writesOutput(Operation &op, ArrayRef<Value> targets) {
  if (!isa<memref::CopyOp, func::CallOp>(op))
    return false;
  auto argumentOf = [&](Value buffer) -> size_t {
    auto argument = dyn_cast<BlockArgument>(rootOf(buffer));
    bool isOwn = argument && argument.getOwner() == &own.front();
    return isOwn ? argument.getArgNumber() : 0;
  };
  return llvm::all_of(op.getOperands(), [&](Value operand) {
    if (!isa<MemRefType>(operand.getType()))
      return true;
    size_t argument = argumentOf(operand);
    return llvm::is_contained(targets, operand)
               ? argument > numInputs
               : argument != 0 && argument <= numInputs;
  });
}

/// What a copy belongs to: the vertex that it is of, the output that it writes,
/// what computes in the same buffer or, where nothing does, the loop whose body
/// it is in or the program.
StringAttr CountCopies::ownerOf(Operation &op, Value target) {
  constexpr llvm::StringLiteral vertexName = "tapestry.vertex";
  if (auto vertex = op.getAttrOfType<StringAttr>(vertexName))
    return vertex;
  auto function = op.getParentOfType<func::FuncOp>();
  Value root = rootOf(target);
  auto argument = dyn_cast<BlockArgument>(root);
  auto outputs = described.getAs<ArrayAttr>(program::outputs);
  if (argument && argument.getOwner() == &own.front() && outputs) {
    size_t number = argument.getArgNumber();
    if (number > numInputs && number - numInputs <= outputs.size())
      return cast<DictionaryAttr>(outputs[number - numInputs - 1])
          .getAs<StringAttr>(program::name);
  }
  for (Operation &other : *op.getBlock())
    if (auto vertex = other.getAttrOfType<StringAttr>(vertexName);
        vertex && !argument &&
        llvm::any_of(other.getOperands(),
                     [&](Value operand) { return rootOf(operand) == root; }))
      return vertex;
  StringRef name = described.getAs<StringAttr>(program::name).getValue();
  if (function != own && function.getName().size() > name.size() + 1 &&
      function.getName().starts_with(name))
    name = function.getName().drop_front(name.size() + 1);
  return StringAttr::get(&getContext(), name);
}

void CountCopies::count(func::FuncOp function) {
  if (seen.insert(function).second)
    countIn(function.front(), function.getArgument(0));
}

/// The bytes of a buffer.
static Value emitBytes(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t known = storedBytes(type.getElementType()).value_or(0);
  Value bytes;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(extent)) {
      known *= extent;
      continue;
    }
    Value size = memref::DimOp::create(b, loc, buffer, dim);
    bytes = bytes ? Value(arith::MulIOp::create(b, loc, bytes, size)) : size;
  }
  Value constant = arith::ConstantIndexOp::create(b, loc, known);
  return bytes ? Value(arith::MulIOp::create(b, loc, bytes, constant))
               : constant;
}

void CountCopies::countIn(Block &block, Value rank) {
  llvm::MapVector<StringAttr, Copied> found;
  for (Operation &op : block) {
    for (Region &region : op.getRegions()) {
      if (isa<linalg::LinalgOp>(op))
        continue;
      for (Block &inner : region)
        countIn(inner, rank);
    }
    auto call = dyn_cast<func::CallOp>(op);
    auto callee =
        call ? getOperation().lookupSymbol<func::FuncOp>(call.getCallee())
             : nullptr;
    // The body of a loop is handed the rank as a program is.
    if (callee && !callee.isExternal() && !isKernel(callee) &&
        callee.getNumArguments() != 0 && call.getOperand(0) == rank &&
        isa<LLVM::LLVMPointerType>(rank.getType()))
      count(callee);
    SmallVector<Value> targets = targetsOf(op);
    if (targets.empty() || writesOutput(op, targets))
      continue;
    for (Value target : targets) {
      Copied &copied = found[ownerOf(op, target)];
      copied.targets.push_back(target);
      copied.last = &op;
    }
  }
  OpBuilder b(&getContext());
  for (auto &[vertex, copied] : found) {
    Location loc = copied.last->getLoc();
    b.setInsertionPointAfter(copied.last);
    Value bytes;
    for (Value target : copied.targets) {
      Value own = emitBytes(b, loc, target);
      bytes = bytes ? b.createOrFold<arith::AddIOp>(loc, bytes, own) : own;
    }
    bytes = arith::IndexCastOp::create(b, loc, b.getI64Type(), bytes);
    Value index =
        arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(copies.size()));
    func::CallOp::create(b, loc, declareCount(loc, rank.getType()),
                         ValueRange{rank, index, bytes})
        ->setAttr(deviceAttrName, b.getUnitAttr());
    copies.push_back(
        b.getDictionaryAttr(b.getNamedAttr(program::vertex, vertex)));
    numCounted += copied.targets.size();
  }
}
