// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of tapestry.loop, named after it.

func.func @loop_c1_none(%A: tensor<5xf32>) {
  // expected-error @below {{carries no tensor from one pass to the next}}
  "tapestry.loop"() <{name = "t", trips = 3 : i64}> ({
    "tapestry.next"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @loop_c1_argument(%A: tensor<5xf32>) {
  %S = tapestry.einsum "S" [i = 5] (%A[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
  // expected-error @below {{carries 'tensor<5xf32>' as number 0, but the body's is 'tensor<4xf32>'}}
  %L = tapestry.loop "t" 3 from %S : tensor<5xf32> {
  ^bb0(%x: tensor<4xf32>):
    %n = tapestry.einsum "t.X" [i = 5] (%A[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
    tapestry.next %n : tensor<5xf32>
  }
  return
}

// -----

func.func @loop_c1_passes(%A: tensor<5xf32>) {
  %S = tapestry.einsum "S" [i = 5] (%A[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
  // expected-error @below {{attribute 'trips' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %L = tapestry.loop "t" 0 from %S : tensor<5xf32> {
  ^bb0(%x: tensor<5xf32>):
    tapestry.next %S : tensor<5xf32>
  }
  return
}

// -----

func.func @loop_c2_other(%A: tensor<5xf32>) {
  %S = tapestry.einsum "S" [i = 5] (%A[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
  // expected-error @below {{holds 'arith.constant', but a body has only operators, loops and sequence points}}
  %L = tapestry.loop "t" 3 from %S : tensor<5xf32> {
  ^bb0(%x: tensor<5xf32>):
    %p = tapestry.sequence_point none
    %c = arith.constant 3 : i32
    tapestry.next %x : tensor<5xf32>
  }
  return
}

// -----

func.func @loop_c2_count(%A: tensor<5xf32>) {
  %S = tapestry.einsum "S" [i = 5] (%A[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
  // expected-error @below {{carries 1 tensors, but its body has 2 operands of 'tapestry.next'}}
  %L = tapestry.loop "t" 3 from %S : tensor<5xf32> {
  ^bb0(%x: tensor<5xf32>):
    tapestry.next %x, %x : tensor<5xf32>, tensor<5xf32>
  }
  return
}

// -----

func.func @loop_c2_type(%A: tensor<5xf32>) {
  %S = tapestry.einsum "S" [i = 5] (%A[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
  // expected-error @below {{carries 'tensor<5xf32>' as number 0, but the body's is 'tensor<i1>'}}
  %L = tapestry.loop "t" 3 from %S : tensor<5xf32> {
  ^bb0(%x: tensor<5xf32>):
    %n = tapestry.einsum "n" [] () -> [] {
      %true = arith.constant true
      tapestry.yield %true : i1
    } : () -> tensor<i1>
    tapestry.next %n : tensor<i1>
  }
  return
}

// -----

func.func @loop_c3_given(%A: tensor<5xf32>) {
  // expected-error @below {{operand 0 is not the result of an operator in the block of the loop}}
  %L = tapestry.loop "t" 3 from %A : tensor<5xf32> {
  ^bb0(%x: tensor<5xf32>):
    %n = tapestry.einsum "t.X" [i = 5] (%x[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
    tapestry.next %n : tensor<5xf32>
  }
  return
}

// -----

func.func @loop_c3_read(%A: tensor<5xf32>) {
  %S = tapestry.einsum "S" [i = 5] (%A[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
  // expected-error @below {{operand 0 is read by others, too, but its memory becomes the loop's}}
  %L = tapestry.loop "t" 3 from %S : tensor<5xf32> {
  ^bb0(%x: tensor<5xf32>):
    %n = tapestry.einsum "t.X" [i = 5] (%S[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
    tapestry.next %n : tensor<5xf32>
  }
  return
}

// -----

func.func @loop_c4_given(%A: tensor<5xf32>) {
  %S = tapestry.einsum "S" [i = 5] (%A[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
  %L = tapestry.loop "t" 3 from %S : tensor<5xf32> {
  ^bb0(%x: tensor<5xf32>):
    // expected-error @below {{operand 0 is not the result of an operator of the body}}
    tapestry.next %x : tensor<5xf32>
  }
  return
}

// -----

func.func @loop_c4_twice(%A: tensor<5xf32>) {
  %S = tapestry.einsum "S" [i = 5] (%A[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
  %R = tapestry.einsum "R" [i = 5] (%A[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
  %L:2 = tapestry.loop "t" 3 from %S, %R : tensor<5xf32>, tensor<5xf32> {
  ^bb0(%x: tensor<5xf32>, %y: tensor<5xf32>):
    %n = tapestry.einsum "t.X" [i = 5] (%x[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
    // expected-error @below {{operand 1 is carried as another tensor already}}
    tapestry.next %n, %n : tensor<5xf32>, tensor<5xf32>
  }
  return
}

// -----

func.func @loop_c4_stop(%A: tensor<5xf32>, %b: tensor<i1>) {
  %S = tapestry.einsum "S" [i = 5] (%A[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
  %L = tapestry.loop "t" 3 from %S : tensor<5xf32> {
  ^bb0(%x: tensor<5xf32>):
    %n = tapestry.einsum "t.X" [i = 5] (%x[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
    // expected-error @below {{stops by what is not the result of an operator of the body}}
    tapestry.next %n : tensor<5xf32> until %b : tensor<i1>
  }
  return
}
