// Annotations of upstream's shard dialect travel through einsums.
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation))' | FileCheck %s

shard.grid @grid(shape = 2x3)

// The cut of the left operand's rows is that of the result's, and the cut of the
// reduced label is that of the right operand's rows.
// CHECK-LABEL: func.func @product
// CHECK: shard.sharding @grid split_axes = {{\[\[}}0], [1]]
// CHECK: %[[B:.*]] = shard.sharding @grid split_axes = {{\[\[}}1]]
// CHECK: shard.shard %{{.*}} to %[[B]] annotate_for_users : tensor<6x4xf32>
// CHECK: %[[C:.*]] = tapestry.einsum "C"
// CHECK: %[[S:.*]] = shard.sharding @grid split_axes = {{\[\[}}0]] :
// CHECK: shard.shard %[[C]] to %[[S]] : tensor<8x4xf32>
func.func @product(%a: tensor<8x6xf32>, %b: tensor<6x4xf32>) -> tensor<8x4xf32> {
  %s = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
  %cut = shard.shard %a to %s annotate_for_users : tensor<8x6xf32>
  %c = tapestry.einsum "C" [i = 8, j = 4, k = 6] (%cut[i, k], %b[k, j]) -> [i, j] reduce add {
  ^bb0(%x: f32, %y: f32):
    %m = arith.mulf %x, %y : f32
    tapestry.yield %m : f32
  } : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

// A window says nothing of the result.
// CHECK-LABEL: func.func @window
// CHECK: %[[C:.*]] = tapestry.einsum "C"
// CHECK-NOT: shard.shard
// CHECK: return %[[C]]
func.func @window(%a: tensor<9xf32>) -> tensor<8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %cut = shard.shard %a to %s annotate_for_users : tensor<9xf32>
  %c = tapestry.einsum "C" [i = 8, j = 2] (%cut[i + j]) -> [i] reduce max {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<9xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}
