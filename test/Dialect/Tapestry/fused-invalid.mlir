// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// fused_c1
tapestry.graph @one {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{holds 1 operation, expected 2}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Y = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
}

// -----

// fused_c1
tapestry.graph @other {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{holds 'arith.negf', which has no index space}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = arith.negf %Z : tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
}

// -----

// fused_c1
tapestry.graph @view {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{holds operators that are not one: 'tapestry.reverse' has no blocks of its own}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.reverse "Y" %Z along [0] : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
}

// -----

// fused_c1
tapestry.graph @planned {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{holds 'Y' with a plan, which only it may have itself}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] partition #tapestry_index.partition<[[], []]> {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
}

// -----

// fused_c1
#pairs = #tapestry.kernel<"pairs" [i, k] (X : f32[i, k]) -> (Y : f32[i, k], E : f32[i] add)>
tapestry.graph @results {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{'Z' has 2 results, expected 1}}
  %Y = tapestry.fused "Y" (%X) {
  ^bb0(%x: tensor<5x8xf32>):
    %Z, %E = tapestry.block "Z" #pairs [i = 5, k = 8] (%x) {} : (tensor<5x8xf32>) -> (tensor<5x8xf32>, tensor<5xf32>)
    %Y = tapestry.einsum "Y" [i = 5, j = 8] (%Z[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x8xf32>) -> tensor<5x8xf32>
    tapestry.fused_yield %Y : tensor<5x8xf32>
  } : (tensor<5x8xf32>) -> tensor<5x8xf32>
}

// -----

// fused_c1
tapestry.graph @running {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{'Z' runs on along 'i'}}
  %Y = tapestry.fused "Y" (%X) {
  ^bb0(%x: tensor<5x8xf32>):
    %Z = tapestry.scan "Z" ["i", "j"] <add> along "i" %x : (tensor<5x8xf32>) -> tensor<5x8xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 8] (%Z[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x8xf32>) -> tensor<5x8xf32>
    tapestry.fused_yield %Y : tensor<5x8xf32>
  } : (tensor<5x8xf32>) -> tensor<5x8xf32>
}

// -----

// fused_c2
tapestry.graph @pieces {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{'Z' reads operand 0 in 2 pieces, expected 1}}
  %Y = tapestry.fused "Y" (%X) {
  ^bb0(%x: tensor<5x8xf32>):
    %Z = tapestry.einsum "Z" [i = 5, k = 8] (%x[i, (k + 3) mod 8]) -> [i] reduce add {
    ^bb0(%p: f32):
      tapestry.yield %p : f32
    } : (tensor<5x8xf32>) -> tensor<5xf32>
    %Y = tapestry.einsum "Y" [i = 5] (%Z[i]) -> [i] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
    tapestry.fused_yield %Y : tensor<5xf32>
  } : (tensor<5x8xf32>) -> tensor<5xf32>
}

// -----

// fused_c3
#rows = #tapestry.kernel<"rows" [i] (X : f32[i, *]) -> (Y : f32[i, *])>
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{'Z' writes dimension 1 otherwise than by a label}}
  %Y = tapestry.fused "Y" (%X) {
  ^bb0(%x: tensor<5x8xf32>):
    %Z = tapestry.block "Z" #rows [i = 5] (%x) {} : (tensor<5x8xf32>) -> tensor<5x8xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 8] (%Z[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x8xf32>) -> tensor<5x8xf32>
    tapestry.fused_yield %Y : tensor<5x8xf32>
  } : (tensor<5x8xf32>) -> tensor<5x8xf32>
}

// -----

// fused_c3
tapestry.graph @sums {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{'Y' reduces 'j'}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i] reduce add {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5xf32>
    tapestry.fused_yield %Y : tensor<5xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5xf32>
}

// -----

// fused_c4
tapestry.graph @unread {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  %V = tapestry.source "V" : tensor<5x6xf32>
  // expected-error @below {{'Y' does not read 'Z'}}
  %Y = tapestry.fused "Y" (%X, %W, %V) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>, %v: tensor<5x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%v[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>, tensor<5x6xf32>) -> tensor<5x6xf32>
}

// -----

// fused_c4
tapestry.graph @ends {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{'Y' reads 'Z' by operand 0 beside its ends}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j + 1] pad 0.0 : f32) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
}

// -----

// fused_c4
tapestry.graph @shifted {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{'Y' reads 'Z', of rank 2, otherwise than at all of its 2 labels}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[-i + 4, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
}

// -----

// fused_c4
tapestry.graph @broadcast {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{'Y' reads 'Z', of rank 2, otherwise than at all of its 3 labels}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6, n = 3] (%Z[i, j]) -> [i, j, n] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6x3xf32>
    tapestry.fused_yield %Y : tensor<5x6x3xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6x3xf32>
}

// -----

