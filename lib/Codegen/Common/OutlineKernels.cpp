//===- OutlineKernels.cpp - Kernels as functions, equal ones shared -------===//
//
// Collects what belongs to a kernel, moves it to a function and looks for an
// equal function.
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/DistinctFunctions.h"
#include "tapestry/Codegen/Common/ExpectedSizes.h"
#include "tapestry/Codegen/Common/Passes.h"
#include "tapestry/Dialect/Index/IR/IndexRandom.h"

using namespace mlir;
using linalg::GenericOp;

namespace tapestry {

#define GEN_PASS_DEF_OUTLINEKERNELS
#include "tapestry/Codegen/Common/Passes.h.inc"

namespace {

/// Fills of fewer elements stay where they are.
constexpr int64_t mostInPlace = 1 << 14;

/// The operations of one kernel, in order.
struct Kernel {
  SmallVector<Operation *> ops;
  /// Values that come from outside, constants other than random keys apart.
  llvm::SmallSetVector<Value, 8> arguments;
  /// Constants from outside, to be copied.
  llvm::SmallSetVector<Operation *, 8> constants;
};

/// Whether `constant` says no more than which random numbers are drawn.
bool isRandomKey(Operation *constant) {
  return !constant->use_empty() &&
         llvm::all_of(constant->getUsers(), llvm::IsaPred<index::RandomOp>);
}

/// Moves the seeds and streams of random numbers out of `ops`, to where `b`
/// is: every statement has its own, and kernels that differ in nothing else
/// are to be one.
void moveOutRandomKeys(ArrayRef<Operation *> ops, OpBuilder b, Location loc) {
  llvm::SmallDenseMap<Attribute, Value> known;
  auto outside = [&](TypedAttr word) {
    Value &value = known[word];
    if (!value)
      value = arith::ConstantOp::create(b, loc, word);
    return value;
  };
  auto moveOut = [&](index::RandomOp random) {
    if (!random.getCounter().getType().isInteger(64))
      return;
    IntegerAttr seed;
    Operation *inside = random.getSeed().getDefiningOp();
    if (matchPattern(random.getSeed(), m_Constant(&seed))) {
      random.getSeedMutable().assign(outside(seed));
      if (isOpTriviallyDead(inside))
        inside->erase();
    }
    if (random.getOffset())
      return;
    random.getOffsetMutable().assign(outside(random.getStreamAttr()));
    random.setStream(0);
  };
  for (Operation *op : ops)
    op->walk(moveOut);
}

void collectInputs(Kernel &kernel) {
  llvm::SmallDenseSet<Value> inside;
  auto use = [&](Value value) {
    if (inside.contains(value))
      return;
    Operation *def = value.getDefiningOp();
    if (def && def->hasTrait<OpTrait::ConstantLike>() && !isRandomKey(def))
      kernel.constants.insert(def);
    else
      kernel.arguments.insert(value);
  };
  for (Operation *op : kernel.ops) {
    llvm::for_each(op->getOperands(), use);
    llvm::SetVector<Value> above;
    getUsedValuesDefinedAbove(op->getRegions(), above);
    llvm::for_each(above, use);
    inside.insert(op->result_begin(), op->result_end());
  }
}

/// The operation on memory that is joined to `op`, right before it, or null.
Operation *joinedTo(Operation *op) {
  Operation *at = op->getPrevNode();
  while (at && (isMemoryEffectFree(at) || isa<memref::AllocOp>(at)))
    at = at->getPrevNode();
  return at && isJoined(at) ? at : nullptr;
}

/// Whether a fill may be where `op` starts from. What rims read is not filled
/// for one of them, and threads share out what is written into a filled buffer
/// without the fill.
bool startsFromFill(Operation *op) {
  auto generic = dyn_cast<GenericOp>(op);
  bool isMap = generic && generic.getNumReductionLoops() == 0;
  return !isRim(op) && (!isMap || joinedTo(op));
}

/// `op` with what is joined to it, the fills before that it starts from, and
/// with the buffers that only it uses.
Kernel kernelOf(Operation *op) {
  Kernel kernel;
  SmallVector<Operation *> before, after;
  Operation *joined = joinedTo(op);
  for (Operation *at = startsFromFill(op) ? op->getPrevNode() : nullptr; at;
       at = at->getPrevNode()) {
    auto fill = dyn_cast<GenericOp>(at);
    if (at == joined ||
        (fill && isFill(fill) && touches(op, fill.getDpsInits()[0]))) {
      before.push_back(at);
      continue;
    }
    if (!isMemoryEffectFree(at) && !isa<memref::AllocOp>(at))
      break;
  }
  llvm::SetVector<Value> used;
  used.insert(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used) {
    auto alloc = value.getDefiningOp<memref::AllocOp>();
    if (!alloc || alloc->getBlock() != op->getBlock())
      continue;
    SmallVector<Operation *> frees;
    bool local = true;
    for (Operation *user : alloc->getUsers()) {
      if (isa<memref::DeallocOp>(user) && user->getBlock() == op->getBlock())
        frees.push_back(user);
      else
        local &= op->isAncestor(user) || llvm::is_contained(before, user);
    }
    if (!local)
      continue;
    // Who frees what programs leave does not look into kernels.
    if (frees.empty()) {
      OpBuilder b(op->getContext());
      b.setInsertionPointAfter(op);
      frees.push_back(memref::DeallocOp::create(b, alloc.getLoc(), alloc));
    }
    before.push_back(alloc);
    llvm::append_range(after, frees);
  }
  llvm::sort(before,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  kernel.ops = before;
  kernel.ops.push_back(op);
  llvm::append_range(kernel.ops, after);
  moveOutRandomKeys(kernel.ops, OpBuilder(op), op->getLoc());
  collectInputs(kernel);
  return kernel;
}

/// A buffer of any shape, of which only is known what lies side by side, and
/// where there is one line.
Value forgetShape(OpBuilder &b, Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || failed(type.getStridesAndOffset(strides, offset)) ||
      strides.empty())
    return buffer;
  for (int64_t &stride : MutableArrayRef(strides).drop_back())
    stride = ShapedType::kDynamic;
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &extent : shape)
    extent = extent == 1 ? 1 : ShapedType::kDynamic;
  auto any = MemRefType::get(
      shape, type.getElementType(),
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides),
      type.getMemorySpace());
  if (any == type)
    return buffer;
  return memref::CastOp::create(b, buffer.getLoc(), any, buffer);
}

