// RUN: tapestry-opt %s -tapestry-lower-to-llvm | FileCheck %s

// Lanes are compared in 32 bits, with a bound that fits there: 2^32 and more
// lanes are all, and less than none is none.
// CHECK-LABEL: llvm.func @mask
// CHECK-SAME:      (%[[N:[^:]*]]: i64
// CHECK:         %[[LOW:.*]] = llvm.intr.smax(%[[N]], %{{.*}}) : (i64, i64) -> i64
// CHECK:         %[[BOUND:.*]] = llvm.intr.smin(%[[LOW]], %{{.*}}) : (i64, i64) -> i64
// CHECK:         llvm.trunc %[[BOUND]] : i64 to i32
// CHECK:         llvm.icmp {{.*}} : vector<16xi32>
func.func @mask(%n: index, %p: memref<?xf32>, %v: vector<16xf32>) attributes {tapestry.device} {
  %c0 = arith.constant 0 : index
  %m = vector.create_mask %n : vector<16xi1>
  vector.maskedstore %p[%c0], %m, %v : memref<?xf32>, vector<16xi1>, vector<16xf32>
  return
}

// Where the bound is known to fit, it is taken as it is.
// CHECK-LABEL: llvm.func @tail_mask
// CHECK-SAME:      (%[[N:[^:]*]]: i64
// CHECK-NOT:     llvm.intr.smax
// CHECK:         llvm.trunc %[[N]] : i64 to i32
// CHECK:         llvm.icmp {{.*}} : vector<16xi32>
func.func @tail_mask(%n: index, %p: memref<?xf32>, %v: vector<16xf32>) attributes {tapestry.device} {
  %c0 = arith.constant 0 : index
  %m = vector.create_mask %n {tapestry.tail_mask} : vector<16xi1>
  vector.maskedstore %p[%c0], %m, %v : memref<?xf32>, vector<16xi1>, vector<16xf32>
  return
}
