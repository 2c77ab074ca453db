//===- ExprTypes.cpp - Types of expressions -------------------------------===//
//
// Types flow up from tensors and casts; literals, params and brackets have none
// of their own and take that of the operand beside them. Nothing is converted
// without a cast.
//
//===----------------------------------------------------------------------===//

#include "StatementAnalyzer.h"
#include "WholeTensors.h"
#include "tapestry/Import/Ein/Words.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

static constexpr FunctionInfo functionTable[] = {
    {"select", NodeKind::Select, 3, true},
    {"max", NodeKind::Max, 2, true},
    {"min", NodeKind::Min, 2, true},
    {"abs", NodeKind::Abs, 1, true},
    {"exp", NodeKind::Exp, 1, false},
    {"log", NodeKind::Log, 1, false},
    {"sqrt", NodeKind::Sqrt, 1, false},
    {"rsqrt", NodeKind::Rsqrt, 1, false},
    {"sin", NodeKind::Sin, 1, false},
    {"cos", NodeKind::Cos, 1, false},
    {"tanh", NodeKind::Tanh, 1, false},
    {"erf", NodeKind::Erf, 1, false},
    {"sigmoid", NodeKind::Sigmoid, 1, false},
    {"floor", NodeKind::Floor, 1, false},
    {"ceil", NodeKind::Ceil, 1, false},
    // Names that a program may define for itself.
    {"relu", NodeKind::Max, 1, true},
    {"clamp", NodeKind::Min, 3, true},
    {"sign", NodeKind::Sign, 1, true},
    {"round", NodeKind::Round, 1, false},
    {"trunc", NodeKind::Trunc, 1, false},
    {"tan", NodeKind::Tan, 1, false},
    {"log1p", NodeKind::Log1p, 1, false},
    {"expm1", NodeKind::ExpM1, 1, false},
    {"log2", NodeKind::Log2, 1, false},
    {"log10", NodeKind::Log10, 1, false},
    {"exp2", NodeKind::Exp2, 1, false},
    {"cbrt", NodeKind::Cbrt, 1, false},
    {"sinh", NodeKind::Sinh, 1, false},
    {"cosh", NodeKind::Cosh, 1, false},
    {"asin", NodeKind::Asin, 1, false},
    {"acos", NodeKind::Acos, 1, false},
    {"atan", NodeKind::Atan, 1, false},
    {"atan2", NodeKind::Atan2, 2, false},
    {"hypot", NodeKind::Hypot, 2, false},
    {"isnan", NodeKind::IsNaN, 1, false},
    {"isinf", NodeKind::IsInf, 1, false},
    {"re", NodeKind::Re, 1, false},
    {"im", NodeKind::Im, 1, false},
    {"conj", NodeKind::Conj, 1, false},
    {"arg", NodeKind::Arg, 1, false},
    {"complex", NodeKind::Complex, 2, false},
    // Of a seed (Random.cpp).
    {"random.bits", NodeKind::RandomBits, 1, true},
    {"random.uniform", NodeKind::RandomUniform, 1, false},
    {"random.normal", NodeKind::RandomNormal, 1, false},
    {"random.bernoulli", NodeKind::RandomUniform, 2, false},
};

const FunctionInfo *tapestry::ein::findFunction(llvm::StringRef name) {
  for (const FunctionInfo &info : functionTable)
    if (info.name == name)
      return &info;
  return nullptr;
}

std::vector<llvm::StringRef> tapestry::ein::functionNames() {
  std::vector<llvm::StringRef> names;
  for (const FunctionInfo &info : functionTable)
    names.push_back(info.name);
  return names;
}

std::string tapestry::ein::castHint(const Expr *expr, ElementType type) {
  return (stringify(type) + "(" + excerpt(expr->range) + ")").str();
}

/// An operand as it stands beside an operator that a message proposes.
static std::string operandText(const Expr *expr) {
  std::string text = excerpt(expr->range);
  return llvm::isa<BinaryExpr, UnaryExpr>(expr) ? "(" + text + ")" : text;
}

ElementType StatementAnalyzer::floatBeside() const {
  for (const Access &access : accesses)
    if (ElementType type = partType(infoOf(access).type); isFloat(type))
      return type;
  for (const Tensor &tensor : graph.tensors)
    if (isFloat(tensor.type))
      return tensor.type;
  return ElementType::F32;
}

