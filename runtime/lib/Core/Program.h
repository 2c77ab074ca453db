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

/// One line per tensor: "  -i A=FILE   f32[3, 4]".
std::string listTensors(const TapestryTensor *tensors, int32_t count,
                        const char *option);

/// Bytes of all inputs and outputs of `device`.
int64_t boundaryBytes(const TapestryProgram &program, int64_t device);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CORE_PROGRAM_H
