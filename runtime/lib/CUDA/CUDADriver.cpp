//===- CUDADriver.cpp - The GPUs of this process --------------------------===//
//
// The plug-in libtapestry-rt-cuda.so: opens the driver that the machine has. It
// is linked to nothing of CUDA's.
//
//===----------------------------------------------------------------------===//

#include "CUDA/CUDADevice.h"
#include <cstdio>
#include <dlfcn.h>
#include <memory>

using namespace tapestry::rt;
using namespace tapestry::rt::cuda;

namespace {

class Driver final : public DeviceDriver {
public:
  bool open(TransportError &error);
  int count() const override { return static_cast<int>(gpus.size()); }
  Device *open(int number, TransportError &error) override;

private:
  template <typename Type>
  bool find(void *library, const char *name, Type *&function,
            TransportError &error);

  DriverAPI api;
  std::vector<std::unique_ptr<GPU>> gpus;
};

template <typename Type>
bool Driver::find(void *library, const char *name, Type *&function,
                  TransportError &error) {
  function = reinterpret_cast<Type *>(dlsym(library, name));
  if (!function)
    snprintf(error.text, sizeof(error.text),
             "the driver in libcuda.so.1 is too old: it lacks %s", name);
  return function != nullptr;
}

bool Driver::open(TransportError &error) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(error.text, sizeof(error.text), "no driver for NVIDIA's GPUs: %s",
             dlerror());
    return false;
  }
#define TAPESTRY_CUDA_FIND(name, parameters)                                   \
  if (!find(library, #name, api.name, error))                                  \
    return false;
  TAPESTRY_CUDA_FUNCTIONS(TAPESTRY_CUDA_FIND)
#undef TAPESTRY_CUDA_FIND
  GPU any(api, 0);
  int count = 0;
  if (!any.check("cuInit", api.cuInit(0), error) ||
      !any.check("cuDeviceGetCount", api.cuDeviceGetCount(&count), error))
    return false;
  for (int number = 0; number < count; ++number)
    gpus.push_back(std::make_unique<GPU>(api, number));
  return true;
}

Device *Driver::open(int number, TransportError &error) {
  auto device = std::make_unique<CUDADevice>(*gpus[number]);
  return device->open(error) ? device.release() : nullptr;
}

} // namespace

extern "C" __attribute__((visibility("default"))) DeviceDriver *
tapestryRtOpenDevices(uint32_t version, TransportError *error) {
  if (version != deviceVersion) {
    snprintf(error->text, sizeof(error->text),
             "it is of version %u of the interface, the program of version %u",
             deviceVersion, version);
    return nullptr;
  }
  // Never closed: kernels may run until the process ends.
  static Driver *driver = nullptr;
  if (!driver) {
    auto opened = std::make_unique<Driver>();
    if (!opened->open(*error))
      return nullptr;
    driver = opened.release();
  }
  return driver;
}
