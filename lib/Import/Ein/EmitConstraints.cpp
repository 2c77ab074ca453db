//===- EmitConstraints.cpp - Pins and preferences of vertices -------------===//

#include "EmitConstraints.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

using namespace mlir;
using namespace tapestry;

void tapestry::ein::setConstraints(
    Operation *op, llvm::ArrayRef<ShardingConstraint> constraints,
    bool isHome) {
  SmallVector<Attribute> list;
  for (const ShardingConstraint &constraint : constraints)
    list.push_back(
        teg::ConstraintAttr::get(op->getContext(), constraint, isHome));
  if (!list.empty())
    op->setAttr(teg::constraintsAttrName,
                ArrayAttr::get(op->getContext(), list));
}

void tapestry::ein::setLayoutGroup(Operation *op, StringRef group) {
  if (!group.empty())
    op->setAttr(teg::layoutGroupAttrName,
                StringAttr::get(op->getContext(), group));
}

void tapestry::ein::setWorkConstraints(
    llvm::iterator_range<Block::iterator> before, Operation *op,
    llvm::ArrayRef<ShardingConstraint> constraints) {
  auto labelsOf = [](Operation *one) {
    auto block = dyn_cast<BlockOpInterface>(one);
    return block ? block.getLabelNames() : SmallVector<std::string>();
  };
  auto restrictTo = [](const ShardingConstraint &constraint,
                       ArrayRef<std::string> labels) {
    ShardingConstraint rest = constraint;
    llvm::erase_if(rest.cuts, [&](const LabelConstraint &cut) {
      return !llvm::is_contained(labels, cut.label);
    });
    return rest;
  };
  SmallVector<std::string> own = labelsOf(op);
  SmallVector<ShardingConstraint> ofOp;
  for (const ShardingConstraint &constraint : constraints) {
    ShardingConstraint rest = restrictTo(constraint, own);
    bool isAll = rest.cuts.size() == constraint.cuts.size();
    if (isAll || !rest.cuts.empty())
      ofOp.push_back(std::move(rest));
    for (Operation &part : before) {
      if (isAll)
        break;
      ShardingConstraint shared = restrictTo(constraint, labelsOf(&part));
      if (!shared.cuts.empty())
        setConstraints(&part, shared, /*isHome=*/false);
    }
  }
  setConstraints(op, ofOp, /*isHome=*/false);
}
