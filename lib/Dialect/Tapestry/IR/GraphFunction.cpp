//===- GraphFunction.cpp - Graphs as functions, and calls of them ---------===//
//
// Sources and sinks are the arguments and results of a graph; what MLIR asks of
// a function is answered from them.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// GraphOp
//===----------------------------------------------------------------------===//

static llvm::SmallVector<GraphNodeInterface> nodesOf(GraphOp graph,
                                                     GraphNodeKind kind) {
  return graphNodes(graph.getBody().front(), kind);
}

static llvm::SmallVector<Type> typesOf(GraphOp graph, GraphNodeKind kind) {
  return llvm::map_to_vector(nodesOf(graph, kind), [](GraphNodeInterface node) {
    return node.getNodeTensor().getType();
  });
}

FunctionType GraphOp::getFunctionType() {
  return FunctionType::get(getContext(), typesOf(*this, GraphNodeKind::Source),
                           typesOf(*this, GraphNodeKind::Sink));
}

void GraphOp::setFunctionTypeAttr(TypeAttr type) {
  auto inputs = cast<FunctionType>(type.getValue()).getInputs();
  for (auto [source, input] :
       llvm::zip(nodesOf(*this, GraphNodeKind::Source), inputs))
    source.getNodeTensor().setType(input);
}

static ArrayAttr namesAsAttrs(GraphOp graph, GraphNodeKind kind) {
  Builder b(graph.getContext());
  llvm::SmallVector<Attribute> attrs;
  for (GraphNodeInterface node : nodesOf(graph, kind))
    attrs.push_back(b.getDictionaryAttr(
        b.getNamedAttr(nameAttrName, b.getStringAttr(node.getTensorName()))));
  return b.getArrayAttr(attrs);
}

static void setNames(GraphOp graph, GraphNodeKind kind, ArrayAttr attrs) {
  for (auto [node, attr] : llvm::zip(nodesOf(graph, kind), attrs))
    if (Attribute name = cast<DictionaryAttr>(attr).get(nameAttrName))
      node.setTensorName(cast<StringAttr>(name).getValue());
}

ArrayAttr GraphOp::getArgAttrsAttr() {
  return namesAsAttrs(*this, GraphNodeKind::Source);
}

ArrayAttr GraphOp::getResAttrsAttr() {
  return namesAsAttrs(*this, GraphNodeKind::Sink);
}

void GraphOp::setArgAttrsAttr(ArrayAttr attrs) {
  setNames(*this, GraphNodeKind::Source, attrs);
}

void GraphOp::setResAttrsAttr(ArrayAttr attrs) {
  setNames(*this, GraphNodeKind::Sink, attrs);
}

LogicalResult GraphOp::verifyType() {
  // MLIR verifies a function before what is in it, and asks for its names.
  for (GraphNodeKind kind : {GraphNodeKind::Source, GraphNodeKind::Sink})
    for (GraphNodeInterface node : nodesOf(*this, kind))
      if (failed(node->getName().verifyInvariants(node)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

void CallOp::build(OpBuilder &builder, OperationState &state, GraphOp callee,
                   ValueRange inputs) {
  build(builder, state, callee.getResultTypes(),
        FlatSymbolRefAttr::get(callee.getSymNameAttr()), inputs,
        /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
}

CallInterfaceCallable CallOp::getCallableForCallee() { return getCalleeAttr(); }

void CallOp::setCalleeFromCallable(CallInterfaceCallable callee) {
  setCalleeAttr(cast<FlatSymbolRefAttr>(cast<SymbolRefAttr>(callee)));
}

Operation::operand_range CallOp::getArgOperands() { return getInputs(); }

MutableOperandRange CallOp::getArgOperandsMutable() {
  return getInputsMutable();
}

/// Refuses other types than those of the graph's sources or sinks.
static LogicalResult verifyTypes(CallOp call, GraphOp graph,
                                 GraphNodeKind nodes, TypeRange given,
                                 TypeRange wanted, StringRef kind,
                                 StringRef inside) {
  if (given.size() != wanted.size()) {
    InFlightDiagnostic diagnostic =
        call.emitOpError() << "has " << given.size() << " " << kind
                           << "s, but @" << graph.getSymName() << " has "
                           << wanted.size() << " " << inside << "s";
    diagnostic.attachNote(graph.getLoc()) << "the graph is here";
    return diagnostic;
  }
  for (auto [number, op] : llvm::enumerate(nodesOf(graph, nodes))) {
    if (given[number] == wanted[number])
      continue;
    InFlightDiagnostic diagnostic =
        call.emitOpError() << kind << " " << number << " is " << given[number]
                           << ", but the " << inside << " \""
                           << op.getTensorName() << "\" of @"
                           << graph.getSymName() << " is " << wanted[number];
    diagnostic.attachNote(op.getLoc()) << "the " << inside << " is here";
    return diagnostic;
  }
  return success();
}

/// Whether calls lead from `graph` to `target`.
static bool leadsTo(GraphOp graph, GraphOp target,
                    SymbolTableCollection &symbols) {
  llvm::SetVector<Operation *> reached;
  reached.insert(graph);
  for (unsigned next = 0; next < reached.size(); ++next) {
    if (reached[next] == target)
      return true;
    auto calls = cast<GraphOp>(reached[next]).getBody().getOps<CallOp>();
    for (CallOp call : calls)
      if (auto callee = symbols.lookupNearestSymbolFrom<GraphOp>(
              call, call.getCalleeAttr()))
        reached.insert(callee);
  }
  return false;
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // call_c1
  auto graph = symbols.lookupNearestSymbolFrom<GraphOp>(*this, getCalleeAttr());
  if (!graph)
    return emitOpError() << "calls @" << getCallee()
                         << ", which is no tapestry.graph";
  // call_c2
  if (failed(verifyTypes(*this, graph, GraphNodeKind::Source,
                         getInputs().getTypes(), graph.getArgumentTypes(),
                         "operand", "source")))
    return failure();
  // call_c3
  if (failed(verifyTypes(*this, graph, GraphNodeKind::Sink,
                         getOutputs().getTypes(), graph.getResultTypes(),
                         "result", "sink")))
    return failure();
  // call_c4
  auto caller = (*this)->getParentOfType<GraphOp>();
  if (caller && leadsTo(graph, caller, symbols))
    return emitOpError() << "is recursive: @" << getCallee() << " calls @"
                         << caller.getSymName();
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes, which are static everywhere
//===----------------------------------------------------------------------===//

static LogicalResult reifyStatic(Operation *op,
                                 ReifiedRankedShapedTypeDims &shapes) {
  for (Type type : op->getResultTypes())
    shapes.push_back(getAsIndexOpFoldResult(
        op->getContext(), cast<RankedTensorType>(type).getShape()));
  return success();
}

LogicalResult CallOp::reifyResultShapes(OpBuilder &,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyStatic(*this, shapes);
}

LogicalResult SourceOp::reifyResultShapes(OpBuilder &,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyStatic(*this, shapes);
}

LogicalResult EinsumOp::reifyResultShapes(OpBuilder &,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyStatic(*this, shapes);
}

LogicalResult GatherOp::reifyResultShapes(OpBuilder &,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyStatic(*this, shapes);
}

LogicalResult
RequireOp::reifyResultShapes(OpBuilder &, ReifiedRankedShapedTypeDims &shapes) {
  return reifyStatic(*this, shapes);
}
