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

// Windows that shared an empty tensor and its middle are filled each in a
// buffer of its own. What the second takes its rim from is not computed in its
// middle: it is read on when the rim is written.
// CHECK-LABEL: func.func @device_program.windows
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32>
// CHECK: %[[A:.*]] = memref.alloc() : memref<9xf32>
// CHECK: linalg.copy ins(%[[X]] : memref<8xf32>) outs(%{{.*}} :
// CHECK-NOT: memref.alloc
// CHECK: memref.load %[[X]][%{{.*}}]
// CHECK: %[[T:.*]] = memref.alloc() : memref<8xf32>
// CHECK: linalg.exp ins(%{{.*}} : {{.*}}) outs(%[[T]] : memref<8xf32>)
// CHECK: %[[B:.*]] = memref.alloc() : memref<9xf32>
// CHECK: linalg.copy ins(%[[T]] : memref<8xf32>)
// CHECK-NOT: memref.alloc
// CHECK: memref.load %[[T]][%{{.*}}]
// CHECK-NOT: memref.alloc
// CHECK: linalg.exp ins(%{{.*}} : {{.*}}) outs(%[[OUT]] : memref<8xf32>)
// CHECK-NEXT: return
func.func @device_program.windows(%x: memref<8xf32>, %out: memref<8xf32>) attributes {tapestry.device} {
  %c7 = arith.constant 7 : index
  %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %1 = tensor.empty() : tensor<9xf32>
  %2 = tensor.extract_slice %1[0] [8] [1] : tensor<9xf32> to tensor<8xf32>
  %3 = linalg.copy ins(%0 : tensor<8xf32>) outs(%2 : tensor<8xf32>) -> tensor<8xf32>
  %4 = tensor.insert_slice %3 into %1[0] [8] [1] : tensor<8xf32> into tensor<9xf32>
  %5 = tensor.extract_slice %4[8] [1] [1] : tensor<9xf32> to tensor<1xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%5 : tensor<1xf32>) {
  ^bb0(%old: f32):
    %last = tensor.extract %0[%c7] : tensor<8xf32>
    linalg.yield %last : f32
  } -> tensor<1xf32>
  %7 = tensor.insert_slice %6 into %4[8] [1] [1] : tensor<1xf32> into tensor<9xf32>
  %8 = tensor.empty() : tensor<8xf32>
  %9 = tensor.extract_slice %7[1] [8] [1] : tensor<9xf32> to tensor<8xf32>
  %10 = linalg.exp ins(%9 : tensor<8xf32>) outs(%8 : tensor<8xf32>) -> tensor<8xf32>
  %11 = linalg.copy ins(%10 : tensor<8xf32>) outs(%2 : tensor<8xf32>) -> tensor<8xf32>
  %12 = tensor.insert_slice %11 into %1[0] [8] [1] : tensor<8xf32> into tensor<9xf32>
  %13 = tensor.extract_slice %12[8] [1] [1] : tensor<9xf32> to tensor<1xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%13 : tensor<1xf32>) {
  ^bb0(%old: f32):
    %last = tensor.extract %10[%c7] : tensor<8xf32>
    linalg.yield %last : f32
  } -> tensor<1xf32>
  %15 = tensor.insert_slice %14 into %12[8] [1] [1] : tensor<1xf32> into tensor<9xf32>
  %16 = tensor.extract_slice %15[1] [8] [1] : tensor<9xf32> to tensor<8xf32>
  %17 = linalg.exp ins(%16 : tensor<8xf32>) outs(%8 : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %17 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
