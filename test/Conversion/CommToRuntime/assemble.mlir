// Pieces are copied into one buffer; what no piece covers stays.

// RUN: tapestry-opt %s -pass-pipeline="builtin.module(func.func(tapestry-bufferize-programs))" | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[A:.*]]: memref<2x5xf32>, %[[B:.*]]: memref<?x5xf32>, %[[OUT:.*]]: memref<9x5xf32>
func.func @rows(%a: memref<2x5xf32>, %b: memref<?x5xf32>, %out: memref<9x5xf32>, %at: index) attributes {tapestry.device} {
  %x = bufferization.to_tensor %a restrict : memref<2x5xf32> to tensor<2x5xf32>
  %y = bufferization.to_tensor %b restrict : memref<?x5xf32> to tensor<?x5xf32>
  %zero = arith.constant 0 : index
  %pad = arith.constant 7.0 : f32
  %empty = tensor.empty() : tensor<9x5xf32>
  // CHECK: linalg.fill ins(%{{.*}}) outs(%[[OUT]]
  %filled = linalg.fill ins(%pad : f32) outs(%empty : tensor<9x5xf32>) -> tensor<9x5xf32>
  // CHECK: %[[P:.*]] = memref.subview %[[OUT]][0, 0] [2, 5] [1, 1]
  // CHECK: linalg.copy {tapestry.vertex = "c"} ins(%[[A]] : {{.*}}) outs(%[[P]]
  // CHECK: %[[Q:.*]] = memref.subview %[[OUT]][%{{.*}}, 0] [%{{.*}}, 5] [1, 1]
  // CHECK: linalg.copy {tapestry.vertex = "c"} ins(%[[B]] : {{.*}}) outs(%[[Q]]
  // CHECK-NOT: copy
  %c = tapestry_index.assemble %x, %y at [%zero, %zero, %at, %zero] into %filled {tapestry.vertex = "c"} : (tensor<2x5xf32>, tensor<?x5xf32>) into tensor<9x5xf32>
  bufferization.materialize_in_destination %c in restrict writable %out : (tensor<9x5xf32>, memref<9x5xf32>) -> ()
  return
}
