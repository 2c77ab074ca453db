// RUN: tapestry-opt %s --split-input-file --tapestry-split-complex | FileCheck %s
// RUN: tapestry-opt %s --split-input-file --tapestry-codegen-pipeline=cpu=x86-64-v3 | FileCheck %s --check-prefix=ALL

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// Parts lie two elements apart.
// CHECK-LABEL: func.func @elementwise
// CHECK-DAG:     memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [8], strides: [2] : memref<f32> to memref<8xf32, strided<[2]>>
// CHECK-DAG:     memref.reinterpret_cast %{{.*}} to offset: [1], sizes: [8], strides: [2] : memref<f32> to memref<8xf32, strided<[2], offset: 1>>
// CHECK:         linalg.generic
// CHECK-NOT:     complex
// CHECK:           arith.subf
// CHECK:           linalg.yield %{{.*}}, %{{.*}} : f32, f32
// ALL-LABEL: llvm.func @elementwise
// ALL-NOT: unrealized
// ALL-NOT: complex
func.func @elementwise(%x: memref<8xcomplex<f32>>, %y: memref<8xcomplex<f32>>) attributes {tapestry.device} {
  %c = complex.constant [1.0 : f32, -2.0 : f32] : complex<f32>
  linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      ins(%x, %c : memref<8xcomplex<f32>>, complex<f32>) outs(%y : memref<8xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %d: complex<f32>, %o: complex<f32>):
    %m = complex.mul %a, %d : complex<f32>
    %i = complex.im %m : complex<f32>
    %e = complex.create %i, %i : complex<f32>
    linalg.yield %e : complex<f32>
  }
  return
}

// -----

#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>

// Four products of real matrices, whatever the strides.
// CHECK-LABEL: func.func @product
// CHECK:         memref.reinterpret_cast %{{.*}} sizes: [%{{.*}}, 5], strides: [%{{.*}}, 2] : memref<f64> to memref<?x5xf64, strided<[?, 2], offset: ?>>
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:     complex
// CHECK:         return
// ALL-LABEL: llvm.func @product
func.func @product(%a: memref<?x5xcomplex<f64>, strided<[?, 1], offset: ?>>, %b: memref<5x7xcomplex<f64>>,
                   %c: memref<?x7xcomplex<f64>>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x5xcomplex<f64>, strided<[?, 1], offset: ?>>, memref<5x7xcomplex<f64>>)
      outs(%c : memref<?x7xcomplex<f64>>) {
  ^bb0(%x: complex<f64>, %y: complex<f64>, %o: complex<f64>):
    %m = complex.mul %x, %y : complex<f64>
    %s = complex.add %o, %m : complex<f64>
    linalg.yield %s : complex<f64>
  }
  return
}

// -----

// Products of a matrix and a vector are read once, part by part.
#ik = affine_map<(i, k) -> (i, k)>
#k = affine_map<(i, k) -> (k)>
#i = affine_map<(i, k) -> (i)>

// CHECK-LABEL: func.func @vector
// CHECK:         linalg.generic
// CHECK-SAME:    ins(%[[M:.*]], %{{.*}}, %{{.*}}, %{{.*}} : memref<9x5xf32, strided<[10, 2]>>, memref<9x5xf32, strided<[10, 2], offset: 1>>
// CHECK-COUNT-4:   arith.mulf
// CHECK-NOT:     linalg.generic
// ALL-LABEL: llvm.func @vector
func.func @vector(%a: memref<9x5xcomplex<f32>>, %b: memref<5xcomplex<f32>>, %c: memref<9xcomplex<f32>>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#ik, #k, #i], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : memref<9x5xcomplex<f32>>, memref<5xcomplex<f32>>) outs(%c : memref<9xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %o: complex<f32>):
    %m = complex.mul %x, %y : complex<f32>
    %s = complex.add %o, %m : complex<f32>
    linalg.yield %s : complex<f32>
  }
  return
}

// -----

