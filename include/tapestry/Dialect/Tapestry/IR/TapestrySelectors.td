//===- TapestrySelectors.td - Views of tensors -------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSELECTORS_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSELECTORS_TD

include "tapestry/Dialect/Tapestry/IR/TapestryDimensions.td"
include "tapestry/Interfaces/SelectorInterface.td"

/// The white paper's selector expressions. An op says which pieces it reads of
/// what (getAccesses) and what shape they make (inferShape), no more.
class Tapestry_SelectorOp<string mnemonic, dag inputs,
                          list<string> answers = []>
    : Tapestry_DimensionsOp<mnemonic, inputs, [
        DeclareOpInterfaceMethods<SelectorInterface, answers>]> {
  code selectorDeclaration = dimensionsDeclaration # [{
    /// The shape that the operands make; fails with an error at the op.
    ::mlir::FailureOr<::llvm::SmallVector<int64_t>> inferShape();
  }];
  let extraClassDeclaration = selectorDeclaration;
  code selector = dimensions # [{
    ::llvm::LogicalResult $cppClass::verify() {
      return detail::verifySelector(*this, inferShape());
    }
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    $cppClass::lowerLocal(::mlir::OpBuilder &builder, ::mlir::Location loc,
                          const ::tapestry::LocalBlock &block) {
      return detail::lowerSelector(*this, builder, loc, block);
    }
    ::llvm::Expected<::std::vector<::tapestry::HostTensor>>
    $cppClass::evaluate(
        ::llvm::ArrayRef<const ::tapestry::HostTensor *> operands) {
      return detail::evaluateSelector(*this, operands);
    }
  }];
  let extraClassDefinition = selector;
}

def Tapestry_SliceOp : Tapestry_SelectorOp<"slice", (ins
    Tapestry_Tensor:$input, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$ends,
    OptionalAttr<DenseI64ArrayAttr>:$strides)> {
  let summary = "A box of a tensor";
  let description = [{
    The cells from `starts` on and before `ends`; with strides every so many-th of
    them.

    ```mlir
    %X.1 = tapestry.slice "X.1" %X [0, 0] => [500, 10]
        : (tensor<1000x10xf32>) -> tensor<500x10xf32>
    %even = tapestry.slice "even" %X [0, 0] => [1000, 10] by [2, 1]
        : (tensor<1000x10xf32>) -> tensor<500x10xf32>
    ```

    Constraints:
    - (slice_c1) there is one start, one end and, where given, one stride per
      dimension of the operand.
    - (slice_c2) 0 <= start <= end <= extent, and strides are at least 1.
    - (selector_c1) the result has the operands' element type and the shape that
      the selector makes.
    - (selector_c2) `partition` has one entry per dimension of the result, over
      axes of the graph's grid where that is given.
    - (selector_c3) `home` has the result's shape, no partial axes, and the
      graph's grid where that is given.
    - (selector_c4) `home_route` holds plain layouts of the result's shape,
      `operand_routes` has one list per operand, of plain layouts of its shape,
      and there is a home on the same grid.
    - (selector_c5) no subscript of an operand reaches 2^62, coefficients times
      extents and constant summed up.
  }];
  let assemblyFormat = [{
    $name $input $starts `=` `` `>` $ends (`by` $strides^)? attr-dict
    `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::Value":$input,
                   "::llvm::ArrayRef<::tapestry::ZRange>":$box)>
  ];
}

def Tapestry_ConcatOp : Tapestry_SelectorOp<"concat", (ins
    Variadic<Tapestry_Tensor>:$inputs, I64Attr:$dim)> {
  let summary = "Tensors one behind the other";
  let description = [{
    The operands, in order, along dimension `dim`.

    ```mlir
    %X = tapestry.concat "X" %X.1, %X.2 along 0
        : (tensor<500x10xf32>, tensor<500x10xf32>) -> tensor<1000x10xf32>
    ```

    Constraints:
    - (concat_c1) there is an operand, and `dim` is one of its dimensions.
    - (concat_c2) all have the element type and the shape of the first but for the
      extent of `dim`.
    - (selector_c1) to (selector_c5) as of `tapestry.slice`.
  }];
  let assemblyFormat = [{
    $name $inputs `along` $dim attr-dict
    `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::ValueRange":$inputs,
                   "int64_t":$dim)>
  ];
}

