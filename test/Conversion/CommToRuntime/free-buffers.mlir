// RUN: tapestry-opt %s --tapestry-free-buffers | FileCheck %s

// A buffer is freed behind the last use of it or of a view of it.
// CHECK-LABEL: func.func @device_program.p
// CHECK: %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[V:.*]] = memref.subview %[[A]]
// CHECK: %[[B:.*]] = memref.alloc() : memref<8xf32>
// CHECK: call @use(%[[B]])
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK: call @use_view(%[[V]])
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @device_program.p() attributes {tapestry.device} {
  %a = memref.alloc() : memref<8xf32>
  %v = memref.subview %a[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  %b = memref.alloc() : memref<8xf32>
  call @use(%b) : (memref<8xf32>) -> ()
  call @use_view(%v) : (memref<4xf32, strided<[1], offset: 2>>) -> ()
  return
}
func.func private @use(memref<8xf32>)
func.func private @use_view(memref<4xf32, strided<[1], offset: 2>>)
