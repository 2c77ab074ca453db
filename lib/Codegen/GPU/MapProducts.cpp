//===- MapProducts.cpp - Products of matrices to the library's ------------===//
//
// For each operation: read the nest, see whether it adds products of two
// inputs, find the matrices, call the runtime.
//
//===----------------------------------------------------------------------===//

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

/// Calls for one operation at most.
constexpr int64_t mostCalls = 16;
/// What the library may work in: as much as the largest matrix has, up to this.
constexpr int64_t mostWorkspace = 32 << 20;

/// A sum of products of two inputs, and of what with each.
struct ProductBody {
  unsigned factors[2];
  double alpha = 1;
};

/// The input that `value` is, maybe widened; -1 for anything else.
int factorOf(Nest &nest, Value value) {
  if (Operation *op = value.getDefiningOp())
    if (isa<arith::ExtFOp, arith::ExtSIOp>(op))
      value = op->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  bool isInput = argument && argument.getOwner() == &nest.body() &&
                 argument.getArgNumber() < nest.numInputs();
  return isInput ? static_cast<int>(argument.getArgNumber()) : -1;
}

std::optional<ProductBody> readBody(Nest &nest) {
  if (nest.outputs.size() != 1 ||
      !isa_and_nonnull<arith::AddFOp, arith::AddIOp>(nest.outputs[0].combine))
    return std::nullopt;
  ProductBody body;
  Value term = nest.outputs[0].contribution;
  APFloat by(0.0);
  for (auto scaled = term.getDefiningOp<arith::MulFOp>(); scaled;
       scaled = term.getDefiningOp<arith::MulFOp>()) {
    bool isRight = matchPattern(scaled.getRhs(), m_ConstantFloat(&by));
    if (!isRight && !matchPattern(scaled.getLhs(), m_ConstantFloat(&by)))
      break;
    body.alpha *= by.convertToDouble();
    term = isRight ? scaled.getLhs() : scaled.getRhs();
  }
  Operation *product = term.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    int factor = factorOf(nest, product->getOperand(side));
    if (factor < 0)
      return std::nullopt;
    body.factors[side] = factor;
  }
  return body;
}

/// What the library multiplies, and adds in the type of the result.
std::optional<TapestryDType> factorType(Type type, Type result) {
  if (type.isF64() && result.isF64())
    return TAPESTRY_F64;
  if (type.isInteger(8) && result.isInteger(32))
    return TAPESTRY_I8;
  if (!result.isF32())
    return std::nullopt;
  if (type.isF32())
    return TAPESTRY_F32;
  if (type.isBF16())
    return TAPESTRY_BF16;
  if (type.isF16())
    return TAPESTRY_F16;
  return std::nullopt;
}

TapestryDType resultType(TapestryDType factor) {
  return factor == TAPESTRY_F64  ? TAPESTRY_F64
         : factor == TAPESTRY_I8 ? TAPESTRY_I32
                                 : TAPESTRY_F32;
}

/// A nest that a call computes.
struct Product {
  MatrixProduct matrices;
  TapestryDType type;
  double alpha;
};

/// Of bytes the library takes matrices alone that have a multiple of four in
/// all directions, with terms side by side.
bool suitsBytes(const Nest &nest, const MatrixProduct &product) {
  auto isMultiple = [](int64_t number) { return number % 4 == 0; };
  for (unsigned loop : {product.row, product.column, product.term})
    if (!nest.problem.dims[loop].known ||
        !isMultiple(nest.problem.dims[loop].extent))
      return false;
  auto isAligned = [&](unsigned number) {
    linalg::GenericOp op = nest.op;
    SmallVector<int64_t> strides;
    int64_t offset;
    auto type = cast<MemRefType>(op->getOperand(number).getType());
    return succeeded(type.getStridesAndOffset(strides, offset)) &&
           isMultiple(offset) && type.hasStaticShape() &&
           llvm::all_of(strides, [&](int64_t stride) {
             return stride == 1 || isMultiple(stride);
           });
  };
  return !product.leftTransposed && product.rightTransposed &&
         isAligned(product.left) && isAligned(product.right) &&
         isAligned(nest.problem.accesses.size() - 1);
}

/// Whether different points have different elements: strides that are known at
/// run time only are no smaller than what lies within.
bool hasPlainMaps(linalg::GenericOp op) {
  return llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return map.isProjectedPermutation();
  });
}

