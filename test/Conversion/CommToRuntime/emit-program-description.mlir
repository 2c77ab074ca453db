// RUN: tapestry-opt %s --tapestry-emit-program-description=cpu=x86-64-v2 | FileCheck %s

// The constant that the runtime starts from, as its ABI.h says: one input of
// which device 0 reads rows 0 to 3 and device 1 rows 3 to 5.
#grid = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[5 by "d.0", 3] on #grid>

// CHECK-DAG: llvm.mlir.global internal constant @[[SHAPE:.*]](dense<[5, 3]> : tensor<2xi64>)
// CHECK-DAG: llvm.mlir.global internal constant @[[BOXES:.*]](dense<[0, 3, 0, 3, 3, 5, 0, 3]> : tensor<8xi64>)
// CHECK-DAG: llvm.mlir.global internal constant @[[OWNERS:.*]](dense<1> : tensor<2xi8>)
// CHECK: llvm.mlir.global external constant @tapestry_program_p()
// The program's name is not the first text.
// CHECK: %[[TEXTS:.*]] = llvm.mlir.addressof @[[ALL:tapestry.texts.*]] : !llvm.ptr
// CHECK-NEXT: %[[NAME:.*]] = llvm.getelementptr %[[TEXTS]][2] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i64) : i64
// CHECK: %[[ENTRY:.*]] = llvm.mlir.addressof @tapestry_entry.p
// CHECK: %[[UNREAD:.*]] = llvm.mlir.addressof @tapestry.unread_inputs
// CHECK: %[[FIVE:.*]] = llvm.mlir.constant(5 : i64) : i64
// CHECK: %[[FEATURES:.*]] = llvm.mlir.addressof @tapestry.features
// CHECK: %[[REQUIRED:.*]] = llvm.mlir.addressof @tapestry.requirements
// CHECK: llvm.insertvalue %[[NAME]], %{{.*}}[2]
// CHECK: llvm.insertvalue %[[ENTRY]], %{{.*}}[12]
// Two names of inputs that are not read, and where they are.
// CHECK: llvm.insertvalue %[[TWO]], %{{.*}}[14]
// CHECK-NEXT: llvm.insertvalue %[[UNREAD]], %{{.*}}[15]
// What x86-64-v2 has beyond x86-64.
// CHECK-NEXT: llvm.insertvalue %[[FIVE]], %{{.*}}[16]
// CHECK-NEXT: llvm.insertvalue %[[FEATURES]], %{{.*}}[17]
// What ends a run, and where it is.
// CHECK-NEXT: llvm.insertvalue %{{.*}}, %{{.*}}[18]
// CHECK-NEXT: llvm.insertvalue %[[REQUIRED]], %{{.*}}[19]
// CHECK: llvm.mlir.global internal constant @[[ALL]]("A\00p\00C\00B\00D\00
// The only program of a module has a name that any main knows.
// CHECK: llvm.mlir.alias weak @tapestry_program :
// CHECK-NEXT: llvm.mlir.addressof @tapestry_program_p
module attributes {comm.programs = [{
    name = "p", devices = 2 : i64, entry = @tapestry_entry.p,
    inputs = [{layout = #rows, name = "A", type = i1}],
    outputs = [{layout = #rows, name = "A", type = i1}],
    collectives = [], vertices = [{flops = 7 : i64, name = "C"}],
    requirements = [{place = "", index = "I", shape = array<i64: 5>, bound = "only 4"}],
    unread_inputs = ["B", "D"]}]} {
  llvm.func @tapestry_entry.p(%rank: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) {
    llvm.return
  }
}
