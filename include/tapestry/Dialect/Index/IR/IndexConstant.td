//===- IndexConstant.td - A device's part of a constant ----*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXCONSTANT_TD
#define TAPESTRY_DIALECT_INDEX_IR_INDEXCONSTANT_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Index/IR/IndexDialect.td"

def TapestryIndex_ConstantOp : Op<TapestryIndex_Dialect, "constant", [
    Pure, AttrSizedOperandSegments]> {
  let summary = "A box of a tensor that the program holds";
  let description = [{
    The elements of `value` from `starts` on; `sizes` are the extents of the
    result that are not static. Booleans lie in bytes. All devices have the whole
    tensor in their program, so that nothing is copied to take a part.

    ```mlir
    %k = tapestry_index.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
        from [%lo, %zero] sizes [%n] : tensor<?x2xf32>
    ```

    Constraints:
    - (constant_c1) `value` is dense, and there is one start per dimension of it.
    - (constant_c2) the result has the rank of `value`, no static extent that is
      larger, one of `sizes` per extent that is not static, and the type in which
      elements of `value` lie in memory.
  }];
  let arguments = (ins ElementsAttr:$value, Variadic<Index>:$starts,
                       Variadic<Index>:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value `from` `[` $starts `]` `sizes` `[` $sizes `]` attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXCONSTANT_TD
