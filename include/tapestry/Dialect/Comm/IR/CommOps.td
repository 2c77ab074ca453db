//===- CommOps.td - Operations of the comm dialect ---------*- tablegen -*-===//
//
// The collectives, the local slice, and the questions a rank asks about itself.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_COMM_COMMOPS_TD
#define TAPESTRY_DIALECT_COMM_COMMOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "tapestry/Dialect/Comm/IR/CommExchange.td"

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

def Comm_AllGatherOp : Comm_ExchangeOp<"all_gather", "AllGather"> {
  let summary = "collect the parts of a group on each of its members";
  let description = [{
    Axes leave a dimension: every device gets the parts of all devices that differ
    from it only in `axes`. Parts may differ in size and may be empty.

    ```mlir
    %x, %t = comm.all_gather "A", %a from #rows to #whole axes ["d.0"]
               : tensor<?x53xf32> -> tensor<97x53xf32>
    ```

    Constraints: those of `CollectiveOpInterface` (`collective_c1` to
    `collective_c8`).
  }];
}

def Comm_AllToAllOp : Comm_ExchangeOp<"all_to_all", "AllToAll"> {
  let summary = "exchange boxes within groups";
  let description = [{
    Every device gets the part of its target box that it does not hold from the
    devices that do. An element that several devices
    hold comes from the one whose coordinates on the replicated axes equal the
    receiver's.

    ```mlir
    %x, %t = comm.all_to_all "A", %a from #rows to #columns axes ["d.0"]
               : tensor<?x53xf32> -> tensor<97x?xf32>
    ```

    Constraints: those of `CollectiveOpInterface` (`collective_c1` to
    `collective_c8`).
  }];
}

def Comm_CollectivePermuteOp
    : Comm_ExchangeOp<"collective_permute", "CollectivePermute"> {
  let summary = "an exchange of whole parts";
  let description = [{
    No device has to put its target box together from pieces: each comes whole
    from one device, which may serve several.

    ```mlir
    // The axes of the cut change places: devices 1 and 2 exchange their rows.
    %x, %t = comm.collective_permute "A", %a from #cut_by_ab to #cut_by_ba
               axes ["a", "b"] : tensor<2x53xf32> -> tensor<2x53xf32>
    ```

    Constraints: those of `CollectiveOpInterface` (`collective_c1` to
    `collective_c8`).
  }];
}

def Comm_HaloExchangeOp : Comm_ExchangeOp<"halo_exchange", "HaloExchange"> {
  let summary = "get what lies around the own part";
  let description = [{
    Every device keeps all that it holds and gets the rest of its target box from
    the devices that hold it.

    ```mlir
    // Rows of 97, and those that a window of 3 reads beside them.
    %x, %t = comm.halo_exchange "A", %a from #rows to #rows_around axes ["d.0"]
               : tensor<?x53xf32> -> tensor<?x53xf32>
    ```

    Constraints: those of `CollectiveOpInterface` (`collective_c1` to
    `collective_c8`).
  }];
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// A collective that combines the partial values of a group.
class Comm_ReductionOp<string mnemonic, string kind>
    : Comm_ExchangeOp<mnemonic, kind, [IsolatedFromAbove]> {
  let arguments = (ins
    StrAttr:$vertex,
    TapestryIndex_MonoidAttr:$monoid,
    Comm_Part:$source,
    Variadic<Comm_Token>:$after,
    TapestryIndex_LayoutAttr:$from,
    TapestryIndex_LayoutAttr:$to,
    StrArrayAttr:$axes);
  let regions = (region MaxSizedRegion<1>:$combine);
  let assemblyFormat = [{
    $vertex custom<Monoid>($monoid) $source (`after` $after^)?
    `from` $from `to` $to `axes` $axes
    (`combine` $combine^)? attr-dict `:` type($source) `->` type($result)
  }];
  let builders = [
    // Derives the result's type and the axes from the layouts. The combine region
    // is left empty: fill it where the monoid is custom.
    OpBuilder<(ins "::llvm::StringRef":$vertex,
                   "::tapestry::Monoid":$monoid, "::mlir::Value":$source,
                   "::tapestry::index::LayoutAttr":$from,
                   "::tapestry::index::LayoutAttr":$to,
                   CArg<"::mlir::ValueRange", "{}">:$after), [{
      build($_builder, $_state, detail::resultType(source, to),
            TokenType::get($_builder.getContext()), vertex, monoid, source, after,
            from, to, detail::groupAxes(from, to));
    }]>
  ];
  let extraClassDeclaration = commonDeclarations # [{
    ::std::optional<::tapestry::Monoid> getReduction() {
      return getMonoid();
    }
    ::mlir::Region *getCombineRegion() {
      return getCombine().empty() ? nullptr : &getCombine();
    }
  }];
  let hasVerifier = 1;
}

