// Shards of an operator that Tapestry knows nothing of: its plan is what it says
// through its interface, and an attribute that others call a home is its own.

// RUN: split-file %s %t
// RUN: tapestry-opt %t/planned.mlir --load-plugin=%lib/ToyDialect.so --tapestry-shard | FileCheck %s
// RUN: tapestry-opt %t/sharded.mlir --load-plugin=%lib/ToyDialect.so --tapestry-verify-sharding --verify-diagnostics
// RUN: tapestry-opt %t/alike.mlir --load-plugin=%lib/ToyDialect.so --tapestry-verify-sharding -o %t/proved.mlir

//--- planned.mlir
// CHECK: tapestry.shard "Y.1" [0, 0] => [17, 3]
// CHECK: toy.roll "Y", %{{.*}} {home = "north", repeat = 1 : i64, shift = 5 : i64}
// CHECK: tapestry.shard "Y.2" [0, 3] => [17, 5]
// CHECK: toy.roll "Y", %{{.*}} {home = "north", repeat = 1 : i64, shift = 5 : i64}
// CHECK: toy.roll "Z", %{{.*}} {home = "south", repeat = 1 : i64, shift = 2 : i64}
#grid = #tapestry_index.grid<"d" = 2>
tapestry.graph @planned on #grid {
  %X = tapestry.source "X" : tensor<17x5xf32>
  %Y = toy.roll "Y", %X {shift = 5, repeat = 1, home = "north",
      partition = #tapestry_index.partition<[[], ["d"]]>,
      homes = [#tapestry_index.layout<[17, 5] on #grid>], routes = [[], []]}
      : tensor<17x5xf32> -> tensor<17x5xf32>
  %Z = toy.roll "Z", %Y {shift = 2, repeat = 1, home = "south",
      partition = #tapestry_index.partition<[[], []]>, routes = [[], []]}
      : tensor<17x5xf32> -> tensor<17x5xf32>
  tapestry.sink "Z", %Z : tensor<17x5xf32>
}

//--- sharded.mlir
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<17x5xf32>
  // expected-note @below {{'Y' of the whole graph}}
  %Y = toy.roll "Y", %X {shift = 5, repeat = 1, home = "north", routes = [[], []]}
      : tensor<17x5xf32> -> tensor<17x5xf32>
  tapestry.sink "Y", %Y : tensor<17x5xf32>
}
tapestry.graph @sharded {
  %X = tapestry.source "X" : tensor<17x5xf32>
  // expected-error @below {{'Y' computes as no vertex of the whole graph, not as 'Y': its 'home' is "south", expected "north"}}
  %Y = toy.roll "Y", %X {shift = 5, repeat = 1, home = "south"}
      : tensor<17x5xf32> -> tensor<17x5xf32>
  tapestry.sink "Y", %Y : tensor<17x5xf32>
}

//--- alike.mlir
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<17x5xf32>
  %Y = toy.roll "Y", %X {shift = 5, repeat = 1, home = "north", routes = [[], []]}
      : tensor<17x5xf32> -> tensor<17x5xf32>
  tapestry.sink "Y", %Y : tensor<17x5xf32>
}
tapestry.graph @sharded {
  %X = tapestry.source "X" : tensor<17x5xf32>
  %Y = toy.roll "Y", %X {shift = 5, repeat = 1, home = "north"}
      : tensor<17x5xf32> -> tensor<17x5xf32>
  tapestry.sink "Y", %Y : tensor<17x5xf32>
}
