//===- IndexAll.td - All of tapestry_index, for its page ---*- tablegen -*-===//

include "tapestry/Dialect/Index/IR/IndexOps.td"
include "tapestry/Dialect/Index/IR/IndexAssemble.td"
include "tapestry/Dialect/Index/IR/IndexBlock.td"
include "tapestry/Dialect/Index/IR/IndexConstant.td"
include "tapestry/Dialect/Index/IR/IndexRandom.td"
include "tapestry/Dialect/Index/IR/IndexShare.td"
include "tapestry/Dialect/Index/IR/IndexSort.td"
