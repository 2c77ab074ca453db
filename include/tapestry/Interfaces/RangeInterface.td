//===- RangeInterface.td - Blocks of an index space apart ------*- tablegen -*-===//

#ifndef TAPESTRY_INTERFACES_RANGEINTERFACE_TD
#define TAPESTRY_INTERFACES_RANGEINTERFACE_TD

include "mlir/IR/Interfaces.td"

def RangeInterface : OpInterface<"RangeInterface"> {
  let cppNamespace = "::tapestry";
  let description = [{
    A block operator that says more of the blocks of its index space than its
    projections do. Any block operator may be sharded: one without this interface
    is taken to depend on where the block lies, and of a block that has but some
    of the points that are combined nobody knows the values by definition.
  }];

  let methods = [
    InterfaceMethod<[{
        Whether what the points of a block make of what they read depends on where
        along a label, which is not cut into less than the block, it begins.
      }], "bool", "readsPlaceAlong", (ins "unsigned":$label), "",
      "return true;">,
    InterfaceMethod<[{
        What the points of a box, not empty, contribute, by definition: as
        `evaluate`, for tensors of which only what these points read is there, the
        results whole, of which only what they write is looked at. Where points
        are missing that are combined, elements are accumulators. An op that
        combines nothing may leave it to `evaluate`.
      }], "::llvm::Expected<::std::vector<::tapestry::HostTensor>>",
      "evaluateRange",
      (ins "::llvm::ArrayRef<const ::tapestry::HostTensor *>":$operands,
           "::llvm::ArrayRef<::tapestry::ZRange>":$range), "", [{
        (void)range;
        return $_op.evaluate(operands);
      }]>,
  ];
}

#endif // TAPESTRY_INTERFACES_RANGEINTERFACE_TD
