//===- Macros.cpp - Definitions and uses of macros ------------------------===//
//
// A use gets a scope of its own in which the parameters stand for the
// arguments; the body's statements then run as those of a file do. Labels of
// the header have the extents of the arguments throughout the body.
//
//===----------------------------------------------------------------------===//

#include "Analyzer.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

static std::string describeFormal(const Formal &formal) {
  return ("'" + excerpt(formal.range) + "'");
}

void Analyzer::visitDef(const DefStmt &stmt) {
  if (!checkNew(file, stmt.name, stmt.nameRange))
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
  if (auto it = names.find(stmt.result.name); it != names.end()) {
    diagnostics
        .error(stmt.result.range, "the result of macro '" + stmt.name +
                                      "' has the name of a parameter")
        .note(it->second, "the parameter is here");
    ok = false;
  } else if (!stmt.bodyInvalid &&
             llvm::none_of(stmt.body, [&](const EquationStmt *s) {
               return s->name == stmt.result.name;
             })) {
    diagnostics.error(stmt.result.range, "macro '" + stmt.name +
                                             "' does not define its result '" +
                                             stmt.result.name + "'");
    ok = false;
  }
  if (ok)
    binding.kind = Binding::Kind::Macro;
  file.define(stmt.name, binding);
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
  if (binding->kind != Binding::Kind::Tensor) {
    diagnostics.error(range, "'" + name + "' is not a tensor")
        .note(formal.range, "the macro's parameter is here");
    return false;
  }
  const Tensor &tensor = graph.tensors[binding->tensor];
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
  if (!access || access->pad)
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
                                const EquationStmt &stmt, const DefStmt &def) {
  if (!stmt.hasLabels)
    return true;
  if (stmt.labels.size() != def.result.labels.size()) {
    diagnostics
        .error(stmt.nameRange, "'" + stmt.name + "' has " +
                                   countOf(stmt.labels.size(), "label") +
                                   ", but the result of macro '" + def.name +
                                   "' has " +
                                   llvm::Twine(def.result.labels.size()))
        .note(def.result.range, "the result is here");
    return false;
  }
  for (auto [formal, actual] : llvm::zip(def.result.labels, stmt.labels)) {
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

std::optional<unsigned>
Analyzer::takeResult(Scope &use, const EquationStmt &stmt, const DefStmt &def) {
  const Binding *result = use.findOwn(def.result.name);
  if (!result || result->kind != Binding::Kind::Tensor)
    return std::nullopt;
  Tensor &tensor = graph.tensors[result->tensor];
  if (tensor.shape.size() != def.result.labels.size()) {
    diagnostics
        .error(result->defined, "result '" + def.result.name + "' has " +
                                    countOf(tensor.shape.size(), "dimension") +
                                    ", but the header says " +
                                    llvm::Twine(def.result.labels.size()))
        .note(def.result.range, "the header is here");
    return std::nullopt;
  }
  for (auto [label, extent] : llvm::zip(def.result.labels, tensor.shape)) {
    auto it = use.extents.find(label.name);
    if (it == use.extents.end() || it->second.extent == extent)
      continue;
    diagnostics
        .error(result->defined, "label '" + label.name + "' of result '" +
                                    def.result.name + "' has extent " +
                                    llvm::Twine(extent) +
                                    ", but the arguments give it " +
                                    llvm::Twine(it->second.extent))
        .note(def.result.range, "the header is here");
    return std::nullopt;
  }
  tensor.loc = stmt.nameRange.Start;
  return result->tensor;
}

std::optional<unsigned> Analyzer::expandUse(Scope &scope,
                                            const EquationStmt &stmt,
                                            const CallExpr &call,
                                            const DefStmt &def) {
  if (call.args.size() != def.formals.size()) {
    diagnostics
        .error(call.range, "macro '" + def.name + "' takes " +
                               countOf(def.formals.size(), "argument") +
                               ", got " + llvm::Twine(call.args.size()))
        .note(def.range, "it is defined here");
    return std::nullopt;
  }
  if (llvm::is_contained(expanding, &def)) {
    diagnostics
        .error(call.range, "macro '" + def.name +
                               "' uses itself here, and "
                               "would never end")
        .note(def.range, "it is defined here");
    return std::nullopt;
  }
  Scope use(scope.fileScope(), scope.vertexNameFor(stmt.name));
  use.resultName = def.result.name;
  bool ok = true;
  for (auto [arg, formal] : llvm::zip(call.args, def.formals))
    ok &= bindArgument(scope, use, arg, formal, def);
  if (!ok || !bindResultLabels(scope, use, stmt, def))
    return std::nullopt;
  for (const EquationStmt *inner : def.body)
    use.announce(inner->name, inner->nameRange);

  DiagnosticEngine::InstantiationScope note(diagnostics, call.range, def.name);
  calls.push_back(call.range.Start);
  expanding.push_back(&def);
  for (const EquationStmt *inner : def.body) {
    if (diagnostics.limitReached() || limitReported)
      break;
    visitEquation(use, *inner);
  }
  expanding.pop_back();
  calls.pop_back();
  return takeResult(use, stmt, def);
}
