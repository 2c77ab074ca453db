// What does not become one says why.
// RUN: tapestry-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=rule:Y:fuse-producer}))'

// It escapes: a sink, another operator or a point has it.
// expected-error @below {{rewrite 'rule' of 'Y': 'Z' is read elsewhere too; it has no producer to itself}}
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%X[i, k], %W[k, j]) -> [i, j] reduce add {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    tapestry.yield %m : f32
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
  ^bb0(%z: f32):
    %a = math.absf %z : f32
    tapestry.yield %a : f32
  } : (tensor<5x6xf32>) -> tensor<5x6xf32>
  tapestry.sink "Y", %Y : tensor<5x6xf32>
  tapestry.sink "Z", %Z : tensor<5x6xf32>
}

// -----

// A point waits for it.
// expected-error @below {{rewrite 'rule' of 'Y': 'Z' is read elsewhere too; it has no producer to itself}}
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%X[i, k], %W[k, j]) -> [i, j] reduce add {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    tapestry.yield %m : f32
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
  ^bb0(%z: f32):
    %a = math.absf %z : f32
    tapestry.yield %a : f32
  } : (tensor<5x6xf32>) -> tensor<5x6xf32>
  %p = tapestry.sequence_point %Z : tensor<5x6xf32>
  tapestry.sink "Y", %Y after %p : tensor<5x6xf32>
}

// -----

// A cut of it is asked for.
// expected-error @below {{rewrite 'rule' of 'Y': how 'j' of 'Z' is cut is asked for; it has no producer to itself}}
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%X[i, k], %W[k, j]) -> [i, j] reduce add
      attributes {tapestry.constraints = [#tapestry.constraint<pin cut {j = 1}>]} {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    tapestry.yield %m : f32
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
  ^bb0(%z: f32):
    %a = math.absf %z : f32
    tapestry.yield %a : f32
  } : (tensor<5x6xf32>) -> tensor<5x6xf32>
  tapestry.sink "Y", %Y : tensor<5x6xf32>
}

// -----

// It is to be cut where it would be whole.
// expected-error @below {{rewrite 'rule' of 'Y': how 'k' of 'Z' is cut is asked for; it has no producer to itself}}
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%X[i, k], %W[k, j]) -> [i, j] reduce add
      attributes {tapestry.constraints = [#tapestry.constraint<pin cut {k = 2}>]} {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    tapestry.yield %m : f32
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
  ^bb0(%z: f32):
    %a = math.absf %z : f32
    tapestry.yield %a : f32
  } : (tensor<5x6xf32>) -> tensor<5x6xf32>
  tapestry.sink "Y", %Y : tensor<5x6xf32>
}

// -----

// Its home is asked for.
// expected-error @below {{rewrite 'rule' of 'Y': the home of 'Z' is asked for; it has no producer to itself}}
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%X[i, k], %W[k, j]) -> [i, j] reduce add
      attributes {tapestry.constraints = [#tapestry.constraint<pin home {"0" = 2}>]} {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    tapestry.yield %m : f32
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
  ^bb0(%z: f32):
    %a = math.absf %z : f32
    tapestry.yield %a : f32
  } : (tensor<5x6xf32>) -> tensor<5x6xf32>
  tapestry.sink "Y", %Y : tensor<5x6xf32>
}

// -----

// It is to lie as others do.
// expected-error @below {{rewrite 'rule' of 'Y': 'Z' has 'tapestry.layout_group', which is about it as it is; it has no producer to itself}}
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%X[i, k], %W[k, j]) -> [i, j] reduce add
      attributes {tapestry.layout_group = "g"} {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    tapestry.yield %m : f32
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
  ^bb0(%z: f32):
    %a = math.absf %z : f32
    tapestry.yield %a : f32
  } : (tensor<5x6xf32>) -> tensor<5x6xf32>
  tapestry.sink "Y", %Y : tensor<5x6xf32>
}

// -----

// It has no points to combine: fuse-elementwise makes a body of both.
// expected-error @below {{rewrite 'rule' of 'Y': 'Z' reduces nothing: its body can be part of the other; it has no producer to itself}}
tapestry.graph @g {
  %V = tapestry.source "V" : tensor<5x6xf32>
  %Z = tapestry.einsum "Z" [i = 5, j = 6] (%V[i, j]) -> [i, j] {
  ^bb0(%z: f32):
    %a = math.absf %z : f32
    tapestry.yield %a : f32
  } : (tensor<5x6xf32>) -> tensor<5x6xf32>
  %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
  ^bb0(%z: f32):
    %a = math.absf %z : f32
    tapestry.yield %a : f32
  } : (tensor<5x6xf32>) -> tensor<5x6xf32>
  tapestry.sink "Y", %Y : tensor<5x6xf32>
}

// -----

// Y has other labels.
// expected-error @below {{rewrite 'rule' of 'Y': 'Y' reads 'Z', of rank 2, otherwise than at all of its 3 labels; it has no producer to itself}}
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%X[i, k], %W[k, j]) -> [i, j] reduce add {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    tapestry.yield %m : f32
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  %Y = tapestry.einsum "Y" [i = 5, j = 6, n = 3] (%Z[i, j]) -> [i, j, n] {
  ^bb0(%z: f32):
    %a = math.absf %z : f32
    tapestry.yield %a : f32
  } : (tensor<5x6xf32>) -> tensor<5x6x3xf32>
  tapestry.sink "Y", %Y : tensor<5x6x3xf32>
}

