//===- GraphLoopInterface.td - Loops of a graph ------------*- tablegen -*-===//
//
// What planning, lowering and evaluation ask of an operation that runs a part
// of a graph several times.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INTERFACES_GRAPHLOOPINTERFACE_TD
#define TAPESTRY_INTERFACES_GRAPHLOOPINTERFACE_TD

include "mlir/IR/Interfaces.td"

def GraphLoopInterface : OpInterface<"GraphLoopInterface"> {
  let cppNamespace = "::tapestry";
  let description = [{
    An operation of a graph that runs its body, a block of operators, several
    times. Tensors are carried from one pass to the next: an argument of the body
    is the operand of its number in the first pass and in every other what the
    pass before made of it; the result of that number is the last of these. The
    body reads tensors from outside as they are. Operands are results of
    operators that nothing else reads, and what a pass makes of them are results
    of operators of the body, each of them once.
  }];

  let methods = [
    InterfaceMethod<"The name that messages use.",
      "::llvm::StringRef", "getLoopName">,
    InterfaceMethod<"How many passes there are at most, at least 1.",
      "int64_t", "getMostPasses">,
    InterfaceMethod<"What a pass runs.",
      "::mlir::Block &", "getLoopBody">,
    InterfaceMethod<"What a pass makes of the tensors that are carried.",
      "::mlir::OperandRange", "getNexts">,
    InterfaceMethod<"A scalar bool of the body after which, where it is true, no "
                    "pass follows; null: all passes run.",
      "::mlir::Value", "getStop">,
  ];
}

#endif // TAPESTRY_INTERFACES_GRAPHLOOPINTERFACE_TD
