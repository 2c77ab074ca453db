//===- Sema.cpp - From a syntax tree to a checked graph -------------------===//

#include "Analyzer.h"
#include "WholeTensors.h"
#include "tapestry/Import/Ein/Parser.h"
#include "tapestry/Import/Ein/Words.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

/// Of one index space, and one more: what is computed in 64 bits has fewer.
static constexpr WideInt tooManyPoints = WideInt(1) << 62;
/// Bytes of a tensor, and one more: the planner adds up some of them.
static constexpr WideInt tooManyBytes = WideInt(1) << 59;

llvm::Error tapestry::ein::addParamDefinition(llvm::StringRef text,
                                              EinOptions &options) {
  auto [name, value] = text.split('=');
  name = name.trim();
  std::optional<Number> number = parseNumber(value.trim());
  if (name.empty() || !number)
    return llvm::createStringError(
        "-D " + text + ": expected NAME=NUMBER, e.g. n=1024 or lr=0.1");
  auto [it, added] = options.params.try_emplace(name, *number);
  if (!added && !(it->second == *number))
    return llvm::createStringError("-D " + text + ": param '" + name +
                                   "' was set to " + toString(it->second) +
                                   " before");
  return llvm::Error::success();
}

std::optional<Graph> tapestry::ein::analyze(const Program &program,
                                            const EinOptions &options,
                                            DiagnosticEngine &diagnostics) {
  return Analyzer(options, diagnostics).run(program);
}

