// Compares what runtime/lib/CUDA declares of CUDA's driver with its header.
#include <cuda.h>

#include "CUDA/DriverAPI.h"
#include "alike.h"
#include <cstddef>

using namespace tapestry::rt::cuda;

#define CHECK_FUNCTION(name, parameters)                                       \
  static_assert(AreAlike<decltype(&::name), decltype(DriverAPI::name)>::value, \
                #name);
TAPESTRY_CUDA_FUNCTIONS(CHECK_FUNCTION)

using Theirs = CUDA_MEMCPY3D;
static_assert(sizeof(Copy3D) == sizeof(Theirs));
#define CHECK_FIELD(ours, theirs)                                              \
  static_assert(offsetof(Copy3D, ours) == offsetof(Theirs, theirs) &&          \
                sizeof(Copy3D::ours) == sizeof(Theirs::theirs));
#define CHECK_SIDE_FIELD(side, ours, theirs)                                   \
  static_assert(offsetof(Copy3D, side) + offsetof(Copy3D::Side, ours) ==       \
                    offsetof(Theirs, theirs) &&                                \
                sizeof(Copy3D::Side::ours) == sizeof(Theirs::theirs));
CHECK_SIDE_FIELD(source, x, srcXInBytes)
CHECK_SIDE_FIELD(source, y, srcY)
CHECK_SIDE_FIELD(source, z, srcZ)
CHECK_SIDE_FIELD(source, level, srcLOD)
CHECK_SIDE_FIELD(source, type, srcMemoryType)
CHECK_SIDE_FIELD(source, host, srcHost)
CHECK_SIDE_FIELD(source, device, srcDevice)
CHECK_SIDE_FIELD(source, array, srcArray)
CHECK_SIDE_FIELD(source, reserved, reserved0)
CHECK_SIDE_FIELD(source, pitch, srcPitch)
CHECK_SIDE_FIELD(source, height, srcHeight)
CHECK_SIDE_FIELD(target, x, dstXInBytes)
CHECK_SIDE_FIELD(target, y, dstY)
CHECK_SIDE_FIELD(target, z, dstZ)
CHECK_SIDE_FIELD(target, level, dstLOD)
CHECK_SIDE_FIELD(target, type, dstMemoryType)
CHECK_SIDE_FIELD(target, host, dstHost)
CHECK_SIDE_FIELD(target, device, dstDevice)
CHECK_SIDE_FIELD(target, array, dstArray)
CHECK_SIDE_FIELD(target, reserved, reserved1)
CHECK_SIDE_FIELD(target, pitch, dstPitch)
CHECK_SIDE_FIELD(target, height, dstHeight)
CHECK_FIELD(width, WidthInBytes)
CHECK_FIELD(height, Height)
CHECK_FIELD(depth, Depth)

static_assert(deviceMemory == CU_MEMORYTYPE_DEVICE);
static_assert(notReady == CUDA_ERROR_NOT_READY);
static_assert(outOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(capabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(capabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(nonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(withoutTiming == CU_EVENT_DISABLE_TIMING);
static_assert(errorLog == CU_JIT_ERROR_LOG_BUFFER);
static_assert(errorLogBytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
