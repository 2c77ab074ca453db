// RUN: tapestry-opt %s --tapestry-segment-programs=most-calls=4 | FileCheck %s

// Seven equal steps of two calls between two that differ (the first frees nothing,
// the last computes into the result). Parts of two steps are calls of one function.
// The vertex and the number behind it step alike and are one argument; the third
// number goes its own way; the fourth is always the same.

// CHECK: func.func private @device_program.p.part(
// CHECK: func.func private @device_program.p.part_0(%[[RANK:.*]]: !llvm.ptr, %[[T:.*]]: memref<?x5xf32>, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[N:.*]]: i64, %[[K:.*]]: i64, %[[L:.*]]: i64) -> memref<?x5xf32>
// CHECK: %[[SEVEN:.*]] = arith.constant 7 : i64
// CHECK: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK: %[[NEXT:.*]] = arith.addi %[[N]], %[[ONE]] : i64
// CHECK: call @mark(%[[RANK]], %[[N]])
// CHECK-NEXT: %[[U:.*]] = memref.alloc(
// CHECK: call @step(%[[T]], %{{.*}}, %[[U]], %[[N]], %[[K]], %[[SEVEN]])
// CHECK-NEXT: memref.dealloc %[[T]]
// CHECK-NEXT: call @mark(%[[RANK]], %[[NEXT]])
// CHECK: call @step(%[[U]], %{{.*}}, %[[V:.*]], %{{.*}}, %[[L]], %{{.*}})
// CHECK-NEXT: memref.dealloc %[[U]]
// CHECK-NEXT: return %[[V]]
// The step that is left of seven, and the last.
// CHECK: func.func private @device_program.p.part_1(
// CHECK: func.func private @device_program.p.part_2(%{{.*}}: !llvm.ptr, %{{.*}}: memref<?x5xf32>, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: index)
// CHECK-NOT: func.func private

// The entry runs the parts, and looks at each input where it is first used.
// CHECK: func.func @tapestry_entry.p(%[[RANK:.*]]: !llvm.ptr, %[[IN:.*]]: !llvm.ptr, %[[OUT:.*]]: !llvm.ptr)
// CHECK: %[[T0:.*]] = call @device_program.p.part(%[[RANK]],
// CHECK: llvm.getelementptr %[[IN]][2]
// CHECK: llvm.getelementptr %[[IN]][3]
// CHECK-DAG: %[[N1:.*]] = arith.constant 11 : i64
// CHECK-DAG: %[[K1:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[L1:.*]] = arith.constant 5 : i64
// CHECK: %[[T1:.*]] = call @device_program.p.part_0(%[[RANK]], %[[T0]], %{{.*}}, %{{.*}}, %[[N1]], %[[K1]], %[[L1]])
// CHECK: llvm.getelementptr %[[IN]][4]
// CHECK-DAG: %[[N2:.*]] = arith.constant 13 : i64
// CHECK-DAG: %[[K2:.*]] = arith.constant 7 : i64
// CHECK-DAG: %[[L2:.*]] = arith.constant 11 : i64
// CHECK: call @device_program.p.part_0(%[[RANK]], %[[T1]], %{{.*}}, %{{.*}}, %[[N2]], %[[K2]], %[[L2]])
// CHECK: call @device_program.p.part_0(
// CHECK: call @device_program.p.part_1(
// CHECK: llvm.getelementptr %[[OUT]][0]
// CHECK: call @device_program.p.part_2(
// CHECK-NEXT: return
// CHECK-NOT: func.func

