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
    parallel (it indexes the results), reduced by a monoid, or selected. Index
    projections say which region of a tensor an index point reads or writes, in
    pieces where that differs over the index space. Shards, halos, coverage,
    communication volume and cost follow from these and are never decided by the
    kind of the op.
  }];

  let methods = [
    InterfaceMethod<"The name of the vertex in the tensor expression graph.",
      "::llvm::StringRef", "getVertexName">,
    InterfaceMethod<"The names of the index dimensions.",
      "::llvm::SmallVector<::std::string>", "getLabelNames">,
    InterfaceMethod<"The extents of the index dimensions.",
      "::llvm::SmallVector<int64_t>", "getLabelExtents">,
    InterfaceMethod<[{
        Per index dimension what it stands for. Reduced or selected are those
        that some result lacks; a parallel one that every result lacks writes
        regions (see `getWrites`) and is never cut.
      }], "::llvm::SmallVector<::tapestry::LabelKind>", "getLabelKinds">,
    InterfaceMethod<"The tensors that the op reads.",
      "::llvm::SmallVector<::mlir::Value>", "getTensorOperands">,
    InterfaceMethod<[{
        The pieces in which a tensor operand is read, at least one. Guards do not
        overlap; of pieces whose fallback is another, at most one lies in the
        tensor at a point of its guard. Index points that no piece holds read
        nothing or, where the fallback is a pad, the constant.
      }], "::std::vector<::tapestry::Access>", "getAccesses",
      (ins "unsigned":$operand)>,
    InterfaceMethod<[{
        The constant that an operand's fallback reads; null without one.
      }],
      "::mlir::TypedAttr", "getPad", (ins "unsigned":$operand), "",
      "return {};">,
    InterfaceMethod<[{
        One projection per result, as it is cut: each dimension is one plain
        label, no label twice, or written whole (no terms, constant 0, stride 1,
        size the extent). Labels that a result lacks are reduced in it.
      }], "::std::vector<::tapestry::Projection>", "getResultProjections">,
    InterfaceMethod<[{
        The regions that index points write of a result, in pieces that cover it
        exactly once. By default what `getResultProjections` says.
      }], "::std::vector<::tapestry::Write>", "getWrites",
      (ins "unsigned":$result), "", [{
        return {::tapestry::Write{$_op.getResultProjections()[result]}};
      }]>,
    InterfaceMethod<[{
        The numbers of the devices that may run the op; nothing where all may. A
        plan cuts every op over all of its devices, so that an op which not all
        of them may run has no plan on them: `tapestry-verify-shards` says so.
      }], "::std::optional<::llvm::SmallVector<int64_t>>", "getDeviceSet",
      (ins), "", "return ::std::nullopt;">,
    InterfaceMethod<[{
        Those operands that are not read, but must have happened, on all devices,
        before the op runs: points and tensors. What the op reads is held back
        until then. Being operands they come before it in the graph, whose order
        is kept, and no waits go around in a circle.
      }], "::llvm::SmallVector<::mlir::Value>", "getAwaited", (ins), "",
      "return {};">,
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
        The layout that a result is kept in, with its grid; nothing where it
        stays as the partition leaves it.
      }], "::std::optional<::std::pair<::tapestry::DeviceGrid, "
          "::tapestry::Layout>>", "getHomeLayout", (ins "unsigned":$result)>,
    InterfaceMethod<"Sets the layout that a result is kept in.",
      "void", "setHomeLayout",
      (ins "unsigned":$result, "const ::tapestry::DeviceGrid &":$grid,
           "const ::tapestry::Layout &":$layout)>,
    InterfaceMethod<[{
        The layouts that a result passes on its way to its home; none where it
        goes there in one step.
      }], "::tapestry::Route", "getHomeRouteLayouts", (ins "unsigned":$result),
      "", "return {};">,
    InterfaceMethod<[{
        Per piece that is read (`getReads`) the layouts that the tensor passes
        between its home and where the op reads it.
      }], "::llvm::SmallVector<::tapestry::Route>", "getOperandRouteLayouts",
      (ins), "", "return {};">,
    InterfaceMethod<[{
        Sets the routes, one per result and one per piece that is read, all
        layouts plain and on the grid of the homes. An op that computes nothing
        has none.
      }], "void", "setRoutes",
      (ins "const ::tapestry::DeviceGrid &":$grid,
           "::llvm::ArrayRef<::tapestry::Route>":$homeRoutes,
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
        that has it has one result, reads every operand in one piece without a
        guard or in linear ones of which one lies in the tensor, and needs
        neither `lowerLocal` nor `evaluate`.
      }], "::mlir::Region *", "getScalarRegion", (ins), "", "return nullptr;">,
    InterfaceMethod<[{
        The label whose value at the index point `op`, which lies in the scalar
        region, gives; nothing where it does something else.
      }], "::std::optional<unsigned>", "getLabelReadBy",
      (ins "::mlir::Operation *":$op), "", "return ::std::nullopt;">,
    InterfaceMethod<[{
        The value that a label has at the first index point, which the scalar
        region counts on from: that of a shard's range.
      }],
      "int64_t", "getLabelStart", (ins "unsigned":$label), "", "return 0;">,
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
        What an index point takes. Of floating-point and integer operations every
        arith or math operation counts 1, transcendental functions included;
        constants, labels and conversions of type count 0; combining counts what
        the monoid costs (1 for a named one) where something is reduced. Bytes
        are those of memory that are moved beside operands and results.
      }], "::tapestry::PointWork", "getWork">,
    InterfaceMethod<[{
        What the user asks of a result's home and, where the graph hands that
        out, of how it is left; with the first result, of the op's cut, too.
      }], "::tapestry::ShardingConstraints", "getConstraints",
      (ins "unsigned":$result)>,
  ];

  let extraSharedClassDeclaration = [{
    /// The index space as a box.
    ::tapestry::ZBox getIndexSpace() {
      return ::tapestry::boxOfShape($_op.getLabelExtents());
    }
    unsigned getIndexRank() { return $_op.getLabelExtents().size(); }
    /// The index points that contribute: along selected labels one of each.
    double getNumPoints() {
      double points = 1;
      for (auto [extent, kind] :
           ::llvm::zip_equal($_op.getLabelExtents(), $_op.getLabelKinds()))
        points *= kind == ::tapestry::LabelKind::Selected ? 1 : extent;
      return points;
    }
    /// All pieces that the op reads with the numbers of their operands: those of
    /// operand 0, then those of operand 1, ...
    ::std::vector<::std::pair<unsigned, ::tapestry::Access>> getReads() {
      ::std::vector<::std::pair<unsigned, ::tapestry::Access>> reads;
      unsigned operands = $_op.getTensorOperands().size();
      for (unsigned operand = 0; operand < operands; ++operand)
        for (::tapestry::Access &access : $_op.getAccesses(operand))
          reads.emplace_back(operand, ::std::move(access));
      return reads;
    }
    /// The name of the vertex that stands for a result.
    ::std::string getResultName(unsigned result) {
      ::std::string name = $_op.getVertexName().str();
      return result == 0 ? name : name + "#" + ::std::to_string(result);
    }
  }];
}

#endif // TAPESTRY_INTERFACES_BLOCKOPINTERFACE_TD
