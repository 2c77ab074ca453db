// Compares what runtime/lib/CUDA declares of CUDA's driver with its header.
#include <cuda.h>

#include "CUDA/DriverAPI.h"
#include "alike.h"

using namespace tapestry::rt::cuda;

#define CHECK_FUNCTION(name, parameters)                                       \
  static_assert(AreAlike<decltype(&::name), decltype(DriverAPI::name)>::value, \
                #name);
TAPESTRY_CUDA_FUNCTIONS(CHECK_FUNCTION)

static_assert(outOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(capabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(capabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(nonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(withoutTiming == CU_EVENT_DISABLE_TIMING);
static_assert(errorLog == CU_JIT_ERROR_LOG_BUFFER);
static_assert(errorLogBytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
