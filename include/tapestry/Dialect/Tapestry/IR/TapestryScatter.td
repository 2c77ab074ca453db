//===- TapestryScatter.td - Writes at places that data name -*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSCATTER_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSCATTER_TD

include "tapestry/Dialect/Tapestry/IR/TapestryOps.td"

def Tapestry_ScatterOp : Tapestry_VertexOp<"scatter", [
    NoMemoryEffect, AttrSizedOperandSegments, IsolatedFromAbove,
    DeclareOpInterfaceMethods<RangeInterface, ["readsPlaceAlong", "evaluateRange"]>]> {
  let summary = "Values combined in the elements that tensors of integers name";
  let description = [{
    The first labels index the result, in order, the others are points, of which
    each has a value. `into` lists the dimensions of the result that data index,
    one per index tensor: for each point, and each element along the other
    dimensions, the index tensor names the place along its dimension. What lands
    on one element is combined by the monoid, a custom one of which is
    associative and commutes; an element that nothing reaches holds the monoid's
    identity.

    ```mlir
    // S[A[n]:8, d] = sum[n] X[n, d]
    %S = tapestry.scatter "S" ["A", "d", "n"] = [8, 5, 100] add %X by %A into [0]
        at [affine_map<(a, d, n) -> (n, d)>, affine_map<(a, d, n) -> (n)>]
        after %inside
        : (tensor<100x5xf32>, tensor<100xi32>, tensor<i64>) -> tensor<8x5xf32>
    ```

    A value whose place lies outside is left out. Scalars behind `after`, those
    of `tapestry.require`, have been computed before anything is written.

    All labels may be cut. Over points devices hold partial results, which are
    combined by the monoid; over a dimension that data index, each takes what
    falls into its part, of all points. A device goes through its points in their
    order, so that two runs give the same bits. f16 and bf16 are added,
    multiplied and combined by a custom monoid in f32, and where values and result
    differ also compared. A device
    keeps its sums of f32 in f64, those of f64 with their rounding errors; what it
    hands on of points that are cut is rounded to f32 or f64.

    Constraints:
    - (scatter_c1) labels are unique identifiers.
    - (scatter_c2) there is one extent per label, at least 0, and the number of
      index points fits into 62 bits.
    - (scatter_c3) the shape of the result is the extents of its labels, and
      there is a label of points.
    - (scatter_c4) there is an index tensor, and one distinct dimension of the
      result in `into` for each.
    - (scatter_c5) there is one indexing map for the values and one per index
      tensor, from all labels.
    - (scatter_c6) the subscripts of values and index tensors are distinct
      labels, of their dimensions' extents; none is one that data index.
    - (scatter_c7) an index tensor holds integers, not i1.
    - (scatter_c8) the monoid is not none, and, or and xor combine integers; add
      and mul do not combine i1.
    - (scatter_c9) values have the result's element type, or both are floats of at
      most 32 bits.
    - (scatter_c10) `partition` has one entry per label, over axes of the graph's
      grid where that is given.
    - (scatter_c11) `home` has the result's shape, no partial axes, and the
      graph's grid where that is given.
    - (scatter_c12) `home_route` holds plain layouts of the result's shape,
      `operand_routes` has one list per operand, of plain layouts of its shape,
      and there is a home on the same grid.
    - (scatter_c13) exactly a custom monoid has a combine region, from two values
      to one, as an einsum's, and an identity of their type.
  }];
  let arguments = (ins
    StrAttr:$name,
    StrArrayAttr:$labels,
    DenseI64ArrayAttr:$extents,
    TapestryIndex_MonoidAttr:$monoid,
    Tapestry_Tensor:$values,
    Variadic<Tapestry_Tensor>:$indices,
    Variadic<0DTensorOf<[I64]>>:$checks,
    DenseI64ArrayAttr:$into,
    AffineMapArrayAttr:$indexing_maps,
    OptionalAttr<TypedAttrInterface>:$custom_identity,
    OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
    OptionalAttr<TapestryIndex_LayoutAttr>:$home,
    OptionalAttr<Tapestry_RouteAttr>:$home_route,
    OptionalAttr<TypedArrayAttrBase<Tapestry_RouteAttr,
                                    "a route per operand">>:$operand_routes);
  let results = (outs Tapestry_Tensor:$result);
  let regions = (region MaxSizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $name $labels `=` $extents custom<Monoid>($monoid) $values `by` $indices `into` $into
    `at` $indexing_maps (`after` $checks^)? attr-dict
    (`combine` $combiner^ `identity` $custom_identity)?
    `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let builders = [
    /// `maps` are those of the values, then of the index tensors. A custom
    /// monoid is left to `buildCustomMonoid`.
    OpBuilder<(ins "::llvm::StringRef":$name,
                   "::llvm::ArrayRef<::llvm::StringRef>":$labels,
                   "::llvm::ArrayRef<int64_t>":$extents,
                   "::tapestry::Monoid":$monoid, "::mlir::Value":$values,
                   "::mlir::ValueRange":$indices, "::llvm::ArrayRef<int64_t>":$into,
                   "::llvm::ArrayRef<::mlir::AffineMap>":$maps,
                   "::mlir::ValueRange":$checks,
                   "::mlir::RankedTensorType":$resultType)>
  ];
  let extraClassDeclaration = vertexDeclaration # [{
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    lowerLocal(::mlir::OpBuilder &builder, ::mlir::Location loc,
               const ::tapestry::LocalBlock &block);
    ::llvm::Expected<::std::vector<::tapestry::HostTensor>>
    evaluate(::llvm::ArrayRef<const ::tapestry::HostTensor *> operands);

    ::mlir::RankedTensorType getResultType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getResult().getType());
    }
    /// In which values are combined: f32 for a narrow result that rounds what it
    /// combines, or whose values have another type.
    ::mlir::Type getAccumulatorType();
    /// From all labels: of the values (0) and the index tensors.
    ::mlir::AffineMap getMap(unsigned operand);
    /// Per label the index tensor that names places along it.
    ::llvm::SmallVector<::std::optional<unsigned>> getIndexOfLabels();
    /// The labels at which an operand is read, one per dimension.
    ::llvm::SmallVector<unsigned> getLabelsOf(unsigned operand);
  }];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSCATTER_TD
