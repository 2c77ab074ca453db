//===- IndexSort.td - Rows of a device in order ------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXSORT_TD
#define TAPESTRY_DIALECT_INDEX_IR_INDEXSORT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Index/IR/IndexDialect.td"

def TapestryIndex_SortOp : Op<TapestryIndex_Dialect, "sort", [Pure]> {
  let summary = "The rows of a tensor in order";
  let description = [{
    The first `length` elements along the last dimension are put in order, and
    `count` of them taken from number `first` on: they themselves or, with
    `indices`, `offset` and their positions in the row. What is behind the last
    one is 0. NaN is the largest value, -0.0 equals 0.0, and equal elements keep
    their order.

    With `run`, the row consists of runs of so many elements, the last of which
    may be shorter, that are in order already and are merged. `most` is a number
    of elements that is not exceeded: of those taken with `select`, which keeps
    the best ones in one pass from `first` 0 on, or a `run`, else of `length`.
    Rows of 2^32 elements and more are `wide`; indices of others, of elements of
    up to 32 bits, may be `packed`: as the lower halves of numbers that without a
    sign are in the order of the elements.

    ```mlir
    %v = tapestry_index.sort %x length %n from %zero take %n offset %zero
        {most = 97} : tensor<4x97xf32> -> tensor<4x97xf32>
    ```

    Constraints:
    - (sort_c1) elements are f16, bf16, f32, f64 or signless integers of 8, 16, 32
      or 64 bits, and the last dimension exists.
    - (sort_c2) the result has the source's shape but for the last dimension, and
      its element type; indices are i64.
    - (sort_c3) `run` and `most` are not negative, there is no `run` beside
      `select` or `indices`, and only indices of elements of up to 32 bits, not
      wide, are `packed`.
  }];
  let arguments = (ins AnyRankedTensor:$source, Index:$length, Index:$first,
                       Index:$count, Index:$offset, UnitAttr:$indices,
                       UnitAttr:$descending, UnitAttr:$unsigned_elements,
                       UnitAttr:$select, UnitAttr:$wide, UnitAttr:$packed,
                       DefaultValuedAttr<I64Attr, "0">:$run, I64Attr:$most);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `length` $length `from` $first `take` $count `offset` $offset
    attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXSORT_TD
