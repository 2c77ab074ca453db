// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of tapestry.constant, named after it.

func.func @constant_c1() {
  // expected-error @below {{holds no dense elements}}
  %k = tapestry.constant "K" sparse<[[0]], [1.0]> : tensor<4xf32>
  return
}

// -----

func.func @constant_c1_bytes() {
  // expected-error @below {{holds 'tensor<1024x257xf32>', which has more than the 2^20 bytes of a constant}}
  %k = tapestry.constant "K" dense<0.0> : tensor<1024x257xf32>
  return
}

// -----

func.func @constant_type() {
  // expected-error @below {{failed to verify that all of {value, result} have same type}}
  %k = "tapestry.constant"() {name = "K", value = dense<0.0> : tensor<4xf32>} : () -> tensor<5xf32>
  return
}

// -----

#cut = #tapestry_index.partition<[["d.0"], []]>
tapestry.graph @constant_c2 on #tapestry_index.grid<"d.0" = 2> {
  // expected-error @below {{partition}}
  %k = tapestry.constant "K" dense<0.0> : tensor<4xf32> partition #cut
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#home = #tapestry_index.layout<[5 by "d.0"] on #grid>
tapestry.graph @constant_c3 on #grid {
  // expected-error @below {{home}}
  %k = tapestry.constant "K" dense<0.0> : tensor<4xf32> home #home
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#home = #tapestry_index.layout<[4 by "d.0"] on #grid>
tapestry.graph @constant_c4 on #grid {
  // expected-error @below {{operand}}
  %k = tapestry.constant "K" dense<0.0> : tensor<4xf32> {operand_routes = [[]]} home #home
}
