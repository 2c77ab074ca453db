//===- ShardInterface.td - Operators whose blocks are ones -----*- tablegen -*-===//

#ifndef TAPESTRY_INTERFACES_SHARDINTERFACE_TD
#define TAPESTRY_INTERFACES_SHARDINTERFACE_TD

include "mlir/IR/Interfaces.td"

def ShardInterface : OpInterface<"ShardInterface"> {
  let cppNamespace = "::tapestry";
  let description = [{
    A block operator of one result, whose dimensions are labels, of which an
    operator of its kind computes a block, a shard, on slices of its operands: the
    white paper's sharded expressions. What a shard says of the whole is the range
    of index points that it computes (`RangeInterface`), and nothing else. Of
    other operators `tapestry.shard` computes blocks.
  }];

  let methods = [
    InterfaceMethod<[{
        The projection by which the op's own index points, which count from 0,
        read an operand, in one piece; what leaves the tensor is folded as the op
        does.
      }], "::tapestry::Projection", "getSubscripts", (ins "unsigned":$operand)>,
    InterfaceMethod<[{
        Creates the operator that computes another block as this one does its own.
      }], "::mlir::Operation *", "createBlock",
      (ins "::mlir::OpBuilder &":$builder,
           "const ::tapestry::ShardedBlock &":$block)>,
    InterfaceMethod<[{
        The tensor along whose first dimension the op combines elements, as they
        are, and does nothing else; null where it is no such reduction.
      }], "::mlir::Value", "getReducedStack">,
    InterfaceMethod<[{
        Whether both do the same at equal index points to the elements that they
        read, and combine it equally. Extents, ranges, operands and subscripts do
        not matter, nor do names, and labels are known by their places.
      }], "bool", "computesAs", (ins "::mlir::Operation *":$other)>,
  ];
}

#endif // TAPESTRY_INTERFACES_SHARDINTERFACE_TD
