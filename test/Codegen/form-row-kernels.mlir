// RUN: tapestry-opt %s -split-input-file -tapestry-fuse-elementwise \
// RUN:   -tapestry-form-row-kernels -cse | FileCheck %s

#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

// A softmax: the maximum, the exponential with its sum, and the quotient share
// rows. Buffers in between shrink to one row: two rows of three matrices are
// more than 24576 bytes.
// CHECK-LABEL: func @softmax
// CHECK-DAG:     %[[M:.*]] = memref.alloc() {{.*}} : memref<1xf32>
// CHECK-DAG:     %[[E:.*]] = memref.alloc() {{.*}} : memref<1x2048xf32>
// CHECK:         scf.for %[[R:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           %[[MV:.*]] = memref.subview %[[M]][0] [1] [1]
// CHECK:           linalg.generic
// CHECK-SAME:        ins(%{{.*}} : f32) outs(%[[MV]]
// CHECK:           %[[X:.*]] = memref.subview %arg0[%[[R]], 0] [1, 2048] [1, 1]
// CHECK:           linalg.generic
// CHECK-SAME:        ins(%[[X]] :
// CHECK-SAME:        outs(%[[MV]] :
// CHECK:           %[[SV:.*]] = memref.subview
// CHECK:           linalg.generic
// CHECK-SAME:        ins(%{{.*}} : f32) outs(%[[SV]]
// CHECK:           %[[EV:.*]] = memref.subview %[[E]][0, 0] [1, 2048] [1, 1]
// CHECK:           linalg.generic
// CHECK-SAME:        ins(%[[X]], %[[MV]] :
// CHECK-SAME:        outs(%[[EV]], %[[SV]] :
// CHECK:           %[[Y:.*]] = memref.subview %arg1[%[[R]], 0] [1, 2048] [1, 1]
// CHECK:           linalg.generic
// CHECK-SAME:        ins(%[[EV]], %[[SV]] :
// CHECK-SAME:        outs(%[[Y]] :
// CHECK:         } {tapestry.kernel, tapestry.parallel, tapestry.vertex = "Y"}
// CHECK:         memref.dealloc %[[M]]
// CHECK:         memref.dealloc %[[E]]
// CHECK-NOT:     linalg.
func.func @softmax(%x: memref<64x2048xf32> {llvm.noalias}, %y: memref<64x2048xf32> {llvm.noalias})
    attributes {tapestry.device} {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<64xf32>
  %e = memref.alloc() : memref<64x2048xf32>
  %s = memref.alloc() : memref<64xf32>
  linalg.fill ins(%inf : f32) outs(%m : memref<64xf32>)
  linalg.generic {indexing_maps = [#rc, #r],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x2048xf32>) outs(%m : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.maximumf %o, %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : memref<64x2048xf32>, memref<64xf32>)
      outs(%e : memref<64x2048xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %n = math.exp %d : f32
    linalg.yield %n : f32
  }
  memref.dealloc %m : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<64xf32>)
  linalg.generic {indexing_maps = [#rc, #r],
                  iterator_types = ["parallel", "reduction"]}
      ins(%e : memref<64x2048xf32>) outs(%s : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.addf %o, %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : memref<64x2048xf32>, memref<64xf32>)
      outs(%y : memref<64x2048xf32>) attrs = {tapestry.vertex = "Y"} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %n = arith.divf %a, %b : f32
    linalg.yield %n : f32
  }
  memref.dealloc %e : memref<64x2048xf32>
  memref.dealloc %s : memref<64xf32>
  return
}

// -----

#rc = affine_map<(r, c) -> (r, c)>
#cr = affine_map<(r, c) -> (c, r)>
#r = affine_map<(r, c) -> (r)>

// The second operation reads other rows than the first has written by then.
// CHECK-LABEL: func @transposed
// CHECK-NOT:     scf.for
func.func @transposed(%x: memref<64x64xf32> {llvm.noalias}, %t: memref<64x64xf32> {llvm.noalias},
                      %s: memref<64xf32> {llvm.noalias}) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#rc, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xf32>) outs(%t : memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#cr, #r],
                  iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<64x64xf32>) outs(%s : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.addf %o, %a : f32
    linalg.yield %n : f32
  }
  return
}

// -----

#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

