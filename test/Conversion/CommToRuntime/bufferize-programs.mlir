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

// Operations that were given one empty tensor get a buffer each: they have
// nothing else in common, and each buffer begins where it is written.
// CHECK-LABEL: func.func @device_program.shared
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32>
// CHECK-NEXT: %[[A:.*]] = memref.alloc
// CHECK-NEXT: linalg.exp ins(%[[X]] : memref<8xf32>) outs(%[[A]] : memref<8xf32>)
// CHECK-NEXT: %[[B:.*]] = memref.alloc
// CHECK-NEXT: linalg.abs ins(%[[X]] : memref<8xf32>) outs(%[[B]] : memref<8xf32>)
// CHECK-NEXT: linalg.add ins(%[[A]], %[[B]] : memref<8xf32>, memref<8xf32>) outs(%[[OUT]] : memref<8xf32>)
// CHECK-NEXT: return
func.func @device_program.shared(%x: memref<8xf32>, %out: memref<8xf32>) attributes {tapestry.device} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %1 = tensor.empty() : tensor<8xf32>
  %2 = linalg.exp ins(%0 : tensor<8xf32>) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
  %3 = linalg.abs ins(%0 : tensor<8xf32>) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
  %4 = linalg.add ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %4 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// What is written while somebody still reads it is copied first.
// CHECK-LABEL: func.func @device_program.copied
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32>
// CHECK: linalg.exp ins(%[[X]] : memref<8xf32>) outs(%[[A:.*]] : memref<8xf32>)
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: memref.copy %[[A]], %[[COPY]]
// CHECK: %[[HEAD:.*]] = memref.subview %[[COPY]][0] [4] [1]
// CHECK: memref.copy {{.*}}, %[[HEAD]]
// CHECK: linalg.add ins(%[[A]], %[[COPY]] : {{.*}} outs(%[[OUT]] :
func.func @device_program.copied(%x: memref<8xf32>, %out: memref<8xf32>) attributes {tapestry.device} {
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %1 = tensor.empty() : tensor<8xf32>
  %2 = linalg.exp ins(%0 : tensor<8xf32>) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
  %3 = tensor.extract_slice %0[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %4 = tensor.insert_slice %3 into %2[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %5 = linalg.add ins(%2, %4 : tensor<8xf32>, tensor<8xf32>) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %5 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
