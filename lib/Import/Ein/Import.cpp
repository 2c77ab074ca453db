//===- Import.cpp - From .ein text to the tapestry dialect ----------------===//

#include "tapestry/Import/Ein/Import.h"
#include "BodyEmitter.h"
#include "EmitBlock.h"
#include "EmitConstraints.h"
#include "EmitMonoids.h"
#include "EmitPoints.h"
#include "IndexNames.h"
#include "ModuleText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Diagnostics.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/Constraints.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryCollect.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryConstant.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryLoop.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySort.h"
#include "tapestry/Dialect/Tapestry/IR/Unsigned.h"
#include "tapestry/Dialect/Tapestry/Macros/Macros.h"
#include "tapestry/Dialect/Tapestry/Macros/Scatters.h"
#include "tapestry/Interfaces/ElementType.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tapestry::ein;
namespace teg = tapestry::teg;

namespace {
/// Turns places of the text into locations of the IR.
class Locations {
public:
  Locations(const llvm::SourceMgr &sources, MLIRContext *context)
      : sources(sources),
        file(StringAttr::get(context,
                             sources.getMemoryBuffer(sources.getMainFileID())
                                 ->getBufferIdentifier())) {}

  FileLineColLoc get(llvm::SMLoc loc) const {
    if (!loc.isValid())
      return FileLineColLoc::get(file, 0, 0);
    unsigned buffer = sources.FindBufferContainingLoc(loc);
    auto [line, column] = sources.getLineAndColumn(loc, buffer);
    if (buffer == sources.getMainFileID())
      return FileLineColLoc::get(file, line, column);
    return FileLineColLoc::get(
        file.getContext(),
        sources.getMemoryBuffer(buffer)->getBufferIdentifier(), line, column);
  }
  /// A statement in the body of a macro, called from its uses.
  Location get(llvm::SMLoc loc, llvm::ArrayRef<llvm::SMLoc> calls) const {
    Location result = get(loc);
    if (calls.empty())
      return result;
    return CallSiteLoc::get(result, get(calls.front(), calls.drop_front()));
  }

  StringRef fileName() const { return file.getValue(); }

private:
  const llvm::SourceMgr &sources;
  StringAttr file;
};

/// Emits one graph.
class GraphEmitter {
public:
  GraphEmitter(const Graph &graph, const Locations &locations,
               MLIRContext *context)
      : graph(graph), locations(locations), builder(context), points(graph) {}

  OwningOpRef<ModuleOp> emit(StringRef name);

private:
  Value emitVertex(const Tensor &tensor, const Vertex &vertex);
  void emitTensors(unsigned begin, unsigned end);
  void emitPoints(unsigned end);
  teg::SinkOp emitSink(const Graph::Output &output, bool isFollowed);
  void emitLoop(const Loop &loop);
  Value emitNothing(const Loop &loop, const Loop::Collected &collected);
  Value emitCollect(const Loop &loop, const Loop::Collected &collected,
                    Value into);
  SmallVector<teg::ScalarLabel> labelsOfRow(const Tensor &row);
  teg::CheckedIndex checkedIndex(unsigned tensor);
  Operation *emitGather(const Tensor &tensor, const Vertex &vertex,
                        Location loc);
  Operation *emitScatter(const Tensor &tensor, const Vertex &vertex,
                         Location loc);
  Operation *emitScan(const Tensor &tensor, const Vertex &vertex, Location loc);
  Operation *emitSort(const Tensor &tensor, const Vertex &vertex, Location loc);
  Operation *emitBlock(const Tensor &tensor, const Vertex &vertex,
                       Location loc);
  Operation *emitEinsum(const Tensor &tensor, const Vertex &vertex,
                        Location loc);
  void markUnsigned(Operation *op, const Tensor &tensor) {
    if (isUnsigned(tensor.type))
      op->setAttr(teg::unsignedAttrName, builder.getUnitAttr());
  }
  teg::ScalarExpr toScalar(const Vertex &vertex, const Expression &expression,
                           bool isResult);
  Operation *emitConstant(const Tensor &tensor, const Vertex &vertex,
                          Location loc);
  Value emitSource(const Tensor &tensor);
  AffineMap mapOf(const Vertex &vertex, llvm::ArrayRef<LinearForm> forms);
  RankedTensorType typeOf(const Tensor &tensor) {
    return RankedTensorType::get(tensor.shape,
                                 storedType(tensor.type, builder.getContext()));
  }