/// Nests over few points are computed in one function whatever the shapes of
/// their buffers are, and whether some of these are the same: an input per use,
/// in the order of the body.
GenericOp formRim(GenericOp op) {
  Block *body = op.getBody();
  SmallVector<OpOperand *> uses;
  for (Operation &inner : *body) {
    for (OpOperand &operand : inner.getOpOperands())
      if (is_contained(body->getArguments().drop_back(op.getNumDpsInits()),
                       operand.get()))
        uses.push_back(&operand);
    if (inner.getNumRegions() != 0)
      return op;
  }
  OpBuilder b(op);
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps, known = op.getIndexingMapsArray();
  for (OpOperand *use : uses) {
    unsigned number = cast<BlockArgument>(use->get()).getArgNumber();
    inputs.push_back(forgetShape(b, op.getDpsInputs()[number]));
    maps.push_back(known[number]);
  }
  for (Value output : op.getDpsInits())
    outputs.push_back(forgetShape(b, output));
  llvm::append_range(maps, ArrayRef(known).take_back(outputs.size()));
  auto formed = GenericOp::create(b, op.getLoc(), inputs, outputs, maps,
                                  op.getIteratorTypesArray());
  formed->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Region &region = formed.getRegion();
  region.takeBody(op.getRegion());
  body = &region.front();
  unsigned numOld = op.getNumDpsInputs();
  for (auto [number, use] : llvm::enumerate(uses))
    use->set(body->insertArgument(number, use->get().getType(), op.getLoc()));
  body->eraseArguments(uses.size(), numOld);
  op.erase();
  return formed;
}

struct OutlineKernels : public impl::OutlineKernelsBase<OutlineKernels> {
  using OutlineKernelsBase::OutlineKernelsBase;

  void runOnOperation() override;
  func::FuncOp build(const Kernel &kernel);
  void outline(const Kernel &kernel, Operation *last);

  DistinctFunctions kernels;
  std::optional<SymbolTable> symbols;
  std::optional<ExpectedSizes> sizes;
};

/// Whether `op` is a kernel, or a loop of a vertex, and a call of a function
/// without results can stand for it.
bool canOutline(Operation &op) {
  if (auto generic = dyn_cast<GenericOp>(op))
    return generic.hasPureBufferSemantics() && !isFill(generic) &&
           !isJoined(generic);
  return (isKernel(&op) || op.hasAttr("tapestry.vertex")) &&
         isa<LoopLikeOpInterface>(op) && op.getNumResults() == 0;
}

/// Whether `op` is a fill with more than one number, or of so many elements
/// that threads may share it out.
bool isKernelFill(Operation &op) {
  auto generic = dyn_cast<GenericOp>(op);
  if (!generic || !isFill(generic))
    return false;
  auto type = dyn_cast<MemRefType>(generic.getDpsInits()[0].getType());
  if (type && !(type.hasStaticShape() && type.getNumElements() < mostInPlace))
    return true;
  return !llvm::all_of(
      generic.getBody()->without_terminator(),
      [](Operation &inner) { return inner.hasTrait<OpTrait::ConstantLike>(); });
}

void OutlineKernels::runOnOperation() {
  kernels = {};
  symbols.emplace(getOperation());
  sizes.emplace(getOperation());
  // The fills that no kernel needs last.
  for (auto *isWanted : {canOutline, isKernelFill}) {
    SmallVector<Operation *> found;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!isDeviceCode(function) || isKernel(function))
        continue;
      for (Block &block : function.getBody())
        for (Operation &op : block)
          if (isWanted(op))
            found.push_back(&op);
    }
    for (Operation *op : found) {
      if (auto rim = dyn_cast<GenericOp>(op); rim && isRim(op))
        op = formRim(rim);
      outline(kernelOf(op), op);
    }
  }
}

