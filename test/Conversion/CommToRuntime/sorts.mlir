// RUN: tapestry-opt %s --tapestry-convert-comm-to-runtime | FileCheck %s

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 30] on #grid>
#few = #tapestry_index.layout<[5 by "d.0", 3] on #grid>

// A sort is a call with scratch memory; what leaves the program is written
// where it is wanted.
// CHECK: func.func private @device_program.sorts(%{{.*}}: !llvm.ptr, %{{.*}}: memref<?x30xf32> {llvm.noalias}, %[[S:.*]]: memref<?x30xf32> {llvm.noalias}, %[[I:.*]]: memref<?x3xi64>
// One set of elements beside the result.
// CHECK: %[[SCRATCH:.*]] = memref.alloc() {alignment = 64 : i64} : memref<120xi8>
// CHECK: call @sort.sorts.0({{.*}}, %[[S]], %[[SCRATCH]]) {tapestry.device, tapestry.vertex = "S"}
// Three items of 8 bytes.
// CHECK: %[[SCRATCH:.*]] = memref.alloc() {alignment = 64 : i64} : memref<24xi8>
// CHECK: call @sort.sorts.1({{.*}}, %[[I]], %[[SCRATCH]]) {tapestry.device}
func.func @sorts(%x: tensor<?x30xf32> {comm.layout = #rows, comm.name = "X", comm.type = f32})
    -> (tensor<?x30xf32> {comm.layout = #rows, comm.name = "S", comm.type = f32},
        tensor<?x3xi64> {comm.layout = #few, comm.name = "I", comm.type = i64})
    attributes {comm.grid = #grid, comm.vertices = []} {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %all = arith.constant 30 : index
  %s = tapestry_index.sort %x length %all from %zero take %all offset %zero
      {most = 30, tapestry.vertex = "S"} : tensor<?x30xf32> -> tensor<?x30xf32>
  %i = tapestry_index.sort %x length %all from %zero take %three offset %zero
      {indices, descending, select, most = 3} : tensor<?x30xf32> -> tensor<?x3xi64>
  return %s, %i : tensor<?x30xf32>, tensor<?x3xi64>
}

// CHECK: func.func private @sort.sorts.0
// CHECK-DAG: %[[F32:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[MODE:.*]] = arith.constant 0 : i32
// CHECK: call @tapestry_rt_sort(%[[F32]], %[[MODE]],
// CHECK: func.func private @sort.sorts.1
// CHECK: %[[MODE:.*]] = arith.constant 7 : i32
// CHECK: call @tapestry_rt_sort(%{{.*}}, %[[MODE]],
