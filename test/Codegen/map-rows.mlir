// A softmax and a product: a block per row, which reads the row once; products
// stay kernels of their own.
// RUN: tapestry-opt %s -split-input-file --tapestry-form-row-kernels=row-bytes=32768 --tapestry-outline-kernels --tapestry-map-kernels | FileCheck %s
// RUN: tapestry-opt %s -split-input-file --tapestry-codegen-pipeline="target=cuda gpu-products=generated" | FileCheck %s --check-prefix=PTX

#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

// What the group keeps, the row itself, and a word of each warp.
// CHECK-LABEL: func private @tapestry_kernel
// CHECK: gpu.launch blocks(%[[B:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c64,
// CHECK-SAME: threads(%[[T:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c256,
// CHECK-SAME: memref<2000xf32, #gpu.address_space<workgroup>>
// CHECK-SAME: memref<2000xf32, #gpu.address_space<workgroup>>
// CHECK-SAME: memref<8xf32, #gpu.address_space<workgroup>>
// CHECK: scf.for %[[R:.*]] = %[[B]] to %c64
// CHECK: memref.subview %{{.*}}[%[[R]], 0] [1, 2000]
// CHECK: vector.load {{.*}} : memref<?xf32>, vector<4xf32>
// CHECK: vector.store {{.*}} : memref<?xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK: gpu.barrier
// CHECK: arith.maximumf
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK: math.exp
// CHECK: arith.divf
// CHECK-NOT: gpu.launch
// PTX: .visible .entry
// PTX: ld.global.v4.b32
// PTX-COUNT-16: shfl.sync.bfly.b32
// PTX-NOT: .visible .entry
func.func @softmax(%x: memref<64x2000xf32> {llvm.noalias}, %y: memref<64x2000xf32> {llvm.noalias})
    attributes {tapestry.device} {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<64xf32>
  %e = memref.alloc() : memref<64x2000xf32>
  %s = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      outs(%m : memref<64xf32>) {
  ^bb0(%o: f32):
    linalg.yield %low : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x2000xf32>) outs(%m : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.maximumf %o, %a : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      outs(%s : memref<64xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : memref<64x2000xf32>, memref<64xf32>) outs(%e, %s : memref<64x2000xf32>, memref<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %t: f32):
    %d = arith.subf %a, %b : f32
    %v = math.exp %d : f32
    %w = arith.addf %t, %v : f32
    linalg.yield %v, %w : f32, f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : memref<64x2000xf32>, memref<64xf32>) outs(%y : memref<64x2000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.divf %a, %b : f32
    linalg.yield %v : f32
  }
  memref.dealloc %m : memref<64xf32>
  memref.dealloc %e : memref<64x2000xf32>
  memref.dealloc %s : memref<64xf32>
  return
}

// -----

#ij = affine_map<(i, k, j) -> (i, j)>
#jk = affine_map<(i, k, j) -> (j, k)>
#ik = affine_map<(i, k, j) -> (i, k)>
#all = affine_map<(i, k) -> (i, k)>
#first = affine_map<(i, k) -> (i)>
// CHECK-LABEL: func @product
// CHECK: call
// CHECK: call
// PTX-COUNT-2: .visible .entry
func.func @product(%x: memref<100x70xf32> {llvm.noalias}, %w: memref<70x200xf32> {llvm.noalias},
                   %c: memref<100x200xf32> {llvm.noalias}, %m: memref<100xf32> {llvm.noalias})
    attributes {tapestry.device} {
  linalg.generic {indexing_maps = [#ij, #jk, #ik], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<100x70xf32>, memref<70x200xf32>) outs(%c : memref<100x200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#all, #first], iterator_types = ["parallel", "reduction"]}
      ins(%c : memref<100x200xf32>) outs(%m : memref<100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.maximumf %o, %a : f32
    linalg.yield %v : f32
  }
  return
}
