// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of what sources come from and sinks lead to.

tapestry.graph @file_c1 {
  // expected-error @below {{the path of a file is empty}}
  %A = tapestry.source "A" from file<""> : tensor<4xf32>
}

// -----

tapestry.graph @file_c1_zero {
  // expected-error @below {{the path of a file has a byte of value 0}}
  %A = tapestry.source "A" from file<"a\00.npy"> : tensor<4xf32>
}

// -----

tapestry.graph @kind {
  // expected-error @below {{expected file or generator, got 'database'}}
  %A = tapestry.source "A" from database<"a"> : tensor<4xf32>
}

// -----

tapestry.graph @generator {
  // expected-error @below {{expected bits, uniform, normal or iota, got 'poisson'}}
  %A = tapestry.source "A" from generator<poisson seed 3> : tensor<4xf32>
}

// -----

tapestry.graph @generator_seed {
  // expected-error @below {{expected 'seed'}}
  %A = tapestry.source "A" from generator<normal> : tensor<4xf32>
}

// -----

tapestry.graph @source_c3 {
  // expected-error @below {{comes from 3 : i64, expected a file or a generator}}
  %A = "tapestry.source"() {name = "A", target = 3 : i64} : () -> tensor<4xf32>
}

// -----

tapestry.graph @source_c3_normal {
  // expected-error @below {{gives normal of 'i32', expected f16, bf16, f32 or f64}}
  %A = tapestry.source "A" from generator<normal seed 3> : tensor<4xi32>
}

// -----

tapestry.graph @source_c3_bits {
  // expected-error @below {{gives bits of 'f32', expected integers of 8, 16, 32 or 64 bits}}
  %A = tapestry.source "A" from generator<bits seed 3> : tensor<4xf32>
}

// -----

tapestry.graph @source_c3_iota {
  // What has all of them.
  %A = tapestry.source "A" from generator<iota> : tensor<128xi8>
  %B = tapestry.source "B" from generator<iota> : tensor<257xbf16>
  // expected-error @below {{counts to 128, but 'i8' has all integers only up to 127}}
  %C = tapestry.source "C" from generator<iota> : tensor<3x43xi8>
}

// -----

tapestry.graph @source_c3_iota_float {
  // expected-error @below {{counts to 2049, but 'f16' has all integers only up to 2048}}
  %A = tapestry.source "A" from generator<iota> : tensor<2050xf16>
}

// -----

tapestry.graph @source_c3_iota_complex {
  // expected-error @below {{counts in elements of type 'complex<f32>', expected integers or floats}}
  %A = tapestry.source "A" from generator<iota> : tensor<1xcomplex<f32>>
}

// -----

tapestry.graph @source_c3_iota_complex_none {
  // expected-error @below {{counts in elements of type 'complex<f64>', expected integers or floats}}
  %A = tapestry.source "A" from generator<iota> : tensor<0xcomplex<f64>>
}

// -----

tapestry.graph @sink_c1 {
  %A = tapestry.source "A" : tensor<4xf32>
  // expected-error @below {{leads to #tapestry.generator<iota>, expected a file}}
  tapestry.sink "B", %A to generator<iota> : tensor<4xf32>
}

// -----

tapestry.graph @graph_c4 {
  // expected-note @below {{'A' is here}}
  %A = tapestry.source "A" from file<"x/./a.npy"> : tensor<4xf32>
  // expected-error @below {{output 'B' is written to 'x/a.npy', as input 'A' is read from it}}
  tapestry.sink "B", %A to file<"x//a.npy"> : tensor<4xf32>
}

// -----

tapestry.graph @graph_c4_above {
  // expected-note @below {{'A' is here}}
  %A = tapestry.source "A" from file<"x/../y.npy"> : tensor<4xf32>
  // expected-error @below {{output 'B' is written to 'y.npy', as input 'A' is read from it}}
  tapestry.sink "B", %A to file<"y.npy"> : tensor<4xf32>
}

// -----

tapestry.graph @graph_c4_other_sink {
  // expected-note @below {{'A' is here}}
  %A = tapestry.source "A" from file<"a.npy"> : tensor<4xf32>
  %other = tapestry.sink "C", %A : tensor<4xf32> -> !tapestry.point
  %p = tapestry.sequence_point %other : !tapestry.point
  // expected-error @below {{output 'B' is written to 'a.npy', as input 'A' is read from it}}
  %done = tapestry.sink "B", %A to file<"a.npy"> after %p : tensor<4xf32> -> !tapestry.point
  %q = tapestry.sequence_point %done : !tapestry.point
  %D = tapestry.source "D" from file<"a.npy"> after %q : tensor<4xf32>
}

