// RUN: tapestry-opt %s --tapestry-segment-programs=most-calls=2 | FileCheck %s
// RUN: tapestry-opt %s --tapestry-segment-programs | FileCheck %s --check-prefix=SHORT

// Three calls: two parts. Of buffers, also of what the first makes and the second
// frees, the pointer is handed over. The constant that a part needs has a copy there.
// CHECK: func.func private @device_program.p.part(%[[RANK:.*]]: !llvm.ptr, %[[AT:.*]]: !llvm.ptr) -> !llvm.ptr attributes {tapestry.device}
// CHECK: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK: call @mark(%[[RANK]], %[[ONE]])
// CHECK-NEXT: %[[T:.*]] = memref.alloc
// CHECK: llvm.insertvalue %[[AT]], %{{.*}}[1]
// CHECK: %[[X:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [3], strides: [1]
// CHECK-NEXT: call @kernel(%[[X]], %[[T]])
// CHECK-NEXT: %[[INT:.*]] = memref.extract_aligned_pointer_as_index %[[T]]
// CHECK-NEXT: %[[I64:.*]] = arith.index_cast %[[INT]]
// CHECK-NEXT: %[[MADE:.*]] = llvm.inttoptr %[[I64]]
// CHECK-NEXT: return %[[MADE]]
// CHECK: func.func private @device_program.p.part_0(%[[MADE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr) attributes {tapestry.device}
// CHECK: llvm.insertvalue %[[MADE]], %{{.*}}[0]
// CHECK: %[[T:.*]] = memref.reinterpret_cast
// CHECK: %[[OUT:.*]] = memref.reinterpret_cast
// CHECK-NEXT: call @kernel(%[[T]], %[[OUT]])
// CHECK-NEXT: memref.dealloc %[[T]]
// CHECK-NEXT: return
// CHECK: func.func private @device_program.p(%[[RANK:.*]]: !llvm.ptr, %[[X:.*]]: memref<3xf32>, %[[OUT:.*]]: memref<3xf32>)
// CHECK: memref.extract_aligned_pointer_as_index %[[X]]
// CHECK: %[[T:.*]] = call @device_program.p.part(%[[RANK]], %{{.*}})
// CHECK-NEXT: memref.extract_aligned_pointer_as_index %[[OUT]]
// CHECK: call @device_program.p.part_0(%[[T]], %{{.*}})
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
