//===- NCCLAPI.h - The functions of NCCL that we use ------------*- C++ -*-===//
//
// Declared here, so that no header of NCCL's is needed; test/Integration/CUDA
// compares them with it where one is installed.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_NCCL_NCCLAPI_H
#define TAPESTRY_RT_NCCL_NCCLAPI_H

#include <cstddef>

namespace tapestry {
namespace rt {
namespace nccl {

using Result = int; // 0: success
using Comm = struct ncclComm *;
using Stream = struct CUstream_st *;

/// What ranks of a communicator find each other by.
struct UniqueId {
  char bytes[128];
};

enum Type : int {
  Int8 = 0,
  Uint8 = 1,
  Int32 = 2,
  Uint32 = 3,
  Int64 = 4,
  Uint64 = 5,
  Float16 = 6,
  Float32 = 7,
  Float64 = 8,
  Bfloat16 = 9
};

enum Operation : int { Sum = 0, Product = 1, Max = 2, Min = 3 };

// Results that are more than numbers here.
constexpr Result unhandledCUDAError = 1, systemError = 2, invalidArgument = 4,
                 invalidUsage = 5, remoteError = 6;

/// Name and parameters; all return a Result.
#define TAPESTRY_NCCL_FUNCTIONS(X)                                             \
  X(ncclGetUniqueId, (UniqueId *))                                             \
  X(ncclCommInitRank, (Comm *, int, UniqueId, int))                            \
  X(ncclCommDestroy, (Comm))                                                   \
  X(ncclCommAbort, (Comm))                                                     \
  X(ncclCommGetAsyncError, (Comm, Result *))                                   \
  X(ncclAllReduce,                                                             \
    (const void *, void *, size_t, Type, Operation, Comm, Stream))             \
  X(ncclReduce,                                                                \
    (const void *, void *, size_t, Type, Operation, int, Comm, Stream))        \
  X(ncclReduceScatter,                                                         \
    (const void *, void *, size_t, Type, Operation, Comm, Stream))             \
  X(ncclAllGather, (const void *, void *, size_t, Type, Comm, Stream))         \
  X(ncclSend, (const void *, size_t, Type, int, Comm, Stream))                 \
  X(ncclRecv, (void *, size_t, Type, int, Comm, Stream))                       \
  X(ncclGroupStart, ())                                                        \
  X(ncclGroupEnd, ())

struct NCCLAPI {
// Both are parts of a declaration. NOLINTBEGIN(bugprone-macro-parentheses)
#define TAPESTRY_NCCL_POINTER(name, parameters)                                \
  Result(*name) parameters = nullptr;
  TAPESTRY_NCCL_FUNCTIONS(TAPESTRY_NCCL_POINTER)
#undef TAPESTRY_NCCL_POINTER
  // NOLINTEND(bugprone-macro-parentheses)
  const char *(*ncclGetErrorString)(Result) = nullptr;
  const char *(*ncclGetLastError)(Comm) = nullptr;
};

} // namespace nccl
} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_NCCL_NCCLAPI_H