def Tapestry_InterleaveOp
    : Tapestry_SelectorOp<"interleave", (ins Variadic<Tapestry_Tensor>:$inputs,
                                             I64Attr:$dim), ["getResidue"]> {
  let summary = "Tensors that take turns";
  let description = [{
    Along dimension `dim` an element of each operand, in order, then the next of
    each: what slices with their number as stride are of.

    ```mlir
    %X = tapestry.interleave "X" %even, %odd along 0
        : (tensor<4x10xf32>, tensor<3x10xf32>) -> tensor<7x10xf32>
    ```

    Constraints:
    - (interleave_c1) there is an operand, and `dim` is one of its dimensions.
    - (interleave_c2) all have the element type and the shape of the first but for
      the extent of `dim`: the last ones may have one element less.
    - (selector_c1) to (selector_c5) as of `tapestry.slice`.
  }];
  let assemblyFormat = [{
    $name $inputs `along` $dim attr-dict
    `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
}

def Tapestry_UnsqueezeOp : Tapestry_SelectorOp<"unsqueeze", (ins
    Tapestry_Tensor:$input, I64Attr:$dim)> {
  let summary = "A tensor with one more dimension, of extent 1";
  let description = [{
    ```mlir
    %row = tapestry.unsqueeze "row" %x at 0
        : (tensor<10xf32>) -> tensor<1x10xf32>
    ```

    Constraints:
    - (unsqueeze_c1) `dim` is a dimension of the result.
    - (selector_c1) to (selector_c5) as of `tapestry.slice`.
  }];
  let assemblyFormat = [{
    $name $input `at` $dim attr-dict
    `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::Value":$input,
                   "int64_t":$dim)>
  ];
}

/// A selector of one tensor and one number or list of numbers, written behind a
/// word.
class Tapestry_ViewLikeOp<string mnemonic, string word, dag number>
    : Tapestry_SelectorOp<mnemonic, !con((ins Tapestry_Tensor:$input), number)> {
  let assemblyFormat = "$name $input `" # word # "` $" #
      !getdagname(number, 0) # [{
    attr-dict `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
}

def Tapestry_SqueezeOp : Tapestry_ViewLikeOp<"squeeze", "at", (ins I64Attr:$dim)> {
  let summary = "A tensor without a dimension of extent 1";
  let description = [{
    ```mlir
    %x = tapestry.squeeze "x" %row at 0
        : (tensor<1x10xf32>) -> tensor<10xf32>
    ```

    Constraints:
    - (squeeze_c1) `dim` is a dimension of the operand, of extent 1.
    - (selector_c1) to (selector_c5) as of `tapestry.slice`.
  }];
}

def Tapestry_PermuteOp
    : Tapestry_ViewLikeOp<"permute", "to", (ins DenseI64ArrayAttr:$order)> {
  let summary = "A tensor with its dimensions in another order";
  let description = [{
    Dimension d of the result is dimension `order[d]` of the operand.

    ```mlir
    %T = tapestry.permute "T" %X to [2, 0, 1]
        : (tensor<4x5x6xf32>) -> tensor<6x4x5xf32>
    ```

    Constraints:
    - (permute_c1) `order` has every dimension of the operand once.
    - (selector_c1) to (selector_c5) as of `tapestry.slice`.
  }];
}

def Tapestry_ReverseOp
    : Tapestry_ViewLikeOp<"reverse", "along", (ins DenseI64ArrayAttr:$dims)> {
  let summary = "A tensor from the last element to the first";
  let description = [{
    ```mlir
    %R = tapestry.reverse "R" %X along [0] : (tensor<4x5xf32>) -> tensor<4x5xf32>
    ```

    Constraints:
    - (reverse_c1) `dims` are distinct dimensions of the operand.
    - (selector_c1) to (selector_c5) as of `tapestry.slice`.
  }];
}

def Tapestry_BroadcastOp
    : Tapestry_ViewLikeOp<"broadcast", "to", (ins DenseI64ArrayAttr:$shape)> {
  let summary = "A tensor whose dimensions of extent 1 are seen as longer";
  let description = [{
    ```mlir
    %B = tapestry.broadcast "B" %row to [7, 10]
        : (tensor<1x10xf32>) -> tensor<7x10xf32>
    ```

    Constraints:
    - (broadcast_c1) `shape` has the operand's rank and its extents but where those
      are 1, and none below 0.
    - (selector_c1) to (selector_c5) as of `tapestry.slice`.
  }];
}

def Tapestry_RepeatOp : Tapestry_SelectorOp<"repeat", (ins
    Tapestry_Tensor:$input, I64Attr:$dim, I64Attr:$times)> {
  let summary = "A tensor several times behind itself";
  let description = [{
    A short form of `tapestry.concat`.

    ```mlir
    %R = tapestry.repeat "R" %X along 0 times 3
        : (tensor<4x5xf32>) -> tensor<12x5xf32>
    ```

    Constraints:
    - (repeat_c1) `dim` is a dimension of the operand.
    - (repeat_c2) it is repeated 1 to 1024 times.
    - (selector_c1) to (selector_c5) as of `tapestry.slice`.
  }];
  let assemblyFormat = [{
    $name $input `along` $dim `times` $times attr-dict
    `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
}

