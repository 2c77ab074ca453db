// The phases of operators that read in pieces: guards, floordiv and mod, a table
// that data index.

// RUN: tapestry compile %s --load-plugin=%lib/ToyDialect.so --devices 4 --stop-after=relation | FileCheck %s --check-prefix=RELATION
// RUN: tapestry-opt %s --load-plugin=%lib/ToyDialect.so --tapestry-plan-pipeline=devices=4 --tapestry-to-program | FileCheck %s --check-prefix=PROGRAM
// RUN: tapestry-opt %s --load-plugin=%lib/ToyDialect.so | tapestry-opt --load-plugin=%lib/ToyDialect.so | FileCheck %s --check-prefix=TEXT

// A device has rows of one operand only, or of both.
// RELATION: tra.block "C" ["row", "column"] = [23, 5]
// RELATION-SAME: at [#tapestry_index.projection<(d0, d1) -> (d0, d1)>, #tapestry_index.projection<(d0, d1) -> (d0 - 10, d1)>]
// RELATION-SAME: guards [#tapestry_index.range<0 to 7, 0 to 5>, #tapestry_index.range<10 to 23, 0 to 5>] pads [-1.000000e+00 : f32, -1.000000e+00 : f32]
// RELATION: tra.block "R"
// RELATION-SAME: at [#tapestry_index.projection<(d0, d1) -> (d0 + 15, d1), floordivs = [3, 1], mods = [23, 0]>] pads [unit]
// RELATION: tra.block "G" ["row", "column", "entry"] = [11, 5, 69]
// RELATION-SAME: at [#tapestry_index.projection<(d0, d1, d2) -> (d2, d1)>, #tapestry_index.projection<(d0, d1, d2) -> (d0)>] pads
// RELATION: tra.block "W" ["row", "column"] = [11, 5]
// RELATION-SAME: at [#tapestry_index.projection<(d0, d1) -> (0, d1), shape = [69, 1]>, #tapestry_index.projection<(d0, d1) -> (d0)>] pads

// Nothing is moved: all labels but the columns are whole.
// PROGRAM-NOT: comm.{{all|halo|permute|collective}}
// PROGRAM: linalg.generic {{.*}} attrs = {tapestry.vertex = "R"}
// PROGRAM-NOT: comm.{{all|halo|permute|collective}}
// PROGRAM: return

// TEXT: toy.concat "C", %A, %B {fill = -1.000000e+00 : f32, gap = 3 : i64}
tapestry.graph @pieces {
  %A = tapestry.source "A" : tensor<7x5xf32>
  %B = tapestry.source "B" : tensor<13x5xf32>
  %I = tapestry.source "I" : tensor<11xi32>
  %C = toy.concat "C", %A, %B {gap = 3, fill = -1.0 : f32} : tensor<7x5xf32>, tensor<13x5xf32> -> tensor<23x5xf32>
  %R = toy.roll "R", %C {shift = 5, repeat = 3} : tensor<23x5xf32> -> tensor<69x5xf32>
  %G = toy.gather "G", %R, %I : tensor<69x5xf32>, tensor<11xi32> -> tensor<11x5xf32>
  %W = toy.gather "W", %R, %I {whole} : tensor<69x5xf32>, tensor<11xi32> -> tensor<11x5xf32>
  tapestry.sink "R", %R : tensor<69x5xf32>
  tapestry.sink "G", %G : tensor<11x5xf32>
  tapestry.sink "W", %W : tensor<11x5xf32>
}
