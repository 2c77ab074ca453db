//===- Body.cpp - From expressions to the nodes of a vertex ---------------===//

#include "StatementAnalyzer.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

/// Float powers that one operation rounds once: x^0, x, x^2 and 1 / x.
static bool isOneOperation(double exponent) {
  return exponent == 0 || std::abs(exponent) == 1 || exponent == 2;
}

bool Constant::operator==(const Constant &o) const {
  auto isSame = [](double a, double b) {
    return llvm::APFloat(a).bitwiseIsEqual(llvm::APFloat(b));
  };
  return integer == o.integer && isSame(real, o.real) &&
         isSame(imaginary, o.imaginary);
}

unsigned StatementAnalyzer::addNode(NodeKind kind, ElementType type,
                                    llvm::ArrayRef<unsigned> args) {
  Node node;
  node.kind = kind;
  node.type = type;
  node.args.assign(args.begin(), args.end());
  current->nodes.push_back(std::move(node));
  return current->nodes.size() - 1;
}

//===----------------------------------------------------------------------===//
// Constants and operands
//===----------------------------------------------------------------------===//

std::optional<Constant> StatementAnalyzer::toConstant(const Expr *expr,
                                                      ElementType type,
                                                      llvm::StringRef what) {
  // Collecting the statement has checked that the label exists.
  return ConstantEvaluator(scope, diagnostics, what)
      .evaluateAs(expr, type, [&](const ExtentExpr &extent) {
        return knownExtent(extent);
      });
}

bool StatementAnalyzer::buildPad(const Access &access,
                                 std::optional<Constant> &pad) {
  if (!access.pad)
    return true;
  ElementType type = infoOf(access).type;
  if (type != ElementType::Bool) {
    pad = toConstant(access.pad, type, "the padding");
    return pad.has_value();
  }
  if (auto *literal = llvm::dyn_cast<BoolLiteral>(access.pad)) {
    pad = Constant{literal->value, 0};
    return true;
  }
  diagnostics.error(access.pad->range,
                    "the padding of a bool tensor is true or false");
  return false;
}

/// What goes around is a form of its own; what stays inside is not folded.
void StatementAnalyzer::foldOperand(std::optional<Fold> fold,
                                    llvm::ArrayRef<int64_t> shape,
                                    Operand &operand) const {
  if (!fold)
    return;
  for (auto [form, extent] : llvm::zip_equal(operand.subscripts, shape)) {
    Bounds bounds = boundsOf(form);
    if (bounds.lo >= 0 && bounds.hi < extent)
      continue;
    if (*fold == Fold::Wrap)
      form.mod = extent;
    else
      operand.fold = fold;
  }
}

bool StatementAnalyzer::buildOperands() {
  bool ok = true;
  for (Access &access : accesses) {
    // Its vertex is built where it is read.
    if (access.isGather() || access.view)
      continue;
    nested = access.nested;
    Operand operand;
    operand.tensor = access.tensor;
    for (const SymbolicForm &form : access.subscripts)
      operand.subscripts.push_back(*resolve(form));
    foldOperand(access.fold, infoOf(access).shape, operand);
    if (!buildPad(access, operand.pad)) {
      ok = false;
      continue;
    }
    auto &operands = access.reader->operands;
    auto *it = llvm::find(operands, operand);
    access.operand = it - operands.begin();
    if (it == operands.end())
      operands.push_back(std::move(operand));
  }
  nested = nullptr;
  return ok;
}

bool StatementAnalyzer::buildReduced(Reduction reduction, const Expr *expr,
                                     ElementType type) {
  bool counts = reduction.monoid == Monoid::Sum && infer(expr)->isBool();
  return (counts ? buildCast(expr, type) : build(expr, type)).has_value();
}

