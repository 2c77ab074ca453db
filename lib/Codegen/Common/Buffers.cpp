//===- Buffers.cpp - Which operation touches which buffer -----------------===//
//
// Conservative: what is not understood touches everything.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/Common/Buffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tapestry/Codegen/Common/DeviceCode.h"

using namespace mlir;

namespace tapestry {

Value viewOfNext(OpBuilder &b, memref::ReinterpretCastOp cast) {
  Location loc = cast.getLoc();
  OpFoldResult offset = cast.getMixedOffsets().front();
  auto layout = llvm::cast<StridedLayoutAttr>(cast.getType().getLayout());
  int64_t known = ShapedType::kDynamic;
  if (std::optional<int64_t> constant = getConstantIntValue(offset)) {
    known = *constant + 1;
    offset = b.getIndexAttr(known);
  } else {
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    offset = arith::AddIOp::create(b, loc, llvm::cast<Value>(offset), one)
                 .getResult();
  }
  auto type = MemRefType::get(
      cast.getType().getShape(), cast.getType().getElementType(),
      StridedLayoutAttr::get(b.getContext(), known, layout.getStrides()),
      cast.getType().getMemorySpace());
  return memref::ReinterpretCastOp::create(b, loc, type, cast.getSource(),
                                           offset, cast.getMixedSizes(),
                                           cast.getMixedStrides());
}

bool isViewOfNext(Value next, Value memref) {
  auto second = next.getDefiningOp<memref::ReinterpretCastOp>();
  auto first = memref.getDefiningOp<memref::ReinterpretCastOp>();
  if (!first || !second || first.getSource() != second.getSource() ||
      first.getMixedSizes() != second.getMixedSizes() ||
      first.getMixedStrides() != second.getMixedStrides())
    return false;
  OpFoldResult from = first.getMixedOffsets().front();
  OpFoldResult to = second.getMixedOffsets().front();
  std::optional<int64_t> x = getConstantIntValue(from);
  std::optional<int64_t> y = getConstantIntValue(to);
  if (x && y)
    return *y == *x + 1;
  auto sum = y ? nullptr : cast<Value>(to).getDefiningOp<arith::AddIOp>();
  return sum && from == OpFoldResult(sum.getLhs()) &&
         matchPattern(sum.getRhs(), m_One());
}

Value elementAt(OpBuilder &b, Location loc, Value pointer, Type element) {
  auto single = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {pointer.getType(), pointer.getType(), b.getI64Type()});
  Value zero = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
  Value descriptor = LLVM::UndefOp::create(b, loc, single);
  for (auto [field, value] :
       llvm::enumerate(SmallVector<Value>{pointer, pointer, zero}))
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, value,
                                             static_cast<int64_t>(field));
  return UnrealizedConversionCastOp::create(
             b, loc, MemRefType::get({}, element), descriptor)
      .getResult(0);
}

std::optional<int64_t> storedBytes(Type element) {
  if (element.isIndex())
    return 8;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto part = storedBytes(complex.getElementType());
    return part ? std::optional(2 * *part) : std::nullopt;
  }
  if (!element.isIntOrFloat())
    return std::nullopt;
  // LLVM pads what is no power of two.
  return llvm::PowerOf2Ceil(
      llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

Value viewSourceOf(Value memref) {
  Operation *op = memref.getDefiningOp();
  // Most are allocated: the interface is asked for last.
  if (!op || isa<memref::AllocOp>(op))
    return {};
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return view.getViewSource();
  if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op))
    return metadata.getSource();
  // The same memory as one of elements of another type.
  auto cast = dyn_cast<UnrealizedConversionCastOp>(op);
  bool isView = cast && cast.getNumOperands() == 1 &&
                isa<BaseMemRefType>(cast.getOperand(0).getType());
  return isView ? cast.getOperand(0) : Value();
}

Value rootOf(Value memref) {
  while (Value source = viewSourceOf(memref))
    memref = source;
  return memref;
}

namespace {

/// What is known of where a root's memory comes from.
enum class Origin {
  /// Allocated by this function.
  Fresh,
  /// An argument that nothing else overlaps, says the caller.
  OwnArgument,
  /// Another argument.
  Argument,
  Global,
  Unknown,
};

} // namespace

static Origin originOf(Value root) {
  if (Operation *op = root.getDefiningOp()) {
    if (isa<memref::AllocOp, memref::AllocaOp>(op))
      return Origin::Fresh;
    return isa<memref::GetGlobalOp>(op) ? Origin::Global : Origin::Unknown;
  }
  auto argument = cast<BlockArgument>(root);
  auto function =
      dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return Origin::Unknown;
  return function.getArgAttr(argument.getArgNumber(),
                             LLVM::LLVMDialect::getNoAliasAttrName())
             ? Origin::OwnArgument
             : Origin::Argument;
}

bool isOfUnknownOrigin(Value root) { return originOf(root) == Origin::Unknown; }

bool isDistinct(Value root) {
  Origin origin = originOf(root);
  return origin == Origin::Fresh || origin == Origin::OwnArgument;
}

