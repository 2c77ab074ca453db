//===- CommPoint.td - The order of a device program --------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_COMM_COMMPOINT_TD
#define TAPESTRY_DIALECT_COMM_COMMPOINT_TD

include "tapestry/Dialect/Comm/IR/CommExchange.td"

def Comm_PointOp : Comm_Op<"point", [Comm_Effects, OpAsmOpInterface]> {
  let summary = "where all ranks meet";
  let description = [{
    Happens after every rank has computed the parts that it is given, and after
    the collectives and points whose tokens it takes.

    ```mlir
    %s = comm.point %c, %t : tensor<97x53xf32>, !comm.token
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Comm_Part, Comm_Token]>>:$awaited);
  let results = (outs Comm_Token:$token);
  let assemblyFormat = "($awaited^ `:` type($awaited)):(`none`)? attr-dict";
  let extraClassDeclaration = [{
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      setName(getToken(), "token");
    }
  }];
}

def Comm_HandOutOp : Comm_Op<"hand_out", [Comm_Effects, OpAsmOpInterface]> {
  let summary = "hands a result out before the program ends";
  let description = [{
    Leaves the part in the caller's memory for the program's result number
    `output`, which it is, on every rank, after the operations whose tokens it
    takes. Where the run writes the result to a file, the ranks do that together,
    and it is whole and under its name before a point that takes the token.

    ```mlir
    %s = comm.hand_out 0 %a after %t : tensor<97x53xf32>
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$output,
                       Comm_Part:$part, Variadic<Comm_Token>:$after);
  let results = (outs Comm_Token:$token);
  let assemblyFormat = [{
    $output $part (`after` $after^)? attr-dict `:` type($part)
  }];
  let extraClassDeclaration = [{
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      setName(getToken(), "token");
    }
  }];
}

def Comm_TakeInOp : Comm_Op<"take_in", [
    Comm_Effects, OpAsmOpInterface, AllTypesMatch<["source", "part"]>]> {
  let summary = "takes an argument in after the program has begun";
  let description = [{
    The source, an argument of the program that nothing else reads: the caller
    gives it here, on every rank, after the operations whose tokens it takes. A
    file is read as it is then.

    ```mlir
    %b, %s = comm.take_in %a after %t : tensor<97x53xf32>
    ```
  }];
  let arguments = (ins Comm_Part:$source, Variadic<Comm_Token>:$after);
  let results = (outs Comm_Part:$part, Comm_Token:$token);
  let assemblyFormat = [{
    $source (`after` $after^)? attr-dict `:` type($source)
  }];
  let extraClassDeclaration = [{
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      setName(getToken(), "token");
    }
  }];
}

def Comm_AwaitOp : Comm_Op<"await", [
    Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "a part that is there after points";
  let description = [{
    The source, which who reads the result has after what the tokens complete.

    ```mlir
    %b = comm.await %a after %t : tensor<97x53xf32>
    ```

    Constraints:
    - `await_c1`: there is a token.
  }];
  let arguments = (ins Comm_Part:$source, Variadic<Comm_Token>:$after);
  let results = (outs Comm_Part:$result);
  let assemblyFormat = "$source `after` $after attr-dict `:` type($source)";
  let hasVerifier = 1;
}

#endif // TAPESTRY_DIALECT_COMM_COMMPOINT_TD
