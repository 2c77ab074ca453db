//===- Staging.h - Memory that a device copies from and to ------*- C++ -*-===//

#ifndef TAPESTRY_RT_RUN_STAGING_H
#define TAPESTRY_RT_RUN_STAGING_H

#include "tapestry-rt/Device.h"
#include "tapestry-rt/Status.h"

namespace tapestry {
namespace rt {

/// What `error` says, of a device, with `what` was to be done before it.
inline Status deviceFailure(const std::string &what,
                            const TransportError &error) {
  return Status::failure(ExitRankFailed, what + ": " + error.text);
}

/// A place of the host's for a tensor of a device; grows to the largest.
class Staging {
public:
  Staging() = default;
  ~Staging() {
    if (device)
      device->freeHost(memory);
  }
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  Status allocate(Device &of, int64_t bytes) {
    if (bytes <= size)
      return Status::success();
    if (device)
      device->freeHost(memory);
    device = &of;
    size = 0;
    TransportError error;
    memory = of.allocateHost(static_cast<uint64_t>(bytes), error);
    if (!memory)
      return Status::failure(ExitEnvironment,
                             format("out of memory: %s for copies from and to "
                                    "the device: %s",
                                    formatBytes(bytes).c_str(), error.text));
    size = bytes;
    return Status::success();
  }
  Status load(const void *from, int64_t bytes) {
    TransportError error;
    return bytes == 0 || device->copyOut(memory, from, bytes, error)
               ? Status::success()
               : deviceFailure("copy from the device", error);
  }
  Status store(void *to, int64_t bytes) {
    TransportError error;
    return bytes == 0 || device->copyIn(to, memory, bytes, error)
               ? Status::success()
               : deviceFailure("copy to the device", error);
  }
  char *data() const { return static_cast<char *>(memory); }

private:
  Device *device = nullptr;
  void *memory = nullptr;
  int64_t size = 0;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_STAGING_H