std::string tapestry::ein::describeType(ExprType type) {
  switch (type.kind) {
  case ExprType::Kind::Typed:
    return stringify(type.type).str();
  case ExprType::Kind::Iverson:
    return "bool";
  case ExprType::Kind::Literal:
    return type.isImaginary ? "an imaginary number"
           : type.isFloat   ? "a number with a fraction"
           : type.hasLabel  ? "made of labels and numbers"
                            : "an integer literal";
  }
  llvm_unreachable("all kinds are described");
}

/// The order in which casts are suggested: towards the type that loses least.
static unsigned rankOf(ElementType type) {
  return bitWidth(type) + (isFloat(type)     ? bitWidth(ElementType::I64)
                           : isComplex(type) ? bitWidth(ElementType::C128)
                                             : 0);
}

std::optional<ExprType> StatementAnalyzer::infer(const Expr *expr) {
  if (auto it = types.find(expr); it != types.end())
    return it->second;
  std::optional<ExprType> type = inferUncached(expr);
  types[expr] = type;
  return type;
}

std::optional<ExprType> StatementAnalyzer::inferUncached(const Expr *expr) {
  switch (expr->kind) {
  case Expr::Kind::IntLiteral:
  case Expr::Kind::Extent:
    return ExprType::literal(/*isFloat=*/false, /*isConstant=*/true);
  case Expr::Kind::FloatLiteral: {
    ExprType type = ExprType::literal(/*isFloat=*/true, /*isConstant=*/true);
    type.isImaginary = llvm::cast<FloatLiteral>(expr)->isImaginary;
    return type;
  }
  case Expr::Kind::BoolLiteral:
    return ExprType::typed(ElementType::Bool);
  case Expr::Kind::Name:
    return inferName(*llvm::cast<NameExpr>(expr));
  case Expr::Kind::Access:
    return ExprType::typed(infoOf(accesses[accessOf.lookup(expr)]).type);
  case Expr::Kind::Iverson:
    return inferCondition(llvm::cast<IversonExpr>(expr)->condition);
  case Expr::Kind::Unary:
    return inferUnary(*llvm::cast<UnaryExpr>(expr));
  case Expr::Kind::Binary:
    return inferBinary(*llvm::cast<BinaryExpr>(expr));
  case Expr::Kind::Call:
    return inferCall(*llvm::cast<CallExpr>(expr));
  case Expr::Kind::Reduce:
    return inferReduce(*llvm::cast<ReduceExpr>(expr));
  case Expr::Kind::MatMul:
  case Expr::Kind::View:
    break;
  }
  llvm_unreachable("all expressions have a type");
}

std::optional<ExprType> StatementAnalyzer::inferName(const NameExpr &expr) {
  if (std::optional<Number> number = scope.lookupConstant(expr.name))
    return ExprType::literal(number->isFloat, /*isConstant=*/true);
  if (namesNumber(expr))
    return ExprType::literal(/*isFloat=*/true, /*isConstant=*/true);
  if (labelValues.contains(&expr) || isCounter(&expr))
    return ExprType::literal(/*isFloat=*/false, /*isConstant=*/false,
                             /*hasLabel=*/true);
  return ExprType::typed(
      graph.tensors[accesses[accessOf.lookup(&expr)].tensor].type);
}

/// The inside of brackets.
std::optional<ExprType> StatementAnalyzer::inferCondition(const Expr *expr) {
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(expr))
    return inferCondition(unary->operand);
  auto *binary = llvm::cast<BinaryExpr>(expr);
  bool ok = true;
  if (!isComparison(binary->op)) {
    ok = inferCondition(binary->lhs).has_value();
    ok &= inferCondition(binary->rhs).has_value();
  } else if (!conditions.contains(expr)) {
    ok = infer(expr).has_value();
  }
  return ok ? std::optional(ExprType::iverson()) : std::nullopt;
}

bool StatementAnalyzer::requireNumber(const Expr *expr, ExprType type,
                                      llvm::StringRef what) {
  if (!type.isTyped() || type.type != ElementType::Bool)
    return true;
  diagnostics.error(expr->range, what +
                                     " needs numbers, but this is bool; "
                                     "cast it, e.g. " +
                                     castHint(expr, floatBeside()) +
                                     ", or use && || and !");
  return false;
}

