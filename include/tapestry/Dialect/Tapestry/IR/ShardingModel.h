//===- ShardingModel.h - Einsums for the shard dialect ----------*- C++ -*-===//
//
// Upstream's shard dialect propagates annotations through every op that says
// which loops it has. Tapestry plans by itself; this lets a compiler that
// annotates its programs by `shard` see through einsums.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_SHARDINGMODEL_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_SHARDINGMODEL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tapestry::teg {

/// Makes einsums implement shard::ShardingInterface: labels are loops.
void registerShardingModels(mlir::DialectRegistry &registry);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_SHARDINGMODEL_H
