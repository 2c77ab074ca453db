//===- CublasLtAPI.h - The functions of cuBLASLt that we use ----*- C++ -*-===//
//
// Declared here, as those of the driver are (DriverAPI.h); they are the same in
// its versions 12 and 13. Matrices are stored column by column.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_CUDA_CUBLASLTAPI_H
#define TAPESTRY_RT_CUDA_CUBLASLTAPI_H

#include "CUDA/DriverAPI.h"
#include <cstdint>

namespace tapestry {
namespace rt {
namespace cuda {
namespace lt {

using Status = int; // 0: success
using Handle = struct LtContext *;
using Operation = struct LtOperation *;
using Layout = struct LtLayout *;
using Preference = struct LtPreference *;

struct Algorithm {
  uint64_t data[8];
};

struct Heuristic {
  Algorithm algorithm;
  size_t workspaceBytes;
  Status status;
  float waves;
  int reserved[4];
};

constexpr Status notInitialized = 1, invalidValue = 7, executionFailed = 13,
                 notSupported = 15;
// cudaDataType.
constexpr int realF32 = 0, realF64 = 1, realF16 = 2, realI8 = 3, realI32 = 10,
              realBF16 = 14;
// cublasComputeType_t.
constexpr int computeF32 = 68, computeF64 = 70, computeI32 = 72,
              computeTF32 = 77;
// Attributes of an operation, with their types.
constexpr int transposeA = 3 /* int32_t */, transposeB = 4 /* int32_t */,
              epilogue = 7 /* uint32_t */, biasPointer = 8 /* const void * */;
constexpr int32_t asItIs = 0, transposed = 1;
constexpr uint32_t epilogueNone = 1, epilogueReLU = 2, epilogueBias = 4,
                   epilogueGELU = 32;
// Of a layout.
constexpr int batchCount = 5 /* int32_t */, batchStride = 6 /* int64_t */;
// Of a preference.
constexpr int mostWorkspace = 1 /* uint64_t */, schemes = 3 /* uint32_t */,
              alignmentA = 5 /* uint32_t */, alignmentB = 6, alignmentC = 7,
              alignmentD = 8;
/// Partial sums, of algorithms that have such, are of the type of the sum.
constexpr uint32_t wideSums = 2;

/// Result, name and parameters.
#define TAPESTRY_CUBLASLT_FUNCTIONS(X)                                         \
  X(Status, cublasLtCreate, (Handle *))                                        \
  X(Status, cublasLtDestroy, (Handle))                                         \
  X(const char *, cublasLtGetStatusName, (Status))                             \
  X(Status, cublasLtMatmulDescCreate, (Operation *, int, int))                 \
  X(Status, cublasLtMatmulDescDestroy, (Operation))                            \
  X(Status, cublasLtMatmulDescSetAttribute,                                    \
    (Operation, int, const void *, size_t))                                    \
  X(Status, cublasLtMatrixLayoutCreate,                                        \
    (Layout *, int, uint64_t, uint64_t, int64_t))                              \
  X(Status, cublasLtMatrixLayoutDestroy, (Layout))                             \
  X(Status, cublasLtMatrixLayoutSetAttribute,                                  \
    (Layout, int, const void *, size_t))                                       \
  X(Status, cublasLtMatmulPreferenceCreate, (Preference *))                    \
  X(Status, cublasLtMatmulPreferenceDestroy, (Preference))                     \
  X(Status, cublasLtMatmulPreferenceSetAttribute,                              \
    (Preference, int, const void *, size_t))                                   \
  X(Status, cublasLtMatmulAlgoGetHeuristic,                                    \
    (Handle, Operation, Layout, Layout, Layout, Layout, Preference, int,       \
     Heuristic *, int *))                                                      \
  X(Status, cublasLtMatmul,                                                    \
    (Handle, Operation, const void *, const void *, Layout, const void *,      \
     Layout, const void *, const void *, Layout, void *, Layout,               \
     const Algorithm *, void *, size_t, Stream))

struct API {
// All are parts of a declaration. NOLINTBEGIN(bugprone-macro-parentheses)
#define TAPESTRY_CUBLASLT_POINTER(result, name, parameters)                    \
  result(*name) parameters = nullptr;
  TAPESTRY_CUBLASLT_FUNCTIONS(TAPESTRY_CUBLASLT_POINTER)
#undef TAPESTRY_CUBLASLT_POINTER
  // NOLINTEND(bugprone-macro-parentheses)
};

} // namespace lt
} // namespace cuda
} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CUDA_CUBLASLTAPI_H
