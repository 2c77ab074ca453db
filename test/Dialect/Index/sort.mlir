// RUN: tapestry-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @both
func.func @both(%x: tensor<?x12xf32>, %p: tensor<?x12xi64>, %n: index) -> (tensor<?x?xf32>, tensor<?x?xi64>) {
  // CHECK: tapestry_index.sort %{{.*}} length %[[N:.*]] from %[[N]] take %[[N]] offset %[[N]] places %{{.*}} {indices, most = 3 : i64, run = 4 : i64, values} : tensor<?x12xf32>, tensor<?x12xi64> -> tensor<?x?xf32>, tensor<?x?xi64>
  %v, %i = tapestry_index.sort %x length %n from %n take %n offset %n places %p {values, indices, run = 4, most = 3}
      : tensor<?x12xf32>, tensor<?x12xi64> -> tensor<?x?xf32>, tensor<?x?xi64>
  return %v, %i : tensor<?x?xf32>, tensor<?x?xi64>
}

// -----

func.func @sort_c1(%x: tensor<3x12xi1>, %n: index) {
  // expected-error @below {{puts 'tensor<3x12xi1>' in order, expected rows of f16, bf16, f32, f64 or integers of 8, 16, 32 or 64 bits}}
  %v = tapestry_index.sort %x length %n from %n take %n offset %n {values, most = 3} : tensor<3x12xi1> -> tensor<3x12xi1>
  return
}

// -----

func.func @sort_c2_none(%x: tensor<3x12xf32>, %n: index) {
  // expected-error @below {{has 1 results, expected one of values, one of indices or both, as it says}}
  %v = tapestry_index.sort %x length %n from %n take %n offset %n {most = 3} : tensor<3x12xf32> -> tensor<3x12xf32>
  return
}

// -----

func.func @sort_c2_type(%x: tensor<3x12xf32>, %n: index) {
  // expected-error @below {{makes 'tensor<3x12xf32>' of 'tensor<3x12xf32>', expected rows of 'i64'}}
  %v = tapestry_index.sort %x length %n from %n take %n offset %n {indices, most = 3} : tensor<3x12xf32> -> tensor<3x12xf32>
  return
}

// -----

func.func @sort_c3(%x: tensor<3x12xf32>, %p: tensor<3x11xi64>, %n: index) {
  // expected-error @below {{has places 'tensor<3x11xi64>', expected 'tensor<3x12xi64>'}}
  %v = tapestry_index.sort %x length %n from %n take %n offset %n places %p {indices, most = 3} : tensor<3x12xf32>, tensor<3x11xi64> -> tensor<3x12xi64>
  return
}

// -----

func.func @sort_c4(%x: tensor<3x12xf32>, %n: index) {
  // expected-error @below {{has runs of 4 elements, at most 3 of them, and selects}}
  %v = tapestry_index.sort %x length %n from %n take %n offset %n {values, select, run = 4, most = 3} : tensor<3x12xf32> -> tensor<3x12xf32>
  return
}
