// RUN: tapestry-opt %s | FileCheck %s --check-prefix=ROUND
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s --check-prefix=ROUND
// RUN: tapestry-opt %s --tapestry-inline-calls | FileCheck %s
// The passes that upstream runs on functions and calls leave both as they are.
// (remove-dead-values only where every result is read: it takes a function's last
// operation for its return.)
// RUN: tapestry-opt %s --inline --sccp --remove-dead-values --cse --canonicalize --symbol-dce | FileCheck %s --check-prefix=ROUND

// ROUND-LABEL: tapestry.graph private @layer
// ROUND-COUNT-2: tapestry.source
// ROUND-LABEL: tapestry.graph private @first
// ROUND-COUNT-2: tapestry.source
// ROUND-LABEL: tapestry.graph @network
// ROUND: tapestry.call @layer(%{{.*}}, %{{.*}}) : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
// ROUND: tapestry.call @layer
// ROUND: tapestry.call @first(%{{.*}}, %{{.*}}) : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
// ROUND: tapestry.call @seen
// ROUND: tapestry.sink "Y"

// CHECK-NOT: @layer
tapestry.graph private @layer {
  %X = tapestry.source "X" : tensor<5x7xf32>
  %W = tapestry.source "W" : tensor<7x7xf32>
  %H = tapestry.einsum "H" [i = 5, j = 7, k = 7] (%X[i, j], %W[j, k]) -> [i, k] reduce add attributes {tapestry.layout_group = "g"} {
  ^bb0(%x: f32, %w: f32):
    %m = arith.mulf %x, %w : f32
    tapestry.yield %m : f32
  } : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
  tapestry.sink "H", %H : tensor<5x7xf32>
}

// An argument stays where nobody reads it.
// CHECK-NOT: @first
tapestry.graph private @first {
  %X = tapestry.source "X" : tensor<5x7xf32>
  %unread = tapestry.source "unread" : tensor<7x7xf32>
  tapestry.sink "X", %X : tensor<5x7xf32>
}

// CHECK-LABEL: tapestry.graph @seen
tapestry.graph @seen {
  %X = tapestry.source "X" : tensor<5x7xf32>
  %p = tapestry.sequence_point %X : tensor<5x7xf32>
  tapestry.sink "X", %X after %p : tensor<5x7xf32>
}

// CHECK-LABEL: tapestry.graph @network
// CHECK: %[[X:.*]] = tapestry.source "X"
// CHECK: %[[W:.*]] = tapestry.source "W"
// CHECK: %[[H1:.*]] = tapestry.einsum "layer.H" {{.*}} (%[[X]][i, j], %[[W]][j, k])
// CHECK-SAME: tapestry.layout_group = "layer.g"
// CHECK: %[[H2:.*]] = tapestry.einsum "layer.2.H" {{.*}} (%[[H1]][i, j], %[[W]][j, k])
// CHECK-SAME: tapestry.layout_group = "layer.2.g"
// CHECK: %[[P:.*]] = tapestry.sequence_point %[[H2]]
// CHECK: tapestry.sink "Y", %[[H2]] after %[[P]]
tapestry.graph @network {
  %X = tapestry.source "X" : tensor<5x7xf32>
  %W = tapestry.source "W" : tensor<7x7xf32>
  %H1 = tapestry.call @layer(%X, %W) : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
  %H2 = tapestry.call @layer(%H1, %W) : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
  %F = tapestry.call @first(%H2, %W) : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
  %Y = tapestry.call @seen(%F) : (tensor<5x7xf32>) -> tensor<5x7xf32>
  tapestry.sink "Y", %Y : tensor<5x7xf32>
}

// Names are those of all graphs on the way.
// CHECK-LABEL: tapestry.graph @deep
// CHECK: tapestry.einsum "both.layer.H"
// CHECK: tapestry.einsum "both.layer.2.H"
tapestry.graph @deep {
  %X = tapestry.source "X" : tensor<5x7xf32>
  %W = tapestry.source "W" : tensor<7x7xf32>
  %Y = tapestry.call @both(%X, %W) : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
  tapestry.sink "Y", %Y : tensor<5x7xf32>
}
tapestry.graph private @both {
  %X = tapestry.source "X" : tensor<5x7xf32>
  %W = tapestry.source "W" : tensor<7x7xf32>
  %H1 = tapestry.call @layer(%X, %W) : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
  %H2 = tapestry.call @layer(%H1, %W) : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
  tapestry.sink "Y", %H2 : tensor<5x7xf32>
}

