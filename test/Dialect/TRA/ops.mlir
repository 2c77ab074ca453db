// RUN: tapestry-opt %s | FileCheck %s
// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | not grep -a "#tapestry"

#pair = #tapestry_index.grid<"d.0" = 2>
#four = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#twelve = #tapestry_index.grid<"d.0" = 2, "d.1" = 2, "d.2" = 3>

// Five rows on two devices: three and two.
#rows = #tapestry_index.layout<[5 by "d.0", 7] on #pair>
!rows = !tra.relation<[5, 7] / [2, 1], f32, #rows>
// Five rows on four devices: two, two, one and none.
#rows4 = #tapestry_index.layout<[5 by "d.0" "d.1", 7] on #four>
!rows4 = !tra.relation<[5, 7] / [4, 1], f32, #rows4>

// CHECK-DAG: #[[$ROWS:.*]] = #tapestry_index.layout<[5 by "d.0", 7] on #{{.*}}>
// CHECK-DAG: #[[$PARTIAL:.*]] = #tapestry_index.layout<[97 by "d.0", 41 by "d.1"] partial ["d.2"] on #{{.*}}>
// CHECK-DAG: #[[$IMAGE:.*]] = #tapestry_index.layout<[34 = 2 * [17 by "d.0"] + [3] - 1] on #{{.*}}>
// CHECK-DAG: #[[$OWN:.*]] = #tapestry_index.layout<[7] partial ["d.0", "d.1"] on #{{.*}}>
// CHECK-DAG: #[[$LESS:.*]] = #tapestry_index.layout<[7, 5 by "d.0"] partial ["d.1"] on #{{.*}}>
// CHECK-LABEL: func @tensors
func.func @tensors(%A: tensor<5x7xf32>) -> tensor<5x7xf32> {
  // CHECK: %[[R:.*]] = tra.from_tensor %{{.*}} : tensor<5x7xf32> -> !tra.relation<[5, 7] / [2, 1], f32, #[[$ROWS]]>
  %r = tra.from_tensor %A : tensor<5x7xf32> -> !rows
  // CHECK: tra.to_tensor %[[R]] : !tra.relation<[5, 7] / [2, 1], f32, {{.*}}> -> tensor<5x7xf32>
  %B = tra.to_tensor %r : !rows -> tensor<5x7xf32>
  return %B : tensor<5x7xf32>
}

// CHECK-LABEL: func @four_devices
func.func @four_devices(%A: tensor<5x7xf32>) -> !rows4 {
  // CHECK: -> !tra.relation<[5, 7] / [4, 1], f32,
  %r = tra.from_tensor %A : tensor<5x7xf32> -> !rows4
  return %r : !rows4
}

// CHECK-LABEL: func @scalar
// CHECK-SAME: !tra.relation<[] / [], i64,
func.func @scalar(%s: !tra.relation<[] / [], i64,
                      #tapestry_index.layout<[] on #pair>>) {
  return
}

// All three labels of a contraction cut: i over d.0, k over d.1, j over d.2.
#ij = #tapestry_index.layout<[97 by "d.0", 53 by "d.2"] on #twelve>
#jk = #tapestry_index.layout<[53 by "d.2", 41 by "d.1"] on #twelve>
#ik_partial = #tapestry_index.layout<[97 by "d.0", 41 by "d.1"] partial ["d.2"] on #twelve>
#ik = #tapestry_index.layout<[97 by "d.0", 41 by "d.1"] on #twelve>
#ik_scattered = #tapestry_index.layout<[97 by "d.0", 41 by "d.1" "d.2"] on #twelve>
!ij = !tra.relation<[97, 53] / [2, 3], f32, #ij>
!jk = !tra.relation<[53, 41] / [3, 2], f32, #jk>
!ik_partial = !tra.relation<[97, 41] / [2, 2], f32, #ik_partial>
!ik = !tra.relation<[97, 41] / [2, 2], f32, #ik>
!ik_scattered = !tra.relation<[97, 41] / [2, 6], f32, #ik_scattered>

