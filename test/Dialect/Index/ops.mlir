// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s

// CHECK-DAG: #[[GRID:.*]] = #tapestry_index.grid<"d.0" = 2, "d.1" = 3, "d.2" = 2>
#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3, "d.2" = 2>
// CHECK-DAG: #[[PLAIN:.*]] = #tapestry_index.layout<[97 by "d.0" "d.2", 53] partial ["d.1"] on #[[GRID]]>
#plain = #tapestry_index.layout<[97 by "d.0" "d.2", 53] partial ["d.1"] on #grid>
// CHECK-DAG: #[[WINDOW:.*]] = #tapestry_index.layout<[34 = 2 * [16 by "d.0"] + [3] - 1] on #[[GRID]]>
#window = #tapestry_index.layout<[34 = 2 * [16 by "d.0"] + [3] - 1] on #grid>

// CHECK-LABEL: func @ops
// CHECK-SAME: %[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index, %[[D:.*]]: index
func.func @ops(%a: index, %b: index, %c: index, %d: index) {
  // CHECK: tapestry_index.apply #tapestry_index.projection<(d0, d1) -> (2 * d0 + d1 - 1, d1), shape = [3, 1], strides = [2, 1]>(%[[A]], %[[B]])
  %0:2 = tapestry_index.apply #tapestry_index.projection<(d0, d1) -> (2 * d0 + d1 - 1, d1), shape = [3, 1], strides = [2, 1]>(%a, %b)
  // CHECK: tapestry_index.image #tapestry_index.projection<(d0, d1) -> (d1)> of [%[[A]] to %[[B]], %[[C]] to %[[D]]]
  %1:2 = tapestry_index.image #tapestry_index.projection<(d0, d1) -> (d1)> of [%a to %b, %c to %d]
  // CHECK: tapestry_index.intersect [%[[A]] to %[[B]]], [%[[C]] to %[[D]]] {tag}
  %2:2 = tapestry_index.intersect [%a to %b], [%c to %d] {tag}
  // CHECK: tapestry_index.part #[[PLAIN]] at %[[A]]
  %3:4 = tapestry_index.part #plain at %a
  // CHECK: tapestry_index.part #[[WINDOW]] at %[[B]] unclipped
  %4:2 = tapestry_index.part #window at %b unclipped
  return
}

// Random numbers of points and of vectors of them.
// CHECK-LABEL: func @random
// CHECK-SAME: %[[AT:.*]]: i64, %[[SEED:.*]]: i64, %[[ATS:.*]]: vector<8xi64>, %[[SEEDS:.*]]: vector<8xi64>
func.func @random(%at: i64, %seed: i64, %ats: vector<8xi64>, %seeds: vector<8xi64>) {
  // CHECK: tapestry_index.random bits of %[[AT]] seed %[[SEED]] stream -1 : i8
  %0 = tapestry_index.random bits of %at seed %seed stream -1 : i8
  // CHECK: tapestry_index.random uniform of %[[AT]] seed %[[SEED]] stream 7 {tag} : bf16
  %1 = tapestry_index.random uniform of %at seed %seed stream 7 {tag} : bf16
  // CHECK: tapestry_index.random normal of %[[ATS]] seed %[[SEEDS]] stream 7 : vector<8xf32>
  %2 = tapestry_index.random normal of %ats seed %seeds stream 7 : vector<8xf32>
  // CHECK: tapestry_index.random normal of %[[ATS]] seed %[[SEEDS]] stream 7 plus %[[ATS]] : vector<8xi64> {tag} : vector<8xf32>
  %3 = tapestry_index.random normal of %ats seed %seeds stream 7 plus %ats : vector<8xi64> {tag} : vector<8xf32>
  return
}

// Boxes and projections of rank 0.
// CHECK-LABEL: func @rank_0
func.func @rank_0() {
  // CHECK: tapestry_index.apply #tapestry_index.projection<() -> ()>()
  tapestry_index.apply #tapestry_index.projection<() -> ()>()
  // CHECK: tapestry_index.intersect [], []
  tapestry_index.intersect [], []
  return
}

// CHECK-LABEL: func @require
func.func @require(%first: tensor<i64>, %value: tensor<i64>) {
  // CHECK: tapestry_index.require %{{.*}}, %{{.*}} "p.ein:3:1: error: " index "Tok" of [4, 16] "only 3" : tensor<i64>, tensor<i64>
  tapestry_index.require %first, %value "p.ein:3:1: error: " index "Tok" of [4, 16] "only 3" : tensor<i64>, tensor<i64>
  // CHECK: tapestry_index.require %{{.*}}, %{{.*}} "" index "K" of [] "only 3"
  tapestry_index.require %first, %value "" index "K" of [] "only 3" : tensor<i64>, tensor<i64>
  // CHECK: tapestry_index.require %{{.*}}, %{{.*}} "" index "K" of [0, 4] "only 3" {unsigned_value} : tensor<i64>
  tapestry_index.require %first, %value "" index "K" of [0, 4] "only 3" {unsigned_value} : tensor<i64>, tensor<i64>
  return
}
