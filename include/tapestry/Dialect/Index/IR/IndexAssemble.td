//===- IndexAssemble.td - Pieces of one tensor -------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXASSEMBLE_TD
#define TAPESTRY_DIALECT_INDEX_IR_INDEXASSEMBLE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Index/IR/IndexDialect.td"

def TapestryIndex_AssembleOp : Op<TapestryIndex_Dialect, "assemble", [
    Pure, AttrSizedOperandSegments, DestinationStyleOpInterface,
    TypesMatchWith<"the result is what the pieces are put into", "init",
                   "result", "$_self">]> {
  let summary = "Pieces side by side in one tensor";
  let description = [{
    The tensor `init`, in which every piece stands from its offsets on, one number
    per dimension, piece after piece in `offsets`; with `strides` in every so many-th
    place of a dimension. Pieces share no element and lie inside. A chain of `tensor.insert_slice` says the same, but what is written
    where is one question here and many there: upstream's analysis compares
    each link with all before it.

    ```mlir
    %c = tapestry_index.assemble %a, %b at[%zero, %zero, %two, %zero] into %t
        : (tensor<2x5xf32>, tensor<3x5xf32>) into tensor<5x5xf32>
    ```

    Constraints:
    - (assemble_c1) pieces have the rank and the element type of `init`, and where
      both extents are known not more elements along any dimension.
    - (assemble_c2) there is an offset per dimension of each piece.
    - (assemble_c3) there are no strides, or one of at least 1 per dimension.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$pieces,
                       Variadic<Index>:$offsets, AnyRankedTensor:$init,
                       OptionalAttr<DenseI64ArrayAttr>:$strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $pieces `at` `[` $offsets `]` (`by` $strides^)? `into` $init attr-dict
    `:` `(` type($pieces) `)` `into` type($init)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The offsets of a piece.
    ::mlir::OperandRange getOffsetsOf(unsigned piece) {
      unsigned rank = getInit().getType().getRank();
      return getOffsets().slice(piece * rank, rank);
    }
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitMutable();
    }
  }];
}

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXASSEMBLE_TD
