//===- ScanInterface.td - Operators with a running value ---*- tablegen -*-===//

#ifndef TAPESTRY_INTERFACES_SCANINTERFACE_TD
#define TAPESTRY_INTERFACES_SCANINTERFACE_TD

include "mlir/IR/Interfaces.td"

def ScanInterface : OpInterface<"ScanInterface"> {
  let cppNamespace = "::tapestry";
  let description = [{
    A block operator along one label of which a point takes up what other points
    gave together. The label is a parallel one, a plain dimension of the first
    result or of none, and nothing is reduced. It may be cut as any other: a
    device then computes what the points of its block give together, the totals
    for every point of the other labels, devices along the cut exchange these (an
    all_gather over the parts that are not empty), and each goes on from those of
    all. A result that the label is no dimension of they all have then.
  }];

  let methods = [
    InterfaceMethod<"The label along which values run on; nothing where none is.",
      "::std::optional<unsigned>", "getScannedLabel">,
    InterfaceMethod<[{
        How many elements the totals of a block are; of a block that has no more
        points they are one for each point.
      }], "int64_t", "getTotalCount", (ins), "", "return 1;">,
    InterfaceMethod<"Whether operands are read again behind the totals.",
      "bool", "readsBehindTotals", (ins), "", "return true;">,
    InterfaceMethod<"The element type of totals.",
      "::mlir::Type", "getTotalType">,
    InterfaceMethod<[{
        Emits the totals of a block, of the type in `block.results`: the labels
        are the dimensions, the scanned one with a point per block, 1 or 0, and
        behind them those totals, if more than one; or, where blocks of
        `blockSize` have no more points, all with those of the block.
      }], "::mlir::FailureOr<::mlir::Value>", "lowerTotals",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::tapestry::LocalBlock &":$block, "int64_t":$blockSize)>,
    InterfaceMethod<[{
        As `lowerLocal`, for block number `part` along the scanned label, where
        `totals` has the totals of all blocks, of `blockSize` points.
      }], "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>",
      "lowerBehind",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "const ::tapestry::LocalBlock &":$block, "::mlir::Value":$totals,
           "::mlir::Value":$part, "int64_t":$blockSize)>,
  ];
}

#endif // TAPESTRY_INTERFACES_SCANINTERFACE_TD