module attributes {comm.programs = [{name = "p", body = @device_program.p, entry = @tapestry_entry.p}]} {
  func.func private @mark(!llvm.ptr, i64) attributes {tapestry.device}
  func.func private @step(memref<?x5xf32>, memref<5x5xf32>, memref<?x5xf32>, i64, i64, i64) attributes {tapestry.device}
  func.func private @device_program.p(%rank: !llvm.ptr, %rows: index, %x: memref<?x5xf32>, %w0: memref<5x5xf32>, %w1: memref<5x5xf32>, %w2: memref<5x5xf32>, %w3: memref<5x5xf32>, %w4: memref<5x5xf32>, %w5: memref<5x5xf32>, %w6: memref<5x5xf32>, %w7: memref<5x5xf32>, %w8: memref<5x5xf32>, %out: memref<?x5xf32>) attributes {tapestry.device} {
    %c7 = arith.constant 7 : i64
    %n0 = arith.constant 10 : i64
    %k0 = arith.constant 2 : i64
    call @mark(%rank, %n0) : (!llvm.ptr, i64) -> ()
    %t0 = memref.alloc(%rows) : memref<?x5xf32>
    call @step(%x, %w0, %t0, %n0, %k0, %c7) {tapestry.vertex = "T0"} : (memref<?x5xf32>, memref<5x5xf32>, memref<?x5xf32>, i64, i64, i64) -> ()
    %n1 = arith.constant 11 : i64
    %k1 = arith.constant 3 : i64
    call @mark(%rank, %n1) : (!llvm.ptr, i64) -> ()
    %t1 = memref.alloc(%rows) : memref<?x5xf32>
    call @step(%t0, %w1, %t1, %n1, %k1, %c7) {tapestry.vertex = "T1"} : (memref<?x5xf32>, memref<5x5xf32>, memref<?x5xf32>, i64, i64, i64) -> ()
    memref.dealloc %t0 : memref<?x5xf32>
    %n2 = arith.constant 12 : i64
    %k2 = arith.constant 5 : i64
    call @mark(%rank, %n2) : (!llvm.ptr, i64) -> ()
    %t2 = memref.alloc(%rows) : memref<?x5xf32>
    call @step(%t1, %w2, %t2, %n2, %k2, %c7) {tapestry.vertex = "T2"} : (memref<?x5xf32>, memref<5x5xf32>, memref<?x5xf32>, i64, i64, i64) -> ()
    memref.dealloc %t1 : memref<?x5xf32>
    %n3 = arith.constant 13 : i64
    %k3 = arith.constant 7 : i64
    call @mark(%rank, %n3) : (!llvm.ptr, i64) -> ()
    %t3 = memref.alloc(%rows) : memref<?x5xf32>
    call @step(%t2, %w3, %t3, %n3, %k3, %c7) {tapestry.vertex = "T3"} : (memref<?x5xf32>, memref<5x5xf32>, memref<?x5xf32>, i64, i64, i64) -> ()
    memref.dealloc %t2 : memref<?x5xf32>
    %n4 = arith.constant 14 : i64
    %k4 = arith.constant 11 : i64
    call @mark(%rank, %n4) : (!llvm.ptr, i64) -> ()
    %t4 = memref.alloc(%rows) : memref<?x5xf32>
    call @step(%t3, %w4, %t4, %n4, %k4, %c7) {tapestry.vertex = "T4"} : (memref<?x5xf32>, memref<5x5xf32>, memref<?x5xf32>, i64, i64, i64) -> ()
    memref.dealloc %t3 : memref<?x5xf32>
    %n5 = arith.constant 15 : i64
    %k5 = arith.constant 13 : i64
    call @mark(%rank, %n5) : (!llvm.ptr, i64) -> ()
    %t5 = memref.alloc(%rows) : memref<?x5xf32>
    call @step(%t4, %w5, %t5, %n5, %k5, %c7) {tapestry.vertex = "T5"} : (memref<?x5xf32>, memref<5x5xf32>, memref<?x5xf32>, i64, i64, i64) -> ()
    memref.dealloc %t4 : memref<?x5xf32>
    %n6 = arith.constant 16 : i64
    %k6 = arith.constant 17 : i64
    call @mark(%rank, %n6) : (!llvm.ptr, i64) -> ()
    %t6 = memref.alloc(%rows) : memref<?x5xf32>
    call @step(%t5, %w6, %t6, %n6, %k6, %c7) {tapestry.vertex = "T6"} : (memref<?x5xf32>, memref<5x5xf32>, memref<?x5xf32>, i64, i64, i64) -> ()
    memref.dealloc %t5 : memref<?x5xf32>
    %n7 = arith.constant 17 : i64
    %k7 = arith.constant 19 : i64
    call @mark(%rank, %n7) : (!llvm.ptr, i64) -> ()
    %t7 = memref.alloc(%rows) : memref<?x5xf32>
    call @step(%t6, %w7, %t7, %n7, %k7, %c7) {tapestry.vertex = "T7"} : (memref<?x5xf32>, memref<5x5xf32>, memref<?x5xf32>, i64, i64, i64) -> ()
    memref.dealloc %t6 : memref<?x5xf32>
    %n8 = arith.constant 18 : i64
    %k8 = arith.constant 23 : i64
    call @mark(%rank, %n8) : (!llvm.ptr, i64) -> ()
    call @step(%t7, %w8, %out, %n8, %k8, %c7) {tapestry.vertex = "T8"} : (memref<?x5xf32>, memref<5x5xf32>, memref<?x5xf32>, i64, i64, i64) -> ()
    memref.dealloc %t7 : memref<?x5xf32>
    return
  }
  func.func @tapestry_entry.p(%rank: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) attributes {tapestry.device} {
    %rows = arith.constant 3 : index
    %x.at = llvm.getelementptr %inputs[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %x.data = llvm.load %x.at : !llvm.ptr -> !llvm.ptr
    %x.0 = builtin.unrealized_conversion_cast %x.data : !llvm.ptr to memref<f32>
    %x = memref.reinterpret_cast %x.0 to offset: [0], sizes: [%rows, 5], strides: [5, 1] : memref<f32> to memref<?x5xf32>
    %w0.at = llvm.getelementptr %inputs[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %w0.data = llvm.load %w0.at : !llvm.ptr -> !llvm.ptr
    %w0.0 = builtin.unrealized_conversion_cast %w0.data : !llvm.ptr to memref<f32>
    %w0 = memref.reinterpret_cast %w0.0 to offset: [0], sizes: [5, 5], strides: [5, 1] : memref<f32> to memref<5x5xf32>
    %w1.at = llvm.getelementptr %inputs[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %w1.data = llvm.load %w1.at : !llvm.ptr -> !llvm.ptr
    %w1.0 = builtin.unrealized_conversion_cast %w1.data : !llvm.ptr to memref<f32>
    %w1 = memref.reinterpret_cast %w1.0 to offset: [0], sizes: [5, 5], strides: [5, 1] : memref<f32> to memref<5x5xf32>
    %w2.at = llvm.getelementptr %inputs[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %w2.data = llvm.load %w2.at : !llvm.ptr -> !llvm.ptr
    %w2.0 = builtin.unrealized_conversion_cast %w2.data : !llvm.ptr to memref<f32>
    %w2 = memref.reinterpret_cast %w2.0 to offset: [0], sizes: [5, 5], strides: [5, 1] : memref<f32> to memref<5x5xf32>
    %w3.at = llvm.getelementptr %inputs[4] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %w3.data = llvm.load %w3.at : !llvm.ptr -> !llvm.ptr
    %w3.0 = builtin.unrealized_conversion_cast %w3.data : !llvm.ptr to memref<f32>
    %w3 = memref.reinterpret_cast %w3.0 to offset: [0], sizes: [5, 5], strides: [5, 1] : memref<f32> to memref<5x5xf32>
    %w4.at = llvm.getelementptr %inputs[5] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %w4.data = llvm.load %w4.at : !llvm.ptr -> !llvm.ptr
    %w4.0 = builtin.unrealized_conversion_cast %w4.data : !llvm.ptr to memref<f32>
    %w4 = memref.reinterpret_cast %w4.0 to offset: [0], sizes: [5, 5], strides: [5, 1] : memref<f32> to memref<5x5xf32>
    %w5.at = llvm.getelementptr %inputs[6] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %w5.data = llvm.load %w5.at : !llvm.ptr -> !llvm.ptr
    %w5.0 = builtin.unrealized_conversion_cast %w5.data : !llvm.ptr to memref<f32>
    %w5 = memref.reinterpret_cast %w5.0 to offset: [0], sizes: [5, 5], strides: [5, 1] : memref<f32> to memref<5x5xf32>
    %w6.at = llvm.getelementptr %inputs[7] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %w6.data = llvm.load %w6.at : !llvm.ptr -> !llvm.ptr
    %w6.0 = builtin.unrealized_conversion_cast %w6.data : !llvm.ptr to memref<f32>
    %w6 = memref.reinterpret_cast %w6.0 to offset: [0], sizes: [5, 5], strides: [5, 1] : memref<f32> to memref<5x5xf32>
    %w7.at = llvm.getelementptr %inputs[8] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %w7.data = llvm.load %w7.at : !llvm.ptr -> !llvm.ptr
    %w7.0 = builtin.unrealized_conversion_cast %w7.data : !llvm.ptr to memref<f32>
    %w7 = memref.reinterpret_cast %w7.0 to offset: [0], sizes: [5, 5], strides: [5, 1] : memref<f32> to memref<5x5xf32>
    %w8.at = llvm.getelementptr %inputs[9] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %w8.data = llvm.load %w8.at : !llvm.ptr -> !llvm.ptr
    %w8.0 = builtin.unrealized_conversion_cast %w8.data : !llvm.ptr to memref<f32>
    %w8 = memref.reinterpret_cast %w8.0 to offset: [0], sizes: [5, 5], strides: [5, 1] : memref<f32> to memref<5x5xf32>
    %out.at = llvm.getelementptr %outputs[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %out.data = llvm.load %out.at : !llvm.ptr -> !llvm.ptr
    %out.0 = builtin.unrealized_conversion_cast %out.data : !llvm.ptr to memref<f32>
    %out = memref.reinterpret_cast %out.0 to offset: [0], sizes: [%rows, 5], strides: [5, 1] : memref<f32> to memref<?x5xf32>
    call @device_program.p(%rank, %rows, %x, %w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7, %w8, %out) : (!llvm.ptr, index, memref<?x5xf32>, memref<5x5xf32>, memref<5x5xf32>, memref<5x5xf32>, memref<5x5xf32>, memref<5x5xf32>, memref<5x5xf32>, memref<5x5xf32>, memref<5x5xf32>, memref<5x5xf32>, memref<?x5xf32>) -> ()
    return
  }
}
