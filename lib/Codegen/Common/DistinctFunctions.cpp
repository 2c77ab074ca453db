//===- DistinctFunctions.cpp - One function for all that do the same ------===//

#include "tapestry/Codegen/Common/DistinctFunctions.h"

using namespace mlir;
using namespace tapestry;

static uint64_t hashOf(func::FuncOp function) {
  llvm::hash_code hash = hash_value(function.getFunctionType());
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  // Two keys are the map's own.
  return uint64_t(hash) >> 1;
}

static bool areEqual(func::FuncOp a, func::FuncOp b) {
  return a.getFunctionType() == b.getFunctionType() &&
         a.getArgAttrsAttr() == b.getArgAttrsAttr() &&
         a->getDiscardableAttrDictionary() ==
             b->getDiscardableAttrDictionary() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

func::FuncOp DistinctFunctions::findOrAdd(func::FuncOp function) {
  auto &candidates = byHash[hashOf(function)];
  for (func::FuncOp known : candidates)
    if (areEqual(known, function))
      return known;
  candidates.push_back(function);
  return nullptr;
}
