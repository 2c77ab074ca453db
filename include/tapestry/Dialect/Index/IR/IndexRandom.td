//===- IndexRandom.td - Random numbers of points -----------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXRANDOM_TD
#define TAPESTRY_DIALECT_INDEX_IR_INDEXRANDOM_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Index/IR/IndexDialect.td"

def TapestryIndex_RandomKind : I32EnumAttr<"RandomKind", "a distribution", [
    I32EnumAttrCase<"Bits", 0, "bits">,
    I32EnumAttrCase<"Uniform", 1, "uniform">,
    I32EnumAttrCase<"Normal", 2, "normal">]> {
  let cppNamespace = "::tapestry::index";
}

def TapestryIndex_RandomOp : Op<TapestryIndex_Dialect, "random", [
    Pure, Elementwise, Scalarizable, Vectorizable, Tensorizable,
    TypesMatchWith<"counter is of i64", "result", "counter",
                   "::tapestry::index::wordsLike($_self)">,
    TypesMatchWith<"seed is of i64", "result", "seed",
                   "::tapestry::index::wordsLike($_self)">]> {
  let summary = "A random number as a function of a counter";
  let description = [{
    Philox 4x32-10 (J. K. Salmon et al., Parallel Random Numbers: As Easy as
    1, 2, 3, 2011) of the counter (low and high half of `counter`, those of
    `stream`, to which `offset` is added where there is one) under the key (low
    and high half of `seed`) gives four words of 32 bits, w0 to w3. Of those are
    made

    - `bits`: an integer, the low bits of w0 or, of 64, of w1 w0 (w1 above w0);
    - `uniform`: f32 (w0 >> 8) / 2^24, f64 (w1 w0 >> 11) / 2^53, f16
      (w0 >> 21) / 2^11, bf16 (w0 >> 24) / 2^8: 0 <= u < 1, all bits defined;
    - `normal`: sqrt(-2 log u) sin(pi t) (G. E. P. Box and M. E. Muller) with
      u = (w0 | 1) / 2^32 and t = w1 / 2^32 as a signed number, f64 with
      u = (w1 w0 | 1) / 2^64 and t = w3 w2 / 2^64, all rounded to the type; f16
      and bf16 are rounded from f32. Computed within 6 units in the last place.

    ```mlir
    %u = tapestry_index.random uniform of %counter seed %seed stream 7 : f32
    %v = tapestry_index.random uniform of %counter seed %seed stream 0 plus %word : i64 : f32
    ```

    Constraints:
    - (random_c1) bits are integers of 8, 16, 32 or 64 bits, other numbers floats
      of 16, 32 or 64.
    - (random_c2) `offset` is of the type of `counter`.
  }];
  let arguments = (ins TapestryIndex_RandomKind:$kind,
                       SignlessIntegerLike:$counter, SignlessIntegerLike:$seed,
                       I64Attr:$stream, Optional<SignlessIntegerLike>:$offset);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $kind `of` $counter `seed` $seed `stream` $stream
    (`plus` $offset^ `:` type($offset))? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXRANDOM_TD
