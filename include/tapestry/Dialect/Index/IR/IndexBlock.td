//===- IndexBlock.td - Calls of functions from outside -----*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXBLOCK_TD
#define TAPESTRY_DIALECT_INDEX_IR_INDEXBLOCK_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Index/IR/IndexDialect.td"

def TapestryIndex_CallBlockOp : Op<TapestryIndex_Dialect, "call_block", [
    Pure, AttrSizedOperandSegments]> {
  let summary = "Calls a function from outside for a box of index points";
  let description = [{
    The function of tapestry-rt/Block.h of this symbol is given the box
    [starts, ends), the parts of tensors that it reads, and memory of those that
    it writes. `offsets` are where the parts begin in their tensors, all
    dimensions of the inputs, then of the results; `shapes` those tensors' shapes,
    and `types` the numbers of their element types. `sizes` are the extents of
    results that are not static. `fills` are three numbers per result: whether it
    is filled before the call, and the bits of an element's first and second part.
    Where the box is empty there is no call. Parameters are numbers of types, in
    64 bits.

    ```mlir
    %y = tapestry_index.call_block "smooth" (%x) box [%lo] to [%hi] at [%o, %lo]
        sizes [] {extents = array<i64: 62>, shapes = array<i64: 64, 62>,
                  types = array<i64: 1, 1>, fills = array<i64: 0, 0, 0>,
                  params = array<i64>, param_types = array<i64>}
        : (tensor<64xf32>) -> tensor<62xf32>
    ```

    Constraints:
    - (call_block_c1) the box has as many starts and ends as there are extents.
    - (call_block_c2) elements are numbers, there is one type per tensor, and one
      offset and one entry of `shapes` per dimension of each.
    - (call_block_c3) there is one size per dimension of a result that is not
      static, three fills per result, and one type per parameter.
  }];
  let arguments = (ins StrAttr:$symbol, Variadic<AnyRankedTensor>:$inputs,
                       Variadic<Index>:$starts, Variadic<Index>:$ends,
                       Variadic<Index>:$offsets, Variadic<Index>:$sizes,
                       DenseI64ArrayAttr:$extents, DenseI64ArrayAttr:$shapes,
                       DenseI64ArrayAttr:$types, DenseI64ArrayAttr:$fills,
                       DenseI64ArrayAttr:$params,
                       DenseI64ArrayAttr:$param_types);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $symbol `(` $inputs `)` `box` `[` $starts `]` `to` `[` $ends `]` `at`
    `[` $offsets `]` `sizes` `[` $sizes `]` attr-dict
    `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXBLOCK_TD
