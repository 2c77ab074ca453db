// RUN: tapestry-opt %s -tapestry-expand-math="cpu=x86-64-v3" | FileCheck %s
// RUN: tapestry-opt %s -tapestry-expand-math="cpu=x86-64-v2" | FileCheck %s --check-prefix=PLAIN

// Without fused multiply-adds none are made: they would be calls of libm.
// PLAIN-NOT: math.fma

// Exponentials are polynomials; a narrow type is computed in f32.
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

// The reciprocal root is a root, a division and a correction, not an estimate.
// CHECK-LABEL: func @rsqrt
// CHECK:         %[[S:.*]] = math.sqrt %arg0 : vector<8xf32>
// CHECK:         arith.divf %{{.*}}, %[[S]]
// CHECK:         math.fma
func.func @rsqrt(%x: vector<8xf32>) -> vector<8xf32> attributes {tapestry.device} {
  %0 = math.rsqrt %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// Of f64, some functions are ours and some are libm's.
// CHECK-LABEL: func @double
// CHECK-NOT:     math.tanh
// CHECK:         math.asinh %arg0 : f64
// CHECK-NOT:     math.tanh
func.func @double(%x: f64) -> (f64, f64) attributes {tapestry.device} {
  %0 = math.tanh %x : f64
  %1 = math.asinh %x : f64
  return %0, %1 : f64, f64
}

// A quotient that is the logistic function becomes it, whichever way its sum is
// written, and one that only looks like it stays.
// CHECK-LABEL: func @sigmoid
// CHECK:         %[[Q0:.*]] = arith.divf
// CHECK-NEXT:    arith.negf %[[Q0]]
// CHECK:         %[[Q1:.*]] = arith.divf
// CHECK-NEXT:    arith.negf %[[Q1]]
// CHECK:         %[[Q2:.*]] = arith.divf
// CHECK-NEXT:    return %{{.*}}, %{{.*}}, %[[Q2]]
func.func @sigmoid(%x: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>)
    attributes {tapestry.device} {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %one = arith.constant dense<1.0> : vector<4xf32>
  %two = arith.constant dense<2.0> : vector<4xf32>
  %less = arith.cmpf olt, %x, %zero : vector<4xf32>
  %abs = math.absf %x : vector<4xf32>
  %negative = arith.negf %abs : vector<4xf32>
  %e = math.exp %negative : vector<4xf32>
  %n = arith.select %less, %e, %one : vector<4xi1>, vector<4xf32>
  %s0 = arith.addf %one, %e : vector<4xf32>
  %0 = arith.divf %n, %s0 : vector<4xf32>
  %s1 = arith.addf %e, %one : vector<4xf32>
  %1 = arith.divf %n, %s1 : vector<4xf32>
  %s2 = arith.addf %e, %two : vector<4xf32>
  %2 = arith.divf %n, %s2 : vector<4xf32>
  return %0, %1, %2 : vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// Constant powers are products, in f64 for f32; others are pow.
// CHECK-LABEL: func @power
// CHECK:         arith.extf %arg0 : f32 to f64
// CHECK-COUNT-2: arith.mulf {{.*}} : f64
// CHECK:         arith.truncf {{.*}} : f64 to f32
// CHECK:         math.powf {{.*}} : f64
func.func @power(%x: f32, %n: i32) -> (f32, f32) attributes {tapestry.device} {
  %three = arith.constant 3 : i32
  %0 = math.fpowi %x, %three : f32, i32
  %1 = math.fpowi %x, %n : f32, i32
  return %0, %1 : f32, f32
}
