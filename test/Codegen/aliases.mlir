// What may be one memory keeps its order: distinct values are distinct memory
// only where that is known.
// RUN: tapestry-opt %s -split-input-file -tapestry-fuse-elementwise | FileCheck %s
// RUN: tapestry-opt %s -split-input-file -tapestry-fuse-elementwise -tapestry-form-row-kernels -tapestry-compute-in-place -tapestry-outline-kernels \
// RUN:   | FileCheck %s --check-prefix=ALL
// RUN: tapestry-opt %s -split-input-file -tapestry-vectorize-kernels=cpu=x86-64-v4 | FileCheck %s --check-prefix=VECTOR

#id = affine_map<(i) -> (i)>

// The fill stays before the reader: the selected buffer may be the filled one.
// CHECK-LABEL: func @selected
// CHECK:         ins(%{{.*}} : f32) outs(%arg0 :
// CHECK:         ins(%{{.*}} : memref<8xf32>) outs(%arg3 :
func.func @selected(%x: memref<8xf32>, %y: memref<8xf32>, %c: i1,
                    %z: memref<8xf32> {llvm.noalias}) attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<8xf32>)
  %s = arith.select %c, %x, %y : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%s : memref<8xf32>) outs(%z : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  }
  %cast = memref.cast %x : memref<8xf32> to memref<?xf32>
  call @use(%cast) : (memref<?xf32>) -> ()
  return
}
func.func private @use(memref<?xf32>)

// -----

#id = affine_map<(i) -> (i)>
#first = affine_map<(i) -> (0)>

memref.global @g : memref<8xf32>
memref.global @h : memref<8xf32>

// Two values, one global; another global is other memory.
// CHECK-LABEL: func @globals
// CHECK:         %[[ONE:.*]] = memref.get_global @g
// CHECK:         %[[TWO:.*]] = memref.get_global @g
// CHECK:         %[[OTHER:.*]] = memref.get_global @h
// CHECK:         ins(%{{.*}} : f32) outs(%[[ONE]] :
// CHECK:         ins(%[[TWO]] : memref<8xf32>) outs(%arg0 :
// CHECK:         ins(%{{.*}} : f32) outs(%[[OTHER]], %arg0 :
// ALL-LABEL: func @globals
// ALL:         func.func private @tapestry_kernel(%{{[^:]*}}: memref<8xf32>, %{{[^:]*}}: memref<8xf32>, %{{[^:]*}}: memref<8xf32> {llvm.noalias})
func.func @globals(%z: memref<8xf32> {llvm.noalias}) attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  %one = memref.get_global @g : memref<8xf32>
  %two = memref.get_global @g : memref<8xf32>
  %other = memref.get_global @h : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%one : memref<8xf32>)
  linalg.fill ins(%zero : f32) outs(%other : memref<8xf32>)
  linalg.generic {indexing_maps = [#id, #first], iterator_types = ["reduction"]}
      ins(%two : memref<8xf32>) outs(%z : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.addf %o, %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%other : memref<8xf32>) outs(%z : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>

// Arguments may overlap unless the caller says that they do not: the second
// operation may change what the first one read.
// CHECK-LABEL: func @arguments
// CHECK:         memref.alloc
// CHECK:         math.exp
// CHECK:         arith.negf
// CHECK:         arith.addf
// What the first and the last kernel write is new; the second may write over
// what it reads.
// ALL-LABEL: func @arguments
// ALL:         call @[[EXP:.*]](%arg0, %[[T:alloc]])
// ALL:         call @[[NEG:.*]](%arg1, %arg0)
// ALL:         call @[[ADD:.*]](%[[T]], %arg2)
// ALL-DAG:     func private @[[EXP]](%{{[^:]*}}: memref<8xf32> {llvm.noalias}, %{{[^:]*}}: memref<8xf32> {llvm.noalias})
// ALL-DAG:     func private @[[NEG]](%{{[^:]*}}: memref<8xf32>, %{{[^:]*}}: memref<8xf32>)
// ALL-DAG:     func private @[[ADD]](%{{[^:]*}}: memref<8xf32> {llvm.noalias}, %{{[^:]*}}: memref<8xf32> {llvm.noalias})
func.func @arguments(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>)
    attributes {tapestry.device} {
  %t = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<8xf32>) outs(%t : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = math.exp %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%y : memref<8xf32>) outs(%x : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%t : memref<8xf32>) outs(%z : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.addf %a, %a : f32
    linalg.yield %n : f32
  }
  memref.dealloc %t : memref<8xf32>
  return
}

// -----

#id = affine_map<(i) -> (i)>

memref.global @g : memref<8xf32>

// A function that nobody knows may read the global.
// CHECK-LABEL: func @calls
// CHECK:         outs(%{{.*}} : memref<8xf32>)
// CHECK:         call @anything
// CHECK:         return
func.func @calls(%z: memref<8xf32>) attributes {tapestry.device} {
  %zero = arith.constant 0.0 : f32
  %one = memref.get_global @g : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%one : memref<8xf32>)
  call @anything() : () -> ()
  return
}
func.func private @anything()

// -----

#id = affine_map<(i) -> (i)>

// Nor is a body that does more than load taken for a value.
// CHECK-LABEL: func @effects
// CHECK:         linalg.generic
// CHECK:           memref.store
// CHECK:         linalg.generic
func.func @effects(%x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32> {llvm.noalias},
                   %z: memref<8xf32> {llvm.noalias}) attributes {tapestry.device} {
  %t = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<8xf32>) outs(%t : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    memref.store %a, %y[%i] : memref<8xf32>
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%t : memref<8xf32>) outs(%z : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  memref.dealloc %t : memref<8xf32>
  return
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

// The sum starts from what is in memory: it reads the filled buffer through
// another value, and a fill that is folded would not be there.
// VECTOR-LABEL: func @filled
// VECTOR:         vector.maskedstore
// VECTOR:         scf.for
// VECTOR:         memref.load
func.func @filled(%x: memref<8x64xf32>, %z: memref<8xf32>) attributes {tapestry.device} {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%z : memref<8xf32>)
  linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x64xf32>) outs(%z : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.addf %o, %a : f32
    linalg.yield %n : f32
  }
  return
}

