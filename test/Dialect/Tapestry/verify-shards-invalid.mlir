// RUN: tapestry-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tapestry.graph(tapestry-verify-shards))'

// Halos overlap: cell 15 is read by both devices, so neither owns it alone.
#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @overlap on #grid {
  // expected-error @below {{shards of "W": cell of the home (15) is in 2 of the owned parts, expected 1}}
  %W = tapestry.source "W" : tensor<32xf32>
    home #tapestry_index.layout<[32 = 2 * [16 by "d.0"] + [3] - 1] on #grid>
  tapestry.sink "Z", %W : tensor<32xf32>
}

// -----

// A stride leaves gaps: the image of 16 labels at stride 1 ends at 16.
#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @gap on #grid {
  // expected-error @below {{shards of "W": cell of the home (0, 16) is in 0 of the owned parts, expected 1}}
  %W = tapestry.source "W" : tensor<4x32xf32>
    home #tapestry_index.layout<[4, 32 = [16 by "d.0"]] on #grid>
  tapestry.sink "Z", %W : tensor<4x32xf32>
}

// -----

tapestry.graph @no_grid {
  // expected-error @below {{shards of "A": it has a partition, but the graph @no_grid names no grid}}
  %A = tapestry.source "A" : tensor<4xf32> partition #tapestry_index.partition<[["d.0"]]>
}
