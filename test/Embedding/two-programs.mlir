// Two graphs of one module become two programs of one object, and objects of one
// program each link together. Names derive from the graphs'; equal kernels are
// one. A main that embeds them starts the one that it is asked for.
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=4 --tapestry-to-llvm -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tapestry-translate --mlir-to-object %t.mlir -o %t.o
// RUN: llvm-nm --defined-only --extern-only %t.o | FileCheck %s --check-prefix=OBJECT
// RUN: c++ %S/Inputs/two-programs.cpp %t.o %lib/libTapestryRuntime.a -ldl -lpthread -lm \
// RUN:   -I %S/../../runtime/include -o %t.both
// RUN: sed '/^tapestry.graph @rows/,/^}/d' %s | tapestry-opt --tapestry-plan-pipeline=devices=4 --tapestry-to-llvm \
// RUN:   | tapestry-translate --mlir-to-object -o %t.columns.o
// RUN: sed '/^tapestry.graph @columns/,/^}/d' %s | tapestry-opt --tapestry-plan-pipeline=devices=4 --tapestry-to-llvm \
// RUN:   | tapestry-translate --mlir-to-object -o %t.rows.o
// RUN: llvm-nm --defined-only --extern-only %t.rows.o | FileCheck %s --check-prefix=ONE
// RUN: c++ %S/Inputs/two-programs.cpp %t.rows.o %t.columns.o %lib/libTapestryRuntime.a -ldl -lpthread -lm \
// RUN:   -I %S/../../runtime/include -o %t.linked
// RUN: %python %S/Inputs/two-programs.py %t.both %t.npy
// RUN: %python %S/Inputs/two-programs.py %t.linked %t.npy

// CHECK-DAG: llvm.func @tapestry_entry.rows(
// CHECK-DAG: llvm.func @tapestry_entry.columns(
// CHECK-DAG: llvm.func @device_program.rows(
// CHECK-DAG: llvm.func @device_program.columns(
// CHECK-DAG: llvm.func @collective.rows.0(
// CHECK-DAG: llvm.func @collective.columns.0(
// CHECK-DAG: llvm.mlir.global external constant @tapestry_program_rows()
// CHECK-DAG: llvm.mlir.global external constant @tapestry_program_columns()
// CHECK-NOT: llvm.mlir.alias

// OBJECT-NOT: {{ tapestry_program$}}
// OBJECT-DAG: tapestry_program_columns
// OBJECT-DAG: tapestry_program_rows
// ONE: V tapestry_program{{$}}
// ONE: tapestry_program_rows

tapestry.graph @rows {
  %A = tapestry.source "A" : tensor<97x41xf32>
  %s = tapestry.einsum "rows" [i = 97, j = 41] (%A[i, j]) -> [i] reduce add {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<97x41xf32>) -> tensor<97xf32>
  %t = tapestry.einsum "total" [i = 97] (%s[i]) -> [] reduce max {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<97xf32>) -> tensor<f32>
  tapestry.sink "rows", %s : tensor<97xf32>
  tapestry.sink "most", %t : tensor<f32>
}

tapestry.graph @columns {
  %A = tapestry.source "A" : tensor<97x41xf32>
  %s = tapestry.einsum "columns" [i = 97, j = 41] (%A[i, j]) -> [j] reduce add {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<97x41xf32>) -> tensor<41xf32>
  %t = tapestry.einsum "total" [j = 41] (%s[j]) -> [] reduce max {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<41xf32>) -> tensor<f32>
  tapestry.sink "columns", %s : tensor<41xf32>
  tapestry.sink "most", %t : tensor<f32>
}
