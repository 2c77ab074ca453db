// Blocks with bodies for check_blocks.py: windows that reach out of their
// tensor, parameters and labels, several results, monoids named and not, reads
// backwards, booleans and complex numbers.
#smooth = #tapestry.kernel<"smooth" [b, x] (X : f32[b, x - 1 : 3], W : f32[*] params scale : f32)
    -> (Y : f32[b, x], E : f64[b] add, M : f32[x] custom)>
#back = #tapestry.kernel<"back" [i] (X : i32[-i + 22], Z : i32[2 * i - 3 : 2 step 3])
    -> (Y : i32[i], B : bool[] or)>
#flags = #tapestry.kernel<"flags" [i] (U : bool[i - 1 : 2]) -> (V : bool[i], P : bool[] custom)>
#product = #tapestry.kernel<"product" [i, k, j] (A : c64[i, j], B : c64[j, k]) -> (C : c64[i, k] add)>
#same = #tapestry.kernel<"same" [i] (X : i32[i]) -> (Y : i32[i])>

tapestry.graph @bodies {
  %X = tapestry.source "X" : tensor<13x64xf32>
  %W = tapestry.source "W" : tensor<3xf32>
  %Y, %E, %M = tapestry.block "Y" #smooth [b = 13, x = 64] (%X, %W) pads [0.5 : f32, unit] {scale = 0.25 : f32} body {
  ^bb0(%x: tensor<3xf32>, %w: tensor<3xf32>, %scale: f32, %b: index, %i: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %x0 = tensor.extract %x[%c0] : tensor<3xf32>
    %x1 = tensor.extract %x[%c1] : tensor<3xf32>
    %x2 = tensor.extract %x[%c2] : tensor<3xf32>
    %w0 = tensor.extract %w[%c0] : tensor<3xf32>
    %w1 = tensor.extract %w[%c1] : tensor<3xf32>
    %w2 = tensor.extract %w[%c2] : tensor<3xf32>
    %p0 = arith.mulf %x0, %w0 : f32
    %p1 = arith.mulf %x1, %w1 : f32
    %p2 = arith.mulf %x2, %w2 : f32
    %s0 = arith.addf %p0, %p1 : f32
    %s1 = arith.addf %s0, %p2 : f32
    %s2 = arith.mulf %s1, %scale : f32
    %n = arith.index_cast %b : index to i64
    %r = arith.sitofp %n : i64 to f32
    %y = arith.addf %s2, %r : f32
    %wide = arith.extf %y : f32 to f64
    %e = arith.mulf %wide, %wide : f64
    tapestry.block_yield %y, %e, %s2 : f32, f64, f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    %x = math.absf %a : f32
    %y = math.absf %b : f32
    %m = arith.maximumf %x, %y : f32
    tapestry.block_yield %m : f32
  } identity 0.0 : f32 : (tensor<13x64xf32>, tensor<3xf32>) -> (tensor<13x64xf32>, tensor<13xf64>, tensor<64xf32>)
  %I = tapestry.source "I" : tensor<23xi32>
  %Z = tapestry.source "Z" : tensor<40xi32>
  %J, %B = tapestry.block "J" #back [i = 21] (%I, %Z) pads [unit, 5 : i32] {} body {
  ^bb0(%x: i32, %z: tensor<2xi32>, %i: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ten = arith.constant 10 : i32
    %z0 = tensor.extract %z[%c0] : tensor<2xi32>
    %z1 = tensor.extract %z[%c1] : tensor<2xi32>
    %a = arith.muli %x, %ten : i32
    %b = arith.addi %a, %z0 : i32
    %y = arith.subi %b, %z1 : i32
    %large = arith.cmpi sgt, %y, %ten : i32
    tapestry.block_yield %y, %large : i32, i1
  } : (tensor<23xi32>, tensor<40xi32>) -> (tensor<21xi32>, tensor<i1>)
  %U = tapestry.source "U" : tensor<40xi1>
  %V, %P = tapestry.block "V" #flags [i = 40] (%U) pads [true] {} body {
  ^bb0(%u: tensor<2xi1>, %i: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %u0 = tensor.extract %u[%c0] : tensor<2xi1>
    %u1 = tensor.extract %u[%c1] : tensor<2xi1>
    %v = arith.xori %u0, %u1 : i1
    tapestry.block_yield %v, %u1 : i1, i1
  } combine {
  ^bb0(%a: i1, %b: i1):
    %m = arith.xori %a, %b : i1
    tapestry.block_yield %m : i1
  } identity false : (tensor<40xi1>) -> (tensor<40xi1>, tensor<i1>)
  %A = tapestry.source "A" : tensor<7x5xcomplex<f32>>
  %D = tapestry.source "D" : tensor<5x6xcomplex<f32>>
  %C = tapestry.block "C" #product [i = 7, k = 6, j = 5] (%A, %D) {} body {
  ^bb0(%a: complex<f32>, %d: complex<f32>, %i: index, %k: index, %j: index):
    %p = complex.mul %a, %d : complex<f32>
    tapestry.block_yield %p : complex<f32>
  } : (tensor<7x5xcomplex<f32>>, tensor<5x6xcomplex<f32>>) -> tensor<7x6xcomplex<f32>>
  %S = tapestry.block "S" #same [i = 21] (%J) {} body {
  ^bb0(%x: i32, %i: index):
    tapestry.block_yield %x : i32
  } : (tensor<21xi32>) -> tensor<21xi32>
  tapestry.sink "Y", %Y : tensor<13x64xf32>
  tapestry.sink "E", %E : tensor<13xf64>
  tapestry.sink "M", %M : tensor<64xf32>
  tapestry.sink "S", %S : tensor<21xi32>
  tapestry.sink "B", %B : tensor<i1>
  tapestry.sink "V", %V : tensor<40xi1>
  tapestry.sink "P", %P : tensor<i1>
  tapestry.sink "C", %C : tensor<7x6xcomplex<f32>>
}
