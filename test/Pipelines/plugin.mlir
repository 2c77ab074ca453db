// The plug-in brings dialects and passes to the stock tool, and nothing twice to ours.
// RUN: mlir-opt --load-dialect-plugin=%lib/Tapestry.so --load-pass-plugin=%lib/Tapestry.so %s \
// RUN:   --pass-pipeline='builtin.module(tapestry-plan-pipeline{devices=4})' | FileCheck %s --check-prefix=PLAN
// RUN: mlir-opt --load-dialect-plugin=%lib/Tapestry.so --load-pass-plugin=%lib/Tapestry.so %s \
// RUN:   --pass-pipeline='builtin.module(tapestry-plan-pipeline{devices=4},tapestry-to-llvm)' > %t.stock
// RUN: tapestry-opt --load-dialect-plugin=%lib/Tapestry.so --load-pass-plugin=%lib/Tapestry.so %s \
// RUN:   --pass-pipeline='builtin.module(tapestry-plan-pipeline{devices=4},tapestry-to-llvm)' > %t.ours
// RUN: cmp %t.stock %t.ours
// RUN: FileCheck %s --check-prefix=CODE < %t.stock

// PLAN: tapestry.graph @product on #{{.*}} {
// PLAN: tapestry.einsum "C"
// PLAN-SAME: partition
// CODE: llvm.mlir.global external constant @tapestry_program_product
tapestry.graph @product {
  %A = tapestry.source "A" : tensor<97x41xf32>
  %B = tapestry.source "B" : tensor<41x53xf32>
  %C = tapestry.einsum "C" [i = 97, j = 53, k = 41] (%A[i, k], %B[k, j]) -> [i, j] reduce add {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %b : f32
    tapestry.yield %m : f32
  } : (tensor<97x41xf32>, tensor<41x53xf32>) -> tensor<97x53xf32>
  tapestry.sink "C", %C : tensor<97x53xf32>
}
