// A program of several graphs that call each other has the values of one graph.
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); [np.save('%t.' + n + '.npy', r.integers(-9, 9, s).astype(np.int32)) for n, s in (('X', (5, 7)), ('W', (7, 7)))]"
// RUN: tapestry run %s --graph network --devices 1 -i X=%t.X.npy -i W=%t.W.npy -o Y=%t.1.npy
// RUN: tapestry run %s --graph network --devices 6 -i X=%t.X.npy -i W=%t.W.npy -o Y=%t.6.npy
// RUN: tapestry compile %s --graph network --devices 4 -o %t.exe
// RUN: %t.exe -i X=%t.X.npy -i W=%t.W.npy -o Y=%t.4.npy
// RUN: tapestry reference %s --graph network -i X=%t.X.npy -i W=%t.W.npy -o Y=%t.r.npy
// RUN: %python -c "import numpy as np; x, w = np.load('%t.X.npy'), np.load('%t.W.npy'); assert all((np.load('%t.' + n + '.npy') == x @ w @ w).all() for n in '146r')"
// RUN: tapestry run %s --graph layer --devices 3 -i X=%t.X.npy -i W=%t.W.npy -o H=%t.h.npy
// RUN: %python -c "import numpy as np; assert (np.load('%t.h.npy') == np.load('%t.X.npy') @ np.load('%t.W.npy')).all()"

// RUN: bash -c 'tapestry plan %s --devices 2; test $? = 2' 2>&1 | FileCheck %s --check-prefix=WHICH
// WHICH: calls.mlir: error: --graph has to name one of its graphs: layer, network
// RUN: bash -c 'tapestry plan %s --devices 2 --graph square; test $? = 2' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: calls.mlir: error: there is no graph 'square'; there are: layer, network

// What else there is belongs to no program.
%two = arith.addi %one, %one : i64
%one = arith.constant 1 : i64
memref.global "private" @table : memref<4xf32>
llvm.func @puts(!llvm.ptr) -> i32
func.func @main() -> i64 {
  %zero = call @zero() : () -> i64
  return %zero : i64
}
func.func private @zero() -> i64
module @inner {
}
tapestry.graph @layer {
  %X = tapestry.source "X" : tensor<5x7xi32>
  %W = tapestry.source "W" : tensor<7x7xi32>
  %H = tapestry.einsum "H" [i = 5, j = 7, k = 7] (%X[i, j], %W[j, k]) -> [i, k] reduce add {
  ^bb0(%x: i32, %w: i32):
    %m = arith.muli %x, %w : i32
    tapestry.yield %m : i32
  } : (tensor<5x7xi32>, tensor<7x7xi32>) -> tensor<5x7xi32>
  tapestry.sink "H", %H : tensor<5x7xi32>
}
tapestry.graph private @twice {
  %X = tapestry.source "X" : tensor<5x7xi32>
  %W = tapestry.source "W" : tensor<7x7xi32>
  %1 = tapestry.call @layer(%X, %W) : (tensor<5x7xi32>, tensor<7x7xi32>) -> tensor<5x7xi32>
  %2 = tapestry.call @layer(%1, %W) : (tensor<5x7xi32>, tensor<7x7xi32>) -> tensor<5x7xi32>
  tapestry.sink "Y", %2 : tensor<5x7xi32>
}
tapestry.graph @network {
  %X = tapestry.source "X" : tensor<5x7xi32>
  %W = tapestry.source "W" : tensor<7x7xi32>
  %Y = tapestry.call @twice(%X, %W) : (tensor<5x7xi32>, tensor<7x7xi32>) -> tensor<5x7xi32>
  tapestry.sink "Y", %Y : tensor<5x7xi32>
}
