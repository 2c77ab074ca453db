// RUN: tapestry-opt %s -split-input-file -tapestry-fuse-elementwise | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A chain becomes one operation, and the buffer in between goes.
// CHECK-LABEL: func @chain
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%arg1, %arg0 :
// CHECK-SAME:      outs(%arg2 :
// CHECK:           %[[E:.*]] = math.exp
// CHECK:           arith.addf %[[E]], %{{.*}}
// CHECK-NOT:     linalg.generic
func.func @chain(%x: memref<8x16xf32> {llvm.noalias}, %y: memref<8x16xf32> {llvm.noalias},
                 %z: memref<8x16xf32> {llvm.noalias}) attributes {tapestry.device} {
  %t = memref.alloc() : memref<8x16xf32>
  linalg.generic {indexing_maps = [#id, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x16xf32>) outs(%t : memref<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%t, %y : memref<8x16xf32>, memref<8x16xf32>)
      outs(%z : memref<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  memref.dealloc %t : memref<8x16xf32>
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The exponential has two readers: it is computed once, together with the sum.
// CHECK-LABEL: func @two_readers
// CHECK:         %[[T:.*]] = memref.alloc()
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.*}} : f32) outs(%arg1
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "reduction"]
// CHECK-SAME:      outs(%[[T]], %arg1 :
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[T]], %arg1
func.func @two_readers(%x: memref<8x16xf32> {llvm.noalias}, %s: memref<8xf32> {llvm.noalias},
                       %z: memref<8x16xf32> {llvm.noalias}) attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<8x16xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<8xf32>)
  linalg.generic {indexing_maps = [#id, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x16xf32>) outs(%t : memref<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#id, #row],
                  iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<8x16xf32>) outs(%s : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.addf %o, %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%t, %s : memref<8x16xf32>, memref<8xf32>)
      outs(%z : memref<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  }
  memref.dealloc %t : memref<8x16xf32>
  return
}

// -----

#id = affine_map<(i) -> (i)>

// The first operation's input changes before the third reads its result, so it
// stays where it is; the other two are merged.
// CHECK-LABEL: func @overwritten_input
// CHECK:         %[[T:.*]] = memref.alloc()
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%arg0 :
// CHECK-SAME:      outs(%[[T]] :
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[T]], %arg1 :
// CHECK-SAME:      outs(%arg0, %arg2 :
func.func @overwritten_input(%x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32> {llvm.noalias},
                             %z: memref<8xf32> {llvm.noalias}) attributes {tapestry.device} {
  %t = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<8xf32>) outs(%t : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%y : memref<8xf32>) outs(%x : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id],
                  iterator_types = ["parallel"]}
      ins(%t, %x : memref<8xf32>, memref<8xf32>) outs(%z : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %n = arith.addf %a, %b : f32
    linalg.yield %n : f32
  }
  memref.dealloc %t : memref<8xf32>
  return
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#res = affine_map<(i, j, k) -> (i, j)>
#id = affine_map<(i, j) -> (i, j)>

