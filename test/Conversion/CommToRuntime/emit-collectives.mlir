// RUN: tapestry-opt %s --tapestry-emit-program-description | FileCheck %s

// A reduction's row names its vertex, then: kind, element type, rank, devices
// per group, monoid and memory space. A monoid that is none of the built-in ones
// is known by its function only.
#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5] on #grid>
#partial = #tapestry_index.layout<[5] partial ["d.0"] on #grid>

// CHECK: llvm.func @max.thunk(%[[ACC:.*]]: !llvm.ptr, %[[IN:.*]]: !llvm.ptr, %[[COUNT:.*]]: i64)
// CHECK: llvm.mlir.global internal constant @[[TABLE:.*]]() {{.*}} : !llvm.array<2 x struct<(ptr, i32, i32, i32, i32, i32, i32, i32, i32, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64)>>
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[MAX:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: %[[HOST:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[THUNK:.*]] = llvm.mlir.addressof @max.thunk
// CHECK: llvm.insertvalue %[[TWO]], %{{.*}}[1]
// CHECK-NEXT: llvm.insertvalue %[[ONE]], %{{.*}}[2]
// CHECK-NEXT: llvm.insertvalue %[[ONE]], %{{.*}}[3]
// CHECK-NEXT: llvm.insertvalue %[[TWO]], %{{.*}}[4]
// CHECK-NEXT: llvm.insertvalue %[[MAX]], %{{.*}}[5]
// CHECK-NEXT: llvm.insertvalue %[[HOST]], %{{.*}}[6]
// CHECK-NEXT: llvm.insertvalue %[[ONE]], %{{.*}}[7]
// CHECK-NEXT: llvm.insertvalue %[[HOST]], %{{.*}}[8]
// CHECK: %[[ROW:.*]] = llvm.insertvalue %[[THUNK]], %{{.*}}[14]
// CHECK-NEXT: %[[SENT:.*]] = llvm.insertvalue %{{.*}}, %[[ROW]][15]
// CHECK-NEXT: %[[FIRST:.*]] = llvm.insertvalue %{{.*}}, %[[SENT]][16]
// CHECK: %[[CUSTOM:.*]] = llvm.mlir.constant(8 : i32)
// CHECK: %[[THUNK:.*]] = llvm.mlir.addressof @hypot.thunk
// CHECK: llvm.insertvalue %[[CUSTOM]], %{{.*}}[5]
// CHECK: llvm.insertvalue %[[THUNK]], %{{.*}}[14]
// CHECK-NEXT: %[[SENT:.*]] = llvm.insertvalue %{{.*}}[15]
// CHECK-NEXT: %[[SECOND:.*]] = llvm.insertvalue %{{.*}}, %[[SENT]][16]
// CHECK: llvm.insertvalue %[[FIRST]], %{{.*}}[0]
// CHECK-NEXT: llvm.insertvalue %[[SECOND]], %{{.*}}[1]
module attributes {comm.programs = [{
    name = "p", devices = 2 : i64, entry = @tapestry_entry.p,
    inputs = [], outputs = [], vertices = [],
    collectives = [
      {bytes = 40 : i64, combine = @max, from = #partial, kind = "all_reduce", monoid = #tapestry_index.monoid<max>, to = #whole, type = f32, vertex = "C"},
      {bytes = 40 : i64, combine = @hypot, from = #partial, kind = "all_reduce", monoid = #tapestry_index.monoid<custom>, to = #whole, type = f32, vertex = "D"}]}]} {
  llvm.func @tapestry_entry.p(%rank: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) {
    llvm.return
  }
  llvm.func @max(!llvm.ptr, !llvm.ptr, i64, i64, i64, !llvm.ptr, !llvm.ptr, i64, i64, i64)
  llvm.func @hypot(!llvm.ptr, !llvm.ptr, i64, i64, i64, !llvm.ptr, !llvm.ptr, i64, i64, i64)
}
