// RUN: tapestry-opt %s -split-input-file \
// RUN:   -tapestry-vectorize-kernels="cpu=x86-64-v4" | FileCheck %s
// RUN: tapestry-opt %s -split-input-file \
// RUN:   -tapestry-vectorize-kernels="cpu=x86-64-v3" \
// RUN:   | FileCheck %s --check-prefix=AVX2

#id = affine_map<(i) -> (i)>

// Elementwise: four vectors at a time, then one under a mask.
// CHECK-LABEL: func @map
// CHECK:         scf.for %[[I:.*]] = %c0 to %[[MAIN:.*]] step %c64
// CHECK:           %[[X:.*]] = vector.load %{{.*}}[%[[I]]] : memref<?xf32>, vector<64xf32>
// CHECK:           %[[Y:.*]] = math.exp %[[X]] : vector<64xf32>
// CHECK:           vector.store %[[Y]], %{{.*}}[%[[I]]]
// CHECK:         scf.for %[[J:.*]] = %[[MAIN]] to %[[N:.*]] step %c16
// CHECK:           %[[LEFT:.*]] = arith.subi %[[N]], %[[J]]
// CHECK:           %[[MASK:.*]] = vector.create_mask %[[LEFT]] {tapestry.tail_mask} : vector<16xi1>
// CHECK:           vector.maskedload %{{.*}}[%[[J]]], %[[MASK]]
// CHECK:           vector.maskedstore %{{.*}}[%[[J]]], %[[MASK]]
// AVX2-LABEL: func @map
// AVX2:         math.exp %{{.*}} : vector<32xf32>
// AVX2:         math.exp %{{.*}} : vector<8xf32>
func.func @map(%x: memref<?xf32>, %y: memref<?xf32>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  return
}

// -----

#id = affine_map<(i, j, k) -> (i, j, k)>
#row = affine_map<(i, j, k) -> (k)>

