// RUN: tapestry-opt %s --tapestry-emit-program-description -split-input-file -verify-diagnostics

// What the runtime calls has to be in the LLVM dialect by then.
// expected-error@below {{the program "p" calls @tapestry_entry.p, which is not in the LLVM dialect yet, but a 'func.func'}}
module attributes {comm.programs = [{
    name = "p", devices = 2 : i64, entry = @tapestry_entry.p,
    inputs = [], outputs = [], vertices = [], collectives = []}]} {
  func.func private @tapestry_entry.p()
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5] on #grid>
#partial = #tapestry_index.layout<[5] partial ["d.0"] on #grid>
// expected-error@below {{the program "p" calls @hypot, which is not in the LLVM dialect yet, but a 'func.func'}}
module attributes {comm.programs = [{
    name = "p", devices = 2 : i64, entry = @tapestry_entry.p,
    inputs = [], outputs = [], vertices = [],
    collectives = [{bytes = 40 : i64, combine = @hypot, from = #partial, kind = "all_reduce",
                    monoid = #tapestry_index.monoid<custom>, to = #whole, type = f32, vertex = "D"}]}]} {
  llvm.func @tapestry_entry.p(!llvm.ptr, !llvm.ptr, !llvm.ptr)
  func.func private @hypot(memref<?xf32>, memref<?xf32>)
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5] on #grid>
#partial = #tapestry_index.layout<[5] partial ["d.0"] on #grid>
// expected-error@below {{the program "p" calls @hypot, which the module lacks}}
module attributes {comm.programs = [{
    name = "p", devices = 2 : i64, entry = @tapestry_entry.p,
    inputs = [], outputs = [], vertices = [],
    collectives = [{bytes = 40 : i64, combine = @hypot, from = #partial, kind = "all_reduce",
                    monoid = #tapestry_index.monoid<custom>, to = #whole, type = f32, vertex = "D"}]}]} {
  llvm.func @tapestry_entry.p(!llvm.ptr, !llvm.ptr, !llvm.ptr)
}

// -----

// expected-error@below {{holds a symbol 'tapestry_program_p' before the program "p" is described}}
module attributes {comm.programs = [{
    name = "p", devices = 2 : i64, entry = @tapestry_entry.p,
    inputs = [], outputs = [], vertices = [], collectives = []}]} {
  llvm.func @tapestry_entry.p(!llvm.ptr, !llvm.ptr, !llvm.ptr)
  func.func private @tapestry_program_p()
}
