// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=3 --tapestry-to-program | FileCheck %s --check-prefix=PROGRAM

#table = affine_map<(b, s, a, t) -> (t, a + 1)>
#index = affine_map<(b, s, a, t) -> (s, b)>
#scalar = affine_map<(t) -> ()>

// CHECK-LABEL: tapestry.graph @gathers
tapestry.graph @gathers {
  %Table = tapestry.source "Table" : tensor<19x6xbf16>
  %Tok = tapestry.source "Tok" : tensor<4x3xi32>
  %Rows = tapestry.source "Rows" : tensor<19xi1>
  %K = tapestry.source "K" : tensor<i64>
  %first = tapestry.source "first" : tensor<i64>
  // CHECK: %[[C:.*]] = tapestry.require "C" %first, %first {bound = "only 3", index = "Tok", shape = array<i64: 4, 3>} : tensor<i64>
  %C = tapestry.require "C" %first, %first {index = "Tok", shape = array<i64: 4, 3>, bound = "only 3"} : tensor<i64>
  // CHECK: %[[Y:.*]] = tapestry.gather "Y" ["b", "s", "a", "t"] = [3, 4, 5, 19] %Table by %Tok at [#{{.*}}, #{{.*}}] after %[[C]] : (tensor<19x6xbf16>, tensor<4x3xi32>, tensor<i64>) -> tensor<3x4x5xbf16>
  %Y = tapestry.gather "Y" ["b", "s", "a", "t"] = [3, 4, 5, 19] %Table by %Tok at [#table, #index] after %C
      : (tensor<19x6xbf16>, tensor<4x3xi32>, tensor<i64>) -> tensor<3x4x5xbf16>
  // CHECK: tapestry.gather "Z" ["t"] = [19] %Rows by %K at [#{{.*}}, #{{.*}}] pad true : (tensor<19xi1>, tensor<i64>) -> tensor<i1>
  %Z = tapestry.gather "Z" ["t"] = [19] %Rows by %K at [affine_map<(t) -> (t)>, #scalar] pad true
      : (tensor<19xi1>, tensor<i64>) -> tensor<i1>
  tapestry.sink "Y", %Y : tensor<3x4x5xbf16>
  tapestry.sink "Z", %Z : tensor<i1>
}

// An index is brought to the nearest element, so that nothing outside is read;
// what is outside ends the run before.
// PROGRAM: tapestry_index.require %{{.*}}, %{{.*}} "{{.*}}gather.mlir:{{.*}}: error: " index "Tok" of [4, 3] "only 3"
// PROGRAM: linalg.generic
// PROGRAM: arith.maxsi
// PROGRAM: arith.minsi
// PROGRAM: tensor.extract
