// What each thread does of every kind of kernel, and the PTX that comes of it.
// RUN: tapestry-opt --tapestry-map-kernels --split-input-file %s | FileCheck %s
// RUN: tapestry-opt --tapestry-codegen-pipeline="target=cuda form-kernels=false" --split-input-file %s | FileCheck %s --check-prefix=PTX

// A thread per result, the last loop fastest.
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
// CHECK-LABEL: func @transposed
// CHECK: gpu.launch blocks(%[[B:[a-z0-9]+]], %{{.*}} threads(%[[T:[a-z0-9]+]],
// CHECK: %[[FIRST:.*]] = arith.muli %[[B]], %c256
// CHECK: %[[OWN:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK: scf.for %[[I:.*]] = %[[OWN]] to %{{.*}} step
// CHECK: arith.divui %[[I]], %c9
// CHECK: memref.load
// CHECK: arith.negf
// CHECK: memref.store
// PTX-LABEL: .visible .entry transposed_0(
// PTX: .maxntid 256, 1, 1
// PTX: ld.global.b32
// PTX: neg.f32
// PTX: st.global.b32
func.func @transposed(%x: memref<9x?xf32> {llvm.noalias}, %y: memref<?x9xf32> {llvm.noalias})
    attributes {tapestry.kernel} {
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<9x?xf32>) outs(%y : memref<?x9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  return
}

// -----

// A block per result, whose threads combine by warps what they have.
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func @greatest
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<8xf32, #gpu.address_space<workgroup>>)
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.maximumf
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.store %{{.*}}, %[[SHARED]]
// CHECK: gpu.barrier
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK: scf.if
// CHECK: memref.store
// CHECK: gpu.barrier
// PTX-LABEL: .visible .entry greatest_0(
// PTX: max.NaN.f32
// PTX: shfl.sync.bfly.b32
// PTX: st.shared.b32
// PTX: bar.sync
func.func @greatest(%x: memref<100x4096xf32> {llvm.noalias}, %y: memref<100xf32> {llvm.noalias})
    attributes {tapestry.kernel} {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<100x4096xf32>) outs(%y : memref<100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  }
  return
}

// -----

// Tiles: rows of one input and columns of the other in shared memory, 16 results
// in registers.
#a = affine_map<(i, k, j) -> (i, j)>
#b = affine_map<(i, k, j) -> (j, k)>
#c = affine_map<(i, k, j) -> (i, k)>
// CHECK-LABEL: func @distances
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%{{.*}} : memref<1088xf32, #gpu.address_space<workgroup>>, %{{.*}} : memref<1088xf32, #gpu.address_space<workgroup>>)
// CHECK: scf.for {{.*}} step %c16
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-COUNT-16: math.absf
// CHECK: scf.if
// CHECK: memref.store
// PTX-LABEL: .visible .entry distances_0(
// PTX: bar.sync
// PTX: ld.shared.v4.b32
// PTX-COUNT-16: abs.f32
func.func @distances(%x: memref<100x70xf32> {llvm.noalias}, %y: memref<70x90xf32> {llvm.noalias},
                     %z: memref<100x90xf32> {llvm.noalias}) attributes {tapestry.kernel} {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<100x70xf32>, memref<70x90xf32>) outs(%z : memref<100x90xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %d = arith.subf %p, %q : f32
    %m = math.absf %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Subscripts that are not linear: on buffers as they are.
#half = affine_map<(i) -> (i floordiv 2)>
#one = affine_map<(i) -> (i)>
// CHECK-LABEL: func @repeated
// CHECK: gpu.launch
// CHECK: affine.apply
// CHECK: memref.load %{{.*}} : memref<5xf32>
// PTX-LABEL: .visible .entry repeated_0(
func.func @repeated(%x: memref<5xf32>, %y: memref<10xf32>) attributes {tapestry.kernel} {
  linalg.generic {indexing_maps = [#half, #one], iterator_types = ["parallel"]}
      ins(%x : memref<5xf32>) outs(%y : memref<10xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// What is the host's stays as it is.
#flat = affine_map<(i) -> (i)>
// CHECK-LABEL: func @combine
// CHECK-NOT: gpu.launch
// CHECK: linalg.generic
// PTX-LABEL: llvm.func @combine
func.func @combine(%x: memref<?xf32>, %y: memref<?xf32>) attributes {tapestry.device, tapestry.host} {
  linalg.generic {indexing_maps = [#flat, #flat], iterator_types = ["parallel"]}
      ins(%y : memref<?xf32>) outs(%x : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Neighbours side by side: 16 bytes at once, where buffers begin at multiples of
// that, and what is left one by one.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @sums
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq
// CHECK: %[[VECTORS:.*]] = arith.select %[[ALIGNED]]
// CHECK: gpu.launch
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[VECTORS]]
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK-COUNT-4: arith.addf
// CHECK: vector.store {{.*}} {alignment = 16 : i64}
// CHECK: scf.for
// CHECK: memref.store
// PTX-LABEL: .visible .entry sums_0(
// PTX: ld.global.v4.b32
// PTX: st.global.v4.b32
func.func @sums(%x: memref<?xf32> {llvm.noalias}, %y: memref<?xf32> {llvm.noalias}, %z: memref<?xf32> {llvm.noalias})
    attributes {tapestry.kernel} {
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : memref<?xf32>, memref<?xf32>) outs(%z : memref<?xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %n = arith.addf %a, %c : f32
    linalg.yield %n : f32
  }
  return
}
