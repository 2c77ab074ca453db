// What other compilers hand over: lowered, left alone or refused with a message.
// RUN: tapestry-opt %s -split-input-file -tapestry-fuse-elementwise -tapestry-form-row-kernels -tapestry-compute-in-place -tapestry-outline-kernels \
// RUN:   -tapestry-vectorize-kernels=cpu=x86-64-v3 -tapestry-expand-math -tapestry-free-buffers | FileCheck %s
// RUN: tapestry-opt %s -split-input-file -tapestry-vectorize-kernels=cpu=x86-64-v4 | FileCheck %s --check-prefix=ALONE

#id = affine_map<(i) -> (i)>

// Tensors are none of these passes' business.
// CHECK-LABEL: func.func @tensors
// CHECK:         linalg.generic
// CHECK:         linalg.fill
// ALONE-LABEL: func.func @tensors
// ALONE:         linalg.generic
func.func @tensors(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %r, %f : tensor<8xf32>, tensor<8xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// Elements that vectors do not hold, or hold packed where memory does not, take
// scalar loops.
// CHECK-LABEL: func.func @complex
// CHECK:       func.func private @tapestry_kernel
// CHECK:         scf.for
// CHECK:           complex.add
// ALONE-LABEL: func.func @complex
// ALONE:         scf.for
// ALONE-NOT:     vector
// ALONE:           complex.add
func.func @complex(%x: memref<8x9xcomplex<f32>>, %y: memref<8xcomplex<f32>>)
    attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x9xcomplex<f32>>) outs(%y : memref<8xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %o: complex<f32>):
    %s = complex.add %a, %o : complex<f32>
    linalg.yield %s : complex<f32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @odd_elements
// ALONE-LABEL: func.func @odd_elements
// ALONE-NOT:     vector.
// ALONE:         memref.load %{{.*}} : memref<?xi4>
// ALONE-NOT:     vector.
// ALONE:         memref.load %{{.*}} : memref<?xf80>
// ALONE-NOT:     vector.
// ALONE:         memref.load %{{.*}} : memref<?xvector<4xf32>>
func.func @odd_elements(%a: memref<?xi4>, %b: memref<?xf80>, %c: memref<?xvector<4xf32>>,
                        %d: memref<?xi4>, %e: memref<?xf80>, %f: memref<?xvector<4xf32>>)
    attributes {tapestry.device} {
  memref.copy %a, %d : memref<?xi4> to memref<?xi4>
  memref.copy %b, %e : memref<?xf80> to memref<?xf80>
  memref.copy %c, %f : memref<?xvector<4xf32>> to memref<?xvector<4xf32>>
  return
}

// -----

// A buffer without a rank keeps its copy.
// CHECK-LABEL: func.func @unranked
// CHECK:         memref.copy
func.func @unranked(%x: memref<*xf32>, %y: memref<*xf32>) attributes {tapestry.device} {
  memref.copy %x, %y : memref<*xf32> to memref<*xf32>
  return
}

// -----

// Extents near the end of 64 bits.
// CHECK-LABEL: func.func @huge
// ALONE-LABEL: func.func @huge
// ALONE:         arith.constant 9223372036854775807
func.func @huge(%x: memref<9223372036854775807xi8>, %y: memref<9223372036854775807xi8>,
                %z: memref<1152921504606846976x64xf32>) attributes {tapestry.device} {
  memref.copy %x, %y : memref<9223372036854775807xi8> to memref<9223372036854775807xi8>
  linalg.exp ins(%z : memref<1152921504606846976x64xf32>)
             outs(%z : memref<1152921504606846976x64xf32>)
  return
}

// -----

// The attribute does not make kernels of operations that are none.
// CHECK-LABEL: func.func @marked
// CHECK-NOT:     call
// CHECK:         memref.dealloc
// CHECK-NEXT:    return
func.func @marked(%x: memref<4xf32>, %c: i1) -> f32 attributes {tapestry.device} {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() {tapestry.kernel} : memref<4xf32>
  %v = memref.load %x[%c0] {tapestry.kernel} : memref<4xf32>
  memref.store %v, %m[%c0] {tapestry.kernel} : memref<4xf32>
  %r = scf.if %c -> f32 {
    scf.yield %v : f32
  } else {
    scf.yield %v : f32
  } {tapestry.kernel}
  memref.dealloc %m {tapestry.kernel} : memref<4xf32>
  return {tapestry.kernel} %r : f32
}

// -----

// A free elsewhere is not taken along.
// CHECK-LABEL: func.func @freed_in_branch
// CHECK:         scf.if
// CHECK-NEXT:      memref.dealloc
func.func @freed_in_branch(%x: memref<4xf32>, %c: i1) attributes {tapestry.device} {
  %m = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%m : memref<4xf32>)
  scf.if %c {
    memref.dealloc %m : memref<4xf32>
  }
  return
}