/// Through which arguments, or values from inside, a kernel accesses memory;
/// none where that is not known.
std::optional<SmallVector<Touch>> accessesOf(const Kernel &kernel) {
  llvm::SmallMapVector<Value, bool, 8> written;
  auto add = [&](Operation *op) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
        !isa<linalg::LinalgOp>(op))
      return WalkResult::advance();
    if (op->hasTrait<OpTrait::IsTerminator>() && isMemoryEffectFree(op))
      return WalkResult::advance();
    auto accesses = tapestry::accessesOf(op);
    if (!accesses)
      return WalkResult::interrupt();
    for (Touch access : *accesses) {
      Value at = access.buffer;
      while (!kernel.arguments.contains(at) && viewSourceOf(at))
        at = viewSourceOf(at);
      written[at] |= access.writes;
    }
    return WalkResult::skip();
  };
  for (Operation *op : kernel.ops)
    if (op->walk<WalkOrder::PreOrder>(add).wasInterrupted())
      return std::nullopt;
  SmallVector<Touch> result;
  for (auto [buffer, writes] : written)
    result.push_back({buffer, writes});
  return result;
}

/// Which arguments are buffers whose memory, where the kernel writes it, it
/// accesses through them alone.
SmallVector<bool> distinctBuffers(const Kernel &kernel) {
  SmallVector<bool> result(kernel.arguments.size(), false);
  auto accesses = accessesOf(kernel);
  if (!accesses)
    return result;
  for (auto [number, value] : llvm::enumerate(kernel.arguments)) {
    if (!isa<MemRefType>(value.getType()))
      continue;
    Value argument = value;
    bool written = llvm::any_of(*accesses, [&](const Touch &access) {
      return access.buffer == argument && access.writes;
    });
    result[number] = llvm::none_of(*accesses, [&](const Touch &access) {
      return access.buffer != argument && (written || access.writes) &&
             mayAlias(access.buffer, argument);
    });
  }
  return result;
}

/// What tells layers of a model apart must not tell their kernels apart.
void dropMarks(Operation *op) {
  for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
    if (attribute.getName().strref().starts_with("tapestry.") &&
        attribute.getName() != parallelAttrName)
      op->removeDiscardableAttr(attribute.getName());
}

/// Moves the operations of `kernel` into a function.
func::FuncOp OutlineKernels::build(const Kernel &kernel) {
  OpBuilder b(&getContext());
  Location loc = kernel.ops.back()->getLoc();
  SmallVector<Type> types;
  for (Value value : kernel.arguments)
    types.push_back(value.getType());
  auto function = func::FuncOp::create(loc, "tapestry_kernel",
                                       b.getFunctionType(types, {}));
  function.setPrivate();
  function->setAttr(kernelAttrName, b.getUnitAttr());
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  // Hundreds of buffers are hundreds of pointers, where types say the rest.
  if (llvm::all_of(types, [](Type type) {
        auto buffer = dyn_cast<BaseMemRefType>(type);
        return !buffer || LLVMTypeConverter::canConvertToBarePtr(buffer);
      }))
    function->setAttr("llvm.bareptr", b.getUnitAttr());
  for (auto [number, distinct] : llvm::enumerate(distinctBuffers(kernel)))
    if (distinct)
      function.setArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName(),
                          b.getUnitAttr());

  // Shapes do not tell rims apart.
  for (auto [number, value] : llvm::enumerate(kernel.arguments))
    if (DenseI64ArrayAttr extents = isRim(kernel.ops.back())
                                        ? DenseI64ArrayAttr()
                                        : sizes->extentsOf(value))
      function.setArgAttr(number, extentsAttrName, extents);

  b.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(kernel.arguments.getArrayRef(), function.getArguments());
  for (Operation *constant : kernel.constants)
    dropMarks(b.clone(*constant, mapping));
  for (Operation *op : kernel.ops) {
    op->remove();
    b.insert(op);
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        operand.set(mapping.lookupOrDefault(operand.get()));
      dropMarks(inner);
    });
  }
  func::ReturnOp::create(b, loc);
  return function;
}

void OutlineKernels::outline(const Kernel &kernel, Operation *last) {
  OpBuilder b(last);
  auto call = func::CallOp::create(b, last->getLoc(), "tapestry_kernel",
                                   TypeRange(), kernel.arguments.getArrayRef());
  for (NamedAttribute attribute : last->getDiscardableAttrs())
    if (attribute.getName().strref().starts_with("tapestry."))
      call->setAttr(attribute.getName(), attribute.getValue());
  call->removeAttr(kernelAttrName);
  call->removeAttr(rimAttrName);
  call->setAttr(deviceAttrName, b.getUnitAttr());

  func::FuncOp function = build(kernel);
  if (func::FuncOp known = kernels.findOrAdd(function)) {
    function.erase();
    function = known;
    ++numShared;
  } else {
    symbols->insert(function);
    ++numKernels;
  }
  call.setCallee(function.getSymName());
}

} // namespace
} // namespace tapestry
