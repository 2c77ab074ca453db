//===- CommRim.td - What devices lack beside their parts ---*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_COMM_COMMRIM_TD
#define TAPESTRY_DIALECT_COMM_COMMRIM_TD

include "tapestry/Dialect/Comm/IR/CommExchange.td"

def Comm_LayoutsAttr
    : TypedArrayAttrBase<TapestryIndex_LayoutAttr, "layouts">;

def Comm_FetchRimOp : Comm_ExchangeOp<"fetch_rim", "None"> {
  let summary = "get what a window has beside the own part";
  let description = [{
    The exchange that turns `from` into `to`, but for what a device holds
    anyway: that stays where it is. Every device gets the strips of its target
    box that it lacks, in front of its part and behind it along each dimension.
    Corners of a cross are not sent: there the strips hold no values.

    ```mlir
    // Of the rows above those of each device the last one.
    %x, %t = comm.fetch_rim "A", %a from #rows to #rows_above rim #row_above
               axes ["d.0"] : tensor<?x53xf32> -> tensor<?x53xf32>
    // The rows above and below.
    %y, %z, %u = comm.fetch_rim "A", %a from #rows to #rows_around
                   rim [#row_above, #row_below] axes ["d.0"]
                   : tensor<?x53xf32> -> tensor<?x53xf32>, tensor<?x53xf32>
    ```

    Constraints: those of `CollectiveOpInterface` (`collective_c1` to
    `collective_c8`), and
    - `fetch_rim_c1`: `rim` is the strip that lies in `to` beside `from`, or the
      list of all of them (`findRims`).
  }];
  let arguments = (ins
    StrAttr:$vertex,
    Comm_Part:$source,
    Variadic<Comm_Token>:$after,
    TapestryIndex_LayoutAttr:$from,
    TapestryIndex_LayoutAttr:$to,
    AnyAttrOf<[TapestryIndex_LayoutAttr, Comm_LayoutsAttr]>:$rim,
    StrArrayAttr:$axes);
  let results = (outs Variadic<Comm_Part>:$strips, Comm_Token:$token);
  let assemblyFormat = [{
    $vertex `,` $source (`after` $after^)?
    `from` $from `to` $to `rim` $rim `axes` $axes
    attr-dict `:` type($source) `->` type($strips)
  }];
  let builders = [
    // Derives the result's type and the axes from the layouts.
    OpBuilder<(ins "::llvm::StringRef":$vertex, "::mlir::Value":$source,
                   "::tapestry::index::LayoutAttr":$from,
                   "::tapestry::index::LayoutAttr":$to,
                   "::llvm::ArrayRef<::tapestry::index::LayoutAttr>":$rims,
                   CArg<"::mlir::ValueRange", "{}">:$after)>
  ];
  let extraClassDeclaration = [{
    ::tapestry::CollectiveKind getKind() { return getPlan().kind; }
    ::llvm::SmallVector<::tapestry::index::LayoutAttr> getReceived();
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      setName(getToken(), "token");
    }
  }];
  let hasVerifier = 1;
}

#endif // TAPESTRY_DIALECT_COMM_COMMRIM_TD