// Loops that are contiguous in all operands merge: j and k would, but for the
// row that depends on k alone; i and j do.
// CHECK-LABEL: func @merged
// CHECK:         scf.for %{{.*}} = %c0 to %c15 step %c1
// CHECK-NOT:     scf.for
// CHECK:           arith.addf %{{.*}} : vector<64xf32>
func.func @merged(%x: memref<3x5x64xf32>, %r: memref<64xf32>,
                  %y: memref<3x5x64xf32>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#id, #row, #id],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %r : memref<3x5x64xf32>, memref<64xf32>)
      outs(%y : memref<3x5x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %e = arith.addf %a, %b : f32
    linalg.yield %e : f32
  }
  return
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#res = affine_map<(i, j, k) -> (i, j)>

// A contraction: the right operand in panels of two vectors, tiles of 8 x 2
// accumulators that start from the fill's value, whatever the element
// operation is.
// CHECK-LABEL: func @contraction
// CHECK-NOT:     linalg.fill
// CHECK:         %[[PANELS:.*]] = memref.alloc
// CHECK:         scf.for %{{.*}} = %c0 to %c1024 step %c512
// CHECK:           vector.store %{{.*}}, %[[PANELS]]
// CHECK:           %[[T:.*]]:20 = scf.for
// CHECK:             %[[A:.*]] = memref.load
// CHECK:             %[[B:.*]] = vector.load %[[PANELS]]
// CHECK:             %[[AV:.*]] = vector.broadcast %[[A]] : f32 to vector<16xf32>
// CHECK:             arith.subf %[[AV]], %[[B]] : vector<16xf32>
// CHECK-COUNT-16:    arith.select %{{.*}} : vector<16xi1>, vector<16xf32>
// CHECK-COUNT-8:     arith.cmpf ord, %{{.*}} : vector<16xf32>
// CHECK:             scf.yield
// A tile that has seen NaN or may end in the wrong zero is computed again with
// the maximum that knows them.
// CHECK:           %[[ORDERED:.*]] = vector.reduction <and>, %{{.*}} : vector<16xi1> into i1
// CHECK:           scf.if %[[ORDERED]]
// CHECK-NEXT:        scf.yield %[[T]]#0
// CHECK:           else
// CHECK:             %{{.*}}:16 = scf.for
// CHECK-COUNT-16:      arith.maximumf %{{.*}} : vector<16xf32>
// CHECK:         memref.dealloc %[[PANELS]]
// AVX2-LABEL: func @contraction
// AVX2:         %{{.*}}:16 = scf.for
func.func @contraction(%x: memref<256x1024xf32> {llvm.noalias}, %y: memref<1024x1024xf32> {llvm.noalias},
                       %z: memref<256x1024xf32> {llvm.noalias}) attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%z : memref<256x1024xf32>)
  linalg.generic {indexing_maps = [#lhs, #rhs, #res],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<256x1024xf32>, memref<1024x1024xf32>)
      outs(%z : memref<256x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %v = math.absf %d : f32
    %m = arith.maximumf %o, %v : f32
    linalg.yield %m : f32
  }
  return
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#res = affine_map<(i, j, k) -> (i, j)>

// Panels hold operands as the body uses them: converted once, not by each tile,
// vectors at a time, of rows after their squares were transposed.
// CHECK-LABEL: func @converted
// CHECK:         %[[ROWS:.*]] = memref.alloc{{.*}} : memref<{{.*}}xf32>
// CHECK:         %[[COLUMNS:.*]] = memref.alloc{{.*}} : memref<{{.*}}xf32>
// CHECK:           arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
// CHECK:           vector.store %{{.*}}, %[[COLUMNS]]
// CHECK-COUNT-8:   vector.load %{{.*}} : memref<?xf16>, vector<8xf16>
// CHECK-COUNT-24:  vector.shuffle %{{.*}} : vector<8xf16>, vector<8xf16>
// CHECK:           arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK:           vector.store %{{.*}}, %[[ROWS]]{{.*}}, vector<8xf32>
// CHECK:           %{{.*}}:16 = scf.for
// CHECK-NOT:         arith.extf
// CHECK:             memref.load %[[ROWS]]
// CHECK-NOT:         arith.extf
// CHECK:             scf.yield
func.func @converted(%x: memref<256x512xf16> {llvm.noalias}, %y: memref<512x1024xf16> {llvm.noalias},
                     %z: memref<256x1024xf32> {llvm.noalias}) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#lhs, #rhs, #res],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<256x512xf16>, memref<512x1024xf16>)
      outs(%z : memref<256x1024xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %u = arith.extf %a : f16 to f32
    %v = arith.extf %b : f16 to f32
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#x = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>

// A reduction of contiguous data: lanes hold partial results, from the neutral
// element on, and are combined at the end.
// CHECK-LABEL: func @lanes
// CHECK:         scf.for
// CHECK:           %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<128xf32>
// CHECK:           %[[P:.*]] = scf.for {{.*}} iter_args({{.*}} = %[[ONE]])
// CHECK:             arith.mulf {{.*}} : vector<128xf32>
// CHECK:           vector.shuffle {{.*}} : vector<128xf32>, vector<128xf32>
// CHECK:           vector.shuffle {{.*}} : vector<2xf32>, vector<2xf32>
// CHECK:           vector.extract
// CHECK:           memref.store
func.func @lanes(%x: memref<?x1024xf32>, %z: memref<?xf32>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#x, #r],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x1024xf32>) outs(%z : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %o, %a : f32
    linalg.yield %m : f32
  }
  return
}

// -----

#win = affine_map<(n, f, y, x, c, r, s) -> (n, c, y + r, x + s)>
#flt = affine_map<(n, f, y, x, c, r, s) -> (f, c, r, s)>
#out = affine_map<(n, f, y, x, c, r, s) -> (n, f, y, x)>

// A convolution is a contraction whose operand has windows: lanes along x, rows
// along the filters. The three points of the innermost reduction are unrolled.
// CHECK-LABEL: func @window
// CHECK:         %{{.*}}:16 = scf.for
// CHECK:           %{{.*}}:16 = scf.for
// CHECK:             vector.load {{.*}} vector<16xf32>
// CHECK-COUNT-48:    arith.addf {{.*}} : vector<16xf32>
// CHECK-NOT:         arith.addf {{.*}} : vector<16xf32>
// CHECK:             scf.yield
func.func @window(%x: memref<1x8x34x34xf32>, %w: memref<16x8x3x3xf32>,
                  %z: memref<1x16x32x32xf32>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#win, #flt, #out],
                  iterator_types = ["parallel", "parallel", "parallel",
                                    "parallel", "reduction", "reduction",
                                    "reduction"]}
      ins(%x, %w : memref<1x8x34x34xf32>, memref<16x8x3x3xf32>)
      outs(%z : memref<1x16x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#x = affine_map<(i) -> (i floordiv 2)>
#y = affine_map<(i) -> (i)>

// An indexing map that is not linear: scalar loops.
// CHECK-LABEL: func @not_linear
// CHECK-NOT:     vector
// CHECK:         scf.for
// CHECK:           memref.load
// CHECK:           memref.store
func.func @not_linear(%x: memref<8xf32>, %y: memref<16xf32>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#x, #y], iterator_types = ["parallel"]}
      ins(%x : memref<8xf32>) outs(%y : memref<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#point = affine_map<(n, c) -> (n, c)>
#row = affine_map<(n, c) -> (n)>

// Rows that data name: one number per row, then vectors of its elements.
// CHECK-LABEL: func @rows
// CHECK:         scf.for
// CHECK:           memref.load %{{.*}} : memref<?xi32>
// CHECK:           arith.minsi
// CHECK:           vector.load %{{.*}} : memref<?xf32>, vector<64xf32>
// CHECK:           vector.store
// CHECK:         vector.maskedload
// AVX2-LABEL: func @rows
// AVX2:           vector.load %{{.*}} : memref<?xf32>, vector<32xf32>
func.func @rows(%table: memref<50x?xf32>, %at: memref<?xi32>, %y: memref<?x?xf32>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#row, #point], iterator_types = ["parallel", "parallel"]}
      ins(%at : memref<?xi32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%i: i32, %o: f32):
    %last = arith.constant 49 : index
    %named = arith.index_cast %i : i32 to index
    %nearest = arith.minsi %named, %last : index
    %c = linalg.index 1 : index
    %e = memref.load %table[%nearest, %c] : memref<50x?xf32>
    linalg.yield %e : f32
  }
  return
}

// -----

#point = affine_map<(n, c) -> (n, c)>
#row = affine_map<(n, c) -> (n)>

// Of a large table, the row 14 points on is fetched, unless the one before is
// the same: a line each, and the row's last element, which may lie in one more.
// For the last points it is the last row.
// CHECK-LABEL: func @rows_fetched
// CHECK-DAG:     %[[AHEAD:.*]] = arith.constant 14 : index
// CHECK-DAG:     %[[LAST:.*]] = arith.constant 999 : index
// CHECK:         scf.for %[[N:[^ ]*]] =
// CHECK:           %[[TO:.*]] = arith.addi %[[N]], %[[AHEAD]]
// CHECK:           arith.minsi %[[TO]], %[[LAST]]
// CHECK:           memref.load %{{.*}} : memref<?xi32>
// CHECK:           memref.load %{{.*}} : memref<?xi32>
// CHECK:           %[[OTHER:.*]] = arith.cmpi ne
// CHECK-NEXT:      scf.if %[[OTHER]] {
// CHECK-COUNT-11:    memref.prefetch %{{.*}}, read, locality<3>, data : memref<?xf32>
// CHECK-NEXT:      }
// CHECK:           vector.load %{{.*}} : memref<?xf32>
// CHECK-LABEL: func @rows_in_cache
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func @rows_fetched(%table: memref<50000x150xf32>, %at: memref<1000xi32>, %y: memref<1000x150xf32>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#row, #point], iterator_types = ["parallel", "parallel"]}
      ins(%at : memref<1000xi32>) outs(%y : memref<1000x150xf32>) {
  ^bb0(%i: i32, %o: f32):
    %named = arith.index_cast %i : i32 to index
    %c = linalg.index 1 : index
    %e = memref.load %table[%named, %c] : memref<50000x150xf32>
    %negated = arith.negf %e : f32
    linalg.yield %negated : f32
  }
  return
}
func.func @rows_in_cache(%table: memref<5000x150xf32>, %at: memref<1000xi32>, %y: memref<1000x150xf32>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#row, #point], iterator_types = ["parallel", "parallel"]}
      ins(%at : memref<1000xi32>) outs(%y : memref<1000x150xf32>) {
  ^bb0(%i: i32, %o: f32):
    %named = arith.index_cast %i : i32 to index
    %c = linalg.index 1 : index
    %e = memref.load %table[%named, %c] : memref<5000x150xf32>
    %negated = arith.negf %e : f32
    linalg.yield %negated : f32
  }
  return
}

// -----

#id = affine_map<(n) -> (n)>

// An element of each row: lanes from places apart, where there is an
// instruction for them.
// CHECK-LABEL: func @elements
// CHECK:         vector.gather %{{.*}} : memref<?xf32>, vector<32xindex>, vector<32xi1>, vector<32xf32> into vector<32xf32>
// AVX2-LABEL: func @elements
// AVX2-NOT:     vector.gather
// AVX2:         memref.load
func.func @elements(%table: memref<?x50xf32>, %at: memref<?xi64>, %y: memref<?xf32>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%at : memref<?xi64>) outs(%y : memref<?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %named = arith.index_cast %i : i64 to index
    %n = linalg.index 0 : index
    %e = memref.load %table[%n, %named] : memref<?x50xf32>
    linalg.yield %e : f32
  }
  return
}

// -----

// Running sums: the prefixes of a vector in four steps, one sum with its error
// carried from group to group.
// CHECK-LABEL: func @scan_along
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}) -> (f32, f32)
// CHECK-COUNT-4: vector.shuffle
// CHECK: vector.store
// AVX2-LABEL: func @scan_along
// AVX2-COUNT-3: vector.shuffle
#line = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
func.func @scan_along(%x: memref<1000xf32>, %c: memref<1000xf32>, %t: memref<f32>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#line, #line, #one], iterator_types = ["reduction"]}
      ins(%x : memref<1000xf32>) outs(%c, %t : memref<1000xf32>, memref<f32>) {
  ^bb0(%in: f32, %out: f32, %sum: f32):
    %s = arith.addf %sum, %in : f32
    linalg.yield %s, %s : f32, f32
  }
  return
}

// -----

// Across lines what they carry is read and written.
// CHECK-LABEL: func @scan_across
// CHECK-NOT: vector.shuffle
// CHECK: %[[OLD:.*]] = vector.load
// CHECK: %[[NEW:.*]] = arith.maxsi %[[OLD]]
// CHECK: vector.store %[[NEW]]
// CHECK: vector.store %[[NEW]]
#all = affine_map<(d0, d1) -> (d0, d1)>
#lines = affine_map<(d0, d1) -> (d1)>
func.func @scan_across(%x: memref<50x64xi32>, %c: memref<50x64xi32>, %t: memref<64xi32>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#all, #all, #lines], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<50x64xi32>) outs(%c, %t : memref<50x64xi32>, memref<64xi32>) {
  ^bb0(%in: i32, %out: i32, %most: i32):
    %s = arith.maxsi %most, %in : i32
    linalg.yield %s, %s : i32, i32
  }
  return
}

