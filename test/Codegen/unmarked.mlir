// Functions that our lowering did not make stay as they are, whatever pass of
// code generation runs; marked ones beside them are lowered.
// RUN: tapestry-opt %s > %t.before
// RUN: tapestry-opt %s --tapestry-fuse-elementwise --tapestry-form-row-kernels \
// RUN:   --tapestry-compute-in-place --tapestry-outline-kernels \
// RUN:   --tapestry-vectorize-kernels --tapestry-cse \
// RUN:   --tapestry-expand-math --tapestry-lower-to-llvm > %t.after
// RUN: diff %t.before %t.after
// RUN: tapestry-opt %s --tapestry-codegen-pipeline > %t.pipeline
// RUN: diff %t.before %t.pipeline
// RUN: sed 's/@theirs/@ours/; s/^    -> f32 {/    -> f32 attributes {tapestry.device} {/' %s > %t.mlir
// RUN: sed '/^#id/d' %s > %t.rest
// RUN: cat %t.mlir %t.rest | tapestry-opt --tapestry-codegen-pipeline | FileCheck %s

// CHECK-LABEL: llvm.func @ours(
// CHECK-NOT:   linalg
// CHECK:       func.func @theirs(
// CHECK:         memref.alloc
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK:         math.exp
// CHECK:         memref.dealloc

#id = affine_map<(i) -> (i)>
func.func @theirs(%x: memref<64xf32>, %y: memref<64xf32>, %i: index)
    -> f32 {
  %0 = arith.addi %i, %i : index
  %1 = arith.addi %i, %i : index
  %t = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%t : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%t : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  %2 = memref.load %y[%0] : memref<64xf32>
  %3 = math.exp %2 : f32
  %4 = memref.load %t[%1] : memref<64xf32>
  %5 = arith.addf %3, %4 : f32
  memref.dealloc %t : memref<64xf32>
  return %5 : f32
}
