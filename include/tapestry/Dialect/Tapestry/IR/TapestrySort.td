//===- TapestrySort.td - Elements in order ------------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSORT_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSORT_TD

include "tapestry/Dialect/Tapestry/IR/TapestryOps.td"
include "tapestry/Interfaces/ScanInterface.td"

def Tapestry_SortOp : Tapestry_VertexOp<"sort", [
    NoMemoryEffect,
    DeclareOpInterfaceMethods<RangeInterface, ["readsPlaceAlong"]>,
    DeclareOpInterfaceMethods<ScanInterface, ["getTotalCount",
                                              "readsBehindTotals"]>]> {
  let summary = "The elements along a label in order, or the first of them";
  let description = [{
    The labels are the dimensions of the operand, in order. Along one of them the
    elements are put in order; the result has their ranks in its place, all or
    the first few: the elements of those ranks or, with `indices`, where along
    the label they stand.

    ```mlir
    // S[n, r] = sort[c] X[n, c]
    %S = tapestry.sort "S" ["n", "c"] along "c" %X
        : (tensor<4x97xf32>) -> tensor<4x97xf32>
    // I[n, r:5] are the indices of topk[c] X[n, c]
    %I = tapestry.sort "I" ["n", "c"] along "c" %X {descending, indices}
        : (tensor<4x97xf32>) -> tensor<4x5xi64>
    ```

    Equal elements keep their order, with `descending`, too. NaN is the largest
    value; -0.0 equals 0.0. Integers have a sign unless it says
    `unsigned_elements`.

    All labels may be cut. Along the one along which elements are put in order,
    a device sorts its block, or selects the best of it; devices exchange what
    they have, and each takes what it keeps: the part of the ranks that has the
    numbers of its block, or all where there are fewer. Indices travel with keys
    of 32 bits: those of elements of 64 bits, or along 2^32 elements and more, are
    not cut there.

    Constraints:
    - (sort_c1) labels are unique identifiers, one per dimension of the operand,
      and the number of index points fits into 62 bits.
    - (sort_c2) elements are f16, bf16, f32, f64 or integers of 8, 16, 32 or 64
      bits, unsigned ones integers.
    - (sort_c3) elements are put in order along one of the labels.
    - (sort_c4) the result has the operand's shape, but along that label may be
      shorter.
    - (sort_c5) indices are i64, elements have the operand's type.
    - (sort_c6) `partition` has one entry per label, over axes of the graph's
      grid where that is given; that of the label along which indices that do not
      travel are sorted has none.
    - (sort_c7) `home` has the result's shape, no partial axes, and the
      graph's grid where that is given.
    - (sort_c8) `home_route` holds plain layouts of the result's shape,
      `operand_routes` has one list, of plain layouts of the operand's shape, and
      there is a home on the same grid.
  }];
  let arguments = (ins
    StrAttr:$name,
    StrArrayAttr:$labels,
    StrAttr:$along,
    UnitAttr:$descending,
    UnitAttr:$indices,
    UnitAttr:$unsigned_elements,
    Tapestry_Tensor:$operand,
    OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
    OptionalAttr<TapestryIndex_LayoutAttr>:$home,
    OptionalAttr<Tapestry_RouteAttr>:$home_route,
    OptionalAttr<TypedArrayAttrBase<Tapestry_RouteAttr,
                                    "a route per operand">>:$operand_routes);
  let results = (outs Tapestry_Tensor:$result);
  let assemblyFormat = [{
    $name $labels `along` $along $operand attr-dict
    `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = vertexDeclaration # [{
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    lowerLocal(::mlir::OpBuilder &builder, ::mlir::Location loc,
               const ::tapestry::LocalBlock &block);
    ::llvm::Expected<::std::vector<::tapestry::HostTensor>>
    evaluate(::llvm::ArrayRef<const ::tapestry::HostTensor *> operands);

    ::mlir::RankedTensorType getOperandType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getOperand().getType());
    }
    ::mlir::RankedTensorType getResultType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getResult().getType());
    }
    /// The number of the label along which elements are put in order.
    unsigned getSortedLabel();
    /// Whether an index fits into 64 bits below what tells the order.
    bool canPack();
  }];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSORT_TD
