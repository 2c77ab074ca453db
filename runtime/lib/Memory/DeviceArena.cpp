//===- DeviceArena.cpp - The device memory of one rank --------------------===//

#include "Memory/DeviceArena.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tapestry;
using namespace tapestry::rt;

static uint64_t roundUp(uint64_t bytes) {
  uint64_t least = std::max<uint64_t>(bytes, 1);
  return (least + DeviceArena::alignment - 1) / DeviceArena::alignment *
         DeviceArena::alignment;
}

DeviceArena::~DeviceArena() {
  for (auto &[memory, piece] : pieces) {
    live.add(-static_cast<int64_t>(piece.asked));
    if (!slab.contains(memory))
      device.free(memory);
  }
  device.free(base);
}

Status DeviceArena::reserve(int64_t bytes) {
  const char *text = getenv("TAPESTRY_DEVICE_SLAB");
  if (text && strcmp(text, "0") == 0)
    return Status::success();
  // Pieces are rounded up, and holes are not always where they are wanted.
  uint64_t wanted = roundUp(static_cast<uint64_t>(bytes) +
                            static_cast<uint64_t>(bytes) / 8 + (64 << 10));
  TransportError error;
  base = device.allocate(wanted, error);
  if (!base)
    return Status::failure(ExitEnvironment,
                           format("out of device memory: the slab of %s: %s",
                                  formatBytes(int64_t(wanted)).c_str(),
                                  error.text));
  slab.use(static_cast<char *>(base), wanted);
  return Status::success();
}

Status DeviceArena::allocate(uint64_t bytes, void *&memory) {
  Piece piece = {bytes, roundUp(bytes)};
  memory = slab.take(piece.bytes);
  if (!memory) {
    TransportError error;
    memory = device.allocate(std::max<uint64_t>(bytes, 1), error);
    if (!memory)
      return Status::failure(
          ExitEnvironment,
          format("out of device memory: needs %s beside the slab: %s",
                 formatBytes(int64_t(bytes)).c_str(), error.text));
  }
  pieces[memory] = piece;
  live.add(static_cast<int64_t>(bytes));
  return Status::success();
}

void DeviceArena::free(void *memory) {
  auto found = pieces.find(memory);
  if (found == pieces.end())
    return;
  Piece piece = found->second;
  pieces.erase(found);
  live.add(-static_cast<int64_t>(piece.asked));
  if (slab.contains(memory)) {
    slab.give(static_cast<char *>(memory), piece.bytes);
    return;
  }
  device.free(memory);
}