// A contraction would compute the exponential again for every column.
// CHECK-LABEL: func @not_into_contraction
// CHECK:         memref.alloc
// CHECK:         math.exp
// CHECK:         linalg.generic
// CHECK-SAME:      "reduction"
func.func @not_into_contraction(%x: memref<8x16xf32> {llvm.noalias},
                                %w: memref<16x32xf32> {llvm.noalias},
                                %z: memref<8x32xf32> {llvm.noalias}) attributes {tapestry.device} {
  %t = memref.alloc() : memref<8x16xf32>
  linalg.generic {indexing_maps = [#id, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x16xf32>) outs(%t : memref<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#lhs, #rhs, #res],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%t, %w : memref<8x16xf32>, memref<16x32xf32>)
      outs(%z : memref<8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %o, %m : f32
    linalg.yield %n : f32
  }
  memref.dealloc %t : memref<8x16xf32>
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// A body that loads from a buffer reads it, though no operand says so: what is
// written there is not composed into others, moved behind it, or lost.
// CHECK-LABEL: func @loads
// CHECK:         %[[T:.*]] = memref.alloc()
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%[[T]] :
// CHECK:         linalg.generic
// CHECK:           memref.load %[[T]]
// CHECK:         memref.dealloc %[[T]]
// CHECK:         linalg.generic
func.func @loads(%x: memref<8x16xf32> {llvm.noalias}, %rows: memref<8x16xindex> {llvm.noalias},
                 %z: memref<8x16xf32> {llvm.noalias}) attributes {tapestry.device} {
  %t = memref.alloc() : memref<8x16xf32>
  %u = memref.alloc() : memref<8x16xf32>
  linalg.generic {indexing_maps = [#id, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x16xf32>) outs(%t : memref<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = arith.negf %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#id, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%rows : memref<8x16xindex>) outs(%u : memref<8x16xf32>) {
  ^bb0(%row: index, %o: f32):
    %column = linalg.index 1 : index
    %e = memref.load %t[%row, %column] : memref<8x16xf32>
    linalg.yield %e : f32
  }
  memref.dealloc %t : memref<8x16xf32>
  linalg.generic {indexing_maps = [#id, #id],
                  iterator_types = ["parallel", "parallel"]}
      ins(%u : memref<8x16xf32>) outs(%z : memref<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = arith.addf %a, %a : f32
    linalg.yield %e : f32
  }
  memref.dealloc %u : memref<8x16xf32>
  return
}

// -----

// A fill moves to what touches its buffer, but not past the buffer's end.
// CHECK-LABEL: func @freed_fill
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%[[T:.*]] : memref<8xf32>)
// CHECK:         memref.dealloc %[[T]]
// CHECK-NEXT:    call @any
// CHECK-NEXT:    return
func.func private @any()
func.func @freed_fill() attributes {tapestry.device} {
  %one = arith.constant 1.0 : f32
  %t = memref.alloc() : memref<8xf32>
  linalg.fill ins(%one : f32) outs(%t : memref<8xf32>)
  memref.dealloc %t : memref<8xf32>
  call @any() : () -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// What is added in place of a product is read by one operation, in place or
// not: that reads the product.
// CHECK-LABEL: func @in_place
// CHECK:         %[[T:.*]] = memref.alloc()
// CHECK:         linalg.generic
// CHECK-SAME:      "reduction"
// CHECK-SAME:      outs(%[[T]] :
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%arg2, %[[T]] :
// CHECK-SAME:      outs(%[[T]] :
// CHECK:           arith.addf
// CHECK:           math.exp
// CHECK:           math.absf
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.generic
// CHECK-SAME:      "reduction"
// CHECK-SAME:      ins(%[[T]], %arg1
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%arg2, %arg4 :
// CHECK-SAME:      outs(%arg3 :
// CHECK:           arith.addf
// CHECK:           arith.negf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @in_place(%x: memref<8x8xf32> {llvm.noalias}, %y: memref<8x8xf32> {llvm.noalias},
                    %v: memref<8xf32> {llvm.noalias}, %z: memref<8x8xf32> {llvm.noalias},
                    %u: memref<8x8xf32> {llvm.noalias}) attributes {tapestry.device} {
  %t = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<8x8xf32>, memref<8x8xf32>) outs(%t : memref<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#column, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%v, %t : memref<8xf32>, memref<8x8xf32>) outs(%t : memref<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<8x8xf32>) outs(%t : memref<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<8x8xf32>) outs(%t : memref<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.absf %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%t, %y : memref<8x8xf32>, memref<8x8xf32>) outs(%u : memref<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#column, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%v, %u : memref<8xf32>, memref<8x8xf32>) outs(%t : memref<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<8x8xf32>) outs(%z : memref<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  memref.dealloc %t : memref<8x8xf32>
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// A sum that begins with what was written still finds that.
// CHECK-LABEL: func @begins_sum
// CHECK:         %[[T:.*]] = memref.alloc()
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%[[T]], %arg2 :
// CHECK:         linalg.generic
// CHECK-SAME:      "reduction"
// CHECK-SAME:      outs(%[[T]] :
func.func @begins_sum(%x: memref<8x8xf32> {llvm.noalias}, %y: memref<8x8xf32> {llvm.noalias},
                      %z: memref<8x8xf32> {llvm.noalias}, %w: memref<8x8xf32> {llvm.noalias}) attributes {tapestry.device} {
  %t = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xf32>) outs(%t : memref<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.absf %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<8x8xf32>) outs(%z : memref<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<8x8xf32>, memref<8x8xf32>) outs(%t : memref<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<8x8xf32>) outs(%w : memref<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  memref.dealloc %t : memref<8x8xf32>
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// Who reads across what it would write over waits for all of it.
// CHECK-LABEL: func @turned
// CHECK:         math.exp
// CHECK:         math.absf
// CHECK:         linalg.generic
// CHECK:           arith.negf
func.func @turned(%x: memref<8x8xf32> {llvm.noalias}, %z: memref<8x8xf32> {llvm.noalias}) attributes {tapestry.device} {
  %t = memref.alloc() : memref<8x8xf32>
  %u = memref.alloc() : memref<8x8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xf32>) outs(%t : memref<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<8x8xf32>) outs(%u : memref<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %e = math.absf %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%u : memref<8x8xf32>) outs(%x : memref<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  memref.dealloc %t : memref<8x8xf32>
  memref.dealloc %u : memref<8x8xf32>
  return
}
