// The phases of an operator that brings its own local part: two results, each
// with its monoid, from one window.

// RUN: tapestry-opt %s --load-plugin=%lib/ToyDialect.so --tapestry-plan-pipeline=devices=4 | FileCheck %s --check-prefix=PLAN
// RUN: tapestry compile %s --load-plugin=%lib/ToyDialect.so --devices 4 --stop-after=relation | FileCheck %s --check-prefix=RELATION
// RUN: tapestry-opt %s --load-plugin=%lib/ToyDialect.so --tapestry-plan-pipeline=devices=4 --tapestry-to-program | FileCheck %s --check-prefix=PROGRAM
// RUN: not tapestry plan %s --devices 4 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// PLAN: toy.median_stats "S", %X {homes = [#{{.*}}, #{{.*}}], partition = #tapestry_index.partition<{{\[\["d.0"\], \["d.1"\]\]}}>
// RELATION: %[[PARTS:.*]]:2 = tra.block "S" ["row", "column"] = [97, 53]
// RELATION: tra.block_yield %{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?xf32>
// RELATION: tra.aggregate "S" custom %[[PARTS]]#0 identity 0.0
// RELATION: math.sqrt
// RELATION: tra.aggregate "S#1" max %[[PARTS]]#1
// PROGRAM: linalg.generic {{.*}} attrs = {tapestry.vertex = "S"}
// PROGRAM: comm.all_reduce "S" custom
// PROGRAM: comm.all_reduce "S#1" max
// UNKNOWN: phases.mlir:[[# @LINE + 3]]:20: error: Dialect `toy' not found
tapestry.graph @toy {
  %X = tapestry.source "X" : tensor<97x53xf32>
  %energy, %peak = toy.median_stats "S", %X : tensor<97x53xf32> -> tensor<97xf32>, tensor<97xf32>
  tapestry.sink "E", %energy : tensor<97xf32>
  tapestry.sink "P", %peak : tensor<97xf32>
}
