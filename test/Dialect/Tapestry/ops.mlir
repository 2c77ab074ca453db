// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | not grep -a "#tapestry"

// CHECK-DAG: #[[GRID:.*]] = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3>
// CHECK-DAG: #[[ROWS:.*]] = #tapestry_index.layout<[97 by "d.0", 41] on #[[GRID]]>
#rows = #tapestry_index.layout<[97 by "d.0", 41] on #grid>
// CHECK-DAG: #[[COLUMNS:.*]] = #tapestry_index.layout<[97, 41 by "d.1"] on #[[GRID]]>
#columns = #tapestry_index.layout<[97, 41 by "d.1"] on #grid>

// CHECK-LABEL: tapestry.graph @window
// CHECK-SAME: on #[[GRID]] {
tapestry.graph @window on #grid {
  // CHECK: %[[A:.*]] = tapestry.source "A" : tensor<97x53xf32>
  %A = tapestry.source "A" : tensor<97x53xf32>
  // CHECK: %[[X:.*]] = tapestry.source "X" {file = "x.npy"} : tensor<244x41xf32> partition #tapestry_index.partition<{{\[\[}}"d.0"], []]>
  %X = tapestry.source "X" {file = "x.npy"} : tensor<244x41xf32> partition #tapestry_index.partition<[["d.0"], []]>
  // CHECK: %[[H:.*]] = tapestry.source "H" : tensor<97x41xf32> partition #tapestry_index.partition<{{\[\[}}], []]> home #[[ROWS]]
  %H = tapestry.source "H" : tensor<97x41xf32> partition #tapestry_index.partition<[[], []]> home #rows
  // CHECK: %[[C:.*]] = tapestry.einsum "C" [i1 = 97, k = 41, j = 53] (%[[A]][i1, j], %[[X]][2 * i1 + j - 1, k] pad 0.000000e+00 : f32) -> [i1, k] reduce add
  // CHECK-SAME: partition #tapestry_index.partition<{{\[\[}}"d.0"], [], ["d.1"]]> home #[[ROWS]] attributes {cost = 7 : i64} {
  // CHECK-NEXT: ^bb0(%[[a:.*]]: f32, %[[x:.*]]: f32):
  // CHECK-NEXT: %[[m:.*]] = arith.mulf %[[a]], %[[x]] : f32
  // CHECK-NEXT: tapestry.yield %[[m]] : f32
  // CHECK-NEXT: } : (tensor<97x53xf32>, tensor<244x41xf32>) -> tensor<97x41xf32>
  %C = tapestry.einsum "C" [i1 = 97, k = 41, j = 53] (%A[i1, j], %X[2*i1 + j - 1, k] pad 0.0 : f32) -> [i1, k] reduce add
      partition #tapestry_index.partition<[["d.0"], [], ["d.1"]]> home #rows attributes {cost = 7} {
  ^bb0(%a: f32, %x: f32):
    %m = arith.mulf %a, %x : f32
    tapestry.yield %m : f32
  } : (tensor<97x53xf32>, tensor<244x41xf32>) -> tensor<97x41xf32>
  // CHECK: %[[P:.*]] = tapestry.sequence_point %[[C]] : tensor<97x41xf32>
  %p = tapestry.sequence_point %C : tensor<97x41xf32>
  // CHECK: %[[Q:.*]] = tapestry.sequence_point %[[H]], %[[P]] : tensor<97x41xf32>, !tapestry.point {last}
  %q = tapestry.sequence_point %H, %p : tensor<97x41xf32>, !tapestry.point {last}
  // CHECK: tapestry.sink "C", %[[C]] : tensor<97x41xf32>
  tapestry.sink "C", %C : tensor<97x41xf32>
  // CHECK: tapestry.einsum "R" [i = 97, k = 41] (%[[C]][i, k], %[[H]][i, k]) -> [i, k]
  // CHECK-SAME: home #[[ROWS]] home_route [#[[ROWS]], #[[COLUMNS]]] operand_routes {{\[\[}}#[[COLUMNS]]], []] {
  %R = tapestry.einsum "R" [i = 97, k = 41] (%C[i, k], %H[i, k]) -> [i, k]
      home #rows home_route [#rows, #columns] operand_routes [[#columns], []] {
  ^bb0(%c: f32, %h: f32):
    tapestry.yield %c : f32
  } : (tensor<97x41xf32>, tensor<97x41xf32>) -> tensor<97x41xf32>
  // CHECK: tapestry.sink "Z", %[[C]] after %[[P]], %[[Q]] {replace} : tensor<97x41xf32>
  tapestry.sink "Z", %C after %p, %q {replace} : tensor<97x41xf32>
}

