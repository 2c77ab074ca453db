// RUN: tapestry-opt %s -split-input-file \
// RUN:   -tapestry-form-streams="least-bytes=1 block-bytes=65536" | FileCheck %s

// What sums of exp(x - m) are cut along columns, and which are not.

#rcd_q = affine_map<(r, c, d) -> (r, d)>
#rcd_k = affine_map<(r, c, d) -> (c, d)>
#rcd_s = affine_map<(r, c, d) -> (r, c)>
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

// 0 may be subtracted where the maximum is infinite, and so it is where the
// greatest so far is.
// CHECK-LABEL: func @finite
// CHECK:         scf.for %{{.*}} = %c0 to %c512 step
// CHECK:           scf.for %{{.*}} = %c0 to %c1024 step %c256 {
// CHECK:             linalg.generic
// CHECK:               %[[A:.*]] = math.absf %[[M:.*]] : f32
// CHECK:               %[[IS:.*]] = arith.cmpf olt, %[[A]], %{{.*}} : f32
// CHECK:               arith.select %[[IS]], %[[M]], %{{.*}} : f32
// CHECK:               math.exp
func.func @finite(%q: memref<512x8xf32> {llvm.noalias}, %k: memref<1024x8xf32> {llvm.noalias},
    %l: memref<512xf32> {llvm.noalias}) attributes {tapestry.device} {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %s = memref.alloc() : memref<512x1024xf32>
  %m = memref.alloc() : memref<512xf32>
  linalg.generic {indexing_maps = [affine_map<(r, c) -> ()>, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rcd_q, #rcd_k, #rcd_s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<512x8xf32>, memref<1024x8xf32>) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %x, %p : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      ins(%least : f32) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<512x1024xf32>) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    %n = arith.maximumf %x, %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      ins(%zero : f32) outs(%l : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s, %m : memref<512x1024xf32>, memref<512xf32>) outs(%l : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32, %y: f32):
    %i = math.absf %b : f32
    %z = arith.cmpf olt, %i, %inf : f32
    %g = arith.select %z, %b, %zero : f32
    %d = arith.subf %a, %g : f32
    %t = math.exp %d : f32
    %n = arith.addf %y, %t : f32
    linalg.yield %n : f32
  }
  return
}

// -----

#rcd_q = affine_map<(r, c, d) -> (r, d)>
#rcd_k = affine_map<(r, c, d) -> (c, d)>
#rcd_s = affine_map<(r, c, d) -> (r, c)>
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

// 0 where the maximum is a number is no bound.
// CHECK-LABEL: func @infinite
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         } {tapestry.kernel
func.func @infinite(%q: memref<512x8xf32> {llvm.noalias}, %k: memref<1024x8xf32> {llvm.noalias},
    %l: memref<512xf32> {llvm.noalias}) attributes {tapestry.device} {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %s = memref.alloc() : memref<512x1024xf32>
  %m = memref.alloc() : memref<512xf32>
  linalg.generic {indexing_maps = [affine_map<(r, c) -> ()>, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rcd_q, #rcd_k, #rcd_s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<512x8xf32>, memref<1024x8xf32>) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %x, %p : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      ins(%least : f32) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<512x1024xf32>) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    %n = arith.maximumf %x, %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      ins(%zero : f32) outs(%l : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s, %m : memref<512x1024xf32>, memref<512xf32>) outs(%l : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32, %y: f32):
    %i = math.absf %b : f32
    %z = arith.cmpf ogt, %i, %inf : f32
    %g = arith.select %z, %b, %zero : f32
    %d = arith.subf %a, %g : f32
    %t = math.exp %d : f32
    %n = arith.addf %y, %t : f32
    linalg.yield %n : f32
  }
  return
}

// -----

#rcd_q = affine_map<(r, c, d) -> (r, d)>
#rcd_k = affine_map<(r, c, d) -> (c, d)>
#rcd_s = affine_map<(r, c, d) -> (r, c)>
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

// Nor is what no macro makes, whatever its value.
// CHECK-LABEL: func @swapped
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         } {tapestry.kernel
func.func @swapped(%q: memref<512x8xf32> {llvm.noalias}, %k: memref<1024x8xf32> {llvm.noalias},
    %l: memref<512xf32> {llvm.noalias}) attributes {tapestry.device} {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %s = memref.alloc() : memref<512x1024xf32>
  %m = memref.alloc() : memref<512xf32>
  linalg.generic {indexing_maps = [affine_map<(r, c) -> ()>, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rcd_q, #rcd_k, #rcd_s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<512x8xf32>, memref<1024x8xf32>) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %x, %p : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      ins(%least : f32) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<512x1024xf32>) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    %n = arith.maximumf %x, %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      ins(%zero : f32) outs(%l : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s, %m : memref<512x1024xf32>, memref<512xf32>) outs(%l : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32, %y: f32):
    %i = math.absf %b : f32
    %z = arith.cmpf ogt, %i, %inf : f32
    %g = arith.select %z, %zero, %b : f32
    %d = arith.subf %a, %g : f32
    %t = math.exp %d : f32
    %n = arith.addf %y, %t : f32
    linalg.yield %n : f32
  }
  return
}

// -----

#rcd_q = affine_map<(r, c, d) -> (r, d)>
#rcd_k = affine_map<(r, c, d) -> (c, d)>
#rcd_s = affine_map<(r, c, d) -> (r, c)>
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

// Nor is another constant than 0.
// CHECK-LABEL: func @finite_or_one
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         } {tapestry.kernel
func.func @finite_or_one(%q: memref<512x8xf32> {llvm.noalias}, %k: memref<1024x8xf32> {llvm.noalias},
    %l: memref<512xf32> {llvm.noalias}) attributes {tapestry.device} {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %one = arith.constant 1.0 : f32
  %s = memref.alloc() : memref<512x1024xf32>
  %m = memref.alloc() : memref<512xf32>
  linalg.generic {indexing_maps = [affine_map<(r, c) -> ()>, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rcd_q, #rcd_k, #rcd_s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<512x8xf32>, memref<1024x8xf32>) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %x, %p : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      ins(%least : f32) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<512x1024xf32>) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    %n = arith.maximumf %x, %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      ins(%zero : f32) outs(%l : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s, %m : memref<512x1024xf32>, memref<512xf32>) outs(%l : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32, %y: f32):
    %i = math.absf %b : f32
    %z = arith.cmpf olt, %i, %inf : f32
    %g = arith.select %z, %b, %one : f32
    %d = arith.subf %a, %g : f32
    %t = math.exp %d : f32
    %n = arith.addf %y, %t : f32
    linalg.yield %n : f32
  }
  return
}

// -----

#rcd_q = affine_map<(r, c, d) -> (r, d)>
#rcd_k = affine_map<(r, c, d) -> (c, d)>
#rcd_s = affine_map<(r, c, d) -> (r, c)>
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

// Sums of quotients are scaled as sums of dividends are, when the divisor is
// known before.
// CHECK-LABEL: func @quotient
// CHECK:         scf.for %{{.*}} = %c0 to %c512 step
// CHECK:           scf.for %{{.*}} = %c0 to %c1024 step %c256 {
// CHECK:               arith.cmpf ord
// CHECK:               %[[E:.*]] = math.exp
// CHECK-NEXT:          %[[T:.*]] = arith.divf %[[E]], %{{.*}} : f32
// CHECK-NEXT:          arith.addf %{{.*}}, %[[T]] : f32
func.func @quotient(%q: memref<512x8xf32> {llvm.noalias}, %k: memref<1024x8xf32> {llvm.noalias},
    %w: memref<512xf32> {llvm.noalias}, %l: memref<512xf32> {llvm.noalias}) attributes {tapestry.device} {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<512x1024xf32>
  %m = memref.alloc() : memref<512xf32>
  linalg.generic {indexing_maps = [affine_map<(r, c) -> ()>, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rcd_q, #rcd_k, #rcd_s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<512x8xf32>, memref<1024x8xf32>) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %x, %p : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      ins(%least : f32) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<512x1024xf32>) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    %n = arith.maximumf %x, %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      ins(%zero : f32) outs(%l : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #r, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s, %m, %w : memref<512x1024xf32>, memref<512xf32>, memref<512xf32>) outs(%l : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32, %f: f32, %y: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    %t = arith.divf %e, %f : f32
    %n = arith.addf %y, %t : f32
    linalg.yield %n : f32
  }
  return
}

// -----

#rcd_q = affine_map<(r, c, d) -> (r, d)>
#rcd_k = affine_map<(r, c, d) -> (c, d)>
#rcd_s = affine_map<(r, c, d) -> (r, c)>
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

// What they divide is not.
// CHECK-LABEL: func @divisor
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         } {tapestry.kernel
func.func @divisor(%q: memref<512x8xf32> {llvm.noalias}, %k: memref<1024x8xf32> {llvm.noalias},
    %w: memref<512xf32> {llvm.noalias}, %l: memref<512xf32> {llvm.noalias}) attributes {tapestry.device} {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<512x1024xf32>
  %m = memref.alloc() : memref<512xf32>
  linalg.generic {indexing_maps = [affine_map<(r, c) -> ()>, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rcd_q, #rcd_k, #rcd_s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<512x8xf32>, memref<1024x8xf32>) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %x, %p : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      ins(%least : f32) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<512x1024xf32>) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    %n = arith.maximumf %x, %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r) -> ()>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
      ins(%zero : f32) outs(%l : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #r, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s, %m, %w : memref<512x1024xf32>, memref<512xf32>, memref<512xf32>) outs(%l : memref<512xf32>) {
  ^bb0(%a: f32, %b: f32, %f: f32, %y: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    %t = arith.divf %f, %e : f32
    %n = arith.addf %y, %t : f32
    linalg.yield %n : f32
  }
  return
}
