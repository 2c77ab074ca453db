//===- TRAPoint.td - The order of a program over relations -*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TRA_TRAPOINT_TD
#define TAPESTRY_DIALECT_TRA_TRAPOINT_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/TRA/IR/TRATypes.td"

def TRA_Order : Resource<"::tapestry::tra::OrderResource">;

def TRA_PointOp : Op<TRA_Dialect, "point", [
    MemoryEffects<[MemWrite<TRA_Order>]>]> {
  let summary = "a point in the order of a program";
  let description = [{
    Happens after all relations have been made that it is given, on all devices,
    and after earlier points. It stays where nobody takes its token.

    ```mlir
    %t = tra.point %C, %s : !c, !tra.token
    ```
  }];
  let arguments = (ins
    Variadic<AnyTypeOf<[TRA_Relation, TRA_Token]>>:$awaited);
  let results = (outs TRA_Token:$token);
  let assemblyFormat =
      "($awaited^ `:` qualified(type($awaited))):(`none`)? attr-dict";
}

def TRA_HandOutOp : Op<TRA_Dialect, "hand_out", [
    MemoryEffects<[MemWrite<TRA_Order>]>]> {
  let summary = "a result that leaves the program before it ends";
  let description = [{
    The program's result number `output`, which is the source, is complete in the
    caller's memory and, where it goes to a file, in that, before a point that
    takes the token.

    ```mlir
    %t = tra.hand_out 0 %a : !a
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$output,
                       TRA_Relation:$source);
  let results = (outs TRA_Token:$token);
  let assemblyFormat = "$output $source attr-dict `:` qualified(type($source))";
}

def TRA_TakeInOp : Op<TRA_Dialect, "take_in", [
    MemoryEffects<[MemWrite<TRA_Order>]>, AllTypesMatch<["source", "result"]>]> {
  let summary = "an argument that enters the program after it begins";
  let description = [{
    The source, an argument as a relation, which the program is given after all
    points that it names: of a file, as that is then. Nothing else reads it.

    ```mlir
    %b = tra.take_in %a after %t : !a
    ```
  }];
  let arguments = (ins TRA_Relation:$source, Variadic<TRA_Token>:$after);
  let results = (outs TRA_Relation:$result);
  let assemblyFormat =
      "$source (`after` $after^)? attr-dict `:` qualified(type($source))";
}

def TRA_AwaitOp : Op<TRA_Dialect, "await", [
    Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "a relation that is there after points";
  let description = [{
    The source, which who reads the result has after all points that it names.

    ```mlir
    %b = tra.await %a after %t : !a
    ```

    Constraints:
    - `await_c1`: there is a token.
  }];
  let arguments = (ins TRA_Relation:$source, Variadic<TRA_Token>:$after);
  let results = (outs TRA_Relation:$result);
  let assemblyFormat =
      "$source `after` $after attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
}

#endif // TAPESTRY_DIALECT_TRA_TRAPOINT_TD
