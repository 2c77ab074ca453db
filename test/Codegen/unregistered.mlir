// Operations of no known dialect inside device code are left where they are.
// RUN: tapestry-opt %s --allow-unregistered-dialect --tapestry-expand-math \
// RUN:   --tapestry-vectorize-kernels | FileCheck %s

// CHECK-LABEL: func.func @ours
// CHECK:         "test.use"
// CHECK:         "test.value"
#id = affine_map<(i) -> (i)>
func.func @ours(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {tapestry.device} {
  "test.use"(%x) : (memref<64xf32>) -> ()
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = "test.value"(%a) : (f32) -> f32
    linalg.yield %n : f32
  }
  return
}
