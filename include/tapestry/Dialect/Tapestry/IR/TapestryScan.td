//===- TapestryScan.td - Running values ---------------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSCAN_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSCAN_TD

include "tapestry/Dialect/Tapestry/IR/TapestryOps.td"
include "tapestry/Interfaces/ScanInterface.td"

def Tapestry_ScanOp : Tapestry_VertexOp<"scan", [
    NoMemoryEffect, DeclareOpInterfaceMethods<ScanInterface>,
    DeclareOpInterfaceMethods<RangeInterface, ["readsPlaceAlong"]>,
    IsolatedFromAbove]> {
  let summary = "Running sums, products, maxima and the like";
  let description = [{
    Every element is combined, by the monoid, with all those before it along one
    label: `C[n, i]` is the sum of `X[n, 0]` to `X[n, i]`. The labels are the
    dimensions of the result, in order. The label along which values run on may
    be cut as any other; what then travels is one element per block of it and
    point of the other labels.

    ```mlir
    // C[n, i] = cumsum[i] X[n, i]
    %C = tapestry.scan "C" ["n", "i"] <add> along "i" %X
        : (tensor<4x97xf32>) -> tensor<4x97xf32>
    // The last value but 0 so far.
    %L = tapestry.scan "L" ["n", "i"] <custom> along "i" %K combine {
    ^bb0(%a: i32, %b: i32):
      %zero = arith.constant 0 : i32
      %is_zero = arith.cmpi eq, %b, %zero : i32
      %last = arith.select %is_zero, %a, %b : i32
      tapestry.yield %last : i32
    } identity 0 : i32 : (tensor<4x97xi32>) -> tensor<4x97xi32>
    ```

    Values are combined in the result's element type, or in f32 where that is f16
    or bf16: operand and result may differ in that. Elements are rounded as they
    are stored. Sums of floats are carried on with their rounding errors, so that
    the error does not grow with the number of terms. A custom monoid is
    associative, but need not commute: what lies ahead is its first argument.

    Constraints:
    - (scan_c1) labels are unique identifiers, one per dimension of the result,
      and the number of index points fits into 62 bits.
    - (scan_c2) the operand has the result's shape.
    - (scan_c3) values run on along one of the labels.
    - (scan_c4) elements of operand and result are combined in the same type.
    - (scan_c5) the monoid is a custom one or a named one that combines these.
    - (scan_c6) `partition` has one entry per label, over axes of the graph's
      grid where that is given.
    - (scan_c7) `home` has the result's shape, no partial axes, and the
      graph's grid where that is given.
    - (scan_c8) `home_route` holds plain layouts of the result's shape,
      `operand_routes` has one list, of plain layouts of that shape, and there is
      a home on the same grid.
    - (scan_c9) exactly a custom monoid has a combine region, from two values to
      one, as an einsum's, and an identity of their type.
  }];
  let arguments = (ins
    StrAttr:$name,
    StrArrayAttr:$labels,
    TapestryIndex_MonoidAttr:$monoid,
    StrAttr:$along,
    Tapestry_Tensor:$operand,
    OptionalAttr<TypedAttrInterface>:$custom_identity,
    OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
    OptionalAttr<TapestryIndex_LayoutAttr>:$home,
    OptionalAttr<Tapestry_RouteAttr>:$home_route,
    OptionalAttr<TypedArrayAttrBase<Tapestry_RouteAttr,
                                    "a route per operand">>:$operand_routes);
  let results = (outs Tapestry_Tensor:$result);
  let regions = (region MaxSizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $name $labels $monoid `along` $along $operand attr-dict
    (`combine` $combiner^ `identity` $custom_identity)?
    `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = vertexDeclaration # [{
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    lowerLocal(::mlir::OpBuilder &builder, ::mlir::Location loc,
               const ::tapestry::LocalBlock &block);
    ::llvm::Expected<::std::vector<::tapestry::HostTensor>>
    evaluate(::llvm::ArrayRef<const ::tapestry::HostTensor *> operands);

    ::mlir::RankedTensorType getResultType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getResult().getType());
    }
  }];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSCAN_TD
