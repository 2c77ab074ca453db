// A message names the place; the module would be thousands of lines.
// RUN: split-file %s %t
// RUN: not tapestry-translate --mlir-to-object %t/triple.mlir 2>&1 | FileCheck %s
// RUN: not tapestry-translate --mlir-to-object %t/nested.mlir 2>&1 | FileCheck %s
// RUN: not tapestry-translate --mlir-to-object %t/parsed.mlir 2>&1 | FileCheck %s
// CHECK: mlir:{{[0-9]+:[0-9]+}}: error:
// CHECK-NOT: current operation

//--- triple.mlir
module attributes {llvm.target_triple = "wasm32-unknown-unknown"} {
  llvm.func @f(%a: i64) -> i64 { llvm.return %a : i64 }
}

//--- nested.mlir
module {
  module {
    llvm.func @f(%a: i64) -> i64 { llvm.return %a : i64 }
  }
}

//--- parsed.mlir
module attributes {llvm.data_layout = 3 : i64} {
  llvm.func @f(%a: i64) -> i64 { llvm.return %a : i64 }
}
