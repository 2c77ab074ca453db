// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=4 | FileCheck %s --check-prefix=PLAN
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=4 --tapestry-convert-to-tra \
// RUN:   | FileCheck %s --check-prefix=RELATION
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=4 --tapestry-convert-to-tra \
// RUN:   --tapestry-convert-tra-to-comm | FileCheck %s --check-prefix=PROGRAM
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=4 --tapestry-convert-to-tra \
// RUN:   --tapestry-convert-tra-to-comm | tapestry-opt --emit-bytecode | tapestry-opt \
// RUN:   | FileCheck %s --check-prefix=PROGRAM
// RUN: not tapestry-opt %s --tapestry-plan-pipeline=devices=1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALONE

// Tensors that enter and leave on one device, the plan's homes, and the moves between.

// CHECK-LABEL: tapestry.graph @devices
// PLAN-LABEL: tapestry.graph @devices
// ALONE: error: input 'A' is on device 3, the plan has 1 device, number 0
tapestry.graph @devices {
  // CHECK: %A = tapestry.source "A" from file<"a.npy"> on device 3 {tapestry.constraints
  // PLAN: %A = tapestry.source "A" from file<"a.npy"> on device 3 {{.*}} partition {{.*}}"d.0"{{.*}} home #[[ROWS:.*]]
  %A = tapestry.source "A" from file<"a.npy"> on device 3 {
    tapestry.constraints = [#tapestry.constraint<pin cut {"0" = 2 : i64} others = 1>]} : tensor<17x5xf32>
  // CHECK: %B = tapestry.source "B" on device 1 {tapestry.constraints
  %B = tapestry.source "B" on device 1 {
    tapestry.constraints = [#tapestry.constraint<pin cut {} others = 1>]} : tensor<17x5xf32>
  %p = tapestry.sequence_point %A : tensor<17x5xf32>
  // CHECK: tapestry.sink "A", %A to file<"b.npy"> on device 0 after %{{.*}} : tensor<17x5xf32>
  tapestry.sink "A", %A to file<"b.npy"> on device 0 after %p : tensor<17x5xf32>
  // CHECK: tapestry.sink "B", %B on device 2 : tensor<17x5xf32>
  tapestry.sink "B", %B on device 2 : tensor<17x5xf32>
  tapestry.sink "C", %B : tensor<17x5xf32>
}

// RELATION-DAG: #[[THREE:.*]] = #tapestry_index.layout<[17 = [17] + 0 * [4 by "d.0" "d.1" in 3 to 4], 5] on #grid>
// RELATION-DAG: #[[ONE:.*]] = #tapestry_index.layout<[17 = [17] + 0 * [4 by "d.0" "d.1" in 1 to 2], 5] on #grid>
// RELATION-DAG: #[[ROWS:.*]] = #tapestry_index.layout<[17 by "d.0", 5] on #grid>
// RELATION-DAG: #[[WHOLE:.*]] = #tapestry_index.layout<[17, 5] on #grid>
// RELATION: %[[GIVEN:.*]] = tra.from_tensor %arg0 {{.*}} #[[THREE]]>
// RELATION: %[[HOME:.*]] = tra.repartition "A", %[[GIVEN]] : {{.*}} #[[THREE]]> -> {{.*}} #[[ROWS]]>
// RELATION: %[[B:.*]] = tra.from_tensor %arg1 {{.*}} #[[ONE]]>
// RELATION: %[[BHOME:.*]] = tra.repartition "B", %[[B]] : {{.*}} #[[ONE]]> -> {{.*}} #[[WHOLE]]>
// RELATION: %[[LATER:.*]] = tra.await %[[HOME]]
// RELATION: %[[LEFT:.*]] = tra.repartition "A", %[[LATER]] : {{.*}} #[[ROWS]]> ->
// RELATION: tra.to_tensor %[[LEFT]]
// RELATION: tra.to_tensor %[[BHOME]]

// A broadcast, a scatter, and whole parts that come together.
// PROGRAM: comm.collective_permute "A", %arg0 from #{{.*}} to #{{.*}} axes ["d.0", "d.1"] : tensor<?x5xf32> -> tensor<?x5xf32>
// PROGRAM: comm.collective_permute "B", %arg1 {{.*}} axes ["d.0", "d.1"] : tensor<?x5xf32> -> tensor<17x5xf32>
// PROGRAM: comm.all_to_all "A", %{{.*}} axes ["d.0"]
// PROGRAM: comm.slice "B", %{{.*}} : tensor<17x5xf32> -> tensor<?x5xf32>
