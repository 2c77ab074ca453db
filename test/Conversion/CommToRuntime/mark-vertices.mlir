// RUN: tapestry-opt %s --tapestry-mark-vertices | FileCheck %s

// Only a change of vertex is marked; calls of no vertex are nobody's time.
// CHECK-LABEL: func.func @device_program.p(%arg0: !llvm.ptr)
// CHECK: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT: call @tapestry_rt_vertex(%arg0, %[[ONE]])
// CHECK-NEXT: call @kernel() {tapestry.vertex = "D"}
// CHECK-NEXT: call @kernel() {tapestry.vertex = "D"}
// CHECK-NEXT: %[[NONE:.*]] = arith.constant -1 : i64
// CHECK-NEXT: call @tapestry_rt_vertex(%arg0, %[[NONE]])
// CHECK-NEXT: call @kernel() : () -> ()
// CHECK-NEXT: return
module attributes {comm.programs = [{
    body = @device_program.p, vertices = [{flops = 1 : i64, name = "C"}, {flops = 2 : i64, name = "D"}]}]} {
  func.func private @kernel()
  func.func @device_program.p(%rank: !llvm.ptr) {
    call @kernel() {tapestry.vertex = "D"} : () -> ()
    call @kernel() {tapestry.vertex = "D"} : () -> ()
    call @kernel() : () -> ()
    return
  }
}
