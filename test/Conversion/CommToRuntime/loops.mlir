// RUN: tapestry-opt %s --split-input-file --verify-diagnostics --tapestry-convert-comm-to-runtime | FileCheck %s

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[7 by "d.0"] on #grid>
#all = #tapestry_index.layout<[7] on #grid>

// The body takes what it reads and where it writes, and numbers its collectives
// with those of the program.
// CHECK-LABEL: func.func private @body(
// CHECK-SAME: %[[RANK:.*]]: !llvm.ptr, %[[X:.*]]: memref<?xf32> {{{.*}}}, %[[B:.*]]: memref<7xf32> {{{.*}}}, %[[OUT:.*]]: memref<?xf32>
// CHECK: call @tapestry_rt_device(%[[RANK]])
// CHECK: memref.alloc
// CHECK: arith.constant 0 : i64
// CHECK: call @collective.g.0(
// CHECK: return
func.func private @body(%x: tensor<?xf32> {comm.layout = #rows, comm.type = f32}, %b: tensor<7xf32>) -> tensor<?xf32> attributes {tapestry.device} {
  %device = comm.device
  %whole, %t = comm.all_gather "X", %x from #rows to #all axes ["d.0"] : tensor<?xf32> -> tensor<7xf32>
  %n = comm.slice "X", %whole from #all to #rows : tensor<7xf32> -> tensor<?xf32>
  return %n : tensor<?xf32>
}

// Buffers take turns; they are allocated before the loop alone. The first pass
// reads the input where it lies, the last one writes the result: nothing is
// copied.
// CHECK-LABEL: func.func private @device_program.g(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: memref<?xf32> {{{.*}}}, %{{.*}}: memref<7xf32> {{{.*}}}, %[[RESULT:.*]]: memref<?xf32>
// CHECK: %[[OTHER:.*]] = memref.alloc
// CHECK-NOT: materialize_in_destination
// CHECK: %[[START:.*]] = bufferization.to_buffer %{{.*}} read_only : tensor<?xf32>
// CHECK: scf.for %[[PASS:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NOT: memref.alloc
// CHECK: %[[BIT:.*]] = arith.andi %[[PASS]]
// CHECK: %[[ODD:.*]] = arith.cmpi eq, %[[BIT]]
// CHECK: %[[LAST:.*]] = arith.select %[[ODD]], %[[OTHER]], %[[RESULT]]
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[PASS]]
// CHECK: %[[FROM:.*]] = arith.select %[[IS_FIRST]], %[[START]], %[[LAST]]
// CHECK: %[[TO:.*]] = arith.select %[[ODD]], %[[RESULT]], %[[OTHER]]
// CHECK: call @body(%{{.*}}, %[[FROM]], %{{.*}}, %[[TO]])
// CHECK: }
// CHECK-NOT: memref.copy
// CHECK: return
func.func @g(%a: tensor<?xf32> {comm.name = "A", comm.layout = #rows, comm.type = f32},
             %b: tensor<7xf32> {comm.name = "B", comm.layout = #all, comm.type = f32})
    -> (tensor<?xf32> {comm.name = "X", comm.layout = #rows, comm.type = f32})
    attributes {comm.grid = #grid, comm.vertices = [], tapestry.device} {
  %device = comm.device
  %r, %t = comm.loop @body trips 6 from %a : tensor<?xf32> with %b : tensor<7xf32>
  return %r : tensor<?xf32>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#all = #tapestry_index.layout<[7] on #grid>
#one = #tapestry_index.layout<[] on #grid>

// A condition is looked at after each pass; how many there were is known then.
// CHECK-LABEL: func.func private @device_program.g(
// CHECK: %[[STOP:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i8>
// CHECK: %[[PASSES:.*]] = scf.while
// CHECK: scf.condition
// CHECK: call @body({{.*}}, %[[STOP]])
// CHECK: %[[DONE:.*]] = memref.load %[[STOP]]
// CHECK: arith.cmpi eq, %[[DONE]]
// CHECK: scf.yield
// CHECK: arith.andi %[[PASSES]]
// CHECK: scf.if
// CHECK: memref.copy
func.func private @body(%x: tensor<7xf32> {comm.layout = #all, comm.type = f32}, %b: tensor<i8>) -> (tensor<7xf32>, tensor<i8>) attributes {tapestry.device} {
  return %x, %b : tensor<7xf32>, tensor<i8>
}
func.func @g(%a: tensor<7xf32> {comm.name = "A", comm.layout = #all, comm.type = f32},
             %b: tensor<i8> {comm.name = "B", comm.layout = #one, comm.type = i1})
    -> (tensor<7xf32> {comm.name = "X", comm.layout = #all, comm.type = f32})
    attributes {comm.grid = #grid, comm.vertices = [], tapestry.device} {
  %r, %t = comm.loop @body trips 6 until from %a : tensor<7xf32> with %b : tensor<i8>
  return %r : tensor<7xf32>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#all = #tapestry_index.layout<[7] on #grid>
func.func @g(%a: tensor<7xf32> {comm.name = "A", comm.layout = #all, comm.type = f32})
    -> (tensor<7xf32> {comm.name = "X", comm.layout = #all, comm.type = f32})
    attributes {comm.grid = #grid, comm.vertices = [], tapestry.device} {
  // expected-error @below {{calls 'body', which is not a function of this module that is a loop's body alone}}
  %r, %t = comm.loop @body trips 6 from %a : tensor<7xf32>
  return %r : tensor<7xf32>
}

func.func @body(%x: tensor<7xf32> {comm.name = "A", comm.layout = #all, comm.type = f32})
    -> (tensor<7xf32> {comm.name = "X", comm.layout = #all, comm.type = f32})
    attributes {comm.grid = #grid, comm.vertices = [], tapestry.device} {
  return %x : tensor<7xf32>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#all = #tapestry_index.layout<[7] on #grid>
#rows = #tapestry_index.layout<[5, 7] on #grid>

// What a pass only puts a part into has one buffer: the result's.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME: %{{[a-z0-9]*}}: !llvm.ptr, %[[X:[a-z0-9]*]]: memref<7xf32> {{{.*}}}, %[[H:[a-z0-9]*]]: memref<5x7xf32> {{{.*}}}, %[[NEXT:[a-z0-9]*]]: memref<7xf32>
// CHECK: %[[INTO:.*]] = bufferization.to_tensor %[[H]] restrict writable
// CHECK: %[[ALL:.*]] = tensor.insert_slice %{{.*}} into %[[INTO]]
// CHECK: materialize_in_destination %[[ALL]] in restrict writable %[[H]]
func.func private @rows(%x: tensor<7xf32> {comm.layout = #all, comm.type = f32}, %h: tensor<5x7xf32> {comm.layout = #rows, comm.type = f32}) -> (tensor<7xf32>, tensor<5x7xf32>) attributes {tapestry.device} {
  %device = comm.device
  %r = tensor.insert_slice %x into %h[%device, 0] [1, 7] [1, 1] : tensor<7xf32> into tensor<5x7xf32>
  return %x, %r : tensor<7xf32>, tensor<5x7xf32>
}

// CHECK-LABEL: func.func private @device_program.collects(
// CHECK-SAME: %[[RESULT:[a-z0-9]*]]: memref<5x7xf32> {{{[^,]*}}}) attributes
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[RESULT]]
// CHECK: scf.for
// CHECK: call @rows(%{{.*}}, %{{.*}}, %[[RESULT]], %{{.*}}) {tapestry.device} : (!llvm.ptr, memref<7xf32>, memref<5x7xf32>, memref<7xf32>)
// CHECK: }
// CHECK-NOT: memref.copy %{{.*}}, %[[RESULT]]
// CHECK: return
func.func @collects(%a: tensor<7xf32> {comm.name = "A", comm.layout = #all, comm.type = f32},
             %h: tensor<5x7xf32> {comm.name = "Z", comm.layout = #rows, comm.type = f32})
    -> (tensor<5x7xf32> {comm.name = "H", comm.layout = #rows, comm.type = f32})
    attributes {comm.grid = #grid, comm.vertices = [], tapestry.device} {
  %device = comm.device
  %r:2, %t = comm.loop @rows trips 6 from %a, %h : tensor<7xf32>, tensor<5x7xf32>
  return %r#1 : tensor<5x7xf32>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5, 7] on #grid>

// Who else reads it would read what was put there.
// CHECK-LABEL: func.func private @reads(
// CHECK-SAME: %[[H:[a-z0-9]*]]: memref<5x7xf32> {{{.*}}}, %[[OUT:[a-z0-9]*]]: memref<5x7xf32>
// CHECK: bufferization.to_tensor %[[H]] restrict :
func.func private @reads(%h: tensor<5x7xf32> {comm.layout = #rows, comm.type = f32}) -> tensor<5x7xf32> attributes {tapestry.device} {
  %device = comm.device
  %x = tensor.extract_slice %h[0, 0] [1, 7] [1, 1] : tensor<5x7xf32> to tensor<7xf32>
  %r = tensor.insert_slice %x into %h[%device, 0] [1, 7] [1, 1] : tensor<7xf32> into tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// CHECK-LABEL: func.func private @device_program.f(
// CHECK: arith.select
func.func @f(%h: tensor<5x7xf32> {comm.name = "Z", comm.layout = #rows, comm.type = f32})
    -> (tensor<5x7xf32> {comm.name = "H", comm.layout = #rows, comm.type = f32})
    attributes {comm.grid = #grid, comm.vertices = [], tapestry.device} {
  %device = comm.device
  %r, %t = comm.loop @reads trips 6 from %h : tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}