std::optional<Product> findProduct(Nest &nest) {
  std::optional<ProductBody> body = readBody(nest);
  if (!body || !hasPlainMaps(nest.op))
    return std::nullopt;
  std::optional<ProductShape> shape = findProductShape(nest.problem);
  if (!shape || !isWorthFetching(nest.problem, *shape))
    return std::nullopt;
  std::optional<MatrixProduct> matrices =
      findMatrixProduct(nest.problem, *shape, mostCalls);
  if (!matrices)
    return std::nullopt;
  auto [a, b] = body->factors;
  if (std::minmax(a, b) != std::minmax(matrices->left, matrices->right))
    return std::nullopt;
  auto elementOf = [&](unsigned number) {
    return getElementTypeOrSelf(nest.op->getOperand(number).getType());
  };
  Type result = elementOf(nest.problem.accesses.size() - 1);
  auto type = factorType(elementOf(a), result);
  if (!type || elementOf(a) != elementOf(b) ||
      (*type == TAPESTRY_I8 && !suitsBytes(nest, *matrices)))
    return std::nullopt;
  // Those without a sign are no bytes of the library.
  if (*type == TAPESTRY_I8 &&
      nest.body()
          .walk([](arith::ExtUIOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    return std::nullopt;
  return Product{*matrices, *type, body->alpha};
}

class ProductEmitter {
public:
  ProductEmitter(IndexBuilder &b, Nest &nest, const Product &product, bool tf32)
      : b(b), nest(nest), matrices(product.matrices), type(product.type),
        alpha(product.alpha), tf32(tf32) {}

  LogicalResult emit(double beta);

private:
  Value word(OpFoldResult number);
  Value constantWord(int64_t number) { return word(b.index(number)); }
  Value real(double number);
  OpFoldResult strideOf(unsigned operand, int loop) {
    return loop < 0 ? b.index(0) : nest.operands[operand].strides[loop];
  }
  Value addressOf(unsigned operand, const NestPoint &point);
  SmallVector<Value> describe(double beta);
  OpFoldResult workspaceBytes();
  void call(LLVM::LLVMFuncOp callee, Value description, double beta,
            Value workspace, Value bytes);

  IndexBuilder &b;
  Nest &nest;
  const MatrixProduct &matrices;
  TapestryDType type;
  double alpha;
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

Value ProductEmitter::addressOf(unsigned operand, const NestPoint &point) {
  const NestOperand &matrix = nest.operands[operand];
  int64_t bytes = *storedBytes(matrix.elementType);
  OpFoldResult start =
      memref::ExtractAlignedPointerAsIndexOp::create(b, matrix.flat)
          .getResult();
  OpFoldResult address =
      b.add(start, b.mul(point.offset[operand], b.index(bytes)));
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                  word(address));
}

/// The fields of a TapestryProduct.
SmallVector<Value> ProductEmitter::describe(double beta) {
  unsigned result = nest.problem.accesses.size() - 1;
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
  matrix(result, resultType(type), /*transposed=*/false, matrices.row);
  fields.push_back(real(alpha));
  fields.push_back(real(beta));
  fields.push_back(constantWord(0));
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
  OpFoldResult most = bytes(row, column, nest.operands.back().elementType);
  most = b.max(most, bytes(row, term, factor));
  most = b.max(most, bytes(term, column, factor));
  return b.min(most, b.index(mostWorkspace));
}

void ProductEmitter::call(LLVM::LLVMFuncOp callee, Value description,
                          double beta, Value workspace, Value bytes) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value none = LLVM::ZeroOp::create(b, pointer);
  std::function<void(const NestPoint &, ArrayRef<unsigned>)> loops =
      [&](const NestPoint &point, ArrayRef<unsigned> rest) {
        if (rest.empty()) {
          Value left = addressOf(matrices.left, point);
          Value right = addressOf(matrices.right, point);
          Value result = addressOf(nest.problem.accesses.size() - 1, point);
          Value addend = beta == 0 ? none : result;
          LLVM::CallOp::create(b, callee,
                               ValueRange{none, description, left, right,
                                          addend, result, none, workspace,
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

LogicalResult ProductEmitter::emit(double beta) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type number = b.getI64Type();
  nest.materialize(b);
  SmallVector<Value> fields = describe(beta);
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
  call(*callee, description, beta, workspace, word(bytes));
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

/// Results start from the fill before, where that is 0.
LogicalResult MapProducts::map(linalg::GenericOp op) {
  FailureOr<Nest> nest = Nest::analyze(op);
  if (failed(nest))
    return success();
  std::optional<Product> product = findProduct(*nest);
  if (!product)
    return success();
  IndexBuilder b(op.getLoc(), op->getParentOfType<func::FuncOp>());
  b.setInsertionPoint(op);
  double beta = 1;
  linalg::GenericOp fill = findFill(*nest);
  if (fill && (matchPattern(filledValue(fill), m_AnyZeroFloat()) ||
               matchPattern(filledValue(fill), m_Zero()))) {
    beta = 0;
  } else {
    fill = nullptr;
  }
  ++numProducts;
  if (failed(ProductEmitter(b, *nest, *product, tf32).emit(beta)))
    return op.emitError("is a product that cannot be called");
  if (fill)
    fillIfEmpty(b, fill, nest->extents[product->matrices.term]);
  op.erase();
  return success();
}

} // namespace
} // namespace tapestry
