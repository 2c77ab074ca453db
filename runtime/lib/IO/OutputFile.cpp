//===- OutputFile.cpp - Writes files whole or not at all ------------------===//

#include "Core/Types.h"
#include "IO/Temporaries.h"
#include "IO/TensorFile.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

//===----------------------------------------------------------------------===//
// Where a file goes
//===----------------------------------------------------------------------===//

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

static std::string nameOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// `path` with symbolic links resolved, so that renaming replaces what a link
/// points to and not the link. Of a file that is not there yet, the folder is.
static std::string resolved(const std::string &path) {
  char *real = realpath(path.c_str(), nullptr);
  std::string name;
  if (!real) {
    name = nameOf(path);
    real = realpath(folderOf(path).c_str(), nullptr);
    if (!real || name.empty()) {
      free(real);
      return path;
    }
  }
  std::string result = real;
  free(real);
  if (!name.empty())
    result += (result.back() == '/' ? "" : "/") + name;
  return result;
}

static Status cannotWrite(const std::string &path, const std::string &reason,
                          ExitStatus exit = ExitBadInput) {
  return Status::failure(exit, path + ": error: cannot write: " + reason);
}

/// Whether a file at `path` could be created or replaced. `special`: also where
/// something else than a file is (/dev/stdout).
static Status checkTarget(const std::string &path, bool special) {
  std::string place = resolved(path);
  struct stat info;
  if (stat(place.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode))
      return cannotWrite(path, errnoText(EISDIR));
    if (!S_ISREG(info.st_mode) && !special)
      return cannotWrite(path, "not a regular file");
    if (access(place.c_str(), W_OK) != 0)
      return cannotWrite(path, errnoText(errno));
    if (!S_ISREG(info.st_mode))
      return Status::success();
  } else if (path.empty() || path.back() == '/') {
    return cannotWrite(path, errnoText(path.empty() ? ENOENT : EISDIR));
  }
  std::string folder = folderOf(place);
  if (stat(folder.c_str(), &info) != 0)
    return cannotWrite(path, errnoText(errno));
  if (!S_ISDIR(info.st_mode))
    return cannotWrite(path, errnoText(ENOTDIR));
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return cannotWrite(path, errnoText(errno));
  return Status::success();
}

static std::string temporaryName(const std::string &place, uint64_t id) {
  // The start of the name only: the whole may be as long as names can be.
  return format("%s/.%.100s.%016llx.tmp", folderOf(place).c_str(),
                nameOf(place).c_str(), static_cast<unsigned long long>(id));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

OutputFile::~OutputFile() {
  if (fd >= 0)
    ::close(fd);
}

Status OutputFile::failed(ExitStatus exit, const std::string &reason) const {
  return cannotWrite(path, reason, exit);
}

Status OutputFile::prepare(const std::string &newPath,
                           const TapestryTensor &newTensor) {
  path = newPath;
  tensor = &newTensor;
  Status status = checkTarget(path, /*special=*/false);
  if (status.failed())
    return status;
  place = resolved(path);
  header = makeNpyHeader(tensor->dtype, tensor->shape, tensor->rank);

  int64_t bytes = dtypeSize(tensor->dtype);
  for (int dim = 0; dim < tensor->rank; ++dim)
    bytes *= tensor->shape[dim];
  struct statvfs disk;
  if (statvfs(folderOf(place).c_str(), &disk) != 0)
    return Status::success();
  // Compared in blocks: the product of a large disk would not overflow, but
  // what a network file system reports might.
  auto blocks = static_cast<uint64_t>(bytes) / disk.f_frsize + 1;
  if (blocks > disk.f_bavail)
    return failed(ExitEnvironment,
                  format("needs %s, %s free", formatBytes(bytes).c_str(),
                         formatBytes(disk.f_bavail * disk.f_frsize).c_str()));
  return Status::success();
}

void OutputFile::nameTemporary(uint64_t id) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!temporary.empty())
    return;
  temporary = temporaryName(place, id);
  noteTemporary(temporary);
}

Status OutputFile::create() {
  std::lock_guard<std::mutex> lock(mutex);
  fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return failed(ExitRankFailed, errnoText(errno));
  // A file that is replaced keeps its permissions, as if written in place.
  struct stat old;
  if (stat(place.c_str(), &old) == 0)
    (void)!fchmod(fd, old.st_mode & 0777);
  auto bytes = static_cast<int64_t>(header.size());
  int64_t elements = 1;
  for (int dim = 0; dim < tensor->rank; ++dim)
    elements *= tensor->shape[dim];
  if (ftruncate(fd, bytes + elements * dtypeSize(tensor->dtype)) != 0)
    return failed(ExitRankFailed, errnoText(errno));
  return writeBytes(header.data(), bytes, 0);
}

Status OutputFile::open() {
  std::lock_guard<std::mutex> lock(mutex);
  if (fd >= 0)
    return Status::success();
  fd = ::open(temporary.c_str(), O_WRONLY | O_CLOEXEC);
  return fd >= 0 ? Status::success() : failed(ExitRankFailed, errnoText(errno));
}

Status OutputFile::writeBytes(const char *source, int64_t bytes,
                              int64_t offset) {
  while (bytes > 0) {
    ssize_t put = pwrite(fd, source, bytes, offset);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return failed(ExitRankFailed, errnoText(errno));
    source += put;
    bytes -= put;
    offset += put;
  }
  return Status::success();
}

Status OutputFile::write(BoxRef box, const void *source) {
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

Status OutputFile::close() {
  std::lock_guard<std::mutex> lock(mutex);
  int open = fd;
  fd = -1;
  if (open >= 0 && ::close(open) != 0)
    return failed(ExitRankFailed, errnoText(errno));
  return Status::success();
}

Status OutputFile::commit() {
  if (rename(temporary.c_str(), place.c_str()) != 0)
    return failed(ExitRankFailed, errnoText(errno));
  forget();
  return Status::success();
}

void OutputFile::forget() { forgetTemporary(temporary); }

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

Status tapestry::rt::checkWritable(const std::string &path) {
  return checkTarget(path, /*special=*/true);
}

static Status putText(const std::string &path, const std::string &file,
                      const std::string &text) {
  FILE *out = fopen(file.c_str(), "we");
  if (!out)
    return cannotWrite(path, errnoText(errno), ExitRankFailed);
  bool good = fwrite(text.data(), 1, text.size(), out) == text.size();
  int reason = errno;
  good = fclose(out) == 0 && good;
  return good ? Status::success()
              : cannotWrite(path, errnoText(reason), ExitRankFailed);
}

Status tapestry::rt::writeTextFile(const std::string &path,
                                   const std::string &text) {
  std::string place = resolved(path);
  struct stat info;
  if (stat(place.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return putText(path, place, text);
  std::string temporary = temporaryName(place, static_cast<uint64_t>(getpid()));
  noteTemporary(temporary);
  Status status = putText(path, temporary, text);
  if (!status.failed() && rename(temporary.c_str(), place.c_str()) != 0)
    status = cannotWrite(path, errnoText(errno), ExitRankFailed);
  if (status.failed())
    unlink(temporary.c_str());
  forgetTemporary(temporary);
  return status;
}
