// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

func.func @await_c1(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{awaits no point}}
  %b = "comm.await"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

func.func @await_type(%a: tensor<4xf32>, %t: !comm.token) -> tensor<5xf32> {
  // expected-error @below {{failed to verify that all of {source, result} have same type}}
  %b = "comm.await"(%a, %t) : (tensor<4xf32>, !comm.token) -> tensor<5xf32>
  return %b : tensor<5xf32>
}

// -----

func.func @take_in_type(%a: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @below {{failed to verify that all of {source, part} have same type}}
  %b, %t = "comm.take_in"(%a) : (tensor<4xf32>) -> (tensor<5xf32>, !comm.token)
  return %b : tensor<5xf32>
}
