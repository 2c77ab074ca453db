//===- Program.h - Looking into a program's tables --------------*- C++ -*-===//

#ifndef TAPESTRY_RT_CORE_PROGRAM_H
#define TAPESTRY_RT_CORE_PROGRAM_H

#include "tapestry-rt/Status.h"

namespace tapestry {
namespace rt {

/// Whether this runtime can run `program`: the ABI's version and sizes, and
/// tables that are consistent in themselves (boxes within shapes, outputs
/// covered by their owners, members of a reduction alike). What fails is the
/// compiler's fault, but it must end in a message and not in wrong memory.
Status checkProgram(const TapestryProgram &program);

/// The index of the tensor of this name, or -1.
int findTensor(const TapestryTensor *tensors, int32_t count,
               const std::string &name);

/// Whether no output depends on the input of this name.
bool isUnreadInput(const TapestryProgram &program, const std::string &name);

/// The files that the program itself names; empty: it names none.
std::string inputFile(const TapestryProgram &program, int32_t input);
std::string outputFile(const TapestryProgram &program, int32_t output);

/// Whether the program takes an input in when it has begun.
bool isTakenIn(const TapestryProgram &program, int32_t input);

/// One line per input: "  -i A=FILE   f32[3, 4]", with the file of those that
/// have one: "  -i A=FILE   f32[3, 4] (a.npy)".
std::string listInputs(const TapestryProgram &program);
std::string listOutputs(const TapestryProgram &program);

/// Bytes of all inputs and outputs of `device`.
int64_t boundaryBytes(const TapestryProgram &program, int64_t device);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CORE_PROGRAM_H
