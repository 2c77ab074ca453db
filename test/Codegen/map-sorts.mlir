// Rows in order: what a block does of a short row, and the kernels of a long one.
// RUN: tapestry-opt --tapestry-map-sorts --split-input-file %s | FileCheck %s
// RUN: tapestry-opt --tapestry-codegen-pipeline="target=cuda form-kernels=false" --split-input-file %s | FileCheck %s --check-prefix=PTX

// 300 elements of f32, of which the first 10: the network has 512 items of 8 bytes.
// CHECK-NOT: tapestry_rt_sort
// CHECK-LABEL: func @short
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[ITEMS:.*]] : memref<512xi64, #gpu.address_space<workgroup>>)
// CHECK: memref.load
// CHECK: arith.shli
// CHECK: memref.store %{{.*}}, %[[ITEMS]]
// CHECK: gpu.barrier
// CHECK: scf.for %[[STAGE:.*]] = %c1
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[STAGE]]
// CHECK: arith.cmpi ult
// CHECK: gpu.barrier
// PTX-LABEL: .visible .entry short_0(
// PTX: .maxntid 256, 1, 1
// PTX: st.shared.b64
// PTX: bar.sync
func.func private @tapestry_rt_sort(i32, i32, i64, i64, i64, i64, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr)
    attributes {tapestry.device}
func.func @short(%rows: i64, %x: !llvm.ptr, %y: !llvm.ptr, %s: !llvm.ptr) attributes {tapestry.device} {
  %f32 = arith.constant 1 : i32
  %descending = arith.constant 1 : i32
  %none = arith.constant 0 : i64
  %length = arith.constant 300 : i64
  %count = arith.constant 10 : i64
  call @tapestry_rt_sort(%f32, %descending, %rows, %length, %length, %none, %none, %count, %none, %x, %y, %s)
      : (i32, i32, i64, i64, i64, i64, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  return
}

// -----

// Pieces of 2,048, in the call's scratch memory, then ranks.
// CHECK-LABEL: func @long
// CHECK: scf.for
// CHECK: gpu.launch
// CHECK-SAME: memref<2048xi64, #gpu.address_space<workgroup>>
// CHECK: gpu.launch
// CHECK-NOT: workgroup
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.for {{.*}} iter_args
// PTX-LABEL: .visible .entry long_0(
// PTX-LABEL: .visible .entry long_1(
// PTX: setp.lt.u64
func.func private @tapestry_rt_sort(i32, i32, i64, i64, i64, i64, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr)
    attributes {tapestry.device}
func.func @long(%rows: i64, %x: !llvm.ptr, %y: !llvm.ptr, %s: !llvm.ptr) attributes {tapestry.device} {
  %f32 = arith.constant 1 : i32
  %indices = arith.constant 2 : i32
  %none = arith.constant 0 : i64
  %length = arith.constant 5000 : i64
  call @tapestry_rt_sort(%f32, %indices, %rows, %length, %length, %none, %none, %length, %none, %x, %y, %s)
      : (i32, i32, i64, i64, i64, i64, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  return
}

// -----

// The best so far beside the next piece, in two passes, of elements of 8 bytes and their places.
// CHECK-LABEL: func @best
// CHECK: gpu.launch
// CHECK-SAME: memref<2048xi64, #gpu.address_space<workgroup>>, %{{.*}} : memref<2048xi64, #gpu.address_space<workgroup>>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i64, i64)
// PTX-LABEL: .visible .entry best_0(
func.func private @tapestry_rt_sort(i32, i32, i64, i64, i64, i64, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr)
    attributes {tapestry.device}
func.func @best(%rows: i64, %x: !llvm.ptr, %y: !llvm.ptr, %s: !llvm.ptr) attributes {tapestry.device} {
  %f64 = arith.constant 0 : i32
  %select = arith.constant 5 : i32
  %none = arith.constant 0 : i64
  %length = arith.constant 50000 : i64
  %count = arith.constant 2000 : i64
  call @tapestry_rt_sort(%f64, %select, %rows, %length, %length, %none, %none, %count, %none, %x, %y, %s)
      : (i32, i32, i64, i64, i64, i64, i64, i64, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  return
}
