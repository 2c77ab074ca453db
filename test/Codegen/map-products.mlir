// Which sums of products the library computes, and what it is told.
// RUN: tapestry-opt --tapestry-map-products --split-input-file %s | FileCheck %s
// RUN: tapestry-opt --tapestry-map-products=tf32 --split-input-file %s | FileCheck %s --check-prefix=TF32

// Rows, columns and terms; of each matrix its type, whether it is transposed, its
// pitch and its batch; alpha, beta, epilogue and TF32. It does not read the result.
#ij = affine_map<(i, k, j) -> (i, j)>
#jk = affine_map<(i, k, j) -> (j, k)>
#ik = affine_map<(i, k, j) -> (i, k)>
#all = affine_map<(i, k) -> (i, k)>
// CHECK-LABEL: func @plain
// CHECK-NOT: linalg.generic
// CHECK: %[[PRODUCT:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, f64, f64, i64, i64)>
// CHECK: %[[BATCHES:.*]] = llvm.mlir.constant(1 : i64)
// CHECK: %[[ROWS:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: %[[COLUMNS:.*]] = llvm.mlir.constant(48 : i64)
// CHECK: %[[TERMS:.*]] = llvm.mlir.constant(32 : i64)
// CHECK: llvm.mlir.constant(1 : i64)
// CHECK: llvm.mlir.constant(0 : i64)
// CHECK: llvm.mlir.constant(32 : i64)
// CHECK: llvm.mlir.constant(0 : i64)
// CHECK: llvm.mlir.constant(1 : i64)
// CHECK: llvm.mlir.constant(0 : i64)
// CHECK: llvm.mlir.constant(48 : i64)
// CHECK: llvm.mlir.constant(0 : i64)
// CHECK: llvm.mlir.constant(1 : i64)
// CHECK: llvm.mlir.constant(0 : i64)
// CHECK: llvm.mlir.constant(48 : i64)
// CHECK: llvm.mlir.constant(0 : i64)
// CHECK: llvm.mlir.constant(5.000000e-01 : f64)
// CHECK: llvm.mlir.constant(0.000000e+00 : f64)
// CHECK: llvm.mlir.constant(0 : i64)
// CHECK: %[[EXACT:.*]] = llvm.mlir.constant(0 : i64)
// TF32: llvm.mlir.constant(0.000000e+00 : f64)
// TF32: llvm.mlir.constant(0 : i64)
// TF32: llvm.mlir.constant(1 : i64)
// TF32: llvm.getelementptr
// CHECK: %[[TO:.*]] = llvm.getelementptr %[[PRODUCT]][0, 0]
// CHECK: llvm.store %[[BATCHES]], %[[TO]]
// CHECK: llvm.store %[[EXACT]]
// CHECK: %[[ROOM:.*]] = memref.alloc() : memref<12288xi8>
// CHECK: %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.call @tapestry_rt_product(%[[NONE]], %[[PRODUCT]], %{{.*}}, %{{.*}}, %[[NONE]], %{{.*}}, %[[NONE]], %{{.*}}, %{{.*}})
// CHECK: memref.dealloc %[[ROOM]]
func.func @plain(%a: memref<64x32xf32> {llvm.noalias}, %b: memref<32x48xf32> {llvm.noalias},
                 %c: memref<64x48xf32> {llvm.noalias}) attributes {tapestry.kernel} {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  linalg.generic {indexing_maps = [affine_map<(i, k) -> ()>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%c : memref<64x48xf32>) {
  ^bb0(%z: f32, %o: f32):
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [#ij, #jk, #ik], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>) outs(%c : memref<64x48xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %p, %half : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Terms whose number is known at run time may be none: the result is filled then.
// Both factors are transposed.
#ji = affine_map<(i, k, j) -> (j, i)>
#kj = affine_map<(i, k, j) -> (k, j)>
#ik = affine_map<(i, k, j) -> (i, k)>
#all = affine_map<(i, k) -> (i, k)>
// CHECK-LABEL: func @transposed
// CHECK: llvm.mlir.constant(0.000000e+00 : f64)
// CHECK: llvm.call @tapestry_rt_product
// CHECK: %[[EMPTY:.*]] = arith.cmpi eq
// CHECK: scf.if %[[EMPTY]] {
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
func.func @transposed(%a: memref<?x64xbf16> {llvm.noalias}, %b: memref<48x?xbf16> {llvm.noalias},
                      %c: memref<64x48xf32> {llvm.noalias}) attributes {tapestry.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i, k) -> ()>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%c : memref<64x48xf32>) {
  ^bb0(%z: f32, %o: f32):
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [#ji, #kj, #ik], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x64xbf16>, memref<48x?xbf16>) outs(%c : memref<64x48xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Without a fill it adds to the result. Of the other loops the longest is that over
// matrices, the rest are over calls.
#left = affine_map<(b, h, s, t, d) -> (b, s, h, d)>
#right = affine_map<(b, h, s, t, d) -> (b, t, h, d)>
#scores = affine_map<(b, h, s, t, d) -> (b, h, s, t)>
// CHECK-LABEL: func @attention
// CHECK: llvm.mlir.constant(4 : i64)
// CHECK: llvm.mlir.constant(64 : i64)
// CHECK: llvm.mlir.constant(16 : i64)
// CHECK: llvm.mlir.constant(1 : i64)
// CHECK: llvm.mlir.constant(64 : i64)
// CHECK: llvm.mlir.constant(16 : i64)
// CHECK: llvm.mlir.constant(1.000000e+00 : f64)
// CHECK: llvm.mlir.constant(1.000000e+00 : f64)
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: llvm.call @tapestry_rt_product(%[[NONE:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %[[TO:.*]], %[[TO]], %[[NONE]],
func.func @attention(%q: memref<2x32x4x16xf32> {llvm.noalias}, %k: memref<2x32x4x16xf32> {llvm.noalias},
                     %s: memref<2x4x32x32xf32> {llvm.noalias}) attributes {tapestry.kernel} {
  linalg.generic {indexing_maps = [#left, #right, #scores],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<2x32x4x16xf32>, memref<2x32x4x16xf32>) outs(%s : memref<2x4x32x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %n = arith.addf %o, %p : f32
    linalg.yield %n : f32
  }
  return
}

// -----

// Bytes: all multiples of four, terms side by side; others are left.
#ij = affine_map<(i, k, j) -> (i, j)>
#kj = affine_map<(i, k, j) -> (k, j)>
#ik = affine_map<(i, k, j) -> (i, k)>
// CHECK-LABEL: func @bytes
// CHECK: llvm.call @tapestry_rt_product
// CHECK-NOT: llvm.call
// CHECK: linalg.generic
func.func @bytes(%a: memref<64x32xi8> {llvm.noalias}, %b: memref<48x32xi8> {llvm.noalias},
                 %c: memref<64x48xi32> {llvm.noalias}, %d: memref<64x30xi8> {llvm.noalias},
                 %e: memref<48x30xi8> {llvm.noalias}) attributes {tapestry.kernel} {
  linalg.generic {indexing_maps = [#ij, #kj, #ik], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x32xi8>, memref<48x32xi8>) outs(%c : memref<64x48xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [#ij, #kj, #ik], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %e : memref<64x30xi8>, memref<48x30xi8>) outs(%c : memref<64x48xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// Other sums, bytes without a sign, windows, and sums in f16 are no products of the
// library.
#ij = affine_map<(i, k, j) -> (i, j)>
#kj = affine_map<(i, k, j) -> (k, j)>
#ik = affine_map<(i, k, j) -> (i, k)>
#window = affine_map<(i, k, j) -> (i + j)>
// CHECK-LABEL: func @others
// CHECK-NOT: llvm.call
// CHECK-COUNT-4: linalg.generic
func.func @others(%a: memref<64x32xf32> {llvm.noalias}, %b: memref<48x32xf32> {llvm.noalias},
                  %c: memref<64x48xf32> {llvm.noalias}, %d: memref<64x32xi8> {llvm.noalias},
                  %e: memref<48x32xi8> {llvm.noalias}, %f: memref<64x48xi32> {llvm.noalias},
                  %w: memref<95xf32> {llvm.noalias}, %g: memref<64x32xf16> {llvm.noalias},
                  %h: memref<48x32xf16> {llvm.noalias}, %o16: memref<64x48xf16> {llvm.noalias})
    attributes {tapestry.kernel} {
  linalg.generic {indexing_maps = [#ij, #kj, #ik], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x32xf32>, memref<48x32xf32>) outs(%c : memref<64x48xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.addf %x, %y : f32
    %s = arith.maximumf %o, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#ij, #kj, #ik], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %e : memref<64x32xi8>, memref<48x32xi8>) outs(%f : memref<64x48xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [#window, #kj, #ik], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %b : memref<95xf32>, memref<48x32xf32>) outs(%c : memref<64x48xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#ij, #kj, #ik], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%g, %h : memref<64x32xf16>, memref<48x32xf16>) outs(%o16 : memref<64x48xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %p = arith.mulf %x, %y : f16
    %s = arith.addf %o, %p : f16
    linalg.yield %s : f16
  }
  return
}
