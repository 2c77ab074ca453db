// A function of an embedder calls a graph and holds einsums of its own: calls are
// inlined, what is left is bufferized by upstream's pass and runs in this process.
// RUN: tapestry-opt %s --tapestry-inline-calls | FileCheck %s --check-prefix=INLINED
// RUN: tapestry-opt %s --tapestry-inline-calls \
// RUN:   --one-shot-bufferize=bufferize-function-boundaries --canonicalize > %t.buffers
// RUN: FileCheck %s < %t.buffers
// RUN: mlir-opt --load-dialect-plugin=%lib/Tapestry.so --load-pass-plugin=%lib/Tapestry.so %s \
// RUN:   --pass-pipeline='builtin.module(tapestry-inline-calls,one-shot-bufferize{bufferize-function-boundaries},canonicalize)' \
// RUN:   | cmp - %t.buffers
// RUN: tapestry-opt %t.buffers --convert-scf-to-cf --expand-strided-metadata --llvm-request-c-wrappers \
// RUN:   --convert-to-llvm --reconcile-unrealized-casts | tapestry-translate --mlir-to-object -o %t.o
// RUN: c++ -shared %t.o -o %t.so
// RUN: %python %S/Inputs/bufferize.py %t.so

// INLINED-LABEL: func.func @called
// INLINED-NOT: sequence_point
// INLINED: tapestry.einsum "twice.T"
// INLINED: tapestry.einsum "twice.2.T"
// INLINED-NOT: tapestry.graph
// INLINED-LABEL: func.func @window

// The pad stands where the window reaches outside; every element is stored once.
// CHECK-LABEL: func.func @window(
// CHECK-SAME: %[[X:.*]]: memref<10x3xf32, strided<[?, ?], offset: ?>>
// CHECK: %[[Y:.*]] = memref.alloc() {{.*}} : memref<5x3xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[S:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32)
// CHECK: scf.if
// CHECK: memref.load %[[X]]
// CHECK: arith.addf %[[ACC]]
// CHECK: memref.store %[[S]], %[[Y]]
// CHECK-NOT: tensor

tapestry.graph private @twice {
  %A = tapestry.source "A" : tensor<7xf32>
  %T = tapestry.einsum "T" [i = 7] (%A[i]) -> [i] {
  ^bb0(%a: f32):
    %m = arith.addf %a, %a : f32
    tapestry.yield %m : f32
  } : (tensor<7xf32>) -> tensor<7xf32>
  %p = tapestry.sequence_point %T : tensor<7xf32>
  tapestry.sink "T", %T after %p : tensor<7xf32>
}

// The caller writes into the operand of a call before it uses the result again.
func.func @called(%a: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
  %0 = tapestry.call @twice(%a) : (tensor<7xf32>) -> tensor<7xf32>
  %1 = tapestry.call @twice(%0) : (tensor<7xf32>) -> tensor<7xf32>
  %c0 = arith.constant 0 : index
  %v = arith.constant 100.0 : f32
  %2 = tensor.insert %v into %0[%c0] : tensor<7xf32>
  return %1, %2 : tensor<7xf32>, tensor<7xf32>
}

// y[i, c] = sum over w of x[2 * i - 3 * w + 4, c], -1 outside.
func.func @window(%x: tensor<10x3xf32>) -> tensor<5x3xf32> {
  %y = tapestry.einsum "y" [i = 5, c = 3, w = 4] (%x[2 * i - 3 * w + 4, c] pad -1.0 : f32) -> [i, c] reduce add {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<10x3xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// What lies outside is read at the nearest element, mirrored at the ends or
// beside them; beside it goes around.
func.func @folded(%x: tensor<10x3xf32>) -> tensor<9x8xf32> {
  %y = tapestry.einsum "y" [i = 9, j = 8] (%x[2 * i - 5, 1] edge, %x[i - 20, -j + 4] reflect, %x[3 * i, (j + 1) mod 3] symmetric) -> [i, j] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %a, %b : f32
    %e = arith.mulf %d, %c : f32
    tapestry.yield %e : f32
  } : (tensor<10x3xf32>, tensor<10x3xf32>, tensor<10x3xf32>) -> tensor<9x8xf32>
  return %y : tensor<9x8xf32>
}

// 4096 halves: summed in f16 the result would stick at 1024; rounded once.
func.func @wide(%x: tensor<2x4096xf16>) -> tensor<2xf16> {
  %y = tapestry.einsum "y" [i = 2, j = 4096] (%x[i, j]) -> [i] reduce add {
  ^bb0(%a: f16):
    %w = arith.extf %a : f16 to f32
    tapestry.yield %w : f32
  } : (tensor<2x4096xf16>) -> tensor<2xf16>
  return %y : tensor<2xf16>
}

// A monoid of its own (the largest magnitude), labels in the body, the diagonal,
// and a transposed result.
func.func @monoid(%x: tensor<6x6xi32>, %z: tensor<4x5xi32>) -> (tensor<i32>, tensor<5x4xi64>, tensor<3xi1>) {
  %y = tapestry.einsum "y" [i = 6] (%x[i, i]) -> [] reduce custom {
  ^bb0(%a: i32):
    tapestry.yield %a : i32
  } combine {
  ^bb0(%a: i32, %b: i32):
    %p = math.absi %a : i32
    %q = math.absi %b : i32
    %c = arith.cmpi sge, %p, %q : i32
    %m = arith.select %c, %a, %b : i32
    tapestry.yield %m : i32
  } identity 0 : i32 : (tensor<6x6xi32>) -> tensor<i32>
  %t = tapestry.einsum "t" [i = 4, j = 5] (%z[i, j]) -> [j, i] {
  ^bb0(%a: i32):
    %i = tapestry.label "i"
    %k = arith.index_cast %i : index to i64
    %w = arith.extsi %a : i32 to i64
    %ten = arith.constant 10 : i64
    %s = arith.muli %w, %ten : i64
    %r = arith.addi %s, %k : i64
    tapestry.yield %r : i64
  } : (tensor<4x5xi32>) -> tensor<5x4xi64>
  // Nothing to reduce: the identity.
  %n = tapestry.einsum "n" [i = 3, j = 0] (%x[i, j]) -> [i] reduce and {
  ^bb0(%a: i32):
    %c = arith.constant 0 : i32
    %r = arith.cmpi eq, %a, %c : i32
    tapestry.yield %r : i1
  } : (tensor<6x6xi32>) -> tensor<3xi1>
  return %y, %t, %n : tensor<i32>, tensor<5x4xi64>, tensor<3xi1>
}
