// RUN: tapestry-opt %s --tapestry-convert-comm-to-runtime | FileCheck %s

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 3] on #grid>
#whole = #tapestry_index.layout<[5, 3] on #grid>
#scalar = #tapestry_index.layout<[] on #grid>
#partial = #tapestry_index.layout<[5, 3] partial ["d.0"] on #grid>

// CHECK: module attributes {comm.programs = [{
// CHECK-SAME: collectives = [{bytes = 60 : i64, from = #[[ROWS:.*]], kind = "all_gather", to = #[[WHOLE:.*]], type = f32, vertex = "A"},
// CHECK-SAME: {bytes = 120 : i64, combine = @combine.both.0, from = #{{.*}}, kind = "all_reduce", monoid = #tapestry_index.monoid<max>
// CHECK-SAME: devices = 2 : i64, entry = @tapestry_entry.both, inputs = [{layout = #[[ROWS]], name = "A", type = f32}], name = "both"
// CHECK-SAME: unread_inputs = ["B"]
// CHECK-SAME: name = "requires"
// CHECK-SAME: requirements = [{bound = "only 3", index = "I", place = "p:1:1: error: ", shape = array<i64: 5, 3>, unsigned_value}]

// CHECK: func.func private @device_program.both(%[[RANK:.*]]: !llvm.ptr, %[[A:.*]]: memref<?x3xf32> {llvm.noalias}, %[[Z:.*]]: memref<5x3xf32> {llvm.noalias})
// CHECK: call @tapestry_rt_device(%[[RANK]]) {tapestry.device}
// CHECK: %[[GATHERED:.*]] = memref.alloc() {{.*}} : memref<5x3xf32>
// CHECK: %[[FIRST:.*]] = arith.constant 0 : i64
// CHECK: call @collective.both.0(%[[RANK]], %[[FIRST]], %{{.*}}, %[[GATHERED]])
// What only leaves the program is received where the caller wants it.
// CHECK: %[[SECOND:.*]] = arith.constant 1 : i64
// CHECK: call @collective.both.1(%[[RANK]], %[[SECOND]], %{{.*}}, %[[Z]])
// CHECK-NOT: materialize_in_destination
// CHECK: return
func.func @both(%A: tensor<?x3xf32> {comm.layout = #rows, comm.name = "A", comm.type = f32})
    -> (tensor<5x3xf32> {comm.layout = #whole, comm.name = "Z", comm.type = f32})
    attributes {comm.grid = #grid, comm.unread_inputs = ["B"], comm.vertices = []} {
  %all, %t0 = comm.all_gather "A", %A from #rows to #whole axes ["d.0"]
    : tensor<?x3xf32> -> tensor<5x3xf32>
  %sum, %t1 = comm.all_reduce "Z" max %all after %t0 from #partial to #whole axes ["d.0"]
    : tensor<5x3xf32> -> tensor<5x3xf32>
  return %sum : tensor<5x3xf32>
}

// What ends the run is a call that the runtime knows by number.
// CHECK: func.func private @device_program.requires(%[[RANK:.*]]: !llvm.ptr, %[[FIRST:.*]]: memref<i64>
// CHECK: %[[NUMBER:.*]] = arith.constant 0 : i64
// CHECK: call @require.requires(%[[RANK]], %[[NUMBER]], %{{.*}}, %{{.*}}) {tapestry.device}
func.func @requires(%A: tensor<i64> {comm.layout = #scalar, comm.name = "A", comm.type = i64})
    -> (tensor<i64> {comm.layout = #scalar, comm.name = "Z", comm.type = i64})
    attributes {comm.grid = #grid, comm.vertices = []} {
  tapestry_index.require %A, %A "p:1:1: error: " index "I" of [5, 3] "only 3" {unsigned_value} : tensor<i64>, tensor<i64>
  return %A : tensor<i64>
}

// CHECK: func.func private @collective.both.0(%[[SAME:.*]]: !llvm.ptr, %[[NUMBER:.*]]: i64, %[[FROM:.*]]: memref<?x3xf32>, %[[TO:.*]]: memref<5x3xf32>)
// CHECK: call @tapestry_rt_collective(%[[SAME]], %[[NUMBER]],
// CHECK: func.func @combine.both.0(%[[ACC:.*]]: memref<?xf32>, %[[IN:.*]]: memref<?xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[IN]] : memref<?xf32>) outs(%[[ACC]] : memref<?xf32>)
// CHECK: arith.maximumf
// CHECK: func.func @tapestry_entry.both(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK: call @device_program.both
// CHECK: func.func private @require.requires(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: memref<i64>, %{{.*}}: memref<i64>)
// CHECK: call @tapestry_rt_require
