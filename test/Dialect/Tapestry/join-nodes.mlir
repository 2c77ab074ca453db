// RUN: tapestry-opt %s --tapestry-join-nodes | FileCheck %s
// RUN: tapestry-opt %s --tapestry-prune | FileCheck %s --check-prefix=PRUNED

// By hand: parts that overlap of a source, of which one is not read; and of a sink four
// around a fifth, which no cut parts.
// CHECK-LABEL: tapestry.graph @pinwheel
// CHECK: %[[X:.*]] = tapestry.source "X" : tensor<3x3xf32>
// CHECK-COUNT-5: tapestry.slice "{{[abcde]}}" %[[X]]
// CHECK-COUNT-8: tapestry.slice "Y.part
// CHECK: tapestry.concat "Y.parts{{[.0-9]*}}" %{{.*}} along 0 : (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
// CHECK-NEXT: tapestry.sink "Y"
// CHECK-NOT: tapestry.shard
// PRUNED-LABEL: tapestry.graph @pinwheel
// PRUNED-NOT: shard "unread"
// PRUNED-COUNT-10: tapestry.shard
tapestry.graph @pinwheel {
  %unread = tapestry.shard "unread" [0, 0] => [2, 2] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x2xf32>
  %a = tapestry.shard "a" [0, 0] => [1, 2] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<1x2xf32>
  %b = tapestry.shard "b" [0, 2] => [2, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x1xf32>
  %c = tapestry.shard "c" [2, 1] => [3, 3] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<1x2xf32>
  %d = tapestry.shard "d" [1, 0] => [3, 1] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<2x1xf32>
  %e = tapestry.shard "e" [1, 1] => [2, 2] () {
    %X = tapestry.source "X" : tensor<3x3xf32>
    tapestry.part_of %X : tensor<3x3xf32>
  } : () -> tensor<1x1xf32>
  tapestry.shard "oa" [0, 0] => [1, 2] (%a) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<1x2xf32>) -> ()
  tapestry.shard "ob" [0, 2] => [2, 3] (%b) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<2x1xf32>) -> ()
  tapestry.shard "oc" [2, 1] => [3, 3] (%c) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<1x2xf32>) -> ()
  tapestry.shard "od" [1, 0] => [3, 1] (%d) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<2x1xf32>) -> ()
  tapestry.shard "oe" [1, 1] => [2, 2] (%e) {
  ^bb0(%Y: tensor<3x3xf32>):
    tapestry.sink "Y", %Y : tensor<3x3xf32>
    tapestry.part_of
  } : (tensor<1x1xf32>) -> ()
}