bool StatementAnalyzer::requireBool(const Expr *expr, ExprType type,
                                    const llvm::Twine &what,
                                    llvm::StringRef comparison) {
  if (type.isBool())
    return true;
  diagnostics.error(expr->range, what + " bool, but this is " +
                                     describeType(type) +
                                     "; compare it, e.g. " + operandText(expr) +
                                     " " + comparison);
  return false;
}

bool StatementAnalyzer::requireBits(const Expr *expr, ExprType type,
                                    llvm::StringRef what, bool shifts) {
  bool isReal = type.isTyped() ? isFloat(partType(type.type)) : type.isFloat;
  if (!isReal && !(shifts && type.isTyped() && type.isBool()))
    return true;
  auto error = diagnostics.error(
      expr->range, what + " needs integers" + (shifts ? "" : " or bools") +
                       ", but this is " + describeType(type) +
                       "; cast it, e.g. " + castHint(expr, ElementType::I32));
  if (llvm::StringRef advice = adviceFor(what.trim('\'')); !advice.empty())
    error.note(advice);
  return false;
}

bool StatementAnalyzer::requireFloat(const Expr *expr, ExprType type,
                                     llvm::StringRef name) {
  if (type.isTyped() && isFloat(type.type))
    return true;
  if (type.isComplex()) {
    diagnostics
        .error(expr->range, "'" + name +
                                "' takes no complex numbers, but this "
                                "is " +
                                describeType(type))
        .note("of complex numbers there are abs, arg, conj, exp, im, re and "
              "sqrt");
    return false;
  }
  diagnostics.error(expr->range,
                    "'" + name + "' needs a float type, but this is " +
                        (type.isTyped()
                             ? stringify(type.type)
                             : llvm::StringRef("made of numbers only")) +
                        "; cast it, e.g. " + castHint(expr, floatBeside()));
  return false;
}

std::optional<ExprType> StatementAnalyzer::inferUnary(const UnaryExpr &expr) {
  std::optional<ExprType> type = infer(expr.operand);
  if (!type)
    return std::nullopt;
  if (expr.op == UnaryOp::Not) {
    if (!requireBool(expr.operand, *type, "'!' needs", "== 0"))
      return std::nullopt;
    return ExprType::typed(ElementType::Bool);
  }
  if (!requireNumber(expr.operand, *type, "'-'"))
    return std::nullopt;
  if (type->kind == ExprType::Kind::Iverson)
    return ExprType::literal(/*isFloat=*/false, /*isConstant=*/false);
  return type;
}

std::optional<ExprType> StatementAnalyzer::unify(llvm::SMRange range,
                                                 llvm::StringRef what,
                                                 const Expr *lhs,
                                                 const Expr *rhs) {
  std::optional<ExprType> a = infer(lhs), b = infer(rhs);
  if (!a || !b)
    return std::nullopt;
  using Kind = ExprType::Kind;
  if (a->isTyped() && b->isTyped()) {
    if (a->type == b->type)
      return a;
    bool castRight = rankOf(a->type) >= rankOf(b->type);
    diagnostics
        .error(
            range,
            "operands of " + what + " have types " + stringify(a->type) +
                " and " + stringify(b->type) + "; cast one of them, e.g. " +
                (castRight ? castHint(rhs, a->type) : castHint(lhs, b->type)))
        .note(lhs->range, "this is " + stringify(a->type))
        .note(rhs->range, "this is " + stringify(b->type));
    isGuessed = true;
    return castRight ? a : b;
  }
  if (!a->isTyped() && !b->isTyped()) {
    if (a->kind == Kind::Iverson && b->kind == Kind::Iverson)
      return a;
    ExprType type = ExprType::literal(a->isFloat || b->isFloat,
                                      a->isConstant && b->isConstant,
                                      a->hasLabel || b->hasLabel);
    type.isImaginary = a->isImaginary || b->isImaginary;
    return type;
  }
  const Expr *typedExpr = a->isTyped() ? lhs : rhs;
  const Expr *otherExpr = a->isTyped() ? rhs : lhs;
  ExprType typed = a->isTyped() ? *a : *b, other = a->isTyped() ? *b : *a;
  bool isReal = isFloat(typed.type) && !other.isImaginary;
  if (other.kind == Kind::Iverson || isReal || isComplex(typed.type) ||
      (isInteger(typed.type) && !other.isFloat))
    return typed;
  ElementType part = isFloat(typed.type) ? typed.type : floatBeside();
  ElementType wanted =
      other.isImaginary ? complexType(part).value_or(ElementType::C64) : part;
  diagnostics
      .error(range, "operands of " + what + " are " + stringify(typed.type) +
                        " and " + describeType(other) + "; cast the " +
                        stringify(typed.type) + " one, e.g. " +
                        castHint(typedExpr, wanted))
      .note(typedExpr->range, "this is " + stringify(typed.type))
      .note(otherExpr->range, "this is " + describeType(other));
  isGuessed = true;
  return ExprType::typed(wanted);
}

