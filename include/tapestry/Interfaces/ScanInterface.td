//===- ScanInterface.td - Operators with a running value ---*- tablegen -*-===//

#ifndef TAPESTRY_INTERFACES_SCANINTERFACE_TD
#define TAPESTRY_INTERFACES_SCANINTERFACE_TD

include "mlir/IR/Interfaces.td"

def ScanInterface : OpInterface<"ScanInterface"> {
  let cppNamespace = "::tapestry";
  let description = [{
    A block operator along one label of which a point takes up what all points
    before it gave together. The label is a parallel one, a plain dimension of
    the first result, and nothing is reduced. It may be cut as any other: a
    device then computes what the points of its block give together, a total for
    every point of the other labels, devices along the cut exchange these (an
    all_gather over the parts that are not empty), and each goes on from those
    in front of it.
  }];

  let methods = [
    InterfaceMethod<"The label along which values run on.",
      "unsigned", "getScannedLabel">,
    InterfaceMethod<"The element type of totals.",
      "::mlir::Type", "getTotalType">,
    InterfaceMethod<[{
        Emits the totals of a block, of the type in `block.results`: that of the
        first result with a point per block, 1 or 0, along the scanned label.
      }], "::mlir::FailureOr<::mlir::Value>", "lowerTotals",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::tapestry::LocalBlock &":$block)>,
    InterfaceMethod<[{
        As `lowerLocal`, for block number `part` along the scanned label, of
        which `totals` has the totals of all blocks.
      }], "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>",
      "lowerBehind",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::tapestry::LocalBlock &":$block, "::mlir::Value":$totals,
           "::mlir::Value":$part)>,
  ];
}

#endif // TAPESTRY_INTERFACES_SCANINTERFACE_TD
