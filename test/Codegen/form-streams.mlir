// RUN: tapestry-opt %s -split-input-file \
// RUN:   -tapestry-form-streams="least-bytes=1 block-bytes=65536" | FileCheck %s

#rcd_q = affine_map<(r, c, d) -> (r, d)>
#rcd_k = affine_map<(r, c, d) -> (c, d)>
#rcd_s = affine_map<(r, c, d) -> (r, c)>
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>
#rdc_p = affine_map<(r, d, c) -> (r, c)>
#rdc_v = affine_map<(r, d, c) -> (c, d)>
#rdc_o = affine_map<(r, d, c) -> (r, d)>

// Scores, their exponentials relative to the greatest so far, and sums of these
// that are scaled to it; a quotient by the sum waits for the end. The maximum of
// scores starts anew for each block of rows.
// CHECK-LABEL: func @attention
// CHECK-NOT:     memref<512x1024xf32>
// CHECK:         %[[S:.*]] = memref.alloc() {{.*}} : memref<64x256xf32>
// CHECK:         %[[M:.*]] = memref.alloc() {{.*}} : memref<64xf32>
// CHECK:         scf.for %[[R:.*]] = %c0 to %c512 step %c64 {
// CHECK:           scf.for %[[C:.*]] = %c0 to %c1024 step %c256 {
// CHECK:             %[[SV:.*]] = memref.subview %[[S]][0, 0] [64, 256] [1, 1]
// CHECK:             memref.subview %arg0[%[[R]], 0] [64, 8] [1, 1]
// CHECK:             memref.subview %arg1[%[[C]], 0] [256, 8] [1, 1]
// CHECK:             %[[MV:.*]] = memref.subview %[[M]][0] [64] [1]
// CHECK:             arith.maximumf
// CHECK:             linalg.generic
// CHECK-SAME:          ins(%[[MV]] :
// CHECK-SAME:          outs(%{{.*}}, %[[REF:.*]], %[[FACTOR:[^ ]*]] :
// CHECK:             ins(%[[FACTOR]] :
// CHECK:               arith.mulf
// CHECK:             ins(%[[SV]], %[[REF]] :
// CHECK:               math.exp
// CHECK:             memref.subview %arg2[%[[C]], 0] [256, 8] [1, 1]
// CHECK:             ins(%[[FACTOR]] :
// CHECK:               arith.mulf
// CHECK-NOT:         arith.divf
// CHECK:           }
// CHECK:           arith.divf
// CHECK:         } {tapestry.kernel, tapestry.parallel, tapestry.vertex = "O"}
func.func @attention(%q: memref<512x8xf32> {llvm.noalias}, %k: memref<1024x8xf32> {llvm.noalias},
                     %v: memref<1024x8xf32> {llvm.noalias}, %o: memref<512x8xf32> {llvm.noalias})
    attributes {tapestry.device} {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<512x1024xf32>
  %m = memref.alloc() : memref<512xf32>
  %l = memref.alloc() : memref<512xf32>
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
      ins(%inf : f32) outs(%m : memref<512xf32>) {
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
  linalg.generic {indexing_maps = [#rc, #r, #rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s, %m : memref<512x1024xf32>, memref<512xf32>) outs(%s, %l : memref<512x1024xf32>, memref<512xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32, %y: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    %n = arith.addf %y, %e : f32
    linalg.yield %e, %n : f32, f32
  }
  linalg.generic {indexing_maps = [#rc, #r, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%s, %l : memref<512x1024xf32>, memref<512xf32>) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %n = arith.divf %a, %b : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [affine_map<(r, c) -> ()>, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%o : memref<512x8xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rdc_p, #rdc_v, #rdc_o], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s, %v : memref<512x1024xf32>, memref<1024x8xf32>) outs(%o : memref<512x8xf32>)
      attrs = {tapestry.vertex = "O"} {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %x, %p : f32
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

// Any reduction of any contraction; extents that are no multiples of blocks.
// CHECK-LABEL: func @nearest
// CHECK:         memref.alloc() {{.*}} : memref<72x224xf32>
// CHECK:         scf.for %[[R:.*]] = %c0 to %c513 step %{{.*}} {
// CHECK:           scf.for %[[C:.*]] = %c0 to %c1111 step %c224 {
// CHECK:             %[[LEFT:.*]] = arith.subi %c1111{{.*}}, %[[C]]
// CHECK:             arith.minsi %c224{{.*}}, %[[LEFT]]
// CHECK:             arith.minimumf
// CHECK:         } {tapestry.kernel, tapestry.parallel}
func.func @nearest(%q: memref<513x8xf32> {llvm.noalias}, %k: memref<1111x8xf32> {llvm.noalias},
                   %m: memref<513xf32> {llvm.noalias}) attributes {tapestry.device} {
  %s = memref.alloc() : memref<513x1111xf32>
  linalg.generic {indexing_maps = [#rcd_q, #rcd_k, #rcd_s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<513x8xf32>, memref<1111x8xf32>) outs(%s : memref<513x1111xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %d = arith.subf %a, %b : f32
    %p = arith.mulf %d, %d : f32
    %n = arith.addf %x, %p : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<513x1111xf32>) outs(%m : memref<513xf32>) {
  ^bb0(%a: f32, %x: f32):
    %n = arith.minimumf %x, %a : f32
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
#c = affine_map<(r, c) -> (c)>

// The tensor is read along its columns, too.
// CHECK-LABEL: func @both_ways
// CHECK-NOT:     scf.for
func.func @both_ways(%q: memref<512x8xf32> {llvm.noalias}, %k: memref<1024x8xf32> {llvm.noalias},
                     %m: memref<512xf32> {llvm.noalias}, %n: memref<1024xf32> {llvm.noalias})
    attributes {tapestry.device} {
  %s = memref.alloc() : memref<512x1024xf32>
  linalg.generic {indexing_maps = [#rcd_q, #rcd_k, #rcd_s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<512x8xf32>, memref<1024x8xf32>) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %p = arith.mulf %a, %b : f32
    %y = arith.addf %x, %p : f32
    linalg.yield %y : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<512x1024xf32>) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    %y = arith.maximumf %x, %a : f32
    linalg.yield %y : f32
  }
  linalg.generic {indexing_maps = [#rc, #c], iterator_types = ["reduction", "parallel"]}
      ins(%s : memref<512x1024xf32>) outs(%n : memref<1024xf32>) {
  ^bb0(%a: f32, %x: f32):
    %y = arith.maximumf %x, %a : f32
    linalg.yield %y : f32
  }
  return
}

// -----

#rcd_q = affine_map<(r, c, d) -> (r, d)>
#rcd_k = affine_map<(r, c, d) -> (c, d)>
#rcd_s = affine_map<(r, c, d) -> (r, c)>
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

// Somebody else reads the tensor, or it is a result.
// CHECK-LABEL: func @read_elsewhere
// CHECK-NOT:     scf.for
func.func private @look(memref<512x1024xf32>)
func.func @read_elsewhere(%q: memref<512x8xf32> {llvm.noalias}, %k: memref<1024x8xf32> {llvm.noalias},
                          %m: memref<512xf32> {llvm.noalias}, %t: memref<512x1024xf32> {llvm.noalias})
    attributes {tapestry.device} {
  %s = memref.alloc() : memref<512x1024xf32>
  linalg.generic {indexing_maps = [#rcd_q, #rcd_k, #rcd_s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<512x8xf32>, memref<1024x8xf32>) outs(%s : memref<512x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %p = arith.mulf %a, %b : f32
    %y = arith.addf %x, %p : f32
    linalg.yield %y : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<512x1024xf32>) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    %y = arith.maximumf %x, %a : f32
    linalg.yield %y : f32
  }
  call @look(%s) : (memref<512x1024xf32>) -> ()
  linalg.generic {indexing_maps = [#rcd_q, #rcd_k, #rcd_s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<512x8xf32>, memref<1024x8xf32>) outs(%t : memref<512x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %p = arith.mulf %a, %b : f32
    %y = arith.addf %x, %p : f32
    linalg.yield %y : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<512x1024xf32>) outs(%m : memref<512xf32>) {
  ^bb0(%a: f32, %x: f32):
    %y = arith.maximumf %x, %a : f32
    linalg.yield %y : f32
  }
  return
}

// -----

#rcd_q = affine_map<(r, c, d) -> (r, d)>
#rcd_k = affine_map<(r, c, d) -> (c, d)>
#rcd_s = affine_map<(r, c, d) -> (r, c)>
#rc = affine_map<(r, c) -> (r, c)>
#r = affine_map<(r, c) -> (r)>

// Columns behind the last row of a block leave the maximum as it is.
// CHECK-LABEL: func @masked
// CHECK:         scf.for %[[R:.*]] = %c0 to %c1024 step %c64 {
// CHECK:           %[[LAST:.*]] = arith.addi %[[R]], %c64
// CHECK:           %[[END:.*]] = arith.minsi %[[LAST]], %c1024
// CHECK:           %[[ONE:.*]] = arith.maxsi %[[END]], %c1
// CHECK:           scf.for %{{.*}} = %c0 to %[[ONE]] step %c256 {
// CHECK:             arith.cmpi sle
func.func @masked(%q: memref<1024x8xf32> {llvm.noalias}, %k: memref<1024x8xf32> {llvm.noalias},
                  %m: memref<1024xf32> {llvm.noalias}) attributes {tapestry.device} {
  %inf = arith.constant 0xFF800000 : f32
  %s = memref.alloc() : memref<1024x1024xf32>
  linalg.generic {indexing_maps = [#rcd_q, #rcd_k, #rcd_s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<1024x8xf32>, memref<1024x8xf32>) outs(%s : memref<1024x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %x, %p : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<1024x1024xf32>) outs(%m : memref<1024xf32>) {
  ^bb0(%a: f32, %x: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sle, %j, %i : index
    %v = arith.select %c, %a, %inf : f32
    %n = arith.maximumf %x, %v : f32
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

// Those of another value do not.
// CHECK-LABEL: func @masked_by_zero
// CHECK:         scf.for %{{.*}} = %c0 to %c1024 step %c64 {
// CHECK:           scf.for %{{.*}} = %c0 to %c1024 step %c256 {
func.func @masked_by_zero(%q: memref<1024x8xf32> {llvm.noalias}, %k: memref<1024x8xf32> {llvm.noalias},
                          %m: memref<1024xf32> {llvm.noalias}) attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<1024x1024xf32>
  linalg.generic {indexing_maps = [#rcd_q, #rcd_k, #rcd_s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<1024x8xf32>, memref<1024x8xf32>) outs(%s : memref<1024x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %p = arith.mulf %a, %b : f32
    %n = arith.addf %x, %p : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<1024x1024xf32>) outs(%m : memref<1024xf32>) {
  ^bb0(%a: f32, %x: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sle, %j, %i : index
    %v = arith.select %c, %a, %zero : f32
    %n = arith.maximumf %x, %v : f32
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

// What all terms are multiplied by, their sum is; the product of the terms has
// no other user, so that both are one operation.
// CHECK-LABEL: func @scaled
// CHECK:         %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:    %[[N:.*]] = arith.addf %{{.*}}, %[[P]] : f32
// CHECK-NEXT:    linalg.yield %[[N]] : f32
// CHECK:         arith.mulf %{{.*}}, %cst{{.*}} : f32
// CHECK-NEXT:    arith.maximumf
func.func @scaled(%q: memref<1024x8xf32> {llvm.noalias}, %k: memref<1024x8xf32> {llvm.noalias},
                  %m: memref<1024xf32> {llvm.noalias}) attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %s = memref.alloc() : memref<1024x1024xf32>
  linalg.generic {indexing_maps = [affine_map<(r, c) -> ()>, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%s : memref<1024x1024xf32>) {
  ^bb0(%a: f32, %x: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rcd_q, #rcd_k, #rcd_s], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<1024x8xf32>, memref<1024x8xf32>) outs(%s : memref<1024x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %x: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.mulf %p, %scale : f32
    %n = arith.addf %x, %t : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#rc, #r], iterator_types = ["parallel", "reduction"]}
      ins(%s : memref<1024x1024xf32>) outs(%m : memref<1024xf32>) {
  ^bb0(%a: f32, %x: f32):
    %n = arith.maximumf %x, %a : f32
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

// Relative to the greatest of some columns, exponentials of something else might
// be infinite: all columns at once.
// CHECK-LABEL: func @relative_to_others
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         } {tapestry.kernel
func.func @relative_to_others(%q: memref<512x8xf32> {llvm.noalias}, %k: memref<1024x8xf32> {llvm.noalias},
                              %l: memref<512xf32> {llvm.noalias}) attributes {tapestry.device} {
  %inf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
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
      ins(%inf : f32) outs(%m : memref<512xf32>) {
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
    %h = arith.mulf %a, %half : f32
    %d = arith.subf %h, %b : f32
    %e = math.exp %d : f32
    %n = arith.addf %y, %e : f32
    linalg.yield %n : f32
  }
  return
}