  const Graph &graph;
  const Locations &locations;
  OpBuilder builder;
  /// The value of each tensor.
  SmallVector<Value> values;
  /// Of the last vertex.
  SmallVector<Value> lastResults;
  bool failed = false;
  /// How many loops have been emitted.
  unsigned numLoops = 0;
  teg::IndexChecks checks;
  PointEmitter points;
  /// What points take that follow an output, by its number.
  llvm::DenseMap<unsigned, Value> handedOut;
};
} // namespace

AffineMap GraphEmitter::mapOf(const Vertex &vertex,
                              llvm::ArrayRef<LinearForm> forms) {
  SmallVector<AffineExpr> results;
  for (const LinearForm &form : forms) {
    AffineExpr sum;
    for (LinearForm::Term term : form.terms) {
      AffineExpr label =
          builder.getAffineDimExpr(term.label) * term.coefficient;
      sum = sum ? sum + label : label;
    }
    AffineExpr constant = builder.getAffineConstantExpr(form.constant);
    sum = (sum ? sum + constant : constant).floorDiv(form.floordiv);
    results.push_back(form.mod == 0 ? sum : sum % form.mod);
  }
  return AffineMap::get(vertex.labels.size(), /*symbolCount=*/0, results,
                        builder.getContext());
}

/// The labels that are reduced over and have left the subscripts which named
/// them, as q leaves (10 * q) mod 5.
static SmallVector<StringRef> goneLabels(const Vertex &vertex,
                                         ArrayRef<teg::ScalarRead> reads) {
  SmallVector<StringRef> gone;
  for (auto [number, label] : llvm::enumerate(vertex.labels)) {
    bool isReduced = vertex.macro ? label.role == tapestry::LabelRole::Inner
                                  : number >= vertex.numParallel;
    bool isLeft =
        llvm::any_of(reads, [number = number](const teg::ScalarRead &read) {
          return tapestry::index::canonicalSubscripts(read.map).isFunctionOfDim(
              number);
        });
    if (isReduced && !isLeft)
      gone.push_back(label.name);
  }
  return gone;
}

teg::ScalarExpr GraphEmitter::toScalar(const Vertex &vertex,
                                       const Expression &expression,
                                       bool isResult) {
  teg::ScalarExpr result;
  for (const Operand &operand : expression.operands) {
    TypedAttr pad;
    if (operand.pad)
      pad = constantAttr(*operand.pad, graph.tensors[operand.tensor].type,
                         builder.getContext());
    else if (operand.fold)
      pad = builder.getStringAttr(stringifyFold(*operand.fold));
    result.reads.push_back(
        {values[operand.tensor], mapOf(vertex, operand.subscripts), pad});
  }
  SmallVector<StringRef> gone;
  // An epsilon has no labels.
  if (&expression == static_cast<const Expression *>(&vertex))
    gone = goneLabels(vertex, result.reads);
  result.body = [&vertex, &expression, isResult, gone](teg::ScalarBuilder &body,
                                                       ValueRange args) {
    // Einsums know the labels of their subscripts, results and bodies.
    for (StringRef label : gone)
      body.label(label);
    return BodyEmitter(body, expression, vertex.labels, args, isResult).emit();
  };
  return result;
}

