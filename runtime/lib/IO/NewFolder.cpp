//===- NewFolder.cpp - Folders that appear whole or not at all ------------===//

#include "IO/NewFolder.h"
#include "tapestry-rt/Files.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

Status NewFolder::failed(int errorNumber) const {
  bool isPlace = false;
  for (int wrong : {ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, EISDIR, EEXIST})
    isPlace |= errorNumber == wrong;
  return Status::failure(
      isPlace ? ExitBadInput : ExitEnvironment,
      printable(path) + ": error: cannot write: " + errnoText(errorNumber));
}

bool tapestry::rt::listFolder(const std::string &path,
                              std::vector<std::string> &names) {
  DIR *folder = opendir(path.c_str());
  if (!folder)
    return false;
  while (dirent *entry = readdir(folder))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      names.emplace_back(entry->d_name);
  closedir(folder);
  std::sort(names.begin(), names.end());
  return true;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// `path` without links; empty where it is not there.
static std::string realPath(const std::string &path) {
  char *real = realpath(path.c_str(), nullptr);
  std::string result = real ? real : "";
  free(real);
  return result;
}

Status NewFolder::prepare(const std::string &newPath) {
  path = newPath;
  std::string plain = path;
  while (plain.size() > 1 && plain.back() == '/')
    plain.pop_back();
  if (plain.empty())
    return failed(ENOENT);
  struct stat info;
  place = realPath(plain);
  if (place.empty()) {
    if (errno != ENOENT)
      return failed(errno);
    size_t slash = plain.rfind('/');
    std::string name =
        slash == std::string::npos ? plain : plain.substr(slash + 1);
    std::string folder = slash == std::string::npos ? "."
                         : slash == 0               ? "/"
                                                    : plain.substr(0, slash);
    // A link to what is not there would be replaced by a folder.
    if (lstat(plain.c_str(), &info) == 0 || name == "..")
      return failed(EEXIST);
    parent = realPath(folder);
    if (parent.empty())
      return failed(errno);
    place = (parent == "/" ? "" : parent) + "/" + name;
  } else {
    if (stat(place.c_str(), &info) != 0)
      return failed(errno);
    if (!S_ISDIR(info.st_mode))
      return failed(ENOTDIR);
    size_t slash = place.rfind('/');
    parent = slash == 0 ? "/" : place.substr(0, slash);
    if (place == "/")
      return failed(EEXIST);
  }
  if (stat(parent.c_str(), &info) != 0)
    return failed(errno);
  if (!S_ISDIR(info.st_mode))
    return failed(ENOTDIR);
  if (access(parent.c_str(), W_OK | X_OK) != 0)
    return failed(errno);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// The folder aside
//===----------------------------------------------------------------------===//

static constexpr char asideEnd[] = ".tmp";
static constexpr size_t idDigits = 16;

std::string NewFolder::asideStart() const {
  return format(".%.100s.", place.c_str() + place.rfind('/') + 1);
}

/// Who fills a folder aside holds a lock on it, which ends with the process.
void NewFolder::removeStale() const {
  std::vector<std::string> names, inside;
  listFolder(parent, names);
  std::string start = asideStart();
  for (const std::string &name : names) {
    if (name.size() != start.size() + idDigits + strlen(asideEnd) ||
        name.compare(0, start.size(), start) != 0 ||
        name.compare(name.size() - strlen(asideEnd), std::string::npos,
                     asideEnd) != 0)
      continue;
    std::string left = parent + "/" + name;
    int fd =
        open(left.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
      continue;
    inside.clear();
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && listFolder(left, inside)) {
      for (const std::string &file : inside)
        unlink((left + "/" + file).c_str());
      rmdir(left.c_str());
    }
    close(fd);
  }
}

Status NewFolder::create(int64_t bytes) {
  removeStale();
  struct statvfs disk;
  // Some file systems count no blocks.
  if (statvfs(parent.c_str(), &disk) == 0 && disk.f_blocks != 0 &&
      static_cast<uint64_t>(bytes) / disk.f_frsize + 1 > disk.f_bavail)
    return Status::failure(
        ExitEnvironment,
        format("%s: error: cannot write: needs %s, %s free",
               printable(path).c_str(), formatBytes(bytes).c_str(),
               formatBytes(disk.f_bavail * disk.f_frsize).c_str()));
  aside = format("%s/%s%016llx%s", parent.c_str(), asideStart().c_str(),
                 static_cast<unsigned long long>(uniqueId()), asideEnd);
  if (mkdir(aside.c_str(), 0777) != 0) {
    int reason = errno;
    aside.clear();
    return failed(reason);
  }
  noteTemporary(aside);
  lock = open(aside.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0 || (flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK))
    return failed(errno);
  // A folder that is replaced keeps its permissions.
  struct stat info;
  if (stat(place.c_str(), &info) == 0)
    (void)!fchmod(lock, info.st_mode & 0777);
  return Status::success();
}

std::string NewFolder::file(const std::string &name) {
  files.push_back(aside + "/" + name);
  noteTemporary(files.back());
  return files.back();
}

//===----------------------------------------------------------------------===//
// In its place
//===----------------------------------------------------------------------===//

/// Brings a change of a folder's entries to the disk.
static bool syncFolder(const std::string &folder) {
  int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool good = fd >= 0 && NewFile::synced(fd);
  if (fd >= 0)
    close(fd);
  return good;
}

/// Afterwards `aside` names what was in the place.
Status NewFolder::exchange(bool isNew) {
  if (isNew)
    return rename(aside.c_str(), place.c_str()) == 0 ? Status::success()
                                                     : failed(errno);
  if (renameat2(AT_FDCWD, aside.c_str(), AT_FDCWD, place.c_str(),
                RENAME_EXCHANGE) == 0)
    return Status::success();
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
    return failed(errno);
  // Where the file system cannot do both at once, nothing is in the place for a
  // moment.
  std::string old = aside + ".old";
  if (rename(place.c_str(), old.c_str()) != 0)
    return failed(errno);
  if (rename(aside.c_str(), place.c_str()) != 0) {
    int reason = errno;
    (void)!rename(old.c_str(), place.c_str());
    return failed(reason);
  }
  (void)!rename(old.c_str(), aside.c_str());
  return Status::success();
}

Status NewFolder::commit(const std::vector<std::string> &replaced) {
  if (!syncFolder(aside))
    return failed(errno);
  struct stat info;
  bool isNew = stat(place.c_str(), &info) != 0;
  std::vector<std::string> there;
  if (!isNew && !listFolder(place, there))
    return failed(errno);
  for (const std::string &name : there)
    if (std::find(replaced.begin(), replaced.end(), name) == replaced.end())
      return Status::failure(
          ExitBadInput,
          format("%s: error: not replaced: it has '%s', which is no part of a "
                 "checkpoint",
                 printable(path).c_str(), printable(name).c_str()));
  Status status = exchange(isNew);
  if (status.failed())
    return status;
  // What is aside now is the old one, of which signals know nothing.
  for (const std::string &file : files)
    forgetTemporary(file);
  files.clear();
  forgetTemporary(aside);
  if (!syncFolder(parent))
    status = failed(errno);
  if (!isNew) {
    for (const std::string &name : there)
      unlink((aside + "/" + name).c_str());
    rmdir(aside.c_str());
  }
  aside.clear();
  return status;
}

NewFolder::~NewFolder() {
  for (const std::string &file : files)
    removeTemporary(file);
  if (!aside.empty()) {
    rmdir(aside.c_str());
    forgetTemporary(aside);
  }
  if (lock >= 0)
    close(lock);
}
