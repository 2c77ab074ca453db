// Graphs in Graphviz' language: RUN lines below draw what stands here, and have
// it laid out.

// RUN: tapestry-translate --mlir-to-dot %s -o %t.dot
// RUN: FileCheck %s < %t.dot
// RUN: dot -Tsvg %t.dot -o %t.svg

// CHECK: digraph "twice" {
// CHECK-NEXT: graph [rankdir=RL
// CHECK: n0 [shape=cds, fillcolor="#e5e8e8", label=<Source: A&lt;1&gt;>];
// CHECK-NEXT: n1 [shape=box3d, fillcolor="#d0d0ff", label=<<b>A&lt;1&gt;</b><br/>[5, 7] f32>];
// CHECK-NEXT: n1 -> n0;
// CHECK: n4 [shape=rarrow, {{.*}}label=<<b>einsum</b> mulf<br/>[i, k, j]<br/>[0, 0, 0] =&gt; [5, 3, 7]<br/>reduce add>];
// CHECK-NEXT: n4 -> n1;
// CHECK-NEXT: n4 -> n3;
// CHECK-NEXT: n5 [shape=component, fillcolor="#ffffd0", label=<Signature<br/>P0 = [i, j]<br/>P1 = [j, 2 * k + 1]<br/>&#8594; [i, k]<br/><i>2 flops a point</i>>];
// CHECK-NEXT: { rank=same; n4; n5; }
// CHECK-NEXT: n4 -> n5 [style=dotted, constraint=false];
// CHECK-NEXT: n6 [shape=box3d, {{.*}}<b>C</b><br/>[5, 3] f32>];
// CHECK-NEXT: n6 -> n4;

// The second of equal operators has the same signature.
// CHECK-NEXT: n7 [shape=rarrow
// CHECK-NEXT: n7 -> n1;
// CHECK-NEXT: n7 -> n3;
// CHECK-NEXT: n7 -> n5 [style=dotted
// CHECK-NEXT: n8 [shape=box3d, {{.*}}<b>D</b>
// CHECK-NEXT: n8 -> n7;

// CHECK-NEXT: n9 [shape=octagon, fillcolor="#b4f8c8", label=<Sequence<br/>Point>];
// CHECK-NEXT: n9 -> n8;
// CHECK-NEXT: n10 [shape=cds, {{.*}}label=<Sink: C>];
// CHECK-NEXT: n10 -> n6;
// CHECK-NEXT: n10 -> n9;
// CHECK-NEXT: n11 [shape=cds
// CHECK-NEXT: n11 -> n8;
// CHECK-NEXT: }
tapestry.graph @twice {
  %A = tapestry.source "A<1>" : tensor<5x7xf32>
  %B = tapestry.source "B" : tensor<7x6xf32>
  %C = tapestry.einsum "C" [i = 5, k = 3, j = 7]
      (%A[i, j], %B[j, 2 * k + 1]) -> [i, k] reduce add {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %b : f32
    tapestry.yield %m : f32
  } : (tensor<5x7xf32>, tensor<7x6xf32>) -> tensor<5x3xf32>
  %D = tapestry.einsum "D" [i = 5, k = 3, j = 7]
      (%A[i, j], %B[j, 2 * k + 1]) -> [i, k] reduce add {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %b, %a : f32
    tapestry.yield %m : f32
  } : (tensor<5x7xf32>, tensor<7x6xf32>) -> tensor<5x3xf32>
  %p = tapestry.sequence_point %D : tensor<5x3xf32>
  tapestry.sink "C", %C after %p : tensor<5x3xf32>
  tapestry.sink "D", %D : tensor<5x3xf32>
}

