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
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// GraphOp
//===----------------------------------------------------------------------===//

FunctionType GraphOp::getFunctionType() {
  llvm::SmallVector<Type> inputs, results;
  for (auto source : getBody().getOps<SourceOp>())
    inputs.push_back(source.getType());
  for (auto sink : getBody().getOps<SinkOp>())
    results.push_back(sink.getTensor().getType());
  return FunctionType::get(getContext(), inputs, results);
}

void GraphOp::setFunctionTypeAttr(TypeAttr type) {
  auto inputs = cast<FunctionType>(type.getValue()).getInputs();
  for (auto [source, input] : llvm::zip(getBody().getOps<SourceOp>(), inputs))
    source.getResult().setType(cast<RankedTensorType>(input));
}

template <typename OpTy> static ArrayAttr namesAsAttrs(GraphOp graph) {
  Builder b(graph.getContext());
  llvm::SmallVector<Attribute> attrs;
  for (auto op : graph.getBody().getOps<OpTy>())
    attrs.push_back(
        b.getDictionaryAttr(b.getNamedAttr(nameAttrName, op.getNameAttr())));
  return b.getArrayAttr(attrs);
}

template <typename OpTy> static void setNames(GraphOp graph, ArrayAttr attrs) {
  for (auto [op, attr] : llvm::zip(graph.getBody().getOps<OpTy>(), attrs))
    if (Attribute name = cast<DictionaryAttr>(attr).get(nameAttrName))
      op.setNameAttr(cast<StringAttr>(name));
}

ArrayAttr GraphOp::getArgAttrsAttr() { return namesAsAttrs<SourceOp>(*this); }

ArrayAttr GraphOp::getResAttrsAttr() { return namesAsAttrs<SinkOp>(*this); }

void GraphOp::setArgAttrsAttr(ArrayAttr attrs) {
  setNames<SourceOp>(*this, attrs);
}

void GraphOp::setResAttrsAttr(ArrayAttr attrs) {
  setNames<SinkOp>(*this, attrs);
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
template <typename OpTy>
static LogicalResult verifyTypes(CallOp call, GraphOp graph, TypeRange given,
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
  for (auto [number, op] : llvm::enumerate(graph.getBody().getOps<OpTy>())) {
    if (given[number] == wanted[number])
      continue;
    InFlightDiagnostic diagnostic =
        call.emitOpError() << kind << " " << number << " is " << given[number]
                           << ", but the " << inside << " \"" << op.getName()
                           << "\" of @" << graph.getSymName() << " is "
                           << wanted[number];
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
  if (failed(verifyTypes<SourceOp>(*this, graph, getInputs().getTypes(),
                                   graph.getArgumentTypes(), "operand",
                                   "source")))
    return failure();
  // call_c3
  if (failed(verifyTypes<SinkOp>(*this, graph, getOutputs().getTypes(),
                                 graph.getResultTypes(), "result", "sink")))
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
