// RUN: tapestry-opt %s --tapestry-convert-to-tra -split-input-file -verify-diagnostics

// expected-error @below {{'unplanned' has no grid of devices: plan the graph first}}
tapestry.graph @unplanned {
  %A = tapestry.source "A" : tensor<8xf32>
  tapestry.sink "A", %A : tensor<8xf32>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @no_home on #grid {
  // expected-error @below {{'A' has no home layout: plan the graph first}}
  %A = tapestry.source "A" : tensor<8xf32>
  tapestry.sink "A", %A : tensor<8xf32>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @no_partition on #grid {
  %A = tapestry.source "A" : tensor<8xf32>
    home #tapestry_index.layout<[8 by "d.0"] on #grid>
  // expected-error @below {{'B' has no partition: plan the graph first}}
  %B = tapestry.einsum "B" [i = 8] (%A[i]) -> [i] {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  tapestry.sink "B", %B : tensor<8xf32>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @window_out on #grid {
  %A = tapestry.source "A" : tensor<8xf32>
    home #tapestry_index.layout<[8 = [6 by "d.0"] + [3]] on #grid>
  // expected-error @below {{'Z' is 'A', whose home layout's parts overlap}}
  tapestry.sink "Z", %A : tensor<8xf32>
}

// -----

// expected-error @below {{'called' is called: tapestry-inline-calls comes first}}
tapestry.graph @called {
  %A = tapestry.source "A" : tensor<8xf32>
  tapestry.sink "Z", %A : tensor<8xf32>
}
func.func @caller(%a: tensor<8xf32>) -> tensor<8xf32> {
  %z = tapestry.call @called(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %z : tensor<8xf32>
}
