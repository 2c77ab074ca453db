//===- TapestryAll.td - All operations of tapestry ---------*- tablegen -*-===//
//
// What docs/Dialects is generated from. Code includes the files of the
// operations that it needs.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYALL_TD
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYALL_TD

include "tapestry/Dialect/Tapestry/IR/TapestryOps.td"
include "tapestry/Dialect/Tapestry/IR/TapestryAwait.td"
include "tapestry/Dialect/Tapestry/IR/TapestryBlock.td"
include "tapestry/Dialect/Tapestry/IR/TapestryCollect.td"
include "tapestry/Dialect/Tapestry/IR/TapestryConstant.td"
include "tapestry/Dialect/Tapestry/IR/TapestryFused.td"
include "tapestry/Dialect/Tapestry/IR/TapestryLoop.td"
include "tapestry/Dialect/Tapestry/IR/TapestryOperator.td"
include "tapestry/Dialect/Tapestry/IR/TapestryScan.td"
include "tapestry/Dialect/Tapestry/IR/TapestryScatter.td"
include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.td"
include "tapestry/Dialect/Tapestry/IR/TapestryShard.td"
include "tapestry/Dialect/Tapestry/IR/TapestrySort.td"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYALL_TD
