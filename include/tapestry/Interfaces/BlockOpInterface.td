//===- BlockOpInterface.td - Index space and projections ---*- tablegen -*-===//
//
// The one interface that everything about a block operator's distribution is
// derived from. It speaks plain structs of tapestry/Support and knows no
// dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INTERFACES_BLOCKOPINTERFACE_TD
#define TAPESTRY_INTERFACES_BLOCKOPINTERFACE_TD

include "mlir/IR/Interfaces.td"

def BlockOpInterface : OpInterface<"BlockOpInterface"> {
  let cppNamespace = "::tapestry";
  let description = [{
    A block operator owns a dense index space: labels with extents, each either
    parallel (it indexes the results) or reduced by the op's monoid. One index
    projection per tensor operand and result says which region of the tensor an
    index point reads or writes. Shards, halos, coverage, communication volume
    and cost follow from these and are never decided by the kind of the op.
  }];

  let methods = [
    InterfaceMethod<"The name of the vertex in the tensor expression graph.",
      "::llvm::StringRef", "getVertexName">,
    InterfaceMethod<"The names of the index dimensions.",
      "::llvm::SmallVector<::std::string>", "getLabelNames">,
    InterfaceMethod<"The extents of the index dimensions.",
      "::llvm::SmallVector<int64_t>", "getLabelExtents">,
    InterfaceMethod<"For every index dimension, whether it is reduced.",
      "::llvm::SmallVector<bool>", "getReducedLabels">,
    InterfaceMethod<"The tensors that the op reads.",
      "::llvm::SmallVector<::mlir::Value>", "getTensorOperands">,
    InterfaceMethod<"One projection per tensor operand.",
      "::std::vector<::tapestry::Projection>", "getOperandProjections">,
    InterfaceMethod<[{
        Whether a tensor operand is padded: its projection may then reach
        outside the tensor, where a constant is read.
      }], "bool", "isOperandPadded", (ins "unsigned":$operand)>,
    InterfaceMethod<"The constant read outside an operand; null without one.",
      "::mlir::TypedAttr", "getPad", (ins "unsigned":$operand), "",
      "return {};">,
    InterfaceMethod<"One projection per result.",
      "::std::vector<::tapestry::Projection>", "getResultProjections">,
    InterfaceMethod<"Whether the op's index space has a cut.",
      "bool", "hasPartition">,
    InterfaceMethod<[{
        The cut of the index space in axis numbers of `grid`; nothing where the
        op has none yet. Fails with an error at the op where the grid lacks an
        axis.
      }], "::mlir::FailureOr<::std::optional<::tapestry::Partition>>",
      "getPartitionOn", (ins "const ::tapestry::DeviceGrid &":$grid)>,
    InterfaceMethod<"Sets the cut of the index space over axes of `grid`.",
      "void", "setPartitionOn",
      (ins "const ::tapestry::DeviceGrid &":$grid,
           "const ::tapestry::Partition &":$partition)>,
    InterfaceMethod<[{
        The layout that the result is kept in, with its grid; nothing where it
        stays as the partition leaves it.
      }], "::std::optional<::std::pair<::tapestry::DeviceGrid, "
          "::tapestry::Layout>>", "getHomeLayout">,
    InterfaceMethod<"Sets the layout that the result is kept in.",
      "void", "setHomeLayout",
      (ins "const ::tapestry::DeviceGrid &":$grid,
           "const ::tapestry::Layout &":$layout)>,
    InterfaceMethod<[{
        The layouts that the result passes on its way to its home; none where it
        goes there in one step.
      }], "::tapestry::Route", "getHomeRouteLayouts", (ins), "",
      "return {};">,
    InterfaceMethod<[{
        Per tensor operand the layouts that it passes between its home and where
        the op reads it.
      }], "::llvm::SmallVector<::tapestry::Route>", "getOperandRouteLayouts",
      (ins), "", "return {};">,
    InterfaceMethod<[{
        Sets both routes, `operandRoutes` with one entry per tensor operand, all
        layouts plain and on the grid of the home. An op that computes nothing
        has none.
      }], "void", "setRoutes",
      (ins "const ::tapestry::DeviceGrid &":$grid,
           "const ::tapestry::Route &":$homeRoute,
           "::llvm::ArrayRef<::tapestry::Route>":$operandRoutes), "", "return;">,
    InterfaceMethod<[{
        How values that land on one element of a result are combined; `none`
        where the result lacks no label.
      }], "::tapestry::Monoid", "getResultMonoid", (ins "unsigned":$result)>,
    InterfaceMethod<[{
        The identity of a result's monoid, of the accumulator's type; null where
        nothing is reduced.
      }], "::mlir::TypedAttr", "getMonoidIdentity", (ins "unsigned":$result)>,
    InterfaceMethod<[{
        Emits a combined with b by a result's monoid, both of the accumulator's
        type; null where it has none.
      }], "::mlir::Value", "emitCombine",
      (ins "unsigned":$result, "::mlir::OpBuilder &":$builder,
           "::mlir::Location":$loc, "::mlir::Value":$a, "::mlir::Value":$b)>,
    InterfaceMethod<[{
        The scalar function of one index point: one argument per tensor
        operand, ended by a terminator with the value to reduce or store. An op
        that has it has one result and needs neither `lowerLocal` nor `evaluate`.
      }], "::mlir::Region *", "getScalarRegion", (ins), "", "return nullptr;">,
    InterfaceMethod<[{
        The label whose value at the index point `op`, which lies in the scalar
        region, gives; nothing where it does something else.
      }], "::std::optional<unsigned>", "getLabelReadBy",
      (ins "::mlir::Operation *":$op), "", "return ::std::nullopt;">,
    InterfaceMethod<[{
        Emits what one device computes on its block of the index space, by pure
        operations on tensors: one per result, of the types in `block.results`.
        An op without a scalar region brings its own.
      }], "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "lowerLocal",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::tapestry::LocalBlock &":$block), "", [{
        return $_op.emitError("'")
               << $_op.getVertexName()
               << "' has neither a scalar region nor a local part of its own to "
                  "lower to";
      }]>,
    InterfaceMethod<[{
        The results for operands in host memory, on the whole index space: by
        definition, sharing nothing with `lowerLocal`, which it is compared with.
        An op without a scalar region brings its own.
      }], "::llvm::Expected<::std::vector<::tapestry::HostTensor>>", "evaluate",
      (ins "::llvm::ArrayRef<const ::tapestry::HostTensor *>":$operands), "", [{
        return ::llvm::createStringError(
            "the reference evaluator does not know '" +
            $_op->getName().getStringRef() + "'");
      }]>,
    InterfaceMethod<[{
        Floating-point or integer operations per index point. Every arith or
        math operation counts 1, transcendental functions included; constants,
        labels and conversions of type count 0; combining counts what the monoid
        costs (1 for a named one) where something is reduced.
      }], "int64_t", "getFlopsPerPoint">,
    InterfaceMethod<[{
        What the user asks of the op's cut, of its result's home and, where the
        graph hands the result out, of how it is left.
      }], "::tapestry::VertexConstraints", "getConstraints">,
  ];

  let extraSharedClassDeclaration = [{
    /// The index space as a box.
    ::tapestry::ZBox getIndexSpace() {
      return ::tapestry::boxOfShape($_op.getLabelExtents());
    }
    unsigned getIndexRank() { return $_op.getLabelExtents().size(); }
  }];
}

#endif // TAPESTRY_INTERFACES_BLOCKOPINTERFACE_TD
