// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of tapestry.scatter, named after it.

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c1(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{label 'd' occurs twice}}
  %s = tapestry.scatter "S" ["d", "d", "n"] = [8, 5, 100] add %x by %i into [0] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c2(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{has 3 labels but 2 extents}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5] add %x by %i into [0] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d) -> (d)>
#i = affine_map<(a, d) -> (d)>
func.func @scatter_c3_points(%x: tensor<5xf32>, %i: tensor<5xi32>) {
  // expected-error @below {{has 2 labels for a result of rank 2 and its points}}
  %s = tapestry.scatter "S" ["a", "d"] = [8, 5] add %x by %i into [0] at [#v, #i] : (tensor<5xf32>, tensor<5xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c3_shape(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{makes 'tensor<5x8xf32>', but its labels are those of 'tensor<8x5xf32>'}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] add %x by %i into [0] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<5x8xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c4_none(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{has no index tensor, expected at least 1}}
  %s = "tapestry.scatter"(%x) <{name = "S", labels = ["a", "d", "n"], extents = array<i64: 8, 5, 100>, monoid = #tapestry_index.monoid<add>, into = array<i64>, indexing_maps = [#v], operandSegmentSizes = array<i32: 1, 0, 0>}> ({}) : (tensor<100x5xf32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c4_count(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{has 1 index tensors into 2 dimensions}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] add %x by %i into [0, 1] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c4_rank(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{index tensors name places along dimension 2 of a result of rank 2, expected distinct dimensions of it}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] add %x by %i into [2] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c5_count(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{has 1 indexing maps, expected 2: the values' and one per index tensor}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] add %x by %i into [0] at [#v] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, n) -> (n)>
func.func @scatter_c5_labels(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{indexing map 1 has 2 dimensions and 0 symbols, expected 3 dimensions and 0 symbols}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] add %x by %i into [0] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c6_rank(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{operand 0 has 1 subscripts but rank 2}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] add %x by %i into [0] at [#i, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (a)>
func.func @scatter_c6_label(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{subscript 0 of operand 1 of type 'tensor<100xi32>' is not a label of its extent, once, that no data index}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] add %x by %i into [0] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d + 1)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c6_linear(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{subscript 1 of operand 0 of type 'tensor<100x5xf32>' is not a label of its extent, once, that no data index}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] add %x by %i into [0] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c7(%x: tensor<100x5xf32>, %i: tensor<100xf32>) {
  // expected-error @below {{index tensor 0 is 'tensor<100xf32>', expected integers}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] add %x by %i into [0] at [#v, #i] : (tensor<100x5xf32>, tensor<100xf32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c8_none(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{monoid none does not combine values of type 'f32'}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] none %x by %i into [0] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c8_order(%x: tensor<100x5xcomplex<f64>>, %i: tensor<100xi32>) {
  // expected-error @below {{monoid min does not combine values of type 'complex<f64>'}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] min %x by %i into [0] at [#v, #i] : (tensor<100x5xcomplex<f64>>, tensor<100xi32>) -> tensor<8x5xcomplex<f64>>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>

func.func @scatter_c8_type(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{monoid xor does not combine values of type 'f32'}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] xor %x by %i into [0] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c9(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{combines values of type 'f32', but makes 'tensor<8x5xf64>'}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] add %x by %i into [0] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf64>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c10(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{has a partition of rank 1 for 3 labels}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] add %x by %i into [0] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32> partition #tapestry_index.partition<[["d.0"]]>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c11(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{has a home of rank 1 for a tensor of rank 2}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] add %x by %i into [0] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32> home #tapestry_index.layout<[8] on #grid>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c12(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{has routes for 1 of 2 operands}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] add %x by %i into [0] at [#v, #i] {operand_routes = [[]]} : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c13(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{with monoid custom has 0 combine regions and 0 identities, expected 1 of each}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] custom %x by %i into [0] at [#v, #i] : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c13_unused(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{with monoid max has 1 combine regions and 1 identities, expected none}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] max %x by %i into [0] at [#v, #i] combine {
  ^bb0(%y: f32, %z: f32):
    tapestry.yield %y : f32
  } identity 0.0 : f32 : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}

// -----

// Narrow floats are combined in f32.
#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c13_identity(%x: tensor<100x5xbf16>, %i: tensor<100xi32>) {
  // expected-error @below {{has the identity 0.000000e+00 : bf16, but combines values of type 'f32'}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] custom %x by %i into [0] at [#v, #i] combine {
  ^bb0(%y: bf16, %z: bf16):
    tapestry.yield %y : bf16
  } identity 0.0 : bf16 : (tensor<100x5xbf16>, tensor<100xi32>) -> tensor<8x5xbf16>
  return
}

// -----

#v = affine_map<(a, d, n) -> (n, d)>
#i = affine_map<(a, d, n) -> (n)>
func.func @scatter_c13_operations(%x: tensor<100x5xf32>, %i: tensor<100xi32>) {
  // expected-error @below {{the combine region holds 'tensor.empty', expected arith and math operations without side effects, or sums, products and parts of complex numbers}}
  %s = tapestry.scatter "S" ["a", "d", "n"] = [8, 5, 100] custom %x by %i into [0] at [#v, #i] combine {
  ^bb0(%y: f32, %z: f32):
    // expected-note @below {{the operation is here}}
    %e = tensor.empty() : tensor<4xf32>
    tapestry.yield %y : f32
  } identity 0.0 : f32 : (tensor<100x5xf32>, tensor<100xi32>) -> tensor<8x5xf32>
  return
}
