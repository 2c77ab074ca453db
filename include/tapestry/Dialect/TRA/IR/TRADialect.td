//===- TRADialect.td - The tra dialect ---------------------*- tablegen -*-===//
//
// Tensor-relational algebra: join, aggregate, repartition.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TRA_TRADIALECT_TD
#define TAPESTRY_DIALECT_TRA_TRADIALECT_TD

include "mlir/IR/DialectBase.td"

def TRA_Dialect : Dialect {
  let name = "tra";
  let cppNamespace = "::tapestry::tra";
  let summary = "Tensor-relational algebra";
  let description = [{
    The algebra of section 4 of the EinDecomp paper. A tensor relation is a tensor
    cut into sub-tensors, each under the key that says which part of every
    dimension it is. An extended Einstein summation whose labels are cut becomes

    - a *join* that applies a kernel to every tuple of sub-tensors whose keys agree
      on the labels,
    - an *aggregate* that combines the partial values of the keys that differ only
      in reduced labels, where reduced labels are cut,
    - a *repartition* in front of an operand that is cut otherwise than the join
      reads it.

    A relation's type also carries the layout that places keys on devices, so the
    communication is decided here: a join has none, an aggregate and a repartition
    move what `planResharding` says of their two layouts. All operations are pure.
  }];
  let dependentDialects = ["::tapestry::index::TapestryIndexDialect"];
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

#endif // TAPESTRY_DIALECT_TRA_TRADIALECT_TD
