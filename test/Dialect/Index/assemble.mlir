// RUN: tapestry-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @rows
func.func @rows(%a: tensor<2x5xf32>, %b: tensor<?x5xf32>, %t: tensor<?x5xf32>, %i: index, %j: index) -> tensor<?x5xf32> {
  // CHECK: tapestry_index.assemble %{{.*}}, %{{.*}} at[%[[I:.*]], %[[I]], %[[J:.*]], %[[I]]] into %{{.*}} : (tensor<2x5xf32>, tensor<?x5xf32>) into tensor<?x5xf32>
  %c = tapestry_index.assemble %a, %b at [%i, %i, %j, %i] into %t : (tensor<2x5xf32>, tensor<?x5xf32>) into tensor<?x5xf32>
  return %c : tensor<?x5xf32>
}

// CHECK-LABEL: func.func @scalar
func.func @scalar(%a: tensor<i32>, %t: tensor<i32>) -> tensor<i32> {
  // CHECK: tapestry_index.assemble %{{.*}} at[] into %{{.*}} : (tensor<i32>) into tensor<i32>
  %c = tapestry_index.assemble %a at [] into %t : (tensor<i32>) into tensor<i32>
  return %c : tensor<i32>
}

// -----

func.func @assemble_c1(%a: tensor<2x5xf32>, %b: tensor<2x6xf32>, %t: tensor<4x5xf32>, %i: index) {
  // expected-error @below {{puts piece 1, 'tensor<2x6xf32>', into 'tensor<4x5xf32>'}}
  %c = tapestry_index.assemble %a, %b at [%i, %i, %i, %i] into %t : (tensor<2x5xf32>, tensor<2x6xf32>) into tensor<4x5xf32>
  return
}

// -----

func.func @assemble_c1(%a: tensor<2x5xf64>, %t: tensor<4x5xf32>, %i: index) {
  // expected-error @below {{puts piece 0, 'tensor<2x5xf64>', into 'tensor<4x5xf32>'}}
  %c = tapestry_index.assemble %a at [%i, %i] into %t : (tensor<2x5xf64>) into tensor<4x5xf32>
  return
}

// -----

func.func @assemble_c1(%a: tensor<5xf32>, %t: tensor<4x5xf32>, %i: index) {
  // expected-error @below {{puts piece 0, 'tensor<5xf32>', into 'tensor<4x5xf32>'}}
  %c = tapestry_index.assemble %a at [%i] into %t : (tensor<5xf32>) into tensor<4x5xf32>
  return
}

// -----

func.func @assemble_c2(%a: tensor<2x5xf32>, %t: tensor<4x5xf32>, %i: index) {
  // expected-error @below {{has 1 offsets for 1 pieces of rank 2, expected 2}}
  %c = tapestry_index.assemble %a at [%i] into %t : (tensor<2x5xf32>) into tensor<4x5xf32>
  return
}

// -----

// CHECK-LABEL: func.func @turns
func.func @turns(%a: tensor<2x5xf32>, %t: tensor<4x5xf32>, %i: index, %j: index) -> tensor<4x5xf32> {
  // CHECK: tapestry_index.assemble {{.*}} by [2, 1] into
  %c = tapestry_index.assemble %a, %a at [%i, %i, %j, %i] by [2, 1] into %t : (tensor<2x5xf32>, tensor<2x5xf32>) into tensor<4x5xf32>
  return %c : tensor<4x5xf32>
}

// -----

func.func @assemble_c3(%a: tensor<2x5xf32>, %t: tensor<4x5xf32>, %i: index) {
  // expected-error @below {{has the strides [2, 0] for rank 2}}
  %c = tapestry_index.assemble %a at [%i, %i] by [2, 0] into %t : (tensor<2x5xf32>) into tensor<4x5xf32>
  return
}
