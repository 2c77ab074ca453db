//===- NewFile.cpp - Writes files whole or not at all ---------------------===//

#include "Core/Machine.h"
#include "tapestry-rt/Files.h"
#include "tapestry-rt/Runtime.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string tapestry::rt::temporaryFolder() {
  const char *folder = getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

static std::string nameOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// `path` with symbolic links resolved, so that renaming replaces what a link
/// points to and not the link. Of a file that is not there yet, the folder is.
static std::string resolved(const std::string &path, int mostLinks = 40) {
  char *real = realpath(path.c_str(), nullptr);
  std::string name;
  if (!real) {
    // A link to what is not there: that is to be made.
    char target[PATH_MAX];
    ssize_t length = readlink(path.c_str(), target, sizeof(target));
    if (length > 0 && mostLinks > 0) {
      std::string to(target, length);
      return resolved(to[0] == '/' ? to : folderOf(path) + "/" + to,
                      mostLinks - 1);
    }
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

/// The descriptor of this process that a path names, by links too
/// ("/dev/stdout", "/dev/fd/1"); -1: it names none.
static int ownDescriptor(std::string path) {
  const std::string own =
      format("/proc/%lld/fd/", static_cast<long long>(getpid()));
  constexpr int mostLinks = 40;
  for (int links = 0; links < mostLinks; ++links) {
    for (const std::string &start :
         {std::string("/dev/fd/"), std::string("/proc/self/fd/"),
          std::string("/proc/thread-self/fd/"), own}) {
      std::string number = path.substr(std::min(start.size(), path.size()));
      if (path.compare(0, start.size(), start) == 0 && !number.empty() &&
          number.size() <= 9 &&
          number.find_first_not_of("0123456789") == std::string::npos)
        return std::stoi(number);
    }
    char target[PATH_MAX];
    ssize_t length = readlink(path.c_str(), target, sizeof(target));
    if (length <= 0)
      return -1;
    std::string to(target, length);
    path = to[0] == '/' ? to : folderOf(path) + "/" + to;
  }
  return -1;
}

/// Names of what a process holds open: there is no folder to put another file
/// into.
static bool namesOpenFile(const std::string &path) {
  return ownDescriptor(path) >= 0 || path.compare(0, 6, "/proc/") == 0;
}

static bool isNull(const struct stat &info) {
  return S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3);
}

/// A wrong place is the user's mistake; what a right one cannot take is the
/// machine's lack.
static ExitStatus exitOf(int errorNumber) {
  for (int place : {ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG,
                    EROFS, ENXIO})
    if (errorNumber == place)
      return ExitBadInput;
  return ExitEnvironment;
}

Status NewFile::failed(int errorNumber) const {
  return Status::failure(
      exitOf(errorNumber),
      printable(path) + ": error: cannot write: " + errnoText(errorNumber));
}

/// Of a stream the folder of the file aside is not that of its own name.
Status NewFile::failedAside(int errorNumber) const {
  return Status::failure(
      ExitEnvironment,
      printable(path) + ": error: no temporary file for it in " +
          printable(asideFolder) + ": " + errnoText(errorNumber));
}

/// Whether files can be made in a folder that may be written. File systems that
/// show something else as files (/proc) have no blocks, and trying tells.
static bool takesFiles(const std::string &folder) {
  struct statvfs disk;
  if (statvfs(folder.c_str(), &disk) != 0 || disk.f_blocks != 0)
    return true;
  std::string name = format("%s/.%016llx.tmp", folder.c_str(),
                            static_cast<unsigned long long>(uniqueId()));
  int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return false;
  close(fd);
  unlink(name.c_str());
  return true;
}

Status NewFile::checkPlace() {
  struct stat info;
  int own = ownDescriptor(path);
  // Of several processes the first writes to what it has open itself.
  if (own >= 0 && launchedAs().rank != 0) {
    kind = Kind::Stream;
    return Status::success();
  }
  if (stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode))
      return failed(EISDIR);
    if (own >= 0 && (fcntl(own, F_GETFL) & O_ACCMODE) == O_RDONLY)
      return failed(EBADF);
    if (own < 0 && access(path.c_str(), W_OK) != 0)
      return failed(errno);
    if (isNull(info))
      kind = Kind::Nothing;
    else if (!S_ISREG(info.st_mode) || namesOpenFile(path))
      kind = Kind::Stream;
    if (kind != Kind::File)
      return Status::success();
  } else if (errno == ELOOP) {
    return failed(errno);
  } else if (path.empty() || path.back() == '/') {
    return failed(path.empty() ? ENOENT : EISDIR);
  }
  std::string folder = folderOf(place);
  if (stat(folder.c_str(), &info) != 0)
    return failed(errno);
  if (!S_ISDIR(info.st_mode))
    return failed(ENOTDIR);
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return failed(errno);
  if (!takesFiles(folder))
    return Status::failure(ExitBadInput, printable(path) +
                                             ": error: cannot write: the file "
                                             "system of " +
                                             printable(folder) +
                                             " takes no new files");
  return Status::success();
}

