// An encoding says how a tensor is stored, which nothing here would keep.
// RUN: tapestry-opt %s -split-input-file -verify-diagnostics

#sparse = #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>
tapestry.graph @g {
  // expected-error @below {{result #0 must be statically shaped tensor of f64, f32, f16, bf16, i8, i16, i32, i64, i1, complex<f32> or complex<f64> without an encoding}}
  %A = tapestry.source "A" : tensor<5xf32, #sparse>
}

// -----

#pair = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[4 by "d.0"] on #pair>
func.func @relation(%x: tensor<4xi32, "mine">) {
  // expected-error @below {{operand #0 must be statically shaped tensor without an encoding}}
  %r = tra.from_tensor %x : tensor<4xi32, "mine"> -> !tra.relation<[4] / [2], i32, #rows>
  return
}

// -----

#pair = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[4 by "d.0"] on #pair>
#whole = #tapestry_index.layout<[4] on #pair>
func.func @part(%x: tensor<2xi32, "mine">) {
  // expected-error @below {{operand #0 must be ranked tensor of f64, f32, f16, bf16, i8, i16, i32, i64, i1, complex<f32> or complex<f64> values without an encoding}}
  %r, %t = comm.all_gather "A", %x from #rows to #whole axes ["d.0"] : tensor<2xi32, "mine"> -> tensor<4xi32>
  return
}
