// RUN: tapestry-opt %s -tapestry-expand-math | FileCheck %s

// f32 exponentials are polynomials; a narrow type is computed in f32.
// CHECK-LABEL: func @exp
// CHECK-NOT:     math.exp
// CHECK:         math.fma {{.*}} : vector<16xf32>
// CHECK:         arith.extf %arg1 : vector<16xbf16> to vector<16xf32>
// CHECK-NOT:     math.exp
// CHECK:         arith.truncf {{.*}} to vector<16xbf16>
func.func @exp(%x: vector<16xf32>, %y: vector<16xbf16>)
    -> (vector<16xf32>, vector<16xbf16>) attributes {tapestry.device} {
  %0 = math.exp %x : vector<16xf32>
  %1 = math.exp %y : vector<16xbf16>
  return %0, %1 : vector<16xf32>, vector<16xbf16>
}

// The reciprocal root is a root and a division, not an estimate.
// CHECK-LABEL: func @rsqrt
// CHECK:         %[[S:.*]] = math.sqrt %arg0 : vector<8xf32>
// CHECK:         arith.divf %{{.*}}, %[[S]]
func.func @rsqrt(%x: vector<8xf32>) -> vector<8xf32> attributes {tapestry.device} {
  %0 = math.rsqrt %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// f64 stays, for libm.
// CHECK-LABEL: func @double
// CHECK:         math.exp %arg0 : f64
func.func @double(%x: f64) -> f64 attributes {tapestry.device} {
  %0 = math.exp %x : f64
  return %0 : f64
}
