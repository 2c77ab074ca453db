// RUN: tapestry-opt %s --split-input-file --verify-diagnostics | tapestry-opt --split-input-file | FileCheck %s

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[6 by "d.0"] on #grid>

func.func private @body(tensor<3xf32> {comm.layout = #rows}, tensor<3xf32>) -> (tensor<3xf32>, tensor<i8>)

// CHECK-LABEL: func.func @loop
// CHECK: %{{.*}}, %[[T:.*]] = comm.loop @body trips 7 until from %{{.*}} : tensor<3xf32> with %{{.*}} : tensor<3xf32>
// CHECK: comm.loop @body trips 8 until after %[[T]] from
func.func @loop(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %r, %t = comm.loop @body trips 7 until from %x : tensor<3xf32> with %y : tensor<3xf32>
  %s, %u = comm.loop @body trips 8 until after %t from %r : tensor<3xf32> with %y : tensor<3xf32>
  return %s : tensor<3xf32>
}

// -----

func.func @loop_c1_symbol(%x: tensor<3xf32>) {
  // expected-error @below {{calls body, which is no function}}
  %r, %t = comm.loop @body trips 7 from %x : tensor<3xf32>
  return
}

// -----

func.func private @body(tensor<3xf32>) -> tensor<3xf32>
func.func @loop_c1_layout(%x: tensor<3xf32>) {
  // expected-error @below {{calls body, whose argument 0 has no 'comm.layout'}}
  %r, %t = comm.loop @body trips 7 from %x : tensor<3xf32>
  return
}

// -----

#rows = #tapestry_index.layout<[6 by "d.0"] on #tapestry_index.grid<"d.0" = 2>>
func.func private @body(tensor<3xf32> {comm.layout = #rows}) -> (tensor<3xf32>, tensor<i1>)
func.func @loop_c2(%x: tensor<3xf32>) {
  // expected-error @below {{calls body, whose result 1 is 'tensor<i1>', expected 'tensor<i8>'}}
  %r, %t = comm.loop @body trips 7 until from %x : tensor<3xf32>
  return
}

// -----

#rows = #tapestry_index.layout<[6 by "d.0"] on #tapestry_index.grid<"d.0" = 2>>
func.func @loop_c3(%x: tensor<3xf32> {comm.layout = #rows}) -> tensor<3xf32> {
  // expected-error @below {{calls loop_c3, which comes to this loop again}}
  %r, %t = comm.loop @loop_c3 trips 7 from %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
