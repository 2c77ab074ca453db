//===- IndexOps.td - Operations of tapestry_index ----------*- tablegen -*-===//
//
// The arithmetic of tapestry/Support at run time. A range is a pair of index
// values lo, hi; a box is one pair per dimension, in order.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXOPS_TD
#define TAPESTRY_DIALECT_INDEX_IR_INDEXOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Index/IR/IndexAttrs.td"

// `part` is what the lowering of layouts makes. `apply`, `image` and `intersect`
// are what an operator's own lowering finds its windows by (emitWindowStarts):
// those of views, gathers and blocks, and until then of other dialects.
class TapestryIndex_Op<string mnemonic, list<Trait> traits = []>
    : Op<TapestryIndex_Dialect, mnemonic, !listconcat(traits, [Pure])> {
  let hasFolder = 1;
}

/// An op whose results follow from its attributes and operands in number; all
/// are of type index.
class TapestryIndex_BoxOp<string mnemonic, list<Trait> traits = []>
    : TapestryIndex_Op<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<InferTypeOpInterface>])> {
  let hasVerifier = 1;
}

def TapestryIndex_ApplyOp : TapestryIndex_BoxOp<"apply"> {
  let summary = "The starts of a projection's region at an index point";
  let description = [{
    ```mlir
    %s:2 = tapestry_index.apply #projection(%i, %j)
    ```

    Constraints:
    - (apply_c1) there is one operand per dimension of the index space.
  }];
  let arguments = (ins TapestryIndex_ProjectionAttr:$projection,
                       Variadic<Index>:$point);
  let results = (outs Variadic<Index>:$starts);
  let assemblyFormat = "qualified($projection) `` `(` $point `)` attr-dict";
}

def TapestryIndex_ImageOp : TapestryIndex_BoxOp<"image"> {
  let summary = "The bounding box of a projection's regions over a box";
  let description = [{
    Empty, [0, 0) in every dimension, where the box is empty. Not clipped.

    ```mlir
    %b:4 = tapestry_index.image #projection of [%lo0 to %hi0, %lo1 to %hi1]
    ```

    Constraints:
    - (image_c1) there is one range per dimension of the index space.
  }];
  let arguments = (ins TapestryIndex_ProjectionAttr:$projection,
                       Variadic<Index>:$bounds);
  let results = (outs Variadic<Index>:$image);
  let assemblyFormat = [{
    qualified($projection) `of` custom<Bounds>($bounds) attr-dict
  }];
}

def TapestryIndex_IntersectOp
    : TapestryIndex_BoxOp<"intersect", [AttrSizedOperandSegments]> {
  let summary = "The intersection of two boxes";
  let description = [{
    ```mlir
    %b:2 = tapestry_index.intersect [%lo0 to %hi0], [%lo1 to %hi1]
    ```

    Constraints:
    - (intersect_c1) both boxes have one rank.
  }];
  let arguments = (ins Variadic<Index>:$lhs, Variadic<Index>:$rhs);
  let results = (outs Variadic<Index>:$box);
  let assemblyFormat = "custom<Bounds>($lhs) `,` custom<Bounds>($rhs) attr-dict";
}

def TapestryIndex_PartOp : TapestryIndex_BoxOp<"part"> {
  let summary = "The box of a tensor that a device holds";
  let description = [{
    The box of `device` under a layout, clipped to the tensor and [0, 0) in
    dimensions where it is empty. With `unclipped`, the image that a window
    reads, which may reach outside the tensor.

    ```mlir
    %b:4 = tapestry_index.part #layout at %device
    %w:4 = tapestry_index.part #layout at %device unclipped
    ```

    Constraints:
    - (part_c1) there are two results per dimension of the layout.
  }];
  let arguments = (ins TapestryIndex_LayoutAttr:$layout, Index:$device,
                       UnitAttr:$unclipped);
  let results = (outs Variadic<Index>:$box);
  let assemblyFormat = [{
    qualified($layout) `at` $device (`unclipped` $unclipped^)? attr-dict
  }];
  // part_c1 is the type inference's to check.
  let hasVerifier = 0;
}

/// The end of the run, which nothing else may be moved across.
def TapestryIndex_Run : Resource<"::tapestry::index::RunResource">;

def TapestryIndex_RequireOp
    : Op<TapestryIndex_Dialect, "require", [
        MemoryEffects<[MemWrite<TapestryIndex_Run>]>]> {
  let summary = "Ends the run where data name an element that is not there";
  let description = [{
    All devices have the same operands, and end with one message where `first` is
    not 2^63 - 1: `place`, `index`, the coordinate in `shape` of the element with
    the row-major number `first`, `value`, which has a sign unless it says
    `unsigned_value`, and `bound`.

    ```mlir
    tapestry_index.require %first, %value "p.ein:3:1: error: " index "Tok" of [4, 16]
        "dimension 0 of 'Table' has only the indices 0 to 99"
        : tensor<i64>, tensor<i64>
    ```

    Constraints:
    - (require_c1) the extents of `shape` are at least 0, and the number of its
      elements fits into 62 bits.
  }];
  let arguments = (ins 0DTensorOf<[I64]>:$first, 0DTensorOf<[I64]>:$value,
                       StrAttr:$place, StrAttr:$index,
                       DenseI64ArrayAttr:$shape, StrAttr:$bound,
                       UnitAttr:$unsigned_value);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $first `,` $value $place `index` $index `of` $shape $bound attr-dict
    `:` type($first) `,` type($value)
  }];
}

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXOPS_TD
