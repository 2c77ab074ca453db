//===- MapProducts.cpp - Products of matrices to the library's ------------===//
//
// For each operation: read the nest, see whether it adds products of two
// inputs, find the matrices, call the runtime.
//
//===----------------------------------------------------------------------===//

#include "ProductNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "tapestry-rt/ABI.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/Generics.h"
#include "tapestry/Codegen/GPU/Passes.h"
#include "tapestry/Codegen/GPU/ProductShape.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_MAPPRODUCTS
#include "tapestry/Codegen/GPU/Passes.h.inc"

namespace {

/// What the library may work in: as much as the largest matrix has, up to this.
constexpr int64_t mostWorkspace = 32 << 20;

TapestryDType resultType(TapestryDType factor) {
  return factor == TAPESTRY_F64  ? TAPESTRY_F64
         : factor == TAPESTRY_I8 ? TAPESTRY_I32
                                 : TAPESTRY_F32;
}

class ProductEmitter {
public:
  /// Of a product alone the epilogue has no operation.
  ProductEmitter(IndexBuilder &b, Nest &nest, const Product &product,
                 const Epilogue &epilogue, bool tf32)
      : b(b), nest(nest), product(product), matrices(product.matrices),
        epilogue(epilogue), tf32(tf32) {}

  LogicalResult emit();

private:
  Value word(OpFoldResult number);
  Value constantWord(int64_t number) { return word(b.index(number)); }
  Value real(double number);
  OpFoldResult strideOf(unsigned operand, int loop) {
    return loop < 0 ? b.index(0) : nest.operands[operand].strides[loop];
  }
  unsigned resultNumber() { return nest.numInputs(); }
  bool readsAddend() const { return epilogue.addend || !product.fill; }
  Value addressOf(unsigned operand, const NestPoint &point);
  Value addressIn(Value buffer, OpFoldResult offset);
  Value addressAsResult(Value buffer, const NestPoint &point);
  SmallVector<Value> describe();
  OpFoldResult workspaceBytes();
  void call(LLVM::LLVMFuncOp callee, Value description, Value workspace,
            Value bytes);

  IndexBuilder &b;
  Nest &nest;
  const Product &product;
  const MatrixProduct &matrices;
  const Epilogue &epilogue;
  bool tf32;
};

Value ProductEmitter::word(OpFoldResult number) {
  if (std::optional<int64_t> known = b.known(number))
    return LLVM::ConstantOp::create(b, b.getI64IntegerAttr(*known));
  return arith::IndexCastOp::create(b, b.getI64Type(), b.value(number));
}

Value ProductEmitter::real(double number) {
  return LLVM::ConstantOp::create(b, b.getF64FloatAttr(number));
}

Value ProductEmitter::addressIn(Value buffer, OpFoldResult offset) {
  int64_t bytes = *storedBytes(getElementTypeOrSelf(buffer.getType()));
  OpFoldResult start =
      memref::ExtractAlignedPointerAsIndexOp::create(b, buffer).getResult();
  OpFoldResult address = b.add(start, b.mul(offset, b.index(bytes)));
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                  word(address));
}

Value ProductEmitter::addressOf(unsigned operand, const NestPoint &point) {
  return addressIn(nest.operands[operand].flat, point.offset[operand]);
}

/// Of a buffer whose elements lie as those of the results; null: theirs.
Value ProductEmitter::addressAsResult(Value buffer, const NestPoint &point) {
  if (!buffer || buffer == nest.op.getDpsInits()[0])
    return addressOf(resultNumber(), point);
  return addressIn(buffer, point.offset[resultNumber()]);
}

/// The fields of a TapestryProduct.
SmallVector<Value> ProductEmitter::describe() {
  TapestryDType type = product.type;
  int batch = matrices.batch;
  SmallVector<Value> fields;
  fields.push_back(batch < 0 ? constantWord(1) : word(nest.extents[batch]));
  for (unsigned loop : {matrices.row, matrices.column, matrices.term})
    fields.push_back(word(nest.extents[loop]));
  auto matrix = [&](unsigned operand, int64_t dtype, bool transposed,
                    unsigned pitch) {
    fields.push_back(constantWord(dtype));
    fields.push_back(constantWord(transposed));
    fields.push_back(word(strideOf(operand, static_cast<int>(pitch))));
    fields.push_back(word(strideOf(operand, batch)));
  };
  matrix(matrices.left, type, matrices.leftTransposed, matrices.leftPitch());
  matrix(matrices.right, type, matrices.rightTransposed, matrices.rightPitch());
  matrix(resultNumber(), epilogue.op ? epilogue.type : resultType(type),
         /*transposed=*/false, matrices.row);
  fields.push_back(real(product.alpha));
  fields.push_back(real(readsAddend()));
  fields.push_back(constantWord(epilogue.functions));
  fields.push_back(constantWord(tf32 && type == TAPESTRY_F32));
  return fields;
}

