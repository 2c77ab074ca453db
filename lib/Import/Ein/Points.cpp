//===- Points.cpp - What sequence points wait for and hold back -----------===//

#include "Analyzer.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

/// What `name` stands for where a point or a tensor does; null once reported.
const Binding *Analyzer::findAwaited(const Scope &scope, const NameRef &name,
                                     bool isPoint) {
  const Binding *binding = scope.lookup(name.name);
  if (!binding) {
    scope.reportUnknown(diagnostics, name.name, name.range,
                        isPoint ? "point" : "tensor");
    return nullptr;
  }
  if (binding->kind == Binding::Kind::Poison)
    return nullptr;
  bool fits = binding->kind == Binding::Kind::Point ||
              (!isPoint && binding->kind == Binding::Kind::Tensor);
  if (!fits) {
    diagnostics
        .error(name.range, "'" + name.name + "' is no " +
                               (isPoint ? "point" : "tensor and no point"))
        .note(binding->defined, "it is defined here");
    return nullptr;
  }
  if (binding->kind == Binding::Kind::Point &&
      graph.points[binding->point].counters != scope.counters) {
    diagnostics
        .error(name.range,
               "point '" + name.name +
                   "' stands outside of the loop, which follows what it begins "
                   "with")
        .note(binding->defined,
              "it is defined here; the loop follows it with (X = X0 after " +
                  name.name + ")");
    return nullptr;
  }
  return binding;
}

std::optional<unsigned> Analyzer::findOutput(const Scope &scope,
                                             const NameRef &name) {
  const Binding *binding = scope.lookup(name.name);
  if (!binding) {
    scope.reportUnknown(diagnostics, name.name, name.range, "tensor");
    return std::nullopt;
  }
  if (binding->kind == Binding::Kind::Poison)
    return std::nullopt;
  if (!scope.counters.empty()) {
    diagnostics
        .error(name.range,
               "the point stands in a loop, which no output precedes")
        .note("a loop follows what it begins with: (X = X0 after p)");
    return std::nullopt;
  }
  if (binding->kind == Binding::Kind::Tensor)
    for (auto [number, output] : llvm::enumerate(graph.outputs))
      if (output.tensor == binding->tensor)
        return number;
  diagnostics
      .error(name.range, "'" + name.name + "' is no output before this point")
      .note("'output " + name.name + "' in front of it makes it one");
  return std::nullopt;
}

void Analyzer::visitPoint(Scope &scope, const PointStmt &stmt) {
  if (!checkNew(scope, stmt.name, stmt.nameRange))
    return;
  Graph::Point point;
  point.name = scope.vertexNameFor(stmt.name);
  point.loc = stmt.nameRange.Start;
  point.calls.assign(calls.rbegin(), calls.rend());
  point.counters = scope.counters;
  Binding binding;
  binding.defined = stmt.nameRange;
  bool ok = true;
  for (const NameRef &name : stmt.awaited) {
    const Binding *awaited = findAwaited(scope, name, /*isPoint=*/false);
    ok &= awaited != nullptr;
    if (awaited && awaited->kind == Binding::Kind::Point)
      point.points.push_back(awaited->point);
    else if (awaited)
      point.tensors.push_back(awaited->tensor);
  }
  for (const NameRef &name : stmt.outputs) {
    std::optional<unsigned> output = findOutput(scope, name);
    ok &= output.has_value();
    if (output)
      point.outputs.push_back(*output);
  }
  if (ok) {
    binding.kind = Binding::Kind::Point;
    binding.point = graph.points.size();
    point.position = graph.tensors.size();
    graph.points.push_back(std::move(point));
  }
  scope.define(stmt.name, binding);
}

std::optional<unsigned> Analyzer::findPoint(const Scope &scope,
                                            const NameRef &name) {
  const Binding *binding = findAwaited(scope, name, /*isPoint=*/true);
  return binding ? std::optional(binding->point) : std::nullopt;
}