std::optional<ExprType> StatementAnalyzer::arithmetic(llvm::SMRange range,
                                                      llvm::StringRef what,
                                                      const Expr *lhs,
                                                      const Expr *rhs) {
  std::optional<ExprType> a = infer(lhs), b = infer(rhs);
  if (!a || !b)
    return std::nullopt;
  bool lhsOk = requireNumber(lhs, *a, what);
  if (!requireNumber(rhs, *b, what) || !lhsOk)
    return std::nullopt;
  std::optional<ExprType> type = unify(range, what, lhs, rhs);
  // Two brackets make an integer: [i <= j] + [j <= k] counts.
  if (type && type->kind == ExprType::Kind::Iverson)
    return ExprType::literal(/*isFloat=*/false, /*isConstant=*/false);
  return type;
}

std::optional<ExprType>
StatementAnalyzer::inferLogical(const BinaryExpr &expr) {
  bool ok = true;
  for (const Expr *operand : {expr.lhs, expr.rhs}) {
    std::optional<ExprType> type = infer(operand);
    ok &= type && requireBool(operand, *type,
                              "'" + spelling(expr.op) + "' needs", "!= 0");
  }
  if (!ok)
    return std::nullopt;
  return ExprType::typed(ElementType::Bool);
}

std::optional<ExprType> StatementAnalyzer::inferBinary(const BinaryExpr &expr) {
  if (expr.op == BinaryOp::And || expr.op == BinaryOp::Or)
    return inferLogical(expr);
  if (expr.op == BinaryOp::Pow)
    return inferPower(expr);
  if (isBitwise(expr.op))
    return inferBitwise(expr);
  std::string what = ("'" + spelling(expr.op) + "'").str();
  if (!isComparison(expr.op)) {
    std::optional<ExprType> type =
        arithmetic(expr.opRange, what, expr.lhs, expr.rhs);
    if (expr.op == BinaryOp::FloorDiv || expr.op == BinaryOp::Mod)
      return type && requireReal(expr.range, *type, what) ? type : std::nullopt;
    // A fraction says that no quotient of integers is meant.
    if (!type || expr.op != BinaryOp::Div || !type->hasLabel || type->isFloat ||
        type->isImaginary)
      return type;
    std::string rhs = operandText(expr.rhs);
    diagnostics.error(
        expr.opRange,
        "'/' between labels and integers alone has no type; write " +
            operandText(expr.lhs) + " // " + rhs + " or " +
            castHint(expr.lhs, floatBeside()) + " / " + rhs);
    return std::nullopt;
  }
  bool equality = expr.op == BinaryOp::Eq || expr.op == BinaryOp::Ne;
  std::optional<ExprType> type =
      equality ? unify(expr.opRange, what, expr.lhs, expr.rhs)
               : arithmetic(expr.opRange, what, expr.lhs, expr.rhs);
  if (!type || (!equality && !requireOrder(expr.range, *type, what)))
    return std::nullopt;
  return ExprType::typed(ElementType::Bool);
}

/// Integers, or bools where nothing is shifted.
std::optional<ExprType>
StatementAnalyzer::inferBitwise(const BinaryExpr &expr) {
  bool shifts = expr.op == BinaryOp::Shl || expr.op == BinaryOp::Shr;
  std::string what = ("'" + spelling(expr.op) + "'").str();
  bool ok = true;
  for (const Expr *operand : {expr.lhs, expr.rhs}) {
    std::optional<ExprType> type = infer(operand);
    ok &= type && requireBits(operand, *type, what, shifts);
  }
  if (!ok)
    return std::nullopt;
  if (shifts)
    return arithmetic(expr.opRange, what, expr.lhs, expr.rhs);
  std::optional<ExprType> type = unify(expr.opRange, what, expr.lhs, expr.rhs);
  if (type && type->isBool())
    return ExprType::typed(ElementType::Bool);
  return type;
}