OpFoldResult ProductEmitter::workspaceBytes() {
  OpFoldResult row = nest.extents[matrices.row];
  OpFoldResult column = nest.extents[matrices.column];
  OpFoldResult term = nest.extents[matrices.term];
  OpFoldResult batches =
      matrices.batch < 0 ? b.index(1) : nest.extents[matrices.batch];
  auto bytes = [&](OpFoldResult x, OpFoldResult y, Type element) {
    return b.mul(b.mul(b.mul(x, y), batches), b.index(*storedBytes(element)));
  };
  Type factor = nest.operands[matrices.left].elementType;
  Type result = getElementTypeOrSelf(
      (epilogue.op ? epilogue.result : nest.op.getDpsInits()[0]).getType());
  OpFoldResult most = bytes(row, column, result);
  most = b.max(most, bytes(row, term, factor));
  most = b.max(most, bytes(term, column, factor));
  return b.min(most, b.index(mostWorkspace));
}

void ProductEmitter::call(LLVM::LLVMFuncOp callee, Value description,
                          Value workspace, Value bytes) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value none = LLVM::ZeroOp::create(b, pointer);
  Value bias =
      epilogue.bias ? addressIn(epilogue.bias, b.index(0)) : Value(none);
  std::function<void(const NestPoint &, ArrayRef<unsigned>)> loops =
      [&](const NestPoint &point, ArrayRef<unsigned> rest) {
        if (rest.empty()) {
          Value left = addressOf(matrices.left, point);
          Value right = addressOf(matrices.right, point);
          Value result = addressAsResult(epilogue.result, point);
          Value addend = epilogue.addend
                             ? addressAsResult(epilogue.addend, point)
                         : readsAddend() ? result
                                         : none;
          LLVM::CallOp::create(b, callee,
                               ValueRange{none, description, left, right,
                                          addend, result, bias, workspace,
                                          bytes});
          return;
        }
        auto loop = scf::ForOp::create(
            b, b.value(0), b.value(nest.extents[rest.front()]), b.value(1));
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        loops(nest.advance(b, point, rest.front(), loop.getInductionVar()),
              rest.drop_front());
      };
  loops(nest.origin(b), matrices.calls);
}

LogicalResult ProductEmitter::emit() {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type number = b.getI64Type();
  nest.materialize(b);
  SmallVector<Value> fields = describe();
  SmallVector<Type> types;
  for (Value field : fields)
    types.push_back(field.getType());
  auto structure = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value description;
  {
    OpBuilder::InsertionGuard guard(b);
    auto function = nest.op->getParentOfType<func::FuncOp>();
    b.setInsertionPointToStart(&function.front());
    Value one = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(1));
    description = LLVM::AllocaOp::create(b, pointer, structure, one);
  }
  for (auto [at, field] : llvm::enumerate(fields))
    LLVM::StoreOp::create(
        b, field,
        LLVM::GEPOp::create(b, pointer, structure, description,
                            ArrayRef<LLVM::GEPArg>{0, int32_t(at)}));
  FailureOr<LLVM::LLVMFuncOp> callee = LLVM::lookupOrCreateFn(
      b, nest.op->getParentOfType<ModuleOp>(), "tapestry_rt_product",
      {pointer, pointer, pointer, pointer, pointer, pointer, pointer, pointer,
       number},
      LLVM::LLVMVoidType::get(b.getContext()));
  if (failed(callee))
    return failure();
  OpFoldResult bytes = workspaceBytes();
  std::optional<int64_t> known = b.known(bytes);
  auto buffer =
      MemRefType::get({known.value_or(ShapedType::kDynamic)}, b.getI8Type());
  auto room = memref::AllocOp::create(
      b, buffer, known ? ValueRange() : ValueRange{b.value(bytes)});
  Value place = memref::ExtractAlignedPointerAsIndexOp::create(b, room);
  Value workspace = LLVM::IntToPtrOp::create(b, pointer, word(place));
  call(*callee, description, workspace, word(bytes));
  memref::DeallocOp::create(b, room);
  return success();
}

