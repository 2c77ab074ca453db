// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// shard_c1
tapestry.graph @nothing {
  %X = tapestry.source "X" : tensor<6xf32>
  // expected-error @below {{holds 0 operations, expected 1}}
  tapestry.shard "S" [0] => [6] (%X) {
  ^bb0(%x: tensor<6xf32>):
    tapestry.part_of %x : tensor<6xf32>
  } : (tensor<6xf32>) -> ()
}

// -----

// shard_c1: what is asked of it is looked at later.
tapestry.graph @asked {
  %X = tapestry.source "X" : tensor<6xf32>
  // expected-error @below {{holds 0 operations, expected 1}}
  tapestry.shard "S" [0] => [6] (%X) {
  ^bb0(%x: tensor<6xf32>):
    tapestry.part_of %x : tensor<6xf32>
  } attributes {tapestry.constraints = [#tapestry.constraint<pin cut {i = 2}>]} : (tensor<6xf32>) -> ()
}

// -----

// tapestry_c2
tapestry.graph @labels {
  %X = tapestry.source "X" : tensor<6xi32>
  // expected-error @below {{has a constraint on label 'j', its labels are}}
  %1 = tapestry.shard "S" [0] => [6] (%X) {
  ^bb0(%x: tensor<6xi32>):
    %Y = tapestry.scan "Y" ["i"] <add> along "i" %x : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %Y : tensor<6xi32>
  } attributes {tapestry.constraints = [#tapestry.constraint<pin cut {j = 2}>]} : (tensor<6xi32>) -> tensor<6xi32>
}

// -----

// shard_c1
tapestry.graph @view {
  %X = tapestry.source "X" : tensor<6xi32>
  // expected-error @below {{holds 'tapestry.reverse', which has no blocks that a shard could be}}
  %1 = tapestry.shard "S" [0] => [6] (%X) {
  ^bb0(%x: tensor<6xi32>):
    %Y = tapestry.reverse "Y" %x along [0] : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %Y : tensor<6xi32>
  } : (tensor<6xi32>) -> tensor<6xi32>
}

// -----

// shard_c1
tapestry.graph @shard {
  %X = tapestry.source "X" : tensor<6xi32>
  // expected-error @below {{holds 'tapestry.shard', which has no blocks that a shard could be}}
  %1 = tapestry.shard "S" [0] => [6] (%X) {
  ^bb0(%x: tensor<6xi32>):
    %Y = tapestry.shard "Y" [0] => [6] (%x) {
    ^bb0(%z: tensor<6xi32>):
      %W = tapestry.einsum "W" [i = 6] (%z[i]) -> [i] {
      ^bb0(%a: i32):
        tapestry.yield %a : i32
      } : (tensor<6xi32>) -> tensor<6xi32>
      tapestry.part_of %W : tensor<6xi32>
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %Y : tensor<6xi32>
  } : (tensor<6xi32>) -> tensor<6xi32>
}

// -----

// shard_c1
tapestry.graph @order {
  %X = tapestry.source "X" : tensor<6xf32>
  // expected-error @below {{holds 'tapestry.scan', which does not take the 2 arguments in their order}}
  %1 = tapestry.shard "S" [0] => [6] (%X, %X) {
  ^bb0(%x: tensor<6xf32>, %y: tensor<6xf32>):
    %Y = tapestry.scan "Y" ["i"] <add> along "i" %y : (tensor<6xf32>) -> tensor<6xf32>
    tapestry.part_of %Y : tensor<6xf32>
  } : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
}

// -----

// shard_c1
tapestry.graph @results_of_others {
  %X = tapestry.source "X" : tensor<6xf32>
  // expected-error @below {{holds 'tapestry.scan', of which 'tapestry.part_of' does not take the results in their order}}
  %1 = tapestry.shard "S" [0] => [6] (%X) {
  ^bb0(%x: tensor<6xf32>):
    %Y = tapestry.scan "Y" ["i"] <add> along "i" %x : (tensor<6xf32>) -> tensor<6xf32>
    tapestry.part_of %x : tensor<6xf32>
  } : (tensor<6xf32>) -> tensor<6xf32>
}

// -----

// shard_c1
tapestry.graph @planned on #tapestry_index.grid<"d" = 2> {
  %X = tapestry.source "X" : tensor<2x6xf32>
  // expected-error @below {{holds 'tapestry.scan' with a plan, which only the shard may have}}
  %1 = tapestry.shard "S" [1, 0] => [3, 6] (%X) {
  ^bb0(%x: tensor<4x6xf32>):
    %Y = tapestry.scan "Y" ["n", "i"] <add> along "i" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
      partition #tapestry_index.partition<[["d"], []]>
    tapestry.part_of %Y : tensor<4x6xf32>
  } : (tensor<2x6xf32>) -> tensor<2x6xf32>
}

// -----

// shard_c1
tapestry.graph @kept {
  %X = tapestry.source "X" : tensor<2x6xf32>
  // expected-error @below {{holds 'tapestry.scan' with a plan, which only the shard may have}}
  %1 = tapestry.shard "S" [1, 0] => [3, 6] (%X) {
  ^bb0(%x: tensor<4x6xf32>):
    %Y = tapestry.scan "Y" ["n", "i"] <add> along "i" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
      home #tapestry_index.layout<[4, 6] on #tapestry_index.grid<"d" = 2>>
    tapestry.part_of %Y : tensor<4x6xf32>
  } : (tensor<2x6xf32>) -> tensor<2x6xf32>
}

// -----

// shard_c2
tapestry.graph @rank {
  %X = tapestry.source "X" : tensor<4x6xf32>
  // expected-error @below {{has a range of rank 1 for 2 labels}}
  %1 = tapestry.shard "S" [0] => [6] (%X) {
  ^bb0(%x: tensor<4x6xf32>):
    %Y = tapestry.scan "Y" ["n", "i"] <add> along "i" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    tapestry.part_of %Y : tensor<4x6xf32>
  } : (tensor<4x6xf32>) -> tensor<4x6xf32>
}

// -----

// shard_c2
tapestry.graph @outside {
  %X = tapestry.source "X" : tensor<4x6xf32>
  // expected-error @below {{the range of label 'n' is [3, 5), expected points of [0, 4)}}
  %1 = tapestry.shard "S" [3, 0] => [5, 6] (%X) {
  ^bb0(%x: tensor<4x6xf32>):
    %Y = tapestry.scan "Y" ["n", "i"] <add> along "i" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    tapestry.part_of %Y : tensor<4x6xf32>
  } : (tensor<4x6xf32>) -> tensor<4x6xf32>
}

// -----

// shard_c3
tapestry.graph @along {
  %X = tapestry.source "X" : tensor<4x3xf32>
  // expected-error @below {{the range of label 'i' is [3, 6), expected all of [0, 6): along this label 'tapestry.scan' has no blocks}}
  %1 = tapestry.shard "S" [0, 3] => [4, 6] (%X) {
  ^bb0(%x: tensor<4x6xf32>):
    %Y = tapestry.scan "Y" ["n", "i"] <add> along "i" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    tapestry.part_of %Y : tensor<4x6xf32>
  } : (tensor<4x3xf32>) -> tensor<4x3xf32>
}

// -----

// shard_c4
tapestry.graph @operands {
  %X = tapestry.source "X" : tensor<4x6xf32>
  // expected-error @below {{has 2 operands, expected one per argument: 1}}
  %1 = tapestry.shard "S" [0, 0] => [4, 6] (%X, %X) {
  ^bb0(%x: tensor<4x6xf32>):
    %Y = tapestry.scan "Y" ["n", "i"] <add> along "i" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    tapestry.part_of %Y : tensor<4x6xf32>
  } : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
}

// -----

// shard_c4
tapestry.graph @slice {
  %X = tapestry.source "X" : tensor<4x6xf32>
  // expected-error @below {{operand 0 is 'tensor<4x6xf32>', but the range reads [1, 3) x [0, 6) of 'tensor<4x6xf32>': expected 'tensor<2x6xf32>'}}
  %1 = tapestry.shard "S" [1, 0] => [3, 6] (%X) {
  ^bb0(%x: tensor<4x6xf32>):
    %Y = tapestry.scan "Y" ["n", "i"] <add> along "i" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    tapestry.part_of %Y : tensor<4x6xf32>
  } : (tensor<4x6xf32>) -> tensor<2x6xf32>
}

// -----

// shard_c5
tapestry.graph @results {
  %X = tapestry.source "X" : tensor<2x6xf32>
  // expected-error @below {{has 2 results, but 'tapestry.scan' has 1}}
  %1:2 = tapestry.shard "S" [1, 0] => [3, 6] (%X) {
  ^bb0(%x: tensor<4x6xf32>):
    %Y = tapestry.scan "Y" ["n", "i"] <add> along "i" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    tapestry.part_of %Y : tensor<4x6xf32>
  } : (tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)
}

// -----

// shard_c5: what some points contribute are accumulators.
tapestry.graph @accumulators {
  %X = tapestry.source "X" : tensor<3xf16>
  %I = tapestry.source "I" : tensor<3xi32>
  // expected-error @below {{result 0 is 'tensor<8xf16>', expected 'tensor<8xf32>'}}
  %1 = tapestry.shard "S" [0, 0] => [8, 3] (%X, %I) {
  ^bb0(%x: tensor<6xf16>, %i: tensor<6xi32>):
    %Y = tapestry.scatter "Y" ["a", "n"] = [8, 6] add %x by %i into [0]
        at [affine_map<(a, n) -> (n)>, affine_map<(a, n) -> (n)>]
        : (tensor<6xf16>, tensor<6xi32>) -> tensor<8xf16>
    tapestry.part_of %Y : tensor<8xf16>
  } : (tensor<3xf16>, tensor<3xi32>) -> tensor<8xf16>
}

// -----

// shard_c6
tapestry.graph @partition {
  %X = tapestry.source "X" : tensor<2x6xf32>
  // expected-error @below {{has a partition of rank 1 for 2 labels}}
  %1 = tapestry.shard "S" [1, 0] => [3, 6] (%X) {
  ^bb0(%x: tensor<4x6xf32>):
    %Y = tapestry.scan "Y" ["n", "i"] <add> along "i" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    tapestry.part_of %Y : tensor<4x6xf32>
  } : (tensor<2x6xf32>) -> tensor<2x6xf32> partition #tapestry_index.partition<[[]]>
}

// -----

// shard_c7
tapestry.graph @homes {
  %X = tapestry.source "X" : tensor<2x6xf32>
  // expected-error @below {{has a home of extent 4 in dimension 0, but the tensor has extent 2}}
  %1 = tapestry.shard "S" [1, 0] => [3, 6] (%X) {
  ^bb0(%x: tensor<4x6xf32>):
    %Y = tapestry.scan "Y" ["n", "i"] <add> along "i" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    tapestry.part_of %Y : tensor<4x6xf32>
  } : (tensor<2x6xf32>) -> tensor<2x6xf32> homes [#tapestry_index.layout<[4, 6] on #tapestry_index.grid<"d" = 2>>]
}

// -----

// shard_c8
tapestry.graph @routes {
  %X = tapestry.source "X" : tensor<2x6xf32>
  // expected-error @below {{has routes for 2 of 1 operand}}
  %1 = tapestry.shard "S" [1, 0] => [3, 6] (%X) {
  ^bb0(%x: tensor<4x6xf32>):
    %Y = tapestry.scan "Y" ["n", "i"] <add> along "i" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    tapestry.part_of %Y : tensor<4x6xf32>
  } attributes {operand_routes = [[], []]} : (tensor<2x6xf32>) -> tensor<2x6xf32>
    homes [#tapestry_index.layout<[2, 6] on #tapestry_index.grid<"d" = 2>>]
}
