//===- TRAAll.td - All of tra, for its page ----------------*- tablegen -*-===//

include "tapestry/Dialect/TRA/IR/TRAOps.td"
include "tapestry/Dialect/TRA/IR/TRALoop.td"
include "tapestry/Dialect/TRA/IR/TRAPoint.td"
