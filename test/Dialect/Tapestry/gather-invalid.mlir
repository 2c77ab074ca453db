// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of tapestry.gather and tapestry.require, named after it.

#t = affine_map<(n, c, r) -> (r, c)>
#i = affine_map<(n, c, r) -> (n)>
func.func @gather_c1(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{label 'n' occurs twice}}
  %y = tapestry.gather "Y" ["n", "n", "r"] = [7, 5, 9] %t by %i at [#t, #i] : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<7x5xf32>
  return
}

// -----

#t = affine_map<(n, c, r) -> (r, c)>
#i = affine_map<(n, c, r) -> (n)>
func.func @gather_c2(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{has 3 labels but 2 extents}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5] %t by %i at [#t, #i] : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<7x5xf32>
  return
}

// -----

#t = affine_map<(n, c) -> (n, c)>
func.func @gather_c3_none(%t: tensor<9x5xf32>) {
  // expected-error @below {{has no index tensor, expected at least 1}}
  %y = "tapestry.gather"(%t) <{name = "Y", labels = ["n", "c"], extents = array<i64: 9, 5>, indexing_maps = [#t], operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<9x5xf32>) -> tensor<9x5xf32>
  return
}

// -----

#t = affine_map<(n, c, r) -> (r, c)>
#i = affine_map<(n, c, r) -> (n)>
func.func @gather_c3_result(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{makes 'tensor<5x7xf32>', but its labels are those of 'tensor<7x5xf32>'}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 9] %t by %i at [#t, #i] : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<5x7xf32>
  return
}

// -----

#t = affine_map<(n, r) -> (r)>
#i = affine_map<(n, r) -> (n)>
func.func @gather_c3_empty(%t: tensor<0xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{an index tensor names points of a label of extent 0, expected at least 1}}
  %y = tapestry.gather "Y" ["n", "r"] = [7, 0] %t by %i at [#t, #i] : (tensor<0xf32>, tensor<7xi32>) -> tensor<7xf32>
  return
}

// -----

#t = affine_map<(n, c, r) -> (r, c)>
func.func @gather_c4_count(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{has 1 indexing maps, expected 2: the table's and one per index tensor}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 9] %t by %i at [#t] : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<7x5xf32>
  return
}

// -----

#t = affine_map<(n, c, r) -> (r, c)>
#i = affine_map<(n, c) -> (n)>
func.func @gather_c4_labels(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{indexing map 1 has 2 dimensions and 0 symbols, expected 3 dimensions and 0 symbols}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 9] %t by %i at [#t, #i] : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<7x5xf32>
  return
}

// -----

#t = affine_map<(n, c, r) -> (r + 1, c)>
#i = affine_map<(n, c, r) -> (n)>
func.func @gather_c5_alone(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{subscript 'r + 1' of dimension 0 of extent 9 of the table names label "r" of extent 8, of which an index tensor names points}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 8] %t by %i at [#t, #i] : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<7x5xf32>
  return
}

// -----

#t = affine_map<(n, c, r) -> (n, c)>
#i = affine_map<(n, c, r) -> (n)>
func.func @gather_c5_missing(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{label "r", of which an index tensor names points, is no subscript of the table}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 9] %t by %i at [#t, #i] : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<7x5xf32>
  return
}

// -----

#t = affine_map<(n, c, r) -> (r, c + 1)>
#i = affine_map<(n, c, r) -> (n)>
func.func @gather_c6_inside(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{subscript 'c + 1' of the table takes values in [1, 6), outside dimension 1 of extent 5, and there is no pad}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 9] %t by %i at [#t, #i] : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<7x5xf32>
  return
}

// -----

#t = affine_map<(n, c, r) -> (r, c mod 2)>
#i = affine_map<(n, c, r) -> (n)>
func.func @gather_c6_linear(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{subscript 1 of the table is not linear in the labels with integer coefficients}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 9] %t by %i at [#t, #i] : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<7x5xf32>
  return
}

// -----

#t = affine_map<(n, c, r) -> (r, c)>
#i = affine_map<(n, c, r) -> (n)>
func.func @gather_c7_type(%t: tensor<9x5xf32>, %i: tensor<7xf32>) {
  // expected-error @below {{index tensor 0 is 'tensor<7xf32>', expected integers}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 9] %t by %i at [#t, #i] : (tensor<9x5xf32>, tensor<7xf32>) -> tensor<7x5xf32>
  return
}

// -----

#t = affine_map<(n, c, r) -> (r, c)>
#i = affine_map<(n, c, r) -> (r)>
func.func @gather_c7_label(%t: tensor<9x5xf32>, %i: tensor<9xi32>) {
  // expected-error @below {{subscript 0 of index tensor 0 of type 'tensor<9xi32>' is not a label of the result of its extent, once}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 9] %t by %i at [#t, #i] : (tensor<9x5xf32>, tensor<9xi32>) -> tensor<7x5xf32>
  return
}

// -----

#t = affine_map<(n, c, r) -> (r, c)>
#i = affine_map<(n, c, r) -> (n)>
func.func @gather_c8_type(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{reads elements of type 'f32', but makes 'tensor<7x5xf64>'}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 9] %t by %i at [#t, #i] : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<7x5xf64>
  return
}

// -----

#t = affine_map<(n, c, r) -> (r, c)>
#i = affine_map<(n, c, r) -> (n)>
func.func @gather_c8_pad(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{pad is 1.000000e+00 : f64, expected a constant of type 'f32'}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 9] %t by %i at [#t, #i] pad 1.0 : f64 : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<7x5xf32>
  return
}

// -----

#t = affine_map<(n, c, r) -> (r, c)>
#i = affine_map<(n, c, r) -> (n)>
func.func @gather_c9(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{has a partition of rank 1 for 3 labels}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 9] %t by %i at [#t, #i] : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<7x5xf32> partition #tapestry_index.partition<[["d.0"]]>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#t = affine_map<(n, c, r) -> (r, c)>
#i = affine_map<(n, c, r) -> (n)>
func.func @gather_c10(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{has a home of rank 1 for a tensor of rank 2}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 9] %t by %i at [#t, #i] : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<7x5xf32> home #tapestry_index.layout<[7] on #grid>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#t = affine_map<(n, c, r) -> (r, c)>
#i = affine_map<(n, c, r) -> (n)>
func.func @gather_c11(%t: tensor<9x5xf32>, %i: tensor<7xi32>) {
  // expected-error @below {{has routes for 1 of 2 operands}}
  %y = tapestry.gather "Y" ["n", "c", "r"] = [7, 5, 9] %t by %i at [#t, #i] {operand_routes = [[]]} : (tensor<9x5xf32>, tensor<7xi32>) -> tensor<7x5xf32>
  return
}

// -----

func.func @require_c1_extent(%s: tensor<i64>) {
  // expected-error @below {{is about an index of shape [5, -1], expected extents of at least 0}}
  %r = tapestry.require "R" %s, %s {index = "I", shape = array<i64: 5, -1>, bound = "few"} : tensor<i64>
  return
}

// -----

func.func @require_c1_count(%s: tensor<i64>) {
  // expected-error @below {{is about an index of shape [2147483648, 2147483648], whose number of elements leaves 62 bits}}
  %r = tapestry.require "R" %s, %s {index = "I", shape = array<i64: 2147483648, 2147483648>, bound = "few"} : tensor<i64>
  return
}

// -----

func.func @require_c2_home(%s: tensor<i64>) {
  // expected-error @below {{has a home of rank 1 for a tensor of rank 0}}
  %r = tapestry.require "R" %s, %s {index = "I", shape = array<i64: 5>, bound = "few"} : tensor<i64> home #tapestry_index.layout<[5] on #tapestry_index.grid<>>
  return
}

// -----

func.func @require_c2(%s: tensor<i64>) {
  // expected-error @below {{has a partition of rank 1 for 0 labels}}
  %r = tapestry.require "R" %s, %s {index = "I", shape = array<i64: 5>, bound = "few"} : tensor<i64> partition #tapestry_index.partition<[["d.0"]]>
  return
}
