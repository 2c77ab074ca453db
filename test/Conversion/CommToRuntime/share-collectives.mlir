// RUN: tapestry-opt %s --tapestry-convert-comm-to-runtime | FileCheck %s

// However many collectives a program has, those that move equal buffers are
// called by one function, and those with one ⊕ combine by one.

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[7] on #grid>
#partial = #tapestry_index.layout<[7] partial ["d.0"] on #grid>

// CHECK: comm.programs = [{{.*}}combine = @combine.p.0,{{.*}}combine = @combine.p.0,{{.*}}combine = @combine.p.1,{{.*}}combine = @combine.p.2,{{.*}}combine = @combine.p.1,
// CHECK-LABEL: func.func private @device_program.p
// CHECK: %[[C0:.*]] = arith.constant 0 : i64
// CHECK: call @collective.p.0(%{{.*}}, %[[C0]],
// CHECK: %[[C1:.*]] = arith.constant 1 : i64
// CHECK: call @collective.p.0(%{{.*}}, %[[C1]],
// CHECK-COUNT-3: call @collective.p.0(
// CHECK-NOT: call @collective
// CHECK: return
func.func @p(%A: tensor<7xf32> {comm.layout = #whole, comm.name = "A", comm.type = f32})
    -> (tensor<7xf32> {comm.layout = #whole, comm.name = "Z", comm.type = f32})
    attributes {comm.grid = #grid, comm.vertices = []} {
  %s0, %t0 = comm.all_reduce "s0" max %A from #partial to #whole axes ["d.0"]
    : tensor<7xf32> -> tensor<7xf32>
  %s1, %t1 = comm.all_reduce "s1" max %s0 after %t0 from #partial to #whole axes ["d.0"]
    : tensor<7xf32> -> tensor<7xf32>
  %s2, %t2 = comm.all_reduce "s2" custom %s1 after %t1 from #partial to #whole axes ["d.0"] combine {
  ^bb0(%acc: f32, %in: f32):
    %v = arith.addf %acc, %in : f32
    comm.yield %v : f32
  } : tensor<7xf32> -> tensor<7xf32>
  %s3, %t3 = comm.all_reduce "s3" custom %s2 after %t2 from #partial to #whole axes ["d.0"] combine {
  ^bb0(%acc: f32, %in: f32):
    %v = arith.mulf %acc, %in : f32
    comm.yield %v : f32
  } : tensor<7xf32> -> tensor<7xf32>
  %s4, %t4 = comm.all_reduce "s4" custom %s3 after %t3 from #partial to #whole axes ["d.0"] combine {
  ^bb0(%acc: f32, %in: f32):
    %v = arith.addf %acc, %in : f32
    comm.yield %v : f32
  } : tensor<7xf32> -> tensor<7xf32>
  return %s4 : tensor<7xf32>
}

// CHECK-COUNT-1: func.func private @collective.p.0
// CHECK-COUNT-1: func.func @combine.p.0
// CHECK-COUNT-1: func.func @combine.p.1
// CHECK-COUNT-1: func.func @combine.p.2
// CHECK-NOT: func.func {{.*}}@co
// CHECK: func.func @tapestry_entry.p
