// RUN: tapestry-opt %s --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tapestry-opt %s --split-input-file --verify-diagnostics --emit-bytecode -o /dev/null

// CHECK-LABEL: @call
func.func @call(%x: tensor<64xf32>, %i: index) -> tensor<62xf32> {
  // CHECK: tapestry_index.call_block "smooth"(%{{.*}}) box[%{{.*}}] to[%{{.*}}] at[%{{.*}}, %{{.*}}] sizes[]
  %y = tapestry_index.call_block "smooth" (%x) box [%i] to [%i] at [%i, %i]
      sizes [] {extents = array<i64: 62>, shapes = array<i64: 64, 62>,
                types = array<i64: 1, 1>, fills = array<i64: 0, 0, 0>,
                params = array<i64>, param_types = array<i64>}
      : (tensor<64xf32>) -> tensor<62xf32>
  return %y : tensor<62xf32>
}

// -----

func.func @call_block_c1(%x: tensor<64xf32>, %i: index) {
  // expected-error @below {{has 0 starts and 1 end for 1 extents}}
  %y = tapestry_index.call_block "smooth" (%x) box [] to [%i] at [%i, %i]
      sizes [] {extents = array<i64: 62>, shapes = array<i64: 64, 62>,
                types = array<i64: 1, 1>, fills = array<i64: 0, 0, 0>,
                params = array<i64>, param_types = array<i64>}
      : (tensor<64xf32>) -> tensor<62xf32>
  return
}

// -----

func.func @call_block_c2(%x: tensor<64xf32>, %i: index) {
  // expected-error @below {{has 2 types, 1 offsets and 2 extents of shapes for 2 tensors of 2 dimensions together}}
  %y = tapestry_index.call_block "smooth" (%x) box [%i] to [%i] at [%i]
      sizes [] {extents = array<i64: 62>, shapes = array<i64: 64, 62>,
                types = array<i64: 1, 1>, fills = array<i64: 0, 0, 0>,
                params = array<i64>, param_types = array<i64>}
      : (tensor<64xf32>) -> tensor<62xf32>
  return
}

// -----

func.func @call_block_c2_elements(%x: tensor<64xindex>, %i: index) {
  // expected-error @below {{reads 'tensor<64xindex>', expected numbers}}
  %y = tapestry_index.call_block "smooth" (%x) box [%i] to [%i] at [%i, %i]
      sizes [] {extents = array<i64: 62>, shapes = array<i64: 64, 62>,
                types = array<i64: 1, 1>, fills = array<i64: 0, 0, 0>,
                params = array<i64>, param_types = array<i64>}
      : (tensor<64xindex>) -> tensor<62xf32>
  return
}

// -----

func.func @call_block_c3(%x: tensor<64xf32>, %i: index) {
  // expected-error @below {{has 0 sizes for 1 dimension, 0 fills for 1 result, and 0 types for 1 parameters}}
  %y = tapestry_index.call_block "smooth" (%x) box [%i] to [%i] at [%i, %i]
      sizes [] {extents = array<i64: 62>, shapes = array<i64: 64, 62>,
                types = array<i64: 1, 1>, fills = array<i64>,
                params = array<i64: 1>, param_types = array<i64>}
      : (tensor<64xf32>) -> tensor<?xf32>
  return
}