def Comm_AllReduceOp : Comm_ReductionOp<"all_reduce", "AllReduce"> {
  let summary = "combine the partial values of a group, the result on each member";
  let description = [{
    Each device of a group, the devices that differ only on the partial axes of
    `from`, holds one partial value of the same box; afterwards each holds their
    combination.

    ```mlir
    %x, %t = comm.all_reduce "C" add %p from #partial to #whole axes ["d.0"]
               : tensor<97x53xf32> -> tensor<97x53xf32>
    %y, %u = comm.all_reduce "D" custom %q from #partial to #whole axes ["d.0"]
               combine {
      ^bb0(%a: f32, %b: f32):
        %m = arith.maximumf %a, %b : f32
        comm.yield %m : f32
    } : tensor<97xf32> -> tensor<97xf32>
    ```

    Constraints: those of `CollectiveOpInterface` (`collective_c1` to
    `collective_c8`), and
    - `all_reduce_c1`: there is a combine region if and only if the monoid is
      `custom`.
    - `all_reduce_c2`: the combine region takes two values of the element type and
      yields one; it has no side effects.
    - `all_reduce_c3`: the monoid is not `none`; `and`, `or` and `xor` combine
      integers; `add` and `mul` do not combine i1.
  }];
}

def Comm_ReduceScatterOp : Comm_ReductionOp<"reduce_scatter", "ReduceScatter"> {
  let summary = "combine the partial values of a group, each member keeps a part";
  let description = [{
    As `comm.all_reduce`, but each member keeps only its box of `to`.

    ```mlir
    %x, %t = comm.reduce_scatter "C" add %p from #partial to #rows axes ["d.0"]
               : tensor<97x53xf32> -> tensor<?x53xf32>
    ```

    Constraints: those of `CollectiveOpInterface` (`collective_c1` to
    `collective_c8`), and
    - `reduce_scatter_c1`: there is a combine region if and only if the monoid is
      `custom`.
    - `reduce_scatter_c2`: the combine region takes two values of the element type
      and yields one; it has no side effects.
    - `reduce_scatter_c3`: the monoid is not `none`; `and`, `or` and `xor` combine
      integers; `add` and `mul` do not combine i1.
    - `reduce_scatter_c4`: the target boxes of each group's members cover the
      group's box exactly once.
  }];
}

def Comm_YieldOp : Comm_Op<"yield", [
    Pure, Terminator, HasParent<"AllReduceOp, ReduceScatterOp">]> {
  let summary = "the value of a combine region";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Operations without traffic
//===----------------------------------------------------------------------===//

def Comm_SliceOp : Comm_Op<"slice", [Pure]> {
  let summary = "keep a part of what the device holds";
  let description = [{
    Every device keeps the box of `to` out of its box of `from`; nothing is sent.
    `from` need not be plain: a slice also drops halos.

    ```mlir
    %x = comm.slice "A", %a from #whole to #rows
           : tensor<97x53xf32> -> tensor<?x53xf32>
    ```

    Constraints:
    - `slice_c1`: `from` and `to` lie on the same grid.
    - `slice_c2`: `from` and `to` lay out tensors of the same shape.
    - `slice_c3`: `from` and `to` have the same partial axes.
    - `slice_c4`: every device's box of `to` lies within its box of `from`.
    - `slice_c5`: the source's type is the type of a part of `from`.
    - `slice_c6`: the result's type is the type of a part of `to`, of the source's
      element type.
  }];
  let arguments = (ins
    StrAttr:$vertex,
    Comm_Part:$source,
    TapestryIndex_LayoutAttr:$from,
    TapestryIndex_LayoutAttr:$to);
  let results = (outs Comm_Part:$result);
  let assemblyFormat = [{
    $vertex `,` $source `from` $from `to` $to attr-dict
    `:` type($source) `->` type($result)
  }];
  let builders = [
    // Derives the result's type from the layout.
    OpBuilder<(ins "::llvm::StringRef":$vertex, "::mlir::Value":$source,
                   "::tapestry::index::LayoutAttr":$from,
                   "::tapestry::index::LayoutAttr":$to), [{
      build($_builder, $_state, detail::resultType(source, to), vertex, source,
            from, to);
    }]>
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Comm_DeviceOp : Comm_Op<"device", [Pure, OpAsmOpInterface]> {
  let summary = "this rank's device number";
  let description = [{
    A number from 0 to one less than the number of devices, the same during the
    whole program. Its digits are the device's coordinates on the grid's axes, the
    first axis most significant.

    ```mlir
    %device = comm.device
    ```
  }];
  let results = (outs Index:$device);
  let assemblyFormat = "attr-dict";
  let extraClassDeclaration = [{
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      setName(getDevice(), "device");
    }
  }];
}

#endif // TAPESTRY_DIALECT_COMM_COMMOPS_TD
