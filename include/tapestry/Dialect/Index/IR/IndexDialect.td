//===- IndexDialect.td - The tapestry_index dialect --------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXDIALECT_TD
#define TAPESTRY_DIALECT_INDEX_IR_INDEXDIALECT_TD

include "mlir/IR/DialectBase.td"

def TapestryIndex_Dialect : Dialect {
  let name = "tapestry_index";
  let cppNamespace = "::tapestry::index";
  let summary = "Projections, ranges and layouts of dense index spaces";
  let description = [{
    Attributes that state how an index space maps to tensors (projections), how
    it is cut over a grid of devices (partitions) and which part of a tensor
    every device holds as a consequence (layouts), with a few ops that compute
    the same at run time.

    Every attribute wraps a plain struct of `tapestry/Support`, where the
    arithmetic lives; the ops lower to `arith` alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// Registers the attributes; defined beside them.
    void registerAttributes();
    /// Registers the ops; defined beside them.
    void registerOps();
    /// Registers how attributes stand in bytecode; defined beside it.
    void registerBytecode();
  }];
}

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXDIALECT_TD
