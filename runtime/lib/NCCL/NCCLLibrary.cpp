//===- NCCLLibrary.cpp - NCCL as this machine has it ----------------------===//
//
// The plug-in libtapestry-rt-nccl.so: opens libnccl.so.2. It is linked to
// nothing of NVIDIA's.
//
//===----------------------------------------------------------------------===//

#include "NCCL/NCCLCollectives.h"
#include <cstdio>
#include <dlfcn.h>
#include <memory>

using namespace tapestry::rt;
using namespace tapestry::rt::nccl;

namespace {

class Library final : public DeviceCollectives {
public:
  bool open(TransportError &error);
  BackendCollectives *open(Transport &transport, Device &device,
                           TransportError &) override {
    return new NCCLCollectives(api, transport, device);
  }

private:
  template <typename Type>
  bool find(void *library, const char *name, Type *&function,
            TransportError &error);

  NCCLAPI api;
};

template <typename Type>
bool Library::find(void *library, const char *name, Type *&function,
                   TransportError &error) {
  function = reinterpret_cast<Type *>(dlsym(library, name));
  if (!function)
    snprintf(error.text, sizeof(error.text),
             "the NCCL in libnccl.so.2 is too old: it lacks %s", name);
  return function != nullptr;
}

bool Library::open(TransportError &error) {
  void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(error.text, sizeof(error.text), "no NCCL: %s", dlerror());
    return false;
  }
#define TAPESTRY_NCCL_FIND(name, parameters)                                   \
  if (!find(library, #name, api.name, error))                                  \
    return false;
  TAPESTRY_NCCL_FUNCTIONS(TAPESTRY_NCCL_FIND)
#undef TAPESTRY_NCCL_FIND
  return find(library, "ncclGetErrorString", api.ncclGetErrorString, error) &&
         find(library, "ncclGetLastError", api.ncclGetLastError, error);
}

} // namespace

extern "C" __attribute__((visibility("default"))) DeviceCollectives *
tapestryRtOpenCollectives(uint32_t version, TransportError *error) {
  if (version != backendVersion) {
    snprintf(error->text, sizeof(error->text),
             "the program's runtime has back end version %u, the plug-in %u",
             version, backendVersion);
    return nullptr;
  }
  // Never closed: its threads may run until the process ends.
  static Library *library = nullptr;
  if (!library) {
    auto opened = std::make_unique<Library>();
    if (!opened->open(*error))
      return nullptr;
    library = opened.release();
  }
  return library;
}
