// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of the descriptions in TapestryOps.td, named after it,
// and the errors of the parser.

tapestry.graph @graph_c1 {
  // expected-note @below {{the first is here}}
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-error @below {{is a second source named "A"}}
  %B = tapestry.source "A" : tensor<7xf32>
}

// -----

tapestry.graph @graph_c2 {
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-note @below {{the first is here}}
  tapestry.sink "Z", %A : tensor<5xf32>
  // expected-error @below {{is a second sink named "Z"}}
  tapestry.sink "Z", %A : tensor<5xf32>
}

// -----

func.func @source_in_function() {
  // expected-error @below {{expects parent op to be one of 'tapestry.graph, tapestry.shard'}}
  %A = tapestry.source "A" : tensor<5xf32>
  return
}

// -----

tapestry.graph @dynamic_shape {
  // expected-error @below {{result #0 must be statically shaped tensor}}
  %A = tapestry.source "A" : tensor<5x?xf32>
}

// -----

tapestry.graph @element_type {
  // expected-error @below {{result #0 must be statically shaped tensor}}
  %A = tapestry.source "A" : tensor<5xcomplex<f16>>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @source_c1 on #grid {
  // expected-error @below {{has a partition of rank 1 for 2 dimensions}}
  %A = tapestry.source "A" : tensor<5x7xf32> partition #tapestry_index.partition<[["d.0"]]>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @source_c1_axis on #grid {
  // expected-error @below {{index dimension 1 is cut over axis "e", which the grid #tapestry_index.grid<"d.0" = 2> lacks}}
  %A = tapestry.source "A" : tensor<5x7xf32> partition #tapestry_index.partition<[["d.0"], ["e"]]>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @source_c2_rank on #grid {
  // expected-error @below {{has a home of rank 1 for a tensor of rank 2}}
  %A = tapestry.source "A" : tensor<5x7xf32> home #tapestry_index.layout<[5] on #grid>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @source_c2 on #grid {
  // expected-error @below {{has a home of extent 6 in dimension 1, but the tensor has extent 7}}
  %A = tapestry.source "A" : tensor<5x7xf32> home #tapestry_index.layout<[5, 6 by "d.0"] on #grid>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @source_c2_partial on #grid {
  // expected-error @below {{has a home that is partial over 1 axis, expected 0}}
  %A = tapestry.source "A" : tensor<5xf32> home #tapestry_index.layout<[5] partial ["d.0"] on #grid>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @source_c2_grid on #grid {
  // expected-error @below {{has a home on the grid #tapestry_index.grid<"d.0" = 3>, but the graph is on #tapestry_index.grid<"d.0" = 2>}}
  %A = tapestry.source "A" : tensor<5xf32> home #tapestry_index.layout<[5] on #tapestry_index.grid<"d.0" = 3>>
}

// -----

