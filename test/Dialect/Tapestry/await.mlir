// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --tapestry-prune | FileCheck %s --check-prefix=PRUNED
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=3 --tapestry-convert-to-tra -o %t.tra.mlir
// RUN: FileCheck %s --check-prefix=RELATION < %t.tra.mlir
// RUN: tapestry-opt %t.tra.mlir --emit-bytecode | tapestry-opt | FileCheck %s --check-prefix=RELATION
// RUN: tapestry-opt %t.tra.mlir --tapestry-convert-tra-to-comm --canonicalize --cse -o %t.comm.mlir
// RUN: FileCheck %s --check-prefix=PROGRAM < %t.comm.mlir
// RUN: tapestry-opt %t.comm.mlir --emit-bytecode | tapestry-opt | FileCheck %s --check-prefix=PROGRAM
// RUN: tapestry-opt %t.comm.mlir --tapestry-convert-comm-to-runtime | FileCheck %s --check-prefix=CODE

// CHECK-LABEL: tapestry.graph @order
tapestry.graph @order {
  %X = tapestry.source "X" : tensor<7x5xf32>
  %C = tapestry.einsum "C" [i = 7, j = 5] (%X[i, j]) -> [i] reduce add {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<7x5xf32>) -> tensor<7xf32>
  // CHECK: %[[P:.*]] = tapestry.sequence_point %C : tensor<7xf32>
  %p = tapestry.sequence_point %C : tensor<7xf32>
  // CHECK: %[[Q:.*]] = tapestry.sequence_point %X, %[[P]] : tensor<7x5xf32>, !tapestry.point
  %q = tapestry.sequence_point %X, %p : tensor<7x5xf32>, !tapestry.point
  // CHECK: %A = tapestry.await "A" %X after %[[P]], %[[Q]] : tensor<7x5xf32>
  %A = tapestry.await "A" %X after %p, %q : tensor<7x5xf32>
  %D = tapestry.einsum "D" [i = 7, j = 5] (%A[i, j]) -> [i] reduce max {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<7x5xf32>) -> tensor<7xf32>
  // Nobody observes what comes after, but what came before is awaited.
  // PRUNED: tapestry.await "A"
  // PRUNED-NOT: "unseen"
  %unseen = tapestry.await "unseen" %C after %q : tensor<7xf32>
  // PRUNED: tapestry.sequence_point %C
  %last = tapestry.sequence_point %C : tensor<7xf32>
  // CHECK: tapestry.sink "D", %D after %{{.*}} : tensor<7xf32>
  tapestry.sink "D", %D after %last : tensor<7xf32>
}

// What is awaited, and those who wait, take a token.
// RELATION-LABEL: func.func @order
// RELATION: %[[X:.*]] = tra.from_tensor
// RELATION: %[[C:.*]] = tra.join "C"
// RELATION: %[[P:.*]] = tra.point %[[C]] : !tra.relation<
// RELATION: %[[Q:.*]] = tra.point %[[X]], %[[P]] : !tra.relation<{{.*}}>, !tra.token
// RELATION: %[[HELD:.*]] = tra.await %[[X]] after %[[P]], %[[Q]] : !tra.relation<
// RELATION: %[[A:.*]] = tra.block "A" {{.*}} reads(%[[HELD]]
// RELATION: %[[D:.*]] = tra.join "D" {{.*}} (%[[A]][i, j])
// RELATION: %[[LAST:.*]] = tra.point %[[C]]
// RELATION: %[[LEFT:.*]] = tra.await %[[D]] after %[[LAST]]
// RELATION: tra.to_tensor %[[LEFT]]

// The points are a chain with the collectives; nothing of it is dead.
// PROGRAM-LABEL: func.func @order(%arg0
// PROGRAM: %[[C:.*]] = linalg.generic
// PROGRAM: %[[P:.*]] = comm.point %[[C]] : tensor<
// PROGRAM: %[[Q:.*]] = comm.point %[[P]], %arg0 : !comm.token, tensor<
// PROGRAM: %[[A:.*]] = comm.await %arg0 after %[[P]], %[[Q]] : tensor<
// PROGRAM: %[[D:.*]] = linalg.generic {{.*}} ins(%[[A]]
// PROGRAM: %[[LAST:.*]] = comm.point %[[Q]], %[[C]] : !comm.token, tensor<
// PROGRAM: %[[LEFT:.*]] = comm.await %[[D]] after %[[LAST]]
// PROGRAM: return %[[LEFT]]

// Passes know nothing of what the calls touch.
// CODE: linalg.generic
// CODE: call @tapestry_rt_point(%arg0) : (!llvm.ptr) -> ()
// CODE-NEXT: call @tapestry_rt_point(%arg0) : (!llvm.ptr) -> ()
// CODE: linalg.generic
// CODE: call @tapestry_rt_point(%arg0) : (!llvm.ptr) -> ()
// CODE: bufferization.materialize_in_destination
