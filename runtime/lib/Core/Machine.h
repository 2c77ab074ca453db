//===- Machine.h - What this machine and its environment have ---*- C++ -*-===//

#ifndef TAPESTRY_RT_CORE_MACHINE_H
#define TAPESTRY_RT_CORE_MACHINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace tapestry {
namespace rt {

/// Seconds and nanoseconds of a clock that only goes forward.
int64_t nowNanoseconds();

/// Processors that this process may use; at least 1.
int availableCores();
/// Their numbers, of those that are threads of one core the first.
std::vector<int> distinctCores();
/// Keeps the calling thread on this processor, if the system lets it.
void stayOnCore(int core);
/// The processors that the calling thread may use, and lets it use these.
std::vector<int> allowedCores();
void stayOnCores(const std::vector<int> &cores);

/// Bytes that this process can still allocate without swapping or being ended
/// by a limit: the least of free memory, the control group's limit and the
/// process's address space limit.
int64_t availableMemory();

/// The folder of the running executable; empty where unknown.
std::string executableFolder();

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CORE_MACHINE_H