Operation *GraphEmitter::emitConstant(const Tensor &tensor,
                                      const Vertex &vertex, Location loc) {
  SmallVector<TypedAttr> elements;
  for (const Constant &constant : vertex.literal)
    elements.push_back(
        constantAttr(constant, tensor.type, builder.getContext()));
  return teg::ConstantOp::create(
      builder, loc, tensor.name,
      teg::ConstantOp::valueOf(typeOf(tensor), elements));
}

teg::CheckedIndex GraphEmitter::checkedIndex(unsigned tensor) {
  NamedIndex named = nameIndex(graph, tensor);
  teg::CheckedIndex index;
  index.tensor = values[named.tensor];
  index.name = std::move(named.name);
  index.isUnsigned = isUnsigned(graph.tensors[named.tensor].type);
  for (const NamedIndex::Dim &dim : named.dims)
    index.dims.push_back(
        {dim.extent, dim.dim, dim.counter ? values[*dim.counter] : Value()});
  return index;
}

Operation *GraphEmitter::emitGather(const Tensor &tensor, const Vertex &vertex,
                                    Location loc) {
  const Gather &gather = *vertex.gather;
  teg::GatherUse use;
  use.name = tensor.name;
  for (const VertexLabel &label :
       ArrayRef(vertex.labels).take_front(vertex.numParallel))
    use.labels.push_back({label.name, label.extent});
  const Tensor &table = graph.tensors[gather.table];
  use.table = values[gather.table];
  use.tableName = table.name;
  if (gather.pad)
    use.pad = constantAttr(*gather.pad, table.type, builder.getContext());
  SmallVector<AffineExpr> subscripts;
  AffineMap forms = mapOf(vertex, vertex.forms);
  for (Gather::Subscript subscript : gather.subscripts) {
    unsigned label = vertex.numParallel + subscript.number;
    subscripts.push_back(subscript.isIndex ? builder.getAffineDimExpr(label)
                                           : forms.getResult(subscript.number));
  }
  use.map = AffineMap::get(vertex.labels.size(), /*symbolCount=*/0, subscripts,
                           builder.getContext());
  for (auto [number, operand] : llvm::enumerate(vertex.operands)) {
    const Tensor &index = graph.tensors[operand.tensor];
    const VertexLabel &label = vertex.labels[vertex.numParallel + number];
    // A counter has as many values as its loop has passes, and a sort's
    // indices are those of its label.
    bool isInside =
        (index.passes && *index.passes <= label.extent) ||
        (index.vertex &&
         graph.vertices[*index.vertex].givesIndicesBelow(label.extent));
    teg::GatherIndex &read = use.indices.emplace_back(teg::GatherIndex{
        values[operand.tensor], mapOf(vertex, operand.subscripts), label.name});
    if (!isInside)
      read.checked = checkedIndex(operand.tensor);
  }
  return teg::buildGather(builder, loc, use, checks);
}

Operation *GraphEmitter::emitScatter(const Tensor &tensor, const Vertex &vertex,
                                     Location loc) {
  const Scatter &scatter = *vertex.scatter;
  teg::ScatterUse use;
  use.name = tensor.name;
  for (const VertexLabel &label : vertex.labels)
    use.labels.push_back({label.name, label.extent});
  use.rank = vertex.numParallel;
  const Operand &read = vertex.operands.front();
  use.values = values[read.tensor];
  use.map = mapOf(vertex, read.subscripts);
  use.monoid = convert(vertex.monoid);
  use.macro = vertex.macro;
  use.isUnsigned = isUnsigned(vertex.macroType);
  use.valueCount = scatter.valueCount;
  use.elementType = storedType(tensor.type, builder.getContext());
  for (auto [place, operand] : llvm::zip_equal(
           scatter.places, llvm::ArrayRef(vertex.operands).drop_front())) {
    teg::ScatterPlace &read = use.places.emplace_back(teg::ScatterPlace{
        values[operand.tensor], mapOf(vertex, operand.subscripts), place.dim});
    if (!place.isInside)
      read.checked = checkedIndex(operand.tensor);
  }
  Operation *op = teg::buildScatter(builder, loc, use, checks);
  setCombiner(builder, op, vertex, tensor.type);
  return op;
}

