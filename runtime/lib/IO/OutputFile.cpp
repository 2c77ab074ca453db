//===- OutputFile.cpp - Writes parts of .npy files ------------------------===//

#include "Core/Types.h"
#include "IO/TensorFile.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

OutputFile::~OutputFile() {
  if (fd >= 0)
    ::close(fd);
}

static int64_t tensorBytes(const TapestryTensor &tensor) {
  int64_t bytes = dtypeSize(tensor.dtype);
  for (int dim = 0; dim < tensor.rank; ++dim)
    bytes *= tensor.shape[dim];
  return bytes;
}

Status OutputFile::prepare(const std::string &newPath,
                           const TapestryTensor &newTensor) {
  path = newPath;
  tensor = &newTensor;
  header = makeNpyHeader(tensor->dtype, tensor->shape, tensor->rank);
  Status status = file.prepare(path);
  struct statvfs disk;
  // Some file systems count no blocks.
  if (status.failed() || !file.isWanted() ||
      statvfs(file.folder().c_str(), &disk) != 0 || disk.f_blocks == 0)
    return status;
  // Compared in blocks: the product of a large disk would not overflow, but
  // what a network file system reports might.
  int64_t bytes = tensorBytes(*tensor);
  auto blocks = static_cast<uint64_t>(bytes) / disk.f_frsize + 1;
  if (blocks <= disk.f_bavail)
    return Status::success();
  return Status::failure(
      ExitEnvironment,
      format("%s: error: cannot write: needs %s, %s free",
             printable(path).c_str(), formatBytes(bytes).c_str(),
             formatBytes(disk.f_bavail * disk.f_frsize).c_str()));
}

std::string OutputFile::nameAside(uint64_t id) {
  std::lock_guard<std::mutex> lock(mutex);
  file.nameAside(id);
  return file.aside();
}

void OutputFile::joinAside(const std::string &name) {
  std::lock_guard<std::mutex> lock(mutex);
  file.joinAside(name);
}

void OutputFile::forget() {
  std::lock_guard<std::mutex> lock(mutex);
  file.forget();
}

Status OutputFile::create() {
  if (!file.isWanted())
    return Status::success();
  std::lock_guard<std::mutex> lock(mutex);
  int created;
  Status status = file.create(created);
  if (status.failed())
    return status;
  // Its own descriptor: closing it may tell of late errors.
  fd = dup(created);
  if (fd < 0)
    return file.failed(errno);
  auto bytes = static_cast<int64_t>(header.size());
  if (ftruncate(fd, bytes + tensorBytes(*tensor)) != 0)
    return file.failed(errno);
  return writeBytes(header.data(), bytes, 0);
}

Status OutputFile::open() {
  std::lock_guard<std::mutex> lock(mutex);
  if (fd >= 0 || !file.isWanted())
    return Status::success();
  fd = ::open(file.aside().c_str(), O_WRONLY | O_CLOEXEC);
  return fd >= 0 ? Status::success() : file.failed(errno);
}

Status OutputFile::writeBytes(const char *source, int64_t bytes,
                              int64_t offset) {
  while (bytes > 0) {
    ssize_t put = pwrite(fd, source, bytes, offset);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return file.failed(errno);
    source += put;
    bytes -= put;
    offset += put;
  }
  return Status::success();
}

Status OutputFile::write(BoxRef box, const void *source) {
  if (!file.isWanted())
    return Status::success();
  Box whole(tensor->rank);
  for (int dim = 0; dim < tensor->rank; ++dim)
    whole[dim] = {0, tensor->shape[dim]};
  int64_t elementSize = dtypeSize(tensor->dtype);
  auto headerBytes = static_cast<int64_t>(header.size());
  const char *data = static_cast<const char *>(source);
  Status status;
  forEachStretch(whole, box, [&](int64_t offset, int64_t count) {
    if (!status.failed())
      status = writeBytes(data, count * elementSize,
                          headerBytes + offset * elementSize);
    data += count * elementSize;
  });
  return status;
}

void OutputFile::startSync() const {
  // What comes of it, closing tells.
  if (fd >= 0)
    (void)!sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

Status OutputFile::close() {
  std::lock_guard<std::mutex> lock(mutex);
  int open = fd;
  fd = -1;
  if (open < 0)
    return Status::success();
  // Each process brings its own part to the disk: another host's cache is not
  // seen by the one that commits.
  Status status =
      NewFile::synced(open) ? Status::success() : file.failed(errno);
  if (::close(open) != 0 && !status.failed())
    status = file.failed(errno);
  return status;
}
