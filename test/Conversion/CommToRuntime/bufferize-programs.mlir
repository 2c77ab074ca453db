// RUN: tapestry-opt %s --tapestry-bufferize-programs | FileCheck %s

// The result is computed in the caller's buffer; a function of somebody else
// keeps its tensors.
// CHECK-LABEL: func.func @device_program.p
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32>
// CHECK-NOT: tensor
// CHECK-NOT: memref.alloc
// CHECK: linalg.add ins(%[[X]], %[[X]] : memref<8xf32>, memref<8xf32>) outs(%[[OUT]] : memref<8xf32>)
// CHECK-LABEL: func.func @theirs
// CHECK: tensor.empty
// CHECK: linalg.add {{.*}} -> tensor<8xf32>
func.func @device_program.p(%x: memref<8xf32>, %out: memref<8xf32>) attributes {tapestry.device} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %1 = tensor.empty() : tensor<8xf32>
  %2 = linalg.add ins(%0, %0 : tensor<8xf32>, tensor<8xf32>) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
func.func @theirs(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  %1 = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
