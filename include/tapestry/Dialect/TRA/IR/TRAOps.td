//===- TRAOps.td - Operations of the tra dialect -----------*- tablegen -*-===//
//
// The algebra on tensor relations and its border to tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TRA_TRAOPS_TD
#define TAPESTRY_DIALECT_TRA_TRAOPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/TRA/IR/TRATypes.td"

class TRA_Op<string mnemonic, list<Trait> traits = []>
    : Op<TRA_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Tensors and relations
//===----------------------------------------------------------------------===//

def TRA_Tensor
    : ConfinedType<
          StaticShapeTensorOf<[AnyType]>,
          [CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">],
          "statically shaped tensor without an encoding",
          "::mlir::RankedTensorType">;

def TRA_FromTensorOp : TRA_Op<"from_tensor", [Pure]> {
  let summary = "a tensor as a relation";
  let description = [{
    The tensor comes from outside the program, so every device can be given any
    part: parts may be replicated and may overlap.

    ```mlir
    %r = tra.from_tensor %A : tensor<97x53xf32>
           -> !tra.relation<[97, 53] / [2, 1], f32, #rows>
    ```

    Constraints:
    - `from_tensor_c1`: the relation has the tensor's shape and element type.
    - `from_tensor_c2`: the relation has no partial axes.
  }];
  let arguments = (ins TRA_Tensor:$tensor);
  let results = (outs TRA_Relation:$relation);
  let assemblyFormat =
      "$tensor attr-dict `:` type($tensor) `->` qualified(type($relation))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TRA_ToTensorOp : TRA_Op<"to_tensor", [Pure]> {
  let summary = "a relation as a tensor";
  let description = [{
    The tensor leaves the program part by part, each part from one device.

    ```mlir
    %A = tra.to_tensor %r : !tra.relation<[97, 53] / [2, 1], f32, #rows>
           -> tensor<97x53xf32>
    ```

    Constraints:
    - `to_tensor_c1`: the tensor has the relation's shape and element type.
    - `to_tensor_c2`: the relation has no partial axes.
    - `to_tensor_c3`: the relation's layout is plain and no axis cuts it twice, but
      that labels may leave it to the devices of one of their values: its parts do
      not overlap and leave no gap.
  }];
  let arguments = (ins TRA_Relation:$relation);
  let results = (outs TRA_Tensor:$tensor);
  let assemblyFormat =
      "$relation attr-dict `:` qualified(type($relation)) `->` type($tensor)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Join
//===----------------------------------------------------------------------===//

def TRA_JoinOp
    : TRA_Op<"join", [NoMemoryEffect,
                   DeclareOpInterfaceMethods<ConditionallySpeculatable>,
                   IsolatedFromAbove]> {
  let summary = "apply a kernel to every matching tuple of sub-tensors";
  let description = [{
    The labels span an index space that the partition cuts into blocks, one per
    device. On its block, each device computes for every point of the result the
    combination by the monoid (⊕), over the points of the block that agree with it
    on the result's labels, of the kernel's (⊗) values. The kernel takes one
    element of every operand, read at the operand's subscripts, and may ask for
    the point itself by `tra.label`; it captures nothing.

    No element is moved: operands lie where the partition wants to read them. The
    result is partial over the axes that cut reduced labels (those that the result
    lacks); its parts are then to be aggregated. Of an operand that is partial
    itself a device reads its own value; over axes that cut no label the result is
    then partial, too. A device whose block is empty
    holds the monoid's identity.

    Subscripts are affine in the labels; they may be divided and wrapped around by
    constants. `pad v` reads v outside the operand, `edge`, `reflect` and
    `symmetric` fold what leaves it (`#tapestry_index.projection`). An operand may
    come in pieces, `%a[i + 1] else %b[i - 96]`: a point reads the one that its
    subscripts do not leave. A fold stands behind the last piece and is for the
    dimensions in which all read alike. A kernel that chooses by labels need not
    have all that its points would read: a layout with `within` leaves out what
    values of these labels alone read, and the kernel takes any value there.

    ```mlir
    %C = tra.join "C" [i = 97, k = 41, j = 53] by #tapestry_index.partition<
             [["d.0"], [], ["d.1"]]> (%a[i, j], %b[j, k]) -> [i, k] reduce add {
    ^bb0(%x: f32, %y: f32):
      %m = arith.mulf %x, %y : f32
      tra.yield %m : f32
    } : (!a, !b) -> !c
    // A window with a border of zeros, under a monoid of the user.
    %D = tra.join "D" [y = 16, r = 3] by #by_y (%x[2 * y + r - 1] pad 0.0 : f32)
             -> [y] reduce custom identity 0.0 : f32 {
    ^bb0(%v: f32):
      tra.yield %v : f32
    } combine {
    ^bb0(%v: f32, %w: f32):
      %m = arith.addf %v, %w : f32
      tra.yield %m : f32
    } : (!x) -> !y
    ```

    Constraints:
    - `join_c1`: there is one extent per label; labels are distinct identifiers
      (letters, digits, `_`, `$` and `.`, the first no digit; not `mod`, `floordiv`
      or `ceildiv`); extents are at least 0 and below 2^62.
    - `join_c2`: there is one indexing map per operand and one for the result, of
      the labels, without symbols, with one result per dimension.
    - `join_c3`: every dimension of the result is one label, each at most once, and
      has its extent.
    - `join_c4`: subscripts of operands are affine with integer coefficients, or
      such a form divided by, then wrapped around a positive constant, and stay
      below 2^62.
    - `join_c5`: there is one pad per operand: `unit` for none, a value of its
      element type, "edge", "reflect" or "symmetric", or "else" where the next one
      is another piece. The pieces of an
      operand are relations of one tensor's shape and element type, and their
      subscripts are affine and differ only in constants.
    - `join_c6`: subscripts of an operand without pad, in one piece, stay within it;
      those that a fold is for do not wrap around, and there is an element; of pieces one at most is not left at a point.
    - `join_c7`: the monoid is `none` if and only if no label is reduced.
    - `join_c8`: there are an identity and a combine region if and only if the
      monoid is `custom`; the identity is of the result's element type.
    - `join_c9`: `and`, `or` and `xor` combine integers; `add` and `mul` do not
      combine i1.
    - `join_c10`: the kernel takes one value of each operand's element type, one for
      all of its pieces, and yields one of the result's; it has no side effects.
    - `join_c11`: the combine region takes two values of the result's element type
      and yields one; it has no side effects.
    - `join_c12`: the partition cuts every label over axes of the result's grid, on
      which all operands lie.
    - `join_c13`: each operand's layout is what its subscripts read under the
      partition, within ranges of labels where the layout has any; those are of
      operands in one piece without folds, divisions and remainders.
    - `join_c14`: the result's layout is what the partition writes, partial over
      the axes that cut reduced labels (`writtenLayout`) and those over which
      operands are and that cut no label.
  }];
  let arguments = (ins
    StrAttr:$vertex,
    StrArrayAttr:$labels,
    DenseI64ArrayAttr:$extents,
    TapestryIndex_PartitionAttr:$partition,
    Variadic<TRA_Relation>:$inputs,
    AffineMapArrayAttr:$indexing_maps,
    ArrayAttr:$pads,
    TapestryIndex_MonoidAttr:$monoid,
    OptionalAttr<TypedAttrInterface>:$identity);
  let results = (outs TRA_Relation:$result);
  let regions = (region SizedRegion<1>:$kernel, MaxSizedRegion<1>:$combine);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The grid of the result, which is that of the operands.
    const ::tapestry::DeviceGrid &getDeviceGrid() {
      return getResult().getType().getDeviceGrid();
    }
    /// The number of the label, if the join has it.
    ::std::optional<unsigned> labelNamed(::llvm::StringRef name);
    ::mlir::AffineMap getInputMap(unsigned input);
    ::mlir::AffineMap getResultMap();
    /// Where an operand is read, folds included.
    ::tapestry::Projection getRead(unsigned input);
    /// The points whose values may follow from an operand, as its layout says
    /// (`within`); no ranges: all points.
    ::tapestry::ZBox getGuard(unsigned input);
    /// What an operand reads outside its bounds; null if it stays within.
    ::mlir::TypedAttr getPad(unsigned input);
    /// Per value that the kernel takes, the first of the inputs that are its
    /// pieces and the one behind the last.
    ::llvm::SmallVector<::std::pair<unsigned, unsigned>> getOperandPieces();
    /// The numbers of the labels that the result lacks, ascending.
    ::llvm::SmallVector<unsigned> getReducedLabels();
    /// The partition in axis numbers of the grid; of a verified operation.
    ::tapestry::Partition getResolvedPartition();
  }];
}

