// RUN: tapestry-opt %s --pass-pipeline='builtin.module(func.func(tapestry-defer-maxima))' -split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(func.func(tapestry-defer-maxima{least-bytes=1}))' -split-input-file | FileCheck %s
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(func.func(tapestry-defer-maxima{least-bytes=1}))' -split-input-file | tapestry-opt -split-input-file | FileCheck %s

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#x = #tapestry_index.layout<[6 by "d.1", 97 by "d.0"] on #grid>
#rows = #tapestry_index.layout<[6 by "d.1"] on #grid>
#partial = #tapestry_index.layout<[6 by "d.1"] partial ["d.0"] on #grid>
#v = #tapestry_index.layout<[97 by "d.0", 5] on #grid>
#o = #tapestry_index.layout<[6 by "d.1", 5] on #grid>
#o_partial = #tapestry_index.layout<[6 by "d.1", 5] partial ["d.0"] on #grid>
#by_i = #tapestry_index.partition<[["d.1"]]>
#by_it = #tapestry_index.partition<[["d.1"], ["d.0"]]>
#by_ti = #tapestry_index.partition<[["d.0"], ["d.1"]]>
#by_idt = #tapestry_index.partition<[["d.1"], [], ["d.0"]]>
!x = !tra.relation<[6, 97] / [2, 2], f32, #x>
!mask = !tra.relation<[6, 97] / [2, 2], i1, #x>
!rows = !tra.relation<[6] / [2], f32, #rows>
!partial = !tra.relation<[6] / [2], f32, #partial>
!v = !tra.relation<[97, 5] / [2, 1], f32, #v>
!o = !tra.relation<[6, 5] / [2, 1], f32, #o>
!o_partial = !tra.relation<[6, 5] / [2, 1], f32, #o_partial>

