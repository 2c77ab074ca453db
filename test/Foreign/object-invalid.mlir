// What an object would not be is refused.
// RUN: tapestry-translate %s --split-input-file --verify-diagnostics --mlir-to-object --cpu x86-64-v2 -o %t.o

// expected-error @below {{has 'llvm.target_triple' = "riscv64-unknown-elf", but code is generated for}}
module attributes {llvm.target_triple = "riscv64-unknown-elf"} {
  llvm.func @f() {
    llvm.return
  }
}

// -----

// expected-error @below {{has 'llvm.data_layout' = "e-p:32:32", but the target's is "}}
module attributes {llvm.data_layout = "e-p:32:32"} {
  llvm.func @f() {
    llvm.return
  }
}

// -----

module {
  // expected-error @below {{is a module within the module that becomes an object; it would be lost}}
  module @inner {
    llvm.func @f() {
      llvm.return
    }
  }
}

// -----

// What our dialects' attributes mean is no less wrong here than elsewhere.
// expected-error @below {{has the attribute 'comm.programs', which lists the programs of a module}}
module attributes {comm.programs = 3} {
}

// -----

// expected-error @below {{has the attribute 'tapestry.device', which is a unit attribute of functions and calls}}
llvm.func @f() attributes {tapestry.device = 3} {
  llvm.return
}

// -----

// expected-error @below {{has the attribute 'tra.x', which the dialect 'tra' does not know there}}
llvm.func @f(%a: i64 {tra.x}) {
  llvm.return
}
