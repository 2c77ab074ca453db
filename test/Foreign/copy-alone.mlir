// The dialects that a pass needs are loaded by it: nothing here names linalg.
// RUN: tapestry-opt %s -tapestry-vectorize-kernels=cpu=x86-64-v4 | FileCheck %s

// CHECK-LABEL: func.func @copy
// CHECK-NOT:     memref.copy
func.func @copy(%x: memref<8xf32>, %y: memref<8xf32>) attributes {tapestry.device} {
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}
