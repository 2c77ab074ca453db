//===- SpillFile.cpp - Chunks that do not fit into memory -----------------===//

#include "Tasks/SpillFile.h"
#include "IO/BoxReader.h"
#include "Tasks/Pieces.h"
#include "tapestry-rt/Files.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

SpillFile::~SpillFile() {
  for (int fd : {cached, direct})
    if (fd >= 0)
      close(fd);
}

Status SpillFile::failed(const char *what, int errorNumber) const {
  return Status::failure(ExitEnvironment, printable(folder) +
                                              ": error: cannot " + what + ": " +
                                              errnoText(errorNumber));
}

/// A file that no folder names, on file systems that cannot make one so too.
static int openNameless(const std::string &folder) {
  int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return fd;
  std::string name =
      folder + format("/.tapestry.%016llx.tmp",
                      static_cast<unsigned long long>(uniqueId()));
  noteTemporary(name);
  fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  int reason = errno;
  removeTemporary(name);
  errno = reason;
  return fd;
}

Status SpillFile::open(const std::string &newFolder, int64_t bytes) {
  folder = newFolder;
  cached = openNameless(folder);
  if (cached < 0) {
    int reason = errno;
    struct stat status = {};
    // Where files are made by the system alone, it says that there is none.
    if (reason == ENOENT && stat(folder.c_str(), &status) == 0 &&
        S_ISDIR(status.st_mode))
      return Status::failure(
          ExitEnvironment,
          printable(folder) +
              ": error: cannot spill: no files can be made in this folder; "
              "--spill takes another");
    return failed("spill", reason);
  }
  struct statvfs disk;
  if (fstatvfs(cached, &disk) == 0 && disk.f_blocks != 0 &&
      static_cast<uint64_t>(bytes) / disk.f_frsize > disk.f_bavail)
    return Status::failure(
        ExitEnvironment,
        format("%s: error: cannot spill: needs %s, %s free",
               printable(folder).c_str(), formatBytes(bytes).c_str(),
               formatBytes(disk.f_bavail * disk.f_frsize).c_str()));
  direct = ::open(format("/proc/self/fd/%d", cached).c_str(),
                  O_RDWR | O_DIRECT | O_CLOEXEC);
  return Status::success();
}

int SpillFile::descriptorFor(const void *data, int64_t bytes) const {
  bool isWhole = bytes % directStep == 0 &&
                 reinterpret_cast<uintptr_t>(data) % directStep == 0;
  return isWhole && direct >= 0 ? direct : cached;
}

Status SpillFile::write(int64_t place, const void *data, int64_t bytes) {
  int fd = descriptorFor(data, bytes);
  const auto *from = static_cast<const char *>(data);
  int64_t left = bytes;
  while (left > 0) {
    ssize_t put = pwrite(fd, from, left, place);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0 && errno == EINVAL && fd != cached) {
      fd = cached; // larger blocks than a page
      continue;
    }
    if (put < 0)
      return failed(format("spill %s", formatBytes(bytes).c_str()).c_str(),
                    errno);
    from += put;
    place += put;
    left -= put;
    if (left > 0 && put % directStep != 0)
      fd = cached;
  }
  return Status::success();
}

Status SpillFile::readAt(int fd, int64_t place, char *data,
                         int64_t bytes) const {
  while (bytes > 0) {
    ssize_t got = pread(fd, data, bytes, place);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0 && errno == EINVAL && fd != cached) {
      fd = cached;
      continue;
    }
    if (got <= 0)
      return failed("read what was spilled", got < 0 ? errno : EIO);
    data += got;
    place += got;
    bytes -= got;
    if (bytes > 0 && got % directStep != 0)
      fd = cached;
  }
  return Status::success();
}

Status SpillFile::read(int64_t place, void *data, int64_t bytes) const {
  return readAt(descriptorFor(data, bytes), place, static_cast<char *>(data),
                bytes);
}

Status SpillFile::readBox(int64_t place, BoxRef whole, BoxRef box,
                          int64_t elementSize, void *target) const {
  startReading(cached, place, whole, box, elementSize);
  Status status =
      rt::readBox(whole, box, elementSize, static_cast<char *>(target),
                  [&](char *to, int64_t bytes, int64_t offset) {
                    return readAt(cached, place + offset, to, bytes);
                  });
  // Nor do these pages stay where the file goes past the cache.
  if (direct >= 0)
    (void)posix_fadvise(cached, place, volume(whole) * elementSize,
                        POSIX_FADV_DONTNEED);
  return status;
}

void SpillFile::forget(int64_t place, int64_t bytes) {
  // Some file systems cannot; it is gone at the end then.
  (void)fallocate(cached, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, place,
                  bytes);
}
