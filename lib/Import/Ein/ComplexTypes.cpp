//===- ComplexTypes.cpp - Where complex numbers may stand -----------------===//

#include "StatementAnalyzer.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

bool tapestry::ein::takesComplex(NodeKind kind) {
  return kind == NodeKind::Re || kind == NodeKind::Im ||
         kind == NodeKind::Conj || kind == NodeKind::Arg;
}

bool StatementAnalyzer::requireOrder(llvm::SMRange range, ExprType type,
                                     llvm::StringRef what) {
  if (!type.isComplex())
    return true;
  diagnostics.error(range, what + " needs an order, which complex numbers do "
                                  "not have; take abs(...), or re(...)");
  return false;
}

bool StatementAnalyzer::requireReal(llvm::SMRange range, ExprType type,
                                    llvm::StringRef what) {
  if (!type.isComplex())
    return true;
  diagnostics.error(range, what + " takes no complex numbers; take re(...) and "
                                  "im(...)");
  return false;
}

/// Functions of complex numbers, and `complex` of their parts.
std::optional<ExprType>
StatementAnalyzer::inferComplexCall(const CallExpr &expr,
                                    const FunctionInfo &info, const Expr *first,
                                    ExprType type) {
  std::string what = ("'" + expr.callee + "'").str();
  auto fail = [&](const llvm::Twine &message) {
    diagnostics.error(first->range, what + message);
    return std::nullopt;
  };
  bool isOrdered = info.kind == NodeKind::Max || info.kind == NodeKind::Min ||
                   info.kind == NodeKind::Sign;
  if (isOrdered)
    return requireOrder(expr.range, type, what) ? std::optional(type)
                                                : std::nullopt;
  if (info.kind == NodeKind::Complex) {
    if (!type.isTyped() && !type.isComplex())
      return fail(" of numbers alone has no type; write 1 + 2i, or cast one of "
                  "them, e.g. " +
                  castHint(first, floatBeside()));
    if (!requireFloat(first, type, expr.callee))
      return std::nullopt;
    if (std::optional<ElementType> whole = complexType(type.type))
      return ExprType::typed(*whole);
    return fail(" needs parts of f32 or f64, but this is " +
                stringify(type.type) + "; cast it, e.g. " +
                castHint(first, ElementType::F32));
  }
  bool isOwn = takesComplex(info.kind);
  bool isShared = info.kind == NodeKind::Abs || info.kind == NodeKind::Exp ||
                  info.kind == NodeKind::Sqrt;
  if (!isOwn && !isShared)
    return requireFloat(first, type, expr.callee) ? std::optional(type)
                                                  : std::nullopt;
  bool isReal = info.kind == NodeKind::Abs || info.kind == NodeKind::Re ||
                info.kind == NodeKind::Im || info.kind == NodeKind::Arg;
  if (!type.isTyped() && type.isImaginary && !isReal) {
    // As of real numbers alone: exp(2i * pi * k) takes the type beside it.
    type.isFloat = true;
    type.isConstant = false;
    return type;
  }
  // A real number is its own conjugate and real part, as in NumPy, so that one
  // formula serves both.
  bool isItself = info.kind == NodeKind::Conj || info.kind == NodeKind::Re;
  if (isItself && type.isTyped() && isFloat(type.type))
    return type;
  if (!type.isTyped() || !type.isComplex())
    return fail(
        " needs a complex type, but this is " +
        (type.isTyped() ? describeType(type) : "made of numbers only") +
        "; cast it, e.g. " +
        castHint(first, complexType(floatBeside()).value_or(ElementType::C64)));
  return ExprType::typed(isReal ? partType(type.type) : type.type);
}
