//===- TapestryLoop.td - Loops of a graph ------------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYLOOP_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYLOOP_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Tapestry/IR/TapestryTypes.td"
include "tapestry/Interfaces/GraphLoopInterface.td"

def Tapestry_LoopOp : Op<Tapestry_Dialect, "loop", [
    RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<GraphLoopInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>,
    TypesMatchWith<"results and operands have the same types", "inits",
                   "results", "$_self">]> {
  let summary = "Runs a part of a graph several times";
  let description = [{
    The body is run at most `trips` times. Its arguments are the operands in the
    first pass and in every other what the pass before handed to
    `tapestry.next`; the results are what the last pass handed to it. After a
    pass in which the scalar behind `until` is true no other follows. Tensors
    from outside are read as they are.

    ```mlir
    %X = tapestry.loop "t" 100 from %X0 : tensor<97xf32> {
    ^bb0(%x: tensor<97xf32>):
      %next = tapestry.einsum "t.X" [i = 97] (%x[i], %B[i]) -> [i] { ... }
      %small = tapestry.einsum "t.until" ... : (tensor<97xf32>) -> tensor<i1>
      tapestry.next %next : tensor<97xf32> until %small : tensor<i1>
    }
    ```

    The body is planned once, together with the graph. What is carried is kept in
    one layout, in which the operand and what a pass makes of it lie; what is
    read from outside is brought to where it is read once, before the first pass.

    Constraints:
    - (loop_c1) a tensor is carried, and the body has one argument per operand,
      of its type.
    - (loop_c2) the body holds operators, loops and sequence points, and ends in
      `tapestry.next` with one operand per tensor that is carried, of its type.
    - (loop_c3) operands are results of operators in the block of the loop and
      read by nothing else.
    - (loop_c4) what `tapestry.next` takes are results of operators of the body,
      what is carried each another one.
  }];
  let arguments = (ins StrAttr:$name,
                       ConfinedAttr<I64Attr, [IntPositive]>:$trips,
                       Variadic<Tapestry_Tensor>:$inits);
  let results = (outs Variadic<Tapestry_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name $trips `from` $inits `:` type($inits) attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tapestry_NextOp : Op<Tapestry_Dialect, "next", [
    Pure, Terminator, HasParent<"LoopOp">, AttrSizedOperandSegments]> {
  let summary = "Ends a pass of a loop";
  let description = [{
    ```mlir
    tapestry.next %X, %n : tensor<97xf32>, tensor<i64> until %done : tensor<i1>
    ```
  }];
  let arguments = (ins Variadic<Tapestry_Tensor>:$nexts,
                       Optional<0DTensorOf<[I1]>>:$stop);
  let assemblyFormat = [{
    $nexts `:` type($nexts) (`until` $stop^ `:` type($stop))? attr-dict
  }];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYLOOP_TD