Status NewFile::prepare(const std::string &newPath) {
  path = newPath;
  place = resolved(path);
  Status status = checkPlace();
  if (status.failed())
    return status;
  if (kind == Kind::File) {
    asideFolder = folderOf(place);
    removeStale();
  } else {
    asideFolder = temporaryFolder();
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// The file aside
//===----------------------------------------------------------------------===//

/// What all names aside of a file start with. The start of its name only: the
/// whole may be as long as names can be.
static std::string asideStart(const std::string &place) {
  return format(".%.100s.", nameOf(place).c_str());
}
static constexpr char asideEnd[] = ".tmp";
static constexpr size_t idDigits = 16;

void NewFile::nameAside(uint64_t id) {
  if (temporary.empty() && isWanted()) {
    temporary =
        format("%s/%s%016llx%s", asideFolder.c_str(), asideStart(place).c_str(),
               static_cast<unsigned long long>(id), asideEnd);
    noteTemporary(temporary);
  }
}

void NewFile::joinAside(const std::string &name) {
  if (!temporary.empty())
    return;
  if (name.empty())
    kind = Kind::Nothing;
  else if (!isWanted())
    kind = Kind::Stream;
  temporary = name;
  if (!name.empty())
    noteTemporary(name);
}

/// Waits for whoever looks at the file. Where there are no locks, nobody can
/// find a file stale either.
static void lock(int fd) {
  while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
}

/// Who writes a file aside holds a lock on it, which ends with the process.
void NewFile::removeStale() const {
  DIR *folder = opendir(asideFolder.c_str());
  if (!folder)
    return;
  std::string start = asideStart(place);
  size_t length = start.size() + idDigits + strlen(asideEnd);
  while (dirent *entry = readdir(folder)) {
    std::string name = entry->d_name;
    if (name.size() != length || name.compare(0, start.size(), start) != 0 ||
        name.compare(start.size() + idDigits, std::string::npos, asideEnd) !=
            0 ||
        name.find_first_not_of("0123456789abcdef", start.size()) !=
            start.size() + idDigits)
      continue;
    std::string left = asideFolder + "/" + name;
    int fd = open(left.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
      continue;
    // Another may have removed this one, and the name be a new one's by now.
    struct stat info;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &info) == 0 &&
        info.st_nlink != 0)
      unlink(left.c_str());
    close(fd);
  }
  closedir(folder);
}

Status NewFile::create(int &fd, bool executable) {
  // Between creating and locking, another process may take it for stale.
  struct stat info;
  do {
    if (descriptor >= 0)
      close(descriptor);
    descriptor = open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                      executable ? 0777 : 0666);
    if (descriptor < 0)
      return kind == Kind::File ? failed(errno) : failedAside(errno);
    lock(descriptor);
    if (fstat(descriptor, &info) != 0)
      return failed(errno);
  } while (info.st_nlink == 0);
  // A file that is replaced keeps its permissions, as if written in place.
  if (kind == Kind::File && stat(place.c_str(), &info) == 0) {
    mode_t mode = info.st_mode & 0777;
    // Who may read a program may run it.
    (void)!fchmod(descriptor, executable ? mode | (mode & 0444) >> 2 : mode);
  }
  fd = descriptor;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Under its own name
//===----------------------------------------------------------------------===//

bool NewFile::synced(int fd) {
  return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
}

/// Waits until a descriptor that does not wait takes more.
static bool becomesReady(int fd) {
  pollfd wanted = {fd, POLLOUT, 0};
  return poll(&wanted, 1, -1) >= 0 || errno == EINTR;
}

Status NewFile::copyToStream() const {
  // What the process has open goes on at its place: opened once more, a regular
  // file would have one of its own, and what is printed next overwrite this.
  int own = ownDescriptor(path);
  fflush(stdout);
  int to = own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 0)
                    : open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (to < 0)
    return failed(errno);
  std::vector<char> piece(1 << 20);
  int reason = 0;
  for (off_t offset = 0; reason == 0;) {
    ssize_t got = pread(descriptor, piece.data(), piece.size(), offset);
    if (got == 0)
      break;
    for (ssize_t done = 0; got > 0 && done < got && reason == 0;) {
      ssize_t put = ::write(to, piece.data() + done, got - done);
      if (put >= 0)
        done += put;
      else if (errno != EINTR && (errno != EAGAIN || !becomesReady(to)))
        reason = errno;
    }
    if (got < 0 && errno != EINTR)
      reason = errno;
    offset += got > 0 ? got : 0;
  }
  if (close(to) != 0 && reason == 0)
    reason = errno;
  return reason == 0 ? Status::success() : failed(reason);
}

