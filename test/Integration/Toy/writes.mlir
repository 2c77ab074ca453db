// An operator that writes regions: its phases, and what is refused.

// RUN: split-file %s %t
// RUN: tapestry compile %t/weave.mlir --load-plugin=%lib/ToyDialect.so --devices 4 --stop-after=relation | FileCheck %s --check-prefix=RELATION
// RUN: tapestry compile %t/weave.mlir --load-plugin=%lib/ToyDialect.so --devices 4 --stop-after=program | FileCheck %s --check-prefix=PROGRAM
// RUN: not tapestry plan %t/gap.mlir --load-plugin=%lib/ToyDialect.so --devices 4 2>&1 | FileCheck %s --check-prefix=GAP
// RUN: not tapestry-opt %t/gap.mlir --load-plugin=%lib/ToyDialect.so --tapestry-plan-pipeline=devices=4 2>&1 | FileCheck %s --check-prefix=GAP
// RUN: not tapestry compile %t/overlap.mlir --load-plugin=%lib/ToyDialect.so --devices 4 --stop-after=plan 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: not tapestry plan %t/overlap.mlir --load-plugin=%lib/ToyDialect.so --plan=%t/replicated.json 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: not tapestry-opt %t/outside.mlir --load-plugin=%lib/ToyDialect.so 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tapestry plan %t/weave.mlir --load-plugin=%lib/ToyDialect.so --plan=%t/cut.json 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: not tapestry plan %t/pinned.mlir --load-plugin=%lib/ToyDialect.so --devices 4 2>&1 | FileCheck %s --check-prefix=PINNED
// RUN: tapestry plan %t/weave.mlir --load-plugin=%lib/ToyDialect.so --plan=%t/whole.json

//--- weave.mlir
// A device has all rows of its columns, and moves nothing.
// RELATION: tra.block "Y" ["row", "column"] = [8, 12] by #tapestry_index.partition<{{\[\[\]}}, ["d.0", "d.1"]]>
// RELATION-SAME: writes({{.*}}) at [#tapestry_index.projection<(d0, d1) -> (0, d1), shape = [32, 1]>]
// PROGRAM-NOT: comm.{{all|halo|permute|collective}}
// PROGRAM: tensor.insert_slice %{{.*}} into %{{.*}}[1, 0] [8, 3] [4, 1]
// PROGRAM-NOT: comm.{{all|halo|permute|collective}}
// PROGRAM: return
// CUT: cut.json{{"?}}: error: vertex 'Y': label 'row' is written in regions and cannot be cut
tapestry.graph @weave {
  %A = tapestry.source "A" : tensor<8x12xf32>
  %B = tapestry.source "B" : tensor<8x12xf32>
  %Y = toy.weave "Y", %A, %B {copies = 2, step = 4, offset = 1, stride = 2} : tensor<8x12xf32>, tensor<8x12xf32> -> tensor<32x12xf32>
  tapestry.sink "Y", %Y : tensor<32x12xf32>
}

//--- gap.mlir
// Rows 0 to 7 and 17 to 24, 8 to 15 and 25 to 32.
// GAP: gap.mlir{{"?}}:5:8{{.*}} error: shards of "Y": cell of result 0 (16, 0) is in 0 of the written boxes, expected 1
tapestry.graph @gap {
  %A = tapestry.source "A" : tensor<8x12xf32>
  %Y = toy.weave "Y", %A, %A {copies = 2, step = 1, offset = 8, stride = 17} : tensor<8x12xf32>, tensor<8x12xf32> -> tensor<33x12xf32>
  tapestry.sink "Y", %Y : tensor<33x12xf32>
}

//--- overlap.mlir
// OVERLAP: overlap.mlir{{"?}}:4:8{{.*}} error: shards of "Y": cell of result 0 (1, 0) is in 2 of the written boxes, expected 1
tapestry.graph @overlap {
  %A = tapestry.source "A" : tensor<8x12xf32>
  %Y = toy.weave "Y", %A, %A {copies = 2, step = 2, offset = 1, stride = 1} : tensor<8x12xf32>, tensor<8x12xf32> -> tensor<17x12xf32>
  tapestry.sink "Y", %Y : tensor<17x12xf32>
}

//--- outside.mlir
// OUTSIDE: 'toy.weave' op writes row 16 of 'tensor<16x12xf32>'
tapestry.graph @outside {
  %A = tapestry.source "A" : tensor<8x12xf32>
  %Y = toy.weave "Y", %A, %A {copies = 2, step = 2, offset = 1, stride = 1} : tensor<8x12xf32>, tensor<8x12xf32> -> tensor<16x12xf32>
  tapestry.sink "Y", %Y : tensor<16x12xf32>
}

//--- pinned.mlir
// PINNED: pinned.mlir{{"?}}:4:8: error: vertex 'Y': label 'row' is written in regions and cannot be cut
tapestry.graph @pinned {
  %A = tapestry.source "A" : tensor<8x12xf32>
  %Y = toy.weave "Y", %A, %A {copies = 1, step = 2, offset = 1, stride = 1, tapestry.constraints = [#tapestry.constraint<pin cut {row = 2 : i64}>]} : tensor<8x12xf32>, tensor<8x12xf32> -> tensor<16x12xf32>
  tapestry.sink "Y", %Y : tensor<16x12xf32>
}

//--- cut.json
{"tapestry_plan": 1, "devices": 4, "vertices": [{"name": "Y", "parts": {"row": 2}}]}

//--- replicated.json
{"tapestry_plan": 1, "devices": 4, "vertices": [{"name": "Y", "parts": {"row": 1, "column": 1}}]}

//--- whole.json
{"tapestry_plan": 1, "devices": 4, "vertices": [{"name": "Y", "parts": {"row": 1, "column": 4}}]}
