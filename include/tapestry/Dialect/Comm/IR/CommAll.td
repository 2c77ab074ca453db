//===- CommAll.td - All of comm, for its page --------------*- tablegen -*-===//

include "tapestry/Dialect/Comm/IR/CommOps.td"
include "tapestry/Dialect/Comm/IR/CommLoop.td"
include "tapestry/Dialect/Comm/IR/CommPoint.td"
include "tapestry/Dialect/Comm/IR/CommRim.td"
