//===- Work.h - What libraries do on the tests' devices ---------*- C++ -*-===//
//
// What other stubs than the driver's (CublasLt.cpp) ask of it by name, as they
// are linked to nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_TEST_CUDASTUB_WORK_H
#define TAPESTRY_TEST_CUDASTUB_WORK_H

#include "CUDA/DriverAPI.h"

/// Has `work` run on the current device as a kernel does: it may touch the
/// device's memory, it counts as a launch, and faults that are planned strike
/// it. It comes behind what the stream was told. Returns what a launch would.
using StubRunFn = tapestry::rt::cuda::Result (*)(
    void (*work)(void *), void *data, tapestry::rt::cuda::Stream stream);
constexpr const char *stubRunName = "tapestryStubRun";

/// Whether these bytes lie in one allocation.
using StubHasFn = bool (*)(const void *memory, size_t bytes);
constexpr const char *stubHasName = "tapestryStubHas";

#endif // TAPESTRY_TEST_CUDASTUB_WORK_H
