//===- AffineForm.cpp - Affine expressions as linear forms ----------------===//

#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tapestry;

namespace {
/// A linear form under construction: coefficients by dimension.
struct LinearSum {
  llvm::SmallVector<int64_t> coefficients;
  int64_t constant = 0;

  /// Adds scale * expr.
  LogicalResult add(AffineExpr expr, int64_t scale);
  ProjectionDim take() const;
};
} // namespace

static LogicalResult addProduct(int64_t &sum, int64_t a, int64_t b) {
  int64_t product;
  return failure(llvm::MulOverflow(a, b, product) ||
                 llvm::AddOverflow(sum, product, sum));
}

LogicalResult LinearSum::add(AffineExpr expr, int64_t scale) {
  if (auto value = dyn_cast<AffineConstantExpr>(expr))
    return addProduct(constant, value.getValue(), scale);
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= coefficients.size())
      coefficients.resize(dim.getPosition() + 1);
    return addProduct(coefficients[dim.getPosition()], 1, scale);
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  if (binary.getKind() == AffineExprKind::Add)
    return success(succeeded(add(binary.getLHS(), scale)) &&
                   succeeded(add(binary.getRHS(), scale)));
  if (binary.getKind() != AffineExprKind::Mul)
    return failure();
  for (auto [factor, other] : {std::pair(binary.getLHS(), binary.getRHS()),
                               std::pair(binary.getRHS(), binary.getLHS())}) {
    auto value = dyn_cast<AffineConstantExpr>(factor);
    int64_t product;
    if (value && !llvm::MulOverflow(value.getValue(), scale, product))
      return add(other, product);
  }
  return failure();
}

ProjectionDim LinearSum::take() const {
  ProjectionDim result;
  result.constant = constant;
  for (auto [dim, coefficient] : llvm::enumerate(coefficients))
    if (coefficient != 0)
      result.terms.push_back({static_cast<unsigned>(dim), coefficient});
  return result;
}

FailureOr<ProjectionDim> index::getLinearForm(AffineExpr expr) {
  // Most are one label.
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    ProjectionDim result;
    result.terms.push_back({dim.getPosition(), 1});
    return result;
  }
  LinearSum sum;
  if (failed(sum.add(expr, 1)))
    return failure();
  return sum.take();
}

static FailureOr<Projection>
formsOf(AffineMap map, FailureOr<ProjectionDim> (*formOf)(AffineExpr)) {
  Projection projection;
  for (AffineExpr expr : map.getResults()) {
    FailureOr<ProjectionDim> dim = formOf(expr);
    if (failed(dim))
      return failure();
    projection.dims.push_back(std::move(*dim));
  }
  return projection;
}

FailureOr<Projection> index::getLinearForms(AffineMap map) {
  return formsOf(map, getLinearForm);
}

/// What a division leaves of `dim` / d, mod included.
static LogicalResult divide(ProjectionDim &dim, int64_t divisor) {
  if (dim.mod % divisor != 0)
    return failure();
  dim.mod /= divisor;
  return failure(llvm::MulOverflow(dim.floordiv, divisor, dim.floordiv));
}

/// (x mod m) mod k is x mod k where k divides m. Terms that step by whole turns
/// are gone, whatever the order in which upstream would come across them.
static LogicalResult wrap(ProjectionDim &dim, int64_t modulus) {
  int64_t turn;
  if (dim.mod % modulus != 0 || llvm::MulOverflow(dim.floordiv, modulus, turn))
    return failure();
  dim.mod = modulus;
  llvm::erase_if(dim.terms, [&](const AffineTerm &term) {
    return term.coefficient % turn == 0;
  });
  return success();
}

/// (x floordiv d) + y is (x + y d) floordiv d.
static FailureOr<ProjectionDim> shift(const ProjectionDim &dim, AffineExpr by,
                                      MLIRContext *context) {
  LinearSum sum;
  ProjectionDim line = dim;
  line.floordiv = 1;
  if (dim.mod != 0 || failed(sum.add(index::getAffineExpr(line, context), 1)) ||
      failed(sum.add(by, dim.floordiv)))
    return failure();
  ProjectionDim result = sum.take();
  result.floordiv = dim.floordiv;
  return result;
}

