// RUN: tapestry-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @packed
func.func @packed(%x: tensor<?x12xf32>, %n: index) -> tensor<?x?xi64> {
  // CHECK: tapestry_index.sort %{{.*}} length %[[N:.*]] from %[[N]] take %[[N]] offset %[[N]] {indices, most = 3 : i64, packed} : tensor<?x12xf32> -> tensor<?x?xi64>
  %i = tapestry_index.sort %x length %n from %n take %n offset %n {indices, packed, most = 3} : tensor<?x12xf32> -> tensor<?x?xi64>
  return %i : tensor<?x?xi64>
}

// CHECK-LABEL: func.func @runs
func.func @runs(%x: tensor<?x12xf32>, %n: index) -> tensor<?x?xf32> {
  // CHECK: tapestry_index.sort %{{.*}} {most = 3 : i64, run = 4 : i64} : tensor<?x12xf32> -> tensor<?x?xf32>
  %v = tapestry_index.sort %x length %n from %n take %n offset %n {run = 4, most = 3} : tensor<?x12xf32> -> tensor<?x?xf32>
  return %v : tensor<?x?xf32>
}

// -----

func.func @sort_c1(%x: tensor<3x12xi1>, %n: index) {
  // expected-error @below {{puts 'tensor<3x12xi1>' in order, expected rows of f16, bf16, f32, f64 or integers of 8, 16, 32 or 64 bits}}
  %v = tapestry_index.sort %x length %n from %n take %n offset %n {most = 3} : tensor<3x12xi1> -> tensor<3x12xi1>
  return
}

// -----

func.func @sort_c2(%x: tensor<3x12xf32>, %n: index) {
  // expected-error @below {{makes 'tensor<3x12xf32>' of 'tensor<3x12xf32>', expected rows of 'i64'}}
  %v = tapestry_index.sort %x length %n from %n take %n offset %n {indices, most = 3} : tensor<3x12xf32> -> tensor<3x12xf32>
  return
}

// -----

func.func @sort_c3(%x: tensor<3x12xf32>, %n: index) {
  // expected-error @below {{has runs of 4 elements, at most 3 of them, and selects}}
  %v = tapestry_index.sort %x length %n from %n take %n offset %n {select, run = 4, most = 3} : tensor<3x12xf32> -> tensor<3x12xf32>
  return
}

// -----

func.func @sort_c3_indices(%x: tensor<3x12xf32>, %n: index) {
  // expected-error @below {{has runs of 4 elements, at most 3 of them, and gives indices}}
  %i = tapestry_index.sort %x length %n from %n take %n offset %n {indices, run = 4, most = 3} : tensor<3x12xf32> -> tensor<3x12xi64>
  return
}

// -----

func.func @sort_c3_packed(%x: tensor<3x12xf64>, %n: index) {
  // expected-error @below {{packs what are no indices below 2^32 of elements of up to 32 bits}}
  %v = tapestry_index.sort %x length %n from %n take %n offset %n {indices, packed, most = 3} : tensor<3x12xf64> -> tensor<3x12xi64>
  return
}
