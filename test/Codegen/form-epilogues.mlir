// What is made of a product's results comes right behind it, into one kernel, and one
// call computes both.
// RUN: tapestry-opt --tapestry-form-epilogues=relu --split-input-file %s | FileCheck %s
// RUN: tapestry-opt --tapestry-form-epilogues=relu --tapestry-outline-kernels --tapestry-map-products --split-input-file %s | FileCheck %s --check-prefix=CALL

#ij = affine_map<(i, k, j) -> (i, j)>
#jk = affine_map<(i, k, j) -> (j, k)>
#ik = affine_map<(i, k, j) -> (i, k)>
#all = affine_map<(i, k) -> (i, k)>
#column = affine_map<(i, k) -> (k)>
#none = affine_map<(i, k) -> ()>

// A bias and the positive part; another operation stood between.
// CHECK-LABEL: func @rectified
// CHECK: linalg.generic {{.*}} outs(%[[C:.*]] : memref<64x48xf32>)
// CHECK: linalg.generic {{.*}} outs(%[[C]] : memref<64x48xf32>) attrs = {tapestry.joined}
// CHECK: linalg.generic {{.*}} ins(%[[C]], %{{.*}} : memref<64x48xf32>, memref<48xf32>) outs(%[[C]]
// CHECK: math.exp
// CALL-LABEL: func @rectified
// CALL: call @[[KERNEL:tapestry_kernel[_0-9]*]](
// CALL: call @tapestry_kernel
// CALL-NOT: call
// CALL: return
// CALL: func private @[[KERNEL]]
// CALL-NOT: linalg.generic
// CALL: %[[EPILOGUE:.*]] = llvm.mlir.constant(3 : i64)
// CALL: llvm.store %[[EPILOGUE]], %{{.*}} : i64
// CALL: llvm.inttoptr
// CALL: %[[BIAS:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr
// CALL: %[[LEFT:.*]] = llvm.inttoptr
// CALL: llvm.call @tapestry_rt_product(%[[NONE:.*]], %{{.*}}, %[[LEFT]], %{{.*}}, %[[NONE]], %{{.*}}, %[[BIAS]],
func.func @rectified(%a: memref<64x32xf32> {llvm.noalias}, %b: memref<32x48xf32> {llvm.noalias},
                     %c: memref<64x48xf32> {llvm.noalias}, %d: memref<48xf32> {llvm.noalias},
                     %x: memref<64x48xf32> {llvm.noalias}) attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#none, #all], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%c : memref<64x48xf32>) {
  ^bb0(%z: f32, %o: f32):
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [#ij, #jk, #ik], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>) outs(%c : memref<64x48xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
      outs(%x : memref<64x48xf32>) {
  ^bb0(%o: f32):
    %e = math.exp %o : f32
    linalg.yield %e : f32
  }
  %least = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c, %d : memref<64x48xf32>, memref<48xf32>) outs(%c : memref<64x48xf32>) {
  ^bb0(%h: f32, %w: f32, %o: f32):
    %s = arith.addf %h, %w : f32
    %m = arith.maximumf %s, %least : f32
    linalg.yield %m : f32
  }
  return
}

// -----

#ij = affine_map<(i, k, j) -> (i, j)>
#jk = affine_map<(i, k, j) -> (j, k)>
#ik = affine_map<(i, k, j) -> (i, k)>
#all = affine_map<(i, k) -> (i, k)>
#none = affine_map<(i, k) -> ()>

// Sums that nothing else reads need no buffer: the library stores bf16.
// CHECK-LABEL: func @narrowed
// CHECK: attrs = {tapestry.joined}
// CALL-LABEL: func @narrowed
// CALL: func private @tapestry_kernel
// CALL-NOT: linalg.generic
// CALL-NOT: memref<64x48xf32>
// CALL: memref.alloc() : memref<6144xi8>
// CALL: llvm.call @tapestry_rt_product
// CALL-NOT: memref<64x48xf32>
// CALL: return
func.func @narrowed(%a: memref<64x32xbf16> {llvm.noalias}, %b: memref<32x48xbf16> {llvm.noalias},
                    %y: memref<64x48xbf16> {llvm.noalias}) attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<64x48xf32>
  linalg.generic {indexing_maps = [#none, #all], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%c : memref<64x48xf32>) {
  ^bb0(%z: f32, %o: f32):
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [#ij, #jk, #ik], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x32xbf16>, memref<32x48xbf16>) outs(%c : memref<64x48xf32>) {
  ^bb0(%u: bf16, %v: bf16, %o: f32):
    %p = arith.extf %u : bf16 to f32
    %q = arith.extf %v : bf16 to f32
    %r = arith.mulf %p, %q : f32
    %s = arith.addf %o, %r : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<64x48xf32>) outs(%y : memref<64x48xbf16>) {
  ^bb0(%h: f32, %o: bf16):
    %n = arith.truncf %h : f32 to bf16
    linalg.yield %n : bf16
  }
  memref.dealloc %c : memref<64x48xf32>
  return
}

// -----

#ij = affine_map<(i, k, j) -> (i, j)>
#jk = affine_map<(i, k, j) -> (j, k)>
#ik = affine_map<(i, k, j) -> (i, k)>
#all = affine_map<(i, k) -> (i, k)>
#column = affine_map<(i, k) -> (k)>
#none = affine_map<(i, k) -> ()>

// Not past what changes the bias.
// CHECK-LABEL: func @changed
// CHECK-NOT: tapestry.joined
// CHECK: return
func.func @changed(%a: memref<64x32xf32> {llvm.noalias}, %b: memref<32x48xf32> {llvm.noalias},
                   %c: memref<64x48xf32> {llvm.noalias}, %d: memref<48xf32> {llvm.noalias})
    attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#none, #all], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%c : memref<64x48xf32>) {
  ^bb0(%z: f32, %o: f32):
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [#ij, #jk, #ik], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>) outs(%c : memref<64x48xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %p = arith.mulf %u, %v : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>], iterator_types = ["parallel"]}
      outs(%d : memref<48xf32>) {
  ^bb0(%o: f32):
    %e = math.exp %o : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c, %d : memref<64x48xf32>, memref<48xf32>) outs(%c : memref<64x48xf32>) {
  ^bb0(%h: f32, %w: f32, %o: f32):
    %s = arith.addf %h, %w : f32
    linalg.yield %s : f32
  }
  return
}
