// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

#grid = #tapestry_index.grid<"d.0" = 2>
!rows = !tra.relation<[4] / [2], f32, #tapestry_index.layout<[4 by "d.0"] on #grid>>
func.func @await_c1(%a: !rows) -> !rows {
  // expected-error @below {{awaits no point}}
  %b = "tra.await"(%a) : (!rows) -> !rows
  return %b : !rows
}