// -----

// Y reduces.
// expected-error @below {{rewrite 'rule' of 'Y': 'Y' reduces 'j'; it has no producer to itself}}
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%X[i, k], %W[k, j]) -> [i, j] reduce add {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    tapestry.yield %m : f32
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i] reduce add {
  ^bb0(%z: f32):
    %a = math.absf %z : f32
    tapestry.yield %a : f32
  } : (tensor<5x6xf32>) -> tensor<5xf32>
  tapestry.sink "Y", %Y : tensor<5xf32>
}

// -----

// There is none.
// expected-error @below {{rewrite 'rule' of 'Y': it has no producer to itself}}
tapestry.graph @g {
  %Z = tapestry.source "Z" : tensor<5x6xf32>
  %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
  ^bb0(%z: f32):
    %a = math.absf %z : f32
    tapestry.yield %a : f32
  } : (tensor<5x6xf32>) -> tensor<5x6xf32>
  tapestry.sink "Y", %Y : tensor<5x6xf32>
}

// -----

// It is made once, Y in every pass.
// expected-error @below {{rewrite 'rule' of 'Y': 'Z' would be computed in every pass of a loop; it has no producer to itself}}
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%X[i, k], %W[k, j]) -> [i, j] reduce add {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    tapestry.yield %m : f32
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  %V = tapestry.constant "V" dense<0.0> : tensor<5x6xf32>
  %U = tapestry.loop "t" 3 from %V : tensor<5x6xf32> {
  ^bb0(%v: tensor<5x6xf32>):
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j], %v[i, j]) -> [i, j] {
    ^bb0(%z: f32, %c: f32):
      %a = arith.addf %z, %c : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.next %Y : tensor<5x6xf32>
  }
  tapestry.sink "U", %U : tensor<5x6xf32>
}

// -----

// Shards of other points: part of what is summed up.
// expected-error @below {{rewrite 'rule' of 'Y': 'Z' computes [1, 4) x [0, 6) x [0, 4), but 'Y' reads what [1, 4) x [0, 6) x [0, 8) makes; it has no producer to itself}}
tapestry.graph @g {
  %X.1 = tapestry.source "X.1" : tensor<3x4xf32>
  %W = tapestry.source "W" : tensor<4x6xf32>
  %Z = tapestry.shard "Z" [1, 0, 0] => [4, 6, 4] (%X.1, %W) {
  ^bb0(%a0: tensor<5x8xf32>, %a1: tensor<8x6xf32>):
    %Zw = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%a0[i, k], %a1[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    tapestry.part_of %Zw : tensor<5x6xf32>
  } : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<3x6xf32>
  %Y = tapestry.shard "Y" [1, 0] => [4, 6] (%Z) {
  ^bb0(%a0: tensor<5x6xf32>):
    %Yw = tapestry.einsum "Y" [i = 5, j = 6] (%a0[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.part_of %Yw : tensor<5x6xf32>
  } : (tensor<3x6xf32>) -> tensor<3x6xf32>
  tapestry.sink "Y", %Y : tensor<3x6xf32>
}

// -----

// Shards of tensors that are not the same.
// expected-error @below {{rewrite 'rule' of 'Y': 'Z' is of tensor<5x6xf32>, but 'Y' of tensor<3x6xf32>; it has no producer to itself}}
tapestry.graph @g {
  %X.1 = tapestry.source "X.1" : tensor<3x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  %Z = tapestry.shard "Z" [1, 0, 0] => [4, 6, 8] (%X.1, %W) {
  ^bb0(%a0: tensor<5x8xf32>, %a1: tensor<8x6xf32>):
    %Zw = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%a0[i, k], %a1[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    tapestry.part_of %Zw : tensor<5x6xf32>
  } : (tensor<3x8xf32>, tensor<8x6xf32>) -> tensor<3x6xf32>
  %Y = tapestry.shard "Y" [0, 0] => [3, 6] (%Z) {
  ^bb0(%a0: tensor<3x6xf32>):
    %Yw = tapestry.einsum "Y" [i = 3, j = 6] (%a0[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<3x6xf32>) -> tensor<3x6xf32>
    tapestry.part_of %Yw : tensor<3x6xf32>
  } : (tensor<3x6xf32>) -> tensor<3x6xf32>
  tapestry.sink "Y", %Y : tensor<3x6xf32>
}

// -----

// A shard and a whole.
// expected-error @below {{rewrite 'rule' of 'Y': 'tapestry.shard' has no blocks of its own; it has no producer to itself}}
tapestry.graph @g {
  %X.1 = tapestry.source "X.1" : tensor<3x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  %Z = tapestry.shard "Z" [1, 0, 0] => [4, 6, 8] (%X.1, %W) {
  ^bb0(%a0: tensor<5x8xf32>, %a1: tensor<8x6xf32>):
    %Zw = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%a0[i, k], %a1[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    tapestry.part_of %Zw : tensor<5x6xf32>
  } : (tensor<3x8xf32>, tensor<8x6xf32>) -> tensor<3x6xf32>
  %Y = tapestry.einsum "Y" [i = 3, j = 6] (%Z[i, j]) -> [i, j] {
  ^bb0(%z: f32):
    %a = math.absf %z : f32
    tapestry.yield %a : f32
  } : (tensor<3x6xf32>) -> tensor<3x6xf32>
  tapestry.sink "Y", %Y : tensor<3x6xf32>
}
