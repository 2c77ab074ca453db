// RUN: tapestry-opt %s -split-input-file -verify-diagnostics -tapestry-convert-tra-to-comm -tapestry-convert-comm-to-runtime

#pair = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[4 by "d.0"] on #pair>
#whole = #tapestry_index.layout<[4] on #pair>
!rows = !tra.relation<[4] / [2], f32, #rows>
!whole = !tra.relation<[4] / [1], f32, #whole>
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tra.from_tensor %x : tensor<4xf32> -> !rows
  %b = tra.to_tensor %a : !rows -> tensor<4xf32>
  // expected-error @below {{reads a tensor that is no argument of the program}}
  %c = tra.from_tensor %b : tensor<4xf32> -> !whole
  %d = tra.to_tensor %c : !whole -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

#pair = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0"] on #pair>
// expected-error @below {{argument 0 of a device program has type 'tensor<?x?xf32>', but a part of its layout has type 'tensor<?xf32>'}}
func.func @rank(%x: tensor<?x?xf32> {comm.layout = #rows, comm.name = "A", comm.type = f32})
    -> (tensor<?x?xf32> {comm.layout = #rows, comm.name = "Z", comm.type = f32})
    attributes {comm.grid = #pair, comm.vertices = []} {
  return %x : tensor<?x?xf32>
}

// -----

#pair = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[4 by "d.0"] on #pair>
!rows = !tra.relation<[4] / [2], f32, #rows>
func.func @label(%x: !rows) -> !rows {
  // expected-error @below {{label 'j' has extent 9223372036854775807, which is 2^62 or more}}
  %s = tra.join "a" [i = 4, j = 9223372036854775807] by #tapestry_index.partition<[["d.0"], []]> (%x[i]) -> [i] reduce add {
  ^bb0(%v: f32):
    tra.yield %v : f32
  } : (!rows) -> !rows
  return %s : !rows
}

// -----

#pair = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0"] on #pair>
#whole = #tapestry_index.layout<[5] on #pair>
func.func @loop(%x: tensor<?xf32> {comm.layout = #rows, comm.name = "A", comm.type = f32})
    -> (tensor<?xf32> {comm.layout = #rows, comm.name = "Z", comm.type = f32})
    attributes {comm.grid = #pair, comm.vertices = []} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    // expected-error @below {{stands in a region of 'scf.for', but a device program is straight-line code}}
    %g, %t = comm.all_gather "A", %a from #rows to #whole axes ["d.0"] : tensor<?xf32> -> tensor<5xf32>
    %s = comm.slice "A", %g from #whole to #rows : tensor<5xf32> -> tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

#pair = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[4 by "d.0"] on #pair>
// expected-error @below {{a relation's elements are f64, f32, f16, bf16, i8, i16, i32, i64, i1, complex<f32> or complex<f64>, not 'ui8'}}
func.func private @unsigned(!tra.relation<[4] / [2], ui8, #rows>)
