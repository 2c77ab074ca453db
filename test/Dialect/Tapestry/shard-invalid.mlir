// RUN: tapestry-opt %s --tapestry-shard --split-input-file --verify-diagnostics

// expected-error @below {{'g' has no grid of devices: plan the graph first}}
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<5xf32>
  tapestry.sink "X", %X : tensor<5xf32>
}
