// RUN: tapestry-opt %s -tapestry-outline-kernels | FileCheck %s

#id = affine_map<(i) -> (i)>

func.func private @tapestry_rt_barrier(i64) attributes {tapestry.device}

// Two layers of one shape share a kernel; the third works in place, which its
// arguments must not deny.
// CHECK-LABEL: func.func @layers(
// CHECK:         call @[[K0:tapestry_kernel[_0-9]*]](%arg0, %arg1)
// CHECK-SAME:      {tapestry.device, tapestry.vertex = "A"}
// CHECK:         call @tapestry_rt_barrier
// CHECK:         call @[[K0]](%arg1, %arg2)
// CHECK-SAME:      {tapestry.device, tapestry.vertex = "B"}
// CHECK:         call @[[K1:tapestry_kernel[_0-9]*]](%subview, %subview_0, %arg3)
// CHECK-SAME:      {tapestry.device, tapestry.vertex = "C"}
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @layers(%x: memref<?xf32> {llvm.noalias}, %y: memref<?xf32> {llvm.noalias},
                  %z: memref<?xf32> {llvm.noalias}, %s: f32, %rank: i64) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
      attrs = {tapestry.vertex = "A"} {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  func.call @tapestry_rt_barrier(%rank) : (i64) -> ()
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%y : memref<?xf32>) outs(%z : memref<?xf32>)
      attrs = {tapestry.vertex = "B"} {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %lo = memref.subview %z[0] [8] [1]
      : memref<?xf32> to memref<8xf32, strided<[1]>>
  %hi = memref.subview %z[8] [8] [1]
      : memref<?xf32> to memref<8xf32, strided<[1], offset: 8>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%lo : memref<8xf32, strided<[1]>>)
      outs(%hi : memref<8xf32, strided<[1], offset: 8>>)
      attrs = {tapestry.vertex = "C"} {
  ^bb0(%a: f32, %o: f32):
    %n = arith.mulf %a, %s : f32
    linalg.yield %n : f32
  }
  return
}

// A fill and a buffer that only the kernel uses move into it.
// CHECK-LABEL: func.func @local(
// CHECK-NOT:     memref.alloc
// CHECK:         call @[[K2:[^(]*]](%arg0) {tapestry.device} :
// CHECK-NEXT:    return
func.func @local(%x: memref<?xf32>) attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<f32>
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
                  iterator_types = []} ins(%zero : f32) outs(%t : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#id, affine_map<(i) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%x : memref<?xf32>) outs(%t : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.addf %o, %a : f32
    linalg.yield %n : f32
  }
  memref.dealloc %t : memref<f32>
  return
}

// One that nobody has freed is freed there: the same kernel.
// CHECK-LABEL: func.func @unfreed(
// CHECK-NOT:     memref.alloc
// CHECK:         call @[[K2]](%arg0) {tapestry.device} :
// CHECK-NEXT:    return
func.func @unfreed(%x: memref<?xf32>) attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<f32>
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
                  iterator_types = []} ins(%zero : f32) outs(%t : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#id, affine_map<(i) -> ()>],
                  iterator_types = ["reduction"]}
      ins(%x : memref<?xf32>) outs(%t : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.addf %o, %a : f32
    linalg.yield %n : f32
  }
  return
}

// What has no input but loads is no fill, that others might take with them.
// CHECK-LABEL: func.func @loads(
// CHECK-NOT:     linalg.generic
// CHECK:         call @tapestry_kernel{{.*}} {tapestry.device, tapestry.vertex = "R"}
// CHECK:         return
func.func @loads(%x: memref<8xf32>, %y: memref<8xf32>)
    attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%y : memref<8xf32>) attrs = {tapestry.vertex = "R"} {
  ^bb0(%o: f32):
    %c7 = arith.constant 7 : index
    %i = linalg.index 0 : index
    %row = arith.subi %c7, %i : index
    %v = memref.load %x[%row] : memref<8xf32>
    linalg.yield %v : f32
  }
  return
}

