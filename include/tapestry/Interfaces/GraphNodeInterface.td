//===- GraphNodeInterface.td - The border of a graph -------*- tablegen -*-===//
//
// What a graph holds beside the operators that compute.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INTERFACES_GRAPHNODEINTERFACE_TD
#define TAPESTRY_INTERFACES_GRAPHNODEINTERFACE_TD

include "mlir/IR/Interfaces.td"

def GraphNodeInterface : OpInterface<"GraphNodeInterface"> {
  let cppNamespace = "::tapestry";
  let description = [{
    An operation of a graph that computes nothing: a source brings a named tensor
    in, a sink hands one out under a name, a point orders others. Evaluation
    follows the order of the graph, so that a point asks nothing of it; lowering
    makes it a token.
  }];

  let methods = [
    InterfaceMethod<"What the operation is.",
      "::tapestry::GraphNodeKind", "getNodeKind">,
    InterfaceMethod<"The name of the tensor that goes in or out.",
      "::llvm::StringRef", "getTensorName", (ins), "", "return {};">,
    InterfaceMethod<"Gives that tensor another name.",
      "void", "setTensorName", (ins "::llvm::StringRef":$name), "", "return;">,
    InterfaceMethod<[{
        The points, and of a point the tensors and sinks, that happen before the
        operation; a point's only result is what others await, that of a sink,
        where it has one, what points do.
      }], "::llvm::SmallVector<::mlir::Value>", "getAwaitedValues", (ins), "",
      "return {};">,
    InterfaceMethod<"The tensor that a source gives or a sink takes.",
      "::mlir::Value", "getNodeTensor", (ins), "", "return {};">,
    InterfaceMethod<[{
        The device on which a source gives its tensor, or a sink takes it, whole;
        nothing where it lies as it is kept.
      }], "::std::optional<int64_t>", "getNodeDevice", (ins), "",
      "return std::nullopt;">,
  ];
}

#endif // TAPESTRY_INTERFACES_GRAPHNODEINTERFACE_TD
