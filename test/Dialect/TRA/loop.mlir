// RUN: tapestry-opt %s --split-input-file --verify-diagnostics | tapestry-opt --split-input-file | FileCheck %s

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0"] on #grid>
!x = !tra.relation<[5] / [2], f32, #rows>

func.func private @body(tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<i1>)

// CHECK-LABEL: func.func @loop
// CHECK: tra.loop @body trips 7 until from %{{.*}} : !tra.relation<{{.*}}> with %{{.*}} : !tra.relation<
func.func @loop(%x: !x, %y: !x) -> !x {
  %r = tra.loop @body trips 7 until from %x : !x with %y : !x
  return %r : !x
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0"] on #grid>
!x = !tra.relation<[5] / [2], f32, #rows>
func.func @loop_c1_symbol(%x: !x) {
  // expected-error @below {{calls body, which is no function}}
  %r = tra.loop @body trips 7 from %x : !x
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0"] on #grid>
!x = !tra.relation<[5] / [2], f32, #rows>
func.func private @body(tensor<4xf32>) -> tensor<5xf32>
func.func @loop_c1_argument(%x: !x) {
  // expected-error @below {{calls body, whose argument 0 is 'tensor<4xf32>', expected 'tensor<5xf32>'}}
  %r = tra.loop @body trips 7 from %x : !x
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0"] on #grid>
!x = !tra.relation<[5] / [2], f32, #rows>
func.func private @body(tensor<5xf32>) -> tensor<5xf32>
func.func @loop_c2(%x: !x) {
  // expected-error @below {{calls body with 2 results, but that has 1}}
  %r = tra.loop @body trips 7 until from %x : !x
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0"] on #grid>
#all = #tapestry_index.layout<[5] on #grid>
!x = !tra.relation<[5] / [2], f32, #rows>
func.func private @body(tensor<5xf32>, tensor<5xf32> {comm.layout = #all}) -> tensor<5xf32>
func.func @loop_c3_described(%x: !x) {
  // expected-error @below {{calls body, whose argument 1 is laid out by #tapestry_index.layout<[5] on #tapestry_index.grid<"d.0" = 2>>, expected #tapestry_index.layout<[5 by "d.0"] on #tapestry_index.grid<"d.0" = 2>>}}
  %r = tra.loop @body trips 7 from %x : !x with %x : !x
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0"] on #grid>
#all = #tapestry_index.layout<[5] on #grid>
!x = !tra.relation<[5] / [2], f32, #rows>
!y = !tra.relation<[5] / [1], f32, #all>
func.func private @body(%x: tensor<5xf32>) -> tensor<5xf32> {
  %y = tra.from_tensor %x : tensor<5xf32> -> !y
  %r = tra.to_tensor %y : !y -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @loop_c3_argument(%x: !x) {
  // expected-error @below {{calls body, whose argument 0 is laid out by}}
  %r = tra.loop @body trips 7 from %x : !x
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0"] on #grid>
#all = #tapestry_index.layout<[5] on #grid>
!x = !tra.relation<[5] / [2], f32, #rows>
!y = !tra.relation<[5] / [1], f32, #all>
func.func private @body(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %z = tra.from_tensor %y : tensor<5xf32> -> !y
  %r = tra.to_tensor %z : !y -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @loop_c3_result(%x: !x, %y: !y) {
  // expected-error @below {{calls body, whose result 0 is laid out by}}
  %r = tra.loop @body trips 7 from %x : !x with %y : !y
  return
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0"] on #grid>
#all = #tapestry_index.layout<[5] on #grid>
!x = !tra.relation<[5] / [2], f32, #rows>
func.func private @body(%x: tensor<5xf32>) -> tensor<5xf32> {
  %y = tra.from_tensor %x : tensor<5xf32> -> !x
  // expected-error @below {{calls body, which comes to this loop again}}
  %z = tra.loop @body trips 7 from %y : !x
  %r = tra.to_tensor %z : !x -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0"] on #grid>
#all = #tapestry_index.layout<[5] on #grid>
!x = !tra.relation<[5] / [2], f32, #rows>
func.func private @body(%x: tensor<5xf32>) -> tensor<5xf32> {
  %y = tra.from_tensor %x : tensor<5xf32> -> !x
  %z = tra.loop @other trips 7 from %y : !x
  %r = tra.to_tensor %z : !x -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func private @other(%x: tensor<5xf32>) -> tensor<5xf32> {
  %y = tra.from_tensor %x : tensor<5xf32> -> !x
  // expected-error @below {{calls body, which comes to this loop again}}
  %z = tra.loop @body trips 7 from %y : !x
  %r = tra.to_tensor %z : !x -> tensor<5xf32>
  return %r : tensor<5xf32>
}