struct MapProducts : public impl::MapProductsBase<MapProducts> {
  using MapProductsBase::MapProductsBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isKernel(function) && !isHostCode(function) &&
          !function.isDeclaration())
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      // Backwards, so that a fill is still there when its reader is mapped.
      SmallVector<linalg::GenericOp> sums = collectSums(function);
      for (linalg::GenericOp op : llvm::reverse(sums))
        if (failed(map(op)))
          return signalPassFailure();
    }
  }

  /// Reductions that are not within a kernel's own loops.
  SmallVector<linalg::GenericOp> collectSums(func::FuncOp function) {
    SmallVector<linalg::GenericOp> sums;
    for (auto op : function.front().getOps<linalg::GenericOp>())
      if (op.getNumReductionLoops() > 0 && op.hasPureBufferSemantics())
        sums.push_back(op);
    return sums;
  }

  LogicalResult map(linalg::GenericOp op);
};

/// A sum of no terms, for which nothing is called, is what it begins with.
void fillIfEmpty(IndexBuilder &b, linalg::GenericOp fill, OpFoldResult terms) {
  if (b.known(terms)) {
    fill.erase();
    return;
  }
  Value isEmpty = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        b.value(terms), b.value(0));
  auto branch = scf::IfOp::create(b, isEmpty, /*withElseRegion=*/false);
  fill->moveBefore(branch.thenBlock()->getTerminator());
}

/// What `op` hands its results to, right behind it.
linalg::GenericOp nextOf(linalg::GenericOp op) {
  Operation *next = op->getNextNode();
  while (next && (isMemoryEffectFree(next) || isa<memref::AllocOp>(next)))
    next = next->getNextNode();
  return dyn_cast_or_null<linalg::GenericOp>(next);
}

/// Erases a buffer that nobody reads or writes any more; what asks for its
/// sizes asks `other`, which has the same.
void eraseUnread(memref::AllocOp buffer, Value other) {
  for (Operation *user : llvm::make_early_inc_range(buffer->getUsers())) {
    OpBuilder b(user);
    if (auto size = dyn_cast<memref::DimOp>(user)) {
      size.getSourceMutable().assign(other);
    } else if (auto old = dyn_cast<memref::ExtractStridedMetadataOp>(user)) {
      auto made =
          memref::ExtractStridedMetadataOp::create(b, user->getLoc(), other);
      for (auto [from, to] : llvm::drop_begin(
               llvm::zip_equal(old.getResults(), made.getResults())))
        from.replaceAllUsesWith(to);
      for (Operation *view :
           llvm::make_early_inc_range(old.getBaseBuffer().getUsers()))
        if (isOpTriviallyDead(view))
          view->erase();
      if (isOpTriviallyDead(old))
        old->erase();
    }
  }
  if (!llvm::all_of(buffer->getUsers(), llvm::IsaPred<memref::DeallocOp>))
    return;
  for (Operation *free : llvm::make_early_inc_range(buffer->getUsers()))
    free->erase();
  buffer.erase();
}

LogicalResult MapProducts::map(linalg::GenericOp op) {
  FailureOr<Nest> nest = Nest::analyze(op);
  if (failed(nest))
    return success();
  std::optional<Product> product = findProduct(*nest);
  if (!product)
    return success();
  Epilogue epilogue;
  Operation *last = op;
  if (linalg::GenericOp next = nextOf(op))
    if (auto found = findEpilogue(*nest, *product, next)) {
      epilogue = *found;
      last = next;
      ++numEpilogues;
    }
  IndexBuilder b(op.getLoc(), op->getParentOfType<func::FuncOp>());
  b.setInsertionPoint(last);
  ++numProducts;
  if (failed(ProductEmitter(b, *nest, *product, epilogue, tf32).emit()))
    return op.emitError("is a product that cannot be called");
  if (product->fill)
    fillIfEmpty(b, product->fill, nest->extents[product->matrices.term]);
  Value results = op.getDpsInits()[0];
  if (last != op)
    last->erase();
  op.erase();
  if (epilogue.result && epilogue.result != results)
    eraseUnread(results.getDefiningOp<memref::AllocOp>(), epilogue.result);
  return success();
}

} // namespace
} // namespace tapestry
