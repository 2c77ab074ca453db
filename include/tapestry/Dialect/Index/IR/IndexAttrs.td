//===- IndexAttrs.td - Attributes of tapestry_index --------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXATTRS_TD
#define TAPESTRY_DIALECT_INDEX_IR_INDEXATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "tapestry/Dialect/Index/IR/IndexDialect.td"
include "tapestry/Interfaces/Monoid.td"

class TapestryIndex_Attr<string name, string attrMnemonic>
    : AttrDef<TapestryIndex_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TapestryIndex_GridAttr : TapestryIndex_Attr<"Grid", "grid"> {
  let summary = "A grid of devices with named axes";
  let description = [{
    Device r's coordinates are the mixed-radix digits of r, the first axis most
    significant. A grid without axes is one device.

    ```mlir
    #tapestry_index.grid<"node" = 2, "gpu" = 8>
    ```

    Constraints:
    - (grid_c1) every axis' size is at least 1, and there are at most 1048576
      devices.
    - (grid_c2) axis names are unique and not empty.
  }];
  let parameters = (ins
    AttrParameter<"::tapestry::DeviceGrid", "the axes", "const ::tapestry::DeviceGrid &">:$deviceGrid
  );
}

def TapestryIndex_RangeAttr : TapestryIndex_Attr<"Range", "range"> {
  let summary = "A box of integer points";
  let description = [{
    A product of half-open ranges `lo to hi`, one per dimension; a box of rank 0
    holds one point. A range is empty when hi <= lo.

    ```mlir
    #tapestry_index.range<0 to 4, 2 to 5>
    ```
  }];
  // Flat lo, hi pairs: empty ranges compare equal as ZRange, but are kept apart
  // here so that what was written is what is printed.
  let parameters = (ins ArrayRefParameter<"int64_t">:$bounds);
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<::tapestry::ZRange>":$box)>
  ];
  let extraClassDeclaration = [{
    ::tapestry::ZBox getBox() const;
    unsigned getRank() const { return getBounds().size() / 2; }
  }];
  let genVerifyDecl = 0;
}

def TapestryIndex_ProjectionAttr
    : TapestryIndex_Attr<"Projection", "projection"> {
  let summary = "An affine map from index points to regions of a tensor";
  let description = [{
    P(i) = ZRange(start: (A i + B) floordiv F mod M, shape: S, stride: D) with
    constant A and B, rounding down and into [0, M). Of the lists, `shape`,
    `strides` and `floordivs` are left out where they are 1 in every dimension,
    `mods` where it is 0 (no mod). Instead of around, what leaves [0, M) may be
    taken to the nearest point of it (`edge M`), or mirrored at its first and last
    point (`reflect M`) or beside them (`symmetric M`), as often as it takes.

    ```mlir
    #tapestry_index.projection<(d0, d1) -> (2 * d0 + d1 - 1, d1),
                               shape = [3, 1], strides = [2, 1]>
    // Every row of 17 three times, from row 5 on and around.
    #tapestry_index.projection<(d0, d1) -> (d0 + 15, d1),
                               floordivs = [3, 1], mods = [17, 0]>
    // The row above, the first one at the top.
    #tapestry_index.projection<(d0, d1) -> (d0 - 1, d1), mods = [edge 17, 0]>
    ```

    Constraints:
    - (projection_c1) every result is linear in the dimensions with integer
      coefficients: no symbol, and floordiv and mod stand in their lists.
    - (projection_c2) every list has one entry per result.
    - (projection_c3) entries of `shape`, `strides` and `floordivs` are at least
      1, of `mods` at least 0, or at least 1 behind the name of a fold.
    - (projection_c4) terms name dimensions of the index space, ascending, each
      at most once and with a coefficient that is not 0.
  }];
  let parameters = (ins
    "unsigned":$indexRank,
    AttrParameter<"::tapestry::Projection", "the map, canonical", "const ::tapestry::Projection &">:$projection
  );
  let extraClassDeclaration = [{
    /// The starts of the regions as an affine map of the index point.
    ::mlir::AffineMap getStartMap() const;
  }];
}

