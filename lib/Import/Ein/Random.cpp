//===- Random.cpp - Random numbers ----------------------------------------===//
//
// A number is a function of a seed, of the place in the program (the name of
// the statement's vertex and the number of the call in it) and of the point:
// its row-major number over the labels that are known there, those of the
// result first, then the reduced ones from the outside in. So neither other
// statements nor the plan change it.
//
//===----------------------------------------------------------------------===//

#include "StatementAnalyzer.h"
#include "tapestry/Import/Ein/Words.h"
#include "llvm/Support/MD5.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

bool tapestry::ein::isRandom(llvm::StringRef name) {
  return name.starts_with(randomPrefix);
}

static bool isBernoulli(const CallExpr &expr) {
  return findFunction(expr.callee)->arity == 2;
}

bool StatementAnalyzer::collectRandom(const CallExpr &expr) {
  if (current == &vertex.epsilon) {
    diagnostics.error(expr.range,
                      "random numbers cannot stand in the second argument of "
                      "'" +
                          stringify(*equation.macro) +
                          "'; give them a statement of their own");
    return false;
  }
  RandomCall call;
  call.number = randomCalls.size();
  for (auto [position, label] : llvm::enumerate(labels))
    if (isVisible(label) && !label.undeclared)
      call.labels.push_back(position);
  for (unsigned counter : scope.counters) {
    passReads.emplace_back(expr.calleeRange, expr.callee);
    readScalar(passReads.back(), counter);
    call.passes.push_back(&passReads.back());
  }
  randomCalls.try_emplace(&expr, std::move(call));
  return true;
}

std::optional<ExprType> StatementAnalyzer::inferRandom(const CallExpr &expr) {
  std::string what = ("'" + expr.callee + "'").str();
  std::optional<ExprType> seed = infer(expr.args[0]);
  if (!seed)
    return std::nullopt;
  if (seed->isTyped() ? !isInteger(seed->type)
                      : seed->isFloat || seed->isBool()) {
    diagnostics.error(expr.args[0]->range, "the seed of " + what +
                                               " is an integer, but this is " +
                                               describeType(*seed));
    return std::nullopt;
  }
  auto reportType = [&](llvm::StringRef gives) {
    diagnostics.error(expr.calleeRange, what + " gives " + gives + ", not " +
                                            stringify(*expr.type));
    return std::nullopt;
  };
  if (isBernoulli(expr)) {
    std::optional<ExprType> p = infer(expr.args[1]);
    if (!p)
      return std::nullopt;
    if (p->isTyped() ? !isFloat(p->type) : p->isBool()) {
      diagnostics.error(expr.args[1]->range, "the probability of " + what +
                                                 " is a float, but this is " +
                                                 describeType(*p));
      return std::nullopt;
    }
    if (expr.type)
      return reportType("bools");
    return ExprType::typed(ElementType::Bool);
  }
  bool isBits = findFunction(expr.callee)->kind == NodeKind::RandomBits;
  if (!expr.type)
    return ExprType::literal(/*isFloat=*/!isBits, /*isConstant=*/false);
  if (isBits ? !isInteger(*expr.type) : !isFloat(*expr.type))
    return reportType(isBits ? "integers" : "floats");
  return ExprType::typed(*expr.type);
}

/// Every pass draws other numbers: the seed is joined with the numbers of the
/// passes, spread over its bits.
unsigned StatementAnalyzer::seedOfPass(const CallExpr &expr, unsigned seed) {
  // Odd, the fraction of the golden ratio.
  constexpr uint64_t spread = 0x9E3779B97F4A7C15;
  std::optional<unsigned> passes;
  for (const NameExpr *read : randomCalls.find(&expr)->second.passes) {
    unsigned pass = *build(read, ElementType::I64);
    if (passes)
      pass = addNode(NodeKind::Add, ElementType::I64, {*passes, pass});
    unsigned factor = addNode(NodeKind::Constant, ElementType::I64);
    current->nodes[factor].constant.integer = static_cast<int64_t>(spread);
    passes = addNode(NodeKind::Mul, ElementType::I64, {pass, factor});
  }
  return passes ? addNode(NodeKind::Xor, ElementType::I64, {seed, *passes})
                : seed;
}

unsigned StatementAnalyzer::addDraw(const CallExpr &expr, NodeKind kind,
                                    ElementType type, unsigned seed) {
  const RandomCall &call = randomCalls.find(&expr)->second;
  LinearForm form;
  // Of index spaces that are too large nothing is made.
  uint64_t stride = 1;
  for (unsigned label : llvm::reverse(call.labels)) {
    form.terms.insert(form.terms.begin(),
                      {label, static_cast<int64_t>(stride)});
    stride *= static_cast<uint64_t>(*labels[label].extent);
  }
  std::string place =
      scope.vertexNameFor(equation.name) + "#" + std::to_string(call.number);
  unsigned node = addNode(kind, type, seed);
  current->nodes[node].constant.integer =
      static_cast<int64_t>(llvm::MD5Hash(place));
  current->nodes[node].index = current->forms.size();
  current->forms.push_back(std::move(form));
  return node;
}

std::optional<unsigned> StatementAnalyzer::buildProbability(const Expr *expr) {
  if (!infer(expr)->isConstant)
    return buildCast(expr, ElementType::F64);
  std::optional<unsigned> node = buildConstant(expr, ElementType::F64);
  if (!node)
    return std::nullopt;
  double value = current->nodes[*node].constant.real;
  if (0 <= value && value <= 1)
    return node;
  diagnostics.error(expr->range,
                    "a probability lies between 0 and 1, but this is " +
                        toString(Number::ofReal(value)));
  return std::nullopt;
}

std::optional<unsigned> StatementAnalyzer::buildRandom(const CallExpr &expr,
                                                       ElementType type) {
  NodeKind kind = findFunction(expr.callee)->kind;
  if (kind == NodeKind::RandomBits && isFloat(type)) {
    diagnostics.error(
        expr.range, "'" + expr.callee + "' gives integers, but " +
                        stringify(type) + " is wanted here; cast them, e.g. " +
                        stringify(type) + "(" + expr.callee + "[i32](...))");
    return std::nullopt;
  }
  std::optional<unsigned> seed = buildCast(expr.args[0], ElementType::I64);
  if (!seed)
    return std::nullopt;
  seed = seedOfPass(expr, *seed);
  if (!isBernoulli(expr))
    return addDraw(expr, kind, type, *seed);
  std::optional<unsigned> p = buildProbability(expr.args[1]);
  if (!p)
    return std::nullopt;
  unsigned draw = addDraw(expr, kind, ElementType::F64, *seed);
  unsigned node = addNode(NodeKind::Compare, ElementType::Bool, {draw, *p});
  current->nodes[node].predicate = Predicate::Lt;
  return node;
}

std::optional<ElementType> StatementAnalyzer::checkDeclared(ExprType type) {
  ElementType declared = equation.literal->type;
  // A number may also become a bool, as by a cast: zeros are false.
  bool fits = type.isTyped()        ? type.type == declared
              : type.isComplex()    ? isComplex(declared)
              : isInteger(declared) ? !type.isFloat
                                    : true;
  if (fits)
    return declared;
  diagnostics.error(equation.nameRange,
                    "'" + equation.name + "' is declared as " +
                        stringify(declared) + ", but its expression is " +
                        describeType(type) + "; cast it, " +
                        stringify(declared) + "(...)");
  return std::nullopt;
}