def Tapestry_PadOp : Tapestry_SelectorOp<"pad", (ins
    Tapestry_Tensor:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
    AnyAttr:$value)> {
  let summary = "A tensor with more elements around it";
  let description = [{
    Per dimension `low` elements in front and `high` behind: a constant, or those of
    the tensor that `edge`, `reflect` or `symmetric` says.

    ```mlir
    %P = tapestry.pad "P" %X by 0.0 : f32 low [1, 0] high [1, 2]
        : (tensor<4x5xf32>) -> tensor<6x7xf32>
    %E = tapestry.pad "E" %X by "edge" low [1, 0] high [1, 2]
        : (tensor<4x5xf32>) -> tensor<6x7xf32>
    ```

    Constraints:
    - (pad_c1) there are as many elements in front and behind as dimensions, each 0
      to 2^31.
    - (pad_c2) the value is a constant of the operand's element type, or "edge",
      "reflect" or "symmetric", for which there is an element.
    - (selector_c1) to (selector_c5) as of `tapestry.slice`.
  }];
  let assemblyFormat = [{
    $name $input `by` $value `low` $low `high` $high attr-dict
    `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
  let extraClassDeclaration = selectorDeclaration # [{
    /// The constant; null where the tensor is folded.
    ::mlir::TypedAttr getPad(unsigned operand);
  }];
}

def Tapestry_ViewOp : Tapestry_ViewLikeOp<"view", "by",
    (ins TapestryIndex_ProjectionAttr:$projection)> {
  let summary = "A tensor by a projection";
  let description = [{
    Each element is the operand's where the projection says: several selectors of
    one tensor at once.

    ```mlir
    %V = tapestry.view "V" %X by <(d0, d1) -> (2 * d1 + 1, -d0 + 4)>
        : (tensor<9x5xf32>) -> tensor<5x4xf32>
    ```

    Constraints:
    - (view_c1) the projection goes from the result's dimensions to the operand's,
      to one element each, and stays in the operand.
    - (selector_c1) to (selector_c5) as of `tapestry.slice`.
  }];
}

def Tapestry_CopyOp
    : Tapestry_SelectorOp<"copy", (ins Tapestry_Tensor:$input),
                          ["isTransparent"]> {
  let summary = "A view that is made";
  let description = [{
    Its readers read what it has made, not what is behind it.

    ```mlir
    %C = tapestry.copy "C" %X : (tensor<4x5xf32>) -> tensor<4x5xf32>
    ```

    Constraints:
    - (selector_c1) to (selector_c5) as of `tapestry.slice`.
  }];
  let assemblyFormat = [{
    $name $input attr-dict
    `:` functional-type(operands, results) `` custom<Placement>($partition, $home)
  }];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSELECTORS_TD
