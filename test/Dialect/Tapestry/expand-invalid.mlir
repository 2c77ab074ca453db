// RUN: tapestry-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(tapestry.graph(tapestry-expand))'

tapestry.graph @kind {
  // expected-error @+1 {{no rule expands operator 'Y': there is none for operators of kind 'linaer'; there are some for linear, matmul, where, max, min}}
  %Y = tapestry.operator "Y" "linaer"() : () -> tensor<4xf32>
  tapestry.sink "Y", %Y : tensor<4xf32>
}

// -----

tapestry.graph @operands {
  %X = tapestry.source "X" : tensor<4x6xf32>
  // expected-error @+1 {{no rule expands operator 'Y' of kind 'linear': 'linear-block': it has 1 operand and 1 result, expected 3 and 1; 'linear-sum': it has 1 operand}}
  %Y = tapestry.operator "Y" "linear"(%X) : (tensor<4x6xf32>) -> tensor<4xf32>
  tapestry.sink "Y", %Y : tensor<4xf32>
}

// -----

tapestry.graph @extents {
  %X = tapestry.source "X" : tensor<4x6xf32>
  %W = tapestry.source "W" : tensor<7x5xf32>
  // expected-error @+1 {{'matmul-einsum': the last dimension of operand 0 has extent 6, but the first of operand 1 has 7}}
  %Y = tapestry.operator "Y" "matmul"(%X, %W) : (tensor<4x6xf32>, tensor<7x5xf32>) -> tensor<4x5xf32>
  tapestry.sink "Y", %Y : tensor<4x5xf32>
}

// -----

tapestry.graph @ranks {
  %X = tapestry.source "X" : tensor<f32>
  %W = tapestry.source "W" : tensor<7x5xf32>
  // expected-error @+1 {{'matmul-einsum': operand 0 has rank 0, expected at least 1}}
  %Y = tapestry.operator "Y" "matmul"(%X, %W) : (tensor<f32>, tensor<7x5xf32>) -> tensor<5xf32>
  tapestry.sink "Y", %Y : tensor<5xf32>
}

// -----

tapestry.graph @rank_of_w {
  %X = tapestry.source "X" : tensor<4x6xf32>
  %W = tapestry.source "W" : tensor<6xf32>
  // expected-error @+1 {{'matmul-einsum': operand 1 has rank 1, expected 2}}
  %Y = tapestry.operator "Y" "matmul"(%X, %W) : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4xf32>
  tapestry.sink "Y", %Y : tensor<4xf32>
}

// -----

tapestry.graph @bias {
  %X = tapestry.source "X" : tensor<4x6xf32>
  %W = tapestry.source "W" : tensor<6x5xf32>
  %B = tapestry.source "B" : tensor<6xf32>
  // expected-error @+1 {{'linear-sum': operand 2 is a tensor<6xf32>, expected extent 5 of its one dimension, as the last of operand 1}}
  %Y = tapestry.operator "Y" "linear"(%X, %W, %B) : (tensor<4x6xf32>, tensor<6x5xf32>, tensor<6xf32>) -> tensor<4x5xf32>
  tapestry.sink "Y", %Y : tensor<4x5xf32>
}

// -----

tapestry.graph @types {
  %X = tapestry.source "X" : tensor<4x6xf32>
  %W = tapestry.source "W" : tensor<6x5xf64>
  // expected-error @+1 {{'matmul-prod': elements are of types f32 and f64, expected one type}}
  %Y = tapestry.operator "Y" "matmul"(%X, %W) : (tensor<4x6xf32>, tensor<6x5xf64>) -> tensor<4x5xf32>
  tapestry.sink "Y", %Y : tensor<4x5xf32>
}

// -----

tapestry.graph @booleans {
  %X = tapestry.source "X" : tensor<4x6xi1>
  %W = tapestry.source "W" : tensor<6x5xi1>
  // expected-error @+1 {{'matmul-prod': elements are i1, which have no product and sum}}
  %Y = tapestry.operator "Y" "matmul"(%X, %W) : (tensor<4x6xi1>, tensor<6x5xi1>) -> tensor<4x5xi1>
  tapestry.sink "Y", %Y : tensor<4x5xi1>
}

// -----

tapestry.graph @result {
  %X = tapestry.source "X" : tensor<4x6xf32>
  %W = tapestry.source "W" : tensor<6x5xf32>
  // expected-error @+1 {{'matmul-prod': the result is a tensor<5x4xf32>, expected tensor<4x5xf32>}}
  %Y = tapestry.operator "Y" "matmul"(%X, %W) : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<5x4xf32>
  tapestry.sink "Y", %Y : tensor<5x4xf32>
}

// -----

tapestry.graph @params {
  %X = tapestry.source "X" : tensor<4x6xf32>
  %W = tapestry.source "W" : tensor<6x5xf32>
  // expected-error @+1 {{'matmul-prod': it has no parameter 'transposed'}}
  %Y = tapestry.operator "Y" "matmul"(%X, %W) {transposed} : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  tapestry.sink "Y", %Y : tensor<4x5xf32>
}

// -----

tapestry.graph @constraints {
  %X = tapestry.source "X" : tensor<4x6xf32>
  %W = tapestry.source "W" : tensor<6x5xf32>
  // expected-error @+1 {{'matmul-prod': its parameter 'constraints' is no list of constraints on cuts}}
  %Y = tapestry.operator "Y" "matmul"(%X, %W) {constraints = [#tapestry.constraint<pin home {"0" = 2}>]} : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  tapestry.sink "Y", %Y : tensor<4x5xf32>
}

// -----

tapestry.graph @conditions {
  %X = tapestry.source "X" : tensor<4xf32>
  // expected-error @+1 {{'where-einsum': operand 0 is a tensor<4xf32>, expected tensor<4xi1>}}
  %Y = tapestry.operator "Y" "where"(%X, %X, %X) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tapestry.sink "Y", %Y : tensor<4xf32>
}

// -----

tapestry.graph @otherwise {
  %X = tapestry.source "X" : tensor<4xi1>
  // expected-error @+1 {{'where-einsum': it has 2 operands and 1 result, expected 3, 5, ... and 1}}
  %Y = tapestry.operator "Y" "where"(%X, %X) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  tapestry.sink "Y", %Y : tensor<4xi1>
}

// -----

tapestry.graph @nothing {
  // expected-error @+1 {{'max-einsum': it has 0 operands and 1 result, expected at least 1 and 1}}
  %Y = tapestry.operator "Y" "max"() : () -> tensor<4xi1>
  tapestry.sink "Y", %Y : tensor<4xi1>
}

// -----

tapestry.graph @order {
  %X = tapestry.source "X" : tensor<4xcomplex<f32>>
  // expected-error @+1 {{'min-einsum': elements are complex<f32>, which have no order}}
  %Y = tapestry.operator "Y" "min"(%X) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  tapestry.sink "Y", %Y : tensor<4xcomplex<f32>>
}

// -----

tapestry.graph @sign {
  %X = tapestry.source "X" : tensor<4xf32>
  // expected-error @+1 {{'max-einsum': it has no parameter 'unsigned' = unit}}
  %Y = tapestry.operator "Y" "max"(%X) {unsigned} : (tensor<4xf32>) -> tensor<4xf32>
  tapestry.sink "Y", %Y : tensor<4xf32>
}
