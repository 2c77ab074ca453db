// Kernels that take long are computed by all threads of a rank: each runs the
// kernel over its share of one loop.
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(func.func(tapestry-vectorize-kernels{cpu=x86-64-v4}))' | FileCheck %s
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(func.func(tapestry-vectorize-kernels{cpu=x86-64-v4}),tapestry-lower-to-llvm,tapestry-share-kernels)' | FileCheck %s --check-prefix=LLVM

#ik = affine_map<(i, k, j) -> (i, j)>
#kj = affine_map<(i, k, j) -> (j, k)>
#ij = affine_map<(i, k, j) -> (i, k)>

// CHECK-LABEL: func.func private @product
// CHECK-SAME:    tapestry.work = {{[0-9]+}} : i64
// CHECK:         %[[B:.*]], %[[E:.*]] = tapestry_index.share %c32
// CHECK:         %[[FROM:.*]] = arith.muli %[[B]], %c32
// CHECK:         %[[TO:.*]] = arith.muli %[[E]], %c32
// CHECK:         %[[END:.*]] = arith.minsi %[[TO]], %c1024
// CHECK:         memref.alloc
// CHECK:         scf.for %{{.*}} = %[[FROM]] to %[[END]]
// CHECK-NOT:     tapestry_index.share
func.func private @product(%a: memref<1024x1024xf32> {llvm.noalias}, %b: memref<1024x1024xf32> {llvm.noalias},
                           %c: memref<1024x1024xf32> {llvm.noalias}) attributes {tapestry.kernel, llvm.bareptr} {
  linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1024x1024xf32>, memref<1024x1024xf32>) outs(%c : memref<1024x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Rows of a loop that was formed before; the loop over columns is not shared.
// CHECK-LABEL: func.func private @rows
// CHECK-SAME:    tapestry.work
// CHECK:         %[[B:.*]], %[[E:.*]] = tapestry_index.share %c128
// CHECK:         %[[FROM:.*]] = arith.muli %[[B]], %c8
// CHECK:         %[[TO:.*]] = arith.muli %[[E]], %c8
// CHECK:         %[[END:.*]] = arith.minsi %[[TO]], %c1024
// CHECK:         scf.for %{{.*}} = %[[FROM]] to %[[END]] step %c8
// CHECK-NOT:     tapestry_index.share
func.func private @rows(%x: memref<1024x1024xf32> {llvm.noalias}, %y: memref<1024x1024xf32> {llvm.noalias})
    attributes {tapestry.kernel, llvm.bareptr} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1024 = arith.constant 1024 : index
  scf.for %r = %c0 to %c1024 step %c8 {
    %xr = memref.subview %x[%r, 0] [8, 1024] [1, 1] : memref<1024x1024xf32> to memref<8x1024xf32, strided<[1024, 1], offset: ?>>
    %yr = memref.subview %y[%r, 0] [8, 1024] [1, 1] : memref<1024x1024xf32> to memref<8x1024xf32, strided<[1024, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%xr : memref<8x1024xf32, strided<[1024, 1], offset: ?>>) outs(%yr : memref<8x1024xf32, strided<[1024, 1], offset: ?>>) {
    ^bb0(%in: f32, %out: f32):
      %e = math.exp %in : f32
      linalg.yield %e : f32
    }
  } {tapestry.parallel}
  return
}

// Extents that devices differ in are planned as those that most have.
// CHECK-LABEL: func.func private @uneven
// CHECK-SAME:    tapestry.work
// CHECK:         %[[COLUMNS:.*]] = arith.div{{.*}}, %c32
// CHECK:         tapestry_index.share %[[COLUMNS]]
func.func private @uneven(%a: memref<?x700xf32> {llvm.noalias, tapestry.extents = array<i64: 334, 700>},
                          %b: memref<700x?xf32> {llvm.noalias, tapestry.extents = array<i64: 700, 512>},
                          %c: memref<?x?xf32> {llvm.noalias, tapestry.extents = array<i64: 334, 512>}) attributes {tapestry.kernel} {
  linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x700xf32>, memref<700x?xf32>) outs(%c : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// What nothing is known of is not shared.
// CHECK-LABEL: func.func private @unknown
// CHECK-NOT:     tapestry_index.share
func.func private @unknown(%x: memref<?xf32> {llvm.noalias}, %y: memref<?xf32> {llvm.noalias}) attributes {tapestry.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  return
}

// A loop that nobody calls parallel, a short one, and one that is no kernel.
// CHECK-LABEL: func.func private @in_order
// CHECK-NOT:     tapestry.work
// CHECK-NOT:     tapestry_index.share
func.func private @in_order(%x: memref<1048576xf32> {llvm.noalias}) attributes {tapestry.kernel, llvm.bareptr} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1048575 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<1048576xf32>
    %next = arith.addi %i, %c1 : index
    memref.store %v, %x[%next] : memref<1048576xf32>
  }
  return
}
func.func private @short(%x: memref<64xf32> {llvm.noalias}, %y: memref<64xf32> {llvm.noalias}) attributes {tapestry.kernel, llvm.bareptr} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  }
  return
}
func.func @device(%x: memref<1048576xf32> {llvm.noalias}, %y: memref<1048576xf32> {llvm.noalias}) attributes {tapestry.device} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<1048576xf32>) outs(%y : memref<1048576xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = arith.negf %in : f32
    linalg.yield %e : f32
  }
  return
}

// LLVM:       llvm.func @tapestry_rt_parallel(!llvm.ptr, !llvm.ptr, i64)
// LLVM:       llvm.func @product.part(%[[ALL:.*]]: !llvm.ptr)
// LLVM:         %[[A:.*]] = llvm.load
// LLVM:         %[[B:.*]] = llvm.load
// LLVM:         %[[C:.*]] = llvm.load
// LLVM:         llvm.call @product.code(%[[A]], %[[B]], %[[C]])
// LLVM:       llvm.func @product(%[[A:.*]]: !llvm.ptr, %[[B:.*]]: !llvm.ptr, %[[C:.*]]: !llvm.ptr)
// LLVM:         %[[ALL:.*]] = llvm.alloca
// LLVM-COUNT-3: llvm.store
// LLVM:         %[[CODE:.*]] = llvm.mlir.addressof @product.part
// LLVM:         %[[WORK:.*]] = llvm.mlir.constant({{[0-9]+}} : i64)
// LLVM:         llvm.call @tapestry_rt_parallel(%[[CODE]], %[[ALL]], %[[WORK]])
// LLVM:       llvm.func @product.code({{.*}}llvm.noalias
// LLVM-SAME:    attributes {
// LLVM-NOT:     tapestry.work
// LLVM:         %[[FIRST:.*]] = llvm.call @tapestry_rt_share(%{{.*}}, %{{.*}}) : (i64, i64) -> i64
// LLVM:         %[[LAST:.*]] = llvm.call @tapestry_rt_share
// LLVM-NOT:   @device.part
