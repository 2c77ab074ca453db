//===- CPUTarget.h - Code for the processor ---------------------*- C++ -*-===//

#ifndef TAPESTRY_CODEGEN_CPU_CPUTARGET_H
#define TAPESTRY_CODEGEN_CPU_CPUTARGET_H

namespace tapestry {

/// Registers the target `cpu`: kernels are functions of the device program,
/// called as such.
void registerCPUTarget();

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_CPU_CPUTARGET_H