// Rows whose number and length are known at run time only; indices of rows
// count from the first row.
// CHECK-LABEL: func @dynamic
// CHECK:         %[[BYTES:.*]] = arith.maxsi
// CHECK:         %[[FIT:.*]] = arith.divui %{{.*}}, %[[BYTES]]
// CHECK:         %[[FEW:.*]] = arith.minsi %[[FIT]], %[[ROWS:.*]] :
// CHECK:         %[[BLOCK:.*]] = arith.maxsi %[[FEW]]
// CHECK:         scf.for %[[R:.*]] = %{{.*}} to %[[ROWS]] step %[[BLOCK]]
// CHECK:           %[[LEFT:.*]] = arith.subi %[[ROWS]], %[[R]]
// CHECK:           %[[HERE:.*]] = arith.minsi %[[BLOCK]], %[[LEFT]]
// CHECK:           memref.subview %arg0[%[[R]], 0] [%[[HERE]], %{{.*}}] [1, 1]
// CHECK:           linalg.generic
// CHECK:             %[[I:.*]] = linalg.index 0
// CHECK:             arith.addi %[[I]], %[[R]]
func.func @dynamic(%x: memref<?x?xf32> {llvm.noalias}, %s: memref<?xf32> {llvm.noalias},
                   %y: memref<?x?xf32> {llvm.noalias}) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#rc, #r],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sle, %j, %i : index
    %n = arith.addf %o, %a : f32
    %v = arith.select %c, %n, %o : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %n = arith.divf %a, %b : f32
    linalg.yield %n : f32
  }
  return
}

// -----

#rc = affine_map<(r, c) -> (r, c)>
#rk = affine_map<(r, c, k) -> (r, k)>
#kc = affine_map<(r, c, k) -> (k, c)>
#out = affine_map<(r, c, k) -> (r, c)>

// Rows of a product would read all of %w again for each row; its tiles do not.
// CHECK-LABEL: func @product
// CHECK-NOT:     scf.for
// CHECK:         linalg.generic
// CHECK:         linalg.generic
func.func @product(%x: memref<128x512xf32> {llvm.noalias}, %w: memref<512x256xf32> {llvm.noalias},
                   %y: memref<128x256xf32> {llvm.noalias}) attributes {tapestry.device} {
  %h = memref.alloc() : memref<128x256xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%h : memref<128x256xf32>)
  linalg.generic {indexing_maps = [#rk, #kc, #out],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<128x512xf32>, memref<512x256xf32>)
      outs(%h : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %o, %p : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#rc, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%h : memref<128x256xf32>) outs(%y : memref<128x256xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.maximumf %a, %zero : f32
    linalg.yield %n : f32
  }
  memref.dealloc %h : memref<128x256xf32>
  return
}

// -----

#rc = affine_map<(r, c) -> (r, c)>
#c = affine_map<(r, c) -> (c)>
#r = affine_map<(r, c) -> (r)>

// A matrix times a vector reads its matrix once in any order.
// CHECK-LABEL: func @matvec
// CHECK:         scf.for
// CHECK:           linalg.generic
// CHECK:           linalg.generic
// CHECK:         } {tapestry.kernel
func.func @matvec(%x: memref<128x512xf32> {llvm.noalias}, %w: memref<512xf32> {llvm.noalias},
                  %y: memref<128x512xf32> {llvm.noalias}) attributes {tapestry.device} {
  %s = memref.alloc() : memref<128xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%s : memref<128xf32>)
  linalg.generic {indexing_maps = [#rc, #c, #r],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : memref<128x512xf32>, memref<512xf32>)
      outs(%s : memref<128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %o, %p : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #rc],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<128x512xf32>, memref<128xf32>)
      outs(%y : memref<128x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %n = arith.mulf %a, %b : f32
    linalg.yield %n : f32
  }
  memref.dealloc %s : memref<128xf32>
  return
}

// -----

#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

// A fill stays before what reads its buffer.
// CHECK-LABEL: func @filled_and_read
// CHECK:         linalg.generic {{.*}} outs(%[[C:.*]] : memref<8xf32>)
// CHECK:         memref.load %[[C]]
// CHECK:         scf.for
func.func @filled_and_read(%x: memref<8x64xf32> {llvm.noalias}, %g: memref<8xf32> {llvm.noalias},
                           %m: memref<8xf32> {llvm.noalias}, %c: memref<8xf32> {llvm.noalias}) attributes {tapestry.device} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x64xf32>) outs(%m : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.maximumf %o, %a : f32
    linalg.yield %n : f32
  }
  linalg.fill ins(%zero : f32) outs(%c : memref<8xf32>)
  %v = memref.load %c[%c0] : memref<8xf32>
  memref.store %v, %g[%c0] : memref<8xf32>
  linalg.generic {indexing_maps = [#rc, #r, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : memref<8x64xf32>, memref<8xf32>) outs(%c : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %n = arith.addf %o, %d : f32
    linalg.yield %n : f32
  }
  return
}
