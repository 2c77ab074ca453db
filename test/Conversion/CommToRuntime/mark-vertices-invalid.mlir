// RUN: tapestry-opt %s --tapestry-mark-vertices -split-input-file -verify-diagnostics

module attributes {comm.programs = [{body = @device_program.p, vertices = []}]} {
  // expected-error@below {{is the body of a program, but has none or does not take the runtime's rank}}
  func.func private @device_program.p(!llvm.ptr)
}

// -----

module attributes {comm.programs = [{body = @device_program.p, vertices = []}]} {
  // expected-error@below {{is the body of a program, but has none or does not take the runtime's rank}}
  func.func @device_program.p() {
    return
  }
}
