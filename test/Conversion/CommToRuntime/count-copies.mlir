// What a vertex copies in a block is told behind its last copy; bodies that choose
// among elements copy, those that compute do not, nor does the one write of an output
// that hands out what an input has, by a copy or by a kernel; what an output or a
// buffer has is copied. What belongs to no vertex is the output's that it writes, else
// the vertex' that computes in the buffer, the loop's or the program's.

// RUN: tapestry-opt %s -split-input-file -tapestry-count-copies | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// CHECK: comm.programs = [{body = @program, copies = [{vertex = "moves"}, {vertex = "p"}], name = "p"}]
module attributes {comm.programs = [{name = "p", body = @program}]} {
  // CHECK: func.func private @tapestry_rt_copied(!llvm.ptr, i64, i64)
  func.func private @turn(%x: memref<4x?xf32>, %y: memref<?x4xf32>) attributes {tapestry.kernel} {
    linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<4x?xf32>) outs(%y : memref<?x4xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    }
    return
  }
  func.func private @scale(%x: memref<?x4xf32>, %y: memref<?x4xf32>) attributes {tapestry.kernel} {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<?x4xf32>) outs(%y : memref<?x4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %a : f32
      linalg.yield %c : f32
    }
    return
  }
  // CHECK: func.func private @program(%[[RANK:.*]]: !llvm.ptr, %[[X:.*]]: memref<4x?xf32>, %[[Y:.*]]: memref<?x4xf32>, %[[Z:.*]]: memref<?x4xf32>)
  func.func private @program(%rank: !llvm.ptr, %x: memref<4x?xf32>, %y: memref<?x4xf32>, %z: memref<?x4xf32>) attributes {tapestry.device} {
    // CHECK: call @turn(%[[X]], %[[Y]])
    // CHECK-NOT: tapestry_rt_copied
    call @turn(%x, %y) {tapestry.vertex = "moves"} : (memref<4x?xf32>, memref<?x4xf32>) -> ()
    // CHECK: call @scale
    call @scale(%y, %z) {tapestry.vertex = "scales"} : (memref<?x4xf32>, memref<?x4xf32>) -> ()
    // CHECK: call @turn(%[[X]], %[[Z]])
    // CHECK: memref.dim %[[Y]]
    // CHECK: memref.dim %[[Z]]
    // CHECK: %[[BYTES:.*]] = arith.index_cast
    // CHECK: %[[NUMBER:.*]] = arith.constant 0 : i64
    // CHECK: call @tapestry_rt_copied(%[[RANK]], %[[NUMBER]], %[[BYTES]])
    call @turn(%x, %z) {tapestry.vertex = "moves"} : (memref<4x?xf32>, memref<?x4xf32>) -> ()
    // CHECK: memref.copy %[[Y]], %[[Z]]
    // CHECK: %[[NEXT:.*]] = arith.constant 1 : i64
    // CHECK: call @tapestry_rt_copied(%[[RANK]], %[[NEXT]]
    memref.copy %y, %z : memref<?x4xf32> to memref<?x4xf32>
    // CHECK-NEXT: return
    return
  }
}

// -----

#grid = #tapestry_index.grid<"d" = 2>
#whole = #tapestry_index.layout<[8] on #grid>

