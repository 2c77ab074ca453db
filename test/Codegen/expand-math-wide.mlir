// RUN: tapestry-opt %s -tapestry-expand-math="cpu=x86-64-v3" | FileCheck %s
// RUN: tapestry-opt %s -tapestry-expand-math="cpu=x86-64-v2" | FileCheck %s --check-prefix=PLAIN

// Without fused multiply-adds none are made: they would be calls of libm.
// PLAIN-NOT: math.fma

// In f64, and rounded once more.
// CHECK-LABEL: func @single
// CHECK-NOT:     math.{{[lceas][a-z0-9]*}}{{.*}} : vector<8xf32>
// CHECK:         arith.extf %arg0 : vector<8xf32> to vector<8xf64>
// CHECK:         arith.truncf {{.*}} : vector<8xf64> to vector<8xf32>
func.func @single(%x: vector<8xf32>) -> vector<8xf32> attributes {tapestry.device} {
  %0 = math.log2 %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func @double
// CHECK-NOT:     math.{{exp2|expm1|log2|log10|log1p|sinh|cosh|cbrt|asin|acos|atan|atan2|log|erf}} 
// CHECK:         return
func.func @double(%x: vector<4xf64>) -> vector<4xf64> attributes {tapestry.device} {
  %0 = math.exp2 %x : vector<4xf64>
  %1 = math.expm1 %0 : vector<4xf64>
  %2 = math.log2 %1 : vector<4xf64>
  %3 = math.log10 %2 : vector<4xf64>
  %4 = math.log1p %3 : vector<4xf64>
  %5 = math.sinh %4 : vector<4xf64>
  %6 = math.cosh %5 : vector<4xf64>
  %7 = math.cbrt %6 : vector<4xf64>
  %8 = math.asin %7 : vector<4xf64>
  %9 = math.acos %8 : vector<4xf64>
  %10 = math.atan %9 : vector<4xf64>
  %11 = math.atan2 %10, %x : vector<4xf64>
  %12 = math.log %11 : vector<4xf64>
  %13 = math.erf %12 : vector<4xf64>
  return %13 : vector<4xf64>
}

// Where a tangent is of a large number, that lane is libm's.
// CHECK-LABEL: func @tangent
// CHECK:         %[[LARGE:.*]] = arith.cmpf ugt
// CHECK:         %[[ANY:.*]] = vector.reduction <or>, %[[LARGE]]
// CHECK:         scf.if %[[ANY]]
// CHECK:           %[[OTHER:.*]] = math.tan
// CHECK:           arith.select %[[LARGE]], %[[OTHER]]
func.func @tangent(%x: vector<4xf64>) -> vector<4xf64> attributes {tapestry.device} {
  %0 = math.tan %x : vector<4xf64>
  return %0 : vector<4xf64>
}

// Large numbers of f32 are computed in f64, and by libm where they are too
// large for that.
// CHECK-LABEL: func @sine
// CHECK:         %[[LARGE:.*]] = arith.cmpf ugt, %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK:         scf.if
// CHECK:           arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
// CHECK:           arith.cmpf ugt, %{{.*}}, %{{.*}} : vector<8xf64>
// CHECK:           scf.if
// CHECK:             math.sin %{{.*}} : vector<8xf64>
// CHECK:           arith.truncf %{{.*}} : vector<8xf64> to vector<8xf32>
// CHECK:           arith.select %[[LARGE]]
// CHECK-NOT:     math.
func.func @sine(%x: vector<8xf32>) -> vector<8xf32> attributes {tapestry.device} {
  %0 = math.sin %x : vector<8xf32>
  return %0 : vector<8xf32>
}