Status NewFile::commit() {
  Status status;
  if (kind == Kind::Stream) {
    status = copyToStream();
  } else if (kind == Kind::File) {
    if (!synced(descriptor) || rename(temporary.c_str(), place.c_str()) != 0)
      return failed(errno);
    int folder = open(asideFolder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
      if (!synced(folder))
        status = failed(errno);
      close(folder);
    }
  }
  if (kind != Kind::File)
    unlink(temporary.c_str());
  int fd = descriptor;
  descriptor = -1;
  if (fd >= 0)
    close(fd);
  forget();
  return status;
}

void NewFile::forget() {
  forgetTemporary(temporary);
  temporary.clear();
}

NewFile::~NewFile() {
  if (descriptor >= 0) {
    if (!temporary.empty())
      unlink(temporary.c_str());
    close(descriptor);
  }
  if (!temporary.empty())
    forget();
}

//===----------------------------------------------------------------------===//
// Whole files
//===----------------------------------------------------------------------===//

uint64_t tapestry::rt::uniqueId() {
  return static_cast<uint64_t>(nowNanoseconds()) * 1000003 +
         static_cast<uint64_t>(getpid());
}

Status tapestry::rt::putFile(const std::string &path, const std::string &bytes,
                             bool executable) {
  NewFile file;
  Status status = file.prepare(path);
  if (status.failed() || !file.isWanted())
    return status;
  file.nameAside(uniqueId());
  int fd;
  status = file.create(fd, executable);
  for (size_t done = 0; !status.failed() && done < bytes.size();) {
    ssize_t put = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (put >= 0)
      done += put;
    else if (errno != EINTR)
      status = file.failed(errno);
  }
  return status.failed() ? status : file.commit();
}

std::string tapestry::rt::writtenFile(const std::string &word) {
  return word == "-" ? "/dev/stdout" : word;
}

//===----------------------------------------------------------------------===//
// One file, one use
//===----------------------------------------------------------------------===//

namespace {
/// Two paths of one file have the same identity.
struct Identity {
  explicit Identity(const std::string &path) : place(resolved(path)) {
    exists = stat(path.c_str(), &info) == 0;
    isStream = exists && (!S_ISREG(info.st_mode) || namesOpenFile(path));
    // Of several processes the first says what its open files are.
    takesSeveral = (exists && isNull(info)) ||
                   (ownDescriptor(path) >= 0 && launchedAs().rank != 0);
  }
  bool operator==(const Identity &other) const {
    return place == other.place ||
           (exists && other.exists && info.st_dev == other.info.st_dev &&
            info.st_ino == other.info.st_ino);
  }
  std::string place;
  struct stat info;
  bool exists;
  bool isStream;
  /// One whole behind another is no file of either.
  bool takesSeveral;
};
} // namespace

Status tapestry::rt::checkDistinct(const std::vector<NamedFile> &written,
                                   const std::vector<NamedFile> &read) {
  for (size_t i = 0; i < written.size(); ++i) {
    Identity own(written[i].second);
    if (own.takesSeveral)
      continue;
    auto same = [&](const NamedFile &other, const char *what) {
      return Status::failure(
          ExitUsage, format("%s and %s %s the same file %s",
                            other.first.c_str(), written[i].first.c_str(), what,
                            printable(written[i].second).c_str()));
    };
    for (size_t j = 0; j < i; ++j)
      if (Identity(written[j].second) == own)
        return same(written[j], "go to");
    // A terminal may be read and written.
    for (const NamedFile &file : read)
      if (!own.isStream && Identity(file.second) == own)
        return same(file, "are");
  }
  return Status::success();
}

bool tapestry::rt::isSameFile(const std::string &a, const std::string &b) {
  Identity own(a);
  return !own.isStream && !own.takesSeveral && own == Identity(b);
}

void tapestry::rt::holdStandardFiles() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      // The lowest number that is free is this one. What can only be read says
      // of a write what the closed one would have said.
      int opened = open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
      if (opened > fd)
        close(opened);
    }
}
