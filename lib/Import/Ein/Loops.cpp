//===- Loops.cpp - Loops of a .ein program --------------------------------===//
//
// A body has a scope of its own, which sees what is around it. The counter is
// carried as a tensor of the program is: a scalar that begins with 0 and to
// which every pass adds 1.
//
//===----------------------------------------------------------------------===//

#include "Analyzer.h"
#include "WholeTensors.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

/// A counter, or one more than it, as a vertex.
std::optional<unsigned> Analyzer::addNumber(const Scope &scope,
                                            const RepeatStmt &stmt,
                                            std::string name,
                                            std::optional<unsigned> before) {
  EquationStmt equation;
  equation.nameRange = stmt.nameRange;
  Vertex vertex;
  auto add = [&](NodeKind kind, llvm::ArrayRef<unsigned> args, int64_t value) {
    Node node;
    node.kind = kind;
    node.type = ElementType::I64;
    node.args.assign(args.begin(), args.end());
    node.constant.integer = value;
    vertex.nodes.push_back(std::move(node));
  };
  if (before) {
    vertex.operands.emplace_back().tensor = *before;
    add(NodeKind::Operand, {}, 0);
    add(NodeKind::Constant, {}, 1);
    add(NodeKind::Add, {0, 1}, 0);
  } else {
    add(NodeKind::Constant, {}, 0);
  }
  return addTensor(scope, equation, std::move(name), ElementType::I64, {},
                   std::move(vertex));
}

/// What the loop begins with, the counter last: vertices before it, whose
/// memory becomes the loop's.
bool Analyzer::beginCarried(const Scope &scope, const RepeatStmt &stmt,
                            Loop &loop) {
  bool ok = true;
  for (auto [position, init] : llvm::enumerate(stmt.carried)) {
    ok &= checkNew(scope, init->name, init->nameRange);
    for (const EquationStmt *earlier : stmt.carried.take_front(position))
      if (earlier->name == init->name) {
        diagnostics.error(init->nameRange,
                          "'" + init->name + "' is carried twice");
        ok = false;
      }
  }
  if (!ok)
    return false;
  for (const EquationStmt *init : stmt.carried) {
    std::optional<unsigned> tensor = expand(scope, *init).front();
    if (!tensor)
      return false;
    Tensor &begun = graph.tensors[*tensor];
    if (!init->constraints.empty())
      addConstraints(scope, init->constraints,
                     labelTargets(scope, begun, *init, *init), init->name,
                     begun.constraints.work, &begun.constraints.layoutGroup);
    begun.name = loop.name + "." + init->name.str() + ".start";
    loop.carried.push_back({*tensor, 0, 0, 0});
  }
  std::optional<unsigned> zero =
      addNumber(scope, stmt, loop.name + ".start", std::nullopt);
  if (zero)
    loop.carried.push_back({*zero, 0, 0, 0});
  return zero.has_value();
}

/// The names of what is carried, as the body knows it.
void Analyzer::addArguments(Scope &body, const RepeatStmt &stmt, Loop &loop) {
  for (auto [position, carried] : llvm::enumerate(loop.carried)) {
    bool isCounter = position == stmt.carried.size();
    Tensor argument = graph.tensors[carried.init];
    argument.vertex.reset();
    argument.isCarried = true;
    argument.constraints = {};
    if (isCounter)
      argument.passes = loop.passes;
    argument.name = isCounter
                        ? loop.name
                        : body.vertexNameFor(stmt.carried[position]->name);
    carried.argument = graph.tensors.size();
    if (isCounter)
      body.counters.push_back(carried.argument);
    Binding binding;
    binding.kind = Binding::Kind::Tensor;
    binding.tensor = carried.argument;
    binding.defined =
        isCounter ? stmt.nameRange : stmt.carried[position]->nameRange;
    body.define(isCounter ? stmt.name : stmt.carried[position]->name, binding);
    graph.tensors.push_back(std::move(argument));
  }
}

