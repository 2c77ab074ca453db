//===- Macros.cpp - Definitions and uses of macros ------------------------===//
//
// A use gets a scope of its own in which the parameters stand for the
// arguments; the body's statements then run as those of a file do. Labels of
// the header have the extents of the arguments throughout the body.
//
//===----------------------------------------------------------------------===//

#include "Analyzer.h"
#include "tapestry/Import/Ein/Words.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

static std::string describeFormal(const Formal &formal) {
  return ("'" + excerpt(formal.range) + "'");
}

/// The names that a statement defines, with their places.
static llvm::SmallVector<const Stmt *> definedBy(const Stmt &stmt) {
  llvm::SmallVector<const Stmt *> names;
  if (llvm::isa<PointStmt>(&stmt)) {
    names.push_back(&stmt);
    return names;
  }
  if (auto *equation = llvm::dyn_cast<EquationStmt>(&stmt)) {
    names.push_back(equation);
    llvm::append_range(names, equation->more);
    return names;
  }
  const auto &loop = *llvm::cast<RepeatStmt>(&stmt);
  llvm::append_range(names, loop.carried);
  for (const Step &step : loop.body)
    if (step.kind == Step::Kind::Collect)
      names.push_back(step.stmt);
  return names;
}

/// Whether the body of a macro has a statement that defines tensor `name`.
static bool defines(const DefStmt &def, llvm::StringRef name) {
  return llvm::any_of(def.body, [&](const Stmt *stmt) {
    return !llvm::isa<PointStmt>(stmt) &&
           llvm::any_of(definedBy(*stmt), [&](const Stmt *defined) {
             return defined->name == name;
           });
  });
}

void Analyzer::visitDef(Scope &scope, const DefStmt &stmt) {
  if (!checkNew(scope, stmt.name, stmt.nameRange))
    return;
  Binding binding;
  binding.defined = stmt.nameRange;
  binding.macro = &stmt;
  bool ok = !stmt.bodyInvalid;
  llvm::StringMap<llvm::SMRange> names;
  for (const Formal &formal : stmt.formals) {
    auto [it, added] = names.try_emplace(formal.name, formal.range);
    if (added)
      continue;
    diagnostics
        .error(formal.range, "macro '" + stmt.name +
                                 "' has two parameters named '" + formal.name +
                                 "'")
        .note(it->second, "the first is here");
    ok = false;
  }
  ok &= checkDefaults(stmt);
  for (const Formal &result : stmt.results) {
    auto [it, added] = names.try_emplace(result.name, result.range);
    if (!added) {
      diagnostics
          .error(result.range, "the result of macro '" + stmt.name +
                                   "' has the name of a parameter or of "
                                   "another result")
          .note(it->second, "that is here");
      ok = false;
    } else if (!stmt.bodyInvalid && !defines(stmt, result.name)) {
      diagnostics.error(result.range, "macro '" + stmt.name +
                                          "' does not define its result '" +
                                          result.name + "'");
      ok = false;
    }
  }
  if (ok)
    binding.kind = Binding::Kind::Macro;
  scope.define(stmt.name, binding);
}