FailureOr<ProjectionDim> index::getSubscript(AffineExpr expr) {
  FailureOr<ProjectionDim> linear = getLinearForm(expr);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (succeeded(linear) || !binary)
    return linear;
  AffineExpr inner = binary.getLHS(), other = binary.getRHS();
  if (binary.getKind() == AffineExprKind::Add) {
    if (succeeded(getLinearForm(inner)))
      std::swap(inner, other);
    FailureOr<ProjectionDim> dim = getSubscript(inner);
    if (failed(dim))
      return failure();
    return shift(*dim, other, expr.getContext());
  }
  auto value = dyn_cast<AffineConstantExpr>(other);
  FailureOr<ProjectionDim> dim = getSubscript(inner);
  if (!value || value.getValue() < 1 || failed(dim))
    return failure();
  LogicalResult done = failure();
  if (binary.getKind() == AffineExprKind::FloorDiv)
    done = divide(*dim, value.getValue());
  else if (binary.getKind() == AffineExprKind::Mod)
    done = wrap(*dim, value.getValue());
  if (failed(done))
    return failure();
  return dim;
}

FailureOr<Projection> index::getSubscripts(AffineMap map) {
  return formsOf(map, getSubscript);
}

AffineMap index::canonicalSubscripts(AffineMap map) {
  llvm::SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    FailureOr<ProjectionDim> dim = getSubscript(expr);
    results.push_back(
        succeeded(dim) && !dim->isLinear()
            ? getAffineExpr(*dim, map.getContext())
            : simplifyAffineExpr(expr, map.getNumDims(), map.getNumSymbols()));
  }
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                        map.getContext());
}

AffineExpr index::getAffineExpr(const ProjectionDim &dim,
                                MLIRContext *context) {
  AffineExpr sum = getAffineConstantExpr(dim.constant, context);
  for (const AffineTerm &term : llvm::reverse(dim.terms))
    sum = getAffineDimExpr(term.dim, context) * term.coefficient + sum;
  if (dim.floordiv != 1)
    sum = sum.floorDiv(dim.floordiv);
  bool wraps = dim.mod != 0 && dim.fold == Fold::Wrap;
  return wraps ? sum % dim.mod : sum;
}

std::optional<Fold> index::foldOf(Attribute pad) {
  auto name = dyn_cast<StringAttr>(pad);
  std::optional<Fold> fold =
      name ? symbolizeFold(name.getValue()) : std::nullopt;
  return fold == Fold::Wrap ? std::nullopt : fold;
}

AffineMap index::getStartMap(const Projection &projection, unsigned indexRank,
                             MLIRContext *context) {
  llvm::SmallVector<AffineExpr> results;
  for (const ProjectionDim &dim : projection.dims)
    results.push_back(dim.isPlainDim()
                          ? getAffineDimExpr(dim.terms[0].dim, context)
                          : getAffineExpr(dim, context));
  return AffineMap::get(indexRank, /*symbolCount=*/0, results, context);
}

/// |value| without the overflow at the smallest integer.
static uint64_t magnitude(int64_t value) {
  return value < 0 ? -static_cast<uint64_t>(value)
                   : static_cast<uint64_t>(value);
}

void index::printLinearForm(llvm::raw_ostream &os, const ProjectionDim &dim,
                            llvm::function_ref<void(unsigned)> printDim) {
  bool first = true;
  auto printSign = [&](int64_t value) {
    if (first)
      os << (value < 0 ? "-" : "");
    else
      os << (value < 0 ? " - " : " + ");
    first = false;
  };
  for (const AffineTerm &term : dim.terms) {
    printSign(term.coefficient);
    if (magnitude(term.coefficient) != 1)
      os << magnitude(term.coefficient) << " * ";
    printDim(term.dim);
  }
  if (dim.constant != 0 || first) {
    printSign(dim.constant);
    os << magnitude(dim.constant);
  }
}

void index::printSubscript(llvm::raw_ostream &os, const ProjectionDim &dim,
                           llvm::function_ref<void(unsigned)> printDim) {
  if (dim.isLinear())
    return printLinearForm(os, dim, printDim);
  bool isBoth = dim.floordiv != 1 && dim.mod != 0;
  // A label alone binds as the operators do.
  bool isLabel = dim.terms.size() == 1 && dim.terms[0].coefficient == 1 &&
                 dim.constant == 0;
  os << (isBoth ? "(" : "") << (isLabel ? "" : "(");
  printLinearForm(os, dim, printDim);
  os << (isLabel ? "" : ")");
  if (dim.floordiv != 1)
    os << " floordiv " << dim.floordiv;
  if (dim.mod != 0)
    os << (isBoth ? ")" : "") << ' ' << stringifyFold(dim.fold) << ' '
       << dim.mod;
}
