// RUN: tapestry-opt %s --tapestry-overlap-collectives=least-bytes=64 --split-input-file | FileCheck %s

#grid = #tapestry_index.grid<"d.0" = 2>
#cut = #tapestry_index.layout<[64 by "d.0"] on #grid>
#whole = #tapestry_index.layout<[64] on #grid>

// What is needed first stays; the next one goes on while @product computes, and
// its buffer is there from the start. The last one is too small.
// CHECK-LABEL: func.func private @wait.collective.p.0
// CHECK: call @tapestry_rt_wait(
// CHECK-LABEL: func.func private @start.collective.p.0
// CHECK: call @tapestry_rt_start(
// CHECK-LABEL: func.func private @device_program.p
// CHECK: %[[X:.*]] = memref.alloc() : memref<64xf32>
// CHECK: call @collective.p.0(%{{.*}}, %{{.*}}, %{{.*}}, %[[X]])
// CHECK-NEXT: %[[SOURCE:.*]] = memref.cast
// CHECK-NEXT: %[[Y:.*]] = memref.alloc() : memref<64xf32>
// CHECK-NEXT: call @start.collective.p.0(%{{.*}}, %[[ONE:.*]], %[[SOURCE]], %[[Y]])
// CHECK-NEXT: call @product(%[[X]], %{{.*}})
// CHECK-NEXT: call @wait.collective.p.0(%{{.*}}, %[[ONE]], %[[SOURCE]], %[[Y]])
// CHECK-NEXT: call @product(%[[Y]], %{{.*}})
// CHECK: call @product
// CHECK-NEXT: call @collective.p.0
// CHECK-NEXT: call @product
module attributes {comm.programs = [{
    name = "p", devices = 2 : i64, body = @device_program.p,
    collectives = [
      {vertex = "A", kind = "all_gather", type = f32, from = #cut, to = #whole,
       bytes = 256 : i64},
      {vertex = "B", kind = "all_gather", type = f32, from = #cut, to = #whole,
       bytes = 256 : i64},
      {vertex = "C", kind = "all_gather", type = f32, from = #cut, to = #whole,
       bytes = 126 : i64}]}]} {
  func.func private @tapestry_rt_collective(!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) attributes {tapestry.device}
  func.func private @product(%in: memref<64xf32>, %out: memref<64xf32>) attributes {tapestry.kernel} {
    linalg.copy ins(%in : memref<64xf32>) outs(%out : memref<64xf32>)
    return
  }
  func.func private @collective.p.0(%rank: !llvm.ptr, %number: i64, %in: memref<?xf32>, %out: memref<64xf32>) attributes {tapestry.device} {
    %0 = llvm.mlir.zero : !llvm.ptr
    call @tapestry_rt_collective(%rank, %number, %0, %0) {tapestry.device} : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
    return
  }
  func.func private @device_program.p(
      %rank: !llvm.ptr,
      %a: memref<?xf32> {llvm.noalias}, %b: memref<32xf32> {llvm.noalias},
      %c: memref<64xf32> {llvm.noalias}, %d: memref<64xf32> {llvm.noalias}) attributes {tapestry.device} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i64
    %x = memref.alloc() : memref<64xf32>
    call @collective.p.0(%rank, %zero, %a, %x) {tapestry.device} : (!llvm.ptr, i64, memref<?xf32>, memref<64xf32>) -> ()
    call @product(%x, %c) {tapestry.device} : (memref<64xf32>, memref<64xf32>) -> ()
    %y = memref.alloc() : memref<64xf32>
    %source = memref.cast %b : memref<32xf32> to memref<?xf32>
    call @collective.p.0(%rank, %one, %source, %y) {tapestry.device} : (!llvm.ptr, i64, memref<?xf32>, memref<64xf32>) -> ()
    call @product(%y, %d) {tapestry.device} : (memref<64xf32>, memref<64xf32>) -> ()
    %z = memref.alloc() : memref<64xf32>
    call @product(%x, %c) {tapestry.device} : (memref<64xf32>, memref<64xf32>) -> ()
    call @collective.p.0(%rank, %two, %source, %z) {tapestry.device} : (!llvm.ptr, i64, memref<?xf32>, memref<64xf32>) -> ()
    call @product(%z, %d) {tapestry.device} : (memref<64xf32>, memref<64xf32>) -> ()
    return
  }
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#cut = #tapestry_index.layout<[64 by "d.0"] on #grid>
#whole = #tapestry_index.layout<[64] on #grid>

// In the body of a loop, too. A kernel that reads the source does not keep it
// back, one that writes it does; nothing crosses a call in which ranks meet.
// CHECK-LABEL: func.func private @body
// CHECK: call @write(%[[S:[a-z0-9]*]])
// CHECK-NEXT: call @start.collective.q.0(%{{.*}}, %{{.*}}, %[[S]], %[[T:[a-z0-9]*]])
// CHECK-NEXT: call @read(%[[S]])
// CHECK-NEXT: call @read(%[[S]])
// CHECK-NEXT: call @wait.collective.q.0(%{{.*}}, %{{.*}}, %[[S]], %[[T]])
// CHECK-NEXT: call @tapestry_rt_point
// CHECK-NEXT: call @read(%[[T]])
module attributes {comm.programs = [{
    name = "q", devices = 2 : i64, body = @device_program.q,
    collectives = [
      {vertex = "A", kind = "all_gather", type = f32, from = #cut, to = #whole,
       bytes = 256 : i64}]}]} {
  func.func private @tapestry_rt_collective(!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) attributes {tapestry.device}
  func.func private @tapestry_rt_point(!llvm.ptr) attributes {tapestry.device}
  func.func private @read(%in: memref<64xf32>) -> f32 attributes {tapestry.kernel} {
    %zero = arith.constant 0 : index
    %0 = memref.load %in[%zero] : memref<64xf32>
    return %0 : f32
  }
  func.func private @write(%out: memref<64xf32>) attributes {tapestry.kernel} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%out : memref<64xf32>)
    return
  }
  func.func private @collective.q.0(%rank: !llvm.ptr, %number: i64, %in: memref<64xf32>, %out: memref<64xf32>) attributes {tapestry.device} {
    %0 = llvm.mlir.zero : !llvm.ptr
    call @tapestry_rt_collective(%rank, %number, %0, %0) {tapestry.device} : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
    return
  }
  func.func private @body(%rank: !llvm.ptr, %s: memref<64xf32> {llvm.noalias}, %t: memref<64xf32> {llvm.noalias}) attributes {tapestry.device} {
    %zero = arith.constant 0 : i64
    call @write(%s) {tapestry.device} : (memref<64xf32>) -> ()
    %0 = call @read(%s) {tapestry.device} : (memref<64xf32>) -> f32
    call @collective.q.0(%rank, %zero, %s, %t) {tapestry.device} : (!llvm.ptr, i64, memref<64xf32>, memref<64xf32>) -> ()
    %1 = call @read(%s) {tapestry.device} : (memref<64xf32>) -> f32
    call @tapestry_rt_point(%rank) : (!llvm.ptr) -> ()
    %2 = call @read(%t) {tapestry.device} : (memref<64xf32>) -> f32
    return
  }
  func.func private @device_program.q(%rank: !llvm.ptr, %s: memref<64xf32> {llvm.noalias}, %t: memref<64xf32> {llvm.noalias}) attributes {tapestry.device} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    scf.for %i = %c0 to %c5 step %c1 {
      func.call @body(%rank, %s, %t) {tapestry.device} : (!llvm.ptr, memref<64xf32>, memref<64xf32>) -> ()
    }
    return
  }
}
