// RUN: tapestry-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// One case per constraint of the descriptions in IndexAttrs.td and IndexOps.td.

// expected-error @below {{grid axis "d.1" has size 0, expected at least 1}}
"test.grid_c1"() {g = #tapestry_index.grid<"d.0" = 2, "d.1" = 0>} : () -> ()

// -----

// expected-error @below {{there are more than 1048576 devices at grid axis "b" of size 65536}}
"test.grid_c1_overflow"() {g = #tapestry_index.grid<"a" = 65536, "b" = 65536>} : () -> ()

// -----

// expected-error @below {{grid axis "d.0" occurs twice}}
"test.grid_c2"() {g = #tapestry_index.grid<"d.0" = 2, "d.0" = 3>} : () -> ()

// -----

// expected-error @below {{a grid axis of size 3 has an empty name}}
"test.grid_c2_empty"() {g = #tapestry_index.grid<"" = 3>} : () -> ()

// -----

// expected-error @below {{projection is not linear in its dimensions with constant integer coefficients}}
"test.projection_c1"() {p = #tapestry_index.projection<(d0) -> (d0 floordiv 2)>} : () -> ()

// -----

// expected-error @below {{projection is not linear in its dimensions with constant integer coefficients}}
"test.projection_c1_symbol"() {p = #tapestry_index.projection<(d0)[s0] -> (d0 + s0)>} : () -> ()

// -----

// expected-error @below {{projection has 2 results but 1 entries in 'shape'}}
"test.projection_c2"() {p = #tapestry_index.projection<(d0) -> (d0, 0), shape = [2]>} : () -> ()

// -----

// expected-error @below {{projection has shape 0 in dimension 1, expected at least 1}}
"test.projection_c3"() {p = #tapestry_index.projection<(d0) -> (d0, 0), shape = [2, 0]>} : () -> ()

// -----

// expected-error @below {{projection has stride -2 in dimension 0, expected at least 1}}
"test.projection_c3_stride"() {p = #tapestry_index.projection<(d0) -> (d0), strides = [-2]>} : () -> ()

// -----

// expected-error @below {{projection has floordiv 0 and mod 3 in dimension 0, expected at least 1 and 0}}
"test.projection_c3_floordiv"() {p = #tapestry_index.projection<(d0) -> (d0), floordivs = [0], mods = [3]>} : () -> ()

// -----

// expected-error @below {{projection has floordiv 1 and mod -1 in dimension 1, expected at least 1 and 0}}
"test.projection_c3_mod"() {p = #tapestry_index.projection<(d0) -> (d0, 0), mods = [0, -1]>} : () -> ()

// -----

// expected-error @below {{expected 'shape', 'strides', 'floordivs' or 'mods', got 'size'}}
"test.projection_keyword"() {p = #tapestry_index.projection<(d0) -> (d0), size = [2]>} : () -> ()

// -----

// expected-error @below {{partition entry 1 is not a list of axis names: ["d.1", 3]}}
"test.partition_c1"() {p = #tapestry_index.partition<[["d.0"], ["d.1", 3]]>} : () -> ()

// -----

// expected-error @below {{axis "d.0" cuts index dimension 0 and again index dimension 2}}
"test.partition_c2"() {p = #tapestry_index.partition<[["d.0"], [], ["d.1", "d.0"]]>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{layout dimension 1 has extent -7, expected at least 0}}
"test.layout_c1"() {l = #tapestry_index.layout<[5, -7] on #grid>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{layout dimension 0 has span 0, expected at least 1}}
"test.layout_c1_span"() {l = #tapestry_index.layout<[5 = [4] span 0] on #grid>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{layout dimension 0 has span 3 and arms of 1 and 2, expected a point between them}}
"test.layout_c1_arms"() {l = #tapestry_index.layout<[6 = [4] span 3 arms 1 2] on #grid>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{layout dimension 0 has span 3 and arms of -1 and 1, expected a point between them}}
"test.layout_c1_arm"() {l = #tapestry_index.layout<[6 = [4] span 3 arms -1 1] on #grid>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{layout dimension 0 has a term of coefficient 0}}
"test.layout_c1_coefficient"() {l = #tapestry_index.layout<[5 = 0 * [4]] on #grid>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{layout dimension 1 of extent 9 reaches 2^62 or more}}
"test.layout_c1_reach"() {l = #tapestry_index.layout<[7, 9 = -4611686018427387903 * [3 by "d.1"]] on #grid>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{layout dimension 0 has floordiv 0 and mod 0, expected at least 1 and 0}}
"test.layout_c1_floordiv"() {l = #tapestry_index.layout<[5 = [4] floordiv 0] on #grid>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{layout dimension 0 looks at [2, 5) of a label of extent 4}}
"test.layout_c1_limit"() {l = #tapestry_index.layout<[5 = [4 in 2 to 5]] on #grid>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{axis "e" is not in the grid #tapestry_index.grid<"d.0" = 2, "d.1" = 3>}}
"test.layout_c2"() {l = #tapestry_index.layout<[5 by "d.0" "e"] on #grid>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{axis "d.0" cuts layout dimension 0 and again layout dimension 1}}
"test.layout_c3"() {l = #tapestry_index.layout<[5 by "d.0", 6 by "d.0"] on #grid>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{axis "d.1" cuts layout dimension 0 and again layout dimension 0}}
"test.layout_c3_one_cut"() {l = #tapestry_index.layout<[5 by "d.1" "d.1"] on #grid>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{axis "d.0" is partial and cuts a dimension}}
"test.layout_c4"() {l = #tapestry_index.layout<[5 by "d.0"] partial ["d.1", "d.0"] on #grid>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{axis "d.1" is partial twice}}
"test.layout_c4_twice"() {l = #tapestry_index.layout<[5] partial ["d.1", "d.1"] on #grid>} : () -> ()

// -----

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// expected-error @below {{expected ']'}}
"test.layout_constant_first"() {l = #tapestry_index.layout<[5 = 1 + [4]] on #grid>} : () -> ()

// -----

func.func @apply_c1(%i: index) {
  // expected-error @below {{has 1 operand for an index space of rank 2}}
  %0 = tapestry_index.apply #tapestry_index.projection<(d0, d1) -> (d0)>(%i)
  return
}

// -----

func.func @image_c1(%i: index) {
  // expected-error @below {{has 4 bounds for an index space of rank 1, expected 2 per dimension}}
  %0:2 = tapestry_index.image #tapestry_index.projection<(d0) -> (d0)> of [%i to %i, %i to %i]
  return
}

// -----

func.func @intersect_c1(%i: index) {
  // expected-error @below {{has 2 bounds on the left and 4 on the right, expected two boxes of one rank}}
  %0:2 = tapestry_index.intersect [%i to %i], [%i to %i, %i to %i]
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
func.func @part_c1(%i: index) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @below {{inferred type(s) 'index', 'index' are incompatible with return type(s) of operation 'index'}}
  %0 = "tapestry_index.part"(%i) {layout = #tapestry_index.layout<[5 by "d.0"] on #grid>} : (index) -> index
  return
}

// -----

// expected-error @below {{has the attribute 'tapestry_index.grid', which the dialect 'tapestry_index' does not know there}}
func.func private @own_attribute() attributes {tapestry_index.grid = 3}

// -----

// expected-error @below {{has the attribute 'tapestry_index.grid', which the dialect 'tapestry_index' does not know there}}
func.func private @own_attribute_of_argument(f32 {tapestry_index.grid})

// -----

func.func @random_c1(%at: i64) {
  // expected-error @below {{gives bits of 'f32', expected integers of 8, 16, 32 or 64 bits}}
  %0 = tapestry_index.random bits of %at seed %at stream 7 : f32
  return
}

// -----

func.func @random_c1_width(%at: i64) {
  // expected-error @below {{gives bits of 'i1', expected integers of 8, 16, 32 or 64 bits}}
  %0 = tapestry_index.random bits of %at seed %at stream 7 : i1
  return
}

// -----

func.func @random_c1_float(%at: vector<4xi64>) {
  // expected-error @below {{gives normal of 'i32', expected f16, bf16, f32 or f64}}
  %0 = tapestry_index.random normal of %at seed %at stream 7 : vector<4xi32>
  return
}

// -----

func.func @random_c2(%at: i64, %word: i32) {
  // expected-error @below {{adds 'i32' to its stream, expected 'i64' as of the counter}}
  %0 = tapestry_index.random normal of %at seed %at stream 7 plus %word : i32 : f32
  return
}

// -----

func.func @random_types(%at: i32) {
  // expected-error @below {{'tapestry_index.random' op failed to verify that counter is of i64}}
  %0 = "tapestry_index.random"(%at, %at) <{kind = 1 : i32, stream = 7 : i64}> : (i32, i32) -> f32
  return
}

// -----

// expected-error @below {{projection has edge 0 in dimension 1, expected at least 1}}
"test.projection_c3_fold"() {p = #tapestry_index.projection<(d0) -> (d0, 0), mods = [0, edge 0]>} : () -> ()

// -----

// expected-error @below {{layout dimension 0 has reflect 0, expected at least 1}}
"test.layout_c1_fold"() {l = #tapestry_index.layout<[8 = [8] - 1 reflect 0] on #tapestry_index.grid<>>} : () -> ()
