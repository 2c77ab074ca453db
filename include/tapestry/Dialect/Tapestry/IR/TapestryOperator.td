//===- TapestryOperator.td - Operators by name --------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPERATOR_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPERATOR_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Tapestry/IR/TapestryTypes.td"

def Tapestry_OperatorOp : Op<Tapestry_Dialect, "operator", [
    NoMemoryEffect,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "An operator that is known by its name";
  let description = [{
    A high-level operator that means what its expansions compute: it has no index
    space, and `tapestry-expand` replaces it, by rules for operators of its
    `kind` (Transforms/RewriteRules.h), before anything is planned or run. Where
    several rules apply all are alternatives for a search; without one the first
    in the order of precedence is taken.

    `name` is that of the vertex which makes the first result. What else an
    expansion has to know stands in `params`; the rules of a kind say which they
    read, and what they expect of operands and results.

    ```mlir
    // X W + b
    %Y = tapestry.operator "Y" "linear"(%X, %W, %b)
        : (tensor<97x41xf32>, tensor<41x53xf32>, tensor<53xf32>) -> tensor<97x53xf32>
    // The same, and a plan has to cut the sums over `in` in four.
    %Z = tapestry.operator "Z" "linear"(%X, %W, %b)
        {constraints = [#tapestry.constraint<pin cut {in = 4}>]}
        : (tensor<97x41xf32>, tensor<41x53xf32>, tensor<53xf32>) -> tensor<97x53xf32>
    ```

    The white paper's selectors that choose by values are of the kinds `where`,
    `max` and `min`: cell by cell the operand behind the first condition that holds,
    else the last one, the largest (NaN before all) and the least. All have one
    shape; integers are signed but where `params` say `unsigned`.

    ```mlir
    %W = tapestry.operator "W" "where"(%c, %X, %Y)
        : (tensor<9x5xi1>, tensor<9x5xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
    %M = tapestry.operator "M" "max"(%I, %J, %K) {unsigned}
        : (tensor<9xi8>, tensor<9xi8>, tensor<9xi8>) -> tensor<9xi8>
    ```

    Constraints:
    - (operator_c1) name and kind are not empty.
    - (operator_c2) there is at least one result.
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$kind,
                       Variadic<Tapestry_Tensor>:$inputs,
                       OptionalAttr<DictionaryAttr>:$params);
  let results = (outs Variadic<Tapestry_Tensor>:$outputs);
  let assemblyFormat = [{
    $name $kind `(` $inputs `)` ($params^)? attr-dict
    `:` functional-type($inputs, $outputs)
  }];
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::llvm::StringRef":$kind,
                   "::mlir::ValueRange":$inputs,
                   "::mlir::TypeRange":$outputs,
                   CArg<"::mlir::DictionaryAttr", "{}">:$params), [{
      build($_builder, $_state, outputs, $_builder.getStringAttr(name),
            $_builder.getStringAttr(kind), inputs, params);
    }]>
  ];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// A parameter, or null.
    ::mlir::Attribute getParam(::llvm::StringRef param) {
      ::mlir::DictionaryAttr params = getParamsAttr();
      return params ? params.get(param) : ::mlir::Attribute();
    }
  }];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPERATOR_TD
