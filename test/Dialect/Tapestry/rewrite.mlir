// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=fuse:E:S}))' | FileCheck %s
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{list=true apply={recompute:E:S;fuse:E.1:S}}))' | FileCheck %s --check-prefix=LIST
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=fuse:S:E}))' 2>&1 | FileCheck %s --check-prefix=REFUSED

// REFUSED: rewrite.mlir:[[# @LINE + 18]]:1: error: rewrite 'fuse' of 'S': 'S' reduces, so its body would be no function of single elements

// LIST: {{^}}fuse:E:S{{$}}
// LIST-NEXT: {{^}}fuse:E:M{{$}}
// LIST-NEXT: {{^}}fuse:E{{$}}
// LIST-NEXT: {{^}}recompute:E:S{{$}}
// LIST-NEXT: {{^}}recompute:E:M{{$}}
// LIST: tapestry.rewrites = {{\[\[}}"recompute", "E", "S"], ["fuse", "E.1", "S"]]
// LIST: %[[E:.*]] = tapestry.einsum "E"
// LIST-NOT: "E.1" [
// LIST: tapestry.einsum "S" [i = 8] (%A[i])
// LIST: tapestry.einsum "M" [i = 8] (%[[E]][i])

// CHECK: tapestry.graph @g attributes {tapestry.rewrites = {{\[\[}}"fuse", "E", "S"]]}
// CHECK: tapestry.einsum "S" [i = 8] (%A[i]) -> [] reduce add {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: %[[Y:.*]] = math.exp %[[X]] : f32
// CHECK-NEXT: tapestry.yield %[[Y]] : f32
tapestry.graph @g {
  %A = tapestry.source "A" : tensor<8xf32>
  %E = tapestry.einsum "E" [i = 8] (%A[i]) -> [i] {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    tapestry.yield %0 : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  %S = tapestry.einsum "S" [i = 8] (%E[i]) -> [] reduce add {
  ^bb0(%e: f32):
    tapestry.yield %e : f32
  } : (tensor<8xf32>) -> tensor<f32>
  %M = tapestry.einsum "M" [i = 8] (%E[i]) -> [] reduce max {
  ^bb0(%e: f32):
    tapestry.yield %e : f32
  } : (tensor<8xf32>) -> tensor<f32>
  tapestry.sink "S", %S : tensor<f32>
  tapestry.sink "M", %M : tensor<f32>
}
