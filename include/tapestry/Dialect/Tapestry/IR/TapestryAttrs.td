//===- TapestryAttrs.td - Attributes of tapestry -----------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYATTRS_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "tapestry/Dialect/Index/IR/IndexAttrs.td"
include "tapestry/Dialect/Tapestry/IR/TapestryDialect.td"

def Tapestry_ConstraintAttr : AttrDef<Tapestry_Dialect, "Constraint"> {
  let mnemonic = "constraint";
  let summary = "What a user asks of a tensor's cut";
  let description = [{
    A pin, which every plan meets, or a preference with a weight, which a plan
    may break. It is on the `cut` of an operator's labels or on the `home` that
    its result is kept in. A label is given its number of parts or the grid's
    axes that cut it, the major one first. Labels that are not named stay open
    unless `others = 1` says that they are not to be cut.

    ```mlir
    #tapestry.constraint<pin cut {i = 2, k = ["node", "gpu.0"]}>
    #tapestry.constraint<prefer 1.5 home {"0" = 8} others = 1>
    ```

    Constraints:
    - (constraint_c1) every entry is a number of parts, at least 1, or a list of
      names of axes, not empty.
    - (constraint_c2) the weight of a preference is finite and at least 0.
  }];
  let parameters = (ins
    "bool":$isHome,
    "bool":$isHard,
    "::mlir::FloatAttr":$weight,
    "::mlir::DictionaryAttr":$cuts,
    "bool":$isClosed
  );
  let builders = [
    AttrBuilder<(ins "const ::tapestry::ShardingConstraint &":$constraint,
                     "bool":$isHome)>
  ];
  let extraClassDeclaration = [{
    /// As a plain struct that was written at `place`.
    ::tapestry::ShardingConstraint getConstraint(::llvm::StringRef place) const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

/// The layouts that a tensor passes on its way from one layout to another.
def Tapestry_RouteAttr
    : TypedArrayAttrBase<TapestryIndex_LayoutAttr, "a list of layouts">;

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYATTRS_TD
