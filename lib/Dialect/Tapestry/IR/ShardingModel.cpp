//===- ShardingModel.cpp - Einsums for the shard dialect ------------------===//

#include "tapestry/Dialect/Tapestry/IR/ShardingModel.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Shard/Interfaces/ShardingInterface.h"
#include "mlir/IR/DialectRegistry.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static shard::ReductionKind kindOf(Monoid monoid) {
  switch (monoid) {
  case Monoid::Add:
    return shard::ReductionKind::Sum;
  case Monoid::Mul:
    return shard::ReductionKind::Product;
  case Monoid::Max:
    return shard::ReductionKind::Max;
  case Monoid::Min:
    return shard::ReductionKind::Min;
  case Monoid::And:
    return shard::ReductionKind::BitwiseAnd;
  case Monoid::Or:
    return shard::ReductionKind::BitwiseOr;
  case Monoid::Xor:
    return shard::ReductionKind::BitwiseXor;
  case Monoid::None:
  case Monoid::Custom:
    break;
  }
  return shard::ReductionKind::Generic;
}

namespace {

struct EinsumSharding
    : public shard::ShardingInterface::ExternalModel<EinsumSharding, EinsumOp> {
  llvm::SmallVector<utils::IteratorType>
  getLoopIteratorTypes(Operation *op) const {
    auto einsum = cast<EinsumOp>(op);
    llvm::SmallVector<utils::IteratorType> types;
    for (unsigned label = 0, e = einsum.getExtents().size(); label < e; ++label)
      types.push_back(einsum.getResultMap().isFunctionOfDim(label)
                          ? utils::IteratorType::parallel
                          : utils::IteratorType::reduction);
    return types;
  }

  llvm::SmallVector<shard::ReductionKind>
  getReductionLoopIteratorKinds(Operation *op) const {
    return llvm::SmallVector<shard::ReductionKind>(
        llvm::count(getLoopIteratorTypes(op), utils::IteratorType::reduction),
        kindOf(cast<EinsumOp>(op).getMonoid()));
  }

  llvm::SmallVector<AffineMap> getIndexingMaps(Operation *op) const {
    return llvm::to_vector(
        cast<EinsumOp>(op).getIndexingMaps().getAsValueRange<AffineMapAttr>());
  }

  /// Upstream knows no windows and no diagonals: nothing is inferred from them.
  FailureOr<shard::ShardingOption>
  getShardingOption(Operation *op, ArrayRef<shard::Sharding> operands,
                    ArrayRef<shard::Sharding> results) const {
    if (!llvm::all_of(getIndexingMaps(op), [](AffineMap map) {
          return map.isProjectedPermutation();
        }))
      return shard::ShardingOption::makeEmpty();
    return shard::detail::defaultGetShardingOption(op, operands, results);
  }

  /// Cutting einsums is what tapestry-partition and the lowering do.
  LogicalResult partition(Operation *op, ArrayRef<Value> partitionedOperands,
                          ArrayRef<shard::Sharding> operands,
                          ArrayRef<shard::Sharding> results,
                          IRMapping &partitionMap,
                          SymbolTableCollection &symbols,
                          OpBuilder &builder) const {
    for (const shard::Sharding &sharding :
         llvm::concat<const shard::Sharding>(operands, results))
      if (sharding && !shard::isFullReplication(sharding))
        return op->emitOpError("is cut by tapestry-partition, not by shard");
    shard::partitionFullyReplicatedOperation(*op, partitionedOperands, operands,
                                             results, partitionMap, symbols,
                                             builder);
    return success();
  }
};

} // namespace

void teg::registerShardingModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, TapestryDialect *, shard::ShardDialect *) {
        EinsumOp::attachInterface<EinsumSharding>(*context);
      });
}
