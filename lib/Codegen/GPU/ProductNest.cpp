//===- ProductNest.cpp - What the library of products computes ------------===//

#include "ProductNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/Generics.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using linalg::GenericOp;

namespace tapestry {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

/// Calls for one operation at most.
constexpr int64_t mostCalls = 16;

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

/// Of bytes the library takes matrices alone that have a multiple of four in
/// all directions, with terms side by side.
bool suitsBytes(const Nest &nest, const MatrixProduct &product) {
  auto isMultiple = [](int64_t number) {
    return !ShapedType::isDynamic(number) && number % 4 == 0;
  };
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
    llvm::SmallDenseSet<AffineExpr> seen;
    return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
      // From some place on.
      if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
          sum && sum.getKind() == AffineExprKind::Add &&
          isa<AffineConstantExpr>(sum.getRHS()))
        expr = sum.getLHS();
      return isa<AffineConstantExpr>(expr) ||
             (isa<AffineDimExpr>(expr) && seen.insert(expr).second);
    });
  });
}

} // namespace

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
  Product product = {*matrices, *type, body->alpha, nullptr};
  linalg::GenericOp fill = findFill(nest);
  if (fill && (matchPattern(filledValue(fill), m_AnyZeroFloat()) ||
               matchPattern(filledValue(fill), m_Zero())))
    product.fill = fill;
  return product;
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

namespace {

/// The value of scalar arithmetic on one variable, of operations that have no
/// bends.
class FunctionOf {
public:
  FunctionOf(Value variable, double at) { known[variable] = at; }

  /// None for what is no function of the variable alone, or not understood.
  std::optional<double> evaluate(Value value) {
    auto [place, isNew] = known.try_emplace(value, std::nullopt);
    if (!isNew)
      return place->second;
    std::optional<double> result = compute(value);
    return known[value] = result;
  }

private:
  std::optional<double> compute(Value value);

  llvm::SmallDenseMap<Value, std::optional<double>> known;
};

std::optional<double> FunctionOf::compute(Value value) {
  APFloat constant(0.0);
  if (matchPattern(value, m_ConstantFloat(&constant)))
    return constant.convertToDouble();
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() == 0 || op->getNumOperands() > 2)
    return std::nullopt;
  std::optional<double> x = evaluate(op->getOperand(0)), y = x;
  if (op->getNumOperands() == 2)
    y = evaluate(op->getOperand(1));
  if (!x || !y)
    return std::nullopt;
  using Result = std::optional<double>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddFOp) -> Result { return *x + *y; })
      .Case([&](arith::SubFOp) -> Result { return *x - *y; })
      .Case([&](arith::MulFOp) -> Result { return *x * *y; })
      .Case([&](arith::DivFOp) -> Result { return *x / *y; })
      .Case([&](arith::NegFOp) -> Result { return -*x; })
      .Case([&](math::PowFOp) -> Result { return std::pow(*x, *y); })
      .Case([&](math::TanhOp) -> Result { return std::tanh(*x); })
      .Default([](Operation *) { return std::nullopt; });
}

