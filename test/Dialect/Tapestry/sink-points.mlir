// RUN: split-file %s %t
// RUN: tapestry-opt %t/order.mlir | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %t/order.mlir --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %t/order.mlir --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry compile %t/order.mlir --devices 3 --stop-after=relation | FileCheck %s --check-prefix=RELATION
// RUN: tapestry compile %t/order.mlir --devices 3 --stop-after=program | FileCheck %s --check-prefix=PROGRAM
// RUN: tapestry compile %t/order.mlir --devices 3 --stop-after=program > %t.program.mlir
// RUN: tapestry-opt %t.program.mlir --emit-bytecode | tapestry-opt --tapestry-convert-comm-to-runtime | FileCheck %s --check-prefix=CODE
// RUN: tapestry-opt %t/order.mlir --tapestry-print-tasks -o /dev/null | FileCheck %s --check-prefix=TASKS
// RUN: tapestry-translate --mlir-to-dot %t/order.mlir | FileCheck %s --check-prefix=PICTURE
// RUN: tapestry-opt %t/calls.mlir --tapestry-inline-calls | FileCheck %s --check-prefix=CALLS
// RUN: tapestry-opt %t/made.mlir --tapestry-expand-sources | FileCheck %s --check-prefix=MADE
// RUN: tapestry-opt %t/bad.mlir --split-input-file --verify-diagnostics --tapestry-inline-calls

// A sequence point follows a sink, and a source a point.

//--- order.mlir
// CHECK-LABEL: tapestry.graph @order
// RELATION-LABEL: func.func @order
// PROGRAM-LABEL: func.func @order
// The one that takes an argument in reads its memory behind the call.
// CODE: call @take_in.order.[[#CALL:]](%arg0, %[[NUMBER:.*]], %[[BUFFER:.*]]) {{.*}} : (!llvm.ptr, i64, [[TYPE:memref<.*>]]) -> ()
// CODE-NEXT: bufferization.to_tensor %[[BUFFER]] restrict : [[TYPE]]
// CODE: func.func private @take_in.order.[[#CALL]]
// CODE: call @tapestry_rt_take_in
// TASKS: chunk 0: f32[17, 5] input 'X'
// TASKS-NEXT: chunk 2: f32[17, 5] input 'B', after outputs [0]
// TASKS-NEXT: chunk 3: f32[17, 5] input 'D', after outputs [0]
// TASKS: output 'F': view
// TASKS: output 'G': view {{[0-9]+}}, after outputs [0]
tapestry.graph @order {
  // PICTURE: n[[S:[0-9]+]] [shape=cds, {{.*}}label=<Source: X<br/>from file x&amp;.npy>];
  %X = tapestry.source "X" from file<"x&.npy"> : tensor<17x5xf32>
  %F = tapestry.einsum "F" [i = 17, j = 5] (%X[i, j]) -> [i, j] {
  ^bb0(%x: f32):
    %y = arith.negf %x : f32
    tapestry.yield %y : f32
  } : (tensor<17x5xf32>) -> tensor<17x5xf32>
  // CHECK: %[[DONE:.*]] = tapestry.sink "F", %F to file<"f.npy"> : tensor<17x5xf32> -> !tapestry.point
  // RELATION: %[[OUT:.*]] = tra.hand_out 0 %[[F:.*]] :
  // PROGRAM: %[[OUT:.*]] = comm.hand_out 0 %{{.*}} :
  // PICTURE: n[[F:[0-9]+]] [shape=cds, {{.*}}label=<Sink: F<br/>to file f.npy>];
  %done = tapestry.sink "F", %F to file<"f.npy"> : tensor<17x5xf32> -> !tapestry.point
  // CHECK: %[[P:.*]] = tapestry.sequence_point %[[DONE]] : !tapestry.point
  // RELATION: %[[P:.*]] = tra.point %[[OUT]]
  // PROGRAM: %[[P:.*]] = comm.point %[[OUT]]
  // PICTURE: n[[P:[0-9]+]] [shape=octagon
  // PICTURE-NEXT: n[[P]] -> n[[F]];
  %p = tapestry.sequence_point %done : !tapestry.point
  // CHECK: %[[B:.*]] = tapestry.source "B" after %[[P]] : tensor<17x5xf32>
  // RELATION: %[[IN:.*]] = tra.from_tensor %arg1
  // RELATION: %[[B:.*]] = tra.take_in %[[IN]] after %[[P]] :
  // RELATION: tra.take_in %{{.*}} after %[[P]] :
  // PROGRAM: %{{.*}}, %[[IN:.*]] = comm.take_in %arg1 after %[[P]] : tensor<
  // PROGRAM: comm.take_in %arg2 after %[[IN]] : tensor<
  // PICTURE: n[[B:[0-9]+]] [shape=cds, {{.*}}label=<Source: B>];
  // PICTURE-NEXT: n[[B]] -> n[[P]];
  %B = tapestry.source "B" after %p : tensor<17x5xf32>
  %D = tapestry.source "D" on device 1 after %p : tensor<17x5xf32>
  %G = tapestry.einsum "G" [i = 17, j = 5] (%B[i, j], %D[i, j]) -> [i, j] {
  ^bb0(%b: f32, %d: f32):
    %y = arith.addf %b, %d : f32
    tapestry.yield %y : f32
  } : (tensor<17x5xf32>, tensor<17x5xf32>) -> tensor<17x5xf32>
  // CHECK: tapestry.sink "G", %G after %[[P]] : tensor<17x5xf32>
  // RELATION: return
  tapestry.sink "G", %G after %p : tensor<17x5xf32>
}

