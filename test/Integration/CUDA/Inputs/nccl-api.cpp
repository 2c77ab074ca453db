// Compares what runtime/lib/NCCL declares of NCCL with its header.
#include <nccl.h>

#include "NCCL/NCCLAPI.h"
#include "alike.h"

using namespace tapestry::rt;

#define CHECK_FUNCTION(name, parameters)                                       \
  static_assert(                                                               \
      AreAlike<decltype(&::name), decltype(nccl::NCCLAPI::name)>::value,       \
      #name);
TAPESTRY_NCCL_FUNCTIONS(CHECK_FUNCTION)
CHECK_FUNCTION(ncclGetErrorString, )
CHECK_FUNCTION(ncclGetLastError, )

static_assert(sizeof(nccl::UniqueId) == sizeof(ncclUniqueId));

#define CHECK_VALUE(ours, theirs)                                              \
  static_assert(static_cast<int>(nccl::ours) == static_cast<int>(theirs));
CHECK_VALUE(Int8, ncclInt8)
CHECK_VALUE(Uint8, ncclUint8)
CHECK_VALUE(Int32, ncclInt32)
CHECK_VALUE(Uint32, ncclUint32)
CHECK_VALUE(Int64, ncclInt64)
CHECK_VALUE(Uint64, ncclUint64)
CHECK_VALUE(Float16, ncclFloat16)
CHECK_VALUE(Float32, ncclFloat32)
CHECK_VALUE(Float64, ncclFloat64)
CHECK_VALUE(Bfloat16, ncclBfloat16)
CHECK_VALUE(Sum, ncclSum)
CHECK_VALUE(Product, ncclProd)
CHECK_VALUE(Max, ncclMax)
CHECK_VALUE(Min, ncclMin)
CHECK_VALUE(unhandledCUDAError, ncclUnhandledCudaError)
CHECK_VALUE(systemError, ncclSystemError)
CHECK_VALUE(invalidArgument, ncclInvalidArgument)
CHECK_VALUE(invalidUsage, ncclInvalidUsage)
CHECK_VALUE(remoteError, ncclRemoteError)
static_assert(ncclSuccess == 0);