// CHECK-LABEL: func @contraction
// CHECK-SAME: %[[A:.*]]: !tra{{.*}}, %[[B:.*]]: !tra
func.func @contraction(%a: !ij, %b: !jk) -> (!ik, !ik_scattered) {
  // CHECK: %[[P:.*]] = tra.join "C" [i = 97, k = 41, j = 53] by #tapestry_index.partition<{{.*}}"d.0"], ["d.1"], ["d.2"{{.*}}> (%[[A]][i, j], %[[B]][j, k]) -> [i, k] reduce add {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
  // CHECK-NEXT: %[[M:.*]] = arith.mulf %[[X]], %[[Y]] : f32
  // CHECK-NEXT: tra.yield %[[M]] : f32
  // CHECK-NEXT: } {note = "kept"} : (!tra.relation<[97, 53] / [2, 3], f32, {{.*}}) -> !tra.relation<[97, 41] / [2, 2], f32, #[[$PARTIAL]]>
  %p = tra.join "C" [i = 97, k = 41, j = 53] by #tapestry_index.partition<[["d.0"], ["d.1"], ["d.2"]]>
         (%a[i, j], %b[j, k]) -> [i, k] reduce add {
  ^bb0(%x: f32, %y: f32):
    %m = arith.mulf %x, %y : f32
    tra.yield %m : f32
  } {note = "kept"} : (!ij, !jk) -> !ik_partial
  // CHECK: tra.aggregate "C" add %[[P]] : !tra.relation<{{.*}}> -> !tra.relation<[97, 41] / [2, 2]
  %c = tra.aggregate "C" add %p : !ik_partial -> !ik
  // CHECK: tra.aggregate "C" custom %[[P]] identity 0.000000e+00 : f32 combine {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
  // CHECK-NEXT: %[[M:.*]] = arith.addf %[[X]], %[[Y]] : f32
  // CHECK-NEXT: tra.yield %[[M]] : f32
  // CHECK-NEXT: } : !tra.relation<{{.*}}> -> !tra.relation<[97, 41] / [2, 6]
  %d = tra.aggregate "C" custom %p identity 0.0 : f32 combine {
  ^bb0(%x: f32, %y: f32):
    %m = arith.addf %x, %y : f32
    tra.yield %m : f32
  } : !ik_partial -> !ik_scattered
  return %c, %d : !ik, !ik_scattered
}

// A strided window with a border, cut over d.0: devices read a halo.
#image = #tapestry_index.layout<[34 = 2 * [17 by "d.0"] + [3] - 1] on #pair>
#y = #tapestry_index.layout<[17 by "d.0"] on #pair>
!image = !tra.relation<[34] / [2], i32, #image>
!y = !tra.relation<[17] / [2], i64, #y>

// CHECK-LABEL: func @window
func.func @window(%x: !image) -> !y {
  // CHECK: tra.join "W" [y = 17, r = 3] by #tapestry_index.partition<{{.*}}"d.0"], []{{.*}}> (%{{.*}}[2 * y + r - 1] pad 7 : i32) -> [y] reduce custom identity -1 : i64 {
  // CHECK: tra.label "y"
  // CHECK: } combine {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: i64, %[[B:.*]]: i64):
  // CHECK-NEXT: arith.andi
  %w = tra.join "W" [y = 17, r = 3] by #tapestry_index.partition<[["d.0"], []]>
         (%x[r - 1 + y * 2] pad 7 : i32) -> [y] reduce custom identity -1 : i64 {
  ^bb0(%v: i32):
    %y = tra.label "y"
    %wide = arith.index_cast %y : index to i64
    %e = arith.extsi %v : i32 to i64
    %s = arith.addi %wide, %e : i64
    tra.yield %s : i64
  } combine {
  ^bb0(%a: i64, %b: i64):
    %m = arith.andi %a, %b : i64
    tra.yield %m : i64
  } : (!image) -> !y
  return %w : !y
}

// A diagonal, a reversed and a constant subscript; nothing is reduced.
#diagonal = #tapestry_index.layout<[5 by "d.0", 5 by "d.0"] on #pair>
#reversed = #tapestry_index.layout<[5 = -1 * [5 by "d.0"] + 4, 3 = 2] on #pair>
#five = #tapestry_index.layout<[5 by "d.0"] on #pair>
!diagonal = !tra.relation<[5, 5] / [2, 2], f64, #diagonal>
!reversed = !tra.relation<[5, 3] / [2, 1], f64, #reversed>
!five = !tra.relation<[5] / [2], f64, #five>

// CHECK-LABEL: func @elementwise
func.func @elementwise(%m: !diagonal, %v: !reversed) -> !five {
  // CHECK: tra.join "E" [i = 5] by #tapestry_index.partition<{{.*}}"d.0"{{.*}}> (%{{.*}}[i, i], %{{.*}}[-i + 4, 2]) -> [i] {
  %e = tra.join "E" [i = 5] by #tapestry_index.partition<[["d.0"]]> (%m[i, i], %v[4 - i, 2]) -> [i] {
  ^bb0(%x: f64, %y: f64):
    %s = arith.subf %x, %y : f64
    tra.yield %s : f64
  } : (!diagonal, !reversed) -> !five
  return %e : !five
}

