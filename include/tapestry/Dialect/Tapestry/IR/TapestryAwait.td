//===- TapestryAwait.td - What follows a sequence point ----*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYAWAIT_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYAWAIT_TD

include "tapestry/Dialect/Tapestry/IR/TapestryDimensions.td"

def Tapestry_AwaitOp : Tapestry_DimensionsOp<"await", (ins
    Tapestry_Tensor:$input, Variadic<Tapestry_Point>:$points),
    [AllTypesMatch<["input", "result"]>]> {
  let summary = "A tensor that is there after sequence points";
  let description = [{
    The operand, which nobody has before all that the points waited for has
    happened, on every device. So what reads the result, of any kind, follows the
    points; what reads the operand itself need not. What makes the operand and
    reads no tensor, which could be held back, follows those of the points behind
    which it stands.

    ```mlir
    %p = tapestry.sequence_point %C : tensor<97x53xf32>
    %A1 = tapestry.await "A1" %A after %p : tensor<31xf32>
    %R = tapestry.block "R" #noise [i = 9] () {} : () -> tensor<9xf32>
    %R1 = tapestry.await "R1" %R after %p : tensor<9xf32>
    ```

    Constraints:
    - (await_c1) there is a point, and all stand in the block of the operation:
      what a loop holds follows its operands.
    - (await_c2) `partition` has one entry per dimension, over axes of the
      graph's grid where that is given.
    - (await_c3) `home` has the result's shape, no partial axes, and the
      graph's grid where that is given.
    - (await_c4) `home_route` holds plain layouts of the result's shape,
      `operand_routes` has one list, of plain layouts of that shape, and there is
      a home on the same grid.
  }];
  let assemblyFormat = [{
    $name $input `after` $points attr-dict `:` type($result)
    `` custom<Placement>($partition, $home)
  }];
  let extraClassDeclaration = dimensionsDeclaration # [{
    ::llvm::SmallVector<::mlir::Value> getAwaited() {
      return ::llvm::to_vector_of<::mlir::Value>(getPoints());
    }
  }];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYAWAIT_TD
