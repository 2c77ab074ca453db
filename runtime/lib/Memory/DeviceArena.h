//===- DeviceArena.h - The device memory of one rank ------------*- C++ -*-===//
//
// One slab, of which pieces are taken and given back. What does not fit into it
// is the driver's.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_MEMORY_DEVICEARENA_H
#define TAPESTRY_RT_MEMORY_DEVICEARENA_H

#include "Memory/Arena.h"
#include "tapestry-rt/Device.h"

namespace tapestry {
namespace rt {

class DeviceArena {
public:
  /// What it allocates counts in `live`, too, which outlives it as `device`
  /// does.
  DeviceArena(Device &device, LiveBytes &live) : device(device), live(live) {}
  ~DeviceArena();
  DeviceArena(const DeviceArena &) = delete;
  DeviceArena &operator=(const DeviceArena &) = delete;

  static constexpr uint64_t alignment = 256;

  /// Takes a slab for up to `bytes` in all, with some room for ends; with
  /// TAPESTRY_DEVICE_SLAB=0 none, so that tools see where each piece ends.
  Status reserve(int64_t bytes);
  /// Its contents are undefined.
  Status allocate(uint64_t bytes, void *&memory);
  void free(void *memory);

private:
  struct Piece {
    uint64_t asked, bytes;
  };

  Device &device;
  LiveBytes &live;
  Slab slab;
  void *base = nullptr;
  std::map<void *, Piece> pieces;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_MEMORY_DEVICEARENA_H