// The scale is computed with the maximum and the exponential alike, labels are
// named otherwise, and the quotient is left to the sums.
// SMALL-LABEL: func @attention
// SMALL: %[[M:.*]] = tra.aggregate "M"
// SMALL: tra.join "E" {{.*}}, %[[M]][q])
// CHECK-LABEL: func @attention
// CHECK-SAME: %[[X:.*]]: !tra.relation<[6, 97]{{.*}}, %[[V:.*]]: !tra.relation<[97, 5]
func.func @attention(%x: !x, %v: !v) -> (!o, !rows) {
  // CHECK: %[[P:.*]] = tra.join "M" {{.*}} (%[[X]][i, t]) -> [i] reduce max
  %p = tra.join "M" [i = 6, t = 97] by #by_it (%x[i, t]) -> [i] reduce max {
  ^bb0(%a: f32):
    %c = arith.constant 0.125 : f32
    %s = arith.mulf %a, %c : f32
    tra.yield %s : f32
  } : (!x) -> !partial
  %m = tra.aggregate "M" max %p : !partial -> !rows
  // CHECK-NEXT: ^bb0
  // CHECK: %[[E:.*]] = tra.join "E" [k = 97, q = 6] {{.*}} (%[[X]][q, k], %[[P]][q]) -> [q, k] {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-DAG: %[[S:.*]] = arith.mulf %[[A]], %{{.*}} : f32
  // CHECK: %[[D:.*]] = arith.subf %[[S]], %[[B]] : f32
  // CHECK-NEXT: math.exp %[[D]] : f32
  %e = tra.join "E" [k = 97, q = 6] by #by_ti (%x[q, k], %m[q]) -> [q, k] {
  ^bb0(%a: f32, %b: f32):
    %c = arith.constant 0.125 : f32
    %s = arith.mulf %a, %c : f32
    %d = arith.subf %s, %b : f32
    %f = math.exp %d : f32
    tra.yield %f : f32
  } : (!x, !rows) -> !x
  // CHECK: %[[Q:.*]] = tra.join "L" {{.*}} (%[[E]][i, t]) -> [i] reduce add
  %q = tra.join "L" [i = 6, t = 97] by #by_it (%e[i, t]) -> [i] reduce add {
  ^bb0(%a: f32):
    tra.yield %a : f32
  } : (!x) -> !partial
  %l = tra.aggregate "L" add %q : !partial -> !rows
  %n = tra.join "N" [i = 6, t = 97] by #by_it (%e[i, t], %l[i]) -> [i, t] {
  ^bb0(%a: f32, %b: f32):
    %f = arith.divf %a, %b : f32
    tra.yield %f : f32
  } : (!x, !rows) -> !x
  // CHECK-NOT: "N"
  // CHECK: %[[R:.*]] = tra.join "O" {{.*}} (%[[E]][i, t], %[[V]][t, d]) -> [i, d] reduce add
  %r = tra.join "O" [i = 6, d = 5, t = 97] by #by_idt (%n[i, t], %v[t, d]) -> [i, d] reduce add {
  ^bb0(%a: f32, %b: f32):
    %f = arith.mulf %a, %b : f32
    tra.yield %f : f32
  } : (!x, !v) -> !o_partial
  // CHECK: %[[M:.*]] = tra.aggregate "M" max %[[P]]
  // CHECK: %[[W:.*]] = tra.join "M" [i = 6] {{.*}} (%[[P]][i], %[[M]][i]) -> [i] {
  // CHECK-NEXT: ^bb0(%[[OWN:.*]]: f32, %[[ALL:.*]]: f32):
  // CHECK-DAG: %[[STEP:.*]] = arith.subf %[[OWN]], %[[ALL]]
  // CHECK-DAG: %[[POWER:.*]] = math.exp %[[STEP]]
  // CHECK-DAG: %[[SAME:.*]] = arith.cmpf oeq, %[[OWN]], %[[ALL]]
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.0
  // CHECK: arith.select %[[SAME]], %[[ONE]], %[[POWER]]
  // CHECK: }
  // CHECK: %[[QW:.*]] = tra.join "L" [i = 6] {{.*}} (%[[Q]][i], %[[W]][i], %[[P]][i]) -> [i] {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[WEIGHT:.*]]: f32, %[[OWN:.*]]: f32):
  // CHECK-DAG: %[[PRODUCT:.*]] = arith.mulf %[[SUM]], %[[WEIGHT]]
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK-DAG: %[[LEAST:.*]] = arith.constant 0xFF800000
  // CHECK-DAG: %[[NUMBER:.*]] = arith.cmpf ord, %[[SUM]], %[[SUM]]
  // CHECK-DAG: %[[NOTHING:.*]] = arith.cmpf oeq, %[[OWN]], %[[LEAST]]
  // CHECK-DAG: %[[EITHER:.*]] = arith.ori %[[NUMBER]], %[[NOTHING]]
  // CHECK-DAG: %[[LIGHT:.*]] = arith.cmpf oeq, %[[WEIGHT]], %[[ZERO]]
  // CHECK-DAG: %[[BOTH:.*]] = arith.andi %[[LIGHT]], %[[EITHER]]
  // CHECK: arith.select %[[BOTH]], %[[ZERO]], %[[PRODUCT]]
  // CHECK: }
  // CHECK: %[[L:.*]] = tra.aggregate "L" add %[[QW]]
  // CHECK: %[[RW:.*]] = tra.join "O" [i = 6, d = 5] {{.*}} (%[[R]][i, d], %[[W]][i], %[[P]][i], %[[L]][i]) -> [i, d] {
  // CHECK: arith.mulf
  // CHECK: arith.divf
  // CHECK: }
  // CHECK: %[[O:.*]] = tra.aggregate "O" add %[[RW]]
  // CHECK: return %[[O]], %[[L]]
  %o = tra.aggregate "O" add %r : !o_partial -> !o
  return %o, %l : !o, !rows
}

