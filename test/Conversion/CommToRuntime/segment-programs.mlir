// RUN: tapestry-opt %s --tapestry-segment-programs=most-calls=2 | FileCheck %s
// RUN: tapestry-opt %s --tapestry-segment-programs | FileCheck %s --check-prefix=SHORT

// Three calls: two parts. The second takes the buffer that the first made and
// the constant that it needs has a copy there.
// CHECK: func.func private @device_program.p.part(%[[RANK:.*]]: !llvm.ptr, %[[X:.*]]: memref<3xf32>) -> memref<3xf32> attributes {tapestry.device}
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT: call @mark(%[[RANK]], %[[ONE]])
// CHECK-NEXT: %[[T:.*]] = memref.alloc
// CHECK-NEXT: call @kernel(%[[X]], %[[T]])
// CHECK-NEXT: return %[[T]]
// CHECK: func.func private @device_program.p.part_0(%[[T:.*]]: memref<3xf32>, %[[OUT:.*]]: memref<3xf32>) attributes {tapestry.device}
// CHECK-NEXT: call @kernel(%[[T]], %[[OUT]])
// CHECK-NEXT: memref.dealloc %[[T]]
// CHECK-NEXT: return
// CHECK: func.func private @device_program.p(%[[RANK:.*]]: !llvm.ptr, %[[X:.*]]: memref<3xf32>, %[[OUT:.*]]: memref<3xf32>)
// CHECK-NEXT: %[[T:.*]] = call @device_program.p.part(%[[RANK]], %[[X]])
// CHECK-NEXT: call @device_program.p.part_0(%[[T]], %[[OUT]])
// CHECK-NEXT: return

// SHORT-NOT: part
module attributes {comm.programs = [{name = "p", body = @device_program.p}]} {
  func.func private @mark(!llvm.ptr, i64) attributes {tapestry.device}
  func.func private @kernel(memref<3xf32>, memref<3xf32>) attributes {tapestry.device}
  func.func private @device_program.p(%rank: !llvm.ptr, %x: memref<3xf32>, %out: memref<3xf32>) attributes {tapestry.device} {
    %c1 = arith.constant 1 : i64
    call @mark(%rank, %c1) : (!llvm.ptr, i64) -> ()
    %t = memref.alloc() : memref<3xf32>
    call @kernel(%x, %t) : (memref<3xf32>, memref<3xf32>) -> ()
    call @kernel(%t, %out) : (memref<3xf32>, memref<3xf32>) -> ()
    memref.dealloc %t : memref<3xf32>
    return
  }
}