std::optional<Graph>
tapestry::ein::parseAndAnalyze(llvm::StringRef buffer,
                               const EinOptions &options,
                               DiagnosticEngine &diagnostics) {
  Context context;
  Program program = parseProgram(buffer, context, diagnostics);
  if (diagnostics.limitReached())
    return std::nullopt;
  return analyze(program, options, diagnostics);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

std::optional<Graph> Analyzer::run(const Program &program) {
  for (const Stmt *stmt : program.statements)
    if (stmt->kind != Stmt::Kind::Output && stmt->kind != Stmt::Kind::Import) {
      file.announce(stmt->name, stmt->nameRange);
      if (auto *equation = llvm::dyn_cast<EquationStmt>(stmt))
        for (const EquationStmt *side : equation->more)
          file.announce(side->name, side->nameRange);
      if (auto *loop = llvm::dyn_cast<RepeatStmt>(stmt))
        announceResults(file, *loop);
    }
  checkParamOptions(program);
  takeParams(program);
  bool hasOutput = false;
  for (const Stmt *stmt : program.statements) {
    if (diagnostics.limitReached())
      return std::nullopt;
    hasOutput |= stmt->kind == Stmt::Kind::Output;
    visit(*stmt);
  }
  if (!hasOutput && diagnostics.errorCount() == 0) {
    llvm::SMRange last = program.statements.empty()
                             ? program.end
                             : program.statements.back()->nameRange;
    auto error = diagnostics.error(last, "the program has no output");
    if (!graph.tensors.empty())
      error.note("add e.g. 'output " + graph.tensors.back().name + "'");
  }
  if (diagnostics.errorCount() > 0)
    return std::nullopt;
  return std::move(graph);
}

void Analyzer::visit(const Stmt &stmt) {
  switch (stmt.kind) {
  case Stmt::Kind::Param:
    return visitParam(*llvm::cast<ParamStmt>(&stmt));
  case Stmt::Kind::Import:
    return visitImport(*llvm::cast<ImportStmt>(&stmt));
  case Stmt::Kind::Input:
    return visitInput(*llvm::cast<InputStmt>(&stmt));
  case Stmt::Kind::Output:
    return visitOutput(*llvm::cast<OutputStmt>(&stmt));
  case Stmt::Kind::Def:
    return visitDef(file, *llvm::cast<DefStmt>(&stmt));
  case Stmt::Kind::Monoid:
    return visitMonoid(file, *llvm::cast<MonoidStmt>(&stmt));
  case Stmt::Kind::Block:
    return visitBlock(file, *llvm::cast<BlockStmt>(&stmt));
  case Stmt::Kind::Equation:
    return visitEquation(file, *llvm::cast<EquationStmt>(&stmt));
  case Stmt::Kind::Repeat:
    return visitRepeat(file, *llvm::cast<RepeatStmt>(&stmt));
  case Stmt::Kind::Point:
    return visitPoint(file, *llvm::cast<PointStmt>(&stmt));
  case Stmt::Kind::Invalid:
    if (!file.findOwn(stmt.name))
      file.define(stmt.name,
                  {Binding::Kind::Poison, stmt.nameRange, {}, 0, 0, {}, {}});
    return;
  }
}

bool Analyzer::checkNew(const Scope &scope, llvm::StringRef name,
                        llvm::SMRange range) {
  const Binding *earlier = scope.findOwn(name);
  std::optional<llvm::SMRange> where = scope.collectedAt(name);
  if (earlier)
    where = earlier->defined;
  if (!where || where->Start == range.Start)
    return true;
  diagnostics.error(range, "'" + name + "' is already defined")
      .note(*where, "it is defined here first");
  return false;
}

void Analyzer::checkParamOptions(const Program &program) {
  llvm::SmallVector<llvm::StringRef> known;
  for (const Stmt *stmt : program.statements)
    if (stmt->kind == Stmt::Kind::Param)
      known.push_back(stmt->name);
  // Sorted, so that messages do not depend on hashing.
  llvm::SmallVector<llvm::StringRef> given(options.params.keys());
  llvm::sort(given);
  for (llvm::StringRef name : given) {
    if (llvm::is_contained(known, name))
      continue;
    llvm::StringRef meant = nearestWord(name, known);
    // The mistake is not in the text.
    diagnostics.error(
        llvm::SMRange(),
        "-D " + name + "=" + toString(options.params.lookup(name)) +
            ": the program has no param '" + name + "'; " +
            (known.empty() ? "it has no params at all"
                           : "its params are " + llvm::join(known, ", ")) +
            (meant.empty() ? "" : "; did you mean '" + meant + "'?"));
  }
}

void Analyzer::visitParam(const ParamStmt &stmt) {
  if (!checkNew(file, stmt.name, stmt.nameRange))
    return;
  Binding binding;
  binding.defined = stmt.nameRange;
  std::optional<Number> value =
      stmt.value ? ConstantEvaluator(file, diagnostics, "a param")
                       .evaluateParam(stmt.value)
                 : takenParam(stmt);
  if (auto it = options.params.find(stmt.name);
      value && stmt.value && it != options.params.end())
    value = replaceParam(stmt.name, *value, it->second);
  if (value) {
    warnOfQuotient(stmt, *value);
    binding.kind = Binding::Kind::Constant;
    binding.constant = *value;
  }
  file.define(stmt.name, binding);
}

/// `param beta = 8 / 3` is 2; that it was meant is not likely.
void Analyzer::warnOfQuotient(const ParamStmt &stmt, const Number &value) {
  auto *quotient = llvm::dyn_cast_or_null<BinaryExpr>(stmt.value);
  if (!quotient || quotient->op != BinaryOp::Div || value.isFloat)
    return;
  std::optional<Number> exact =
      ConstantEvaluator(file, diagnostics, "a param")
          .evaluate(quotient, /*asReal=*/true, [&](const ExtentExpr &expr) {
            return file.extentOf(expr, diagnostics);
          });
  if (exact && exact->isFloat)
    diagnostics
        .warning(quotient->opRange, "'/' of integers truncates: param '" +
                                        stmt.name + "' is " + toString(value))
        .note("'//' says so; a float has a point, as in 1.0 / 3");
}

/// The number of the command line, as the kind of number that the file has.
std::optional<Number> Analyzer::replaceParam(llvm::StringRef name,
                                             const Number &value,
                                             const Number &given) {
  if (value.isFloat)
    return Number::ofReal(given.asReal());
  if (!given.isFloat)
    return given;
  diagnostics.error(llvm::SMRange(),
                    "-D " + name + "=" + toString(given) + ": param '" + name +
                        "' is a whole number, " + toString(value) +
                        " in the program; " + toString(value) +
                        ".0 there would make it a float");
  return std::nullopt;
}

bool Analyzer::checkSize(llvm::StringRef name, llvm::SMRange range,
                         ElementType type, llvm::ArrayRef<int64_t> shape) {
  WideInt bytes = byteSize(type);
  for (int64_t extent : shape) {
    bytes *= extent;
    if (bytes < tooManyBytes)
      continue;
    diagnostics.error(range, "tensor '" + name + "' of type " +
                                 typeToString(type, shape) +
                                 " has 2^59 bytes or more");
    return false;
  }
  return true;
}

/// How many they are the plan knows.
std::optional<int64_t> Analyzer::deviceOf(const Border &border) {
  if (!border.device)
    return std::nullopt;
  auto device = ConstantEvaluator(file, diagnostics, "the number of a device")
                    .evaluateInt(border.device);
  if (device && *device < 0) {
    diagnostics.error(border.device->range, "there is no device " +
                                                llvm::Twine(*device) +
                                                ", the first is number 0");
    return std::nullopt;
  }
  return device;
}

void Analyzer::visitInput(const InputStmt &stmt) {
  if (!checkNew(file, stmt.name, stmt.nameRange))
    return;
  Tensor tensor;
  tensor.name = stmt.name.str();
  tensor.type = stmt.type;
  tensor.loc = stmt.nameRange.Start;
  tensor.file = stmt.border.file.path.str();
  tensor.device = deviceOf(stmt.border);
  if (!stmt.after.name.empty())
    tensor.after = findPoint(file, stmt.after);
  auto shape =
      evaluateShape(file, ("input '" + stmt.name + "'").str(), stmt.shape);
  tensor.shape = shape.value_or(llvm::SmallVector<int64_t, 4>());
  bool ok =
      shape && checkSize(stmt.name, stmt.nameRange, tensor.type, tensor.shape);
  if (ok && (stmt.hasLabels || !stmt.constraints.empty()))
    if (auto targets = dimensionTargets(tensor, stmt.hasLabels, stmt.labels,
                                        stmt.nameRange))
      addConstraints(file, stmt.constraints, *targets, stmt.name,
                     tensor.constraints.work, &tensor.constraints.layoutGroup);
  Binding binding;
  binding.kind = ok ? Binding::Kind::Tensor : Binding::Kind::Poison;
  binding.defined = stmt.nameRange;
  binding.tensor = graph.tensors.size();
  file.define(stmt.name, binding);
  graph.tensors.push_back(std::move(tensor));
}

void Analyzer::visitOutput(const OutputStmt &stmt) {
  const Binding *binding = file.lookup(stmt.name);
  if (!binding) {
    file.reportUnknown(diagnostics, stmt.name, stmt.nameRange, "tensor");
    return;
  }
  if (binding->kind == Binding::Kind::Poison)
    return;
  if (binding->kind != Binding::Kind::Tensor) {
    diagnostics
        .error(stmt.nameRange, "'" + stmt.name +
                                   "' is not a tensor, so it cannot be an "
                                   "output")
        .note(binding->defined, "it is defined here");
    return;
  }
  for (const Graph::Output &output : graph.outputs) {
    if (output.tensor != binding->tensor)
      continue;
    diagnostics
        .error(stmt.nameRange, "'" + stmt.name + "' is already an output")
        .note({output.loc, output.loc}, "since this statement");
    return;
  }
  Graph::Output output{binding->tensor, stmt.nameRange.Start, {}};
  const Tensor &tensor = graph.tensors[binding->tensor];
  if (stmt.hasLabels || !stmt.constraints.empty())
    if (auto targets = dimensionTargets(tensor, stmt.hasLabels, stmt.labels,
                                        stmt.nameRange))
      addConstraints(file, stmt.constraints, *targets, stmt.name,
                     output.constraints,
                     /*layoutGroup=*/nullptr);
  output.file = stmt.border.file.path.str();
  output.device = deviceOf(stmt.border);
  if (!stmt.after.name.empty())
    output.after = findPoint(file, stmt.after);
  graph.outputs.push_back(std::move(output));
}

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

void Analyzer::visitEquation(Scope &scope, const EquationStmt &stmt) {
  llvm::SmallVector<const EquationStmt *> sides = {&stmt};
  llvm::append_range(sides, stmt.more);
  for (auto [position, side] : llvm::enumerate(sides)) {
    if (!checkNew(scope, side->name, side->nameRange))
      return;
    for (const EquationStmt *earlier :
         llvm::ArrayRef(sides).take_front(position))
      if (earlier->name == side->name) {
        diagnostics.error(side->nameRange,
                          "'" + side->name + "' stands twice on the left side");
        return;
      }
  }
  std::vector<std::optional<unsigned>> tensors = expand(scope, stmt);
  for (auto [side, tensor] : llvm::zip_equal(sides, tensors)) {
    Binding binding;
    binding.defined = side->nameRange;
    if (tensor) {
      binding.kind = Binding::Kind::Tensor;
      binding.tensor = *tensor;
      if (!side->constraints.empty()) {
        Tensor &defined = graph.tensors[*tensor];
        addConstraints(scope, side->constraints,
                       labelTargets(scope, defined, stmt, *side), side->name,
                       defined.constraints.work,
                       &defined.constraints.layoutGroup);
      }
    }
    scope.define(side->name, binding);
  }
}

const Binding *Analyzer::macroUsedBy(const Scope &scope,
                                     const EquationStmt &stmt) {
  auto *call = llvm::dyn_cast_or_null<CallExpr>(stmt.expr);
  if (!call || !stmt.reduceLabels.empty())
    return nullptr;
  const Binding *callee = scope.lookup(call->callee);
  bool isMacro = callee && callee->kind == Binding::Kind::Macro;
  return isMacro ? callee : nullptr;
}

std::vector<std::optional<unsigned>>
Analyzer::expandNamed(const Scope &scope, const EquationStmt &stmt) {
  if (stmt.literal)
    return {addGenerated(scope, stmt)};
  if (const Binding *macro = macroUsedBy(scope, stmt)) {
    const CallExpr &call = *llvm::cast<CallExpr>(stmt.expr);
    return macro->block ? addBlock(scope, stmt, call, *macro->block)
                        : expandUse(scope, stmt, call, *macro);
  }
  if (stmt.sort)
    return addSorted(scope, stmt);
  if (!stmt.more.empty()) {
    auto *call = llvm::dyn_cast<CallExpr>(stmt.expr);
    llvm::StringRef advice = call ? adviceFor(call->callee) : "";
    if (advice.empty())
      advice = "a macro with two results: def f(X[i]) -> Y[i], Z[i] { ... }";
    diagnostics
        .error(stmt.more.front()->nameRange,
               "several names on the left side need the use of a macro on the "
               "right")
        .note(advice);
    return std::vector<std::optional<unsigned>>(1 + stmt.more.size());
  }
  WholeTensors whole(scope, graph, diagnostics, context);
  if (!whole.concerns(stmt))
    return {addVertex(scope, stmt)};
  const EquationStmt *elements = whole.rewrite(stmt);
  return {elements ? addVertex(scope, *elements) : std::nullopt};
}

/// Gives the labels the names that they have outside the macro; what is then
/// taken twice gets a number.
void Analyzer::nameLabels(const Scope &scope, Vertex &vertex) {
  if (scope.labelNames.empty() || vertex.block)
    return;
  llvm::StringSet<> taken;
  llvm::SmallVector<VertexLabel *> local;
  // Labels of the macro's header come first: their names are the user's.
  for (VertexLabel &label : vertex.labels) {
    auto it = scope.labelNames.find(label.name);
    if (it == scope.labelNames.end()) {
      local.push_back(&label);
      continue;
    }
    label.name = it->second;
    taken.insert(label.name);
  }
  for (VertexLabel *label : local) {
    std::string name = label->name;
    for (unsigned number = 1; !taken.insert(label->name).second; ++number)
      label->name = name + "_" + std::to_string(number);
  }
}

bool Analyzer::checkSize(llvm::StringRef name, llvm::SMRange range,
                         ElementType type, llvm::ArrayRef<int64_t> shape,
                         const Vertex &vertex) {
  if (!checkSize(name, range, type, shape))
    return false;
  WideInt points = 1;
  for (const VertexLabel &label : vertex.labels) {
    points *= label.extent;
    if (points < tooManyPoints)
      continue;
    diagnostics.error(range, "the index space of '" + name +
                                 "' has 2^62 points or more");
    return false;
  }
  return true;
}

static unsigned numVerticesOf(MacroKind macro) {
  switch (macro) {
  case MacroKind::RMSNorm:
  case MacroKind::Mean:
  case MacroKind::ArgMax:
  case MacroKind::ArgMin:
    return 2;
  case MacroKind::LogSumExp:
    return 3;
  case MacroKind::Softmax:
  case MacroKind::LayerNorm:
    return 4;
  }
  llvm_unreachable("all macros are counted");
}

static unsigned numVerticesOf(const Vertex &vertex) {
  // What is scanned may be one of its own.
  return vertex.macro ? numVerticesOf(*vertex.macro) : vertex.scanned ? 2 : 1;
}

/// How many einsums a statement becomes.
static unsigned numVerticesOf(const EquationStmt &stmt) {
  bool scatters = llvm::any_of(
      stmt.labels, [](const Label &label) { return label.place != nullptr; });
  // Of what falls together a mean counts that, too, and the points read again
  // what the others found first.
  bool isMean = stmt.macro == MacroKind::Mean;
  return !stmt.macro ? 1
         : scatters  ? (isMean ? 4 : 5)
                     : numVerticesOf(*stmt.macro);
}

bool Analyzer::countVertices(const EquationStmt &stmt, unsigned count) {
  numVertices += count;
  if (numVertices <= maxVertices)
    return true;
  if (!limitReported)
    diagnostics.error(stmt.nameRange, "the program has more than " +
                                          llvm::Twine(maxVertices) +
                                          " vertices after macro expansion");
  limitReported = true;
  return false;
}

std::optional<unsigned> Analyzer::addVertex(const Scope &scope,
                                            const EquationStmt &stmt) {
  if (!countVertices(stmt, numVerticesOf(stmt)))
    return std::nullopt;
  auto result =
      StatementAnalyzer(scope, graph, diagnostics, context, stmt).run();
  if (!result)
    return std::nullopt;
  for (const StatementAnalyzer::Inner &inner : result->inners)
    if (!countVertices(stmt, numVerticesOf(inner.vertex)))
      return std::nullopt;
  std::string name = scope.vertexNameFor(stmt.name);
  for (StatementAnalyzer::Inner &inner : result->inners)
    if (!addTensor(scope, stmt, name + "." + inner.suffix, inner.type,
                   std::move(inner.shape), std::move(inner.vertex)))
      return std::nullopt;
  return addTensor(scope, stmt, std::move(name), result->type,
                   std::move(result->shape), std::move(result->vertex));
}

std::optional<unsigned> Analyzer::addTensor(const Scope &scope,
                                            const EquationStmt &stmt,
                                            std::string name, ElementType type,
                                            llvm::SmallVector<int64_t, 4> shape,
                                            Vertex vertex) {
  if (!checkSize(name, stmt.nameRange, type, shape, vertex))
    return std::nullopt;
  nameLabels(scope, vertex);
  vertex.after = after;
  vertex.loc = stmt.nameRange.Start;
  vertex.calls.assign(calls.rbegin(), calls.rend());
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.loc = stmt.nameRange.Start;
  tensor.vertex = graph.vertices.size();
  graph.vertices.push_back(std::move(vertex));
  graph.tensors.push_back(std::move(tensor));
  return graph.tensors.size() - 1;
}