std::optional<unsigned> StatementAnalyzer::buildConstant(const Expr *expr,
                                                         ElementType type) {
  std::optional<Constant> constant = toConstant(expr, type, "a number");
  if (!constant)
    return std::nullopt;
  unsigned node = addNode(NodeKind::Constant, type);
  current->nodes[node].constant = *constant;
  return node;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::optional<unsigned> StatementAnalyzer::build(const Expr *expr,
                                                 ElementType type) {
  ExprType own = *infer(expr);
  if (own.isConstant)
    return buildConstant(expr, type);
  // What is real is computed in the type of the parts.
  if (isComplex(type) && own.kind == ExprType::Kind::Literal &&
      !own.isImaginary) {
    std::optional<unsigned> node = build(expr, partType(type));
    return node ? std::optional(addNode(NodeKind::Cast, type, *node))
                : std::nullopt;
  }
  if (own.hasLabel && !checkLabelValues(expr, type))
    return std::nullopt;
  if (own.hasLabel && !own.isFloat && isFloat(type) &&
      expr->kind != Expr::Kind::Name) {
    std::optional<unsigned> node = build(expr, integerTypeOf(expr));
    return node ? std::optional(addNode(NodeKind::Cast, type, *node))
                : std::nullopt;
  }
  switch (expr->kind) {
  case Expr::Kind::BoolLiteral: {
    unsigned node = addNode(NodeKind::Constant, ElementType::Bool);
    current->nodes[node].constant.integer =
        llvm::cast<BoolLiteral>(expr)->value;
    return node;
  }
  case Expr::Kind::Name:
    if (auto label = labelValues.find(expr); label != labelValues.end()) {
      unsigned node = addNode(NodeKind::Label, type);
      current->nodes[node].index = current->forms.size();
      current->forms.push_back({{{label->second, 1}}, 0});
      return node;
    }
    [[fallthrough]];
  case Expr::Kind::Access: {
    const Access &access = accesses[accessOf.lookup(expr)];
    if (access.isGather())
      return buildGather(*llvm::cast<AccessExpr>(expr), type);
    if (access.view)
      return buildView(access, type);
    ElementType read = isCounter(expr) ? ElementType::I64 : type;
    unsigned node = addNode(NodeKind::Operand, read);
    current->nodes[node].index = access.operand;
    return read == type ? node : addNode(NodeKind::Cast, type, node);
  }
  case Expr::Kind::Iverson: {
    std::optional<unsigned> node =
        buildCondition(llvm::cast<IversonExpr>(expr)->condition);
    if (!node || type == ElementType::Bool)
      return node;
    return addNode(NodeKind::Cast, type, *node);
  }
  case Expr::Kind::Unary:
    return buildUnary(*llvm::cast<UnaryExpr>(expr), type);
  case Expr::Kind::Binary:
    return buildBinary(*llvm::cast<BinaryExpr>(expr), type);
  case Expr::Kind::Call:
    return buildCall(*llvm::cast<CallExpr>(expr), type);
  case Expr::Kind::Reduce:
    return buildReduce(*llvm::cast<ReduceExpr>(expr), type);
  case Expr::Kind::IntLiteral:
  case Expr::Kind::FloatLiteral:
  case Expr::Kind::Extent:
  case Expr::Kind::MatMul:
  case Expr::Kind::View:
    break;
  }
  llvm_unreachable("literals are constants, whole tensors have subscripts");
}

std::optional<unsigned> StatementAnalyzer::buildUnary(const UnaryExpr &expr,
                                                      ElementType type) {
  std::optional<unsigned> operand = build(expr.operand, type);
  if (!operand)
    return std::nullopt;
  return addNode(expr.op == UnaryOp::Not ? NodeKind::Not : NodeKind::Neg, type,
                 *operand);
}

/// The type in which the operands of a comparison are compared.
static ElementType operandType(ExprType lhs, ExprType rhs) {
  if (lhs.isTyped())
    return lhs.type;
  if (rhs.isTyped())
    return rhs.type;
  if (lhs.isBool() && rhs.isBool())
    return ElementType::Bool;
  // Numbers only: the widest types compare them exactly.
  if (lhs.isImaginary || rhs.isImaginary)
    return ElementType::C128;
  return lhs.isFloat || rhs.isFloat ? ElementType::F64 : ElementType::I64;
}

static Predicate predicateOf(BinaryOp op) {
  static constexpr Predicate predicates[] = {Predicate::Eq, Predicate::Ne,
                                             Predicate::Lt, Predicate::Le,
                                             Predicate::Gt, Predicate::Ge};
  assert(isComparison(op) && "no comparison");
  return predicates[static_cast<unsigned>(op) -
                    static_cast<unsigned>(BinaryOp::Eq)];
}

static NodeKind kindOf(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return NodeKind::Add;
  case BinaryOp::Sub:
    return NodeKind::Sub;
  case BinaryOp::Mul:
    return NodeKind::Mul;
  case BinaryOp::Div:
    return NodeKind::Div;
  case BinaryOp::FloorDiv:
    return NodeKind::FloorDiv;
  case BinaryOp::Mod:
    return NodeKind::Mod;
  case BinaryOp::Shl:
    return NodeKind::Shl;
  case BinaryOp::Shr:
    return NodeKind::Shr;
  case BinaryOp::BitXor:
    return NodeKind::Xor;
  case BinaryOp::And:
  case BinaryOp::BitAnd:
    return NodeKind::And;
  case BinaryOp::Or:
  case BinaryOp::BitOr:
    return NodeKind::Or;
  default:
    llvm_unreachable("comparisons and powers have rules of their own");
  }
}