// What only moves elements moves words of 64 bits, or pairs of them.
// CHECK-LABEL: func.func @copy
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK-SAME:    memref<8x9xi64, strided<[9, 1]>>
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
// CHECK-SAME:    memref<8x9x2xf64, strided<[18, 2, 1]>>
// ALL-LABEL: llvm.func @copy
func.func @copy(%x: memref<8x9xcomplex<f32>>, %y: memref<8x9xcomplex<f32>>,
                %u: memref<8x9xcomplex<f64>>, %v: memref<8x9xcomplex<f64>>) attributes {tapestry.device} {
  memref.copy %x, %y : memref<8x9xcomplex<f32>> to memref<8x9xcomplex<f32>>
  memref.copy %u, %v : memref<8x9xcomplex<f64>> to memref<8x9xcomplex<f64>>
  return
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
#i = affine_map<(i, j) -> (i)>

// Running sums treat parts alike: one loop more or, along pairs, one part after the other.
// CHECK-LABEL: func.func @running
// CHECK:         linalg.generic
// CHECK-SAME:    iterator_types = ["reduction", "parallel", "parallel"]
// CHECK:           arith.addf
// CHECK-COUNT-2: iterator_types = ["parallel", "reduction"]
// CHECK-NOT:     linalg.generic
// ALL-LABEL: llvm.func @running
func.func @running(%x: memref<8x9xcomplex<f32>>, %y: memref<8x9xcomplex<f32>>, %c: memref<9xcomplex<f32>>,
                   %d: memref<8xcomplex<f32>>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#ij, #ij, #j], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<8x9xcomplex<f32>>) outs(%y, %c : memref<8x9xcomplex<f32>>, memref<9xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %o: complex<f32>, %s: complex<f32>):
    %m = complex.add %s, %a : complex<f32>
    linalg.yield %m, %m : complex<f32>, complex<f32>
  }
  linalg.generic {indexing_maps = [#ij, #ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x9xcomplex<f32>>) outs(%y, %d : memref<8x9xcomplex<f32>>, memref<8xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %o: complex<f32>, %s: complex<f32>):
    %m = complex.add %s, %a : complex<f32>
    linalg.yield %m, %m : complex<f32>, complex<f32>
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// Words are also what is read at places of its own; a number from outside is none.
// CHECK-LABEL: func.func @words
// CHECK:         linalg.generic
// CHECK:           memref.load %{{.*}} : memref<?xi64
// CHECK:         linalg.generic
// CHECK-SAME:    strided<[2]>
// ALL-LABEL: llvm.func @words
// ALL-NOT:   vector<{{.*}}struct
func.func @words(%x: memref<?xcomplex<f32>>, %at: memref<?xindex>, %y: memref<?xcomplex<f32>>,
                 %z: memref<?xcomplex<f32>>) attributes {tapestry.device} {
  %c = complex.constant [1.0 : f32, -2.0 : f32] : complex<f32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%at : memref<?xindex>) outs(%y : memref<?xcomplex<f32>>) {
  ^bb0(%i: index, %o: complex<f32>):
    %e = memref.load %x[%i] : memref<?xcomplex<f32>>
    linalg.yield %e : complex<f32>
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%z : memref<?xcomplex<f32>>) {
  ^bb0(%o: complex<f32>):
    linalg.yield %c : complex<f32>
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// What has no form on parts is left as it is.
// CHECK-LABEL: func.func @other
// CHECK:         linalg.generic
// CHECK:           complex.sub
// ALL-LABEL: llvm.func @other
func.func @other(%x: memref<8xcomplex<f32>>, %y: memref<8xcomplex<f32>>) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<8xcomplex<f32>>) outs(%y : memref<8xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %o: complex<f32>):
    %m = complex.sub %a, %a : complex<f32>
    linalg.yield %m : complex<f32>
  }
  return
}

// -----

// Functions of others are left alone.
// CHECK-LABEL: func.func @foreign
// CHECK:         memref.copy
func.func @foreign(%x: memref<8xcomplex<f32>>, %y: memref<8xcomplex<f32>>) {
  memref.copy %x, %y : memref<8xcomplex<f32>> to memref<8xcomplex<f32>>
  return
}