def TapestryIndex_PartitionAttr
    : TapestryIndex_Attr<"Partition", "partition"> {
  let summary = "The grid axes that every index dimension is cut over";
  let description = [{
    One list of axis names per index dimension, major to minor. The attribute
    names axes without their grid; `getPartition` resolves them.

    ```mlir
    #tapestry_index.partition<[["d.0"], [], ["d.1", "d.2"]]>
    ```

    Constraints:
    - (partition_c1) every entry is a list of axis names.
    - (partition_c2) no axis occurs twice.
  }];
  let parameters = (ins "::mlir::ArrayAttr":$cuts);
  let builders = [
    AttrBuilder<(ins "const ::tapestry::DeviceGrid &":$grid,
                     "const ::tapestry::Partition &":$partition)>
  ];
  let extraClassDeclaration = [{
    unsigned getRank() const { return getCuts().size(); }
    /// The axis names of one index dimension, major to minor.
    ::llvm::SmallVector<::llvm::StringRef> getAxes(unsigned dim) const;
    /// Whether no dimension is cut.
    bool isTrivial() const;
    /// The partition in axis numbers of `grid`. Fails where the grid lacks an
    /// axis and reports it by `emitError` if given.
    ::mlir::FailureOr<::tapestry::Partition> getPartition(
        const ::tapestry::DeviceGrid &grid,
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError = {}) const;
  }];
}

def TapestryIndex_LayoutAttr : TapestryIndex_Attr<"Layout", "layout"> {
  let summary = "Which part of a tensor every device holds";
  let description = [{
    One entry per tensor dimension, the axes that hold partial values, and the
    grid, so that the attribute needs nothing else to be read.

    ```mlir
    #grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3, "d.2" = 2>
    // 97 rows in blocks over d.0 and d.2 (major to minor), 53 columns uncut,
    // partial sums over d.1.
    #tapestry_index.layout<[97 by "d.0" "d.2", 53] partial ["d.1"] on #grid>
    // The rows of 34 that a window 2 * y + r - 1 reads, y in [0, 16) cut over
    // d.0 and r in [0, 3) uncut; replicated over d.1 and d.2.
    #tapestry_index.layout<[34 = 2 * [16 by "d.0"] + [3] - 1] on #grid>
    // All on device 5 of 8.
    #tapestry_index.layout<[97 = [97] + 0 * [8 by "d.0" "d.1" "d.2" in 5 to 6]] on #grid>
    // What a star of five points reads inside of a tensor: no corners.
    #tapestry_index.layout<[97 = [95 by "d.0"] span 3 arms 1 1, 53 = [51 by "d.1"] span 3 arms 1 1] on #grid>
    ```

    A dimension is `extent cut`, a plain block cut, or `extent = terms constant
    floordiv fold span arms`: the image of the labels' blocks, clipped to the extent.
    `[n cut]` stands for a label of extent n; `[n cut in lo to hi]` for its
    values in [lo, hi), and where a device's block has none of them, the device
    holds nothing. `floordiv d` divides the starts rounding down, `mod m` wraps
    them into [0, m), as do `edge m`, `reflect m` and `symmetric m` in the ways of a
    projection, `span k` (k > 1) widens the image by k - 1. `arms a b` says that
    the first a and the last b points of the image are outside of its core: a device
    has a use for those points alone that are outside of the core in one
    dimension at most, a cross in its box.

    Constraints:
    - (layout_c1) extents are at least 0, spans and divisors at least 1, mod at
      least 0 and other folds 1, coefficients not 0 unless the term is limited; a limit lies in
      the label's extent; extents and images stay below 2^62; arms are at least 0 and
      together less than the span.
    - (layout_c2) every axis exists in the grid.
    - (layout_c3) no axis occurs twice, unless in terms that stand for the same
      label: equal extent and equal cut (a diagonal).
    - (layout_c4) partial axes are distinct and cut no dimension.
  }];
  let parameters = (ins
    "::tapestry::index::GridAttr":$grid,
    AttrParameter<"::tapestry::Layout", "the layout, axes by number", "const ::tapestry::Layout &">:$layout
  );
  let builders = [
    AttrBuilder<(ins "const ::tapestry::DeviceGrid &":$grid,
                     "const ::tapestry::Layout &":$layout), [{
      return $_get($_ctxt, GridAttr::get($_ctxt, grid), layout);
    }]>
  ];
  let extraClassDeclaration = [{
    const ::tapestry::DeviceGrid &getDeviceGrid() const {
      return getGrid().getDeviceGrid();
    }
  }];
}

/// `#tapestry_index.monoid<add>`: the monoid of every dialect's reductions.
def TapestryIndex_MonoidAttr
    : EnumAttr<TapestryIndex_Dialect, Tapestry_Monoid, "monoid"> {
  let cppNamespace = TapestryIndex_Dialect.cppNamespace;
  let assemblyFormat = "`<` $value `>`";
}

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXATTRS_TD
