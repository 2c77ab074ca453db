// RUN: tapestry-opt %s --split-input-file --verify-diagnostics --tapestry-convert-to-tra | FileCheck %s

// The body is a function of its own; what it reads from outside is brought to
// where it is read once, before the first pass.
// CHECK-LABEL: func.func @g(
// CHECK: %[[S:.*]] = tra.join "X.start"
// CHECK: %[[MOVED:.*]] = tra.repartition "B" for "X.1"
// CHECK: %[[L:.*]] = tra.loop @g.t trips 9 from %[[S]] : {{.*}} with %[[MOVED]]
// CHECK: %[[T:.*]] = tra.to_tensor %[[L]]
// CHECK: return %[[T]]
// CHECK-LABEL: func.func private @g.t(
// CHECK-SAME: %[[X:.*]]: tensor<6xf32> {comm.layout = #[[ROWS:.*]], comm.type = f32}, %[[B:.*]]: tensor<6xf32> {comm.layout = #[[ALL:.*]], comm.type = f32}) -> tensor<6xf32>
// CHECK-DAG: %[[XR:.*]] = tra.from_tensor %[[X]]
// CHECK-DAG: %[[BR:.*]] = tra.from_tensor %[[B]]
// CHECK: %[[WHOLE:.*]] = tra.repartition "X.start" for "X.0", %[[XR]]
// CHECK: %[[N:.*]] = tra.join "X" {{.*}} (%[[WHOLE]][-i + 5], %[[BR]][-i + 5]) -> [i]
// CHECK: %[[R:.*]] = tra.to_tensor %[[N]]
// CHECK: return %[[R]]
#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[6 by "d.0"] on #grid>
#by = #tapestry_index.partition<[["d.0"]]>
tapestry.graph @g on #grid {
  %A = tapestry.source "A" : tensor<6xf32> home #rows
  %B = tapestry.source "B" : tensor<6xf32> home #rows
  %S = tapestry.einsum "X.start" [i = 6] (%A[i]) -> [i] partition #by home #rows {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<6xf32>) -> tensor<6xf32>
  %X = tapestry.loop "t" 9 from %S : tensor<6xf32> {
  ^bb0(%x: tensor<6xf32>):
    %n = tapestry.einsum "X" [i = 6] (%x[5 - i], %B[5 - i]) -> [i] partition #by home #rows {
    ^bb0(%a: f32, %b: f32):
      %m = arith.mulf %a, %b : f32
      tapestry.yield %m : f32
    } : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    tapestry.next %n : tensor<6xf32>
  }
  tapestry.sink "X", %X : tensor<6xf32>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[6 by "d.0"] on #grid>
#all = #tapestry_index.layout<[6] on #grid>
#by = #tapestry_index.partition<[["d.0"]]>
tapestry.graph @other on #grid {
  %A = tapestry.source "A" : tensor<6xf32> home #rows
  %S = tapestry.einsum "X.start" [i = 6] (%A[i]) -> [i] partition #by home #rows {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<6xf32>) -> tensor<6xf32>
  // expected-error @below {{'t' carries 'X' in another layout than it starts with: plan the graph}}
  %X = tapestry.loop "t" 9 from %S : tensor<6xf32> {
  ^bb0(%x: tensor<6xf32>):
    %n = tapestry.einsum "X" [i = 6] (%x[i]) -> [i] partition #by home #all {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<6xf32>) -> tensor<6xf32>
    tapestry.next %n : tensor<6xf32>
  }
  tapestry.sink "X", %X : tensor<6xf32>
}