/// `next X[...] = ...`; all names still stand for what they were.
bool Analyzer::visitNext(Scope &body, const RepeatStmt &stmt,
                         const EquationStmt &next, Loop &loop) {
  if (!next.more.empty()) {
    diagnostics.error(next.more.front()->nameRange,
                      "'next' has one name on its left side");
    return false;
  }
  const auto *init = llvm::find_if(stmt.carried, [&](const auto *carried) {
    return carried->name == next.name;
  });
  if (init == stmt.carried.end()) {
    diagnostics
        .error(next.nameRange,
               "'" + next.name + "' is not carried by loop '" + stmt.name + "'")
        .note(stmt.nameRange, "what a loop carries stands behind its counter, "
                              "with what it begins with");
    return false;
  }
  Loop::Carried &carried = loop.carried[init - stmt.carried.begin()];
  if (carried.next != 0) {
    diagnostics.error(next.nameRange,
                      "'" + next.name + "' has a second 'next'");
    return false;
  }
  auto *shaped = context.create<EquationStmt>(next);
  shaped->carriedShape =
      context.copy<int64_t>(graph.tensors[carried.init].shape);
  std::optional<unsigned> made = expand(body, *shaped).front();
  if (!made)
    return false;
  Tensor &tensor = graph.tensors[*made];
  const Tensor &begun = graph.tensors[carried.init];
  if (tensor.type != begun.type || tensor.shape != begun.shape) {
    diagnostics
        .error(next.nameRange, "'" + next.name + "' is carried as " +
                                   typeToString(begun.type, begun.shape) +
                                   ", but its 'next' is " +
                                   typeToString(tensor.type, tensor.shape))
        .note((*init)->nameRange, "it begins here");
    return false;
  }
  if (!next.constraints.empty())
    addConstraints(body, next.constraints,
                   labelTargets(body, tensor, next, next), next.name,
                   tensor.constraints.work, &tensor.constraints.layoutGroup);
  carried.next = *made;
  return true;
}

void Analyzer::announceResults(Scope &scope, const RepeatStmt &stmt) {
  for (const EquationStmt *carried : stmt.carried)
    scope.announce(carried->name, carried->nameRange);
  for (const Step &step : stmt.body)
    if (step.kind == Step::Kind::Collect)
      scope.announce(step.stmt->name, step.stmt->nameRange);
}

/// `collect H[t, ...] = ...`; H is defined by the loop as a whole.
bool Analyzer::visitCollect(Scope &body, const RepeatStmt &stmt,
                            const EquationStmt &collect, Loop &loop) {
  auto fail = [&](llvm::SMRange range, const llvm::Twine &message) {
    diagnostics.error(range, message)
        .note(stmt.nameRange, "every pass of this loop makes a row, as in "
                              "collect " +
                                  collect.name + "[" + stmt.name +
                                  ", i] = ..., which stands after the loop");
    return false;
  };
  if (!checkNew(body, collect.name, collect.nameRange))
    return false;
  if (!collect.more.empty())
    return fail(collect.more.front()->nameRange,
                "'collect' has one name on its left side");
  const Label *first = collect.labels.empty() ? nullptr : &collect.labels[0];
  if (!first || first->name != stmt.name || first->extent)
    return fail(first ? first->range : collect.nameRange,
                "the first subscript of what is collected is the counter '" +
                    stmt.name + "' alone" + (first ? "" : ", here is none"));
  EquationStmt row = collect;
  row.labels = collect.labels.drop_front();
  row.constraints = {};
  const EquationStmt *kept = context.create<EquationStmt>(row);
  std::string name = collect.name.str();
  if (!countVertices(collect, 2))
    return false;
  std::optional<unsigned> made = expand(body, *kept).front();
  if (!made)
    return false;
  Tensor &tensor = graph.tensors[*made];
  Loop::Collected &collected = loop.collected.emplace_back();
  collected.name = name;
  collected.row = *made;
  collected.loc = collect.nameRange.Start;
  if (!collect.constraints.empty())
    addConstraints(body, collect.constraints,
                   labelTargets(body, tensor, *kept, *kept), collect.name,
                   collected.constraints.work,
                   &collected.constraints.layoutGroup);
  tensor.name += ".row";
  llvm::SmallVector<int64_t, 4> shape = {loop.passes};
  llvm::append_range(shape, tensor.shape);
  return checkSize(collect.name, collect.nameRange, tensor.type, shape);
}

