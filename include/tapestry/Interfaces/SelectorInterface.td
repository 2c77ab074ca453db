//===- SelectorInterface.td - Views of tensors -------------*- tablegen -*-===//

#ifndef TAPESTRY_INTERFACES_SELECTORINTERFACE_TD
#define TAPESTRY_INTERFACES_SELECTORINTERFACE_TD

include "mlir/IR/Interfaces.td"

def SelectorInterface : OpInterface<"SelectorInterface"> {
  let cppNamespace = "::tapestry";
  let description = [{
    A block operator that computes nothing: every element of its one result, whose
    dimensions are the labels in order, is the element that the only piece there
    reads. So what reads the result may read the operands instead. Where
    operands take turns, pieces hold more: see `getResidue`.
  }];

  let methods = [
    InterfaceMethod<[{
        Whether readers may read the operands in place of the result; not those
        of a copy, which is there to be made.
      }], "bool", "isTransparent", (ins), "", "return true;">,
    InterfaceMethod<[{
        Which of the points that its pieces hold are an operand's; nothing where
        all are.
      }], "::std::optional<::tapestry::Residue>", "getResidue",
      (ins "unsigned":$operand), "", "return ::std::nullopt;">,
  ];
}

#endif // TAPESTRY_INTERFACES_SELECTORINTERFACE_TD
