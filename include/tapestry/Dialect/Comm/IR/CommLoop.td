//===- CommLoop.td - Loops of a device program -------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_COMM_COMMLOOP_TD
#define TAPESTRY_DIALECT_COMM_COMMLOOP_TD

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Comm/IR/CommTypes.td"

def Comm_LoopOp : Op<Comm_Dialect, "loop", [
    AttrSizedOperandSegments,
    MemoryEffects<[MemRead<Resource<"::tapestry::comm::CommResource">>,
                   MemWrite<Resource<"::tapestry::comm::CommResource">>]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    TypesMatchWith<"results and carried parts have the same types", "inits",
                   "results", "$_self">]> {
  let summary = "run a device program several times";
  let description = [{
    All ranks call the function at most `trips` times with the parts that are
    carried, then those that stay as they are. Its first results are what the next
    call is given as the former, or the results of the loop. With `until` it has
    one result more, a scalar after which, where it is not 0, no call follows: it
    is the same on all ranks.

    ```mlir
    %x, %token = comm.loop @jacobi.t trips 100 until after %t
        from %a : tensor<?x53xf32> with %b : tensor<53xf32>
    ```

    Constraints:
    - `loop_c1`: the symbol is a function with one argument per operand, of its
      type, and a `comm.layout` for each that is carried.
    - `loop_c2`: it has one result per part that is carried, of its type, and with
      `until` a last one, a scalar of type i8.
    - `loop_c3`: neither the body nor what it calls comes to this loop again.
  }];
  let arguments = (ins FlatSymbolRefAttr:$body,
                       ConfinedAttr<I64Attr, [IntPositive]>:$trips,
                       UnitAttr:$until,
                       Variadic<Comm_Token>:$after,
                       Variadic<Comm_Part>:$inits,
                       Variadic<Comm_Part>:$invariants);
  let results = (outs Variadic<Comm_Part>:$results, Comm_Token:$token);
  let assemblyFormat = [{
    $body `trips` $trips (`until` $until^)? (`after` $after^)?
    `from` $inits `:` type($inits) (`with` $invariants^ `:` type($invariants))?
    attr-dict
  }];
}

#endif // TAPESTRY_DIALECT_COMM_COMMLOOP_TD
