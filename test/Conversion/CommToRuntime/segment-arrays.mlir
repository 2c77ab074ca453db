// RUN: tapestry-opt %s --tapestry-segment-programs=most-calls=2 | FileCheck %s

// Layers of two calls whose weights lie five apart in the array of inputs: one
// function, which loads what it needs by the number of the layer's first weight.
// CHECK: func.func private @device_program.p.part(%[[IN:[^:]*]]: !llvm.ptr, %[[N:[^:]*]]: i64)
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK: %[[M:.*]] = arith.addi %[[N]], %[[TWO]] : i64
// CHECK: %[[V:.*]] = llvm.getelementptr %[[IN]][%[[N]]] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
// CHECK: llvm.load %[[V]]
// CHECK: %[[X:.*]] = llvm.getelementptr %[[IN]][%[[ZERO]]] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
// CHECK: llvm.load %[[X]]
// CHECK: call @kernel
// CHECK: %[[W:.*]] = llvm.getelementptr %[[IN]][%[[M]]] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
// CHECK: llvm.load %[[W]]
// CHECK: call @kernel
// CHECK-NEXT: return
// CHECK-NOT: func.func private

// CHECK: func.func @tapestry_entry.p(%{{.*}}: !llvm.ptr, %[[IN:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK-NEXT: %[[FIRST:.*]] = arith.constant 1 : i64
// CHECK-NEXT: call @device_program.p.part(%[[IN]], %[[FIRST]])
// CHECK-NEXT: %[[SECOND:.*]] = arith.constant 6 : i64
// CHECK-NEXT: call @device_program.p.part(%[[IN]], %[[SECOND]])
// CHECK-NEXT: return
module attributes {comm.programs = [{name = "p", body = @device_program.p, entry = @tapestry_entry.p}]} {
  func.func private @kernel(memref<3xf32>, memref<3xf32>) attributes {tapestry.device}
  func.func private @device_program.p(%x: memref<3xf32>, %v0: memref<3xf32>, %w0: memref<3xf32>, %v1: memref<3xf32>, %w1: memref<3xf32>) attributes {tapestry.device} {
    call @kernel(%v0, %x) : (memref<3xf32>, memref<3xf32>) -> ()
    call @kernel(%w0, %x) : (memref<3xf32>, memref<3xf32>) -> ()
    call @kernel(%v1, %x) : (memref<3xf32>, memref<3xf32>) -> ()
    call @kernel(%w1, %x) : (memref<3xf32>, memref<3xf32>) -> ()
    return
  }
  func.func @tapestry_entry.p(%rank: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) attributes {tapestry.device} {
    %undef = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64)>
    %zero = llvm.mlir.constant(0 : i64) : i64
    %x.at = llvm.getelementptr %inputs[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %x.data = llvm.load %x.at : !llvm.ptr -> !llvm.ptr
    %x.0 = llvm.insertvalue %x.data, %undef[0] : !llvm.struct<(ptr, ptr, i64)>
    %x.1 = llvm.insertvalue %x.data, %x.0[1] : !llvm.struct<(ptr, ptr, i64)>
    %x.2 = llvm.insertvalue %zero, %x.1[2] : !llvm.struct<(ptr, ptr, i64)>
    %x.3 = builtin.unrealized_conversion_cast %x.2 : !llvm.struct<(ptr, ptr, i64)> to memref<f32>
    %x = memref.reinterpret_cast %x.3 to offset: [0], sizes: [3], strides: [1] : memref<f32> to memref<3xf32>
    %v0.at = llvm.getelementptr %inputs[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %v0.data = llvm.load %v0.at : !llvm.ptr -> !llvm.ptr
    %v0.0 = llvm.insertvalue %v0.data, %undef[0] : !llvm.struct<(ptr, ptr, i64)>
    %v0.1 = llvm.insertvalue %v0.data, %v0.0[1] : !llvm.struct<(ptr, ptr, i64)>
    %v0.2 = llvm.insertvalue %zero, %v0.1[2] : !llvm.struct<(ptr, ptr, i64)>
    %v0.3 = builtin.unrealized_conversion_cast %v0.2 : !llvm.struct<(ptr, ptr, i64)> to memref<f32>
    %v0 = memref.reinterpret_cast %v0.3 to offset: [0], sizes: [3], strides: [1] : memref<f32> to memref<3xf32>
    %w0.at = llvm.getelementptr %inputs[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %w0.data = llvm.load %w0.at : !llvm.ptr -> !llvm.ptr
    %w0.0 = llvm.insertvalue %w0.data, %undef[0] : !llvm.struct<(ptr, ptr, i64)>
    %w0.1 = llvm.insertvalue %w0.data, %w0.0[1] : !llvm.struct<(ptr, ptr, i64)>
    %w0.2 = llvm.insertvalue %zero, %w0.1[2] : !llvm.struct<(ptr, ptr, i64)>
    %w0.3 = builtin.unrealized_conversion_cast %w0.2 : !llvm.struct<(ptr, ptr, i64)> to memref<f32>
    %w0 = memref.reinterpret_cast %w0.3 to offset: [0], sizes: [3], strides: [1] : memref<f32> to memref<3xf32>
    %v1.at = llvm.getelementptr %inputs[6] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %v1.data = llvm.load %v1.at : !llvm.ptr -> !llvm.ptr
    %v1.0 = llvm.insertvalue %v1.data, %undef[0] : !llvm.struct<(ptr, ptr, i64)>
    %v1.1 = llvm.insertvalue %v1.data, %v1.0[1] : !llvm.struct<(ptr, ptr, i64)>
    %v1.2 = llvm.insertvalue %zero, %v1.1[2] : !llvm.struct<(ptr, ptr, i64)>
    %v1.3 = builtin.unrealized_conversion_cast %v1.2 : !llvm.struct<(ptr, ptr, i64)> to memref<f32>
    %v1 = memref.reinterpret_cast %v1.3 to offset: [0], sizes: [3], strides: [1] : memref<f32> to memref<3xf32>
    %w1.at = llvm.getelementptr %inputs[8] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %w1.data = llvm.load %w1.at : !llvm.ptr -> !llvm.ptr
    %w1.0 = llvm.insertvalue %w1.data, %undef[0] : !llvm.struct<(ptr, ptr, i64)>
    %w1.1 = llvm.insertvalue %w1.data, %w1.0[1] : !llvm.struct<(ptr, ptr, i64)>
    %w1.2 = llvm.insertvalue %zero, %w1.1[2] : !llvm.struct<(ptr, ptr, i64)>
    %w1.3 = builtin.unrealized_conversion_cast %w1.2 : !llvm.struct<(ptr, ptr, i64)> to memref<f32>
    %w1 = memref.reinterpret_cast %w1.3 to offset: [0], sizes: [3], strides: [1] : memref<f32> to memref<3xf32>
    call @device_program.p(%x, %v0, %w0, %v1, %w1) : (memref<3xf32>, memref<3xf32>, memref<3xf32>, memref<3xf32>, memref<3xf32>) -> ()
    return
  }
}