// Subscripts that divide, rounding down, and wrap around, in one form. What
// wraps around the whole tensor is read in pieces, with a route each.
// CHECK-LABEL: tapestry.graph @around
tapestry.graph @around on #grid {
  %U = tapestry.source "U" : tensor<97x41xf32>
  // CHECK: (%{{.*}}[(i + 98) mod 97, (j floordiv 2) mod 5], %{{.*}}[(f - 41) floordiv 41, f mod 41] pad 0.000000e+00 : f32)
  %A = tapestry.einsum "A" [i = 97, j = 41, f = 5] (%U[(i + 98) mod 97, (j mod 10) floordiv 2], %U[f floordiv 41 - 1, f mod 41] pad 0.0 : f32) -> [i, j, f] {
  ^bb0(%u: f32, %v: f32):
    tapestry.yield %u : f32
  } : (tensor<97x41xf32>, tensor<97x41xf32>) -> tensor<97x41x5xf32>
  // CHECK: tapestry.einsum "B" {{.*}} operand_routes {{\[\[}}], [#[[COLUMNS]]]] {
  %B = tapestry.einsum "B" [i = 97, j = 41] (%U[(i - 1) mod 97, j]) -> [i, j]
      home #rows operand_routes [[], [#columns]] {
  ^bb0(%u: f32):
    tapestry.yield %u : f32
  } : (tensor<97x41xf32>) -> tensor<97x41xf32>
}

// Every monoid; integers, booleans, narrow floats with a wide accumulator.
// CHECK-LABEL: tapestry.graph @monoids {
tapestry.graph @monoids {
  %I = tapestry.source "I" : tensor<5x7xi32>
  %B = tapestry.source "B" : tensor<5x7xi1>
  %N = tapestry.source "N" : tensor<5x7xbf16>
  // CHECK: -> [i] reduce mul {
  %0 = tapestry.einsum "mul" [i = 5, j = 7] (%I[i, j]) -> [i] reduce mul {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<5x7xi32>) -> tensor<5xi32>
  // CHECK: -> [j] reduce max {
  %1 = tapestry.einsum "max" [i = 5, j = 7] (%I[i, j]) -> [j] reduce max {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<5x7xi32>) -> tensor<7xi32>
  // CHECK: -> [] reduce min {
  %2 = tapestry.einsum "min" [i = 5, j = 7] (%I[i, j]) -> [] reduce min {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<5x7xi32>) -> tensor<i32>
  // CHECK: reduce and {
  %3 = tapestry.einsum "all" [i = 5, j = 7] (%B[i, j]) -> [i] reduce and {
  ^bb0(%x: i1):
    tapestry.yield %x : i1
  } : (tensor<5x7xi1>) -> tensor<5xi1>
  // CHECK: reduce or {
  %4 = tapestry.einsum "any" [i = 5, j = 7] (%B[i, j]) -> [i] reduce or {
  ^bb0(%x: i1):
    tapestry.yield %x : i1
  } : (tensor<5x7xi1>) -> tensor<5xi1>
  // CHECK: reduce xor {
  %5 = tapestry.einsum "xor" [i = 5, j = 7] (%I[i, j]) -> [i] reduce xor {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<5x7xi32>) -> tensor<5xi32>
  // CHECK: reduce add {
  // CHECK: tapestry.yield %{{.*}} : f32
  %6 = tapestry.einsum "sum" [i = 5, j = 7] (%N[i, j]) -> [i] reduce add {
  ^bb0(%x: bf16):
    %w = arith.extf %x : bf16 to f32
    tapestry.yield %w : f32
  } : (tensor<5x7xbf16>) -> tensor<5xbf16>
  // CHECK: reduce custom {
  // CHECK: } combine {
  // CHECK-NEXT: ^bb0(%[[x:.*]]: i32, %[[y:.*]]: i32):
  // CHECK-NEXT: %[[z:.*]] = arith.muli %[[x]], %[[y]] : i32
  // CHECK-NEXT: tapestry.yield %[[z]] : i32
  // CHECK-NEXT: } identity 1 : i32 : (tensor<5x7xi32>) -> tensor<5xi32>
  %7 = tapestry.einsum "custom" [i = 5, j = 7] (%I[i, j]) -> [i] reduce custom {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } combine {
  ^bb0(%x: i32, %y: i32):
    %z = arith.muli %x, %y : i32
    tapestry.yield %z : i32
  } identity 1 : i32 : (tensor<5x7xi32>) -> tensor<5xi32>
}

