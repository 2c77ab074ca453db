//===- TapestryCollect.td - Rows put into a tensor ----------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYCOLLECT_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYCOLLECT_TD

include "tapestry/Dialect/Tapestry/IR/TapestryOps.td"

def Tapestry_CollectOp : Tapestry_VertexOp<"collect", [NoMemoryEffect]> {
  let summary = "A tensor with one row replaced";
  let description = [{
    The result is `into`, but for the row along its first dimension that `at`
    names, which is `row`. A number outside of the dimension stands for the
    nearest in it. The labels are the dimensions of the row, in order; the first
    dimension of the result is kept whole.

    ```mlir
    // collect H[t, b] = ... in the body of the loop t
    %next = tapestry.collect "t.H" ["b"] %row, %H, %t
        : (tensor<13xf32>, tensor<100x13xf32>, tensor<i64>) -> tensor<100x13xf32>
    ```

    Where a loop carries `into` and nothing else reads it, the row is written
    into the memory of `into`.

    Constraints:
    - (collect_c1) labels are unique identifiers, one per dimension of the row,
      and the number of index points fits into 62 bits.
    - (collect_c2) `into` and the result have one type.
    - (collect_c3) that is the row's with one more dimension in front, of at least
      one row.
    - (collect_c4) `partition` has one entry per label, over axes of the graph's
      grid where that is given.
    - (collect_c5) `home` has the result's shape, no partial axes, and the
      graph's grid where that is given.
    - (collect_c6) `home_route` holds plain layouts of the result's shape,
      `operand_routes` has one list per operand, of plain layouts of its shape,
      and there is a home on the same grid.
  }];
  let arguments = (ins
    StrAttr:$name,
    StrArrayAttr:$labels,
    Tapestry_Tensor:$row,
    Tapestry_Tensor:$into,
    0DTensorOf<[I64]>:$at,
    OptionalAttr<TapestryIndex_PartitionAttr>:$partition,
    OptionalAttr<TapestryIndex_LayoutAttr>:$home,
    OptionalAttr<Tapestry_RouteAttr>:$home_route,
    OptionalAttr<TypedArrayAttrBase<Tapestry_RouteAttr,
                                    "a route per operand">>:$operand_routes);
  let results = (outs Tapestry_Tensor:$result);
  let assemblyFormat = [{
    $name $labels $row `,` $into `,` $at attr-dict
    `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = vertexDeclaration # [{
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    lowerLocal(::mlir::OpBuilder &builder, ::mlir::Location loc,
               const ::tapestry::LocalBlock &block);
    ::llvm::Expected<::std::vector<::tapestry::HostTensor>>
    evaluate(::llvm::ArrayRef<const ::tapestry::HostTensor *> operands);

    ::mlir::RankedTensorType getRowType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getRow().getType());
    }
    ::mlir::RankedTensorType getResultType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getResult().getType());
    }
  }];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYCOLLECT_TD