// -----

tapestry.graph @graph_c4_shape {
  %A = tapestry.source "A" : tensor<4xf32>
  // expected-note @below {{'B' is here}}
  %done = tapestry.sink "B", %A to file<"b.npy"> : tensor<4xf32> -> !tapestry.point
  %p = tapestry.sequence_point %done : !tapestry.point
  // expected-error @below {{input 'C' reads tensor<5xf32> from 'b.npy', to which output 'B' before it writes tensor<4xf32>}}
  %C = tapestry.source "C" from file<"b.npy"> after %p : tensor<5xf32>
}

// -----

tapestry.graph @graph_c4_sign {
  %A = tapestry.source "A" {tapestry.unsigned} : tensor<4xi8>
  // expected-note @below {{'B' is here}}
  %done = tapestry.sink "B", %A to file<"b.npy"> {tapestry.unsigned} : tensor<4xi8> -> !tapestry.point
  %p = tapestry.sequence_point %done : !tapestry.point
  // expected-error @below {{input 'C' reads tensor<4xi8> from 'b.npy', to which output 'B' before it writes unsigned tensor<4xi8>}}
  %C = tapestry.source "C" from file<"b.npy"> after %p : tensor<4xi8>
}

// -----

tapestry.graph @graph_c4_sinks {
  %A = tapestry.source "A" from file<"a.npy"> : tensor<4xf32>
  // Two may read one file.
  %B = tapestry.source "B" from file<"a.npy"> : tensor<4xf32>
  // expected-note @below {{'C' is here}}
  tapestry.sink "C", %A to file<"c.npy"> : tensor<4xf32>
  // expected-error @below {{output 'D' is written to 'c.npy', as output 'C' is}}
  tapestry.sink "D", %B to file<"./c.npy"> : tensor<4xf32>
}

// -----

tapestry.graph @point_c1 {
  %X = tapestry.source "X" : tensor<4xf32>
  %first = tapestry.sequence_point %X : tensor<4xf32>
  %C = tapestry.constant "C" dense<0.0> : tensor<4xf32>
  %L = tapestry.loop "t" 3 from %C : tensor<4xf32> {
  ^bb0(%y: tensor<4xf32>):
    // expected-error @below {{waits for a point that stands in another block}}
    %p = tapestry.sequence_point %first : !tapestry.point
    %a = tapestry.copy "A" %y : (tensor<4xf32>) -> tensor<4xf32>
    tapestry.next %a : tensor<4xf32>
  }
}

// -----

tapestry.graph @source_c4 {
  // expected-error @below {{is on device -1, the first is number 0}}
  %A = tapestry.source "A" on device -1 : tensor<4xf32>
}

// -----

tapestry.graph @source_c4_grid on #tapestry_index.grid<"d.0" = 2, "d.1" = 3> {
  // expected-error @below {{is on device 6, the last of the graph's 6 devices is number 5}}
  %A = tapestry.source "A" on device 6 : tensor<4xf32>
}

// -----

tapestry.graph @source_c5 {
  // expected-error @below {{is a scalar on device 2, but every device holds a scalar}}
  %A = tapestry.source "A" on device 2 : tensor<f32>
}

// -----

tapestry.graph @source_c6 {
  // expected-error @below {{is generated on device 2, but what is generated is computed where it is read}}
  %A = tapestry.source "A" from generator<iota> on device 2 : tensor<4xf32>
}

// -----

tapestry.graph @sink_c2 {
  %A = tapestry.source "A" : tensor<4xf32>
  // expected-error @below {{is on device -7, the first is number 0}}
  tapestry.sink "A", %A on device -7 : tensor<4xf32>
}

// -----

tapestry.graph @sink_c2_grid on #tapestry_index.grid<> {
  %A = tapestry.source "A" : tensor<4xf32>
  // expected-error @below {{is on device 1, the last of the graph's 1 device is number 0}}
  tapestry.sink "A", %A on device 1 : tensor<4xf32>
}

// -----

tapestry.graph @sink_c3 {
  %A = tapestry.source "A" : tensor<f32>
  // expected-error @below {{is a scalar on device 0, but every device holds a scalar}}
  tapestry.sink "A", %A on device 0 : tensor<f32>
}
