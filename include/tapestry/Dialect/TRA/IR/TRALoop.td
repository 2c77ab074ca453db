//===- TRALoop.td - Loops of a program over relations ------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TRA_TRALOOP_TD
#define TAPESTRY_DIALECT_TRA_TRALOOP_TD

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/TRA/IR/TRATypes.td"

def TRA_LoopOp : Op<TRA_Dialect, "loop", [
    AttrSizedOperandSegments, NoMemoryEffect,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    TypesMatchWith<"results and carried relations have the same types", "inits",
                   "results", "$_self">]> {
  let summary = "call a program over relations several times";
  let description = [{
    The function is called at most `trips` times with the relations that are
    carried, then those that stay as they are. Its first results are what the
    next call is given as the former, or the results of the loop. With `until` it
    has one result more, a scalar after which, where it is true, no call follows.

    ```mlir
    %r = tra.loop @jacobi.t trips 100 until from %x : !x with %b : !b
    ```

    Constraints:
    - `loop_c1`: the symbol is a `func.func` with one argument per operand, of the
      shape and element type of the relation.
    - `loop_c2`: it has one result per relation that is carried, likewise, and with
      `until` a last one, a scalar of type i1.
    - `loop_c3`: where the body says how an argument or a result is laid out, by
      `comm.layout`, `tra.from_tensor` or `tra.to_tensor`, it is as the relation.
    - `loop_c4`: neither the body nor what it calls comes to this loop again.
  }];
  let arguments = (ins FlatSymbolRefAttr:$body,
                       ConfinedAttr<I64Attr, [IntPositive]>:$trips,
                       UnitAttr:$until,
                       Variadic<TRA_Relation>:$inits,
                       Variadic<TRA_Relation>:$invariants);
  let results = (outs Variadic<TRA_Relation>:$results);
  let assemblyFormat = [{
    $body `trips` $trips (`until` $until^)?
    `from` $inits `:` qualified(type($inits))
    (`with` $invariants^ `:` qualified(type($invariants)))? attr-dict
  }];
}

#endif // TAPESTRY_DIALECT_TRA_TRALOOP_TD
