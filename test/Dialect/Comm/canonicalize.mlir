// RUN: tapestry-opt %s -canonicalize | FileCheck %s
// RUN: tapestry-opt %s -cse | FileCheck %s --check-prefix=CSE
// RUN: tapestry-opt %s -loop-invariant-code-motion -control-flow-sink | FileCheck %s --check-prefix=MOTION

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#whole = #tapestry_index.layout<[5, 8] on #grid>
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
#quarter = #tapestry_index.layout<[5 by "d.0", 8 by "d.1"] on #grid>
#columns = #tapestry_index.layout<[5, 8 by "d.0"] on #grid>

// CHECK-DAG: #[[$WHOLE:.*]] = #tapestry_index.layout<[5, 8] on
// CHECK-DAG: #[[$QUARTER:.*]] = #tapestry_index.layout<[5 by "d.0", 8 by "d.1"] on

// The unused collective goes; who waited for it waits for what it waited for.
// CHECK-LABEL: func @unused
// CHECK-SAME: (%[[A:.*]]: tensor
// CHECK-NEXT: %[[G:.*]], %[[T:.*]] = comm.all_gather
// CHECK-NEXT: %[[H:.*]], %{{.*}} = comm.all_to_all "A", %[[A]] after %[[T]] from
// CHECK-NEXT: return %[[G]], %[[H]]
func.func @unused(%a: tensor<?x8xf32>) -> (tensor<5x8xf32>, tensor<5x4xf32>) {
  %g, %t0 = comm.all_gather "A", %a from #rows to #whole axes ["d.0"]
              : tensor<?x8xf32> -> tensor<5x8xf32>
  %e, %t1 = comm.all_to_all "A", %a after %t0 from #rows to #columns axes ["d.0"]
              : tensor<?x8xf32> -> tensor<5x4xf32>
  %h, %t2 = comm.all_to_all "A", %a after %t1 from #rows to #columns axes ["d.0"]
              : tensor<?x8xf32> -> tensor<5x4xf32>
  return %g, %h : tensor<5x8xf32>, tensor<5x4xf32>
}

// All of a chain of unused collectives goes, reductions too.
#partial = #tapestry_index.layout<[5, 8] partial ["d.0"] on #grid>
// CHECK-LABEL: func @unused_chain
// CHECK-NEXT: return
func.func @unused_chain(%p: tensor<5x8xf32>) {
  %s, %t0 = comm.all_reduce "S" add %p from #partial to #whole axes ["d.0"]
              : tensor<5x8xf32> -> tensor<5x8xf32>
  %r, %t1 = comm.reduce_scatter "S" add %p after %t0 from #partial to #rows
              axes ["d.0"] : tensor<5x8xf32> -> tensor<?x8xf32>
  %g, %t2 = comm.all_gather "S", %r after %t1 from #rows to #whole axes ["d.0"]
              : tensor<?x8xf32> -> tensor<5x8xf32>
  return
}

// A point waits for what the unused collective waited for, and stays.
// CHECK-LABEL: func @unused_before_a_point
// CHECK-SAME: (%[[A:.*]]: tensor<?x8xf32>, %[[T:.*]]: !comm.token)
// CHECK-NEXT: %[[P:.*]] = comm.point %[[T]], %[[A]] : !comm.token, tensor<?x8xf32>
// CHECK-NEXT: %[[B:.*]] = comm.await %[[A]] after %[[P]] : tensor<?x8xf32>
// CHECK-NEXT: return %[[B]]
func.func @unused_before_a_point(%a: tensor<?x8xf32>, %t0: !comm.token) -> tensor<?x8xf32> {
  %g, %t1 = comm.all_gather "A", %a after %t0 from #rows to #whole axes ["d.0"]
              : tensor<?x8xf32> -> tensor<5x8xf32>
  %p = comm.point %t1, %a : !comm.token, tensor<?x8xf32>
  %b = comm.await %a after %p : tensor<?x8xf32>
  return %b : tensor<?x8xf32>
}

// A point stays, though nobody takes its token; who awaits it and is not read
// goes.
// CHECK-LABEL: func @point_alone
// CHECK-NEXT: comm.point none
// CHECK-NEXT: return
func.func @point_alone(%a: tensor<?x8xf32>) {
  %p = comm.point none
  %b = comm.await %a after %p : tensor<?x8xf32>
  return
}