def TRA_LabelOp : TRA_Op<"label", [Pure]> {
  let summary = "the value of a label at the kernel's point";
  let description = [{
    The value counts over the label's whole extent, whichever block the device
    works on.

    ```mlir
    %i = tra.label "i"
    ```

    Constraints:
    - `label_c1`: the operation lies in the kernel of a `tra.join`.
    - `label_c2`: the join has a label of this name.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$value);
  let assemblyFormat = "$name attr-dict";
  let hasVerifier = 1;
}

def TRA_YieldOp : TRA_Op<"yield", [
    Pure, Terminator, HasParent<"JoinOp, AggregateOp">]> {
  let summary = "the value of a kernel or a combine region";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Block
//===----------------------------------------------------------------------===//

def TRA_BlockOp
    : TRA_Op<"block", [NoMemoryEffect,
                   DeclareOpInterfaceMethods<ConditionallySpeculatable>,
                   IsolatedFromAbove]> {
  let summary = "what every device computes on its block of an index space";
  let description = [{
    The join of an operator that is more than a scalar function under a monoid:
    it reads regions of its operands, has any number of results, and brings what
    a device computes. The partition cuts the index space into blocks, one per
    device. The body takes one window per operand, all that the block's points
    read of it (`reads`), and start and end of every label of the block; it
    yields the part of every result that the block writes (`writes`). It
    captures nothing.

    A guard says which points read an operand: ranges of the labels, one operand
    per piece of a tensor that is read in pieces. A device none of whose points
    read an operand holds nothing of it.

    No element is moved: operands lie where the partition wants to read them. A
    result is partial over the axes that cut labels which it lacks; its parts are
    then to be aggregated, by a monoid that may be another for every result. Where
    a block is empty along such a label, the body yields the monoid's identity.

    Windows start at the least index that the block reads in each dimension; they
    are the whole [0, m) where a projection wraps around within the block. A pad
    is what is read outside the operand; the window holds it there. Extents
    of windows and results are static where they are the same on all devices;
    booleans are bytes.

    ```mlir
    %sum, %max = tra.block "S" ["i"] = [97] by #tapestry_index.partition<[["d.0"]]>
        reads(%x : !x) at [#tapestry_index.projection<(d0) -> (d0 - 1), shape = [3]>]
        pads [0.0 : f32]
        writes(!sum, !max) at [#tapestry_index.projection<(d0) -> ()>,
                               #tapestry_index.projection<(d0) -> (d0)>] {
    ^bb0(%window: tensor<?xf32>, %lo: index, %hi: index):
      ...
      tra.block_yield %s, %m : tensor<f32>, tensor<?xf32>
    }
    // The rows of %b behind the 7 of %a.
    %y = tra.block "Y" ["i"] = [18] by #tapestry_index.partition<[["d.0"]]>
        reads(%a, %b : !a, !b) at [#tapestry_index.projection<(d0) -> (d0)>,
                                   #tapestry_index.projection<(d0) -> (d0 - 7)>]
        guards [#tapestry_index.range<0 to 7>, #tapestry_index.range<7 to 18>]
        pads [unit, unit] writes(!y) at [...] { ... }
    ```

    Constraints:
    - `block_c1`: there is one extent per label; labels are distinct identifiers
      (as in a join); extents are at least 0 and below 2^62.
    - `block_c2`: there is one projection per operand and result, from all labels
      to the dimensions of its relation, whose images and divisors stay below 2^62.
      Where there are guards, there is one per operand: `unit` for all points or a
      range `lo to hi` of every label within its extent, lo <= hi.
    - `block_c3`: there is one pad per operand, `unit` for none or a value of its
      element type.
    - `block_c4`: an operand without pad is read within its bounds by the points
      of its guard.
    - `block_c5`: every dimension of a result is one label, each at most once and
      of its extent, or is written whole, or is the number of the block of one
      label (the label divided by the size of its blocks), of as many points as
      there are blocks that are not empty.
    - `block_c6`: the partition cuts every label over axes of the grid on which all
      relations lie; there is one at least.
    - `block_c7`: each operand's layout is what its projection reads under the
      partition, by the points of its guard.
    - `block_c8`: each result's layout is what the partition writes, partial over
      the axes that cut labels which it lacks.
    - `block_c9`: the body takes one window per operand, then two indices per
      label.
    - `block_c10`: the body yields one part per result.
    - `block_c11`: the body has no side effects but those of
      `tapestry_index.require`.
  }];
  let arguments = (ins
    StrAttr:$vertex,
    StrArrayAttr:$labels,
    DenseI64ArrayAttr:$extents,
    TapestryIndex_PartitionAttr:$partition,
    Variadic<TRA_Relation>:$inputs,
    TypedArrayAttrBase<TapestryIndex_ProjectionAttr, "projections">:$reads,
    OptionalAttr<ArrayAttr>:$guards,
    ArrayAttr:$pads,
    TypedArrayAttrBase<TapestryIndex_ProjectionAttr, "projections">:$writes);
  let results = (outs Variadic<TRA_Relation>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $vertex $labels `=` custom<Extents>($extents) `by` qualified($partition)
    `reads` `(` ($inputs^ `:` qualified(type($inputs)))? `)` `at` $reads
    (`guards` $guards^)? `pads` $pads
    `writes` `(` qualified(type($results)) `)` `at` $writes
    $body attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The grid of all relations.
    const ::tapestry::DeviceGrid &getDeviceGrid();
    const ::tapestry::Projection &getRead(unsigned input);
    const ::tapestry::Projection &getWrite(unsigned result);
    /// The points that read an operand; no ranges: all.
    ::tapestry::ZBox getGuard(unsigned input);
    /// What an operand reads outside its bounds; null if it stays within.
    ::mlir::TypedAttr getPad(unsigned input);
    /// The partition in axis numbers of the grid; of a verified operation.
    ::tapestry::Partition getResolvedPartition();
  }];
}

def TRA_BlockYieldOp : TRA_Op<"block_yield", [
    Pure, Terminator, HasParent<"BlockOp">]> {
  let summary = "the parts of a block's results";
  let arguments = (ins Variadic<AnyRankedTensor>:$parts);
  let assemblyFormat = "($parts^ `:` type($parts))? attr-dict";
}

//===----------------------------------------------------------------------===//
// Aggregate and repartition
//===----------------------------------------------------------------------===//

def TRA_AggregateOp
    : TRA_Op<"aggregate", [NoMemoryEffect,
                   DeclareOpInterfaceMethods<ConditionallySpeculatable>,
                   IsolatedFromAbove]> {
  let summary = "combine the partial values of each key";
  let description = [{
    The partial values that the devices of a group hold of one key, one per
    coordinate of the partial axes, are combined by the monoid. Either each device
    of the group gets the result, or each gets its part of it.

    ```mlir
    %s = tra.aggregate "C" add %p : !partial -> !whole
    %t = tra.aggregate "D" custom %q identity 0.0 : f32 combine {
    ^bb0(%a: f32, %b: f32):
      %m = arith.addf %a, %b : f32
      tra.yield %m : f32
    } : !partial -> !whole
    ```

    Constraints:
    - `aggregate_c1`: both relations have the same shape and element type.
    - `aggregate_c2`: both relations lie on the same grid.
    - `aggregate_c3`: the source has partial axes, the result has none.
    - `aggregate_c4`: every device keeps its box, or the target boxes of each
      group's members cover the group's box exactly once.
    - `aggregate_c5`: the monoid is not `none`.
    - `aggregate_c6`: there are an identity and a combine region if and only if the
      monoid is `custom`; the identity is of the element type.
    - `aggregate_c7`: `and`, `or` and `xor` combine integers; `add` and `mul` do
      not combine i1.
    - `aggregate_c8`: the combine region takes two values of the element type and
      yields one; it has no side effects.
  }];
  let arguments = (ins
    StrAttr:$vertex,
    TapestryIndex_MonoidAttr:$monoid,
    TRA_Relation:$source,
    OptionalAttr<TypedAttrInterface>:$identity);
  let results = (outs TRA_Relation:$result);
  let regions = (region MaxSizedRegion<1>:$combine);
  let assemblyFormat = [{
    $vertex custom<Monoid>($monoid) $source (`identity` $identity^)?
    (`combine` $combine^)? attr-dict
    `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TRA_RepartitionOp : TRA_Op<"repartition", [Pure]> {
  let summary = "cut a relation otherwise";
  let description = [{
    The same tensor in other parts, or on other devices. `reader` names who it is
    done for, as `vertex.operand`; two readers never share what it makes. What
    was fetched for several pieces of an operand at once is the source of each:
    then parts may overlap, and nothing moves.

    ```mlir
    %b = tra.repartition "A", %a : !rows -> !columns
    %c = tra.repartition "A" for "D.0", %a : !rows -> !columns
    ```

    Constraints:
    - `repartition_c1`: both relations have the same shape and element type.
    - `repartition_c2`: both relations lie on the same grid.
    - `repartition_c3`: neither relation has partial axes.
    - `repartition_c4`: the source's layout is plain and no axis cuts it twice, but
      that labels may leave it to the devices of one of their values: its parts do
      not overlap and leave no gap; or every device has what it is to have.
  }];
  let arguments = (ins StrAttr:$vertex, OptionalAttr<StrAttr>:$reader,
                       TRA_Relation:$source);
  let results = (outs TRA_Relation:$result);
  let assemblyFormat = [{
    $vertex (`for` $reader^)? `,` $source attr-dict
    `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TAPESTRY_DIALECT_TRA_TRAOPS_TD
