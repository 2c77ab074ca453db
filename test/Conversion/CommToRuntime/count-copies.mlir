// What a vertex copies in a block is told behind its last copy; bodies that choose
// among elements copy, those that compute do not.

// RUN: tapestry-opt %s -tapestry-count-copies | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// CHECK: comm.programs = [{body = @program, copies = [{vertex = "moves"}, {vertex = ""}], name = "p"}]
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