// A token that leaves the function keeps its collective.
// CHECK-LABEL: func @token_escapes
// CHECK: comm.all_gather
func.func @token_escapes(%a: tensor<?x8xf32>) -> !comm.token {
  %g, %t = comm.all_gather "A", %a from #rows to #whole axes ["d.0"]
             : tensor<?x8xf32> -> tensor<5x8xf32>
  return %t : !comm.token
}

// CHECK-LABEL: func @slices
// CHECK-SAME: (%[[A:.*]]: tensor
// CHECK-NEXT: %[[S:.*]] = comm.slice "A", %[[A]] from #[[$WHOLE]] to #[[$QUARTER]] : tensor<5x8xf32> -> tensor<?x4xf32>
// CHECK-NEXT: return %[[A]], %[[S]]
func.func @slices(%a: tensor<5x8xf32>) -> (tensor<5x8xf32>, tensor<?x4xf32>) {
  %same = comm.slice "A", %a from #whole to #whole : tensor<5x8xf32> -> tensor<5x8xf32>
  %rows = comm.slice "A", %a from #whole to #rows : tensor<5x8xf32> -> tensor<?x8xf32>
  %part = comm.slice "A", %rows from #rows to #quarter : tensor<?x8xf32> -> tensor<?x4xf32>
  return %same, %part : tensor<5x8xf32>, tensor<?x4xf32>
}

// Equal boxes under another name of the layout: nothing to cut off.
#window = #tapestry_index.layout<[5 by "d.0", 8 = [8] + [3] - 1] on #grid>
// CHECK-LABEL: func @slice_of_equal_boxes
// CHECK-SAME: (%[[A:.*]]: tensor
// CHECK-NEXT: return %[[A]]
func.func @slice_of_equal_boxes(%a: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %s = comm.slice "A", %a from #window to #rows : tensor<?x8xf32> -> tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}

// All ranks enter each collective as written: equal ones are not merged.
// CSE-LABEL: func @equal_collectives
// CSE-COUNT-2: comm.all_gather
// CSE: %[[D:.*]] = comm.device
// CSE-NOT: comm.device
// CSE: return %{{.*}}, %{{.*}}, %[[D]], %[[D]]
func.func @equal_collectives(%a: tensor<?x8xf32>)
    -> (tensor<5x8xf32>, tensor<5x8xf32>, index, index) {
  %g, %t0 = comm.all_gather "A", %a from #rows to #whole axes ["d.0"]
              : tensor<?x8xf32> -> tensor<5x8xf32>
  %h, %t1 = comm.all_gather "A", %a from #rows to #whole axes ["d.0"]
              : tensor<?x8xf32> -> tensor<5x8xf32>
  %d = comm.device
  %e = comm.device
  return %g, %h, %d, %e : tensor<5x8xf32>, tensor<5x8xf32>, index, index
}

// Not moved out of a loop that may not run, nor into a branch that only some
// ranks take.
// MOTION-LABEL: func @no_motion
// MOTION: %[[G:.*]], %{{.*}} = comm.all_gather
// MOTION-NEXT: scf.for
// MOTION-NEXT: comm.all_gather
// MOTION: scf.yield
// MOTION: scf.if
// MOTION-NEXT: scf.yield %[[G]]
func.func @no_motion(%a: tensor<?x8xf32>, %z: tensor<5x8xf32>, %n: index, %odd: i1)
    -> tensor<5x8xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %g, %t0 = comm.all_gather "A", %a from #rows to #whole axes ["d.0"]
              : tensor<?x8xf32> -> tensor<5x8xf32>
  %l = scf.for %i = %zero to %n step %one iter_args(%v = %z) -> tensor<5x8xf32> {
    %h, %t1 = comm.all_gather "A", %a from #rows to #whole axes ["d.0"]
                : tensor<?x8xf32> -> tensor<5x8xf32>
    %s = arith.addf %v, %h : tensor<5x8xf32>
    scf.yield %s : tensor<5x8xf32>
  }
  %r = scf.if %odd -> tensor<5x8xf32> {
    scf.yield %g : tensor<5x8xf32>
  } else {
    scf.yield %l : tensor<5x8xf32>
  }
  return %r : tensor<5x8xf32>
}