// A generator: no operands, the kernel knows only the point.
// CHECK-LABEL: func @generator
func.func @generator() -> !five {
  // CHECK: tra.join "G" [i = 5] by #tapestry_index.partition<{{.*}}> () -> [i] {
  // CHECK-NEXT: %[[I:.*]] = tra.label "i"
  %g = tra.join "G" [i = 5] by #tapestry_index.partition<[["d.0"]]> () -> [i] {
    %i = tra.label "i"
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f64
    tra.yield %f : f64
  } : () -> !five
  return %g : !five
}

#columns = #tapestry_index.layout<[5, 7 by "d.0"] on #pair>
!columns = !tra.relation<[5, 7] / [1, 2], f32, #columns>

// CHECK-LABEL: func @repartition
func.func @repartition(%r: !rows) -> !columns {
  // CHECK: tra.repartition "A", %{{.*}} : !tra.relation<[5, 7] / [2, 1], f32, {{.*}}> -> !tra.relation<[5, 7] / [1, 2], f32,
  %c = tra.repartition "A", %r : !rows -> !columns
  return %c : !columns
}

// An operand that is read through a window from a plain relation: the halo comes
// by the repartition.
#plain = #tapestry_index.layout<[34 by "d.0"] on #pair>
!plain = !tra.relation<[34] / [2], i32, #plain>

// CHECK-LABEL: func @halo
func.func @halo(%x: !plain) -> !image {
  // CHECK: tra.repartition "X", %{{.*}} : {{.*}} -> !tra.relation<[34] / [2], i32, #[[$IMAGE]]>
  %h = tra.repartition "X", %x : !plain -> !image
  return %h : !image
}

// An operand in pieces, and one that is divided and wrapped around.
#ahead = #tapestry_index.layout<[5 = [5 by "d.0"] + 1] on #pair>
#behind = #tapestry_index.layout<[5 = [5 by "d.0"] - 4] on #pair>
#turned = #tapestry_index.layout<[5 = [5 by "d.0"] + 1 floordiv 2 mod 3] on #pair>
#part = #tapestry_index.layout<[5 by "d.0"] on #pair>
!ahead = !tra.relation<[5] / [2], f32, #ahead>
!behind = !tra.relation<[5] / [2], f32, #behind>
!turned = !tra.relation<[5] / [2], f32, #turned>
!part = !tra.relation<[5] / [2], f32, #part>
// CHECK-LABEL: func @pieces
func.func @pieces(%a: !ahead, %b: !behind, %t: !turned) -> !part {
  // CHECK: tra.join "V" [i = 5] by {{.*}} (%{{.*}}[i + 1] else %{{.*}}[i - 4], %{{.*}}[((i + 1) floordiv 2) mod 3]) -> [i] {
  %v = tra.join "V" [i = 5] by #tapestry_index.partition<[["d.0"]]>
      (%a[i + 1] else %b[i - 4], %t[(i + 1) floordiv 2 mod 3]) -> [i] {
  ^bb0(%x: f32, %y: f32):
    %m = arith.mulf %x, %y : f32
    tra.yield %m : f32
  } : (!ahead, !behind, !turned) -> !part
  return %v : !part
}

// A device reads its own value of what is partial. Over "d.0", which cuts i,
// results with i are whole; over "d.1" they are partial, too.
#own = #tapestry_index.layout<[7] partial ["d.0", "d.1"] on #four>
#whole = #tapestry_index.layout<[7, 5 by "d.0"] on #four>
#less = #tapestry_index.layout<[7, 5 by "d.0"] partial ["d.1"] on #four>
!own = !tra.relation<[7] / [1], f32, #own>
!whole = !tra.relation<[7, 5] / [1, 2], f32, #whole>
!less = !tra.relation<[7, 5] / [1, 2], f32, #less>
// CHECK-LABEL: func @own
func.func @own(%x: !whole, %p: !own) -> (!less, !own) {
  // CHECK: tra.join "V"
  // CHECK: } : {{.*}} -> !tra.relation<[7, 5] / [1, 2], f32, #[[$LESS]]>
  %v = tra.join "V" [j = 7, i = 5] by #tapestry_index.partition<[[], ["d.0"]]>
      (%x[j, i], %p[j]) -> [j, i] {
  ^bb0(%a: f32, %b: f32):
    %m = arith.subf %a, %b : f32
    tra.yield %m : f32
  } : (!whole, !own) -> !less
  // CHECK: tra.join "W"
  // CHECK: } : {{.*}} -> !tra.relation<[7] / [1], f32, #[[$OWN]]>
  %w = tra.join "W" [j = 7] by #tapestry_index.partition<[[]]>
      (%p[j], %p[j]) -> [j] {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %b : f32
    tra.yield %m : f32
  } : (!own, !own) -> !own
  return %v, %w : !less, !own
}
