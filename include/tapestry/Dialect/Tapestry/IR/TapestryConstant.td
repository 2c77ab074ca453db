//===- TapestryConstant.td - Tensors that a graph holds ----*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYCONSTANT_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYCONSTANT_TD

include "tapestry/Dialect/Tapestry/IR/TapestryDimensions.td"

def Tapestry_ConstantOp : Tapestry_DimensionsOp<"constant", (ins
    ElementsAttr:$value), [AllTypesMatch<["value", "result"]>]> {
  let summary = "A tensor that the graph holds";
  let description = [{
    Every device has all of it in its program and takes its part of that, so that
    it may be cut and replicated as it is read, and nothing is sent or copied.

    ```mlir
    %K = tapestry.constant "K" dense<[[0.0, 1.0], [1.0, 0.0]]> : tensor<2x2xf32>
    ```

    More elements are data, which come in through a source, or those of a
    generator, an einsum that reads nothing.

    Constraints:
    - (constant_c1) the value is dense and has at most 2^20 bytes as a tensor in
      memory.
    - (constant_c2) `partition` has one entry per dimension, over axes of the
      graph's grid where that is given.
    - (constant_c3) `home` has the result's shape, no partial axes, and the
      graph's grid where that is given.
    - (constant_c4) `home_route` holds plain layouts of the result's shape,
      `operand_routes` is empty, and there is a home on the same grid.
  }];
  let assemblyFormat = [{
    $name $value attr-dict `` custom<Placement>($partition, $home)
  }];
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name,
                   "::mlir::DenseElementsAttr":$value), [{
      build($_builder, $_state, value.getType(), $_builder.getStringAttr(name),
            value, /*partition=*/nullptr, /*home=*/nullptr,
            /*home_route=*/nullptr, /*operand_routes=*/nullptr);
    }]>
  ];
  let extraClassDeclaration = dimensionsDeclaration # [{
    /// A tensor of elements, in row-major order, of its element type.
    static ::mlir::DenseElementsAttr
    valueOf(::mlir::RankedTensorType type,
            ::llvm::ArrayRef<::mlir::TypedAttr> elements);

    ::mlir::DenseElementsAttr getElements() {
      return ::mlir::cast<::mlir::DenseElementsAttr>(getValue());
    }
  }];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYCONSTANT_TD
