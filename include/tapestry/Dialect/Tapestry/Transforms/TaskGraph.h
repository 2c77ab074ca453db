//===- TaskGraph.h - A graph as shards on chunks ----------------*- C++ -*-===//
//
// The white paper's block-graph execution: chunks, which are produced once,
// views of them, and shards, which read views and make chunks.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_TASKGRAPH_H
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_TASKGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tapestry-rt/Tasks.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

namespace tapestry::teg {

struct TaskGraph {
  /// Its kernels have no programs yet.
  rt::TaskProgram program;
  /// A graph without a plan per kernel, in order, all of other text: its
  /// sources are what the kernel reads, its sinks what it makes. What shards
  /// are called, where they stand, and which block they compute where that does
  /// not matter, are not in it.
  mlir::OwningOpRef<mlir::ModuleOp> kernels;
};

/// What a graph computes, shard by shard: every operator of it that computes is
/// one, every selector of which that can be said a view. Fails with an error at
/// what cannot be a shard.
mlir::FailureOr<TaskGraph> buildTaskGraph(GraphOp graph);

/// Prints inputs, views, shards and outputs, one a line.
void printTasks(llvm::raw_ostream &os, const rt::TaskProgram &program);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_TASKGRAPH_H
