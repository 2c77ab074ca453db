//===- CUDADevice.cpp - A rank's GPU --------------------------------------===//

#include "CUDA/CUDADevice.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tapestry;
using namespace tapestry::rt;
using namespace tapestry::rt::cuda;

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

bool GPU::check(const char *call, Result result, TransportError &error) const {
  if (result == 0)
    return true;
  const char *what = nullptr, *means = nullptr;
  if (api.cuGetErrorName(result, &what) != 0 || !what)
    what = "an unknown error";
  if (api.cuGetErrorString(result, &means) != 0 || !means)
    means = "it has no text";
  snprintf(error.text, sizeof(error.text), "%s: %s (%s)", call, what, means);
  return false;
}

bool GPU::use(TransportError &error) {
  return check("cuCtxSetCurrent", api.cuCtxSetCurrent(context), error);
}

bool GPU::open(TransportError &error) {
  std::lock_guard<std::mutex> lock(mutex);
  if (context)
    return use(error);
  DeviceNumber device = 0;
  char text[256] = "";
  int major = 0, minor = 0;
  if (!check("cuDeviceGet", api.cuDeviceGet(&device, number), error) ||
      !check("cuDeviceGetName", api.cuDeviceGetName(text, sizeof(text), device),
             error) ||
      !check("cuDeviceGetAttribute",
             api.cuDeviceGetAttribute(&major, capabilityMajor, device),
             error) ||
      !check("cuDeviceGetAttribute",
             api.cuDeviceGetAttribute(&minor, capabilityMinor, device),
             error) ||
      !check("cuDevicePrimaryCtxRetain",
             api.cuDevicePrimaryCtxRetain(&context, device), error))
    return false;
  name = text;
  capability = 10 * major + minor;
  return use(error);
}

/// PTX is for what is at least as new; that with a letter for this one alone.
/// Of a device that is no GPU, as tests have it, the image has its name.
int GPU::fitness(const char *arch) const {
  if (name == arch)
    return 1 << 20;
  int number = 0;
  char letter = 0;
  if (sscanf(arch, "sm_%d%c", &number, &letter) < 1)
    return 0;
  if (letter)
    return number == capability ? 2 * number + 1 : 0;
  return number <= capability ? 2 * number : 0;
}