/// An integer literal as exponent goes with a base of any type: it becomes
/// multiplications.
std::optional<ExprType> StatementAnalyzer::inferPower(const BinaryExpr &expr) {
  std::optional<ExprType> base = infer(expr.lhs), exponent = infer(expr.rhs);
  if (!base || !exponent)
    return std::nullopt;
  std::optional<ExprType> type =
      arithmetic(expr.opRange, "'**'", expr.lhs, expr.rhs);
  if (!type)
    return std::nullopt;
  if (type->isComplex()) {
    if (!exponent->isConstant || exponent->isFloat) {
      diagnostics.error(expr.rhs->range, "a power of complex numbers needs a "
                                         "constant integer as exponent");
      return std::nullopt;
    }
    type->isConstant = false;
    return type;
  }
  bool integerBase = type->isTyped() ? isInteger(type->type) : !type->isFloat;
  if (integerBase && !exponent->isConstant) {
    auto error = diagnostics.error(
        expr.rhs->range, "a power of integers needs a constant exponent; cast "
                         "both operands to a float type");
    if (llvm::isa<IntLiteral>(expr.lhs))
      error.note("of a float it does not: " + excerpt(expr.lhs->range) +
                 ".0 ** " + operandText(expr.rhs));
    return std::nullopt;
  }
  return type;
}

std::optional<ExprType> StatementAnalyzer::inferSelect(const CallExpr &expr) {
  std::optional<ExprType> condition = infer(expr.args[0]);
  std::optional<ExprType> value =
      unify(expr.calleeRange, "'select'", expr.args[1], expr.args[2]);
  if (!condition ||
      !requireBool(expr.args[0], *condition,
                   "the condition of 'select' must be", "!= 0") ||
      !value)
    return std::nullopt;
  // The condition is never folded away, whatever the branches are.
  value->isConstant = false;
  return value;
}

std::optional<ExprType> StatementAnalyzer::inferCall(const CallExpr &expr) {
  if (std::optional<ElementType> type = parseElementType(expr.callee)) {
    std::optional<ExprType> from = infer(expr.args[0]);
    if (!from)
      return std::nullopt;
    if (!from->isComplex() || isComplex(*type))
      return ExprType::typed(*type);
    std::string text = excerpt(expr.args[0]->range);
    diagnostics.error(expr.range, "this is " + describeType(*from) +
                                      ", which is no " + stringify(*type) +
                                      "; take re(" + text + "), im(" + text +
                                      ") or abs(" + text + ")");
    return std::nullopt;
  }
  const FunctionInfo &info = *findFunction(expr.callee);
  std::string what = ("'" + expr.callee + "'").str();
  if (info.kind == NodeKind::Select)
    return inferSelect(expr);
  if (isRandom(expr.callee))
    return inferRandom(expr);
  const Expr *first = expr.args[0];
  std::optional<ExprType> type = infer(first);
  if (!type || !requireNumber(first, *type, what))
    return std::nullopt;
  // The first operand with a type agrees with all others.
  for (const Expr *arg : llvm::ArrayRef(expr.args).drop_front()) {
    type = arithmetic(expr.calleeRange, what, first, arg);
    if (!type)
      return std::nullopt;
    if (!infer(first)->isTyped())
      first = arg;
  }
  if (info.arity > 1)
    for (const Expr *arg : expr.args)
      if (type->isTyped() && infer(arg)->isTyped())
        first = arg;
  if (type->isComplex() || takesComplex(info.kind) ||
      info.kind == NodeKind::Complex)
    return inferComplexCall(expr, info, first, *type);
  bool isTest = info.kind == NodeKind::IsNaN || info.kind == NodeKind::IsInf;
  if ((type->isTyped() || isTest) && !info.onIntegers &&
      !requireFloat(first, *type, expr.callee))
    return std::nullopt;
  if (isTest)
    return ExprType::typed(ElementType::Bool);
  if (type->isTyped())
    return type;
  bool isFolded = expr.callee == "max" || expr.callee == "min";
  return ExprType::literal(type->isFloat || !info.onIntegers,
                           type->isConstant && isFolded, type->hasLabel);
}
