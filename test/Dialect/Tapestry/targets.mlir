// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: tapestry-opt %s --tapestry-expand-sources | FileCheck %s --check-prefix=EXPANDED
// RUN: tapestry-opt %s --tapestry-expand-sources --tapestry-plan-pipeline=devices=2 \
// RUN:   --tapestry-convert-to-tra | FileCheck %s --check-prefix=RELATION
// RUN: tapestry-opt %s --tapestry-expand-sources --tapestry-plan-pipeline=devices=2 \
// RUN:   --tapestry-convert-to-tra --tapestry-convert-tra-to-comm --tapestry-convert-comm-to-runtime \
// RUN:   | FileCheck %s --check-prefix=CODE

// What sources come from and sinks lead to.

// CHECK-LABEL: tapestry.graph @targets
// EXPANDED-LABEL: tapestry.graph @targets
tapestry.graph @targets {
  // CHECK: %A = tapestry.source "A" from file<"dir/a.npy"> : tensor<4x3xf32>
  // GENERIC: target = #tapestry.file<"dir/a.npy">
  // EXPANDED: %A = tapestry.source "A" from file<"dir/a.npy">
  %A = tapestry.source "A" from file<"dir/a.npy"> : tensor<4x3xf32>
  // CHECK: %W = tapestry.source "W" from generator<normal seed -7> {tapestry.constraints
  // GENERIC: target = #tapestry.generator<normal seed -7>
  // The stream of a random number is that of the name's first in .ein.
  // EXPANDED: %W = tapestry.einsum "W" [d0 = 4, d1 = 3] () -> [d0, d1] attributes {tapestry.constraints = [#tapestry.constraint<pin cut {d0 = 2 : i64}>]} {
  // EXPANDED: %[[D1:.*]] = tapestry.label "d1"
  // EXPANDED: %[[D0:.*]] = tapestry.label "d0"
  // EXPANDED: %[[ROW:.*]] = arith.muli %[[D0]], %c3 : index
  // EXPANDED: %[[POINT:.*]] = arith.addi %[[ROW]], %[[D1]] : index
  // EXPANDED: %[[NUMBER:.*]] = arith.index_cast %[[POINT]] : index to i64
  // EXPANDED: tapestry_index.random normal of %[[NUMBER]] seed %c-7_i64 stream -6138166791256503908
  %W = tapestry.source "W" from generator<normal seed -7> {
    tapestry.constraints = [#tapestry.constraint<pin cut {"0" = 2 : i64}>]} : tensor<4x3xf32>
  // CHECK: %I = tapestry.source "I" from generator<iota> : tensor<12xi32>
  // EXPANDED: %I = tapestry.einsum "I" [d0 = 12]
  // EXPANDED: arith.trunci
  %I = tapestry.source "I" from generator<iota> : tensor<12xi32>
  // CHECK: %S = tapestry.source "S" from generator<uniform seed 3> : tensor<bf16>
  // EXPANDED: %S = tapestry.einsum "S" [] () -> [] {
  // EXPANDED: arith.extf
  %S = tapestry.source "S" from generator<uniform seed 3> : tensor<bf16>
  %B = tapestry.source "B" from generator<bits seed 3> : tensor<2xi8>
  %p = tapestry.sequence_point %W : tensor<4x3xf32>
  // CHECK: tapestry.sink "A", %A to file<"b.npy"> after %{{.*}} : tensor<4x3xf32>
  tapestry.sink "A", %A to file<"b.npy"> after %p : tensor<4x3xf32>
  tapestry.sink "W", %W : tensor<4x3xf32>
  tapestry.sink "I", %I to file<"/tmp/a/../i.npy"> : tensor<12xi32>
  tapestry.sink "S", %S : tensor<bf16>
  tapestry.sink "B", %B : tensor<2xi8>
}

// Generated tensors are no arguments, and have no files.
// RELATION: func.func @targets(%{{[^,]*}}: tensor<4x3xf32> {comm.file = "dir/a.npy", comm.name = "A"})
// RELATION-SAME: {comm.file = "b.npy", comm.name = "A"}
// CODE: inputs = [{file = "dir/a.npy"
// CODE-SAME: outputs = [{file = "b.npy"
