// An operator of others that waits for a point, or a tensor, reads what it reads
// behind a token of that, though it reads nothing of what is awaited.

// RUN: split-file %s %t
// RUN: tapestry compile %t/waits.mlir --load-plugin=%lib/ToyDialect.so --devices 2 --stop-after=relation | FileCheck %s --check-prefixes=ORDER,RELATION
// RUN: tapestry compile %t/waits.mlir --load-plugin=%lib/ToyDialect.so --devices 2 --stop-after=program | FileCheck %s --check-prefixes=ORDER,PROGRAM
// RUN: not tapestry-opt %t/circle.mlir --load-plugin=%lib/ToyDialect.so 2>&1 | FileCheck %s --check-prefix=CIRCLE

// ORDER-LABEL: func.func @waits
// RELATION: %[[F:.*]] = tra.block "First"
// RELATION: %[[P:.*]] = tra.point %[[F]]
// RELATION: %[[X:.*]] = tra.await %{{.*}} after %[[P]]
// RELATION: %[[S:.*]] = tra.block "Second" {{.*}} reads(%[[X]]
// RELATION: %[[Q:.*]] = tra.point %[[S]]
// RELATION: %[[Y:.*]] = tra.await %{{.*}} after %[[P]], %[[Q]]
// RELATION: tra.block "Third" {{.*}} reads(%[[Y]]
// PROGRAM: tapestry.vertex = "First"
// PROGRAM: comm.point
// PROGRAM: tapestry.vertex = "Second"
// PROGRAM: comm.point
// PROGRAM: tapestry.vertex = "Third"

//--- waits.mlir
tapestry.graph @waits {
  %X = tapestry.source "X" : tensor<17x5xf32>
  %F = toy.roll "First", %X {shift = 1, repeat = 1} : tensor<17x5xf32> -> tensor<17x5xf32>
  %p = tapestry.sequence_point %F : tensor<17x5xf32>
  %S = toy.roll "Second", %X after %p : !tapestry.point {shift = 2, repeat = 1} : tensor<17x5xf32> -> tensor<17x5xf32>
  tapestry.sink "F", %F : tensor<17x5xf32>
  tapestry.sink "S", %S : tensor<17x5xf32>
  %T = toy.roll "Third", %X after %p, %S : !tapestry.point, tensor<17x5xf32> {shift = 3, repeat = 1} : tensor<17x5xf32> -> tensor<17x5xf32>
  tapestry.sink "T", %T : tensor<17x5xf32>
}

//--- circle.mlir
// CIRCLE: circle.mlir:4:8: error: 'toy.roll' op waits for itself: 'First' after a sequence point after 'First'
tapestry.graph @circle {
  %X = tapestry.source "X" : tensor<17x5xf32>
  %F = toy.roll "First", %X after %p : !tapestry.point {shift = 1, repeat = 1} : tensor<17x5xf32> -> tensor<17x5xf32>
  %p = tapestry.sequence_point %F : tensor<17x5xf32>
  tapestry.sink "F", %F : tensor<17x5xf32>
}
