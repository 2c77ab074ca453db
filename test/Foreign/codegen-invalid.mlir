// What has no lowering is named where it stands.
// RUN: tapestry-opt %s -split-input-file -verify-diagnostics -tapestry-codegen-pipeline=cpu=x86-64-v3

// expected-error@+1 {{failed to legalize operation 'func.func'}}
func.func @tensors(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32>
    attributes {tapestry.device} {
  %r = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%y : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

func.func @complex(%x: complex<f32>, %y: memref<8xcomplex<f32>>) attributes {tapestry.device} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{failed to legalize operation 'complex.exp'}}
  %s = complex.exp %x : complex<f32>
  memref.store %s, %y[%c0] : memref<8xcomplex<f32>>
  return
}

// -----

func.func @f8(%x: vector<8xf8E4M3FN>, %p: memref<8xf8E4M3FN>) attributes {tapestry.device} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{failed to legalize operation 'arith.extf'}}
  %e = math.absf %x : vector<8xf8E4M3FN>
  vector.store %e, %p[%c0] : memref<8xf8E4M3FN>, vector<8xf8E4M3FN>
  return
}
