//===- CommDialect.td - The comm dialect -------------------*- tablegen -*-===//
//
// Collectives of one program that every device runs.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_COMM_COMMDIALECT_TD
#define TAPESTRY_DIALECT_COMM_COMMDIALECT_TD

include "mlir/IR/DialectBase.td"

def Comm_Dialect : Dialect {
  let name = "comm";
  let cppNamespace = "::tapestry::comm";
  let summary = "Collectives of one SPMD program";
  let description = [{
    All devices of a grid run the same program. A value of builtin tensor type is
    the part that the running device holds of a distributed tensor; which part
    that is, is said by the `#tapestry_index.layout` on the operations that move
    it. A dimension of the part's type is dynamic exactly where the layout's parts
    differ in size between devices; parts may be empty.

    A collective turns the parts of one layout into the parts of another. It is
    entered by all devices of the grid, in the same order everywhere. Therefore
    collectives read and write the resource `CommResource`: no pass may reorder,
    merge or duplicate them. A collective whose results nobody uses may be erased,
    because it is then erased on every device; canonicalisation does.

    A `!comm.token` stands for the completion of an operation. An operation starts
    after the operations whose tokens it lists behind `after`, and after the one
    that makes its tensor; other work may overlap with it.

    Constraints:
    - (comm_c1) a function that is a program has `comm.grid`, a grid,
      `comm.vertices`, a list of dictionaries of a `name` and `flops`, and perhaps
      `comm.unread_inputs`, a list of strings; `comm.programs` is a list on a
      module.
    - (comm_c2) `comm.name` and `comm.file`, strings, `comm.type`, a type, and
      `comm.layout`, a layout, stand on arguments and results of a function.
    - (comm_c3) the dialect has no other discardable attributes.
  }];
  let dependentDialects = ["::tapestry::index::TapestryIndexDialect"];
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// What verifiers found out of layouts.
    detail::LayoutFacts &getFacts() { return *facts; }

  private:
    ::std::shared_ptr<detail::LayoutFacts> facts;

  public:
  }];
}

#endif // TAPESTRY_DIALECT_COMM_COMMDIALECT_TD
