// RUN: tapestry-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// One function per constraint of joins and their kernels, named after its label.

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c1_count(%v: !v) {
  // expected-error@+1 {{has 1 label, but 2 extents}}
  %r = "tra.join"(%v) <{vertex = "J", labels = ["i"], extents = array<i64: 5, 6>, partition = #tapestry_index.partition<[["d.0"]]>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], pads = [unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tra.yield"(%x) : (f32) -> ()
  }, {
  }) : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c1_twice(%v: !v) {
  // expected-error@+1 {{label 'i' occurs twice}}
  %r = tra.join "J" [i = 5, i = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c1_identifier(%v: !v) {
  // expected-error@+1 {{label 'x y' is not an identifier}}
  %r = "tra.join"(%v) <{vertex = "J", labels = ["x y"], extents = array<i64: 5>, partition = #tapestry_index.partition<[["d.0"]]>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], pads = [unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tra.yield"(%x) : (f32) -> ()
  }, {
  }) : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c1_word(%v: !v) {
  // expected-error@+1 {{label 'mod' is not an identifier}}
  %r = "tra.join"(%v) <{vertex = "J", labels = ["mod"], extents = array<i64: 5>, partition = #tapestry_index.partition<[["d.0"]]>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], pads = [unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tra.yield"(%x) : (f32) -> ()
  }, {
  }) : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c1_extent(%v: !v) {
  // expected-error@+1 {{label 'k' has extent -3, expected at least 0}}
  %r = tra.join "J" [i = 5, k = -3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c2_count(%v: !v) {
  // expected-error@+1 {{has 1 indexing maps for 2 relations}}
  %r = "tra.join"(%v) <{vertex = "J", labels = ["i"], extents = array<i64: 5>, partition = #tapestry_index.partition<[["d.0"]]>, indexing_maps = [affine_map<(d0) -> (d0)>], pads = [unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tra.yield"(%x) : (f32) -> ()
  }, {
  }) : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c2_dims(%v: !v) {
  // expected-error@+1 {{indexing map 0 has 2 dimensions and 0 symbols, expected 1 and 0}}
  %r = "tra.join"(%v) <{vertex = "J", labels = ["i"], extents = array<i64: 5>, partition = #tapestry_index.partition<[["d.0"]]>, indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0) -> (d0)>], pads = [unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tra.yield"(%x) : (f32) -> ()
  }, {
  }) : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c2_symbols(%v: !v) {
  // expected-error@+1 {{indexing map 1 has 1 dimension and 1 symbol, expected 1 and 0}}
  %r = "tra.join"(%v) <{vertex = "J", labels = ["i"], extents = array<i64: 5>, partition = #tapestry_index.partition<[["d.0"]]>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0)[s0] -> (d0)>], pads = [unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tra.yield"(%x) : (f32) -> ()
  }, {
  }) : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c2_rank(%v: !v) {
  // expected-error@+1 {{indexing map 0 has 2 subscripts for a relation of 1 dimension}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i, i]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c3(%v: !v) {
  // expected-error@+1 {{writes its result at the subscripts affine_map<(d0) -> (d0 + 1)>, expected distinct labels}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i + 1] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c3_extent(%v: !v) {
  // expected-error@+1 {{dimension 0 of the result has extent 5, but its label "i" has extent 4}}
  %r = tra.join "J" [i = 4] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c4(%v: !v) {
  // expected-error@+1 {{reads operand 0 at the subscripts affine_map<(d0) -> ((d0 floordiv 2) * 2)>, which are not affine with integer coefficients}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[2 * (i floordiv 2)]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c5_count(%v: !v) {
  // expected-error@+1 {{has 2 pads for 1 operand}}
  %r = "tra.join"(%v) <{vertex = "J", labels = ["i"], extents = array<i64: 5>, partition = #tapestry_index.partition<[["d.0"]]>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], pads = [unit, unit], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tra.yield"(%x) : (f32) -> ()
  }, {
  }) : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c5_kind(%v: !v) {
  // expected-error@+1 {{pad 0 is neither 'unit' nor a value: []}}
  %r = "tra.join"(%v) <{vertex = "J", labels = ["i"], extents = array<i64: 5>, partition = #tapestry_index.partition<[["d.0"]]>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], pads = [[]], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tra.yield"(%x) : (f32) -> ()
  }, {
  }) : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c5_tensor(%v: !v) {
  // expected-error@+1 {{pad 0 is neither 'unit' nor a value: dense<0.000000e+00> : tensor<f32>}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i] pad dense<0.0> : tensor<f32>) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c5_type(%v: !v) {
  // expected-error@+1 {{pad 0 is of type 'f64', but its operand's elements are of type 'f32'}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i] pad 0.0 : f64) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c6(%v: !v) {
  // expected-error@+1 {{reads dimension 0 of operand 0 in [1, 6), which leaves its bounds [0, 5) without a pad}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i + 1]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c6_below(%v: !v) {
  // expected-error@+1 {{reads dimension 0 of operand 0 in [-1, 5), which leaves its bounds [0, 5) without a pad}}
  %r = tra.join "J" [i = 5, r = 2] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i + r - 1]) -> [i] reduce add {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c7(%v: !v) {
  // expected-error@+1 {{reduces 1 label by 'none'}}
  %r = tra.join "J" [i = 5, k = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c7_monoid(%v: !v) {
  // expected-error@+1 {{reduces 0 labels by 'add'}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i] reduce add {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c8_identity(%v: !v) {
  // expected-error@+1 {{reduces by 'custom' with 0 identities, not 1}}
  %r = tra.join "J" [i = 5, k = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] reduce custom {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    tra.yield %b : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c8_combine(%v: !v) {
  // expected-error@+1 {{reduces by 'custom' with 0 combine regions, not 1}}
  %r = tra.join "J" [i = 5, k = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] reduce custom identity 0.0 : f32 {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c8_needless(%v: !v) {
  // expected-error@+1 {{reduces by 'add' with 1 identities, not 0}}
  %r = tra.join "J" [i = 5, k = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] reduce add identity 0.0 : f32 {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    tra.yield %b : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c8_needless_combine(%v: !v) {
  // expected-error@+1 {{reduces by 'add' with 1 combine regions, not 0}}
  %r = tra.join "J" [i = 5, k = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] reduce add {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    tra.yield %b : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c8_type(%v: !v) {
  // expected-error@+1 {{has an identity of type 'i32', but elements are of type 'f32'}}
  %r = tra.join "J" [i = 5, k = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] reduce custom identity 0 : i32 {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    tra.yield %b : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c9(%v: !v) {
  // expected-error@+1 {{reduces by 'xor', which does not combine elements of type 'f32'}}
  %r = tra.join "J" [i = 5, k = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] reduce xor {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], i1, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c9_bool(%v: !v) {
  // expected-error@+1 {{reduces by 'add', which does not combine elements of type 'i1'}}
  %r = tra.join "J" [i = 5, k = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] reduce add {
  ^bb0(%x: i1):
    tra.yield %x : i1
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c10_count(%v: !v) {
  // expected-error@+1 {{its kernel takes 2 values, not 1}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32, %y: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c10_type(%v: !v) {
  // expected-error@+1 {{its kernel takes a value of type 'f64' as number 0, but elements are of type 'f32'}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i] {
  ^bb0(%x: f64):
    %y = arith.truncf %x : f64 to f32
    tra.yield %y : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c10_yield(%v: !v) {
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    %y = arith.extf %x : f32 to f64
    // expected-error@+1 {{yields a value of type 'f64', but elements are of type 'f32'}}
    tra.yield %y : f64
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c10_terminator(%v: !v) {
  // expected-error@+1 {{its kernel does not end in a 'tra.yield'}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    "test.end"(%x) : (f32) -> ()
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c10_effects(%v: !v) {
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    // expected-error@+1 {{has side effects, which the kernel of a 'tra.join' must not have}}
    "test.effect"() : () -> ()
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c11_count(%v: !v) {
  // expected-error@+1 {{its combine region takes 1 value, not 2}}
  %r = tra.join "J" [i = 5, k = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] reduce custom identity 0.0 : f32 {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } combine {
  ^bb0(%b: f32):
    tra.yield %b : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c11_type(%v: !v) {
  // expected-error@+1 {{its combine region takes a value of type 'i32' as number 0, but elements are of type 'f32'}}
  %r = tra.join "J" [i = 5, k = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] reduce custom identity 0.0 : f32 {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } combine {
  ^bb0(%a: i32, %b: f32):
    tra.yield %b : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c12_rank(%v: !v) {
  // expected-error@+1 {{has a partition of 2 labels, but 1 label}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c12_axis(%v: !v) {
  // expected-error@+1 {{index dimension 0 is cut over axis "d.1", which the grid}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.1"]]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#other = #tapestry_index.grid<"d.0" = 3>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>
!o = !tra.relation<[5] / [3], f32, #tapestry_index.layout<[5 by "d.0"] on #other>>

func.func @join_c12_grid(%v: !o) {
  // expected-error-re@+1 {{of 3 devices to the grid {{.*}} of 2}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!o) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>
!w = !tra.relation<[5] / [1], f32, #tapestry_index.layout<[5] on #grid>>

func.func @join_c13(%v: !w) {
  // expected-error-re@+1 {{operand 0 lies as {{.*}}[5] on{{.*}}, but the partition {{.*}} makes it lie as {{.*}}[5 by "d.0"] on}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!w) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c13_halo(%v: !v) {
  // expected-error-re@+1 {{operand 0 lies as {{.*}}[5 by "d.0"] on{{.*}}, but the partition {{.*}} makes it lie as {{.*}}[5 = [5 by "d.0"] + [3] - 1] on}}
  %r = tra.join "J" [i = 5, r = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i + r - 1] pad 0.0 : f32) -> [i] reduce max {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>
!w = !tra.relation<[5] / [1], f32, #tapestry_index.layout<[5] on #grid>>

func.func @join_c14(%v: !v) {
  // expected-error-re@+1 {{result lies as {{.*}}[5] on{{.*}}, but the partition {{.*}} makes it lie as {{.*}}[5 by "d.0"] on}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !w
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>
!s = !tra.relation<[] / [], f32, #tapestry_index.layout<[] on #grid>>

func.func @join_c14_partial(%v: !v) {
  // expected-error-re@+1 {{result lies as {{.*}}[] on{{.*}}, but the partition {{.*}} makes it lie as {{.*}}[] partial ["d.0"] on}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [] reduce add {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !s
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!p = !tra.relation<[5] / [1], f32, #tapestry_index.layout<[5] partial ["d.0"] on #grid>>
!w = !tra.relation<[5] / [1], f32, #tapestry_index.layout<[5] on #grid>>

func.func @join_c14_partial_operand(%p: !p) {
  // expected-error-re@+1 {{result lies as {{.*}}[5] on{{.*}}, but the partition {{.*}} makes it lie as {{.*}}[5] partial ["d.0"] on}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[[]]>
         (%p[i]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!p) -> !w
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_isolated(%v: !v, %c: f32) {
  // expected-note@+1 {{required by region isolation constraints}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    // expected-error@+1 {{using value defined outside the region}}
    %y = arith.addf %x, %c : f32
    tra.yield %y : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_results(%v: !v) {
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  // expected-error@+1 {{a join has 1 result, not 2}}
  } : (!v) -> (!v, !v)
  return
}

// -----

func.func @label_c1() {
  // expected-error@+1 {{"i" does not lie in the kernel of a 'tra.join'}}
  %i = tra.label "i"
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @label_c1_combine(%v: !v) {
  %r = tra.join "J" [i = 5, k = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> [i] reduce custom identity 0.0 : f32 {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    // expected-error@+1 {{"i" does not lie in the kernel of a 'tra.join'}}
    %i = tra.label "i"
    tra.yield %b : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @label_c2(%v: !v) {
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i]) -> [i] {
  ^bb0(%x: f32):
    // expected-error@+1 {{names the label "j", but the join has only ["i"]}}
    %j = tra.label "j"
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @monoid(%v: !v) {
  %r = tra.join "J" [i = 5, k = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%v[i]) -> // expected-error@+1 {{expected one of [none, add, mul, max, min, and, or, xor, custom]}}
         [i] reduce sum {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>
func.func @join_c1_overflow(%x: !x) {
  // expected-error@+1 {{label 'y' has extent 4611686018427387904, which is 2^62 or more}}
  %D = tra.join "D" [y = 4611686018427387904] by #tapestry_index.partition<[["d.0"]]> (%x[y] pad 0.0 : f32) -> [y] {
  ^bb0(%v: f32):
    tra.yield %v : f32
  } : (!x) -> !x
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>
func.func @join_c4_coefficient(%x: !x) {
  // expected-error@+1 {{dimension 0 of operand 0 is addressed by the coefficient 4611686018427387905, with which it reaches 2^62 or more}}
  %D = tra.join "D" [y = 8] by #tapestry_index.partition<[["d.0"]]> (%x[4611686018427387905 * y] pad 0.0 : f32) -> [y] {
  ^bb0(%v: f32):
    tra.yield %v : f32
  } : (!x) -> !x
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>
func.func @join_c4_constant(%x: !x) {
  // expected-error@+1 {{dimension 0 of operand 0 is addressed by the constant 9223372036854775807, with which it reaches 2^62 or more}}
  %D = tra.join "D" [y = 8] by #tapestry_index.partition<[["d.0"]]> (%x[y + 9223372036854775807] pad 0.0 : f32) -> [y] {
  ^bb0(%v: f32):
    tra.yield %v : f32
  } : (!x) -> !x
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c4_mod(%v: !v) {
  // expected-error@+1 {{which are not affine with integer coefficients, nor such a form divided and wrapped around once}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i mod 3 + 1]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c5_else_last(%v: !v) {
  // expected-error@+1 {{has the pad "else" at operand 0, behind which no other piece of it comes, expected 'unit'}}
  %r = "tra.join"(%v) <{vertex = "J", labels = ["i"], extents = array<i64: 5>, partition = #tapestry_index.partition<[["d.0"]]>, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], pads = ["else"], monoid = #tapestry_index.monoid<none>}> ({
  ^bb0(%x: f32):
    "tra.yield"(%x) : (f32) -> ()
  }, {
  }) : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c5_pad_of_pieces(%v: !v) {
  // expected-error@+1 {{has the pad 0.000000e+00 : f32 at operand 1, behind which no other piece of it comes, expected 'unit'}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i] else %v[i - 5] pad 0.0 : f32) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v, !v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>
!w = !tra.relation<[6] / [1], f32, #tapestry_index.layout<[6] on #grid>>

func.func @join_c5_shapes(%v: !v, %w: !w) {
  // expected-error@+1 {{reads operand 1, another piece of operand 0, of shape [6] and element type 'f32', which is not that of operand 0}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i] else %w[i - 5]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v, !w) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c5_forms(%v: !v) {
  // expected-error@+1 {{reads operand 1, another piece of operand 0, at another form of the labels in dimension 0}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i] else %v[5 - i]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v, !v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c6_pieces(%v: !v) {
  // expected-error@+1 {{reads operand 1, another piece of operand 0, at points at which operand 0 is read, too}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i + 1] else %v[i - 3]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v, !v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c6_mod(%v: !v) {
  // expected-error@+1 {{reads dimension 0 of operand 0 in [0, 7), which leaves its bounds [0, 5) without a pad}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[3 * i mod 7]) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c6_fold(%v: !v) {
  // expected-error@+1 {{reads dimension 0 of operand 0, of extent 5, at what cannot be folded by edge}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[(i + 1) mod 6] edge) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
!v = !tra.relation<[5] / [2], f32, #tapestry_index.layout<[5 by "d.0"] on #grid>>

func.func @join_c13_fold(%v: !v) {
  // expected-error@+1 {{operand 0 lies as #tapestry_index.layout<[5 by "d.0"]}}
  %r = tra.join "J" [i = 5] by #tapestry_index.partition<[["d.0"]]>
         (%v[i - 1] reflect) -> [i] {
  ^bb0(%x: f32):
    tra.yield %x : f32
  } : (!v) -> !v
  return
}
