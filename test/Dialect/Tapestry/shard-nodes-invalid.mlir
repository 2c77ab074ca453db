// RUN: split-file %s %t
// RUN: tapestry-opt %t/join.mlir --tapestry-join-nodes --split-input-file --verify-diagnostics
// RUN: tapestry-opt %t/prove.mlir --tapestry-verify-sharding --split-input-file --verify-diagnostics
// RUN: tapestry-opt %t/shard.mlir --split-input-file --verify-diagnostics

// What is wrong with shards of sources and sinks.

//--- join.mlir
tapestry.graph @twice {
  %a = tapestry.shard "a" [0, 0] => [2, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
  %c = tapestry.shard "c" [1, 0] => [3, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
  tapestry.shard "oa" [0, 0] => [2, 3] (%a) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<2x3xf32>) -> ()
  // expected-error @below {{cell (1, 0) of output 'Y' is handed out 2 times, expected 1}}
  tapestry.shard "oc" [1, 0] => [3, 3] (%c) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<2x3xf32>) -> ()
}

// -----

tapestry.graph @missing {
  %a = tapestry.shard "a" [0, 0] => [2, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
  // expected-error @below {{cell (2, 0) of output 'Y' is handed out 0 times, expected 1}}
  tapestry.shard "oa" [0, 0] => [2, 3] (%a) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<2x3xf32>) -> ()
}

// -----

tapestry.graph @types {
  // expected-note @below {{the other is here}}
  %a = tapestry.shard "a" [0, 0] => [2, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
  // expected-error @below {{a shard of input 'X' is of 'tensor<4x3xf32>', another of 'tensor<3x3xf32>'}}
  %b = tapestry.shard "b" [2, 0] => [3, 3] () {
    %X = tapestry.source "X" : tensor<4x3xf32>
    tapestry.part_of %X : tensor<4x3xf32>
  } : () -> tensor<1x3xf32>
}

// -----

tapestry.graph @targets {
  // expected-note @below {{the other is here}}
  %a = tapestry.shard "a" [0, 0] => [2, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
  // expected-error @below {{a shard of input 'X' says of it otherwise than another where it lies}}
  %b = tapestry.shard "b" [2, 0] => [3, 3] () {
    %X = tapestry.source "X" from file<"x.npy"> : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<1x3xf32>
}

// -----

tapestry.graph @whole_too {
  // expected-error @below {{input 'X' is whole here, but has shards, too}}
  %X = tapestry.source "X" : tensor<3x3xf32>
  %a = tapestry.shard "a" [0, 0] => [2, 3] () {
    %T = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %T : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
}

//--- prove.mlir
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<3x3xf32>
  // expected-error @below {{cell (1, 0) of sink 'Y' is handed out 2 times in the sharded graph, expected 1}}
  tapestry.sink "Y", %X : tensor<3x3xf32>
}
tapestry.graph @twice {
  %a = tapestry.shard "a" [0, 0] => [2, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
  %c = tapestry.shard "c" [1, 0] => [3, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
  tapestry.shard "oa" [0, 0] => [2, 3] (%a) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<2x3xf32>) -> ()
  tapestry.shard "oc" [1, 0] => [3, 3] (%c) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<2x3xf32>) -> ()
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<3x3xf32>
  // expected-error @below {{cell (2, 0) of sink 'Y' is handed out 0 times in the sharded graph, expected 1}}
  tapestry.sink "Y", %X : tensor<3x3xf32>
}
tapestry.graph @missing {
  %a = tapestry.shard "a" [0, 0] => [2, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
  tapestry.shard "oa" [0, 0] => [2, 3] (%a) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<2x3xf32>) -> ()
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<3x3xf32>
  tapestry.sink "Y", %X : tensor<3x3xf32>
}
tapestry.graph @another_range {
  %c = tapestry.shard "c" [1, 0] => [3, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
  // expected-error @below {{'oc' is no shard of 'Y': operand 0 has at (0, 0) cell (1, 0) of 'X', expected cell (0, 0) of 'X'}}
  tapestry.shard "oc" [0, 0] => [2, 3] (%c) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<2x3xf32>) -> ()
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<3x3xf32>
  tapestry.sink "Y", %X : tensor<3x3xf32>
}
tapestry.graph @another_source {
  // expected-error @below {{'a' is of source 'Z' of type 'tensor<3x3xf32>', which is none of the whole graph}}
  %a = tapestry.shard "a" [0, 0] => [2, 3] () {
    %X = tapestry.source "Z" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
}

// -----

// Right, with parts of the source that overlap.
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<3x3xf32>
  tapestry.sink "Y", %X : tensor<3x3xf32>
}
tapestry.graph @overlap {
  %a = tapestry.shard "a" [0, 0] => [2, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
  %c = tapestry.shard "c" [1, 0] => [3, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
  %d = tapestry.slice "d" %c [1, 0] => [2, 3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  tapestry.shard "oa" [0, 0] => [2, 3] (%a) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<2x3xf32>) -> ()
  tapestry.shard "od" [2, 0] => [3, 3] (%d) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<1x3xf32>) -> ()
}

//--- shard.mlir
tapestry.graph @on_device {
  // expected-error @below {{holds 'tapestry.source', which has no blocks that a shard could be}}
  %a = tapestry.shard "a" [0, 0] => [2, 3] () {
    %X = tapestry.source "X" on device 0 : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
}

// -----

tapestry.graph @followed {
  %a = tapestry.shard "a" [0, 0] => [2, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
  // expected-error @below {{holds 'tapestry.sink', which has no blocks that a shard could be}}
  tapestry.shard "y" [0, 0] => [2, 3] (%a) {
  ^bb0(%Y: tensor<3x3xf32>):
    %done = tapestry.sink "Y", %Y : tensor<3x3xf32> -> !tapestry.point
    tapestry.part_of
  } : (tensor<2x3xf32>) -> ()
}

// -----

tapestry.graph @outside {
  // expected-error @below {{the range of label '0' is [2, 4), expected points of [0, 3)}}
  %b = tapestry.shard "b" [2, 0] => [4, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
}

// -----

tapestry.graph @another_part {
  %a = tapestry.shard "a" [0, 0] => [2, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x3xf32>
  // expected-error @below {{operand 0 is 'tensor<2x3xf32>', but the range reads [0, 1) x [0, 3) of 'tensor<3x3xf32>': expected 'tensor<1x3xf32>'}}
  tapestry.shard "oa" [0, 0] => [1, 3] (%a) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<2x3xf32>) -> ()
}