std::optional<unsigned> StatementAnalyzer::buildBinary(const BinaryExpr &expr,
                                                       ElementType type) {
  if (expr.op == BinaryOp::Pow)
    return buildPower(expr, type);
  bool comparison = isComparison(expr.op);
  bool equality = expr.op == BinaryOp::Eq || expr.op == BinaryOp::Ne;
  ElementType inner = type;
  if (comparison) {
    ExprType lhs = *infer(expr.lhs), rhs = *infer(expr.rhs);
    inner = operandType(lhs, rhs);
    bool isNarrow = (lhs.hasLabel || rhs.hasLabel) &&
                    inner == ElementType::I64 && !lhs.isTyped() &&
                    !rhs.isTyped() && narrowBounds(expr.lhs) &&
                    narrowBounds(expr.rhs);
    if (isNarrow)
      inner = ElementType::I32;
    // Brackets are ordered as the numbers 0 and 1.
    if (inner == ElementType::Bool && !equality)
      inner = ElementType::I64;
  }
  std::optional<unsigned> lhs = build(expr.lhs, inner);
  std::optional<unsigned> rhs = build(expr.rhs, inner);
  if (!lhs || !rhs)
    return std::nullopt;
  if (comparison) {
    unsigned node = addNode(NodeKind::Compare, ElementType::Bool, {*lhs, *rhs});
    current->nodes[node].predicate = predicateOf(expr.op);
    return node;
  }
  const Node &divisor = current->nodes[*rhs];
  if (expr.op == BinaryOp::Div && isInteger(type) &&
      divisor.kind == NodeKind::Constant && divisor.constant.integer == 0) {
    diagnostics.error(expr.rhs->range, "division by zero");
    return std::nullopt;
  }
  return addNode(kindOf(expr.op), type, {*lhs, *rhs});
}

std::optional<unsigned> StatementAnalyzer::buildPower(const BinaryExpr &expr,
                                                      ElementType type) {
  ExprType exponentType = *infer(expr.rhs);
  if (isComplex(type)) {
    std::optional<Constant> exponent =
        toConstant(expr.rhs, ElementType::I64, "an exponent");
    return exponent ? buildIntegerPower(expr.lhs, exponent->integer, type)
                    : std::nullopt;
  }
  if (exponentType.isConstant) {
    ElementType constantType = isFloat(type) ? ElementType::F64 : type;
    std::optional<Constant> exponent =
        toConstant(expr.rhs, constantType, "an exponent");
    if (!exponent)
      return std::nullopt;
    if (isInteger(type) && exponent->integer < 0) {
      diagnostics.error(expr.rhs->range,
                        "a negative power of an integer is no integer; cast "
                        "the base to a float type");
      return std::nullopt;
    }
    if (isInteger(type))
      return buildIntegerPower(expr.lhs, exponent->integer, type);
    double value = exponent->real;
    if (isOneOperation(value))
      return buildIntegerPower(expr.lhs, static_cast<int64_t>(value), type);
    if (value == 0.5) {
      std::optional<unsigned> base = build(expr.lhs, type);
      if (!base)
        return std::nullopt;
      return addNode(NodeKind::Sqrt, type, *base);
    }
  }
  std::optional<unsigned> base = build(expr.lhs, type);
  std::optional<unsigned> exponent = build(expr.rhs, type);
  if (!base || !exponent)
    return std::nullopt;
  return addNode(NodeKind::Pow, type, {*base, *exponent});
}

/// By repeated squaring; the reciprocal for negative exponents.
std::optional<unsigned> StatementAnalyzer::buildIntegerPower(const Expr *base,
                                                             WideInt exponent,
                                                             ElementType type) {
  auto addOne = [&] {
    unsigned one = addNode(NodeKind::Constant, type);
    bool isWhole = isInteger(type);
    current->nodes[one].constant = {isWhole ? 1 : 0, isWhole ? 0.0 : 1.0};
    return one;
  };
  std::optional<unsigned> square = build(base, type);
  if (!square)
    return std::nullopt;
  if (exponent == 0)
    return addOne();
  bool negative = exponent < 0;
  std::optional<unsigned> product;
  for (WideInt rest = negative ? -exponent : exponent; rest > 0; rest /= 2) {
    if (rest % 2 != 0)
      product =
          product ? addNode(NodeKind::Mul, type, {*product, *square}) : *square;
    if (rest > 1)
      square = addNode(NodeKind::Mul, type, {*square, *square});
  }
  if (negative) {
    unsigned one = addOne();
    product = addNode(NodeKind::Div, type, {one, *product});
  }
  return product;
}