// Points are waited for by what a result reaches: through operations and other
// calls, in sinks and in sequence points, but not by what does not read it.
// CHECK-LABEL: tapestry.graph @order
// CHECK-NEXT: %[[A:.*]] = tapestry.source "A"
// CHECK-NEXT: tapestry.source "W"
// CHECK-NEXT: %[[P:.*]] = tapestry.sequence_point %[[A]] :
// CHECK-NEXT: %[[Q:.*]] = tapestry.sequence_point %[[A]], %[[P]] :
// CHECK-NEXT: %[[H:.*]] = tapestry.einsum "layer.H" {{.*}} (%[[A]][i, j], %{{.*}}[j, k])
// CHECK: %[[R:.*]] = tapestry.sequence_point %[[H]], %[[P]] :
// CHECK-NEXT: tapestry.sink "before", %[[A]] : tensor<5x7xf32>
// CHECK-NEXT: tapestry.sink "X", %[[A]] after %[[P]] :
// CHECK-NEXT: tapestry.sink "Y", %[[A]] after %[[Q]], %[[P]] :
// CHECK-NEXT: tapestry.sink "Z", %[[H]] after %[[P]] :
// CHECK-NEXT: tapestry.sink "R", %[[A]] after %[[R]] :
tapestry.graph @order {
  %A = tapestry.source "A" : tensor<5x7xf32>
  %W = tapestry.source "W" : tensor<7x7xf32>
  %x = tapestry.call @seen(%A) : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %f = tapestry.call @first(%x, %W) : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
  %y = tapestry.call @seen(%f) : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %z = tapestry.call @layer(%f, %W) : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
  %r = tapestry.sequence_point %z : tensor<5x7xf32>
  tapestry.sink "before", %A : tensor<5x7xf32>
  tapestry.sink "X", %x : tensor<5x7xf32>
  tapestry.sink "Y", %y : tensor<5x7xf32>
  tapestry.sink "Z", %z : tensor<5x7xf32>
  tapestry.sink "R", %A after %r : tensor<5x7xf32>
}

// No name starts like those of a call.
// CHECK-LABEL: tapestry.graph @names
// CHECK: tapestry.einsum "id.2.C"
// CHECK: tapestry.einsum "id.3.C"
// CHECK: tapestry.einsum "id.2.2.C"
// CHECK: tapestry.einsum "id.C"
tapestry.graph private @id {
  %A = tapestry.source "A" : tensor<5xf32>
  %C = tapestry.einsum "C" [i = 5] (%A[i]) -> [i] {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  tapestry.sink "C", %C : tensor<5xf32>
}
tapestry.graph private @id.2 {
  %A = tapestry.source "A" : tensor<5xf32>
  %C = tapestry.einsum "C" [i = 5] (%A[i]) -> [i] {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  tapestry.sink "C", %C : tensor<5xf32>
}
tapestry.graph @names {
  %A = tapestry.source "A" : tensor<5xf32>
  %x = tapestry.call @id(%A) : (tensor<5xf32>) -> tensor<5xf32>
  %y = tapestry.call @id(%x) : (tensor<5xf32>) -> tensor<5xf32>
  %z = tapestry.call @id.2(%y) : (tensor<5xf32>) -> tensor<5xf32>
  %own = tapestry.einsum "id.C" [i = 5] (%z[i]) -> [i] {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  tapestry.sink "own", %own : tensor<5xf32>
}

// Calls in another symbol table mean other graphs.
// CHECK-LABEL: func.func @nest
// CHECK: tapestry.call @inner
func.func @nest() {
  builtin.module {
    tapestry.graph @inner {
      %A = tapestry.source "A" : tensor<5xf32>
      tapestry.sink "C", %A : tensor<5xf32>
    }
    func.func @calls(%A: tensor<5xf32>) -> tensor<5xf32> {
      %C = tapestry.call @inner(%A) : (tensor<5xf32>) -> tensor<5xf32>
      return %C : tensor<5xf32>
    }
  }
  return
}
