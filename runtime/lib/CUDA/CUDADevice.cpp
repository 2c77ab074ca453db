//===- CUDADevice.cpp - A rank's GPU --------------------------------------===//

#include "CUDA/CUDADevice.h"
#include <algorithm>
#include <climits>
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
  if (!own || !gpu.use(error))
    return;
  for (const Mark &mark : marks)
    gpu.api.cuEventDestroy_v2(mark.event);
  for (Event event : spare)
    gpu.api.cuEventDestroy_v2(event);
  for (const auto &[number, event] : ends)
    gpu.api.cuEventDestroy_v2(event);
  for (Stream stream : {beside, own})
    if (stream)
      gpu.api.cuStreamDestroy_v2(stream);
}

bool CUDADevice::open(TransportError &error) {
  if (!gpu.open(error) ||
      !gpu.check("cuStreamCreate", gpu.api.cuStreamCreate(&own, nonBlocking),
                 error))
    return false;
  orders = own;
  return true;
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
                       static_cast<size_t>(bytes), orders),
                   error) &&
         synchronize(error);
}

bool CUDADevice::copyOut(void *host, const void *device, int64_t bytes,
                         TransportError &error) {
  return gpu.check("cuMemcpyDtoHAsync",
                   gpu.api.cuMemcpyDtoHAsync_v2(
                       host, reinterpret_cast<DevicePointer>(device),
                       static_cast<size_t>(bytes), orders),
                   error) &&
         synchronize(error);
}

bool CUDADevice::copyStretch(void *target, const void *source, int64_t bytes,
                             TransportError &error) {
  return gpu.check(
      "cuMemcpyDtoDAsync",
      gpu.api.cuMemcpyDtoDAsync_v2(reinterpret_cast<DevicePointer>(target),
                                   reinterpret_cast<DevicePointer>(source),
                                   static_cast<size_t>(bytes), orders),
      error);
}

bool CUDADevice::copyWithin(const StretchCopy &copy, TransportError &error) {
  if (copy.rows == 1 && copy.planes == 1)
    return copyStretch(copy.target, copy.source, copy.bytes, error);
  // The driver takes no rows that are further apart.
  if (std::max(copy.targetRow, copy.sourceRow) > INT_MAX) {
    for (int64_t number = 0; number < copy.planes * copy.rows; ++number) {
      int64_t plane = number / copy.rows, row = number % copy.rows;
      if (!copyStretch(static_cast<char *>(copy.target) +
                           plane * copy.targetPlane + row * copy.targetRow,
                       static_cast<const char *>(copy.source) +
                           plane * copy.sourcePlane + row * copy.sourceRow,
                       copy.bytes, error))
        return false;
    }
    return true;
  }
  auto sideOf = [&](const void *memory, int64_t row, int64_t plane) {
    Copy3D::Side side = {};
    side.type = deviceMemory;
    side.device = reinterpret_cast<DevicePointer>(memory);
    side.pitch = static_cast<size_t>(row);
    side.height =
        static_cast<size_t>(copy.planes == 1 ? copy.rows : plane / row);
    return side;
  };
  Copy3D copy3D = {sideOf(copy.source, copy.sourceRow, copy.sourcePlane),
                   sideOf(copy.target, copy.targetRow, copy.targetPlane),
                   static_cast<size_t>(copy.bytes),
                   static_cast<size_t>(copy.rows),
                   static_cast<size_t>(copy.planes)};
  return gpu.check("cuMemcpy3DAsync",
                   gpu.api.cuMemcpy3DAsync_v2(&copy3D, orders), error);
}

bool CUDADevice::launch(const TapestryDeviceCode &code, int64_t kernel,
                        int64_t blocks, int64_t threads, void **arguments,
                        TransportError &error) {
  Function function = nullptr;
  if (!gpu.find(code, kernel, function, error))
    return false;
  Result result = gpu.api.cuLaunchKernel(
      function, static_cast<unsigned>(blocks), 1, 1,
      static_cast<unsigned>(threads), 1, 1, 0, orders, arguments, nullptr);
  std::string call = std::string("kernel ") + code.kernels[kernel];
  return gpu.check(call.c_str(), result, error) &&
         (!isWaiting ||
          gpu.check(call.c_str(), gpu.api.cuStreamSynchronize(orders), error));
}

bool CUDADevice::take(Event &event, TransportError &error) {
  if (spare.empty())
    return gpu.check("cuEventCreate",
                     gpu.api.cuEventCreate(&event, withoutTiming), error);
  event = spare.back();
  spare.pop_back();
  return true;
}

bool CUDADevice::record(Event event, Stream stream, TransportError &error) {
  if (gpu.check("cuEventRecord", gpu.api.cuEventRecord(event, stream), error))
    return true;
  spare.push_back(event);
  return false;
}

bool CUDADevice::beginBeside(TransportError &error) {
  Event event = nullptr;
  if ((!beside &&
       !gpu.check("cuStreamCreate",
                  gpu.api.cuStreamCreate(&beside, nonBlocking), error)) ||
      !take(event, error) || !record(event, own, error))
    return false;
  // What waits for it has taken note.
  spare.push_back(event);
  if (!gpu.check("cuStreamWaitEvent",
                 gpu.api.cuStreamWaitEvent(beside, event, 0), error))
    return false;
  orders = beside;
  return true;
}

bool CUDADevice::endBeside(int64_t &number, TransportError &error) {
  orders = own;
  Event event = nullptr;
  if (!take(event, error) || !record(event, beside, error))
    return false;
  number = nextEnd++;
  ends[number] = event;
  return true;
}

bool CUDADevice::join(int64_t number, TransportError &error) {
  auto end = ends.find(number);
  if (end == ends.end())
    return true;
  Event event = end->second;
  ends.erase(end);
  spare.push_back(event);
  return gpu.check("cuStreamWaitEvent",
                   gpu.api.cuStreamWaitEvent(own, event, 0), error);
}

bool CUDADevice::multiply(const TapestryProduct &product,
                          const ProductMemory &memory, TransportError &error) {
  return products.multiply(product, memory, orders, error) &&
         (!isWaiting || gpu.check("cublasLtMatmul",
                                  gpu.api.cuStreamSynchronize(orders), error));
}

bool CUDADevice::mark(int64_t number, TransportError &error) {
  if (isWaiting) {
    lastReached = number;
    return true;
  }
  if (marks.size() >= mostMarks)
    return true;
  // One that is not recorded counts as done.
  Event event = nullptr;
  if (!take(event, error) || !record(event, own, error))
    return false;
  marks.push_back({event, number});
  return true;
}

bool CUDADevice::poll(bool &isDone, TransportError &error) {
  isDone = false;
  for (; !marks.empty(); marks.pop_front()) {
    auto [event, number] = marks.front();
    Result result = gpu.api.cuEventQuery(event);
    if (result != 0)
      return result == notReady || gpu.check("cuEventQuery", result, error);
    lastReached = number;
    spare.push_back(event);
  }
  for (Stream stream : {own, beside}) {
    Result result = stream ? gpu.api.cuStreamQuery(stream) : 0;
    if (result != 0)
      return result == notReady || gpu.check("cuStreamQuery", result, error);
  }
  isDone = true;
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
  for (Stream stream : {beside, own})
    if (stream && !gpu.check("cuStreamSynchronize",
                             gpu.api.cuStreamSynchronize(stream), error))
      return false;
  return true;
}