func.func @einsum_c1_syntax(%a: tensor<5xf32>) {
  // expected-error @below {{label 'i' occurs twice}}
  %0 = tapestry.einsum "E" [i = 5, i = 6] (%a[i]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c1(%a: tensor<5xf32>) {
  // expected-error @below {{label 'i' occurs twice}}
  %0 = "tapestry.einsum"(%a) <{name = "E", labels = ["i", "i"], extents = array<i64: 5, 5>, indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], pads = [unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tapestry.yield"(%x) : (f32) -> ()
  }, {}) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c1_identifier(%a: tensor<5xf32>) {
  // expected-error @below {{label '2i' is not an identifier}}
  %0 = "tapestry.einsum"(%a) <{name = "E", labels = ["2i"], extents = array<i64: 5>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], pads = [unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tapestry.yield"(%x) : (f32) -> ()
  }, {}) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c1_reserved(%a: tensor<5xf32>) {
  // expected-error @below {{label 'mod' is not an identifier}}
  %0 = "tapestry.einsum"(%a) <{name = "E", labels = ["mod"], extents = array<i64: 5>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], pads = [unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tapestry.yield"(%x) : (f32) -> ()
  }, {}) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c2_count(%a: tensor<5xf32>) {
  // expected-error @below {{has 1 label but 2 extents}}
  %0 = "tapestry.einsum"(%a) <{name = "E", labels = ["i"], extents = array<i64: 5, 6>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], pads = [unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tapestry.yield"(%x) : (f32) -> ()
  }, {}) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c2(%a: tensor<5xf32>) {
  // expected-error @below {{label 'j' has extent -6, expected at least 0}}
  %0 = tapestry.einsum "E" [i = 5, j = -6] (%a[i]) -> [i] reduce add {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c2_points(%a: tensor<5xf32>) {
  // expected-error @below {{the number of index points leaves 62 bits at label 'k' of extent 4294967296}}
  %0 = tapestry.einsum "E" [i = 5, j = 4294967296, k = 4294967296] (%a[i]) -> [i] reduce add {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c3(%a: tensor<5xf32>) {
  // expected-error @below {{has 1 indexing maps, expected 2: one per operand and one for the result}}
  %0 = "tapestry.einsum"(%a) <{name = "E", labels = ["i"], extents = array<i64: 5>, indexing_maps = [affine_map<(d0) -> (d0)>], pads = [unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tapestry.yield"(%x) : (f32) -> ()
  }, {}) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c3_dims(%a: tensor<5xf32>) {
  // expected-error @below {{indexing map 1 has 2 dimensions and 0 symbols, expected 1 dimension and 0 symbols}}
  %0 = "tapestry.einsum"(%a) <{name = "E", labels = ["i"], extents = array<i64: 5>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0, d1) -> (d0)>], pads = [unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tapestry.yield"(%x) : (f32) -> ()
  }, {}) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c3_symbols(%a: tensor<5xf32>) {
  // expected-error @below {{indexing map 0 has 1 dimension and 1 symbol, expected 1 dimension and 0 symbols}}
  %0 = "tapestry.einsum"(%a) <{name = "E", labels = ["i"], extents = array<i64: 5>, indexing_maps = [affine_map<(d0)[s0] -> (d0 + s0)>, affine_map<(d0) -> (d0)>], pads = [unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tapestry.yield"(%x) : (f32) -> ()
  }, {}) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c4(%a: tensor<5x5xf32>) {
  // expected-error @below {{subscript 1 of operand 0 is not linear in the labels with integer coefficients, nor such a form divided and wrapped around once}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i, 2 * (i floordiv 2)]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c4_mod(%a: tensor<5x5xf32>) {
  // expected-error @below {{subscript 1 of operand 0 is not linear in the labels with integer coefficients, nor such a form divided and wrapped around once}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i, (i mod 3) floordiv 2]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x5xf32>) -> tensor<5xf32>
  return
}

// -----

// expected-note @below {{operand 0 is defined here}}
func.func @einsum_c10_mod(%a: tensor<5xf32>) {
  // expected-error @below {{subscript '(2 * i + 1) mod 8' of operand 0 takes values in [1, 8), outside dimension 0 of extent 5, and there is no pad}}
  %0 = tapestry.einsum "E" [i = 5] (%a[(2 * i + 1) mod 8]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

// expected-note @below {{operand 0 is defined here}}
func.func @einsum_c10_floordiv(%a: tensor<5xf32>) {
  // expected-error @below {{subscript '(i - 1) floordiv 2' of operand 0 takes values in [-1, 2), outside dimension 0 of extent 5, and there is no pad}}
  %0 = tapestry.einsum "E" [i = 5] (%a[(i - 1) floordiv 2]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c4_result(%a: tensor<5xf32>) {
  // expected-error @below {{subscript 0 of the result is not linear in the labels with integer coefficients}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i mod 2] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @einsum_c4_undeclared(%a: tensor<5xf32>) {
  // expected-error @below {{use of undeclared identifier}}
  %0 = tapestry.einsum "E" [i = 5] (%a[q]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

// expected-note @below {{operand 0 is defined here, of type 'tensor<5x7xf32>'}}
func.func @einsum_c5(%a: tensor<5x7xf32>) {
  // expected-error @below {{operand 0 has 1 subscripts but rank 2}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x7xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c6(%a: tensor<5xf32>) {
  // expected-error @below {{result subscript 'i + 1' is not a label}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i + 1] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @einsum_c6_twice(%a: tensor<5xf32>) {
  // expected-error @below {{label 'i' occurs twice in the result}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i, i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5x5xf32>
  return
}

// -----

func.func @einsum_c7_rank(%a: tensor<5xf32>) {
  // expected-error @below {{result has 1 subscripts but rank 2}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5x1xf32>
  return
}

// -----

func.func @einsum_c7(%a: tensor<5x7xf32>) {
  // expected-error @below {{label 'j' has extent 7, but dimension 1 of the result has extent 8}}
  %0 = tapestry.einsum "E" [i = 5, j = 7] (%a[i, j]) -> [i, j] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x7xf32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @einsum_c8(%a: tensor<5xf32>) {
  // expected-error @below {{label 'j' occurs in no subscript, nor in the body}}
  %0 = tapestry.einsum "E" [i = 5, j = 7] (%a[i]) -> [i] reduce add {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c9(%a: tensor<5x7xf32>) {
  // expected-error @below {{label 'j' is not in the result, but there is no monoid to reduce it}}
  %0 = tapestry.einsum "E" [i = 5, j = 7] (%a[i, j]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x7xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c9_nothing(%a: tensor<5x7xf32>) {
  // expected-error @below {{reduces by max, but its result lacks none of 2 labels}}
  %0 = tapestry.einsum "E" [i = 5, j = 7] (%a[i, j]) -> [j, i] reduce max {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x7xf32>) -> tensor<7x5xf32>
  return
}

// -----

// expected-note @below {{operand 0 is defined here, of type 'tensor<5x9xf32>'}}
func.func @einsum_c10(%a: tensor<5x9xf32>) {
  // expected-error @below {{subscript '2 * i + r - 1' of operand 0 takes values in [-1, 10), outside dimension 1 of extent 9, and there is no pad}}
  %0 = tapestry.einsum "E" [i = 5, r = 3] (%a[i, 2 * i + r - 1]) -> [i] reduce add {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x9xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c10_overflow(%a: tensor<5xf32>) {
  // expected-error @below {{subscript '9223372036854775807 * i' of operand 0 reaches 2^62 or more}}
  %0 = tapestry.einsum "E" [i = 5] (%a[9223372036854775807 * i] pad 1.0 : f32) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c11_count(%a: tensor<5xf32>) {
  // expected-error @below {{has 2 pad entries for 1 operand}}
  %0 = "tapestry.einsum"(%a) <{name = "E", labels = ["i"], extents = array<i64: 5>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], pads = [unit, unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tapestry.yield"(%x) : (f32) -> ()
  }, {}) : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

// expected-note @below {{operand 0 is defined here, of type 'tensor<5xf32>'}}
func.func @einsum_c11(%a: tensor<5xf32>) {
  // expected-error @below {{pad of operand 0 has type 'f64', but its elements have type 'f32'}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i + 1] pad 0.0 : f64) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c11_kind(%a: tensor<5xf32>) {
  // expected-error @below {{pad of operand 0 is "zero", expected a constant of type 'f32'}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i + 1] pad "zero") -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c12(%a: tensor<5xf32>) {
  // expected-error @below {{the body has 2 arguments, expected 1}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f32, %y: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c12_type(%a: tensor<5xf32>) {
  // expected-error @below {{argument 0 of the body has type 'f64', expected 'f32'}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f64):
    tapestry.yield %x : f64
  } : (tensor<5xf32>) -> tensor<5xf64>
  return
}

// -----

func.func @einsum_c13(%a: tensor<5xf32>) {
  // expected-error @below {{the body yields 'f32', but the result's elements have type 'f64'}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf64>
  return
}

// -----

func.func @einsum_c13_narrow(%a: tensor<5xf16>) {
  // expected-error @below {{the body yields 'f16', but the result's elements have type 'bf16'}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f16):
    tapestry.yield %x : f16
  } : (tensor<5xf16>) -> tensor<5xbf16>
  return
}

// -----

func.func @einsum_c13_terminator(%a: tensor<5xf32>) {
  // expected-error @below {{the body ends in 'llvm.unreachable', expected 'tapestry.yield'}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f32):
    llvm.unreachable
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c14(%a: tensor<5xf32>) {
  // expected-error @below {{the body holds 'vector.print', expected arith and math operations without side effects}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f32):
    // expected-note @below {{the operation is here}}
    vector.print %x : f32
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c14_isolated(%a: tensor<5xf32>, %b: f32) {
  // expected-note @below {{required by region isolation constraints}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f32):
    // expected-error @below {{using value defined outside the region}}
    %y = arith.addf %x, %b : f32
    tapestry.yield %y : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @einsum_c15(%a: tensor<5xf32>) {
  // expected-error @below {{monoid xor does not combine values of type 'f32'}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [] reduce xor {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<f32>
  return
}

// -----

func.func @einsum_c15_bool(%a: tensor<5xi1>) {
  // expected-error @below {{monoid add does not combine values of type 'i1'}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [] reduce add {
  ^bb0(%x: i1):
    tapestry.yield %x : i1
  } : (tensor<5xi1>) -> tensor<i1>
  return
}

// -----

func.func @einsum_c16(%a: tensor<5xf32>) {
  // expected-error @below {{with monoid custom has 0 combine regions and 0 identities, expected 1 of each}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [] reduce custom {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<f32>
  return
}

// -----

func.func @einsum_c16_unused(%a: tensor<5xf32>) {
  // expected-error @below {{with monoid add has 1 combine regions and 1 identities, expected none}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [] reduce add {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } combine {
  ^bb0(%y0: f32, %y1: f32):
    tapestry.yield %y0 : f32
  } identity 0.0 : f32 : (tensor<5xf32>) -> tensor<f32>
  return
}

// -----

func.func @einsum_c16_identity(%a: tensor<5xf32>) {
  // expected-error @below {{has the identity 0 : i32, but combines values of type 'f32'}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [] reduce custom {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } combine {
  ^bb0(%y0: f32, %y1: f32):
    tapestry.yield %y0 : f32
  } identity 0 : i32 : (tensor<5xf32>) -> tensor<f32>
  return
}

// -----

func.func @einsum_c16_arguments(%a: tensor<5xf32>) {
  // expected-error @below {{the combine region has 1 arguments, expected 2}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [] reduce custom {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } combine {
  ^bb0(%y0: f32):
    tapestry.yield %y0 : f32
  } identity 0.0 : f32 : (tensor<5xf32>) -> tensor<f32>
  return
}

// -----

func.func @einsum_c16_type(%a: tensor<5xf32>) {
  // expected-error @below {{argument 0 of the combine region has type 'f64', expected 'f32'}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [] reduce custom {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } combine {
  ^bb0(%y0: f64, %y1: f64):
    tapestry.yield %y0 : f64
  } identity 0.0 : f32 : (tensor<5xf32>) -> tensor<f32>
  return
}

// -----

func.func @einsum_c16_yield(%a: tensor<5xf32>) {
  // expected-error @below {{the combine region yields 'i1', expected 'f32'}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [] reduce custom {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } combine {
  ^bb0(%y0: f32, %y1: f32):
    %z = arith.cmpf olt, %y0, %y1 : f32
    tapestry.yield %z : i1
  } identity 0.0 : f32 : (tensor<5xf32>) -> tensor<f32>
  return
}

// -----

func.func @einsum_c17(%a: tensor<5x7xf32>) {
  // expected-error @below {{has a partition of rank 1 for 2 labels}}
  %0 = tapestry.einsum "E" [i = 5, j = 7] (%a[i, j]) -> [i, j]
      partition #tapestry_index.partition<[["d.0"]]> {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x7xf32>) -> tensor<5x7xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @einsum_c17_axis on #grid {
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-error @below {{index dimension 0 is cut over axis "d.1", which the grid #tapestry_index.grid<"d.0" = 2> lacks}}
  %0 = tapestry.einsum "E" [i = 5] (%A[i]) -> [i] partition #tapestry_index.partition<[["d.1"]]> {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
}

// -----

func.func @einsum_c18(%a: tensor<5xf32>) {
  // expected-error @below {{has a home of extent 7 in dimension 0, but the tensor has extent 5}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i]
      home #tapestry_index.layout<[7] on #tapestry_index.grid<>> {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
func.func @einsum_c19_no_home(%a: tensor<5xf32>) {
  // expected-error @below {{has the home route, but no home}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i]
      home_route [#tapestry_index.layout<[5] on #grid>] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
func.func @einsum_c19_shape(%a: tensor<5xf32>) {
  // expected-error @below {{step 1 of the home route has the shape [7], but the tensor has the shape [5]}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i]
      home #tapestry_index.layout<[5] on #grid>
      home_route [#tapestry_index.layout<[5] on #grid>, #tapestry_index.layout<[7] on #grid>] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
func.func @einsum_c19_partial(%a: tensor<5xf32>) {
  // expected-error @below {{step 0 of the home route is #tapestry_index.layout<[5] partial ["d.0"] on #tapestry_index.grid<"d.0" = 2>>, expected a plain layout}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i]
      home #tapestry_index.layout<[5] on #grid>
      home_route [#tapestry_index.layout<[5] partial ["d.0"] on #grid>] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
func.func @einsum_c19_grid(%a: tensor<5xf32>) {
  // expected-error @below {{step 0 of the home route is on the grid #tapestry_index.grid<"d.0" = 3>, but the home is on #tapestry_index.grid<"d.0" = 2>}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i]
      home #tapestry_index.layout<[5] on #grid>
      home_route [#tapestry_index.layout<[5] on #tapestry_index.grid<"d.0" = 3>>] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
func.func @einsum_c20_count(%a: tensor<5xf32>) {
  // expected-error @below {{has routes for 2 of 1 operand}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i]
      home #tapestry_index.layout<[5] on #grid>
      operand_routes [[], []] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
func.func @einsum_c20_plain(%a: tensor<5xf32>) {
  // expected-error @below {{step 0 of the route of operand 0 is #tapestry_index.layout<[5 = [3 by "d.0"] + [3]] on #tapestry_index.grid<"d.0" = 2>>, expected a plain layout}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i]
      home #tapestry_index.layout<[5] on #grid>
      operand_routes [[#tapestry_index.layout<[5 = [3 by "d.0"] + [3]] on #grid>]] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @monoid_keyword(%a: tensor<5xf32>) {
  // expected-error @below {{expected add, mul, max, min, and, or, xor or custom, got 'none'}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] reduce none {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @inherent_attribute(%a: tensor<5xf32>) {
  // expected-error @below {{'monoid' is written in the einsum's own syntax}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] attributes {monoid = 3} {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @result_count(%a: tensor<5xf32>) {
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  // expected-error @below {{expected 1 result type, got 2}}
  } : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return
}

// -----

func.func @operand_count(%a: tensor<5xf32>) {
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  // expected-error @below {{number of operands and types do not match: got 1 operands and 2 types}}
  } : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @label_c1(%a: tensor<5xf32>) {
  // expected-note @below {{its labels are ["i"]}}
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f32):
    // expected-error @below {{names label 'j', which the einsum "E" lacks}}
    %j = tapestry.label "j"
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @label_c2(%a: tensor<5xf32>) {
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [] reduce custom {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } combine {
  ^bb0(%x: f32, %y: f32):
    // expected-error @below {{lies in the combine region, which has no index point}}
    %i = tapestry.label "i"
    tapestry.yield %x : f32
  } identity 0.0 : f32 : (tensor<5xf32>) -> tensor<f32>
  return
}

// -----

func.func @yield_c1(%a: tensor<5xf32>) {
  %0 = tapestry.einsum "E" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f32):
    %i = tapestry.label "i"
    // expected-error @below {{operand #0 must be f64, f32, f16, bf16, i8, i16, i32, i64, i1, complex<f32> or complex<f64>, but got 'index'}}
    tapestry.yield %i : index
  } : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

tapestry.graph @tapestry_c1_list {
  // expected-error @below {{has the attribute 'tapestry.constraints', which lists constraints on an operator or a sink}}
  %A = tapestry.source "A" {tapestry.constraints = 3} : tensor<5xf32>
}

// -----

tapestry.graph @tapestry_c1_place {
  // expected-error @below {{has the attribute 'tapestry.constraints', which lists constraints on an operator or a sink}}
  %p = tapestry.sequence_point none {tapestry.constraints = []}
}

// -----

tapestry.graph @tapestry_c1_sink {
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-error @below {{has a constraint on a cut, a sink's are on the home}}
  tapestry.sink "A", %A {tapestry.constraints = [#tapestry.constraint<pin cut {"0" = 2}>]} : tensor<5xf32>
}

// -----

tapestry.graph @tapestry_c2_source {
  // expected-error @below {{has a constraint on dimension '1', the tensor has rank 1}}
  %A = tapestry.source "A" {tapestry.constraints = [#tapestry.constraint<pin cut {"1" = 2}>]} : tensor<5xf32>
}

// -----

tapestry.graph @tapestry_c2_einsum {
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-error @below {{has a constraint on label 'k', its labels are ["i"]}}
  %B = tapestry.einsum "B" [i = 5] (%A[i]) -> [i] attributes {tapestry.constraints = [#tapestry.constraint<pin cut {k = 2}>]} {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
}

// -----

tapestry.graph @tapestry_c2_home {
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-error @below {{has a constraint on dimension 'i', the tensor has rank 1}}
  tapestry.sink "A", %A {tapestry.constraints = [#tapestry.constraint<pin home {i = 2}>]} : tensor<5xf32>
}

// -----

tapestry.graph @tapestry_c3 {
  // expected-error @below {{has the attribute 'tapestry.layout_group', which names the layout group of an operator}}
  %A = tapestry.source "A" {tapestry.layout_group = ""} : tensor<5xf32>
}

// -----

// expected-error @below {{has the attribute 'tapestry.unread_inputs', which lists names of inputs on a graph}}
tapestry.graph @tapestry_c4_list attributes {tapestry.unread_inputs = [1]} {
}

// -----

tapestry.graph @tapestry_c4_place {
  // expected-error @below {{has the attribute 'tapestry.unread_inputs', which lists names of inputs on a graph}}
  %A = tapestry.source "A" {tapestry.unread_inputs = ["B"]} : tensor<5xf32>
}

// -----

// expected-error @below {{has the attribute 'tapestry.rewrites', which lists rewrites, each a list of words, on a graph}}
tapestry.graph @tapestry_c5_rewrites attributes {tapestry.rewrites = ["fuse"]} {
}

// -----

// expected-error @below {{has the attribute 'tapestry.rewrites', which lists}}
func.func private @tapestry_c5_place() attributes {tapestry.rewrites = []}

// -----

func.func @tapestry_c5_vertex(%x: f32) -> f32 {
  // expected-error @below {{has the attribute 'tapestry.vertex', which is a string, the name of the vertex that an op is of}}
  %y = arith.negf %x {tapestry.vertex = 3} : f32
  return %y : f32
}

// -----

func.func @tapestry_c5_device(%x: f32) -> f32 {
  // expected-error @below {{has the attribute 'tapestry.device', which is a unit attribute of functions and calls}}
  %y = arith.negf %x {tapestry.device} : f32
  return %y : f32
}

// -----

// expected-error @below {{has the attribute 'tapestry.kernel', which is a unit attribute}}
func.func private @tapestry_c5_kernel() attributes {tapestry.kernel = 3}

// -----

func.func @tapestry_c5_rim(%x: f32) -> f32 {
  // expected-error @below {{has the attribute 'tapestry.rim', which is a unit attribute}}
  %y = arith.negf %x {tapestry.rim = "S"} : f32
  return %y : f32
}

// -----

func.func @tapestry_c5_parallel(%x: f32) -> f32 {
  // expected-error @below {{has the attribute 'tapestry.parallel', which is a unit attribute}}
  %y = arith.negf %x {tapestry.parallel = true} : f32
  return %y : f32
}

// -----

// expected-error @below {{has the attribute 'tapestry.extents', which is an array of 64-bit integers}}
func.func private @tapestry_c5_extents(memref<?xf32> {tapestry.extents = [3]})

// -----

// expected-error @below {{has the attribute 'tapestry.work', which is a 64-bit number of nanoseconds of a function}}
func.func private @tapestry_c5_work() attributes {tapestry.work = -1 : i64}

// -----

func.func @tapestry_c5_mask(%n: index) -> vector<4xi1> {
  // expected-error @below {{has the attribute 'tapestry.tail_mask', which is a unit attribute}}
  %m = vector.create_mask %n {tapestry.tail_mask = false} : vector<4xi1>
  return %m : vector<4xi1>
}

// -----

// expected-error @below {{has the attribute 'tapestry.name', which is a string}}
func.func private @tapestry_c5_argument(f32 {tapestry.name = 3})

// -----

// expected-error @below {{has the attribute 'tapestry.name', which is a string}}
func.func private @tapestry_c5_result() -> (f32 {tapestry.name = 3})

// -----

// expected-error @below {{has the attribute 'tapestry.kernels', which the dialect 'tapestry' does not know there}}
module attributes {tapestry.kernels} {}

// -----

// expected-error @below {{has the attribute 'tapestry.vertex', which the dialect 'tapestry' does not know there}}
func.func private @tapestry_c5_on_argument(f32 {tapestry.vertex = "A"})

// -----

// expected-error @below {{label 'i' has 0 : i64 parts, the least is 1}}
#constraint_c1_parts = #tapestry.constraint<pin cut {i = 0}>

// -----

// expected-error @below {{label 'i' takes a number of parts or a list of axes, not []}}
#constraint_c1_axes = #tapestry.constraint<pin cut {i = []}>

// -----

// expected-error @below {{label 'i' takes a number of parts or a list of axes, not [3]}}
#constraint_c1_axis = #tapestry.constraint<pin cut {i = [3]}>

// -----

// expected-error @below {{a preference has the weight -1.000000e+00 : f64, the least is 0.0}}
#constraint_c2 = #tapestry.constraint<prefer -1.0 cut {i = 2}>

// -----

// expected-error @below {{expected pin or prefer, got 'wish'}}
#constraint_strength = #tapestry.constraint<wish cut {i = 2}>

// -----

// expected-error @below {{expected cut or home, got 'work'}}
#constraint_side = #tapestry.constraint<pin work {i = 2}>

// -----

// expected-error @below {{other labels can only have 1 part, not 2}}
#constraint_others = #tapestry.constraint<pin cut {i = 2} others = 2>

// -----

// What a graph asks of its sources and sinks is verified before it asks.

"tapestry.graph"() <{sym_name = "graph_sink_name"}> ({
  %0 = "tapestry.source"() <{name = "X"}> : () -> tensor<4xf32>
  // expected-error @below {{requires attribute 'name'}}
  "tapestry.sink"(%0) : (tensor<4xf32>) -> ()
}) : () -> ()

// -----

"tapestry.graph"() <{sym_name = "graph_sink_operand"}> ({
  // expected-error @below {{expected 1 or more operands, but found 0}}
  "tapestry.sink"() <{name = "X"}> : () -> ()
}) : () -> ()

// -----

"tapestry.graph"() <{sym_name = "graph_source_result"}> ({
  // expected-error @below {{requires one result}}
  "tapestry.source"() <{name = "X"}> : () -> ()
}) : () -> ()

// -----

tapestry.graph @fold_around {
  // expected-note @+1 {{operand 0 is defined here, of type 'tensor<8xf32>'}}
  %U = tapestry.source "U" : tensor<8xf32>
  // expected-error @+1 {{subscript '(i + 1) mod 9' of operand 0 leaves dimension 0 of extent 8 and cannot be folded by edge: it wraps around}}
  %A = tapestry.einsum "A" [i = 9] (%U[(i + 1) mod 9] edge) -> [i] {
  ^bb0(%u: f32):
    tapestry.yield %u : f32
  } : (tensor<8xf32>) -> tensor<9xf32>
}

// -----

tapestry.graph @fold_nothing {
  // expected-note @+1 {{operand 0 is defined here, of type 'tensor<0xf32>'}}
  %U = tapestry.source "U" : tensor<0xf32>
  // expected-error @+1 {{subscript 'i' of operand 0 leaves dimension 0 of extent 0 and cannot be folded by reflect: there is no element}}
  %A = tapestry.einsum "A" [i = 9] (%U[i] reflect) -> [i] {
  ^bb0(%u: f32):
    tapestry.yield %u : f32
  } : (tensor<0xf32>) -> tensor<9xf32>
}

// -----

tapestry.graph @fold_name {
  %U = tapestry.source "U" : tensor<8xf32>
  // expected-error @+1 {{pad of operand 0 is "mirror", expected a constant of type 'f32'}}
  %A = "tapestry.einsum"(%U) <{name = "A", labels = ["i"], extents = array<i64: 8>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], pads = ["mirror"], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%u: f32):
    "tapestry.yield"(%u) : (f32) -> ()
  }, {
  }) : (tensor<8xf32>) -> tensor<8xf32>
}