// Kernels that do other things, too, lose such factors, but not those that are
// known before. What several sums need is put where the first needs it.
// CHECK-LABEL: func @factors
// CHECK-SAME: %[[X:.*]]: !tra.relation<[6, 97]{{.*}}, %[[F:.*]]: !tra.relation<[6]
func.func @factors(%x: !x, %f: !rows) -> (!rows, !rows) {
  // CHECK: %[[P:.*]] = tra.join "M"
  %p = tra.join "M" [i = 6, t = 97] by #by_it (%x[i, t]) -> [i] reduce max {
  ^bb0(%a: f32):
    tra.yield %a : f32
  } : (!x) -> !partial
  %m = tra.aggregate "M" max %p : !partial -> !rows
  // CHECK: %[[Q:.*]] = tra.join "L" {{.*}} (%[[X]][i, t], %[[P]][i]) -> [i] reduce add
  %q = tra.join "L" [i = 6, t = 97] by #by_it (%x[i, t], %m[i]) -> [i] reduce add {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    tra.yield %e : f32
  } : (!x, !rows) -> !partial
  %l = tra.aggregate "L" add %q : !partial -> !rows
  // CHECK: %[[R:.*]] = tra.join "O" {{.*}} (%[[X]][i, t], %[[P]][i], %[[F]][i]) -> [i] reduce add {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[G:.*]]: f32):
  // CHECK: %[[POWER:.*]] = math.exp
  // CHECK-NEXT: %[[PART:.*]] = arith.mulf %[[POWER]], %[[A]] : f32
  // CHECK-NEXT: %[[TERM:.*]] = arith.mulf %[[G]], %[[PART]] : f32
  // CHECK-NEXT: tra.yield %[[TERM]]
  %r = tra.join "O" [i = 6, t = 97] by #by_it (%x[i, t], %l[i], %m[i], %f[i]) -> [i] reduce add {
  ^bb0(%a: f32, %b: f32, %c: f32, %g: f32):
    %d = arith.subf %a, %c : f32
    %e = math.exp %d : f32
    %u = arith.divf %e, %b : f32
    %v = arith.mulf %u, %a : f32
    %w = arith.mulf %g, %v : f32
    tra.yield %w : f32
  } : (!x, !rows, !rows, !rows) -> !partial
  // CHECK: %[[M:.*]] = tra.aggregate "M"
  // CHECK: %[[LW:.*]] = tra.join "L" [i = 6]
  // CHECK: %[[L:.*]] = tra.aggregate "L" add %[[LW]]
  // CHECK: %[[OW:.*]] = tra.join "O" [i = 6] {{.*}} (%[[R]][i], %{{.*}}[i], %[[P]][i], %[[L]][i]) -> [i] {
  // CHECK: arith.mulf
  // CHECK: arith.divf
  // CHECK: tra.aggregate "O" add %[[OW]]
  %o = tra.aggregate "O" add %r : !partial -> !rows
  return %l, %o : !rows, !rows
}

// 0 is subtracted where the maximum is infinite: as a device subtracts, so it
// weighs.
// CHECK-LABEL: func @finite
func.func @finite(%x: !x) -> !rows {
  // CHECK: %[[P:.*]] = tra.join "M"
  %p = tra.join "M" [i = 6, t = 97] by #by_it (%x[i, t]) -> [i] reduce max {
  ^bb0(%a: f32):
    tra.yield %a : f32
  } : (!x) -> !partial
  %m = tra.aggregate "M" max %p : !partial -> !rows
  // CHECK: tra.join "L" {{.*}}, %[[P]][i]) -> [i] reduce add {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[A:.*]]: f32):
  // CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[A]], %{{.*}} : f32
  // CHECK-NEXT: arith.subf %{{.*}}, %[[S]] : f32
  %q = tra.join "L" [i = 6, t = 97] by #by_it (%x[i, t], %m[i]) -> [i] reduce add {
  ^bb0(%a: f32, %b: f32):
    %inf = arith.constant 0x7F800000 : f32
    %zero = arith.constant 0.0 : f32
    %c = math.absf %b : f32
    %s = arith.cmpf olt, %c, %inf : f32
    %g = arith.select %s, %b, %zero : f32
    %d = arith.subf %a, %g : f32
    %e = math.exp %d : f32
    tra.yield %e : f32
  } : (!x, !rows) -> !partial
  // CHECK: %[[M:.*]] = tra.aggregate "M"
  // CHECK: tra.join "M" [i = 6] {{.*}} (%[[P]][i], %[[M]][i]) -> [i] {
  // CHECK-NEXT: ^bb0(%[[OWN:.*]]: f32, %[[ALL:.*]]: f32):
  // CHECK: %[[OWNB:.*]] = arith.select %{{.*}}, %[[OWN]], %{{.*}} : f32
  // CHECK: %[[LEAST:.*]] = arith.cmpf oeq, %[[OWN]], %{{.*}} : f32
  // CHECK: %[[FROM:.*]] = arith.select %[[LEAST]], %[[OWN]], %[[OWNB]] : f32
  // CHECK: %[[ALLB:.*]] = arith.select %{{.*}}, %[[ALL]], %{{.*}} : f32
  // CHECK: arith.subf %[[FROM]], %[[ALLB]] : f32
  %l = tra.aggregate "L" add %q : !partial -> !rows
  return %l : !rows
}