//--- calls.mlir
// CALLS-LABEL: tapestry.graph @caller
// CALLS: %[[NEG:.*]] = tapestry.einsum "half.F"
// CALLS: %[[DONE:.*]] = tapestry.sequence_point %[[NEG]]
// CALLS: tapestry.sequence_point %[[DONE]] : !tapestry.point
// CALLS: tapestry.sink "Y", %[[NEG]]
tapestry.graph private @half {
  %X = tapestry.source "X" : tensor<4xf32>
  %F = tapestry.einsum "F" [i = 4] (%X[i]) -> [i] {
  ^bb0(%x: f32):
    %y = arith.negf %x : f32
    tapestry.yield %y : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  %done = tapestry.sink "F", %F : tensor<4xf32> -> !tapestry.point
  %p = tapestry.sequence_point %done : !tapestry.point
}
tapestry.graph @caller {
  %X = tapestry.source "X" : tensor<4xf32>
  %Y = tapestry.call @half(%X) : (tensor<4xf32>) -> tensor<4xf32>
  tapestry.sink "Y", %Y : tensor<4xf32>
}

//--- made.mlir
// What is generated is there before the point, but who reads it follows that.
// MADE: %[[P:.*]] = tapestry.sequence_point
// MADE: %[[W:.*]] = tapestry.einsum "W"
// MADE: %[[AFTER:.*]] = tapestry.await "W.after" %[[W]] after %[[P]]
// MADE: tapestry.sink "W", %[[AFTER]]
tapestry.graph @made {
  %p = tapestry.sequence_point none
  %W = tapestry.source "W" from generator<iota> after %p : tensor<4xf32>
  tapestry.sink "W", %W : tensor<4xf32>
}

//--- bad.mlir
tapestry.graph @sink_c4 {
  %A = tapestry.source "A" : tensor<4xf32>
  // expected-error @below {{is awaited by 'tapestry.sink', expected a sequence point beside it, which others follow}}
  %done = tapestry.sink "A", %A : tensor<4xf32> -> !tapestry.point
  tapestry.sink "B", %A after %done : tensor<4xf32>
}

// -----

tapestry.graph @circle {
  // expected-error @below {{waits for itself: 'A' after a sequence point after 'Y' after 'A'}}
  %A = tapestry.source "A" after %p : tensor<4xf32>
  %done = tapestry.sink "Y", %A : tensor<4xf32> -> !tapestry.point
  %p = tapestry.sequence_point %done : !tapestry.point
}

// -----

tapestry.graph private @callee {
  %p = tapestry.sequence_point none
  // expected-note @below {{it is here}}
  %A = tapestry.source "A" after %p : tensor<4xf32>
  tapestry.sink "Y", %A : tensor<4xf32>
}
tapestry.graph @caller {
  %X = tapestry.source "X" : tensor<4xf32>
  // expected-error @below {{cannot be inlined: @callee has a source that follows points}}
  %Y = tapestry.call @callee(%X) : (tensor<4xf32>) -> tensor<4xf32>
  tapestry.sink "Y", %Y : tensor<4xf32>
}
