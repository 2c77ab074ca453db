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

def Tapestry_KernelAttr : AttrDef<Tapestry_Dialect, "Kernel"> {
  let mnemonic = "kernel";
  let summary = "The signature of a block operator";
  let description = [{
    The function that computes a block (`TAPESTRY_BLOCK` of `tapestry-rt/Block.h`),
    the labels of its index space, and what an index point reads and writes: per
    dimension where that begins, affine in the labels, how many elements it has,
    and their step. `*` is a dimension as a whole. An output combines what labels
    contribute that it lacks by the monoid behind its type. Behind `params` stand
    parameters, behind `cost` what one more step along a label takes, and each
    `point`; of resources `flops` and `ram` (bytes moved beside operands and
    results) are known to cost models.

    A kernel without labels is fixed: it is computed whole.

    It is an attribute, so that blocks share it by an alias and copies of a graph
    need nothing else.

    ```mlir
    #smooth = #tapestry.kernel<"smooth" [b, x]
        (X : f32[b, 2 * x : 3 step 2], W : f32[*] params scale : f32)
        -> (Y : f32[b, x], E : f64[b] add) cost {b.flops = 3, point.flops = 12}>
    ```

    Constraints:
    - (kernel_c1) the function is an identifier of C.
    - (kernel_c2) labels, tensors and parameters have names that are identifiers;
      labels differ, and so do tensors and parameters; no label is `point`.
    - (kernel_c3) elements are f64, f32, f16, bf16, i8 to i64, u8 to u64, bool, c64
      or c128, those of parameters not complex.
    - (kernel_c4) subscripts are linear in the labels, with terms in their order,
      and sizes and steps at least 1.
    - (kernel_c5) every label stands in a subscript, and there is an output.
    - (kernel_c6) a dimension of an output is whole, or a label that no other
      dimension of it has, alone or as a tile, `4 * t : 4`; labels of tiles are
      such in every output.
    - (kernel_c7) an output has a monoid if it lacks a label that another has, or
      that all lack; one that is legal for its elements, without a sign only add,
      mul, and, or, xor.
    - (kernel_c8) costs are at least 0, each of a label or point and a resource
      that is given once.
  }];
  let parameters = (ins
    AttrParameter<"::tapestry::teg::Kernel", "the signature",
                  "const ::tapestry::teg::Kernel &">:$kernel
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tapestry_FileAttr : AttrDef<Tapestry_Dialect, "File"> {
  let mnemonic = "file";
  let summary = "A file that a source reads or a sink writes";
  let description = [{
    A file of NumPy's format, `.npy`, with the tensor's type and shape. A path that
    does not begin with `/` starts in the folder that the run is started in, as
    those of the command line do.

    ```mlir
    %A = tapestry.source "A" from file<"data/a.npy"> : tensor<97x53xf32>
    ```

    Constraints:
    - (file_c1) the path is not empty and has no byte of value 0.
  }];
  let parameters = (ins StringRefParameter<"the path">:$path);
  let assemblyFormat = "`<` $path `>`";
  let genVerifyDecl = 1;
}

def Tapestry_GeneratorAttr : AttrDef<Tapestry_Dialect, "Generator"> {
  let mnemonic = "generator";
  let summary = "What makes the values of a source";
  let description = [{
    Random numbers of a seed, those that `tapestry_index.random` draws for the
    row-major number of each element in a stream with the source's name, so that
    they depend on neither devices nor plan; or, as `iota`, that number itself.

    ```mlir
    %W = tapestry.source "W" from generator<normal seed 7> : tensor<53x8xf32>
    %I = tapestry.source "I" from generator<iota> : tensor<97xi64>
    ```
  }];
  let parameters = (ins
    "::std::optional<::tapestry::index::RandomKind>":$random,
    "int64_t":$seed
  );
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Whether the tensor's elements can be those numbers; says why not.
    ::llvm::LogicalResult verifyNumbers(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::mlir::RankedTensorType type);
  }];
}

/// The layouts that a tensor passes on its way from one layout to another.
def Tapestry_RouteAttr
    : TypedArrayAttrBase<TapestryIndex_LayoutAttr, "a list of layouts">;

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYATTRS_TD
