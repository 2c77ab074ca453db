// Functions of f64 that the host has in libm.
// RUN: tapestry-opt --tapestry-codegen-pipeline="target=cuda form-kernels=false" --split-input-file %s | FileCheck %s

#id = affine_map<(i) -> (i)>

// Fused multiply-adds and whole numbers alone.
// CHECK-LABEL: .visible .entry powers_0(
// CHECK-NOT: call
// CHECK: fma.rn.f64
// CHECK: st.global.b64
func.func @powers(%x: memref<?xf64>, %y: memref<?xf64>) attributes {tapestry.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<?xf64>) outs(%y : memref<?xf64>) {
  ^bb0(%a: f64, %o: f64):
    %c = arith.constant 2.5 : f64
    %r = math.powf %a, %c : f64
    linalg.yield %r : f64
  }
  return
}

// -----

// What is beyond 2^20 is multiplied by 192 bits of 2 / pi.
// CHECK-LABEL: .visible .entry angles_0(
// CHECK-NOT: call
// CHECK: mul.hi.u64
#id = affine_map<(i) -> (i)>
func.func @angles(%x: memref<?xf64>, %y: memref<?xf64>) attributes {tapestry.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<?xf64>) outs(%y : memref<?xf64>) {
  ^bb0(%a: f64, %o: f64):
    %r = math.sin %a : f64
    linalg.yield %r : f64
  }
  return
}

// -----

// CHECK-LABEL: .visible .entry remainders_0(
// CHECK-NOT: call
// CHECK: rem.u64
// CHECK: st.global.b16
#id = affine_map<(i) -> (i)>
func.func @remainders(%x: memref<?xf16>, %y: memref<?xf16>) attributes {tapestry.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<?xf16>) outs(%y : memref<?xf16>) {
  ^bb0(%a: f16, %o: f16):
    %r = arith.remf %a, %o : f16
    linalg.yield %r : f16
  }
  return
}
