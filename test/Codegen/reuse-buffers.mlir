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
  call @receive(%received) : (memref<5x5xf32>) -> ()
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
