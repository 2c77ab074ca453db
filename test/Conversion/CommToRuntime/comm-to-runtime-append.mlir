// RUN: tapestry-opt %s --tapestry-convert-comm-to-runtime -split-input-file -verify-diagnostics | FileCheck %s

// A program that was lowered before stays described.
#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[8 by "d.0"] on #grid>

// CHECK: comm.programs = [{body = @device_program.a
// CHECK-SAME: name = "a"
// CHECK-SAME: }, {body = @device_program.b
// CHECK-SAME: name = "b"
module attributes {comm.programs = [{
    name = "a", devices = 2 : i64, entry = @tapestry_entry.a, body = @device_program.a,
    inputs = [], outputs = [], vertices = [], collectives = []}]} {
  func.func @b(%A: tensor<4xf32> {comm.layout = #rows, comm.name = "A", comm.type = f32})
      -> (tensor<4xf32> {comm.layout = #rows, comm.name = "A", comm.type = f32})
      attributes {comm.grid = #grid, comm.vertices = []} {
    return %A : tensor<4xf32>
  }
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[8 by "d.0"] on #grid>

module attributes {comm.programs = [{name = "b"}]} {
  // expected-error@below {{'comm.programs' names a program "b" already}}
  func.func @b(%A: tensor<4xf32> {comm.layout = #rows, comm.name = "A", comm.type = f32})
      -> (tensor<4xf32> {comm.layout = #rows, comm.name = "A", comm.type = f32})
      attributes {comm.grid = #grid, comm.vertices = []} {
    return %A : tensor<4xf32>
  }
}
