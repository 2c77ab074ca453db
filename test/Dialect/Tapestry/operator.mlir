// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s

// A called graph's operators get its name, and one that nothing reads goes.
// RUN: tapestry-opt %s --tapestry-inline-calls --tapestry-prune | FileCheck %s --check-prefix=INLINED

// CHECK-LABEL: tapestry.graph private @layer
// CHECK: %Y = tapestry.operator "Y" "linear"(%X, %W, %b) : (tensor<4x6xf32>, tensor<6x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
// CHECK: %Unread:2 = tapestry.operator "Unread" "split"() {axis = 1 : i64, constraints = [#tapestry.constraint<pin cut {in = 2 : i64}>]} {mine} : () -> (tensor<2xi8>, tensor<3xi8>)

// INLINED: tapestry.operator "layer.Y" "linear"
// INLINED-NOT: layer.Unread
tapestry.graph private @layer {
  %X = tapestry.source "X" : tensor<4x6xf32>
  %W = tapestry.source "W" : tensor<6x5xf32>
  %b = tapestry.source "b" : tensor<5xf32>
  %Y = tapestry.operator "Y" "linear"(%X, %W, %b)
      : (tensor<4x6xf32>, tensor<6x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %u:2 = tapestry.operator "Unread" "split"() {axis = 1, constraints = [#tapestry.constraint<pin cut {in = 2}>]} {mine}
      : () -> (tensor<2xi8>, tensor<3xi8>)
  tapestry.sink "Y", %Y : tensor<4x5xf32>
}

tapestry.graph @main {
  %A = tapestry.source "A" : tensor<4x6xf32>
  %W = tapestry.source "W" : tensor<6x5xf32>
  %b = tapestry.source "b" : tensor<5xf32>
  %Z = tapestry.call @layer(%A, %W, %b) : (tensor<4x6xf32>, tensor<6x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  tapestry.sink "Z", %Z : tensor<4x5xf32>
}