// What a mask hides is left out of the sums.
// CHECK-LABEL: func @masked
func.func @masked(%x: !x, %y: !mask) -> !rows {
  // CHECK: %[[P:.*]] = tra.join "M"
  %p = tra.join "M" [i = 6, t = 97] by #by_it (%x[i, t], %y[i, t]) -> [i] reduce max {
  ^bb0(%a: f32, %k: i1):
    %least = arith.constant 0xFF800000 : f32
    %z = arith.select %k, %a, %least : f32
    tra.yield %z : f32
  } : (!x, !mask) -> !partial
  %m = tra.aggregate "M" max %p : !partial -> !rows
  // CHECK: tra.join "L" {{.*}}, %[[P]][i]) -> [i] reduce add {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[K:.*]]: i1, %[[OWN:.*]]: f32):
  // CHECK: %[[D:.*]] = arith.subf %{{.*}}, %[[OWN]] : f32
  // CHECK-NEXT: %[[E:.*]] = math.exp %[[D]] : f32
  // CHECK-NEXT: arith.select %[[K]], %[[E]], %{{.*}} : f32
  // CHECK: tra.aggregate "M" max %[[P]]
  %q = tra.join "L" [i = 6, t = 97] by #by_it (%x[i, t], %y[i, t], %m[i]) -> [i] reduce add {
  ^bb0(%a: f32, %k: i1, %b: f32):
    %least = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %z = arith.select %k, %a, %least : f32
    %d = arith.subf %z, %b : f32
    %e = math.exp %d : f32
    %f = arith.select %k, %e, %zero : f32
    tra.yield %f : f32
  } : (!x, !mask, !rows) -> !partial
  %l = tra.aggregate "L" add %q : !partial -> !rows
  return %l : !rows
}

// Someone needs exp(x - m) itself.
// CHECK-LABEL: func @needed
func.func @needed(%x: !x) -> (!x, !rows) {
  %p = tra.join "M" [i = 6, t = 97] by #by_it (%x[i, t]) -> [i] reduce max {
  ^bb0(%a: f32):
    tra.yield %a : f32
  } : (!x) -> !partial
  // CHECK: %[[M:.*]] = tra.aggregate "M"
  %m = tra.aggregate "M" max %p : !partial -> !rows
  // CHECK: tra.join "E" {{.*}}, %[[M]][i])
  %e = tra.join "E" [i = 6, t = 97] by #by_it (%x[i, t], %m[i]) -> [i, t] {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %f = math.exp %d : f32
    tra.yield %f : f32
  } : (!x, !rows) -> !x
  %q = tra.join "L" [i = 6, t = 97] by #by_it (%e[i, t]) -> [i] reduce add {
  ^bb0(%a: f32):
    tra.yield %a : f32
  } : (!x) -> !partial
  %l = tra.aggregate "L" add %q : !partial -> !rows
  return %e, %l : !x, !rows
}

// The maximum is of something else: relative to that of a part of it,
// exponentials might be infinite.
// CHECK-LABEL: func @other
func.func @other(%x: !x, %y: !x) -> !rows {
  %p = tra.join "M" [i = 6, t = 97] by #by_it (%x[i, t]) -> [i] reduce max {
  ^bb0(%a: f32):
    tra.yield %a : f32
  } : (!x) -> !partial
  // CHECK: %[[M:.*]] = tra.aggregate "M"
  %m = tra.aggregate "M" max %p : !partial -> !rows
  // CHECK: tra.join "L" {{.*}}, %[[M]][i])
  %q = tra.join "L" [i = 6, t = 97] by #by_it (%y[i, t], %m[i]) -> [i] reduce add {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %f = math.exp %d : f32
    tra.yield %f : f32
  } : (!x, !rows) -> !partial
  %l = tra.aggregate "L" add %q : !partial -> !rows
  return %l : !rows
}

