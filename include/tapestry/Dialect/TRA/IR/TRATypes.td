//===- TRATypes.td - Types of the tra dialect --------------*- tablegen -*-===//
//
// The tensor relation.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TRA_TRATYPES_TD
#define TAPESTRY_DIALECT_TRA_TRATYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "tapestry/Dialect/Index/IR/IndexAttrs.td"
include "tapestry/Dialect/TRA/IR/TRADialect.td"

def TRA_Relation : TypeDef<TRA_Dialect, "Relation"> {
  let mnemonic = "relation";
  let summary = "a tensor as keyed sub-tensors, placed on devices";
  let description = [{
    The shape of the whole tensor, the number of parts of every dimension, the
    element type, and the layout that places keys on devices. A device's key in a
    dimension is the number of its part; the sub-tensor is the layout's box.

    In a plain dimension the parts are blocks. Where a join reads a window, parts
    overlap: there is one part per combination of the parts of the window's labels.
    A key that no device has (off the diagonal of `X[i, i]`) is absent. Axes that
    cut no dimension hold copies of a key's value, or, if the layout calls them
    partial, one partial value each, still to be aggregated.

    ```mlir
    #rows = #tapestry_index.layout<[97 by "d.0", 53] on #grid>
    !rows = !tra.relation<[97, 53] / [2, 1], f32, #rows>
    ```

    Constraints:
    - `relation_c1`: elements are f64, f32, f16, bf16, i8, i16, i32, i64, i1,
      complex<f32> or complex<f64>.
    - `relation_c2`: the shape is the layout's.
    - `relation_c3`: there are as many parts as the layout makes (`partsOf`).
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    ArrayRefParameter<"int64_t">:$parts,
    "::mlir::Type":$elementType,
    "::tapestry::index::LayoutAttr":$layout);
  let assemblyFormat = [{
    `<` custom<ShapeByParts>($shape, $parts) `,` $elementType `,` $layout `>`
  }];
  let genVerifyDecl = 1;
  let builders = [
    // Shape and parts follow from the layout.
    TypeBuilderWithInferredContext<
        (ins "::mlir::Type":$elementType,
             "::tapestry::index::LayoutAttr":$layout)>
  ];
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
    const ::tapestry::DeviceGrid &getDeviceGrid() const;
    /// Whether values are still to be combined over partial axes.
    bool isPartial() const;
  }];
}

def TRA_Token : TypeDef<TRA_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "a point in the order of a program";
  let description = [{
    What `tra.point` yields: whoever takes it happens after that.
  }];
}

#endif // TAPESTRY_DIALECT_TRA_TRATYPES_TD
