// RUN: tapestry-opt %s | FileCheck %s
// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %S/../../Integration/Blocks/Inputs/bodies.mlir --verify-roundtrip -o /dev/null

// Two blocks share a kernel under its function's name.

// CHECK-DAG: #smooth = #tapestry.kernel<"smooth" [b, x] (X : f32[b, 2 * x : 3 step 2], W : f32[*] params scale : f32, steps : i64) -> (Y : f32[b, x], E : f64[b] add) cost {b.flops = 3, point.flops = 12, x.ram = 8, x.gpu = 2}>
#smooth = #tapestry.kernel<"smooth" [b, x]
    (X : f32[b, 2 * x : 3 step 2], W : f32[*] params scale : f32, steps : i64)
    -> (Y : f32[b, x], E : f64[b] add)
    cost {b.flops = 3, point.flops = 12, x.ram = 8, x.gpu = 2}>
// CHECK-DAG: #fixed = #tapestry.kernel<"fixed" [] (X : u8[*, *]) -> (Y : u8[*])>
#fixed = #tapestry.kernel<"fixed" [] (X : u8[*, *]) -> (Y : u8[*])>
// CHECK-DAG: #tiles = #tapestry.kernel<"tiles" [t, c] (X : c64[t, c]) -> (Y : c64[4 * t : 4, c])>
#tiles = #tapestry.kernel<"tiles" [t, c] (X : c64[t, c]) -> (Y : c64[4 * t : 4, c])>
// CHECK-DAG: #made = #tapestry.kernel<"made" [i] (params seed : i64) -> (Y : bool[i])>
#made = #tapestry.kernel<"made" [i] (params seed : i64) -> (Y : bool[i])>

// A tensor may have the name of a keyword.
// CHECK-DAG: #keyword = #tapestry.kernel<"keyword" [i] (params : f32[i], cost : f32[i] params step : f32) -> (Y : f32[i])>
#keyword = #tapestry.kernel<"keyword" [i] (params : f32[i], cost : f32[i] params step : f32) -> (Y : f32[i])>

// CHECK-DAG: #padded = #tapestry.kernel<"padded" [i] (X : f32[i - 1 : 3], B : bool[i - 1 : 3], W : f32[i - 5]) -> (Y : f32[i], M : f32[] custom, S : f32[] add, F : bool[] custom)>
#padded = #tapestry.kernel<"padded" [i] (X : f32[i - 1 : 3], B : bool[i - 1 : 3], W : f32[i - 5]) -> (Y : f32[i], M : f32[] custom, S : f32[] add, F : bool[] custom)>

