// RUN: tapestry-opt %s --split-input-file --verify-diagnostics --tapestry-inline-calls

tapestry.graph @call_c1 {
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-error @below {{calls @f, which is no tapestry.graph}}
  %B = tapestry.call @f(%A) : (tensor<5xf32>) -> tensor<5xf32>
  tapestry.sink "B", %B : tensor<5xf32>
}
func.func private @f(tensor<5xf32>) -> tensor<5xf32>

// -----

tapestry.graph @call_c2_count {
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-error @below {{has 2 operands, but @g has 1 sources}}
  %B = tapestry.call @g(%A, %A) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  tapestry.sink "B", %B : tensor<5xf32>
}
// expected-note @below {{the graph is here}}
tapestry.graph @g {
  %A = tapestry.source "A" : tensor<5xf32>
  tapestry.sink "B", %A : tensor<5xf32>
}

// -----

tapestry.graph @call_c2_type {
  %A = tapestry.source "A" : tensor<6xf32>
  // expected-error @below {{operand 0 is 'tensor<6xf32>', but the source "X" of @g is 'tensor<5xf32>'}}
  %B = tapestry.call @g(%A) : (tensor<6xf32>) -> tensor<5xf32>
  tapestry.sink "B", %B : tensor<5xf32>
}
tapestry.graph @g {
  // expected-note @below {{the source is here}}
  %X = tapestry.source "X" : tensor<5xf32>
  tapestry.sink "Y", %X : tensor<5xf32>
}

// -----

tapestry.graph @call_c3 {
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-error @below {{result 0 is 'tensor<5xf64>', but the sink "Y" of @g is 'tensor<5xf32>'}}
  %B = tapestry.call @g(%A) : (tensor<5xf32>) -> tensor<5xf64>
  tapestry.sink "B", %B : tensor<5xf64>
}
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<5xf32>
  // expected-note @below {{the sink is here}}
  tapestry.sink "Y", %X : tensor<5xf32>
}

// -----

tapestry.graph @call_c4_direct {
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-error @below {{is recursive: @call_c4_direct calls @call_c4_direct}}
  %B = tapestry.call @call_c4_direct(%A) : (tensor<5xf32>) -> tensor<5xf32>
  tapestry.sink "B", %B : tensor<5xf32>
}

// -----

tapestry.graph @call_c4_through {
  %A = tapestry.source "A" : tensor<5xf32>
  %B = tapestry.call @other(%A) : (tensor<5xf32>) -> tensor<5xf32>
  tapestry.sink "B", %B : tensor<5xf32>
}
tapestry.graph @other {
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-error @below {{is recursive: @call_c4_through calls @other}}
  %B = tapestry.call @call_c4_through(%A) : (tensor<5xf32>) -> tensor<5xf32>
  tapestry.sink "B", %B : tensor<5xf32>
}

// -----

tapestry.graph @main {
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-error @below {{cannot be inlined: @planned is planned already}}
  %B = tapestry.call @planned(%A) : (tensor<5xf32>) -> tensor<5xf32>
  tapestry.sink "B", %B : tensor<5xf32>
}
// expected-note @below {{it is here}}
tapestry.graph @planned on #tapestry_index.grid<"d.0" = 2> {
  %A = tapestry.source "A" : tensor<5xf32>
  tapestry.sink "B", %A : tensor<5xf32>
}

// -----

tapestry.graph @main {
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-error @below {{cannot be inlined: @pinned has a source or sink with constraints}}
  %B = tapestry.call @pinned(%A) : (tensor<5xf32>) -> tensor<5xf32>
  tapestry.sink "B", %B : tensor<5xf32>
}
tapestry.graph @pinned {
  // expected-note @below {{it is here}}
  %A = tapestry.source "A" {tapestry.constraints = [#tapestry.constraint<pin home {"0" = 2}>]} : tensor<5xf32>
  tapestry.sink "B", %A : tensor<5xf32>
}