// fused_c4
tapestry.graph @twice {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{'Y' reads 'Z' by operand 1 at other places than before}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 5, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x5xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 5] (%Z[i, j], %Z[j, i]) -> [i, j] {
    ^bb0(%z: f32, %v: f32):
      %a = arith.addf %z, %v : f32
      tapestry.yield %a : f32
    } : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
    tapestry.fused_yield %Y : tensor<5x5xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x5xf32>
}

// -----

// fused_c5
tapestry.graph @order {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{holds operators that take 2 tensors, which are not the 2 arguments in their order}}
  %Y = tapestry.fused "Y" (%W, %X) {
  ^bb0(%w: tensor<8x6xf32>, %x: tensor<5x8xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<8x6xf32>, tensor<5x8xf32>) -> tensor<5x6xf32>
}

// -----

// fused_c5
tapestry.graph @more {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{holds operators that take 2 tensors, which are not the 3 arguments in their order}}
  %Y = tapestry.fused "Y" (%X, %W, %X) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>, %o: tensor<5x8xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>, tensor<5x8xf32>) -> tensor<5x6xf32>
}

// -----

// fused_c5
tapestry.graph @between {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{ends with what is not the result of 'Y'}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Z : tensor<5x6xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
}

// -----

// fused_c6
tapestry.graph @operands {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{has 1 operand, expected one per argument: 2}}
  %Y = tapestry.fused "Y" (%X) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<5x8xf32>) -> tensor<5x6xf32>
}

// -----

// fused_c6
tapestry.graph @type {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{operand 1 is 'tensor<5x8xf32>', but the argument is 'tensor<8x6xf32>'}}
  %Y = tapestry.fused "Y" (%X, %X) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x6xf32>
}

// -----

// fused_c6
tapestry.graph @result {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{the result is 'tensor<6x5xf32>', but 'Y' makes 'tensor<5x6xf32>'}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<6x5xf32>
}

// -----

// fused_c7
tapestry.graph @empty {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{'Z' reads operand 0 along labels that it reduces, one of which has 0 points or is divided or wraps around beside others}}
  %Y = tapestry.fused "Y" (%X) {
  ^bb0(%x: tensor<5x8xf32>):
    %Z = tapestry.einsum "Z" [i = 5, k = 0] (%x[i, k]) -> [i] reduce add {
    ^bb0(%p: f32):
      tapestry.yield %p : f32
    } : (tensor<5x8xf32>) -> tensor<5xf32>
    %Y = tapestry.einsum "Y" [i = 5] (%Z[i]) -> [i] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
    tapestry.fused_yield %Y : tensor<5xf32>
  } : (tensor<5x8xf32>) -> tensor<5xf32>
}

// -----

// fused_c7
tapestry.graph @divided {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{'Z' reads operand 1 along labels that it reduces, one of which has 0 points or is divided or wraps around beside others}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, k = 8] (%x[i, k], %w[(i + k) floordiv 2, 0]) -> [i] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5xf32>
    %Y = tapestry.einsum "Y" [i = 5] (%Z[i]) -> [i] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
    tapestry.fused_yield %Y : tensor<5xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5xf32>
}

// -----

// fused_c1
tapestry.graph @asked {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{holds 0 operations, expected 2}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    tapestry.fused_yield %x : tensor<5x8xf32>
  } attributes {tapestry.constraints = [#tapestry.constraint<pin cut {i = 2}>]} : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x8xf32>
}

// -----

// tapestry_c2
tapestry.graph @labels {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{has a constraint on label 'k', its labels are}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } attributes {tapestry.constraints = [#tapestry.constraint<pin cut {k = 2}>]} : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
}

// -----

// fused_c8
tapestry.graph @partition {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{has a partition of rank 3 for 2 labels}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32> partition #tapestry_index.partition<[[], [], []]>
}

// -----

// fused_c9
tapestry.graph @home {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{has a home of extent 5 in dimension 1, but the tensor has extent 6}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32> home #tapestry_index.layout<[5, 5] on #tapestry_index.grid<"d" = 2>>
}

// -----

// fused_c10
tapestry.graph @routes {
  %X = tapestry.source "X" : tensor<5x8xf32>
  %W = tapestry.source "W" : tensor<8x6xf32>
  // expected-error @below {{has routes for 1 of 2 operands}}
  %Y = tapestry.fused "Y" (%X, %W) {
  ^bb0(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      tapestry.yield %m : f32
    } : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
    %Y = tapestry.einsum "Y" [i = 5, j = 6] (%Z[i, j]) -> [i, j] {
    ^bb0(%z: f32):
      %a = math.absf %z : f32
      tapestry.yield %a : f32
    } : (tensor<5x6xf32>) -> tensor<5x6xf32>
    tapestry.fused_yield %Y : tensor<5x6xf32>
  } attributes {operand_routes = [[]]} : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32> home #tapestry_index.layout<[5, 6] on #tapestry_index.grid<"d" = 2>>
}