std::optional<unsigned> StatementAnalyzer::buildCall(const CallExpr &expr,
                                                     ElementType type) {
  if (parseElementType(expr.callee))
    return buildCast(expr.args[0], type);
  if (isRandom(expr.callee))
    return buildRandom(expr, type);
  const FunctionInfo &info = *findFunction(expr.callee);
  bool isTest = info.kind == NodeKind::IsNaN || info.kind == NodeKind::IsInf;
  ElementType operandType = type;
  if (info.kind == NodeKind::Complex)
    operandType = partType(type);
  else if (isTest ||
           (infer(expr.args[0])->isTyped() && infer(expr.args[0])->isComplex()))
    operandType = infer(expr.args[0])->type;
  llvm::SmallVector<unsigned, 3> args;
  for (auto [position, arg] : llvm::enumerate(expr.args)) {
    bool condition = info.kind == NodeKind::Select && position == 0;
    std::optional<unsigned> node =
        build(arg, condition ? ElementType::Bool : operandType);
    if (!node)
      return std::nullopt;
    args.push_back(*node);
  }
  bool isItself = info.kind == NodeKind::Conj || info.kind == NodeKind::Re;
  if (isItself && !isComplex(operandType))
    return args.front();
  // relu(x) is max(x, 0), clamp(x, lo, hi) is min(max(x, lo), hi).
  if (info.kind == NodeKind::Max && info.arity == 1)
    args.push_back(addNode(NodeKind::Constant, type));
  if (info.kind == NodeKind::Min && info.arity == 3)
    args = {addNode(NodeKind::Max, type, {args[0], args[1]}), args[2]};
  return addNode(info.kind, type, args);
}

std::optional<unsigned> StatementAnalyzer::buildCast(const Expr *operand,
                                                     ElementType type) {
  ExprType own = *infer(operand);
  ElementType from = own.type;
  if (own.kind == ExprType::Kind::Literal) {
    // A number becomes the type itself, where it can.
    bool direct = isFloat(partType(type)) || (isInteger(type) && !own.isFloat);
    from = direct ? type : own.isFloat ? ElementType::F64 : ElementType::I64;
    // Labels run further than a narrow type counts: they wrap or round.
    std::optional<int64_t> largest = largestValue(operand);
    bool held = largest && *largest <= largestExact(type);
    if (own.hasLabel && !own.isFloat && !held)
      from = integerTypeOf(operand);
  }
  std::optional<unsigned> node = build(operand, from);
  if (!node)
    return std::nullopt;
  // Narrow floats are computed in f32: casting one to its own type rounds it.
  bool rounds = type == ElementType::F16 || type == ElementType::BF16;
  bool isConstant = current->nodes[*node].kind == NodeKind::Constant;
  // Inner sums are wider than their type.
  bool isOperand = current->nodes[*node].kind == NodeKind::Operand &&
                   operand->kind != Expr::Kind::Reduce;
  if (from == type && (!rounds || isConstant || isOperand))
    return node;
  return addNode(NodeKind::Cast, type, *node);
}

std::optional<unsigned> StatementAnalyzer::buildCondition(const Expr *expr) {
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(expr)) {
    std::optional<unsigned> operand = buildCondition(unary->operand);
    if (!operand)
      return std::nullopt;
    return addNode(NodeKind::Not, ElementType::Bool, *operand);
  }
  auto *binary = llvm::cast<BinaryExpr>(expr);
  if (!isComparison(binary->op)) {
    std::optional<unsigned> lhs = buildCondition(binary->lhs);
    std::optional<unsigned> rhs = buildCondition(binary->rhs);
    if (!lhs || !rhs)
      return std::nullopt;
    return addNode(kindOf(binary->op), ElementType::Bool, {*lhs, *rhs});
  }
  auto forms = conditions.find(expr);
  if (forms == conditions.end())
    return build(expr, ElementType::Bool);
  const auto &[lhs, rhs] = forms->second;
  unsigned node = addNode(NodeKind::Index, ElementType::Bool);
  current->nodes[node].predicate = predicateOf(binary->op);
  current->nodes[node].index = current->forms.size();
  current->forms.push_back(*resolve(lhs));
  current->forms.push_back(*resolve(rhs));
  return node;
}
