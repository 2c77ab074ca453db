//===- Blocks.cpp - Blocks that an object file brings ---------------------===//
//
// Their declarations, and the vertices that uses of them become.
//
//===----------------------------------------------------------------------===//

#include "Analyzer.h"
#include "BlockUse.h"
#include "StatementAnalyzer.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

void Analyzer::visitBlock(Scope &scope, const BlockStmt &stmt) {
  if (!checkNew(scope, stmt.name, stmt.nameRange))
    return;
  Binding binding;
  binding.defined = stmt.nameRange;
  binding.block = &stmt;
  bool ok = true, optional = false;
  llvm::StringMap<llvm::SMRange> names;
  for (const BlockFormal &formal :
       llvm::concat<const BlockFormal>(stmt.formals, stmt.results)) {
    auto [it, added] = names.try_emplace(formal.name, formal.range);
    if (!added) {
      diagnostics
          .error(formal.range, "block '" + stmt.name + "' has two names '" +
                                   formal.name + "'")
          .note(it->second, "the first is here");
      ok = false;
    }
  }
  for (const BlockFormal &formal : stmt.formals) {
    if (optional && !formal.defaultValue) {
      diagnostics.error(formal.range,
                        "'" + formal.name +
                            "' has no default, but one before it has: only the "
                            "last arguments may be left out");
      ok = false;
    }
    optional |= formal.defaultValue != nullptr;
  }
  if (ok)
    binding.kind = Binding::Kind::Macro;
  scope.define(stmt.name, binding);
}

Analyzer::Callee::Callee(const BlockStmt &block)
    : kind("block"), name(block.name), range(block.range) {
  for (const BlockFormal &formal : block.formals)
    parameters.push_back({formal.name, formal.defaultValue != nullptr});
}

bool Analyzer::checkBlockSides(const EquationStmt &stmt,
                               const BlockStmt &block) {
  for (size_t side = 0; side <= stmt.more.size(); ++side) {
    const EquationStmt &left = *leftSide(stmt, side);
    if (left.hasLabels) {
      diagnostics
          .error(left.nameRange, "the results of a block have no labels here: "
                                 "they are those of its declaration")
          .note(block.range, "it is defined here");
      return false;
    }
    if (side > 0 && !left.constraints.empty()) {
      diagnostics.error(left.constraints.front().range,
                        "of the results of a block only the first is asked "
                        "something");
      return false;
    }
  }
  return true;
}

std::vector<std::optional<unsigned>>
Analyzer::addBlock(const Scope &scope, const EquationStmt &stmt,
                   const CallExpr &call, const BlockStmt &declared) {
  std::vector<std::optional<unsigned>> results(1 + stmt.more.size());
  std::optional<llvm::SmallVector<const Expr *>> args = arrange(call, declared);
  if (!args || !checkResults(stmt, declared, declared.results.size()) ||
      !checkBlockSides(stmt, declared) || !countVertices(stmt, 1))
    return results;
  BlockUse use(scope.fileScope(), diagnostics, declared, call.range);
  if (!use.declareLabels())
    return results;
  Vertex vertex;
  for (auto [arg, formal] : llvm::zip_equal(*args, declared.formals)) {
    if (formal.isParam) {
      const Scope &from = arg ? scope : scope.fileScope();
      auto value = ConstantEvaluator(from, diagnostics, "a parameter")
                       .evaluateAs(arg ? arg : formal.defaultValue, formal.type,
                                   [&](const ExtentExpr &expr) {
                                     return scope.extentOf(expr, diagnostics);
                                   });
      if (!value)
        return results;
      use.block.params.push_back({formal.name.str(), formal.type, *value});
      continue;
    }
    std::optional<unsigned> number = blockArgument(scope, stmt, arg, formal);
    if (!number || !use.addInput(formal, excerpt(arg->range), arg->range,
                                 graph.tensors[*number]))
      return results;
    vertex.operands.emplace_back().tensor = *number;
  }
  if (!use.decideExtents() || !use.addCosts())
    return results;
  std::vector<llvm::SmallVector<int64_t, 4>> shapes;
  for (const BlockFormal &formal : declared.results) {
    auto shape = use.addOutput(formal);
    if (!shape)
      return results;
    if (formal.custom) {
      auto &custom = use.block.outputs.back().custom;
      custom = StatementAnalyzer(scope, graph, diagnostics, context, stmt)
                   .instantiate(*formal.custom, formal.type, formal.range);
      if (!custom)
        return results;
    }
    shapes.push_back(*shape);
  }
  for (auto [number, label] : llvm::enumerate(declared.labels)) {
    vertex.labels.push_back({label.name.str(), use.extentOf(number)});
    use.block.labels.push_back(label.name.str());
  }
  vertex.numParallel = vertex.labels.size();
  use.block.name = declared.name.str();
  use.block.isIdempotent = declared.isIdempotent;
  use.block.loc = declared.nameRange.Start;
  vertex.block = std::move(use.block);
  results[0] =
      addTensor(scope, stmt, scope.vertexNameFor(stmt.name),
                declared.results[0].type, shapes[0], std::move(vertex));
  for (size_t side = 1; results[0] && side < results.size(); ++side) {
    const EquationStmt &left = *leftSide(stmt, side);
    Tensor tensor;
    tensor.name = scope.vertexNameFor(left.name);
    tensor.type = declared.results[side].type;
    tensor.shape = shapes[side];
    tensor.loc = left.nameRange.Start;
    tensor.vertex = graph.tensors[*results[0]].vertex;
    tensor.result = side;
    if (!checkSize(tensor.name, left.nameRange, tensor.type, tensor.shape))
      return results;
    results[side] = graph.tensors.size();
    graph.tensors.push_back(std::move(tensor));
  }
  return results;
}

/// The tensor that an argument names; a view is copied before.
std::optional<unsigned> Analyzer::blockArgument(const Scope &scope,
                                                const EquationStmt &stmt,
                                                const Expr *arg,
                                                const BlockFormal &formal) {
  auto *name = llvm::dyn_cast<NameExpr>(arg);
  const Binding *binding = name ? scope.lookup(name->name) : nullptr;
  if (binding && binding->kind == Binding::Kind::Poison)
    return std::nullopt;
  if (binding && binding->kind == Binding::Kind::Tensor)
    return binding->tensor;
  if (binding && binding->kind == Binding::Kind::View) {
    auto *part = context.create<EquationStmt>();
    part->name = name->name;
    part->nameRange = part->range = arg->range;
    part->expr = arg;
    Scope own = Scope::ofLast(scope);
    std::string base = scope.vertexNameFor(stmt.name) + ".arg.";
    own.resultNames[part->name] = base + std::to_string(++numParts[base]);
    return expandNamed(own, *part).front();
  }
  if (name && !binding) {
    scope.reportUnknown(diagnostics, name->name, name->range, "tensor");
    return std::nullopt;
  }
  diagnostics
      .error(arg->range, "'" + formal.name +
                             "' of a block takes a tensor, not "
                             "'" +
                             excerpt(arg->range) + "'")
      .note(formal.range, "it is declared here");
  return std::nullopt;
}
