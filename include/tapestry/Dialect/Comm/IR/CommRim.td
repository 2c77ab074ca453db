//===- CommRim.td - What devices lack beside their parts ---*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_COMM_COMMRIM_TD
#define TAPESTRY_DIALECT_COMM_COMMRIM_TD

include "tapestry/Dialect/Comm/IR/CommExchange.td"

def Comm_FetchRimOp : Comm_ExchangeOp<"fetch_rim", "None"> {
  let summary = "get what a window has beside the own part";
  let description = [{
    The exchange that turns `from` into `to`, but for what a device holds
    anyway: that stays where it is. Every device gets the strip of its target
    box that it lacks, in front of its part or behind it along one dimension.

    ```mlir
    // Of the rows above those of each device the last one.
    %x, %t = comm.fetch_rim "A", %a from #rows to #rows_above rim #row_above
               axes ["d.0"] : tensor<?x53xf32> -> tensor<?x53xf32>
    ```

    Constraints: those of `CollectiveOpInterface` (`collective_c1` to
    `collective_c8`), and
    - `fetch_rim_c1`: `rim` is the strip that lies in `to` beside `from`
      (`findRim`).
  }];
  let arguments = (ins
    StrAttr:$vertex,
    Comm_Part:$source,
    Variadic<Comm_Token>:$after,
    TapestryIndex_LayoutAttr:$from,
    TapestryIndex_LayoutAttr:$to,
    TapestryIndex_LayoutAttr:$rim,
    StrArrayAttr:$axes);
  let assemblyFormat = [{
    $vertex `,` $source (`after` $after^)?
    `from` $from `to` $to `rim` $rim `axes` $axes
    attr-dict `:` type($source) `->` type($result)
  }];
  let builders = [
    // Derives the result's type and the axes from the layouts.
    OpBuilder<(ins "::llvm::StringRef":$vertex, "::mlir::Value":$source,
                   "::tapestry::index::LayoutAttr":$from,
                   "::tapestry::index::LayoutAttr":$to,
                   "::tapestry::index::LayoutAttr":$rim,
                   CArg<"::mlir::ValueRange", "{}">:$after), [{
      build($_builder, $_state, detail::resultType(source, rim),
            TokenType::get($_builder.getContext()), vertex, source, after, from,
            to, rim, detail::groupAxes(from, to));
    }]>
  ];
  let extraClassDeclaration = [{
    ::tapestry::CollectiveKind getKind() { return getPlan().kind; }
    ::tapestry::index::LayoutAttr getReceived() { return getRim(); }
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      setName(getToken(), "token");
    }
  }];
  let hasVerifier = 1;
}

#endif // TAPESTRY_DIALECT_COMM_COMMRIM_TD
