// RUN: tapestry-opt %s --tapestry-cut-products="least-bytes=65536 parts=2" --split-input-file | FileCheck %s

#grid = #tapestry_index.grid<"d.0" = 2>
#partial = #tapestry_index.layout<[128, 256] partial ["d.0"] on #grid>
#whole = #tapestry_index.layout<[128, 256] on #grid>
#shares = #tapestry_index.layout<[128 by "d.0", 256] on #grid>
#i_k = affine_map<(i, j, k) -> (i, k)>
#k_j = affine_map<(i, j, k) -> (k, j)>
#i_j = affine_map<(i, j, k) -> (i, j)>

// Half of the rows, of the input that has rows and of the whole other one, and
// half of the all_reduce: 2^49 stands for two parts, 2^32 for the second. Of the
// reduce_scatter devices have other rows afterwards.
// CHECK-LABEL: func.func private @device_program.p
// CHECK-SAME: %[[RANK:.*]]: !llvm.ptr, %[[A:.*]]: memref<128x8xf32> {{.*}}, %[[B:.*]]: memref<8x256xf32>
// CHECK: %[[TARGET:.*]] = memref.alloc() : memref<128x256xf32>
// CHECK: %[[FIRST:.*]] = memref.alloc() : memref<64x256xf32>
// CHECK: linalg.fill {{.*}} outs(%[[FIRST]]
// CHECK: %[[ROWS:.*]] = memref.subview %[[A]][0, 0] [64, 8] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]], %[[B]] : {{.*}}) outs(%[[FIRST]]
// CHECK: %[[PART:.*]] = arith.constant 562949953421312 : i64
// CHECK: call @part.collective.p.0(%[[RANK]], %[[PART]], %[[FIRST]], %[[TARGET]])
// CHECK: %[[SECOND:.*]] = memref.alloc() : memref<64x256xf32>
// CHECK: %[[ROWS:.*]] = memref.subview %[[A]][64, 0] [64, 8] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]], %[[B]] : {{.*}}) outs(%[[SECOND]]
// CHECK: %[[PART:.*]] = arith.constant 562954248388608 : i64
// CHECK: call @part.collective.p.0(%[[RANK]], %[[PART]], %[[SECOND]], %[[TARGET]])
// CHECK: linalg.generic
// CHECK: call @collective.p.1
// CHECK-NOT: linalg.generic
// CHECK: func.func private @part.collective.p.0(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: memref<64x256xf32>, %{{.*}}: memref<128x256xf32>)
module attributes {comm.programs = [{
    name = "p", devices = 2 : i64, body = @device_program.p,
    collectives = [
      {vertex = "C", kind = "all_reduce", type = f32, from = #partial,
       to = #whole, bytes = 262144 : i64, combine = @combine.p.0,
       monoid = #tapestry_index.monoid<add>},
      {vertex = "D", kind = "reduce_scatter", type = f32, from = #partial,
       to = #shares, bytes = 131072 : i64, combine = @combine.p.0,
       monoid = #tapestry_index.monoid<add>}]}]} {
  func.func private @tapestry_rt_collective(!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) attributes {tapestry.device}
  func.func private @combine.p.0(memref<?xf32>, memref<?xf32>) attributes {tapestry.device}
  func.func private @device_program.p(
      %rank: !llvm.ptr, %a: memref<128x8xf32> {llvm.noalias},
      %b: memref<8x256xf32> {llvm.noalias}) attributes {tapestry.device} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant 0.0 : f32
    %c = memref.alloc() : memref<128x256xf32>
    linalg.fill ins(%none : f32) outs(%c : memref<128x256xf32>)
    linalg.generic {indexing_maps = [#i_k, #k_j, #i_j], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : memref<128x8xf32>, memref<8x256xf32>) outs(%c : memref<128x256xf32>) {
    ^bb0(%x: f32, %y: f32, %sum: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    %t = memref.alloc() : memref<128x256xf32>
    call @collective.p.0(%rank, %zero, %c, %t) {tapestry.device} : (!llvm.ptr, i64, memref<128x256xf32>, memref<128x256xf32>) -> ()
    %d = memref.alloc() : memref<128x256xf32>
    linalg.fill ins(%none : f32) outs(%d : memref<128x256xf32>)
    linalg.generic {indexing_maps = [#i_k, #k_j, #i_j], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : memref<128x8xf32>, memref<8x256xf32>) outs(%d : memref<128x256xf32>) {
    ^bb0(%x: f32, %y: f32, %sum: f32):
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
    }
    %s = memref.alloc() : memref<64x256xf32>
    call @collective.p.1(%rank, %one, %d, %s) {tapestry.device} : (!llvm.ptr, i64, memref<128x256xf32>, memref<64x256xf32>) -> ()
    return
  }
  func.func private @collective.p.0(%rank: !llvm.ptr, %number: i64, %in: memref<128x256xf32>, %out: memref<128x256xf32>) attributes {tapestry.device} {
    %0 = llvm.mlir.zero : !llvm.ptr
    call @tapestry_rt_collective(%rank, %number, %0, %0) {tapestry.device} : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
    return
  }
  func.func private @collective.p.1(%rank: !llvm.ptr, %number: i64, %in: memref<128x256xf32>, %out: memref<64x256xf32>) attributes {tapestry.device} {
    %0 = llvm.mlir.zero : !llvm.ptr
    call @tapestry_rt_collective(%rank, %number, %0, %0) {tapestry.device} : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
    return
  }
}
