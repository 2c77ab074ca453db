// RUN: tapestry-opt %s --tapestry-emit-program-description=cpu=x86-64-v2 | FileCheck %s

// Of a star's box each device reads three boxes: all rows of the columns between
// the arms, and beside these what is in the rows between the arms. Of the row
// that it lacks it is sent three of five elements.
#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[6 by "d.0", 5] on #grid>
#star = #tapestry_index.layout<[6 = [4 by "d.0"] span 3 arms 1 1, 5 = [3] span 3 arms 1 1] on #grid>

// CHECK-DAG: llvm.mlir.global internal constant @[[BOXES:.*]](dense<[0, 4, 0, 5, 2, 6, 0, 5]> : tensor<8xi64>)
// CHECK-DAG: llvm.mlir.global internal constant @[[FRAGMENTS:.*]](dense<[0, 4, 1, 4, 1, 3, 0, 1, 1, 3, 4, 5, 2, 6, 1, 4, 3, 5, 0, 1, 3, 5, 4, 5]> : tensor<24xi64>)
// CHECK: llvm.mlir.global internal constant @tapestry.collectives
// CHECK-DAG: %[[TO:.*]] = llvm.mlir.addressof @[[BOXES]]
// CHECK-DAG: %[[READ:.*]] = llvm.mlir.addressof @[[FRAGMENTS]]
// CHECK: llvm.insertvalue %[[TO]], %{{.*}}[12]
// CHECK-NEXT: llvm.insertvalue %[[READ]], %{{.*}}[13]
module attributes {comm.programs = [{
    name = "p", devices = 2 : i64, entry = @tapestry_entry.p,
    inputs = [], outputs = [], vertices = [], unread_inputs = [], requirements = [],
    collectives = [{bytes = 24 : i64, from = #rows, kind = "halo_exchange", to = #star,
                    type = f32, vertex = "A"}]}]} {
  llvm.func @tapestry_entry.p(%rank: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) {
    llvm.return
  }
}