Operation *GraphEmitter::emitScan(const Tensor &tensor, const Vertex &vertex,
                                  Location loc) {
  SmallVector<teg::ScalarLabel> labels;
  for (const VertexLabel &label : vertex.labels)
    labels.push_back({label.name, label.extent, label.role});
  teg::ScalarExpr expr = toScalar(vertex, vertex, /*isResult=*/false);
  if (vertex.nodes.size() == 1 && vertex.operands.size() == 1)
    expr.body = nullptr;
  Operation *op =
      teg::buildScan(builder, loc, tensor.name, labels, *vertex.scanned,
                     convert(vertex.monoid),
                     storedType(tensor.type, builder.getContext()), expr);
  setCombiner(builder, op, vertex, tensor.type);
  return op;
}

Operation *GraphEmitter::emitSort(const Tensor &tensor, const Vertex &vertex,
                                  Location loc) {
  SmallVector<StringRef> labels;
  for (const VertexLabel &label : vertex.labels)
    labels.push_back(label.name);
  const Sort &sort = *vertex.sort;
  unsigned operand = vertex.operands.front().tensor;
  return teg::SortOp::create(
      builder, loc, typeOf(tensor), tensor.name,
      builder.getStrArrayAttr(labels), labels[sort.label], sort.descending,
      sort.givesIndices, isUnsigned(graph.tensors[operand].type),
      values[operand], /*partition=*/nullptr, /*home=*/nullptr,
      /*home_route=*/nullptr, /*operand_routes=*/nullptr);
}

/// Whether a body yields what it has read, or some of it by choice.
static bool isView(teg::EinsumOp op) {
  Value yielded = op.getBody().front().getTerminator()->getOperand(0);
  return op.getMonoid() == tapestry::Monoid::None &&
         (isa<BlockArgument>(yielded) ||
          yielded.getDefiningOp<arith::SelectOp>());
}

Operation *GraphEmitter::emitEinsum(const Tensor &tensor, const Vertex &vertex,
                                    Location loc) {
  SmallVector<teg::ScalarLabel> labels;
  for (const VertexLabel &label : vertex.labels)
    labels.push_back({label.name, label.extent, label.role});
  Type type = storedType(tensor.type, builder.getContext());
  bool isResult = vertex.monoid == Monoid::None && !vertex.macro;
  teg::ScalarExpr expr = toScalar(vertex, vertex, isResult);
  // With the highest bit turned over, signed places are in the order of
  // unsigned values.
  if (vertex.macro && isUnsigned(vertex.macroType))
    expr.body = [this, inner = expr.body](teg::ScalarBuilder &b,
                                          ValueRange args) {
      Value value = inner(b, args);
      auto bits = cast<IntegerType>(value.getType());
      return b.create<arith::XOrIOp>(
          value, b.constant(builder.getIntegerAttr(
                     bits, llvm::APInt::getSignMask(bits.getWidth()))));
    };
  if (vertex.macro)
    return teg::buildMacro(builder, loc,
                           {*vertex.macro, tensor.name, labels,
                            storedType(vertex.macroType, builder.getContext()),
                            expr, toScalar(vertex, vertex.epsilon, isResult),
                            type});
  auto einsum =
      teg::buildEinsum(builder, loc, tensor.name, labels, vertex.numParallel,
                       convert(vertex.monoid), type, expr);
  setCombiner(builder, einsum, vertex, tensor.type);
  if (vertex.isMade && isView(einsum))
    einsum->setAttr(teg::madeAttrName, builder.getUnitAttr());
  return einsum;
}

Operation *GraphEmitter::emitBlock(const Tensor &tensor, const Vertex &vertex,
                                   Location loc) {
  SmallVector<Value> operands;
  for (const Operand &operand : vertex.operands)
    operands.push_back(values[operand.tensor]);
  SmallVector<Type> results;
  for (const Tensor &other : graph.tensors)
    if (other.vertex == tensor.vertex)
      results.push_back(typeOf(other));
  return buildBlock(builder, loc, locations.get(vertex.block->loc), tensor.name,
                    vertex, operands, results);
}

