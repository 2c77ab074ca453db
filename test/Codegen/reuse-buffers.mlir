// RUN: tapestry-opt %s --tapestry-reuse-buffers | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>

// A chain stays in the buffer that it starts in; what a caller gave is left
// alone.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.*]]: memref<5x5xf32>, %[[OUT:.*]]: memref<5x5xf32>)
// CHECK: %[[A:.*]] = memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: ins(%[[X]] : {{.*}} outs(%[[A]] :
// CHECK: ins(%[[A]] : {{.*}} outs(%[[A]] :
// CHECK: ins(%[[A]], %[[X]] : {{.*}} outs(%[[A]] :
// CHECK: ins(%[[A]] : {{.*}} outs(%[[OUT]] :
func.func @chain(%x: memref<5x5xf32>, %out: memref<5x5xf32>) attributes {tapestry.device} {
  %a = memref.alloc() : memref<5x5xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<5x5xf32>) outs(%a : memref<5x5xf32>) {
  ^bb0(%in: f32, %old: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  }
  %b = memref.alloc() : memref<5x5xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<5x5xf32>) outs(%b : memref<5x5xf32>) {
  ^bb0(%in: f32, %old: f32):
    %v = arith.addf %in, %in : f32
    linalg.yield %v : f32
  }
  %c = memref.alloc() : memref<5x5xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b, %x : memref<5x5xf32>, memref<5x5xf32>) outs(%c : memref<5x5xf32>) {
  ^bb0(%in: f32, %x0: f32, %old: f32):
    %v = arith.mulf %in, %x0 : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<5x5xf32>) outs(%out : memref<5x5xf32>) {
  ^bb0(%in: f32, %old: f32):
    %v = math.absf %in : f32
    linalg.yield %v : f32
  }
  return
}

// Not over what is read later, through a view too, or elsewhere than at the
// point that is written; nor over what the runtime filled.
// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-6: memref.alloc
// CHECK: return
func.func private @receive(memref<5x5xf32>)
func.func @kept(%x: memref<5x5xf32>, %out: memref<5x5xf32>) attributes {tapestry.device} {
  %later = memref.alloc() : memref<5x5xf32>
  memref.copy %x, %later : memref<5x5xf32> to memref<5x5xf32>
  %row = memref.subview %later[1, 0] [1, 5] [1, 1]
      : memref<5x5xf32> to memref<1x5xf32, strided<[5, 1], offset: 5>>
  %a = memref.alloc() : memref<5x5xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%later : memref<5x5xf32>) outs(%a : memref<5x5xf32>) {
  ^bb0(%in: f32, %old: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  }
  %out0 = memref.subview %out[0, 0] [1, 5] [1, 1]
      : memref<5x5xf32> to memref<1x5xf32, strided<[5, 1]>>
  memref.copy %row, %out0 : memref<1x5xf32, strided<[5, 1], offset: 5>> to memref<1x5xf32, strided<[5, 1]>>
  %b = memref.alloc() : memref<5x5xf32>
  linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<5x5xf32>) outs(%b : memref<5x5xf32>) {
  ^bb0(%in: f32, %old: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  }
  memref.copy %b, %out : memref<5x5xf32> to memref<5x5xf32>
  %received = memref.alloc() : memref<5x5xf32>
  call @receive(%received) {tapestry.device} : (memref<5x5xf32>) -> ()
  %c = memref.alloc() : memref<5x5xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%received : memref<5x5xf32>) outs(%c : memref<5x5xf32>) {
  ^bb0(%in: f32, %old: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  }
  %sized = memref.alloc() : memref<5x5xf32>
  memref.copy %c, %sized : memref<5x5xf32> to memref<5x5xf32>
  memref.copy %sized, %out : memref<5x5xf32> to memref<5x5xf32>
  return
}

// Nor over what another block reads, through a view too.
// CHECK-LABEL: func.func @blocks(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: %[[C:.*]] = memref.alloc
// CHECK: ins(%[[A]] : {{.*}} outs(%[[B]] :
// CHECK: ins(%[[B]] : {{.*}} outs(%[[C]] :
func.func @blocks(%x: memref<5x5xf32>, %out: memref<5x5xf32>, %row: memref<1x5xf32>) attributes {tapestry.device} {
  %a = memref.alloc() : memref<5x5xf32>
  %b = memref.alloc() : memref<5x5xf32>
  %c = memref.alloc() : memref<5x5xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<5x5xf32>) outs(%a : memref<5x5xf32>) {
  ^bb0(%in: f32, %old: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<5x5xf32>) outs(%b : memref<5x5xf32>) {
  ^bb0(%in: f32, %old: f32):
    %v = math.sin %in : f32
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<5x5xf32>) outs(%c : memref<5x5xf32>) {
  ^bb0(%in: f32, %old: f32):
    %v = math.cos %in : f32
    linalg.yield %v : f32
  }
  %first = memref.subview %b[0, 0] [1, 5] [1, 1]
      : memref<5x5xf32> to memref<1x5xf32, strided<[5, 1]>>
  memref.copy %c, %out : memref<5x5xf32> to memref<5x5xf32>
  cf.br ^next
^next:
  memref.copy %a, %out : memref<5x5xf32> to memref<5x5xf32>
  memref.copy %first, %row : memref<1x5xf32, strided<[5, 1]>> to memref<1x5xf32>
  return
}

// Nor over what a call may have kept that our lowering did not make.
// CHECK-LABEL: func.func @kept_by_call(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: call @receive(%[[A]])
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: ins(%[[A]] : {{.*}} outs(%[[B]] :
// CHECK: call @look
func.func private @look()
func.func @kept_by_call(%x: memref<5x5xf32>, %out: memref<5x5xf32>) attributes {tapestry.device} {
  %a = memref.alloc() : memref<5x5xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<5x5xf32>) outs(%a : memref<5x5xf32>) {
  ^bb0(%in: f32, %old: f32):
    %v = math.exp %in : f32
    linalg.yield %v : f32
  }
  call @receive(%a) : (memref<5x5xf32>) -> ()
  %b = memref.alloc() : memref<5x5xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<5x5xf32>) outs(%b : memref<5x5xf32>) {
  ^bb0(%in: f32, %old: f32):
    %v = math.sin %in : f32
    linalg.yield %v : f32
  }
  call @look() : () -> ()
  memref.copy %b, %out : memref<5x5xf32> to memref<5x5xf32>
  return
}