// A square is no multiple, and what is added is not, either.
// CHECK-LABEL: func @square
func.func @square(%x: !x) -> !rows {
  %p = tra.join "M" [i = 6, t = 97] by #by_it (%x[i, t]) -> [i] reduce max {
  ^bb0(%a: f32):
    tra.yield %a : f32
  } : (!x) -> !partial
  // CHECK: %[[M:.*]] = tra.aggregate "M"
  %m = tra.aggregate "M" max %p : !partial -> !rows
  // CHECK: tra.join "E" {{.*}}, %[[M]][i])
  %e = tra.join "E" [i = 6, t = 97] by #by_it (%x[i, t], %m[i]) -> [i, t] {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %f = math.exp %d : f32
    tra.yield %f : f32
  } : (!x, !rows) -> !x
  %q = tra.join "L" [i = 6, t = 97] by #by_it (%e[i, t]) -> [i] reduce add {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    tra.yield %s : f32
  } : (!x) -> !partial
  %l = tra.aggregate "L" add %q : !partial -> !rows
  return %l : !rows
}

// What is multiplied needs the maximum of all devices.
// CHECK-LABEL: func @late
func.func @late(%x: !x) -> !rows {
  %p = tra.join "M" [i = 6, t = 97] by #by_it (%x[i, t]) -> [i] reduce max {
  ^bb0(%a: f32):
    tra.yield %a : f32
  } : (!x) -> !partial
  // CHECK: %[[M:.*]] = tra.aggregate "M"
  %m = tra.aggregate "M" max %p : !partial -> !rows
  %y = tra.join "Y" [i = 6, t = 97] by #by_it (%x[i, t], %m[i]) -> [i, t] {
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    tra.yield %d : f32
  } : (!x, !rows) -> !x
  // CHECK: tra.join "L" {{.*}}, %[[M]][i], %{{.*}}[i, t])
  %q = tra.join "L" [i = 6, t = 97] by #by_it (%x[i, t], %m[i], %y[i, t]) -> [i] reduce add {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %f = math.exp %d : f32
    %g = arith.mulf %f, %c : f32
    tra.yield %g : f32
  } : (!x, !rows, !x) -> !partial
  %l = tra.aggregate "L" add %q : !partial -> !rows
  return %l : !rows
}

// -----

// The sums are larger than what they are made of.
#grid = #tapestry_index.grid<"d.0" = 2>
#x = #tapestry_index.layout<[6, 8 by "d.0"] on #grid>
#rows = #tapestry_index.layout<[6] on #grid>
#partial = #tapestry_index.layout<[6] partial ["d.0"] on #grid>
#v = #tapestry_index.layout<[8 by "d.0", 5] on #grid>
#o = #tapestry_index.layout<[6, 5] on #grid>
#o_partial = #tapestry_index.layout<[6, 5] partial ["d.0"] on #grid>
#by_t = #tapestry_index.partition<[[], ["d.0"]]>
#by_idt = #tapestry_index.partition<[[], [], ["d.0"]]>
!x = !tra.relation<[6, 8] / [1, 2], f32, #x>
!rows = !tra.relation<[6] / [1], f32, #rows>
!partial = !tra.relation<[6] / [1], f32, #partial>
!v = !tra.relation<[8, 5] / [2, 1], f32, #v>
!o = !tra.relation<[6, 5] / [1, 1], f32, #o>
!o_partial = !tra.relation<[6, 5] / [1, 1], f32, #o_partial>

// CHECK-LABEL: func @large
func.func @large(%x: !x, %v: !v) -> !o {
  %p = tra.join "M" [i = 6, t = 8] by #by_t (%x[i, t]) -> [i] reduce max {
  ^bb0(%a: f32):
    tra.yield %a : f32
  } : (!x) -> !partial
  // CHECK: %[[M:.*]] = tra.aggregate "M"
  %m = tra.aggregate "M" max %p : !partial -> !rows
  // CHECK: tra.join "E" {{.*}}, %[[M]][i])
  %e = tra.join "E" [i = 6, t = 8] by #by_t (%x[i, t], %m[i]) -> [i, t] {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %f = math.exp %d : f32
    tra.yield %f : f32
  } : (!x, !rows) -> !x
  %r = tra.join "O" [i = 6, d = 5, t = 8] by #by_idt (%e[i, t], %v[t, d]) -> [i, d] reduce add {
  ^bb0(%a: f32, %b: f32):
    %f = arith.mulf %a, %b : f32
    tra.yield %f : f32
  } : (!x, !v) -> !o_partial
  %o = tra.aggregate "O" add %r : !o_partial -> !o
  return %o : !o
}
