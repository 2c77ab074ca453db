// RUN: tapestry-opt %s -tapestry-lower-to-llvm | FileCheck %s

// Buffers come from the runtime, aligned to cache lines.
// CHECK-DAG: llvm.func @_mlir_memref_to_llvm_aligned_alloc(i64, i64) -> !llvm.ptr
// CHECK-DAG: llvm.func @_mlir_memref_to_llvm_free(!llvm.ptr)
// CHECK-LABEL: llvm.func @buffer
// CHECK:         %[[A:.*]] = llvm.mlir.constant(64 : index) : i64
// CHECK:         llvm.call @_mlir_memref_to_llvm_aligned_alloc(%[[A]], %{{.*}})
// CHECK:         llvm.call @_mlir_memref_to_llvm_free
func.func @buffer(%n: index) attributes {tapestry.device} {
  %0 = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %0 : memref<?xf32>
  return
}

// A buffer that nothing overlaps: its data pointer says so.
// CHECK-LABEL: llvm.func internal @kernel(
// CHECK-SAME:    !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64
func.func private @kernel(%x: memref<?xf32> {llvm.noalias}, %y: memref<?xf32>)
    attributes {tapestry.device, llvm.linkage = #llvm.linkage<internal>} {
  return
}

// Values of bf16 are handled as their bits on any processor.
// CHECK-LABEL: llvm.func @bf16
// CHECK-NOT:     bf16
// CHECK:         llvm.load {{.*}} -> i16
// CHECK:         llvm.shl
func.func @bf16(%x: memref<?xbf16>, %i: index) -> f32 attributes {tapestry.device} {
  %0 = memref.load %x[%i] : memref<?xbf16>
  %1 = arith.extf %0 : bf16 to f32
  return %1 : f32
}

// Only rounding to nearest goes by way of f32.
// CHECK-LABEL: llvm.func @rounding
// CHECK:         constrained.fptrunc %{{.*}} towardzero ignore : f64 to f16
// CHECK-NOT:     f64 to f16
// CHECK:         llvm.fptrunc %{{.*}} : f64 to f32
func.func @rounding(%x: f64) -> (f16, f16) attributes {tapestry.device} {
  %0 = arith.truncf %x toward_zero : f64 to f16
  %1 = arith.truncf %x to_nearest_even : f64 to f16
  return %0, %1 : f16, f16
}

// bf16 goes to wider types by way of f32.
// CHECK-LABEL: llvm.func @wide
// CHECK:         llvm.fpext %{{.*}} : f32 to f64
// CHECK:         llvm.fpext %{{.*}} : vector<4xf32> to vector<4xf64>
func.func @wide(%x: bf16, %y: vector<4xbf16>) -> (f64, vector<4xf64>) attributes {tapestry.device} {
  %0 = arith.extf %x : bf16 to f64
  %1 = arith.extf %y : vector<4xbf16> to vector<4xf64>
  return %0, %1 : f64, vector<4xf64>
}

// Where a buffer is its address alone, the mark stands on that.
// CHECK-LABEL: llvm.func @addresses(
// CHECK-SAME:    %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr {llvm.noalias})
func.func private @addresses(%n: i64, %x: memref<4x4xf32>, %y: memref<8xf32> {llvm.noalias})
    attributes {llvm.bareptr, tapestry.device} {
  return
}

// A buffer of unknown rank is two values.
// CHECK-LABEL: llvm.func internal @unranked(
// CHECK-SAME:    i64, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr {llvm.noalias}
func.func private @unranked(%x: memref<*xf32>, %y: memref<?xf32> {llvm.noalias})
    attributes {tapestry.device, llvm.linkage = #llvm.linkage<internal>} {
  return
}
