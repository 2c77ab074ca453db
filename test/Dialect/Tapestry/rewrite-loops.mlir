// Bodies of loops are rewritten as all else is.

// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-order-contractions))' | FileCheck %s --check-prefix=ORDER
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{list=true apply={fuse:E;fuse:t.Y:t.S}}))' | FileCheck %s
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-apply-rules{rules=fuse-elementwise}))' | FileCheck %s --check-prefix=RULES

// ORDER: ["order", "t.X", "1 2", "0 3"]
// ORDER: tapestry.loop "t"
// ORDER: ^bb0(%[[X:.*]]: tensor<8x2xf32>):
// ORDER: %[[Y:.*]] = tapestry.einsum "t.Y"
// ORDER: %[[P:.*]] = tapestry.einsum "t.X.1" {{.*}} reduce add
// ORDER: %[[N:.*]] = tapestry.einsum "t.X" {{.*}}%[[P]]
// ORDER: tapestry.next %[[N]]

// What is outside is fused into what is inside, and that further.
// CHECK: {{^}}fuse:E:t.Y{{$}}
// CHECK: {{^}}fuse:t.Y:t.S{{$}}
// CHECK-NOT: einsum "E"
// CHECK: tapestry.loop "t"
// CHECK-NOT: einsum "t.Y"
// CHECK: einsum "t.S" [i = 8, l = 2] (%{{.*}}[i, l], %A[i, i]) -> [i, l] {
// CHECK: math.exp

// Rules leave outside what would be computed in every pass.
// RULES: tapestry.rewrites = {{\[\[}}"rule", "t.S", "fuse-elementwise"]]
// RULES: tapestry.einsum "E"
// RULES: tapestry.loop "t"
// RULES-NOT: einsum "t.Y"
// RULES: tapestry.einsum "t.S"
// RULES: arith.addf
// RULES-NEXT: arith.subf
tapestry.graph @g {
  %A = tapestry.source "A" : tensor<8x8xf32>
  %X0 = tapestry.source "X" : tensor<8x2xf32>
  %E = tapestry.einsum "E" [i = 8] (%A[i, i]) -> [i] {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    tapestry.yield %0 : f32
  } : (tensor<8x8xf32>) -> tensor<8xf32>
  %start = tapestry.einsum "t.X.start" [i = 8, l = 2] (%X0[i, l]) -> [i, l] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<8x2xf32>) -> tensor<8x2xf32>
  %X = tapestry.loop "t" 3 from %start : tensor<8x2xf32> {
  ^bb0(%x: tensor<8x2xf32>):
    %Y = tapestry.einsum "t.Y" [i = 8, l = 2] (%x[i, l], %E[i]) -> [i, l] {
    ^bb0(%0: f32, %e: f32):
      %1 = arith.addf %0, %e : f32
      tapestry.yield %1 : f32
    } : (tensor<8x2xf32>, tensor<8xf32>) -> tensor<8x2xf32>
    %S = tapestry.einsum "t.S" [i = 8, l = 2] (%Y[i, l], %E[i]) -> [i, l] {
    ^bb0(%0: f32, %e: f32):
      %1 = arith.subf %0, %e : f32
      tapestry.yield %1 : f32
    } : (tensor<8x2xf32>, tensor<8xf32>) -> tensor<8x2xf32>
    %next = tapestry.einsum "t.X" [i = 8, l = 2, j = 8, k = 8]
        (%A[i, j], %A[j, k], %S[k, l]) -> [i, l] reduce add {
    ^bb0(%a: f32, %b: f32, %y: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.mulf %0, %y : f32
      tapestry.yield %1 : f32
    } : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
    tapestry.next %next : tensor<8x2xf32>
  }
  tapestry.sink "X", %X : tensor<8x2xf32>
}