// A loop is a frame; what it carries comes back.
// CHECK: digraph "sweeps" {
// CHECK: subgraph cluster_{{[0-9]+}} {
// CHECK: label=<loop t: at most 3 passes>;
// CHECK: n[[CARRIED:[0-9]+]] [shape=box3d, {{.*}}<b>t.start</b>
// CHECK: n[[NEXT:[0-9]+]] [shape=box3d, {{.*}}<b>next</b>
// CHECK: n[[CARRIED]] -> n[[NEXT]] [style=dashed, constraint=false];
// CHECK-NEXT: }
// CHECK: n[[LAST:[0-9]+]] [shape=box3d
// CHECK-NEXT: n[[LAST]] -> n[[NEXT]];
tapestry.graph @sweeps {
  %A = tapestry.source "A" : tensor<5xf32>
  %start = tapestry.einsum "t.start" [i = 5] (%A[i]) -> [i] {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  %last = tapestry.loop "t" 3 from %start : tensor<5xf32> {
  ^bb0(%x: tensor<5xf32>):
    %next = tapestry.einsum "next" [i = 5] (%x[i], %A[i]) -> [i] {
    ^bb0(%u: f32, %a: f32):
      %sum = arith.addf %u, %a : f32
      tapestry.yield %sum : f32
    } : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    tapestry.next %next : tensor<5xf32>
  }
  tapestry.sink "X", %last : tensor<5xf32>
}

// Selectors that choose by values are selectors, by name and as their einsums; so
// are not those that compare what they choose by.
// CHECK: digraph "choices" {
// CHECK: [shape=parallelogram, {{.*}}label=<<b>interleave</b><br/>dim: 0>];
// CHECK: [shape=parallelogram, {{.*}}label=<<b>where</b>>];
// CHECK: [shape=box3d, {{.*}}<b>W</b>
// CHECK: [shape=parallelogram, {{.*}}label=<<b>max</b>>];
// CHECK: [shape=rarrow, {{.*}}label=<<b>einsum</b> cmpf, select
// CHECK: [shape=rarrow, {{.*}}label=<<b>linear</b>>];
tapestry.graph @choices {
  %c = tapestry.source "c" : tensor<6x4xi1>
  %A = tapestry.source "A" : tensor<3x4xf32>
  %X = tapestry.interleave "X" %A, %A along 0 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
  %W = tapestry.operator "W" "where"(%c, %X, %X)
      : (tensor<6x4xi1>, tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %M = tapestry.einsum "M" [i = 6, j = 4] (%W[i, j], %X[i, j]) -> [i, j] {
  ^bb0(%w: f32, %x: f32):
    %m = arith.maximumf %w, %x : f32
    tapestry.yield %m : f32
  } : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %R = tapestry.einsum "R" [i = 6, j = 4] (%M[i, j]) -> [i, j] {
  ^bb0(%m: f32):
    %0 = arith.constant 0.0 : f32
    %p = arith.cmpf ogt, %m, %0 : f32
    %r = arith.select %p, %m, %0 : f32
    tapestry.yield %r : f32
  } : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %w = tapestry.source "w" : tensor<4x5xf32>
  %b = tapestry.source "b" : tensor<5xf32>
  %L = tapestry.operator "L" "linear"(%R, %w, %b)
      : (tensor<6x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<6x5xf32>
  tapestry.sink "L", %L : tensor<6x5xf32>
}

// Borders say what stands behind them, signatures what resources a step along each
// label and a point take, blocks what they take as a whole.
// CHECK: digraph "costs" {
// CHECK: [shape=cds, {{.*}}label=<Source: X<br/>from generator normal seed 7>];
// CHECK: [shape=rarrow, {{.*}}=&gt; [9, 5]<br/><i>costs: 567 flops, 700 gpu</i>>];
// CHECK: [shape=component, {{.*}}&#8594; [b, x]<br/><i>b: 3 flops</i><br/><i>point: 12 flops</i><br/><i>x: 2 gpu</i><br/><i>13 flops a point</i>>];
// CHECK: [shape=cds, {{.*}}label=<Sink: Y<br/>to file out/y.npy<br/>on device 0>];
#scale = #tapestry.kernel<"scale" [b, x] (X : f32[b, x]) -> (Y : f32[b, x])
    cost {b.flops = 3, point.flops = 12, x.gpu = 2}>
tapestry.graph @costs {
  %X = tapestry.source "X" from generator<normal seed 7> : tensor<9x5xf32>
  %Y = tapestry.block "Y" #scale [b = 9, x = 5] (%X) {} costs {gpu = 700}
      : (tensor<9x5xf32>) -> tensor<9x5xf32>
  tapestry.sink "Y", %Y to file<"out/y.npy"> on device 0 : tensor<9x5xf32>
}
