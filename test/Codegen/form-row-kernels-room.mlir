// One row at a time: buffers shrink to one as long as there is room. What is
// taken to the last byte is none.
// RUN: tapestry-opt %s --tapestry-form-row-kernels=row-bytes=519 | FileCheck %s --check-prefix=LESS
// RUN: tapestry-opt %s --tapestry-form-row-kernels=row-bytes=8 | FileCheck %s --check-prefix=LESS
// RUN: tapestry-opt %s --tapestry-form-row-kernels=row-bytes=520 | FileCheck %s --check-prefix=ALL

#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

// LESS-LABEL: func @softmax
// LESS:         memref.alloc() : memref<64x128xf32>
// LESS-COUNT-2: memref.alloc() {{.*}}: memref<1xf32>
// LESS-NOT:     memref.alloc
// LESS:         scf.for %{{.*}} = %c0 to %c64 step %c1 {
// ALL-LABEL: func @softmax
// ALL-NOT:     memref<64x128xf32>{{$}}
// ALL-DAG:     memref.alloc() {{.*}}: memref<1x128xf32>
// ALL-DAG:     memref.alloc() {{.*}}: memref<1xf32>
// ALL-DAG:     memref.alloc() {{.*}}: memref<1xf32>
// ALL:         scf.for %{{.*}} = %c0 to %c64 step %c1 {
func.func @softmax(%x: memref<64x128xf32> {llvm.noalias}, %y: memref<64x128xf32> {llvm.noalias})
    attributes {tapestry.device} {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<64xf32>
  %e = memref.alloc() : memref<64x128xf32>
  %s = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      outs(%m : memref<64xf32>) {
  ^bb0(%o: f32):
    linalg.yield %low : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x128xf32>) outs(%m : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.maximumf %o, %a : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      outs(%s : memref<64xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : memref<64x128xf32>, memref<64xf32>) outs(%e, %s : memref<64x128xf32>, memref<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %t: f32):
    %d = arith.subf %a, %b : f32
    %v = math.exp %d : f32
    %w = arith.addf %t, %v : f32
    linalg.yield %v, %w : f32, f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : memref<64x128xf32>, memref<64xf32>) outs(%y : memref<64x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.divf %a, %b : f32
    linalg.yield %v : f32
  }
  memref.dealloc %m : memref<64xf32>
  memref.dealloc %e : memref<64x128xf32>
  memref.dealloc %s : memref<64xf32>
  return
}
