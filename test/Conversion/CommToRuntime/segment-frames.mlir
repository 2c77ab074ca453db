// RUN: tapestry-opt %s --tapestry-segment-programs=most-calls=1 | FileCheck %s

// Memory of the function's frame belongs to the part that uses it; what two parts
// use stays with their caller.
// CHECK: func.func private @device_program.p.part(%[[OWN:.*]]: !llvm.ptr)
// CHECK: %[[BUFFER:.*]] = memref.alloca() : memref<3xf32>
// CHECK: call @kernel(%[[BUFFER]], %{{.*}})
// CHECK-NEXT: return

// CHECK: func.func private @device_program.p.part_0(%{{.*}}: !llvm.ptr)
// CHECK-NOT: memref.alloca
// CHECK: func.func private @device_program.p(
// CHECK-NOT: memref.alloca() : memref<3xf32>
// CHECK: %[[BOTH:.*]] = memref.alloca() : memref<5xf32>
// CHECK-NOT: memref.alloca
// CHECK: memref.extract_aligned_pointer_as_index %[[BOTH]]
// CHECK: call @device_program.p.part(
module attributes {comm.programs = [{name = "p", body = @device_program.p}]} {
  func.func private @kernel(memref<3xf32>, memref<5xf32>) attributes {tapestry.device}
  func.func private @read(memref<5xf32>) attributes {tapestry.device}
  func.func private @device_program.p() attributes {tapestry.device} {
    %own = memref.alloca() : memref<3xf32>
    %both = memref.alloca() : memref<5xf32>
    call @kernel(%own, %both) : (memref<3xf32>, memref<5xf32>) -> ()
    call @read(%both) : (memref<5xf32>) -> ()
    return
  }
}