bool Analyzer::visitSteps(Scope &body, const RepeatStmt &stmt, Loop &loop) {
  for (const Step &step : stmt.body) {
    if (auto *inner = llvm::dyn_cast<RepeatStmt>(step.stmt))
      announceResults(body, *inner);
    auto *equation = llvm::dyn_cast<EquationStmt>(step.stmt);
    if (!equation || step.kind == Step::Kind::Next)
      continue;
    if (step.kind == Step::Kind::Collect) {
      body.hide(equation->name, equation->nameRange);
      continue;
    }
    body.announce(equation->name, equation->nameRange);
    for (const EquationStmt *side : equation->more)
      body.announce(side->name, side->nameRange);
  }
  bool ok = true;
  for (const Step &step : stmt.body) {
    if (diagnostics.limitReached() || limitReported)
      return false;
    if (step.stmt->kind == Stmt::Kind::Invalid) {
      ok = false;
      Binding wrong;
      wrong.defined = step.stmt->nameRange;
      if (step.kind == Step::Kind::Plain)
        body.define(step.stmt->name, wrong);
    } else if (auto *inner = llvm::dyn_cast<RepeatStmt>(step.stmt))
      visitRepeat(body, *inner);
    else if (auto *point = llvm::dyn_cast<PointStmt>(step.stmt))
      visitPoint(body, *point);
    else if (step.kind == Step::Kind::Plain)
      visitEquation(body, *llvm::cast<EquationStmt>(step.stmt));
    else if (step.kind == Step::Kind::Collect)
      ok &=
          visitCollect(body, stmt, *llvm::cast<EquationStmt>(step.stmt), loop);
    else
      ok &= visitNext(body, stmt, *llvm::cast<EquationStmt>(step.stmt), loop);
  }
  for (auto [init, carried] : llvm::zip(stmt.carried, loop.carried))
    if (ok && carried.next == 0) {
      diagnostics.error(init->nameRange, "'" + init->name +
                                             "' is carried, but the body of "
                                             "loop '" +
                                             stmt.name + "' has no 'next " +
                                             init->name + "'");
      ok = false;
    }
  return ok;
}

/// Y of `next X = Y` and `next X[i] = Y[i]`; empty for others.
static llvm::StringRef copiedTensor(const EquationStmt &next) {
  if (auto *name = llvm::dyn_cast<NameExpr>(next.expr))
    return name->name;
  auto *access = llvm::dyn_cast<AccessExpr>(next.expr);
  if (!access || access->view || access->pad || access->fold ||
      access->subscripts.size() != next.labels.size())
    return "";
  for (auto [subscript, label] :
       llvm::zip_equal(access->subscripts, next.labels)) {
    auto *name = llvm::dyn_cast<NameExpr>(subscript);
    if (!name || name->name != label.name)
      return "";
  }
  return access->tensor;
}

/// `next X = Y` and `until max(abs(Y - X)) < 1e-6`: they are equal there.
void Analyzer::warnOfEqual(const RepeatStmt &stmt) {
  for (const Step &step : stmt.body) {
    auto *next = llvm::dyn_cast<EquationStmt>(step.stmt);
    if (!next || step.kind != Step::Kind::Next || !next->expr)
      continue;
    llvm::StringRef made = copiedTensor(*next);
    auto reads = [&](llvm::StringRef tensor) {
      return mentionsName(stmt.until->expr,
                          [&](llvm::StringRef name) { return name == tensor; });
    };
    if (!made.empty() && made != next->name && reads(next->name) && reads(made))
      diagnostics
          .warning(stmt.until->expr->range,
                   "'until' sees what the pass has made of '" + next->name +
                       "', which is '" + made + "'")
          .note("what compares with the value before stands in the body: E = "
                "max(abs(" +
                made + " - " + next->name + ")), then until E < 1e-6");
  }
}

/// The condition sees what the pass has made of what is carried.
bool Analyzer::visitUntil(const Scope &body, const RepeatStmt &stmt,
                          Loop &loop) {
  Scope made = Scope::ofLast(body);
  for (auto [init, carried] : llvm::zip(stmt.carried, loop.carried)) {
    Binding binding;
    binding.kind = Binding::Kind::Tensor;
    binding.defined = init->nameRange;
    binding.tensor = carried.next;
    made.define(init->name, binding);
  }
  warnOfEqual(stmt);
  std::optional<unsigned> stop = expand(made, *stmt.until).front();
  if (!stop)
    return false;
  const Tensor &tensor = graph.tensors[*stop];
  if (tensor.type != ElementType::Bool || !tensor.shape.empty()) {
    diagnostics
        .error(stmt.until->range, "what ends a loop is one bool, but this is " +
                                      typeToString(tensor.type, tensor.shape))
        .note("a comparison of scalars is one, as in until E < 1e-6 or until "
              "max[i](abs(R[i])) < 1e-6");
    return false;
  }
  loop.stop = *stop;
  return true;
}

