// RUN: tapestry-opt %s --tapestry-segment-programs=most-calls=1 | FileCheck %s

// Where each of two parts is first given a buffer, the entry looks it up in the
// arrays of its arguments. Other memory, a part may write: %state, which it is
// given, and what it is told where to find.
// CHECK: func.func @tapestry_entry.p(%[[STATE:.*]]: !llvm.ptr, %[[IN:.*]]: !llvm.ptr, %[[OUT:.*]]: !llvm.ptr)
// CHECK: %[[TABLE:.*]] = llvm.load %[[STATE]]
// CHECK: %[[KNOWN:.*]] = llvm.load %[[TABLE]]
// CHECK: %[[WRITTEN:.*]] = llvm.load %[[OUT]]
// CHECK: llvm.store
// CHECK: call @device_program.p.part(%[[STATE]])
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[IN]][1]
// CHECK: %[[X:.*]] = llvm.load %[[AT]]
// CHECK-NEXT: call @device_program.p.part_0(%[[TABLE]], %[[KNOWN]], %[[X]], %[[WRITTEN]])
// CHECK-NEXT: return
module attributes {comm.programs = [{name = "p", body = @device_program.p, entry = @tapestry_entry.p}]} {
  func.func private @write(!llvm.ptr) attributes {tapestry.device}
  func.func private @read(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) attributes {tapestry.device}
  func.func private @device_program.p(%state: !llvm.ptr, %table: !llvm.ptr, %known: !llvm.ptr, %x: !llvm.ptr, %written: !llvm.ptr) attributes {tapestry.device} {
    call @write(%state) : (!llvm.ptr) -> ()
    call @read(%table, %known, %x, %written) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    return
  }
  func.func @tapestry_entry.p(%state: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) attributes {tapestry.device} {
    %table = llvm.load %state : !llvm.ptr -> !llvm.ptr
    %known = llvm.load %table : !llvm.ptr -> !llvm.ptr
    %at = llvm.getelementptr %inputs[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %x = llvm.load %at : !llvm.ptr -> !llvm.ptr
    %written = llvm.load %outputs : !llvm.ptr -> !llvm.ptr
    llvm.store %state, %outputs : !llvm.ptr, !llvm.ptr
    call @device_program.p(%state, %table, %known, %x, %written) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    return
  }
}
