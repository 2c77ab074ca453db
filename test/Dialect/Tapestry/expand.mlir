// Operators become what their rules say: by default what comes first, where
// others are preferred those.
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-expand))' | FileCheck %s --check-prefixes=CHECK,BLOCK
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-expand{prefer=linear-sum,matmul-prod}))' | FileCheck %s --check-prefixes=CHECK,PROD

// Step by step, and what can be done.
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{list=true apply={expand:Y:linear-sum;expand:Y.matmul:matmul-prod}}))' | FileCheck %s --check-prefixes=LIST

// LIST: {{^}}expand:Y:linear-block{{$}}
// LIST-NEXT: {{^}}expand:Y:linear-sum{{$}}
// LIST-NEXT: {{^}}expand:Z:linear-sum{{$}}
// LIST-NEXT: {{^}}expand:Unread:matmul-einsum{{$}}
// LIST-NEXT: {{^}}expand:Unread:matmul-prod{{$}}
// LIST-NEXT: module
// LIST: tapestry.graph @layers attributes {tapestry.rewrites = {{\[\[}}"expand", "Y", "linear-sum"], ["expand", "Y.matmul", "matmul-prod"]]}
// LIST: tapestry.operator "Z" "linear"

// BLOCK: tapestry.graph @layers attributes {tapestry.rewrites = {{\[\[}}"expand", "Y", "linear-block"], ["expand", "Z", "linear-sum"], ["expand", "Z.matmul", "matmul-einsum"]]}
// BLOCK: %[[M:.*]] = tapestry.einsum "Y.matmul" [batch = 4, out = 5, in = 6] (%X[batch, in], %W[in, out]) -> [batch, out] reduce add attributes {tapestry.constraints = [#tapestry.constraint<pin cut {in = 1 : i64}>]} {
// BLOCK: arith.mulf
// BLOCK: %Y = tapestry.einsum "Y" [batch = 4, out = 5] (%[[M]][batch, out], %b[out]) -> [batch, out] {
// BLOCK: arith.addf
// BLOCK: %[[N:.*]] = tapestry.einsum "Z.matmul" [batch = 4, out = 5, in = 6] {{.*}} attributes {tapestry.constraints = [#tapestry.constraint<pin cut {in = 2 : i64}>]} {

// PROD: %[[P:.*]] = tapestry.einsum "Y.matmul.prod" [batch = 4, in = 6, out = 5] (%X[batch, in], %W[in, out]) -> [batch, in, out] {
// PROD: arith.mulf
// PROD: %[[S:.*]] = tapestry.einsum "Y.matmul" [batch = 4, out = 5, in = 6] (%[[P]][batch, in, out]) -> [batch, out] reduce add {
// PROD-NEXT: ^bb0(%[[V:.*]]: f32):
// PROD-NEXT: tapestry.yield %[[V]] : f32
// PROD: %Y = tapestry.einsum "Y" [batch = 4, out = 5] (%[[S]][batch, out], %b[out]) -> [batch, out] {
// PROD: tapestry.einsum "Z.matmul.prod"
// PROD: tapestry.einsum "Z.matmul" {{.*}} attributes {tapestry.constraints = [#tapestry.constraint<pin cut {in = 2 : i64}>]} {
// CHECK-NOT: tapestry.operator
tapestry.graph @layers {
  %X = tapestry.source "X" : tensor<4x6xf32>
  %W = tapestry.source "W" : tensor<6x5xf32>
  %b = tapestry.source "b" : tensor<5xf32>
  %Y = tapestry.operator "Y" "linear"(%X, %W, %b)
      : (tensor<4x6xf32>, tensor<6x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %Z = tapestry.operator "Z" "linear"(%X, %W, %b) {constraints = [#tapestry.constraint<pin cut {in = 2}>]}
      : (tensor<4x6xf32>, tensor<6x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %Unread = tapestry.operator "Unread" "matmul"(%X, %W) : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  tapestry.sink "Y", %Y : tensor<4x5xf32>
  tapestry.sink "Z", %Z : tensor<4x5xf32>
}

// What is priced by is checked, whether anything has to be priced or not.
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-expand{devices=2 cost=dear}))' 2>&1 | FileCheck %s --check-prefix=DEAR
// DEAR: error: unknown cost model 'dear'