// CHECK: comm.programs = [{body = @program, copies = [{vertex = "Z"}], inputs
module attributes {comm.programs = [{name = "p", body = @program, inputs = [{layout = #whole, name = "X", type = f32}], outputs = [{layout = #whole, name = "Y", type = f32}, {layout = #whole, name = "Z", type = f32}]}]} {
  // CHECK: func.func private @program(%[[RANK:.*]]: !llvm.ptr, %[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>, %[[Z:.*]]: memref<8xf32>)
  func.func private @program(%rank: !llvm.ptr, %x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) attributes {tapestry.device} {
    %first = memref.subview %x[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
    %last = memref.subview %y[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
    // CHECK: memref.copy %[[X]], %[[Y]]
    memref.copy %x, %y : memref<8xf32> to memref<8xf32>
    // CHECK: memref.copy
    memref.copy %first, %last : memref<4xf32, strided<[1]>> to memref<4xf32, strided<[1], offset: 4>>
    // CHECK-NEXT: memref.copy %[[Y]], %[[Z]]
    // CHECK: arith.constant 32 : index
    memref.copy %y, %z : memref<8xf32> to memref<8xf32>
    // CHECK: call @tapestry_rt_copied(%[[RANK]]
    // CHECK-NEXT: return
    return
  }
}

// -----

#id = affine_map<(i) -> (i)>
#grid = #tapestry_index.grid<"d" = 2>
#whole = #tapestry_index.layout<[8] on #grid>

// CHECK: comm.programs = [{body = @program, copies = [{vertex = "c"}], inputs
module attributes {comm.programs = [{name = "p", body = @program, inputs = [{layout = #whole, name = "X", type = f32}], outputs = [{layout = #whole, name = "Y", type = f32}, {layout = #whole, name = "Z", type = f32}]}]} {
  func.func private @kernel(%from: memref<8xf32>, %to: memref<8xf32>) attributes {tapestry.kernel} {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%from : memref<8xf32>) outs(%to : memref<8xf32>) {
    ^bb0(%x: f32, %old: f32):
      linalg.yield %x : f32
    }
    return
  }
  // CHECK: func.func private @program(%[[RANK:.*]]: !llvm.ptr, %[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>, %[[Z:.*]]: memref<8xf32>)
  func.func private @program(%rank: !llvm.ptr, %x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) attributes {tapestry.device} {
    // CHECK: call @kernel(%[[X]], %[[Y]])
    // CHECK-NEXT: call @kernel(%[[Y]], %[[Z]])
    func.call @kernel(%x, %y) {tapestry.device, tapestry.vertex = "b"} : (memref<8xf32>, memref<8xf32>) -> ()
    func.call @kernel(%y, %z) {tapestry.device, tapestry.vertex = "c"} : (memref<8xf32>, memref<8xf32>) -> ()
    // CHECK: arith.constant 32 : index
    // CHECK: call @tapestry_rt_copied(%[[RANK]]
    // CHECK-NEXT: return
    return
  }
}

// -----

#id = affine_map<(i) -> (i)>

// CHECK: comm.programs = [{body = @p, copies = [{vertex = "t"}, {vertex = "b"}], name = "p"}]
module attributes {comm.programs = [{name = "p", body = @p}]} {
  func.func private @kernel(%from: memref<8xf32>, %to: memref<8xf32>) attributes {tapestry.kernel} {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%from : memref<8xf32>) outs(%to : memref<8xf32>) {
    ^bb0(%x: f32, %old: f32):
      %twice = arith.addf %x, %x : f32
      linalg.yield %twice : f32
    }
    return
  }
  // CHECK: func.func private @p.t(
  // CHECK: memref.copy
  // CHECK: call @tapestry_rt_copied
  func.func private @p.t(%rank: !llvm.ptr, %x: memref<8xf32>, %next: memref<8xf32>) attributes {tapestry.device} {
    memref.copy %x, %next : memref<8xf32> to memref<8xf32>
    return
  }
  // CHECK: func.func private @p(
  // CHECK: memref.copy
  // CHECK: call @tapestry_rt_copied
  func.func private @p(%rank: !llvm.ptr, %x: memref<8xf32>, %y: memref<8xf32>) attributes {tapestry.device} {
    %buffer = memref.alloc() : memref<8xf32>
    func.call @p.t(%rank, %x, %y) {tapestry.device} : (!llvm.ptr, memref<8xf32>, memref<8xf32>) -> ()
    memref.copy %x, %buffer : memref<8xf32> to memref<8xf32>
    func.call @kernel(%buffer, %y) {tapestry.device, tapestry.vertex = "b"} : (memref<8xf32>, memref<8xf32>) -> ()
    memref.dealloc %buffer : memref<8xf32>
    return
  }
}