bool GPU::load(const TapestryDeviceCode &code, LoadedCode &loaded,
               TransportError &error) {
  const TapestryImage *best = nullptr;
  std::string archs;
  for (int64_t i = 0; i < code.num_images; ++i) {
    const TapestryImage &image = code.images[i];
    archs += (archs.empty() ? "" : ", ") + std::string(image.arch);
    if (fitness(image.arch) > (best ? fitness(best->arch) : 0))
      best = &image;
  }
  if (!best) {
    snprintf(error.text, sizeof(error.text),
             "the program has code for %s, none of which %s (sm_%d) runs",
             archs.c_str(), name.c_str(), capability);
    return false;
  }
  char log[256] = "";
  int options[] = {errorLog, errorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  Result result =
      api.cuModuleLoadDataEx(&loaded.module, best->data, 2, options, values);
  if (!check("cuModuleLoadDataEx", result, error)) {
    size_t length = strlen(error.text);
    snprintf(error.text + length, sizeof(error.text) - length, " of %s: %s",
             best->arch, log);
    return false;
  }
  loaded.kernels.assign(code.num_kernels, nullptr);
  return true;
}

bool GPU::find(const TapestryDeviceCode &code, int64_t kernel,
               Function &function, TransportError &error) {
  std::lock_guard<std::mutex> lock(mutex);
  LoadedCode &loaded = codes[&code];
  if (!loaded.module && !load(code, loaded, error))
    return false;
  if (kernel < 0 || kernel >= code.num_kernels) {
    snprintf(error.text, sizeof(error.text),
             "the program launches kernel %lld of %lld",
             static_cast<long long>(kernel),
             static_cast<long long>(code.num_kernels));
    return false;
  }
  Function &known = loaded.kernels[kernel];
  if (!known && !check("cuModuleGetFunction",
                       api.cuModuleGetFunction(&known, loaded.module,
                                               code.kernels[kernel]),
                       error))
    return false;
  function = known;
  return true;
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

CUDADevice::CUDADevice(GPU &gpu) : gpu(gpu) {
  const char *text = getenv("TAPESTRY_SYNC");
  isWaiting = text && *text && strcmp(text, "0") != 0;
}

CUDADevice::~CUDADevice() {
  TransportError error;
  if (!stream || !gpu.use(error))
    return;
  for (const Mark &mark : marks)
    gpu.api.cuEventDestroy_v2(mark.event);
  for (Event event : spare)
    gpu.api.cuEventDestroy_v2(event);
  gpu.api.cuStreamDestroy_v2(stream);
}

bool CUDADevice::open(TransportError &error) {
  return gpu.open(error) &&
         gpu.check("cuStreamCreate",
                   gpu.api.cuStreamCreate(&stream, nonBlocking), error);
}

void *CUDADevice::allocate(uint64_t bytes, TransportError &error) {
  DevicePointer memory = 0;
  if (!gpu.check("cuMemAlloc", gpu.api.cuMemAlloc_v2(&memory, bytes), error))
    return nullptr;
  return reinterpret_cast<void *>(memory);
}

void CUDADevice::free(void *memory) {
  TransportError error;
  if (memory && gpu.use(error))
    gpu.api.cuMemFree_v2(reinterpret_cast<DevicePointer>(memory));
}

void *CUDADevice::allocateHost(uint64_t bytes, TransportError &error) {
  void *memory = nullptr;
  return gpu.check("cuMemHostAlloc", gpu.api.cuMemHostAlloc(&memory, bytes, 0),
                   error)
             ? memory
             : nullptr;
}

void CUDADevice::freeHost(void *memory) {
  if (memory)
    gpu.api.cuMemFreeHost(memory);
}

bool CUDADevice::copyIn(void *device, const void *host, int64_t bytes,
                        TransportError &error) {
  return gpu.check("cuMemcpyHtoDAsync",
                   gpu.api.cuMemcpyHtoDAsync_v2(
                       reinterpret_cast<DevicePointer>(device), host,
                       static_cast<size_t>(bytes), stream),
                   error) &&
         synchronize(error);
}

bool CUDADevice::copyOut(void *host, const void *device, int64_t bytes,
                         TransportError &error) {
  return gpu.check("cuMemcpyDtoHAsync",
                   gpu.api.cuMemcpyDtoHAsync_v2(
                       host, reinterpret_cast<DevicePointer>(device),
                       static_cast<size_t>(bytes), stream),
                   error) &&
         synchronize(error);
}

bool CUDADevice::launch(const TapestryDeviceCode &code, int64_t kernel,
                        int64_t blocks, int64_t threads, void **arguments,
                        TransportError &error) {
  Function function = nullptr;
  if (!gpu.find(code, kernel, function, error))
    return false;
  Result result = gpu.api.cuLaunchKernel(
      function, static_cast<unsigned>(blocks), 1, 1,
      static_cast<unsigned>(threads), 1, 1, 0, stream, arguments, nullptr);
  std::string call = std::string("kernel ") + code.kernels[kernel];
  return gpu.check(call.c_str(), result, error) &&
         (!isWaiting ||
          gpu.check(call.c_str(), gpu.api.cuStreamSynchronize(stream), error));
}

bool CUDADevice::multiply(const TapestryProduct &product,
                          const ProductMemory &memory, TransportError &error) {
  return products.multiply(product, memory, stream, error) &&
         (!isWaiting || gpu.check("cublasLtMatmul",
                                  gpu.api.cuStreamSynchronize(stream), error));
}

bool CUDADevice::mark(int64_t number, TransportError &error) {
  if (isWaiting) {
    lastReached = number;
    return true;
  }
  if (marks.size() >= mostMarks)
    return true;
  Event event = nullptr;
  if (!spare.empty()) {
    event = spare.back();
    spare.pop_back();
  } else if (!gpu.check("cuEventCreate",
                        gpu.api.cuEventCreate(&event, withoutTiming), error)) {
    return false;
  }
  // One that is not recorded counts as done.
  if (!gpu.check("cuEventRecord", gpu.api.cuEventRecord(event, stream),
                 error)) {
    spare.push_back(event);
    return false;
  }
  marks.push_back({event, number});
  return true;
}

bool CUDADevice::synchronize(TransportError &error) {
  // After a fault nothing says what came before it: one after another.
  for (; !marks.empty(); marks.pop_front()) {
    auto [event, number] = marks.front();
    if (!gpu.check("cuEventSynchronize", gpu.api.cuEventSynchronize(event),
                   error))
      return false;
    lastReached = number;
    spare.push_back(event);
  }
  return gpu.check("cuStreamSynchronize", gpu.api.cuStreamSynchronize(stream),
                   error);
}
