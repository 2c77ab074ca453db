// RUN: tapestry-opt %s --tapestry-predict-memory -split-input-file | FileCheck %s

#grid = #tapestry_index.grid<"d.0" = 2>
#halves = #tapestry_index.layout<[5 by "d.0"] on #grid>
#partial = #tapestry_index.layout<[100] partial ["d.0"] on #grid>
#shares = #tapestry_index.layout<[100 by "d.0"] on #grid>

// Device 0: 12 bytes of A, 100 floats (448 bytes, in whole lines of the cache),
// and twice the share of 200 bytes that the reduce_scatter adds up; device 1: 8,
// 200 floats (832) and the same 400. The loop's buffers of 128 come later.
// CHECK: comm.programs = [{
// CHECK-SAME: peak_bytes = array<i64: 860, 1240>
module attributes {comm.programs = [{
    name = "p", devices = 2 : i64, entry = @tapestry_entry.p, vertices = [],
    inputs = [{name = "A", type = f32, layout = #halves}], outputs = [],
    collectives = [{vertex = "C", kind = "reduce_scatter", type = f32,
                    from = #partial, to = #shares, bytes = 400 : i64}]}]} {
  func.func private @tapestry_rt_device(!llvm.ptr) -> i64
  func.func private @tapestry_rt_collective(!llvm.ptr, i64, !llvm.ptr, !llvm.ptr)
  func.func private @kernel(%x: memref<?xf32>) attributes {tapestry.kernel} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c30 = arith.constant 30 : index
    %v = arith.constant 0.0 : f32
    %n = memref.dim %x, %c0 : memref<?xf32>
    scf.for %i = %c0 to %n step %c30 {
      %left = arith.subi %n, %i : index
      %size = arith.minsi %left, %c30 : index
      %t = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
      memref.store %v, %t[%c0] : memref<?xf32>
      memref.dealloc %t : memref<?xf32>
    }
    return
  }
  func.func @tapestry_entry.p(%rank: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr)
      attributes {tapestry.device} {
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    %zero = arith.constant 0 : i64
    %number = call @tapestry_rt_device(%rank) : (!llvm.ptr) -> i64
    %device = arith.index_cast %number : i64 to index
    %next = arith.addi %device, %c1 : index
    %n = arith.muli %next, %c100 : index
    %x = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    call @tapestry_rt_collective(%rank, %zero, %in, %out) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
    call @kernel(%x) : (memref<?xf32>) -> ()
    memref.dealloc %x : memref<?xf32>
    return
  }
}

// -----

#grid = #tapestry_index.grid<>

// A kernel's block of at most 30 floats (128 bytes) beside 40 (192), and
// nothing for a buffer that is only asked for its size.
// CHECK: comm.programs = [{
// CHECK-SAME: peak_bytes = array<i64: 320>
module attributes {comm.programs = [{
    name = "p", devices = 1 : i64, entry = @tapestry_entry.p, vertices = [],
    inputs = [], outputs = [], collectives = []}]} {
  func.func private @kernel(%x: memref<?xf32>) attributes {tapestry.kernel} {
    %c0 = arith.constant 0 : index
    %c30 = arith.constant 30 : index
    %v = arith.constant 0.0 : f32
    %n = memref.dim %x, %c0 : memref<?xf32>
    %shape = memref.alloc(%n) : memref<?xf32>
    %same = memref.dim %shape, %c0 : memref<?xf32>
    scf.for %i = %c0 to %same step %c30 {
      %left = arith.subi %n, %i : index
      %size = arith.minsi %left, %c30 : index
      %t = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
      memref.store %v, %t[%c0] : memref<?xf32>
      memref.dealloc %t : memref<?xf32>
    }
    return
  }
  func.func @tapestry_entry.p(%rank: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr)
      attributes {tapestry.device} {
    %c40 = arith.constant 40 : index
    %x = memref.alloc(%c40) {alignment = 64 : i64} : memref<?xf32>
    call @kernel(%x) : (memref<?xf32>) -> ()
    memref.dealloc %x : memref<?xf32>
    return
  }
}

// -----

// How often a function calls itself is not known, and nothing is said.
// CHECK: comm.programs = [{
// CHECK-NOT: peak_bytes
// CHECK: func.func @tapestry_entry.again
module attributes {comm.programs = [{
    name = "again", devices = 1 : i64, entry = @tapestry_entry.again, vertices = [],
    inputs = [], outputs = [], collectives = []}]} {
  func.func private @again(%rank: !llvm.ptr) attributes {tapestry.device} {
    %buffer = memref.alloc() : memref<7xf32>
    memref.dealloc %buffer : memref<7xf32>
    call @again(%rank) : (!llvm.ptr) -> ()
    return
  }
  func.func @tapestry_entry.again(%rank: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr)
      attributes {tapestry.device} {
    call @again(%rank) : (!llvm.ptr) -> ()
    return
  }
}

// -----

// Signed numbers are divided as the program divides them: 20 - 4 - 1 and 20 + 6
// + 1 floats, in whole lines of the cache.
// CHECK: comm.programs = [{
// CHECK-SAME: peak_bytes = array<i64: 64, 128>
module attributes {comm.programs = [{
    name = "n", devices = 2 : i64, entry = @tapestry_entry.n, vertices = [],
    inputs = [], outputs = [], collectives = []}]} {
  func.func private @tapestry_rt_device(!llvm.ptr) -> i64
  func.func @tapestry_entry.n(%rank: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr)
      attributes {tapestry.device} {
    %c4 = arith.constant 4 : index
    %c10 = arith.constant 10 : index
    %c19 = arith.constant 19 : index
    %c20 = arith.constant 20 : index
    %number = call @tapestry_rt_device(%rank) : (!llvm.ptr) -> i64
    %device = arith.index_cast %number : i64 to index
    %tens = arith.muli %device, %c10 : index
    %x = arith.subi %tens, %c4 : index
    %rest = arith.remsi %x, %c19 : index
    %down = arith.floordivsi %x, %c4 : index
    %zero = arith.divsi %rest, %c19 : index
    %sum = arith.addi %rest, %down : index
    %more = arith.addi %sum, %zero : index
    %n = arith.addi %c20, %more : index
    %t = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
    memref.dealloc %t : memref<?xf32>
    return
  }
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#partial = #tapestry_index.layout<[100] partial ["d.0"] on #grid>
#shares = #tapestry_index.layout<[100 by "d.0"] on #grid>

// What a reduce_scatter adds up is there from its start to its wait: beside a
// buffer of 128 bytes, and not beside one of 512.
// CHECK: comm.programs = [{
// CHECK-SAME: peak_bytes = array<i64: 528, 528>
module attributes {comm.programs = [{
    name = "s", devices = 2 : i64, entry = @tapestry_entry.s, vertices = [],
    inputs = [], outputs = [],
    collectives = [{vertex = "C", kind = "reduce_scatter", type = f32,
                    from = #partial, to = #shares, bytes = 400 : i64}]}]} {
  func.func private @tapestry_rt_start(!llvm.ptr, i64, !llvm.ptr, !llvm.ptr)
  func.func private @tapestry_rt_wait(!llvm.ptr, i64, !llvm.ptr, !llvm.ptr)
  func.func @tapestry_entry.s(%rank: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr)
      attributes {tapestry.device} {
    %zero = arith.constant 0 : i64
    call @tapestry_rt_start(%rank, %zero, %in, %out) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
    %x = memref.alloc() {alignment = 64 : i64} : memref<32xf32>
    memref.dealloc %x : memref<32xf32>
    call @tapestry_rt_wait(%rank, %zero, %in, %out) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
    %y = memref.alloc() {alignment = 64 : i64} : memref<128xf32>
    memref.dealloc %y : memref<128xf32>
    return
  }
}
