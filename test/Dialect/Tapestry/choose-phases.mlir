// RUN: tapestry-translate --ein-to-mlir %S/../../WhitePaper/Inputs/dilated-layers.ein -o %t.mlir
// RUN: tapestry-opt %t.mlir --pass-pipeline='builtin.module(tapestry.graph(tapestry-choose-phases{devices=8 cost=spmd}))' | FileCheck %s
// RUN: tapestry-opt %t.mlir --pass-pipeline='builtin.module(tapestry.graph(tapestry-choose-phases{grid=d=8 cost=spmd solver=bounded}))' | FileCheck %s
// RUN: tapestry-opt %t.mlir --pass-pipeline='builtin.module(tapestry.graph(tapestry-choose-phases{devices=8 cost=paper}))' | FileCheck %s --check-prefix=SPARSE
// RUN: tapestry-opt %t.mlir --pass-pipeline='builtin.module(tapestry.graph(tapestry-choose-phases))' | FileCheck %s --check-prefix=SPARSE
// RUN: not tapestry-opt %t.mlir --pass-pipeline='builtin.module(tapestry.graph(tapestry-choose-phases{devices=8 cost=magic}))' 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not tapestry-opt %t.mlir --pass-pipeline='builtin.module(tapestry.graph(tapestry-choose-phases{devices=8 solver=magic}))' 2>&1 | FileCheck %s --check-prefix=SOLVER

// Three layers in a row, in 4096 phases each.
// CHECK: tapestry.rewrites = {{\[\[}}"phase", "Z", "y", "4096", "X", "Y"]]
// CHECK-COUNT-3: y_phase = 4096
// CHECK-NOT: y_phase = 4096

// SPARSE-NOT: tapestry.rewrites
// SPARSE: tapestry.sink "Z"

// MODEL: error: unknown cost model 'magic', there are 'paper' and 'spmd'
// SOLVER: error: unknown solver 'magic'
