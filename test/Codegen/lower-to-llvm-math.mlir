// Every function on every type, as arguments: what MLIR lowers by itself and
// what has to be brought to other types before.
// RUN: %python %S/math_types.py > %t.mlir
// RUN: tapestry-opt %t.mlir -tapestry-lower-to-llvm > %t.out
// RUN: not grep -E "math\.|unrealized" %t.out
// RUN: tapestry-opt %s -tapestry-lower-to-llvm -split-input-file -verify-diagnostics | FileCheck %s

// A function of libm is called once for each element, of bf16 in f32.
// CHECK-LABEL: llvm.func @erf_of_pair
// CHECK-SAME:    (%[[X:.*]]: vector<2xi16>) -> vector<2xi16>
// CHECK:         %[[A:.*]] = llvm.extractelement %[[X]][%{{.*}} : i64]
// CHECK:         llvm.call @erff(%{{.*}}) : (f32) -> f32
// CHECK:         %[[B:.*]] = llvm.extractelement %[[X]][%{{.*}} : i64]
// CHECK:         llvm.call @erff(%{{.*}}) : (f32) -> f32
func.func @erf_of_pair(%x: vector<2xbf16>) -> vector<2xbf16> attributes {tapestry.device} {
  %0 = math.erf %x : vector<2xbf16>
  return %0 : vector<2xbf16>
}

// Other functions keep their vectors.
// CHECK-LABEL: llvm.func @exp_of_rows
// CHECK-SAME:    (%[[X:.*]]: !llvm.array<2 x vector<3xf64>>)
// CHECK:         %[[A:.*]] = llvm.extractvalue %[[X]][0]
// CHECK:         %[[EA:.*]] = llvm.intr.exp(%[[A]]) : (vector<3xf64>) -> vector<3xf64>
// CHECK:         %[[R:.*]] = llvm.insertvalue %[[EA]], %{{.*}}[0]
// CHECK:         %[[B:.*]] = llvm.extractvalue %[[X]][1]
// CHECK:         %[[EB:.*]] = llvm.intr.exp(%[[B]]) : (vector<3xf64>) -> vector<3xf64>
// CHECK:         llvm.insertvalue %[[EB]], %[[R]][1]
func.func @exp_of_rows(%x: vector<2x3xf64>) -> vector<2x3xf64> attributes {tapestry.device} {
  %0 = math.exp %x : vector<2x3xf64>
  return %0 : vector<2x3xf64>
}

// -----

func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> attributes {tapestry.device} {
  // expected-error @below {{'math.erf' op is computed element by element, but 'vector<[4]xf32>' has an unknown number of elements}}
  %0 = math.erf %x : vector<[4]xf32>
  return %0 : vector<[4]xf32>
}

// -----

func.func @infinite(%x: vector<4xf32>) -> vector<4xi1> attributes {tapestry.device} {
  // expected-error @below {{failed to legalize operation 'math.isinf'}}
  %0 = math.isinf %x : vector<4xf32>
  return %0 : vector<4xi1>
}

// -----

func.func @tensor(%i: index) -> bf16 attributes {tapestry.device} {
  // expected-error @below {{failed to legalize operation 'arith.constant'}}
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xbf16>
  %0 = math.exp %c : tensor<4xbf16>
  %e = tensor.extract %0[%i] : tensor<4xbf16>
  return %e : bf16
}