double geluOf(double x) {
  return 0.5 * x *
         (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

/// Functions of a variable whose results are rounded to a type in the end: what
/// is rounded to that before is so once, there.
class FunctionMatcher {
public:
  FunctionMatcher(Value variable, Type type)
      : variable(variable), type(type == variable.getType() ? Type() : type) {}

  bool isItself(Value value) const { return unrounded(value) == variable; }
  bool isReLU(Value value) const;
  /// By its values, near 0 and far from it: that GELU has many spellings, whose
  /// constants are rounded to f32.
  bool isGELU(Value value) const;

private:
  Value unrounded(Value value) const;

  Value variable;
  Type type; ///< null: that of the variable
};

Value FunctionMatcher::unrounded(Value value) const {
  if (auto wide = value.getDefiningOp<arith::ExtFOp>();
      wide && wide.getIn().getType() == type)
    value = wide.getIn();
  auto rounded = value.getDefiningOp<arith::TruncFOp>();
  return rounded && rounded.getType() == type ? rounded.getIn() : value;
}

bool FunctionMatcher::isReLU(Value value) const {
  auto larger = unrounded(value).getDefiningOp<arith::MaximumFOp>();
  if (!larger)
    return false;
  Value a = larger.getLhs(), b = larger.getRhs();
  return (isItself(a) && matchPattern(b, m_PosZeroFloat())) ||
         (isItself(b) && matchPattern(a, m_PosZeroFloat()));
}

bool FunctionMatcher::isGELU(Value value) const {
  auto isNear = [&](double x) {
    std::optional<double> result =
        FunctionOf(variable, x).evaluate(unrounded(value));
    double want = geluOf(x);
    return result && std::abs(*result - want) <= 2e-6 * (1 + std::abs(want));
  };
  for (int step = -20; step <= 20; ++step)
    if (!isNear(step * 0.3125))
      return false;
  for (double far : {1e1, 1e2, 1e3, 1e4, 1e5})
    if (!isNear(far) || !isNear(-far))
      return false;
  return true;
}

/// Which function of the library gives `value` of `variable`; none where none
/// does.
std::optional<int64_t> functionOf(Value value, Value variable) {
  FunctionMatcher matcher(variable, value.getType());
  if (matcher.isItself(value))
    return 0;
  if (matcher.isReLU(value))
    return TAPESTRY_EPILOGUE_RELU;
  return matcher.isGELU(value) ? std::optional<int64_t>(TAPESTRY_EPILOGUE_GELU)
                               : std::nullopt;
}

class EpilogueFinder {
public:
  EpilogueFinder(Nest &nest, Product &product, GenericOp op)
      : nest(nest), product(product), op(op),
        results(nest.op.getDpsInits()[0]) {}

  std::optional<Epilogue> run();

private:
  bool readMaps();
  bool readBody();
  bool readResult();
  /// Adds what stands beside the sum so far.
  bool add(BlockArgument argument);
  bool isAsResults(Value buffer) const;
  bool isBias(unsigned input);
  bool isOnlyBetween();

  Nest &nest;
  Product &product;
  GenericOp op;
  Value results;
  Epilogue epilogue;
  double scale = 1;
  unsigned from = 0; ///< the input that the results are
};

/// Whether elements of `buffer` lie as the results do.
bool EpilogueFinder::isAsResults(Value buffer) const {
  if (buffer == results)
    return true;
  auto type = dyn_cast<MemRefType>(buffer.getType());
  auto own = cast<MemRefType>(results.getType());
  return type && type.getLayout().isIdentity() &&
         own.getLayout().isIdentity() && type.getShape() == own.getShape();
}

bool EpilogueFinder::readMaps() {
  if (!isElementwise(op) || op.getNumLoops() == 0 ||
      !op.getIndexingMapsArray().back().isIdentity())
    return false;
  bool isFound = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (input->get() != results)
      continue;
    if (isFound || !op.getMatchingIndexingMap(input).isIdentity())
      return false;
    from = input->getOperandNumber();
    isFound = true;
  }
  return isFound;
}

/// A number per column, where columns are one loop of the operation.
bool EpilogueFinder::isBias(unsigned input) {
  auto type = dyn_cast<MemRefType>(op.getDpsInputs()[input].getType());
  AffineMap map = op.getIndexingMapsArray()[input];
  if (!type || type.getRank() != 1 || !type.getLayout().isIdentity() ||
      type.getElementType() != getElementTypeOrSelf(results.getType()))
    return false;
  auto dim = dyn_cast<AffineDimExpr>(map.getResult(0));
  if (!dim || llvm::count(nest.loopOf, int(product.matrices.column)) != 1)
    return false;
  // Its loops are the dimensions of the results.
  GenericOp own = nest.op;
  auto loop = dyn_cast<AffineDimExpr>(
      own.getIndexingMapsArray().back().getResult(dim.getPosition()));
  return loop &&
         nest.loopOf[loop.getPosition()] == int(product.matrices.column);
}

bool EpilogueFinder::add(BlockArgument argument) {
  unsigned input = argument.getArgNumber();
  if (argument.getOwner() != op.getBody() || input >= op.getNumDpsInputs())
    return false;
  Value buffer = op.getDpsInputs()[input];
  if (!epilogue.bias && isBias(input)) {
    epilogue.bias = buffer;
    epilogue.functions |= TAPESTRY_EPILOGUE_BIAS;
    return true;
  }
  if (epilogue.addend || !isAsResults(buffer) ||
      buffer.getType() != results.getType() ||
      !op.getIndexingMapsArray()[input].isIdentity())
    return false;
  epilogue.addend = buffer;
  return true;
}

/// A function of the product, times a constant, with a bias and a matrix.
bool EpilogueFinder::readBody() {
  Value sum = op.getBody()->getArgument(from);
  while (sum.hasOneUse()) {
    Operation *user = *sum.user_begin();
    if (user->getNumOperands() != 2)
      break;
    Value other = user->getOperand(user->getOperand(0) == sum);
    APFloat by(0.0);
    auto argument = dyn_cast<BlockArgument>(other);
    if (isa<arith::AddFOp>(user) && argument && argument.hasOneUse()) {
      if (!add(argument))
        return false;
    } else if (isa<arith::MulFOp>(user) && !epilogue.bias && !epilogue.addend &&
               matchPattern(other, m_ConstantFloat(&by))) {
      scale *= by.convertToDouble();
    } else {
      break;
    }
    sum = user->getResult(0);
  }
  std::optional<int64_t> function =
      functionOf(op.getBody()->getTerminator()->getOperand(0), sum);
  if (!function)
    return false;
  epilogue.functions |= *function;
  return true;
}

/// Whether nobody but the two, what fills before and what frees touches the
/// results, which have a buffer of their own.
bool EpilogueFinder::isOnlyBetween() {
  if (!results.getDefiningOp<memref::AllocOp>())
    return false;
  Operation *own = nest.op;
  return llvm::all_of(results.getUsers(), [&](Operation *user) {
    return user == own || user == op.getOperation() ||
           user == product.fill.getOperation() || isa<memref::DeallocOp>(user);
  });
}

bool EpilogueFinder::readResult() {
  epilogue.result = op.getDpsInits()[0];
  Type element = getElementTypeOrSelf(epilogue.result.getType());
  Type sum = getElementTypeOrSelf(results.getType());
  if (!isAsResults(epilogue.result))
    return false;
  if (epilogue.result != results) {
    if (!isOnlyBetween() ||
        llvm::any_of(nest.op.getDpsInputs(), [&](Value input) {
          return mayAlias(input, epilogue.result);
        }))
      return false;
  }
  epilogue.type = sum.isF64() ? TAPESTRY_F64 : TAPESTRY_F32;
  if (element != sum) {
    // Bias and matrix would be of the result's type.
    if (epilogue.bias || epilogue.addend ||
        getElementTypeOrSelf(
            nest.op->getOperand(product.matrices.left).getType()) != element)
      return false;
    epilogue.type = element.isBF16() ? TAPESTRY_BF16 : TAPESTRY_F16;
  }
  auto isApart = [&](Value buffer) {
    return !buffer || !mayAlias(buffer, epilogue.result);
  };
  return isApart(epilogue.bias) &&
         (epilogue.addend == epilogue.result || isApart(epilogue.addend));
}

std::optional<Epilogue> EpilogueFinder::run() {
  // Sums of no terms, for which nothing is called, would have an epilogue, too.
  if (!product.fill || !nest.problem.dims[product.matrices.term].known ||
      nest.problem.dims[product.matrices.term].extent == 0 ||
      product.type == TAPESTRY_I8 || !readMaps() || !readBody() ||
      !readResult())
    return std::nullopt;
  // Of f64 the library has the sum alone.
  if (product.type == TAPESTRY_F64 && epilogue.functions)
    return std::nullopt;
  product.alpha *= scale;
  epilogue.op = op;
  return epilogue;
}

} // namespace

std::optional<Epilogue> findEpilogue(Nest &nest, Product &product,
                                     GenericOp op) {
  return EpilogueFinder(nest, product, op).run();
}

} // namespace tapestry
