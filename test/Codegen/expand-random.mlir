// RUN: tapestry-opt %s --tapestry-expand-random | FileCheck %s

// Ten rounds of two products in 64 bits each, on vectors too.
// CHECK-LABEL: func @uniform
// CHECK-COUNT-20: arith.muli {{.*}} : vector<16xi64>
// CHECK-NOT:      arith.muli
// CHECK:          arith.constant dense<5.96046448E-8> : vector<16xf32>
// CHECK:          arith.mulf {{.*}} : vector<16xf32>
func.func @uniform(%at: vector<16xi64>, %seed: vector<16xi64>) -> vector<16xf32> attributes {tapestry.device} {
  %0 = tapestry_index.random uniform of %at seed %seed stream 7 : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func @normal
// CHECK:         math.log {{.*}} : f64
// CHECK:         math.sqrt {{.*}} : f64
// CHECK-NOT:     math.sin
// CHECK:         return
func.func @normal(%at: i64, %seed: i64) -> f64 attributes {tapestry.device} {
  %0 = tapestry_index.random normal of %at seed %seed stream 7 : f64
  return %0 : f64
}

// CHECK-LABEL: func @offset
// CHECK-SAME:    %{{.*}}: i64, %[[WORD:.*]]: i64
// CHECK:         %[[BASE:.*]] = arith.constant 7 : i64
// CHECK:         arith.addi %[[BASE]], %[[WORD]] : i64
func.func @offset(%at: i64, %word: i64) -> f32 attributes {tapestry.device} {
  %0 = tapestry_index.random uniform of %at seed %at stream 7 plus %word : i64 : f32
  return %0 : f32
}

// Of other functions nothing is said.
// CHECK-LABEL: func @foreign
// CHECK:         tapestry_index.random
func.func @foreign(%at: i64) -> i32 {
  %0 = tapestry_index.random bits of %at seed %at stream 7 : i32
  return %0 : i32
}
