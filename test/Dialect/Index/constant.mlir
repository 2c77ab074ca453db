// RUN: tapestry-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @part
func.func @part(%lo: index, %n: index) -> tensor<?x2xi8> {
  // CHECK: tapestry_index.constant dense<{{.*}}> : tensor<2x2xi1> from[%{{.*}}, %{{.*}}] sizes[%{{.*}}] : tensor<?x2xi8>
  %k = tapestry_index.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1> from [%lo, %lo] sizes [%n] : tensor<?x2xi8>
  return %k : tensor<?x2xi8>
}

// -----

func.func @constant_c1() -> tensor<4xf32> {
  // expected-error @below {{holds no dense elements}}
  %k = tapestry_index.constant sparse<[[0]], [1.0]> : tensor<4xf32> from [] sizes [] : tensor<4xf32>
  return %k : tensor<4xf32>
}

// -----

func.func @constant_c1_starts(%lo: index) -> tensor<2x2xf32> {
  // expected-error @below {{has 1 starts for 2 dimensions}}
  %k = tapestry_index.constant dense<0.0> : tensor<2x2xf32> from [%lo] sizes [] : tensor<2x2xf32>
  return %k : tensor<2x2xf32>
}

// -----

func.func @constant_c2(%lo: index) -> tensor<5xf32> {
  // expected-error @below {{takes 'tensor<5xf32>' of 'tensor<4xf32>'}}
  %k = tapestry_index.constant dense<0.0> : tensor<4xf32> from [%lo] sizes [] : tensor<5xf32>
  return %k : tensor<5xf32>
}

// -----

func.func @constant_c2_element(%lo: index) -> tensor<4xi1> {
  // expected-error @below {{takes 'tensor<4xi1>' of 'tensor<4xi1>'}}
  %k = tapestry_index.constant dense<true> : tensor<4xi1> from [%lo] sizes [] : tensor<4xi1>
  return %k : tensor<4xi1>
}

// -----

func.func @constant_c2_sizes(%lo: index) -> tensor<?xf32> {
  // expected-error @below {{has 0 sizes for 1 extents that are not static}}
  %k = tapestry_index.constant dense<0.0> : tensor<4xf32> from [%lo] sizes [] : tensor<?xf32>
  return %k : tensor<?xf32>
}
