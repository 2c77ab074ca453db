// RUN: tapestry-opt %s --split-input-file --verify-diagnostics | tapestry-opt --split-input-file | FileCheck %s

// Files of unsigned integers: tensors are signless between sources and sinks.
// CHECK-LABEL: tapestry.graph @image
// CHECK: tapestry.source "X" {tapestry.unsigned} : tensor<8xi8>
// CHECK: tapestry.sink "X", %{{.*}} {tapestry.unsigned} : tensor<8xi8>
tapestry.graph @image {
  %X = tapestry.source "X" {tapestry.unsigned} : tensor<8xi8>
  tapestry.sink "X", %X {tapestry.unsigned} : tensor<8xi8>
}

// -----

tapestry.graph @unsigned_c1 {
  // expected-error @below {{op has the attribute 'tapestry.unsigned', which is a unit attribute of sources and sinks of integers}}
  %X = tapestry.source "X" {tapestry.unsigned} : tensor<8xf32>
}

// -----

tapestry.graph @unsigned_c1_bool {
  // expected-error @below {{op has the attribute 'tapestry.unsigned', which is a unit attribute of sources and sinks of integers}}
  %X = tapestry.source "X" {tapestry.unsigned} : tensor<8xi1>
}

// -----

tapestry.graph @unsigned_c1_kind {
  // expected-error @below {{op has the attribute 'tapestry.unsigned', which is a unit attribute of sources and sinks of integers}}
  %X = tapestry.source "X" {tapestry.unsigned = true} : tensor<8xi8>
}

// -----

tapestry.graph @unsigned_c1_place {
  // expected-error @below {{op has the attribute 'tapestry.unsigned', which is a unit attribute of sources and sinks of integers}}
  %A = tapestry.einsum "A" [i = 8] () -> [i] attributes {tapestry.unsigned} {
    %c = arith.constant 1 : i8
    tapestry.yield %c : i8
  } : () -> tensor<8xi8>
}

// -----

tapestry.graph @unsigned_c2 {
  // expected-error @below {{hands the unsigned integers of a source out as signed ones}}
  %X = tapestry.source "X" {tapestry.unsigned} : tensor<8xi8>
  tapestry.sink "Y", %X : tensor<8xi8>
}

// -----

tapestry.graph @unsigned_c2_signed {
  %X = tapestry.source "X" : tensor<8xi8>
  // expected-error @below {{hands the signed integers of a source out as unsigned ones}}
  tapestry.sink "Y", %X {tapestry.unsigned} : tensor<8xi8>
}

// -----

// expected-error @below {{op has the attribute 'tapestry.unsigned', which is a unit attribute of sources and sinks of integers}}
"tapestry.source"() {tapestry.unsigned} : () -> f32
