//===- SelectorInterface.td - Views of tensors -------------*- tablegen -*-===//

#ifndef TAPESTRY_INTERFACES_SELECTORINTERFACE_TD
#define TAPESTRY_INTERFACES_SELECTORINTERFACE_TD

include "mlir/IR/Interfaces.td"

def SelectorInterface : OpInterface<"SelectorInterface"> {
  let cppNamespace = "::tapestry";
  let description = [{
    A block operator that computes nothing: every element of its one result, whose
    dimensions are the labels in order, is the element that the only piece there
    reads. So what reads the result may read the operands instead.
  }];

  let methods = [
    InterfaceMethod<[{
        Whether readers may read the operands in place of the result; not those
        of a copy, which is there to be made.
      }], "bool", "isTransparent", (ins), "", "return true;">,
  ];
}

#endif // TAPESTRY_INTERFACES_SELECTORINTERFACE_TD