// Nor do marks of constants tell kernels apart.
// CHECK-LABEL: func.func @constants(
// CHECK:         call @[[STORES:tapestry_kernel[_0-9]*]](%arg0) {{.*}}"x"
// CHECK:         call @[[STORES]](%arg1) {{.*}}"y"
func.func @constants(%a: memref<8xf32>, %b: memref<8xf32>) attributes {tapestry.device} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant {tapestry.vertex = "x"} 1.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %a[%i] : memref<8xf32>
  } {tapestry.vertex = "x", tapestry.kernel}
  %w = arith.constant {tapestry.vertex = "y"} 1.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %w, %b[%i] : memref<8xf32>
  } {tapestry.vertex = "y", tapestry.kernel}
  return
}

// Which random numbers are drawn is said by whoever calls; equal keys once, so
// that equal draws stay equal.
// CHECK-LABEL: func.func @draws(
// CHECK-DAG:     %[[FIVE:.*]] = arith.constant 5 : i64
// CHECK-DAG:     %[[A:.*]] = arith.constant 11 : i64
// CHECK:         call @[[DRAW:tapestry_kernel[_0-9]*]](%arg0, %[[FIVE]], %[[A]])
// CHECK-DAG:     %[[SIX:.*]] = arith.constant 6 : i64
// CHECK-DAG:     %[[B:.*]] = arith.constant 12 : i64
// CHECK:         call @[[DRAW]](%arg1, %[[SIX]], %[[B]])
func.func @draws(%a: memref<8xf32>, %b: memref<8xf32>) attributes {tapestry.device} {
  %c6 = arith.constant 6 : i64
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : memref<8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i64
    %c5 = arith.constant 5 : i64
    %u = tapestry_index.random uniform of %at seed %c5 stream 11 : f32
    %n = tapestry_index.random normal of %at seed %c5 stream 11 : f32
    %s = arith.addf %u, %n : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%b : memref<8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %at = arith.index_cast %i : index to i64
    %u = tapestry_index.random uniform of %at seed %c6 stream 12 : f32
    %n = tapestry_index.random normal of %at seed %c6 stream 12 : f32
    %s = arith.addf %u, %n : f32
    linalg.yield %s : f32
  }
  return
}

// Rims are one kernel whatever their shapes are, the buffer that is read twice
// is read as two are.
// CHECK-LABEL: func.func @rims(
// CHECK-NEXT:    call @[[RIM:tapestry_kernel[_0-9]*]]({{.*}}) {tapestry.device} : (memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>)
// CHECK:         call @[[RIM]](
// CHECK:         call @[[ONE:tapestry_kernel[_0-9]*]]({{.*}}) {tapestry.device} : (memref<1xf32, strided<[1], offset: ?>>,
func.func @rims(%a: memref<?xf32, strided<[1], offset: ?>> {llvm.noalias},
    %b: memref<?xf32, strided<[1], offset: ?>> {llvm.noalias},
    %c: memref<?xf32, strided<[1], offset: ?>> {llvm.noalias},
    %d: memref<8xf32> {llvm.noalias}, %e: memref<8xf32> {llvm.noalias},
    %f: memref<1xf32> {llvm.noalias}, %g: memref<1xf32> {llvm.noalias})
    attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>)
      outs(%c : memref<?xf32, strided<[1], offset: ?>>) attrs = {tapestry.rim} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.subf %x, %y : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%d : memref<8xf32>) outs(%e : memref<8xf32>) attrs = {tapestry.rim} {
  ^bb0(%x: f32, %o: f32):
    %s = arith.subf %x, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%f : memref<1xf32>) outs(%g : memref<1xf32>) attrs = {tapestry.rim} {
  ^bb0(%x: f32, %o: f32):
    %s = arith.subf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}

// Only where types say all but addresses are these all that is handed over.
// CHECK: func.func private @[[K0]](%{{.*}}: memref<?xf32> {llvm.noalias}, %{{.*}}: memref<?xf32> {llvm.noalias}) attributes {llvm.linkage
// CHECK: func.func private @[[K1]](%{{.*}}: memref<8xf32, strided<[1]>>, %{{.*}}: memref<8xf32, strided<[1], offset: 8>>, %{{.*}}: f32) attributes {llvm.bareptr,
// CHECK: func.func private @[[K2]](%{{.*}}: memref<?xf32> {llvm.noalias})
// CHECK:   memref.alloc
// CHECK:   linalg.generic {{.*}} ins(%{{.*}} : f32)
// CHECK:   linalg.generic
// CHECK:   memref.dealloc
