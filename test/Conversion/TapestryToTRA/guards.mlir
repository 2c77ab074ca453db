// A body that chooses by labels reads its operands at those points alone, however
// the conditions are made. What is padded there anyway, and what goes elsewhere,
// too, is read at all.
// RUN: tapestry-opt %s -split-input-file --tapestry-plan-pipeline=devices=4 --tapestry-convert-to-tra | FileCheck %s

// CHECK-DAG: #[[FIRST:.*]] = #tapestry_index.layout<[40 = [40 by "d.0" "d.1" in 0 to 13]] on
// CHECK-DAG: #[[SECOND:.*]] = #tapestry_index.layout<[40 = [40 by "d.0" "d.1" in 13 to 30]] on
// CHECK-DAG: #[[ALL:.*]] = #tapestry_index.layout<[40 by "d.0" "d.1"] on
// CHECK: tra.join "Y"
// CHECK-SAME: (%{{.*}}[i], %{{.*}}[i], %{{.*}}[i]) -> [i]
// CHECK: } : (!tra.relation<[40] / [4], f32, #[[FIRST]]>, !tra.relation<[40] / [4], f32, #[[SECOND]]>, !tra.relation<[40] / [4], f32, #[[ALL]]>)
tapestry.graph @ranges {
  %A = tapestry.source "A" : tensor<40xf32>
  %B = tapestry.source "B" : tensor<40xf32>
  %C = tapestry.source "C" : tensor<40xf32>
  %Y = tapestry.einsum "Y" [i = 40] (%A[i], %B[i], %C[i]) -> [i] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %i = tapestry.label "i"
    %c2 = arith.constant 2 : index
    %c15 = arith.constant 15 : index
    %c12 = arith.constant 12 : index
    %c30 = arith.constant 30 : index
    %later = arith.addi %i, %c2 : index
    %isFirst = arith.cmpi slt, %later, %c15 : index
    %isBehind = arith.cmpi sgt, %i, %c12 : index
    %isBefore = arith.cmpi slt, %i, %c30 : index
    %isSecond = arith.andi %isBehind, %isBefore : i1
    %0 = arith.select %isSecond, %b, %c : f32
    %1 = arith.select %isFirst, %a, %0 : f32
    %2 = arith.addf %1, %c : f32
    tapestry.yield %2 : f32
  } : (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  tapestry.sink "Y", %Y : tensor<40xf32>
}

// -----

// CHECK-NOT: in {{[0-9]+}} to
// CHECK: tra.join "Y"
tapestry.graph @padded {
  %A = tapestry.source "A" : tensor<40xf32>
  %B = tapestry.source "B" : tensor<40xf32>
  %Y = tapestry.einsum "Y" [i = 40] (%A[i - 1] pad 0.0 : f32, %B[i]) -> [i] {
  ^bb0(%a: f32, %b: f32):
    %i = tapestry.label "i"
    %c1 = arith.constant 1 : index
    %isFirst = arith.cmpi slt, %i, %c1 : index
    %0 = arith.select %isFirst, %b, %a : f32
    %1 = arith.addf %0, %b : f32
    tapestry.yield %1 : f32
  } : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  tapestry.sink "Y", %Y : tensor<40xf32>
}
