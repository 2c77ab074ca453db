// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of tapestry.block, named after it.

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c1(%x: tensor<4xf64>) {
  // expected-error @below {{input 'X' is 'tensor<4xf64>', but its kernel has rank 1 and elements of type 'f32'}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} : (tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c1_count(%x: tensor<4xf32>) {
  // expected-error @below {{has 2 inputs, but its kernel has 1}}
  %y = tapestry.block "Y" #f [i = 4] (%x, %x) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c1_extents(%x: tensor<4xf32>) {
  // expected-error @below {{has 1 label but 2 extents}}
  %y = "tapestry.block"(%x) <{name = "Y", kernel = #f, extents = array<i64: 4, 4>, params = {}}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c1_label(%x: tensor<4xf32>) {
  // expected-error @below {{expected label 'i', got 'j'}}
  %y = tapestry.block "Y" #f [j = 4] (%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[2 * i + 1 : 3]) -> (Y : f32[i])>
func.func @block_c2(%x: tensor<9xf32>) {
  // expected-error @below {{subscript '2 * i + 1' of 'X' reads [1, 10), outside dimension 0 of extent 9}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} : (tensor<9xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[4611686018427387904 * i]) -> (Y : f32[i])>
func.func @block_c2_reach(%x: tensor<9xf32>) {
  // expected-error @below {{of 'X' reaches 2^62 or more}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} : (tensor<9xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[3 * i : 3])>
func.func @block_c3(%x: tensor<4xf32>) {
  // expected-error @below {{writes 4 times 3 elements along dimension 0 of extent 11 of 'Y'}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} : (tensor<4xf32>) -> tensor<11xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i] params a : f32) -> (Y : f32[i])>
func.func @block_c4(%x: tensor<4xf32>) {
  // expected-error @below {{parameter 'a' is 1 : i32, expected a constant of type 'f32'}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {a = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c4_unknown(%x: tensor<4xf32>) {
  // expected-error @below {{has a parameter 'a', which its kernel does not know}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {a = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c5(%x: tensor<4xf32>) {
  // expected-error @below {{has a partition of rank 2 for 1 label}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} : (tensor<4xf32>) -> tensor<4xf32> partition #tapestry_index.partition<[[], []]>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[2 * i : 2])>
func.func @block_c5_tile(%x: tensor<4xf32>) {
  // expected-error @below {{cuts label 'i', which moves tiles of what is written}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} : (tensor<4xf32>) -> tensor<8xf32> partition #tapestry_index.partition<[["d"]]>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c6(%x: tensor<4xf32>) {
  // expected-error @below {{has a home of extent 5 in dimension 0, but the tensor has extent 4}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} : (tensor<4xf32>) -> tensor<4xf32> homes [#tapestry_index.layout<[5] on #tapestry_index.grid<"d" = 2>>]
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c6_count(%x: tensor<4xf32>) {
  // expected-error @below {{has 0 homes for 1 result}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} : (tensor<4xf32>) -> tensor<4xf32> homes []
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c7(%x: tensor<4xf32>) {
  // expected-error @below {{has the route of operand 0, but no home}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} attributes {operand_routes = [[]]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c7_count(%x: tensor<4xf32>) {
  // expected-error @below {{has routes for 2 of 1 operand}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} attributes {operand_routes = [[], []]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c8(%x: tensor<4xf32>) {
  // expected-error @below {{costs -1 : i64 of 'ram', expected a number of type i64, at least 0}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} costs {ram = -1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c8_type(%x: tensor<4xf32>) {
  // expected-error @below {{costs 5.000000e-01 : f32 of 'flops', expected a number of type i64, at least 0}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} costs {flops = 0.5 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// By way of a loop that carries it, and into one inside.
#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
tapestry.graph @block_c9 {
  %X = tapestry.source "X" : tensor<4xf32>
  // expected-note @below {{the block is here}}
  %A = tapestry.block "A" #f [i = 4] (%X) {} : (tensor<4xf32>) -> tensor<4xf32>
  %Y = tapestry.loop "outer" 5 from %A : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = tapestry.block "b" #f [i = 4] (%X) {} idempotent : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @below {{'inner' ends by a condition that depends on block 'A', which is not idempotent: devices could disagree}}
    %c = tapestry.loop "inner" 5 from %b : tensor<4xf32> {
    ^bb0(%d: tensor<4xf32>):
      %e = tapestry.block "e" #f [i = 4] (%d) {} idempotent : (tensor<4xf32>) -> tensor<4xf32>
      %stop = tapestry.einsum "stop" [i = 4] (%a[i]) -> [] reduce or {
      ^bb0(%x: f32):
        %zero = arith.constant 0.0 : f32
        %s = arith.cmpf olt, %x, %zero : f32
        tapestry.yield %s : i1
      } : (tensor<4xf32>) -> tensor<i1>
      tapestry.next %e : tensor<4xf32> until %stop : tensor<i1>
    }
    %copy = tapestry.einsum "copy" [i = 4] (%c[i]) -> [i] {
    ^bb0(%x: f32):
      tapestry.yield %x : f32
    } : (tensor<4xf32>) -> tensor<4xf32>
    tapestry.next %copy : tensor<4xf32>
  }
  tapestry.sink "Y", %Y : tensor<4xf32>
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i - 1 : 3]) -> (Y : f32[i])>
func.func @block_c10_count(%x: tensor<4xf32>) {
  // expected-error @below {{has 2 pads for 1 input}}
  %y = tapestry.block "Y" #f [i = 4] (%x) pads [0.0 : f32, unit] {} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i - 1 : 3]) -> (Y : f32[i])>
func.func @block_c10(%x: tensor<4xf32>) {
  // expected-error @below {{pads 'X' with 0 : i32, expected a constant of type 'f32'}}
  %y = tapestry.block "Y" #f [i = 4] (%x) pads [0 : i32] {} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i - 1 : 3]) -> (Y : f32[i])>
func.func @block_c10_unit(%x: tensor<4xf32>) {
  // expected-error @below {{subscript 'i - 1' of 'X' reads [-1, 5), outside dimension 0 of extent 4}}
  %y = tapestry.block "Y" #f [i = 4] (%x) pads [unit] {} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[] custom)>
func.func @block_c11_count(%x: tensor<4xf32>) {
  // expected-error @below {{has 0 combine regions and 0 identities for 1 custom monoids}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[] custom)>
func.func @block_c11_type(%x: tensor<4xf32>) {
  // expected-error @below {{argument 0 of the combine region has type 'f64', expected 'f32'}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} combine {
  ^bb0(%a: f64, %b: f64):
    tapestry.block_yield %a : f64
  } identity 0.0 : f32 : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[] custom)>
func.func @block_c11_identity(%x: tensor<4xf32>) {
  // expected-error @below {{has the identity 0 : i32, but combines values of type 'f32'}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} combine {
  ^bb0(%a: f32, %b: f32):
    tapestry.block_yield %a : f32
  } identity 0 : i32 : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[] custom)>
func.func @block_c11_ops(%x: tensor<4xf32>) {
  // expected-error @below {{the combine region holds 'tensor.splat', expected arith and math operations}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} combine {
  ^bb0(%a: f32, %b: f32):
    // expected-note @below {{the operation is here}}
    %t = tensor.splat %a : tensor<4xf32>
    tapestry.block_yield %b : f32
  } identity 0.0 : f32 : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i : 2], W : f32[i] params a : f64) -> (Y : f32[i])>
func.func @block_c12_arguments(%x: tensor<5xf32>, %w: tensor<4xf32>) {
  // expected-error @below {{argument 0 of the body has type 'f32', expected 'tensor<2xf32>'}}
  %y = tapestry.block "Y" #f [i = 4] (%x, %w) {a = 1.0 : f64} body {
  ^bb0(%a: f32, %b: f32, %c: f64, %i: index):
    tapestry.block_yield %b : f32
  } : (tensor<5xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i : 2]) -> (Y : f32[i])>
func.func @block_c12_count(%x: tensor<5xf32>) {
  // expected-error @below {{the body has 1 arguments, expected 2}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} body {
  ^bb0(%a: tensor<2xf32>):
    %c = arith.constant 0.0 : f32
    tapestry.block_yield %c : f32
  } : (tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i : 2]) -> (Y : f32[i])>
func.func @block_c12_outside(%x: tensor<5xf32>) {
  // expected-error @below {{the body reads 'X' of type 'tensor<2xf32>' at 2}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} body {
  ^bb0(%a: tensor<2xf32>, %i: index):
    %c = arith.constant 2 : index
    %b = tensor.extract %a[%c] : tensor<2xf32>
    tapestry.block_yield %b : f32
  } : (tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i : 2]) -> (Y : f32[i])>
func.func @block_c12_index(%x: tensor<5xf32>) {
  // expected-error @below {{the body reads 'X' of type 'tensor<2xf32>' at what is no constant}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} body {
  ^bb0(%a: tensor<2xf32>, %i: index):
    %b = tensor.extract %a[%i] : tensor<2xf32>
    tapestry.block_yield %b : f32
  } : (tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c12_ops(%x: tensor<4xf32>) {
  // expected-error @below {{the body holds 'tensor.splat', expected arith and math operations}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} body {
  ^bb0(%a: f32, %i: index):
    // expected-note @below {{the operation is here}}
    %t = tensor.splat %a : tensor<4xf32>
    tapestry.block_yield %a : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i], Z : f32[i])>
func.func @block_c12_yields(%x: tensor<4xf32>) {
  // expected-error @below {{the body ends in 'tapestry.block_yield' of 1 value, expected 'tapestry.block_yield' of 2}}
  %y:2 = tapestry.block "Y" #f [i = 4] (%x) {} body {
  ^bb0(%a: f32, %i: index):
    tapestry.block_yield %a : f32
  } : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i])>
func.func @block_c12_type(%x: tensor<4xf32>) {
  // expected-error @below {{the body yields 'i64' for 'Y', expected 'f32'}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} body {
  ^bb0(%a: f32, %i: index):
    %b = arith.index_cast %i : index to i64
    tapestry.block_yield %b : i64
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#f = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[2 * i : 2])>
func.func @block_c12_tiles(%x: tensor<4xf32>) {
  // expected-error @below {{has a body, but writes dimension 0 of 'Y' otherwise than by elements}}
  %y = tapestry.block "Y" #f [i = 4] (%x) {} body {
  ^bb0(%a: f32, %i: index):
    tapestry.block_yield %a : f32
  } : (tensor<4xf32>) -> tensor<8xf32>
  return
}
