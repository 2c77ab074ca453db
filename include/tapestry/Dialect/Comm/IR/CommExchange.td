//===- CommExchange.td - What collectives have in common ---*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_COMM_COMMEXCHANGE_TD
#define TAPESTRY_DIALECT_COMM_COMMEXCHANGE_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tapestry/Dialect/Comm/IR/CommInterfaces.td"
include "tapestry/Dialect/Comm/IR/CommTypes.td"
include "tapestry/Dialect/Index/IR/IndexAttrs.td"

class Comm_Op<string mnemonic, list<Trait> traits = []>
    : Op<Comm_Dialect, mnemonic, traits>;

/// What all ranks must enter in the same order.
def Comm_Resource : Resource<"::tapestry::comm::CommResource">;
defvar Comm_Effects =
    MemoryEffects<[MemRead<Comm_Resource>, MemWrite<Comm_Resource>]>;

/// A collective that moves elements as they are.
class Comm_ExchangeOp<string mnemonic, string kind, list<Trait> traits = []>
    : Comm_Op<mnemonic, traits # [
          Comm_CollectiveOpInterface, Comm_Effects, OpAsmOpInterface]> {
  let arguments = (ins
    StrAttr:$vertex,
    Comm_Part:$source,
    Variadic<Comm_Token>:$after,
    TapestryIndex_LayoutAttr:$from,
    TapestryIndex_LayoutAttr:$to,
    StrArrayAttr:$axes);
  let results = (outs Comm_Part:$result, Comm_Token:$token);
  let assemblyFormat = [{
    $vertex `,` $source (`after` $after^)?
    `from` $from `to` $to `axes` $axes
    attr-dict `:` type($source) `->` type($result)
  }];
  let builders = [
    // Derives the result's type and the axes from the layouts, which lie on the
    // same grid and are of the same rank.
    OpBuilder<(ins "::llvm::StringRef":$vertex, "::mlir::Value":$source,
                   "::tapestry::index::LayoutAttr":$from,
                   "::tapestry::index::LayoutAttr":$to,
                   CArg<"::mlir::ValueRange", "{}">:$after), [{
      build($_builder, $_state, detail::resultType(source, to),
            TokenType::get($_builder.getContext()), vertex, source, after, from,
            to, detail::groupAxes(from, to));
    }]>
  ];
  let hasCanonicalizeMethod = 1;
  code commonDeclarations = [{
    ::tapestry::CollectiveKind getKind() {
      return ::tapestry::CollectiveKind::}] # kind # [{;
    }
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      setName(getToken(), "token");
    }
  }];
  let extraClassDeclaration = commonDeclarations;
}

#endif // TAPESTRY_DIALECT_COMM_COMMEXCHANGE_TD