/// Null once reported.
Value GraphEmitter::emitVertex(const Tensor &tensor, const Vertex &vertex) {
  // Its results follow each other.
  if (tensor.result > 0)
    return lastResults[tensor.result];
  Location loc = locations.get(vertex.loc, vertex.calls);
  mlir::Block *block = builder.getInsertionBlock();
  Operation *last = block->empty() ? nullptr : &block->back();
  Operation *op = vertex.gather            ? emitGather(tensor, vertex, loc)
                  : vertex.scatter         ? emitScatter(tensor, vertex, loc)
                  : vertex.scanned         ? emitScan(tensor, vertex, loc)
                  : vertex.sort            ? emitSort(tensor, vertex, loc)
                  : vertex.block           ? emitBlock(tensor, vertex, loc)
                  : vertex.literal.empty() ? emitEinsum(tensor, vertex, loc)
                                           : emitConstant(tensor, vertex, loc);
  if (!op)
    return nullptr;
  mlir::Block::iterator first =
      last ? std::next(last->getIterator()) : block->begin();
  setWorkConstraints({first, op->getIterator()}, op, tensor.constraints.work);
  setLayoutGroup(op, tensor.constraints.layoutGroup);
  points.holdBack({first, std::next(op->getIterator())}, tensor.name,
                  vertex.after);
  lastResults = points.resultsOf({first, std::next(op->getIterator())},
                                 tensor.name, vertex.after);
  return lastResults.front();
}

Value GraphEmitter::emitSource(const Tensor &tensor) {
  auto source = teg::SourceOp::create(builder, locations.get(tensor.loc),
                                      tensor.name, typeOf(tensor));
  setConstraints(source, tensor.constraints.work, /*isHome=*/false);
  setLayoutGroup(source, tensor.constraints.layoutGroup);
  markUnsigned(source, tensor);
  if (!tensor.file.empty())
    source.setTargetAttr(teg::FileAttr::get(builder.getContext(), tensor.file));
  source.setDevice(tensor.device);
  if (tensor.after)
    source.getPointsMutable().append(points.get(*tensor.after));
  return source;
}

void GraphEmitter::emitTensors(unsigned begin, unsigned end) {
  for (unsigned number = begin; number < end; ++number) {
    emitPoints(number);
    // What a loop carries is there with the loop.
    if (numLoops < graph.loops.size() &&
        graph.loops[numLoops].begin == number) {
      const Loop &loop = graph.loops[numLoops++];
      emitLoop(loop);
      if (failed)
        return;
      number = loop.end - 1;
      continue;
    }
    const Tensor &tensor = graph.tensors[number];
    if (tensor.vertex) {
      values[number] = emitVertex(tensor, graph.vertices[*tensor.vertex]);
      failed |= !values[number];
      if (failed)
        return;
    }
    if (!tensor.vertex && !tensor.isCarried)
      values[number] = emitSource(tensor);
  }
  emitPoints(end);
}

/// Those that stand before tensor number `end`.
void GraphEmitter::emitPoints(unsigned end) {
  while (const Graph::Point *point = points.next(end)) {
    SmallVector<Value> outputs;
    for (unsigned number : point->outputs) {
      Value &done = handedOut[number];
      if (!done)
        done = emitSink(graph.outputs[number], /*isFollowed=*/true).getDone();
      outputs.push_back(done);
    }
    points.emit(builder, locations.get(point->loc, point->calls), values,
                outputs);
  }
}

