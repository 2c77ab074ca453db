//===- main.cpp - The main of a standalone program ------------------------===//
//
// Linked with a program's object file and the runtime by `tapestry compile`.
//
//===----------------------------------------------------------------------===//

#include "tapestry-rt/ABI.h"

/// Emitted by the compiler into the program's object file.
extern "C" const TapestryProgram tapestry_program;

int main(int argc, char **argv) {
  return tapestry_rt_main(argc, argv, &tapestry_program);
}
