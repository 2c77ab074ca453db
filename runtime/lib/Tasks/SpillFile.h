//===- SpillFile.h - Chunks that do not fit into memory ---------*- C++ -*-===//

#ifndef TAPESTRY_RT_TASKS_SPILLFILE_H
#define TAPESTRY_RT_TASKS_SPILLFILE_H

#include "Core/Box.h"
#include "tapestry-rt/Status.h"

namespace tapestry {
namespace rt {

/// A file without a name, which is gone with the process however that ends.
/// Whole pages from memory of whole pages go past the system's cache where the
/// file system can do that, so that the cache does not grow with the file. Any
/// thread may read and write. Messages start with the folder:
/// "/tmp: error: cannot spill: ...".
class SpillFile {
public:
  SpillFile() = default;
  ~SpillFile();
  SpillFile(const SpillFile &) = delete;
  SpillFile &operator=(const SpillFile &) = delete;

  /// Makes the file, unless the disk has less than `bytes` left.
  Status open(const std::string &folder, int64_t bytes);

  /// `bytes` are written, or read, at `place`, a multiple of a page.
  Status write(int64_t place, const void *data, int64_t bytes);
  Status read(int64_t place, void *data, int64_t bytes) const;
  /// Reads a box of a tensor that lies at `place`, row-major.
  Status readBox(int64_t place, BoxRef whole, BoxRef box, int64_t elementSize,
                 void *target) const;
  /// Gives the disk back what lies there.
  void forget(int64_t place, int64_t bytes);

private:
  Status failed(const char *what, int errorNumber) const;
  int descriptorFor(const void *data, int64_t bytes) const;
  Status readAt(int fd, int64_t place, char *data, int64_t bytes) const;

  std::string folder;
  int cached = -1;
  int direct = -1; // the same past the cache; -1: the file system cannot
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_TASKS_SPILLFILE_H
