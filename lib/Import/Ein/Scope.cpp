//===- Scope.cpp - What the names of a .ein file stand for ----------------===//

#include "Scope.h"
#include "StatementAnalyzer.h"
#include "tapestry/Import/Ein/Words.h"
#include "llvm/Support/MathExtras.h"

using namespace tapestry::ein;

const Tensor *Binding::tensorIn(const Graph &graph) const {
  return kind == Kind::View     ? &view->info
         : kind == Kind::Tensor ? &graph.tensors[tensor]
                                : nullptr;
}

Scope Scope::ofBody(const Scope &around, llvm::StringRef counter) {
  Scope body;
  body.around = &around;
  body.vertexName = around.vertexNameFor(counter);
  body.labelNames = around.labelNames;
  body.extents = around.extents;
  body.counters = around.counters;
  return body;
}

Scope Scope::ofLast(const Scope &body) {
  Scope last = ofBody(body, "");
  last.vertexName = body.vertexName;
  return last;
}

/// A name of a body hides none from outside.
const Binding *Scope::findOwn(llvm::StringRef name) const {
  auto it = names.find(name);
  if (it != names.end())
    return &it->second;
  return around ? around->findOwn(name) : nullptr;
}

const Binding *Scope::lookup(llvm::StringRef name) const {
  if (const Binding *own = findOwn(name))
    return own;
  if (around)
    return around->lookup(name);
  const Binding *outer = file ? file->findOwn(name) : nullptr;
  return outer && outer->kind != Binding::Kind::Tensor ? outer : nullptr;
}

std::optional<llvm::SMRange> Scope::collectedAt(llvm::StringRef name) const {
  if (auto it = collected.find(name); it != collected.end())
    return it->second;
  return around ? around->collectedAt(name) : std::nullopt;
}

std::optional<Number> Scope::lookupConstant(llvm::StringRef name) const {
  const Binding *binding = lookup(name);
  if (!binding || binding->kind != Binding::Kind::Constant)
    return std::nullopt;
  return binding->constant;
}

std::optional<double> Scope::lookupNumber(llvm::StringRef name) const {
  if ((name != "pi" && name != "e") || defines(name))
    return std::nullopt;
  return name == "pi" ? llvm::numbers::pi : llvm::numbers::e;
}

std::string Scope::vertexNameFor(llvm::StringRef name) const {
  auto result = resultNames.find(name);
  if (result != resultNames.end())
    return result->second;
  return isMacroUse() || around ? vertexName + "." + name.str() : name.str();
}

std::optional<int64_t> Scope::extentOf(const ast::ExtentExpr &expr,
                                       DiagnosticEngine &diagnostics) const {
  auto it = extents.find(expr.label);
  if (it != extents.end())
    return it->second.extent;
  diagnostics.error(expr.range, "the extent of label '" + expr.label +
                                    "' is not known here");
  return std::nullopt;
}

void Scope::reportUnknown(DiagnosticEngine &diagnostics, llvm::StringRef name,
                          llvm::SMRange range, llvm::StringRef wanted) const {
  if (const Binding *outer = file ? file->findOwn(name) : nullptr) {
    diagnostics
        .error(range, "tensor '" + name +
                          "' is not visible inside a macro; pass it as an "
                          "argument")
        .note(outer->defined, "it is defined here");
    return;
  }
  if (std::optional<llvm::SMRange> where = collectedAt(name)) {
    diagnostics
        .error(range,
               "'" + name + "' is collected by a loop, after which it is there")
        .note(*where,
              "to read the row in its pass, give it a statement of its own and "
              "collect that; what passes before made has to be carried");
    return;
  }
  if (around && !announced.contains(name))
    return around->reportUnknown(diagnostics, name, range, wanted);
  if (auto it = announced.find(name); it != announced.end()) {
    diagnostics.error(range, "'" + name + "' is used before it is defined")
        .note(it->second, "it is defined here");
    return;
  }
  auto error = diagnostics.error(range, "there is no " + wanted + " named '" +
                                            name + "'");
  if (llvm::StringRef advice = adviceFor(name);
      wanted == "function or macro" && !advice.empty()) {
    error.note(advice);
    return;
  }
  // Names are sorted, so that the suggestion does not depend on hashing.
  llvm::SmallVector<llvm::StringRef> candidates;
  auto collect = [&](const Scope &scope, bool constantsOnly) {
    for (const auto &entry : scope.names)
      if (!constantsOnly || entry.second.kind != Binding::Kind::Tensor)
        candidates.push_back(entry.first());
  };
  collect(*this, /*constantsOnly=*/false);
  if (file)
    collect(*file, /*constantsOnly=*/true);
  llvm::sort(candidates);
  if (wanted == "function or macro") {
    llvm::append_range(candidates, callableWords());
    llvm::append_range(candidates, functionNames());
  }
  llvm::StringRef meant = nearestWord(name, candidates);
  if (meant.empty()) {
    llvm::StringRef advice = adviceFor(wanted == "param" ? wanted : name);
    if (!advice.empty())
      error.note(advice);
    return;
  }
  const Binding *binding = lookup(meant);
  if (binding)
    error.note(binding->defined,
               "did you mean '" + meant + "', which is defined here?");
  else
    error.note("did you mean '" + meant + "'?");
}
