// Updates of places that data name: each element has one thread, which goes through
// all updates.
// RUN: tapestry-opt --tapestry-map-kernels --split-input-file %s | FileCheck %s
// RUN: tapestry-opt --tapestry-codegen-pipeline="target=cuda form-kernels=false" --split-input-file %s | FileCheck %s --check-prefix=PTX

// 64 groups of rows, with a thread for each of the 70 columns.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @rows
// CHECK: gpu.launch blocks(%[[B:[a-z0-9]+]], %{{.*}} in (%{{.*}} = %c18, {{.*}} threads(%[[T:[a-z0-9]+]], %{{.*}} in (%{{.*}} = %c256,
// CHECK: scf.for %[[OWN:.*]] = %{{.*}} to %c4480
// CHECK: %[[GROUP:.*]] = arith.divui %[[OWN]], %c70
// CHECK: %[[COLUMN:.*]] = arith.subi %[[OWN]]
// CHECK: scf.for %[[N:.*]] = %c0 to %c1900
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW:.*]], %c100
// CHECK: %[[BITS:.*]] = arith.andi %[[ROW]], %c63
// CHECK: %[[MINE:.*]] = arith.cmpi eq, %[[BITS]], %[[GROUP]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[INSIDE]], %[[MINE]]
// CHECK: scf.if %[[BOTH]]
// CHECK-NOT: scf.for
// CHECK: arith.addf
// CHECK: memref.store
// PTX-LABEL: .visible .entry rows_0(
// PTX: add.rn.f64
// PTX-NOT: atom
func.func @rows(%x: memref<1900x70xf32> {llvm.noalias}, %a: memref<1900xi32> {llvm.noalias},
                %s: memref<100x70xf64> {llvm.noalias}) attributes {tapestry.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1900 : index
  %rows = arith.constant 100 : index
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %a[%i] : memref<1900xi32>
    %row = arith.index_cast %p : i32 to index
    %inside = arith.cmpi ult, %row, %rows : index
    scf.if %inside {
      %from = memref.subview %x[%i, 0] [1, 70] [1, 1] : memref<1900x70xf32> to memref<70xf32, strided<[1], offset: ?>>
      %to = memref.subview %s[%row, 0] [1, 70] [1, 1] : memref<100x70xf64> to memref<70xf64, strided<[1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%from : memref<70xf32, strided<[1], offset: ?>>) outs(%to : memref<70xf64, strided<[1], offset: ?>>) {
      ^bb0(%in: f32, %out: f64):
        %w = arith.extf %in : f32 to f64
        %sum = arith.addf %out, %w : f64
        linalg.yield %sum : f64
      }
    }
  }
  return
}

// -----

// What is read of the destination elsewhere has an order.
// CHECK-LABEL: func @chained
// CHECK: gpu.launch {{.*}} threads({{.*}} in (%{{[a-z0-9]*}} = %c1{{(_[0-9]*)?}}
// PTX-LABEL: .visible .entry chained_0(
func.func @chained(%a: memref<1900xi32> {llvm.noalias}, %s: memref<100xf32> {llvm.noalias})
    attributes {tapestry.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1900 : index
  %rows = arith.constant 100 : index
  scf.for %i = %c0 to %n step %c1 {
    %p = memref.load %a[%i] : memref<1900xi32>
    %row = arith.index_cast %p : i32 to index
    %inside = arith.cmpi ult, %row, %rows : index
    scf.if %inside {
      %first = memref.load %s[%c0] : memref<100xf32>
      memref.store %first, %s[%row] : memref<100xf32>
    }
  }
  return
}