// Subscripts: a diagonal, negative and constant ones, a label of the body only,
// no operand at all, extent 0, labels that read like types or keywords.
// CHECK-LABEL: tapestry.graph @subscripts {
tapestry.graph @subscripts {
  %M = tapestry.source "M" : tensor<5x5xf64>
  %E = tapestry.source "E" : tensor<0x5xf64>
  // CHECK: (%{{.*}}[i, i]) -> [] reduce add
  %0 = tapestry.einsum "trace" [i = 5] (%M[i, i]) -> [] reduce add {
  ^bb0(%x: f64):
    tapestry.yield %x : f64
  } : (tensor<5x5xf64>) -> tensor<f64>
  // CHECK: (%{{.*}}[-i + 4, 3]) -> [i]
  %1 = tapestry.einsum "reverse" [i = 5] (%M[4 - i, 3]) -> [i] {
  ^bb0(%x: f64):
    tapestry.yield %x : f64
  } : (tensor<5x5xf64>) -> tensor<5xf64>
  // CHECK: tapestry.einsum "iota" [i = 5, j = 3] () -> [i] reduce max {
  // CHECK-NEXT: tapestry.label "i"
  // CHECK-NEXT: %[[J:.*]] = tapestry.label "j" {tag}
  %2 = tapestry.einsum "iota" [i = 5, j = 3] () -> [i] reduce max {
    %i = tapestry.label "i"
    %j = tapestry.label "j" {tag}
    %s = arith.addi %i, %j : index
    %w = arith.index_cast %s : index to i64
    tapestry.yield %w : i64
  } : () -> tensor<5xi64>
  // CHECK: [i = 0, j = 5] (%{{.*}}[i, j]) -> [j] reduce add
  %3 = tapestry.einsum "empty" [i = 0, j = 5] (%E[i, j]) -> [j] reduce add {
  ^bb0(%x: f64):
    tapestry.yield %x : f64
  } : (tensor<0x5xf64>) -> tensor<5xf64>
  // CHECK: [i32 = 5, true = 5, max = 5] (%{{.*}}[i32, true], %{{.*}}[i32 + 2 * max - 7, true] pad 1.000000e+00 : f64) -> [max, i32, true]
  %4 = tapestry.einsum "names" [i32 = 5, true = 5, max = 5] (%M[i32, true], %M[i32 + 2 * max - 7, true] pad 1.0 : f64) -> [max, i32, true] {
  ^bb0(%x: f64, %y: f64):
    %z = arith.addf %x, %y : f64
    tapestry.yield %z : f64
  } : (tensor<5x5xf64>, tensor<5x5xf64>) -> tensor<5x5x5xf64>
}

// A point that waits for nothing, before what might be its operand.
// CHECK-LABEL: tapestry.graph @first
tapestry.graph @first {
  // CHECK: %[[P:.*]] = tapestry.sequence_point none
  %p = tapestry.sequence_point none
  // CHECK: tapestry.sequence_point %[[P]]
  %q = tapestry.sequence_point %p : !tapestry.point
  // CHECK: tapestry.sequence_point none {last}
  %r = tapestry.sequence_point none {last}
}

// CHECK-LABEL: tapestry.graph @empty attributes {tag} {
// CHECK-NEXT: }
tapestry.graph @empty attributes {tag} {}

// An einsum needs no graph.
// CHECK-LABEL: func @embedded
func.func @embedded(%a: tensor<5xf16>) -> tensor<5xf16> {
  // CHECK: tapestry.einsum "twice" [i = 5] (%{{.*}}[i]) -> [i] {
  %0 = tapestry.einsum "twice" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f16):
    %y = arith.addf %x, %x : f16
    tapestry.yield %y : f16
  } : (tensor<5xf16>) -> tensor<5xf16>
  return %0 : tensor<5xf16>
}

// What leaves an operand may be folded back into it; what stays inside is not.
// CHECK-LABEL: tapestry.graph @folds
tapestry.graph @folds on #grid {
  %U = tapestry.source "U" : tensor<97x41xf32>
  // CHECK: (%{{.*}}[i - 1, j] edge, %{{.*}}[i, 2 * j - 7] reflect, %{{.*}}[i floordiv 2, (j + 3) mod 41] symmetric)
  %A = tapestry.einsum "A" [i = 97, j = 41] (%U[i - 1, j] edge, %U[i, 2 * j - 7] reflect, %U[i floordiv 2, (j + 3) mod 41] symmetric) -> [i, j] {
  ^bb0(%u: f32, %v: f32, %w: f32):
    tapestry.yield %v : f32
  } : (tensor<97x41xf32>, tensor<97x41xf32>, tensor<97x41xf32>) -> tensor<97x41xf32>
  tapestry.sink "A", %A : tensor<97x41xf32>
}