bool Analyzer::checkDefaults(const DefStmt &stmt) {
  bool ok = true, optional = false;
  for (const Formal &formal : stmt.formals) {
    if (formal.defaultValue && !formal.labels.empty()) {
      diagnostics.error(formal.defaultValue->range,
                        "parameter " + describeFormal(formal) +
                            " takes a tensor, which has no default");
      ok = false;
    } else if (!formal.defaultValue && optional) {
      diagnostics.error(formal.range,
                        "parameter " + describeFormal(formal) +
                            " has no default, but one before it has: only the "
                            "last arguments may be left out");
      ok = false;
    }
    optional |= formal.defaultValue != nullptr;
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// What a label of `scope` is called in the vertices.
static std::string outerName(const Scope &scope, llvm::StringRef label) {
  auto it = scope.labelNames.find(label);
  return it == scope.labelNames.end() ? label.str() : it->second;
}

bool Analyzer::bindLabelName(const Scope &scope, Scope &use,
                             llvm::StringRef formal, llvm::StringRef actual,
                             llvm::SMRange range) {
  std::string name = outerName(scope, actual);
  auto [it, added] = use.labelNames.try_emplace(formal, name);
  if (!added && it->second != name) {
    diagnostics.error(range, "label '" + actual +
                                 "' stands where the macro "
                                 "has '" +
                                 formal + "', which is '" + it->second +
                                 "' elsewhere in this use");
    return false;
  }
  for (const auto &other : use.labelNames) {
    if (other.first() == formal || other.second != name)
      continue;
    diagnostics.error(range, "label '" + actual + "' stands for both '" +
                                 other.first() + "' and '" + formal +
                                 "' of the macro");
    return false;
  }
  return true;
}

bool Analyzer::bindTensor(const Scope &scope, Scope &use, const Expr *arg,
                          llvm::StringRef name, llvm::SMRange range,
                          const Formal &formal, const DefStmt &def) {
  const Binding *binding = scope.lookup(name);
  if (!binding) {
    scope.reportUnknown(diagnostics, name, range, "tensor");
    return false;
  }
  if (binding->kind == Binding::Kind::Poison)
    return false;
  if (!binding->tensorIn(graph)) {
    diagnostics.error(range, "'" + name + "' is not a tensor")
        .note(formal.range, "the macro's parameter is here");
    return false;
  }
  const Tensor &tensor = *binding->tensorIn(graph);
  if (tensor.shape.size() != formal.labels.size()) {
    diagnostics
        .error(arg->range, "argument '" + name + "' has " +
                               countOf(tensor.shape.size(), "dimension") +
                               ", but parameter " + describeFormal(formal) +
                               " of macro '" + def.name + "' has " +
                               llvm::Twine(formal.labels.size()))
        .note(binding->defined, "'" + name + "' is defined here as " +
                                    typeToString(tensor.type, tensor.shape))
        .note(formal.range, "the parameter is here");
    return false;
  }
  for (auto [label, extent] : llvm::zip(formal.labels, tensor.shape)) {
    auto [it, added] = use.extents.try_emplace(
        label.name, Scope::BoundExtent{extent, arg->range});
    if (added || it->second.extent == extent)
      continue;
    diagnostics
        .error(arg->range, "label '" + label.name + "' of macro '" + def.name +
                               "' has extent " +
                               llvm::Twine(it->second.extent) +
                               " in one argument but " + llvm::Twine(extent) +
                               " in '" + name + "'")
        .note(it->second.where,
              "extent " + llvm::Twine(it->second.extent) + " comes from here")
        .note(formal.range, "the parameter is here");
    return false;
  }
  Binding bound = *binding;
  bound.defined = formal.range;
  use.define(formal.name, bound);

  auto *access = llvm::dyn_cast<AccessExpr>(arg);
  if (!access)
    return true;
  for (auto [label, subscript] :
       llvm::zip_equal(formal.labels, access->subscripts)) {
    auto *actual = llvm::dyn_cast<NameExpr>(subscript);
    if (!actual || scope.lookupConstant(actual->name)) {
      diagnostics
          .error(subscript->range,
                 "an argument is a whole tensor: its subscripts can only "
                 "name its labels")
          .note("compute '" + excerpt(arg->range) +
                "' in a statement of its own first");
      return false;
    }
    if (!bindLabelName(scope, use, label.name, actual->name, actual->range))
      return false;
  }
  return true;
}

bool Analyzer::bindConstant(const Scope &scope, Scope &use, const Expr *arg,
                            const Formal &formal, const DefStmt &def) {
  if (!formal.labels.empty()) {
    diagnostics
        .error(arg->range,
               "parameter " + describeFormal(formal) + " of macro '" +
                   def.name + "' takes a tensor; compute '" +
                   excerpt(arg->range) + "' in a statement of its own first")
        .note(formal.range, "the parameter is here");
    return false;
  }
  std::optional<Number> value =
      ConstantEvaluator(scope, diagnostics, "an argument without dimensions")
          .evaluate(arg, /*asReal=*/true, [&](const ExtentExpr &expr) {
            return scope.extentOf(expr, diagnostics);
          });
  if (!value)
    return false;
  Binding binding;
  binding.kind = Binding::Kind::Constant;
  binding.defined = formal.range;
  binding.constant = *value;
  use.define(formal.name, binding);
  return true;
}

bool Analyzer::bindArgument(const Scope &scope, Scope &use, const Expr *arg,
                            const Formal &formal, const DefStmt &def) {
  if (auto *name = llvm::dyn_cast<NameExpr>(arg);
      name && !(formal.labels.empty() && scope.lookupConstant(name->name)))
    return bindTensor(scope, use, arg, name->name, name->range, formal, def);
  auto *access = llvm::dyn_cast<AccessExpr>(arg);
  if (!access || access->pad || access->fold || access->view)
    return bindConstant(scope, use, arg, formal, def);
  if (access->subscripts.size() != formal.labels.size()) {
    diagnostics
        .error(arg->range, "'" + excerpt(arg->range) + "' has " +
                               countOf(access->subscripts.size(), "subscript") +
                               ", but parameter " + describeFormal(formal) +
                               " has " +
                               countOf(formal.labels.size(), "dimension"))
        .note(formal.range, "the parameter is here");
    return false;
  }
  return bindTensor(scope, use, arg, access->tensor, access->tensorRange,
                    formal, def);
}

bool Analyzer::bindResultLabels(const Scope &scope, Scope &use,
                                const EquationStmt &stmt, const DefStmt &def,
                                const Formal &result) {
  if (!stmt.hasLabels)
    return true;
  if (stmt.labels.size() != result.labels.size()) {
    diagnostics
        .error(stmt.nameRange, "'" + stmt.name + "' has " +
                                   countOf(stmt.labels.size(), "label") +
                                   ", but the result of macro '" + def.name +
                                   "' has " + llvm::Twine(result.labels.size()))
        .note(result.range, "the result is here");
    return false;
  }
  for (auto [formal, actual] : llvm::zip(result.labels, stmt.labels)) {
    if (actual.place) {
      diagnostics.error(actual.range,
                        "the result of a macro has labels only; write to "
                        "places in another statement");
      return false;
    }
    if (actual.extent) {
      diagnostics.error(actual.extent->range,
                        "the extents of a macro's result follow from its "
                        "arguments");
      return false;
    }
    if (!bindLabelName(scope, use, formal.name, actual.name, actual.range))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

std::optional<unsigned> Analyzer::takeResult(const Scope &use,
                                             const EquationStmt &stmt,
                                             const Formal &formal) {
  const Binding *result = use.findOwn(formal.name);
  if (!result || result->kind != Binding::Kind::Tensor)
    return std::nullopt;
  Tensor &tensor = graph.tensors[result->tensor];
  if (tensor.shape.size() != formal.labels.size()) {
    diagnostics
        .error(result->defined, "result '" + formal.name + "' has " +
                                    countOf(tensor.shape.size(), "dimension") +
                                    ", but the header says " +
                                    llvm::Twine(formal.labels.size()))
        .note(formal.range, "the header is here");
    return std::nullopt;
  }
  for (auto [label, extent] : llvm::zip(formal.labels, tensor.shape)) {
    auto it = use.extents.find(label.name);
    if (it == use.extents.end() || it->second.extent == extent)
      continue;
    diagnostics
        .error(result->defined, "label '" + label.name + "' of result '" +
                                    formal.name + "' has extent " +
                                    llvm::Twine(extent) +
                                    ", but the arguments give it " +
                                    llvm::Twine(it->second.extent))
        .note(formal.range, "the header is here");
    return std::nullopt;
  }
  tensor.loc = stmt.nameRange.Start;
  return tensor.isCarried ? addCopy(use, stmt, formal, result->tensor)
                          : result->tensor;
}

/// What a loop leaves as the result of a statement, which others may ask
/// something of, or carry on.
std::optional<unsigned> Analyzer::addCopy(const Scope &use,
                                          const EquationStmt &stmt,
                                          const Formal &formal,
                                          unsigned number) {
  if (!countVertices(stmt, 1))
    return std::nullopt;
  const Tensor tensor = graph.tensors[number];
  Vertex vertex;
  Operand &read = vertex.operands.emplace_back();
  read.tensor = number;
  for (auto [label, extent] : llvm::zip_equal(formal.labels, tensor.shape)) {
    LinearForm &form = read.subscripts.emplace_back();
    form.terms.push_back({static_cast<unsigned>(vertex.labels.size()), 1});
    vertex.labels.push_back({label.name.str(), extent});
  }
  vertex.numParallel = vertex.labels.size();
  Node node;
  node.kind = NodeKind::Operand;
  node.type = tensor.type;
  vertex.nodes.push_back(node);
  return addTensor(use, stmt, tensor.name, tensor.type, tensor.shape,
                   std::move(vertex));
}

const DefStmt *Analyzer::fitRest(const Scope &scope,
                                 llvm::ArrayRef<const Expr *> args,
                                 const DefStmt &def) {
  if (def.byRest.empty())
    return &def;
  // Parameters with the fewest labels: those of no label for `...`.
  for (auto [formal, open, arg] :
       llvm::zip_equal(def.byRest.front()->formals, def.formals, args)) {
    if (formal.labels.size() == open.labels.size())
      continue;
    llvm::StringRef name;
    if (auto *whole = llvm::dyn_cast_or_null<NameExpr>(arg))
      name = whole->name;
    else if (auto *access = llvm::dyn_cast_or_null<AccessExpr>(arg))
      name = access->tensor;
    const Binding *binding = scope.lookup(name);
    const Tensor *tensor = binding ? binding->tensorIn(graph) : nullptr;
    if (!tensor)
      return &def;
    size_t rank = tensor->shape.size();
    size_t rest = rank - std::min(rank, formal.labels.size());
    return def.byRest[std::min(rest, def.byRest.size() - 1)];
  }
  return &def;
}

/// Binds parameters and results; whether the use is right so far.
bool Analyzer::bindUse(const Scope &scope, const Scope &home, Scope &use,
                       const EquationStmt &stmt,
                       llvm::ArrayRef<const Expr *> args, const DefStmt &def) {
  bool ok = true;
  for (auto [arg, formal] : llvm::zip_equal(args, def.formals))
    ok &= arg ? bindArgument(scope, use, arg, formal, def)
              : bindConstant(home, use, formal.defaultValue, formal, def);
  if (!ok)
    return false;
  for (auto [position, formal] : llvm::enumerate(def.results)) {
    const EquationStmt &side = *leftSide(stmt, position);
    use.resultNames[formal.name] = scope.vertexNameFor(side.name);
    if (!bindResultLabels(scope, use, side, def, formal))
      return false;
  }
  return true;
}

Analyzer::Callee::Callee(const DefStmt &def)
    : kind("macro"), name(def.name), range(def.range) {
  for (const Formal &formal : def.formals)
    parameters.push_back({formal.name, formal.defaultValue != nullptr});
}

bool Analyzer::checkArguments(const CallExpr &call, const Callee &callee) {
  size_t most = callee.parameters.size();
  size_t least =
      llvm::count_if(callee.parameters, [](const Callee::Parameter &parameter) {
        return !parameter.hasDefault;
      });
  if (call.args.size() >= (call.names.empty() ? least : 0) &&
      call.args.size() <= most)
    return true;
  std::string wanted = countOf(most, "argument");
  if (least != most)
    wanted = std::to_string(least) + " to " + wanted;
  diagnostics
      .error(call.range, callee.kind + " '" + callee.name + "' takes " +
                             wanted + ", got " + llvm::Twine(call.args.size()))
      .note(callee.range, "it is defined here");
  return false;
}

std::optional<size_t> Analyzer::findFormal(const ArgumentName &name,
                                           const Callee &callee) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Callee::Parameter &parameter : callee.parameters)
    names.push_back(parameter.name);
  auto *found = llvm::find(names, name.name);
  if (found != names.end())
    return found - names.begin();
  auto error = diagnostics.error(name.range, callee.kind + " '" + callee.name +
                                                 "' has no parameter '" +
                                                 name.name + "'");
  if (llvm::StringRef meant = nearestWord(name.name, names); !meant.empty())
    error.note("did you mean '" + meant + "'?");
  error.note(callee.range, "it is defined here");
  return std::nullopt;
}

std::optional<llvm::SmallVector<const Expr *>>
Analyzer::arrange(const CallExpr &call, const Callee &callee) {
  if (!checkArguments(call, callee))
    return std::nullopt;
  llvm::SmallVector<const Expr *> args(callee.parameters.size(), nullptr);
  for (auto [number, arg] : llvm::enumerate(call.args)) {
    size_t position = number;
    if (!call.names.empty() && !call.names[number].name.empty()) {
      std::optional<size_t> named = findFormal(call.names[number], callee);
      if (!named)
        return std::nullopt;
      position = *named;
    }
    if (args[position]) {
      diagnostics.error(call.names[number].range,
                        "parameter '" + callee.parameters[position].name +
                            "' of " + callee.kind + " '" + callee.name +
                            "' is given twice");
      return std::nullopt;
    }
    args[position] = arg;
  }
  for (auto [arg, parameter] : llvm::zip_equal(args, callee.parameters))
    if (!arg && !parameter.hasDefault) {
      diagnostics
          .error(call.range, "parameter '" + parameter.name + "' of " +
                                 callee.kind + " '" + callee.name +
                                 "' is not given")
          .note(callee.range, "it is defined here");
      return std::nullopt;
    }
  return args;
}

bool Analyzer::checkResults(const EquationStmt &stmt, const Callee &callee,
                            size_t numResults) {
  if (1 + stmt.more.size() == numResults)
    return true;
  diagnostics
      .error(stmt.nameRange, callee.kind + " '" + callee.name + "' has " +
                                 countOf(numResults, "result") + ", but " +
                                 countOf(1 + stmt.more.size(), "name") +
                                 " on the left side")
      .note(callee.range, "it is defined here");
  return false;
}

std::vector<std::optional<unsigned>>
Analyzer::expandUse(const Scope &scope, const EquationStmt &stmt,
                    const CallExpr &call, const Binding &macro) {
  std::vector<std::optional<unsigned>> results(1 + stmt.more.size());
  std::optional<llvm::SmallVector<const Expr *>> args =
      arrange(call, *macro.macro);
  if (!args || !checkResults(stmt, *macro.macro, macro.macro->results.size()))
    return results;
  const DefStmt &def = *fitRest(scope, *args, *macro.macro);
  if (llvm::is_contained(expanding, macro.macro)) {
    diagnostics
        .error(call.range, "macro '" + def.name +
                               "' uses itself here, and "
                               "would never end")
        .note(def.range, "it is defined here");
    return results;
  }
  if (def.reducedRest.isValid() && &def == macro.macro->byRest.front()) {
    diagnostics
        .error(call.range, "'...' of macro '" + def.name +
                               "' stands for no label here, but a reduction "
                               "needs one")
        .note(def.reducedRest, "the reduction is here");
    return results;
  }
  const Scope &home = macro.home ? *macro.home : scope.fileScope();
  Scope use(home, scope.vertexNameFor(stmt.name));
  use.counters = scope.counters;
  if (!bindUse(scope, home, use, stmt, *args, def))
    return results;
  for (const Stmt *inner : def.body)
    for (const Stmt *defined : definedBy(*inner))
      use.announce(defined->name, defined->nameRange);

  DiagnosticEngine::InstantiationScope note(diagnostics, call.range, def.name);
  calls.push_back(call.range.Start);
  expanding.push_back(macro.macro);
  for (const Stmt *inner : def.body) {
    if (diagnostics.limitReached() || limitReported)
      break;
    if (auto *loop = llvm::dyn_cast<RepeatStmt>(inner))
      visitRepeat(use, *loop);
    else if (auto *point = llvm::dyn_cast<PointStmt>(inner))
      visitPoint(use, *point);
    else
      visitEquation(use, *llvm::cast<EquationStmt>(inner));
  }
  expanding.pop_back();
  calls.pop_back();
  for (auto [position, formal] : llvm::enumerate(def.results))
    results[position] = takeResult(use, *leftSide(stmt, position), formal);
  return results;
}