// -----

#x = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>

// Lanes do not start from what the operation promises never to see, and
// promises about sums in one order are none about those in another.
// CHECK-LABEL: func @promises
// CHECK-NOT:     0x7FC00000
// CHECK:         arith.constant dense<0xFF800000>
// CHECK:         arith.maxnumf {{.*}} fastmath<nnan>
// CHECK-NOT:     0x7F800000
// CHECK:         arith.constant dense<3.40282347E+38>
// CHECK:         arith.minimumf {{.*}} fastmath<{{.*}}ninf
// CHECK-NOT:     overflow
func.func @promises(%x: memref<5x640xf32> {llvm.noalias}, %k: memref<5x640xi32> {llvm.noalias},
                    %y: memref<5xf32> {llvm.noalias}, %z: memref<5xf32> {llvm.noalias},
                    %s: memref<5xi32> {llvm.noalias}) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#x, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<5x640xf32>) outs(%y : memref<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maxnumf %o, %a fastmath<nnan> : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [#x, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<5x640xf32>) outs(%z : memref<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.minimumf %o, %a fastmath<nnan, ninf> : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [#x, #r], iterator_types = ["parallel", "reduction"]}
      ins(%k : memref<5x640xi32>) outs(%s : memref<5xi32>) {
  ^bb0(%a: i32, %o: i32):
    %m = arith.addi %o, %a overflow<nsw> : i32
    linalg.yield %m : i32
  }
  return
}