/// Of a sink that points follow, the result is what they take.
teg::SinkOp GraphEmitter::emitSink(const Graph::Output &output,
                                   bool isFollowed) {
  const Tensor &tensor = graph.tensors[output.tensor];
  auto sink = teg::SinkOp::create(
      builder, locations.get(output.loc),
      isFollowed ? teg::PointType::get(builder.getContext()) : Type(),
      tensor.name, values[output.tensor], ValueRange(), Attribute(),
      IntegerAttr());
  setConstraints(sink, output.constraints, /*isHome=*/true);
  markUnsigned(sink, tensor);
  if (!output.file.empty())
    sink.setTargetAttr(teg::FileAttr::get(builder.getContext(), output.file));
  sink.setDevice(output.device);
  if (output.after)
    sink.getPointsMutable().append(points.get(*output.after));
  return sink;
}

/// One label per dimension, as the statement calls it.
SmallVector<teg::ScalarLabel> GraphEmitter::labelsOfRow(const Tensor &row) {
  SmallVector<teg::ScalarLabel> labels;
  const Vertex &vertex = graph.vertices[*row.vertex];
  if (vertex.block) {
    // Its labels are none of the row.
    for (auto [dim, extent] : llvm::enumerate(row.shape))
      labels.push_back({"d" + std::to_string(dim), extent});
    return labels;
  }
  for (const VertexLabel &label :
       ArrayRef(vertex.labels).take_front(row.shape.size()))
    labels.push_back({label.name, label.extent});
  return labels;
}

/// What is collected before the first pass.
Value GraphEmitter::emitNothing(const Loop &loop,
                                const Loop::Collected &collected) {
  const Tensor &row = graph.tensors[collected.row];
  SmallVector<teg::ScalarLabel> labels = labelsOfRow(row);
  std::string counter = loop.name.substr(loop.name.rfind('.') + 1);
  while (llvm::any_of(labels, [&](const teg::ScalarLabel &label) {
    return label.name == counter;
  }))
    counter += "_";
  labels.insert(labels.begin(), {counter, loop.passes});
  Type type = storedType(row.type, builder.getContext());
  auto complex = dyn_cast<ComplexType>(type);
  TypedAttr zero = complex ? tapestry::complexValue(complex, 0, 0)
                           : builder.getZeroAttr(type);
  return teg::buildEinsum(builder, locations.get(collected.loc, loop.calls),
                          collected.name + ".start", labels, labels.size(),
                          tapestry::Monoid::None, type,
                          teg::ScalarExpr::constant(zero));
}

Value GraphEmitter::emitCollect(const Loop &loop,
                                const Loop::Collected &collected, Value into) {
  SmallVector<StringRef> labels;
  SmallVector<teg::ScalarLabel> known =
      labelsOfRow(graph.tensors[collected.row]);
  for (const teg::ScalarLabel &label : known)
    labels.push_back(label.name);
  auto op = teg::CollectOp::create(
      builder, locations.get(collected.loc, loop.calls), into.getType(),
      builder.getStringAttr(collected.name), builder.getStrArrayAttr(labels),
      values[collected.row], into, values[loop.carried.back().argument],
      nullptr, nullptr, nullptr, nullptr);
  setConstraints(op, collected.constraints.work, /*isHome=*/false);
  setLayoutGroup(op, collected.constraints.layoutGroup);
  return op;
}