// CHECK-LABEL: tapestry.graph @blocks
tapestry.graph @blocks {
  %X = tapestry.source "X" : tensor<5x127xf32>
  %W = tapestry.source "W" : tensor<3xf32>
  // CHECK: %Y, %E = tapestry.block "Y" #smooth [b = 5, x = 62] (%{{.*}}, %{{.*}}) {scale = 5.000000e-01 : f32, steps = 3 : i64} : (tensor<5x127xf32>, tensor<3xf32>) -> (tensor<5x62xf32>, tensor<5xf64>)
  %Y, %E = tapestry.block "Y" #smooth [b = 5, x = 62] (%X, %W)
      {scale = 0.5 : f32, steps = 3 : i64}
      : (tensor<5x127xf32>, tensor<3xf32>) -> (tensor<5x62xf32>, tensor<5xf64>)
  // CHECK: %Z, %E_0 = tapestry.block "Z" #smooth [b = 5, x = 0]
  %Z, %F = tapestry.block "Z" #smooth [b = 5, x = 0] (%X, %W)
      {scale = 0.5 : f32, steps = 3 : i64}
      : (tensor<5x127xf32>, tensor<3xf32>) -> (tensor<5x0xf32>, tensor<5xf64>)
  tapestry.sink "Y", %Y : tensor<5x62xf32>
  tapestry.sink "E", %E : tensor<5xf64>
  tapestry.sink "F", %F : tensor<5xf64>
  %I = tapestry.source "I" : tensor<5x7xi8>
  // CHECK: tapestry.block "S" #fixed [] (%{{.*}}) {} :
  %S = tapestry.block "S" #fixed [] (%I) {} : (tensor<5x7xi8>) -> tensor<9xi8>
  tapestry.sink "S", %S : tensor<9xi8>
  %C = tapestry.source "C" : tensor<3x2xcomplex<f32>>
  %T = tapestry.block "T" #tiles [t = 3, c = 2] (%C) {} : (tensor<3x2xcomplex<f32>>) -> tensor<12x2xcomplex<f32>>
  tapestry.sink "T", %T : tensor<12x2xcomplex<f32>>
  %PX = tapestry.source "PX" : tensor<9xf32>
  %PB = tapestry.source "PB" : tensor<9xi1>
  // CHECK: tapestry.block "P" #padded [i = 9] (%{{.*}}, %{{.*}}, %{{.*}}) pads [0.000000e+00 : f32, true, 0xFF800000 : f32] {} combine {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
  // CHECK: tapestry.block_yield %{{.*}} : f32
  // CHECK-NEXT: } identity 0.000000e+00 : f32, {
  // CHECK: } identity false : (tensor<9xf32>
  %P:4 = tapestry.block "P" #padded [i = 9] (%PX, %PB, %PX) pads [0.0 : f32, true, 0xFF800000 : f32] {} combine {
  ^bb0(%a: f32, %b: f32):
    %x = math.absf %a : f32
    %y = math.absf %b : f32
    %m = arith.maximumf %x, %y : f32
    tapestry.block_yield %m : f32
  } identity 0.0 : f32, {
  ^bb0(%a: i1, %b: i1):
    %m = arith.xori %a, %b : i1
    tapestry.block_yield %m : i1
  } identity false : (tensor<9xf32>, tensor<9xi1>, tensor<9xf32>) -> (tensor<9xf32>, tensor<f32>, tensor<f32>, tensor<i1>)
  tapestry.sink "P", %P#1 : tensor<f32>
  %M = tapestry.block "M" #made [i = 8] () {seed = 7 : i64} : () -> tensor<8xi1>
  tapestry.sink "M", %M : tensor<8xi1>
  // CHECK: tapestry.block "K" #keyword [i = 3] (%{{.*}}, %{{.*}}) {step = 2.000000e+00 : f32} idempotent costs {flops = 7 : i64, gpu = 2 : i64} :
  %K = tapestry.block "K" #keyword [i = 3] (%W, %W) {step = 2.0 : f32} idempotent costs {flops = 7 : i64, gpu = 2 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  tapestry.sink "K", %K : tensor<3xf32>
}

// What a plan writes is kept.
// CHECK-LABEL: tapestry.graph @planned
// CHECK: attributes {home_routes = {{.*}}, operand_routes = {{.*}}} : {{.*}} partition {{.*}} homes [{{.*}}, {{.*}}]
#grid = #tapestry_index.grid<"d.0" = 2>
#cut = #tapestry_index.layout<[5 by "d.0", 62] on #grid>
#rows = #tapestry_index.layout<[5 by "d.0"] on #grid>
#all = #tapestry_index.layout<[5, 62] on #grid>
tapestry.graph @planned on #grid {
  %X = tapestry.source "X" : tensor<5x127xf32>
  %W = tapestry.source "W" : tensor<3xf32>
  %Y, %E = tapestry.block "Y" #smooth [b = 5, x = 62] (%X, %W)
      {scale = 0.5 : f32, steps = 3 : i64}
      attributes {home_routes = [[#all], []], operand_routes = [[], []]}
      : (tensor<5x127xf32>, tensor<3xf32>) -> (tensor<5x62xf32>, tensor<5xf64>)
      partition #tapestry_index.partition<[["d.0"], []]> homes [#cut, #rows]
  tapestry.sink "Y", %Y : tensor<5x62xf32>
}