// -----

#fi = affine_map<(j, i) -> (j, (i - 4) mod 8)>
#ji = affine_map<(i, j) -> (i, j)>

// A subscript that wraps around is not negative where what it is made of is:
// -1 mod 8 is 7, and -1 floordiv 8 is -1.
// CHECK-LABEL: func @wraps
// CHECK:         linalg.generic
// CHECK-SAME:      ["parallel", "parallel"]
// CHECK:           %[[I:.*]] = linalg.index 1
// CHECK:           %[[MOVED:.*]] = arith.addi %[[I]], %c-4
// CHECK:           %[[REM:.*]] = arith.remsi %[[MOVED]], %c8
// CHECK:           %[[NEGATIVE:.*]] = arith.cmpi slt, %[[REM]], %c0
// CHECK:           %[[FIXED:.*]] = arith.addi %[[REM]], %c8
// CHECK:           arith.select %[[NEGATIVE]], %[[FIXED]], %[[REM]]
// CHECK-NOT:     linalg.generic
func.func @wraps(%z: memref<4x8xindex>) attributes {tapestry.device} {
  %t = memref.alloc() : memref<4x8xindex>
  linalg.generic {indexing_maps = [#ji], iterator_types = ["parallel", "parallel"]}
      outs(%t : memref<4x8xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 1 : index
    linalg.yield %i : index
  }
  linalg.generic {indexing_maps = [#fi, #ji], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<4x8xindex>) outs(%z : memref<4x8xindex>) {
  ^bb0(%i: index, %o: index):
    linalg.yield %i : index
  }
  memref.dealloc %t : memref<4x8xindex>
  return
}
