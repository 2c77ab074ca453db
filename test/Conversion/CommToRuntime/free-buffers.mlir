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
  call @use(%b) {tapestry.device} : (memref<8xf32>) -> ()
  call @use_view(%v) {tapestry.device} : (memref<4xf32, strided<[1], offset: 2>>) -> ()
  return
}
func.func private @use(memref<8xf32>)
func.func private @use_view(memref<4xf32, strided<[1], offset: 2>>)

// Numbers and pointers made of the address are uses of the buffer; what was read
// from it is none.
// CHECK-LABEL: func.func @addresses
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: memref.load
// CHECK: llvm.store
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: call @take
func.func @addresses(%f: f32, %i: index) -> f32 attributes {tapestry.device} {
  %a = memref.alloc() : memref<8xf32>
  %address = memref.extract_aligned_pointer_as_index %a : memref<8xf32> -> index
  %number = arith.index_cast %address : index to i64
  %read = memref.load %a[%i] : memref<8xf32>
  %pointer = llvm.inttoptr %number : i64 to !llvm.ptr
  llvm.store %f, %pointer : f32, !llvm.ptr
  call @take(%read) : (f32) -> ()
  return %read : f32
}
func.func private @take(f32)

// An address that is kept somewhere may be used at any time.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @kept(%where: !llvm.ptr) attributes {tapestry.device} {
  %a = memref.alloc() : memref<8xf32>
  %address = memref.extract_aligned_pointer_as_index %a : memref<8xf32> -> index
  %number = arith.index_cast %address : index to i64
  llvm.store %number, %where : i64, !llvm.ptr
  return
}

// So may one that is given to a call which our lowering did not make.
// CHECK-LABEL: func.func @given
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @given() attributes {tapestry.device} {
  %a = memref.alloc() : memref<8xf32>
  call @use(%a) : (memref<8xf32>) -> ()
  call @look() : () -> ()
  return
}
func.func private @look()

// What a tensor shows is read when the tensor is, and what starts a region may
// end before it.
// CHECK-LABEL: func.func @shown
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @shown(%v: f32) -> f32 attributes {tapestry.device} {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %v, %a[%c0] : memref<4xf32>
  %t = bufferization.to_tensor %a restrict : memref<4xf32> to tensor<4xf32>
  %r = tensor.extract %t[%c0] : tensor<4xf32>
  return %r : f32
}
// CHECK-LABEL: func.func @started
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @started(%v: f32) attributes {tapestry.device} {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  %token = async.execute {
    memref.store %v, %a[%c0] : memref<4xf32>
    async.yield
  }
  async.await %token : !async.token
  return
}
