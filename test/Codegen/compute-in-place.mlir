// RUN: tapestry-opt %s -split-input-file -tapestry-compute-in-place | FileCheck %s

#rc = affine_map<(r, c) -> (r, c)>
#cr = affine_map<(r, c) -> (c, r)>
#rk = affine_map<(r, c, k) -> (r, k)>
#kc = affine_map<(r, c, k) -> (k, c)>
#out = affine_map<(r, c, k) -> (r, c)>

// The product is formed in the result, and the fill with it.
// CHECK-LABEL: func @update(
// CHECK-SAME:      %[[A:[^:]*]]: memref<?x?xf32> {{[^%]*}}, %[[B:[^:]*]]: memref<?x?xf32> {{[^%]*}}, %[[W:[^:]*]]: memref<?x?xf32> {{[^%]*}}, %[[Y:[^:]*]]: memref<?x?xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : f32) outs(%[[Y]] :
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[A]], %[[B]] :
// CHECK-SAME:      outs(%[[Y]] :
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[W]], %[[Y]] :
// CHECK-SAME:      outs(%[[Y]] :
// CHECK-NOT:     memref.dealloc
func.func @update(%a: memref<?x?xf32> {llvm.noalias}, %b: memref<?x?xf32> {llvm.noalias},
                  %w: memref<?x?xf32> {llvm.noalias}, %y: memref<?x?xf32> {llvm.noalias}, %m: index,
                  %n: index) attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.generic {indexing_maps = [affine_map<(r, c) -> ()>, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%p : memref<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#rk, #kc, #out],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>)
      outs(%p : memref<?x?xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %q = arith.mulf %l, %r : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#rc, #rc, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%w, %p : memref<?x?xf32>, memref<?x?xf32>)
      outs(%y : memref<?x?xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %s = arith.subf %l, %r : f32
    linalg.yield %s : f32
  }
  memref.dealloc %p : memref<?x?xf32>
  return
}

// -----

#rc = affine_map<(r, c) -> (r, c)>

// The result is allocated earlier then.
// CHECK-LABEL: func @later
// CHECK:         %[[Y:.*]] = memref.alloc() : memref<8x8xf32>
// CHECK-NEXT:    linalg.generic
// CHECK-SAME:      outs(%[[Y]] :
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[Y]] :
// CHECK-SAME:      outs(%[[Y]] :
// CHECK-NOT:     memref.dealloc
// CHECK:         return %[[Y]]
func.func @later(%x: memref<8x8xf32>) -> memref<8x8xf32> attributes {tapestry.device} {
  %p = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [#rc, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xf32>) outs(%p : memref<8x8xf32>) {
  ^bb0(%l: f32, %o: f32):
    %s = math.exp %l : f32
    linalg.yield %s : f32
  }
  %y = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [#rc, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%p : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%l: f32, %o: f32):
    %s = math.sqrt %l : f32
    linalg.yield %s : f32
  }
  memref.dealloc %p : memref<8x8xf32>
  return %y : memref<8x8xf32>
}

// -----

#rc = affine_map<(r, c) -> (r, c)>
#cr = affine_map<(r, c) -> (c, r)>

// Read transposed; read again later; the result read meanwhile: all keep the
// buffer.
// CHECK-LABEL: func @transposed
// CHECK:         memref.alloc
func.func @transposed(%x: memref<8x8xf32> {llvm.noalias}, %y: memref<8x8xf32> {llvm.noalias})
    attributes {tapestry.device} {
  %p = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [#rc, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xf32>) outs(%p : memref<8x8xf32>) {
  ^bb0(%l: f32, %o: f32):
    %s = math.exp %l : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#rc, #cr, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%p, %p : memref<8x8xf32>, memref<8x8xf32>)
      outs(%y : memref<8x8xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %s = arith.subf %l, %r : f32
    linalg.yield %s : f32
  }
  memref.dealloc %p : memref<8x8xf32>
  return
}

// CHECK-LABEL: func @again
// CHECK:         memref.alloc
func.func @again(%x: memref<8x8xf32> {llvm.noalias}, %y: memref<8x8xf32> {llvm.noalias},
                 %z: memref<8x8xf32> {llvm.noalias}) attributes {tapestry.device} {
  %p = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [#rc, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xf32>) outs(%p : memref<8x8xf32>) {
  ^bb0(%l: f32, %o: f32):
    %s = math.exp %l : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#rc, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%p : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%l: f32, %o: f32):
    %s = math.sqrt %l : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#cr, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%p : memref<8x8xf32>) outs(%z : memref<8x8xf32>) {
  ^bb0(%l: f32, %o: f32):
    linalg.yield %l : f32
  }
  memref.dealloc %p : memref<8x8xf32>
  return
}

// CHECK-LABEL: func @meanwhile
// CHECK:         memref.alloc
func.func @meanwhile(%x: memref<8x8xf32> {llvm.noalias}, %y: memref<8x8xf32> {llvm.noalias})
    attributes {tapestry.device} {
  %p = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [#cr, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<8x8xf32>) outs(%p : memref<8x8xf32>) {
  ^bb0(%l: f32, %o: f32):
    %s = math.exp %l : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#rc, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%p : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%l: f32, %o: f32):
    %s = math.sqrt %l : f32
    linalg.yield %s : f32
  }
  memref.dealloc %p : memref<8x8xf32>
  return
}