void Analyzer::defineResults(Scope &scope, const RepeatStmt &stmt, Loop loop,
                             unsigned position) {
  loop.end = graph.tensors.size();
  for (auto [number, carried] : llvm::enumerate(loop.carried)) {
    bool isCounter = number == stmt.carried.size();
    Tensor result = graph.tensors[carried.argument];
    result.passes.reset();
    const EquationStmt *init = isCounter ? nullptr : stmt.carried[number];
    result.name =
        isCounter ? loop.name + ".count" : scope.vertexNameFor(init->name);
    carried.result = graph.tensors.size();
    Binding binding;
    binding.kind = Binding::Kind::Tensor;
    binding.tensor = carried.result;
    binding.defined = isCounter ? stmt.nameRange : init->nameRange;
    scope.define(isCounter ? (stmt.name + ".count").str() : init->name.str(),
                 binding);
    graph.tensors.push_back(std::move(result));
  }
  for (Loop::Collected &collected : loop.collected) {
    Tensor result;
    result.name = scope.vertexNameFor(collected.name);
    result.type = graph.tensors[collected.row].type;
    result.shape = {loop.passes};
    llvm::append_range(result.shape, graph.tensors[collected.row].shape);
    result.loc = collected.loc;
    result.isCarried = true;
    Binding binding;
    binding.kind = Binding::Kind::Tensor;
    binding.tensor = collected.result = graph.tensors.size();
    binding.defined = {collected.loc, collected.loc};
    scope.define(collected.name, binding);
    collected.name = loop.name + "." + collected.name;
    graph.tensors.push_back(std::move(result));
  }
  graph.loops[position] = std::move(loop);
}

void Analyzer::visitRepeat(Scope &scope, const RepeatStmt &stmt) {
  // Whatever is wrong, what is used later is defined.
  auto poison = [&] {
    Binding wrong;
    wrong.defined = stmt.nameRange;
    for (const EquationStmt *init : stmt.carried)
      if (!scope.findOwn(init->name))
        scope.define(init->name, wrong);
    for (const Step &step : stmt.body)
      if (step.kind == Step::Kind::Collect && !scope.findOwn(step.stmt->name))
        scope.define(step.stmt->name, wrong);
    scope.define((stmt.name + ".count").str(), wrong);
  };
  if (stmt.isInvalid || !checkNew(scope, stmt.name, stmt.nameRange))
    return poison();
  if (const Binding *earlier = scope.findOwn((stmt.name + ".count").str())) {
    diagnostics
        .error(stmt.nameRange,
               "'" + stmt.name + "' is the counter of another loop")
        .note(earlier->defined,
              "that is here; vertices and " + stmt.name +
                  ".count are named after it, so that this one needs another "
                  "name");
    return poison();
  }
  std::optional<int64_t> passes =
      ConstantEvaluator(scope, diagnostics, "a number of passes")
          .evaluateInt(stmt.passes, [&](const ExtentExpr &expr) {
            return scope.extentOf(expr, diagnostics);
          });
  if (passes && *passes < 1) {
    diagnostics.error(stmt.passes->range, "a loop has at least 1 pass, not " +
                                              llvm::Twine(*passes));
    passes.reset();
  }
  Loop loop;
  loop.name = scope.vertexNameFor(stmt.name);
  loop.loc = stmt.nameRange.Start;
  loop.calls.assign(calls.rbegin(), calls.rend());
  if (!passes || !beginCarried(scope, stmt, loop))
    return poison();
  loop.passes = *passes;
  loop.begin = graph.tensors.size();
  unsigned position = graph.loops.size();
  graph.loops.emplace_back();
  Scope body = Scope::ofBody(scope, stmt.name);
  addArguments(body, stmt, loop);
  if (!visitSteps(body, stmt, loop) ||
      (stmt.until && !visitUntil(body, stmt, loop)))
    return poison();
  std::optional<unsigned> next =
      addNumber(body, stmt, loop.name + ".count", loop.carried.back().argument);
  if (!next)
    return poison();
  loop.carried.back().next = *next;
  defineResults(scope, stmt, std::move(loop), position);
}
