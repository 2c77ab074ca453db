// RUN: not tapestry-opt %s --tapestry-verify-sharding 2>&1 | FileCheck %s --implicit-check-not "see current operation"
// RUN: not tapestry-opt %s --tapestry-verify-sharding --mlir-print-op-on-diagnostic 2>&1 | FileCheck %s --check-prefix=SHOWN

// What is wrong is said; what it is wrong of only where that is asked for.
// CHECK: no-operations.mlir:{{[0-9]+}}:1: error: the module has 1 graph, expected a whole one and its sharding
// SHOWN: error: the module has 1 graph
// SHOWN: note: see current operation:

module {
tapestry.graph @one {
  %X = tapestry.source "X" : tensor<6xi32>
  tapestry.sink "X", %X : tensor<6xi32>
}
}
