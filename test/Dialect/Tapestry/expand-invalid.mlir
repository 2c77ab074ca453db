// RUN: tapestry-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(tapestry.graph(tapestry-expand))'

tapestry.graph @kind {
  // expected-error @+1 {{no rule expands operator 'Y': there is none for operators of kind 'linaer'; there are some for linear, matmul}}
  %Y = tapestry.operator "Y" "linaer"() : () -> tensor<4xf32>
  tapestry.sink "Y", %Y : tensor<4xf32>
}

// -----

tapestry.graph @operands {
  %X = tapestry.source "X" : tensor<4x6xf32>
  // expected-error @+1 {{no rule expands operator 'Y' of kind 'linear': 'linear-block': it has 1 operands and 1 results, expected 3 and 1; 'linear-sum': it has 1 operands}}
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
