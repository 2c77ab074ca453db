//===- Manifest.h - What a checkpoint holds ---------------------*- C++ -*-===//
//
// The text of manifest.json in the folder of a checkpoint: names, types and
// shapes, the .npy file of each tensor with its size and checksum, and the part
// that each rank had.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_SESSION_MANIFEST_H
#define TAPESTRY_RT_SESSION_MANIFEST_H

#include "Core/Types.h"
#include "tapestry-rt/Status.h"

namespace tapestry {
namespace rt {

constexpr const char *manifestName = "manifest.json";
constexpr int64_t manifestVersion = 1;

/// The tables are HeldTensor's.
struct ManifestEntry {
  std::string name;
  int32_t dtype = 0;
  std::vector<int64_t> shape;
  std::string file;  ///< in the checkpoint's folder
  int64_t bytes = 0; ///< of the file
  uint64_t checksum = 0;
  std::vector<Range> boxes;
  std::vector<uint8_t> owner;
};

struct Manifest {
  int64_t devices = 1;
  std::vector<ManifestEntry> tensors;
};

std::string manifestText(const Manifest &manifest);

/// The failure, whose message has no place, says what the text lacks or where
/// it contradicts itself.
Status readManifest(const std::string &text, Manifest &manifest);

/// Of `count` bytes of a tensor, which stand at byte `offset` of its row-major
/// data: their share in the checksum of the whole, which is the sum of all.
uint64_t checksumOf(const void *bytes, int64_t offset, int64_t count);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_SESSION_MANIFEST_H
