// RUN: tapestry-opt %s -split-input-file -verify-diagnostics

tapestry.graph @c1_name {
  // expected-error @+1 {{has the name "" and the kind "linear", expected some of both}}
  %Y = tapestry.operator "" "linear"() : () -> tensor<4xf32>
}

// -----

tapestry.graph @c1_kind {
  // expected-error @+1 {{has the name "Y" and the kind "", expected some of both}}
  %Y = tapestry.operator "Y" ""() : () -> tensor<4xf32>
}

// -----

tapestry.graph @c2 {
  %X = tapestry.source "X" : tensor<4xf32>
  // expected-error @+1 {{"Y" has 0 results, expected at least 1}}
  tapestry.operator "Y" "print"(%X) : (tensor<4xf32>) -> ()
}

// -----

tapestry.graph @tensors {
  // expected-error @+1 {{must be variadic of}}
  %Y = tapestry.operator "Y" "linear"() : () -> tensor<?xf32>
}