void GraphEmitter::emitLoop(const Loop &loop) {
  Location loc = locations.get(loop.loc, loop.calls);
  SmallVector<Value> inits, nexts;
  for (const Loop::Carried &carried : loop.carried)
    inits.push_back(values[carried.init]);
  for (const Loop::Collected &collected : loop.collected)
    inits.push_back(emitNothing(loop, collected));
  auto op = teg::LoopOp::create(builder, loc, ValueRange(inits).getTypes(),
                                loop.name, loop.passes, inits);
  OpBuilder::InsertionGuard guard(builder);
  mlir::Block *body =
      builder.createBlock(&op.getBody(), {}, ValueRange(inits).getTypes(),
                          SmallVector<Location>(inits.size(), loc));
  for (auto [carried, argument, result] :
       llvm::zip(loop.carried, body->getArguments(), op.getResults())) {
    values[carried.argument] = argument;
    values[carried.result] = result;
  }
  size_t numCarried = loop.carried.size();
  for (auto [collected, result] :
       llvm::zip_equal(loop.collected, op.getResults().drop_front(numCarried)))
    values[collected.result] = result;
  // What is checked in the body is not checked behind it.
  teg::IndexChecks before = checks;
  emitTensors(loop.begin + loop.carried.size(), loop.end);
  if (failed)
    return;
  checks = std::move(before);
  for (const Loop::Carried &carried : loop.carried)
    nexts.push_back(values[carried.next]);
  for (auto [collected, argument] : llvm::zip_equal(
           loop.collected, body->getArguments().drop_front(numCarried)))
    nexts.push_back(emitCollect(loop, collected, argument));
  teg::NextOp::create(builder, loc, nexts,
                      loop.stop ? values[*loop.stop] : Value());
}

OwningOpRef<ModuleOp> GraphEmitter::emit(StringRef name) {
  Location start =
      FileLineColLoc::get(builder.getStringAttr(locations.fileName()), 1, 1);
  OwningOpRef<ModuleOp> module = ModuleOp::create(start);
  builder.setInsertionPointToEnd(module->getBody());
  auto graphOp = teg::GraphOp::create(builder, start, name);
  Region &region = graphOp.getBody();
  if (region.empty())
    region.emplaceBlock();
  builder.setInsertionPointToEnd(&region.front());
  values.resize(graph.tensors.size());
  emitTensors(0, graph.tensors.size());
  if (failed)
    return nullptr;
  // Those that no point follows.
  for (auto [number, output] : llvm::enumerate(graph.outputs))
    if (!handedOut.contains(number))
      emitSink(output, /*isFollowed=*/false);
  return module;
}

/// "chain" for "dir/chain.ein"; "main" for text without a file.
static std::string graphName(StringRef file, const EinOptions &options) {
  if (!options.graphName.empty())
    return options.graphName;
  StringRef stem = llvm::sys::path::stem(file);
  bool isFile = !stem.empty() && stem != "-" && !stem.starts_with("<");
  return isFile ? stem.str() : "main";
}

OwningOpRef<ModuleOp> tapestry::ein::emitGraph(const Graph &graph,
                                               const llvm::SourceMgr &sources,
                                               const EinOptions &options,
                                               MLIRContext *context) {
  context->loadDialect<teg::TapestryDialect, arith::ArithDialect,
                       math::MathDialect>();
  Locations locations(sources, context);
  return GraphEmitter(graph, locations, context)
      .emit(graphName(locations.fileName(), options));
}

OwningOpRef<ModuleOp> tapestry::ein::importEin(llvm::SourceMgr &sources,
                                               const EinOptions &options,
                                               MLIRContext *context) {
  Locations locations(sources, context);
  DiagnosticEngine diagnostics([&](const Diagnostic &diagnostic) {
    Location loc = locations.get(diagnostic.range.Start);
    InFlightDiagnostic said = diagnostic.isWarning
                                  ? emitWarning(loc, diagnostic.message)
                                  : emitError(loc, diagnostic.message);
    for (const Diagnostic::Note &note : diagnostic.notes) {
      Location noteLoc =
          note.range.isValid() ? locations.get(note.range.Start) : loc;
      said.attachNote(noteLoc) << note.message;
    }
  });
  StringRef text =
      sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  EinOptions withModules = options;
  withModules.loadModule = [&](StringRef name) {
    return loadModule(sources, name);
  };
  std::optional<Graph> graph = parseAndAnalyze(text, withModules, diagnostics);
  if (!graph)
    return nullptr;
  return emitGraph(*graph, sources, options, context);
}

OwningOpRef<ModuleOp> tapestry::ein::importEin(llvm::MemoryBufferRef buffer,
                                               const EinOptions &options,
                                               MLIRContext *context) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(buffer,
                                       /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, context);
  return importEin(sources, options, context);
}