bool mayAlias(Value a, Value b) {
  if (!isa<BaseMemRefType>(a.getType()) || !isa<BaseMemRefType>(b.getType()))
    return false;
  a = rootOf(a);
  b = rootOf(b);
  if (a == b)
    return true;
  Origin first = originOf(a), second = originOf(b);
  if (first == Origin::Unknown || second == Origin::Unknown)
    return true;
  if (first == Origin::Global && second == Origin::Global)
    return a.getDefiningOp<memref::GetGlobalOp>().getName() ==
           b.getDefiningOp<memref::GetGlobalOp>().getName();
  // What was there before this function began may overlap; see isDistinct() for
  // what may not.
  auto before = [](Origin origin) {
    return origin == Origin::Argument || origin == Origin::Global;
  };
  return before(first) && before(second);
}

/// Adds the buffers that a call's operand gives access to: itself, or the one
/// whose address it was computed from.
static void addReachable(Value operand, SmallVectorImpl<Touch> &result) {
  SmallVector<Value> work{operand};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (isa<BaseMemRefType>(value.getType())) {
      result.push_back({value, true});
      continue;
    }
    if (Operation *op = value.getDefiningOp())
      if (isMemoryEffectFree(op))
        llvm::append_range(work, op->getOperands());
  }
}

/// Whether `op` computes values from values, by its dialect. Bodies are asked
/// about often, hence before interfaces are.
static bool isArithmetic(Operation &op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
      op.getDialect());
}

std::optional<SmallVector<Value>> buffersLoadedBy(linalg::LinalgOp op) {
  SmallVector<Value> buffers;
  for (Operation &inner : *op.getBlock()) {
    if (isArithmetic(inner) || isa<linalg::IndexOp, linalg::YieldOp>(inner))
      continue;
    WalkResult known = inner.walk([&](Operation *nested) {
      if (auto load = dyn_cast<memref::LoadOp>(nested))
        buffers.push_back(load.getMemRef());
      else if (!nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
               !isMemoryEffectFree(nested))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (known.wasInterrupted())
      return std::nullopt;
  }
  return buffers;
}

bool hasPureBody(linalg::LinalgOp op) {
  auto loaded = buffersLoadedBy(op);
  return loaded && loaded->empty();
}

/// What `op` says of itself; none where that does not name buffers.
static std::optional<SmallVector<Touch>> declaredAccesses(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface || op->getNumRegions() != 0)
    return std::nullopt;
  SmallVector<Touch> result;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      continue;
    Value value = effect.getValue();
    if (!value || !isa<BaseMemRefType>(value.getType()))
      return std::nullopt;
    result.push_back({value, !isa<MemoryEffects::Read>(effect.getEffect())});
  }
  return result;
}

std::optional<SmallVector<Touch>> accessesOf(Operation *op) {
  SmallVector<Touch> result;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    auto loaded = buffersLoadedBy(linalgOp);
    if (!linalgOp.hasPureBufferSemantics() || !loaded)
      return std::nullopt;
    unsigned inputs = linalgOp.getNumDpsInputs();
    for (OpOperand &operand : op->getOpOperands())
      if (isa<BaseMemRefType>(operand.get().getType()))
        result.push_back({operand.get(), operand.getOperandNumber() >= inputs});
    for (Value buffer : *loaded)
      result.push_back({buffer, false});
    return result;
  }
  // A call that our lowering made touches what it is given; any other may touch
  // what its callee can see.
  if (auto call = dyn_cast<func::CallOp>(op); call && isDeviceCode(call)) {
    for (Value operand : call.getOperands()) {
      if (isa<BaseMemRefType>(operand.getType()) ||
          !operand.getType().isIntOrIndexOrFloat())
        addReachable(operand, result);
    }
    return result;
  }
  if (op->hasTrait<OpTrait::IsTerminator>())
    return std::nullopt;
  if (isMemoryEffectFree(op))
    return result;
  return declaredAccesses(op);
}

std::optional<SmallVector<Touch>> touchesOf(Operation *op) {
  auto result = accessesOf(op);
  if (result)
    for (Touch &touch : *result)
      touch.buffer = rootOf(touch.buffer);
  return result;
}

bool conflict(Operation *a, Operation *b) {
  auto first = touchesOf(a), second = touchesOf(b);
  if (!first || !second)
    return true;
  for (const Touch &x : *first)
    for (const Touch &y : *second)
      if ((x.writes || y.writes) && mayAlias(x.buffer, y.buffer))
        return true;
  return false;
}

bool touches(Operation *op, Value buffer) {
  auto all = touchesOf(op);
  return !all || llvm::any_of(*all, [&](const Touch &t) {
    return mayAlias(t.buffer, buffer);
  });
}

bool isLocalFree(Operation *op) {
  auto free = dyn_cast<memref::DeallocOp>(op);
  return free && free.getMemref().getDefiningOp<memref::AllocOp>();
}

linalg::GenericOp copyToGeneric(RewriterBase &rewriter, memref::CopyOp copy) {
  auto type = cast<MemRefType>(copy.getTarget().getType());
  AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  rewriter.setInsertionPoint(copy);
  auto generic = linalg::GenericOp::create(
      rewriter, copy.getLoc(), copy.getSource(), copy.getTarget(),
      ArrayRef<AffineMap>{map, map}, kinds,
      [](OpBuilder &b, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(b, loc, arguments[0]);
      });
  rewriter.eraseOp(copy);
  return generic;
}

bool isElementwise(linalg::GenericOp op) {
  return op.getOutputs().size() == 1 && op.hasPureBufferSemantics() &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         op.getIndexingMapsArray().back().isPermutation() &&
         op.getBody()->getArguments().back().use_empty() && hasPureBody(op);
}

} // namespace tapestry
