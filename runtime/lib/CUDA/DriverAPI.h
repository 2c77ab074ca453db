//===- DriverAPI.h - The functions of CUDA's driver that we use -*- C++ -*-===//
//
// Declared here, so that no toolkit is needed; test/Integration/CUDA compares
// them with its header where one is installed. Names are those that the library
// exports: what was replaced has a number behind it.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_CUDA_DRIVERAPI_H
#define TAPESTRY_RT_CUDA_DRIVERAPI_H

#include <cstddef>

namespace tapestry {
namespace rt {
namespace cuda {

using Result = int; // 0: success
using DeviceNumber = int;
using DevicePointer = unsigned long long;
using Context = struct CUctx_st *;
using Module = struct CUmod_st *;
using Function = struct CUfunc_st *;
using Stream = struct CUstream_st *;
using Event = struct CUevent_st *;

/// CUDA_MEMCPY3D.
struct Copy3D {
  struct Side {
    size_t x, y, z, level;
    int type;
    void *host;
    DevicePointer device;
    void *array, *reserved;
    size_t pitch, height;
  } source, target;
  size_t width, height, depth;
};

constexpr Result outOfMemory = 2, notReady = 600;
// A Copy3D's type: memory of the device.
constexpr int deviceMemory = 2;
// Of cuDeviceGetAttribute.
constexpr int capabilityMajor = 75, capabilityMinor = 76;
// Of cuStreamCreate: not ordered with the stream 0.
constexpr unsigned nonBlocking = 1;
// Of cuEventCreate.
constexpr unsigned withoutTiming = 2;
// Of cuModuleLoadDataEx.
constexpr int errorLog = 5, errorLogBytes = 6;

/// Name and parameters; all return a Result.
#define TAPESTRY_CUDA_FUNCTIONS(X)                                             \
  X(cuInit, (unsigned))                                                        \
  X(cuDeviceGetCount, (int *))                                                 \
  X(cuDeviceGet, (DeviceNumber *, int))                                        \
  X(cuDeviceGetName, (char *, int, DeviceNumber))                              \
  X(cuDeviceGetAttribute, (int *, int, DeviceNumber))                          \
  X(cuDevicePrimaryCtxRetain, (Context *, DeviceNumber))                       \
  X(cuCtxSetCurrent, (Context))                                                \
  X(cuModuleLoadDataEx, (Module *, const void *, unsigned, int *, void **))    \
  X(cuModuleGetFunction, (Function *, Module, const char *))                   \
  X(cuMemAlloc_v2, (DevicePointer *, size_t))                                  \
  X(cuMemFree_v2, (DevicePointer))                                             \
  X(cuMemHostAlloc, (void **, size_t, unsigned))                               \
  X(cuMemFreeHost, (void *))                                                   \
  X(cuMemcpyHtoDAsync_v2, (DevicePointer, const void *, size_t, Stream))       \
  X(cuMemcpyDtoHAsync_v2, (void *, DevicePointer, size_t, Stream))             \
  X(cuMemcpyDtoDAsync_v2, (DevicePointer, DevicePointer, size_t, Stream))      \
  X(cuMemcpy3DAsync_v2, (const Copy3D *, Stream))                              \
  X(cuStreamCreate, (Stream *, unsigned))                                      \
  X(cuStreamDestroy_v2, (Stream))                                              \
  X(cuStreamQuery, (Stream))                                                   \
  X(cuStreamWaitEvent, (Stream, Event, unsigned))                              \
  X(cuStreamSynchronize, (Stream))                                             \
  X(cuEventCreate, (Event *, unsigned))                                        \
  X(cuEventRecord, (Event, Stream))                                            \
  X(cuEventQuery, (Event))                                                     \
  X(cuEventSynchronize, (Event))                                               \
  X(cuEventDestroy_v2, (Event))                                                \
  X(cuLaunchKernel, (Function, unsigned, unsigned, unsigned, unsigned,         \
                     unsigned, unsigned, unsigned, Stream, void **, void **))  \
  X(cuGetErrorName, (Result, const char **))                                   \
  X(cuGetErrorString, (Result, const char **))

struct DriverAPI {
// Both are parts of a declaration. NOLINTBEGIN(bugprone-macro-parentheses)
#define TAPESTRY_CUDA_POINTER(name, parameters)                                \
  Result(*name) parameters = nullptr;
  TAPESTRY_CUDA_FUNCTIONS(TAPESTRY_CUDA_POINTER)
#undef TAPESTRY_CUDA_POINTER
  // NOLINTEND(bugprone-macro-parentheses)
};

} // namespace cuda
} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CUDA_DRIVERAPI_H
