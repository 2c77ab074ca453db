//===- ObjectCache.cpp - Objects of earlier compilations ------------------===//
//
// An entry is an object followed by a digest of its key and itself.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Driver/ObjectCache.h"
#include "tapestry/Support/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/stat.h>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::driver;
namespace fs = llvm::sys::fs;

// Files of other names are none of ours.
static constexpr llvm::StringLiteral entryPrefix = "llvmcache-";

using Digest = llvm::BLAKE3Result<>;

static Digest digestOf(llvm::StringRef key, llvm::StringRef object) {
  llvm::BLAKE3 hash;
  hash.update(key);
  hash.update(object);
  return hash.final();
}

static llvm::Error off(const llvm::Twine &place, const llvm::Twine &why) {
  return faultError(Fault::Machine, place.str(), why.str());
}

llvm::Expected<ObjectCache> ObjectCache::ofUser(bool create) {
  // A relative path is to be ignored, says who named the variable.
  llvm::SmallString<128> path;
  if (!llvm::sys::path::cache_directory(path) ||
      !llvm::sys::path::is_absolute(path)) {
    if (!llvm::sys::path::home_directory(path) ||
        !llvm::sys::path::is_absolute(path))
      return off("", "neither XDG_CACHE_HOME nor HOME names a folder");
    llvm::sys::path::append(path, ".cache");
  }
  llvm::sys::path::append(path, "tapestry");
  if (create)
    if (std::error_code error = fs::create_directories(
            path, /*IgnoreExisting=*/true, fs::owner_all))
      return off(path, error.message());
  fs::file_status status;
  std::error_code error = fs::status(path, status);
  if (error == std::errc::no_such_file_or_directory)
    return ObjectCache(std::string(path));
  if (error)
    return off(path, error.message());
  if (!fs::is_directory(status))
    return off(path, "is no folder");
  if (status.getUser() != geteuid() ||
      (status.permissions() & (fs::group_write | fs::others_write)))
    return off(path, "others may write there");
  if (fs::access(path, fs::AccessMode::Write))
    return off(path, "may not be written");
  return ObjectCache(std::string(path));
}

std::string ObjectCache::entryPath(llvm::StringRef key) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, entryPrefix + key);
  return std::string(path);
}

std::unique_ptr<llvm::MemoryBuffer>
ObjectCache::find(llvm::StringRef key) const {
  std::string path = entryPath(key);
  auto file = fs::openNativeFileForRead(path);
  if (!file) {
    llvm::consumeError(file.takeError());
    return nullptr;
  }
  // Who was read last is known by the time of access, which systems do not
  // always set by themselves.
  const timespec times[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  (void)futimens(*file, times);
  auto entry = llvm::MemoryBuffer::getOpenFile(*file, path, /*FileSize=*/-1,
                                               /*RequiresNullTerminator=*/false,
                                               /*IsVolatile=*/false);
  (void)fs::closeFile(*file);
  if (!entry)
    return nullptr;
  llvm::StringRef bytes = (*entry)->getBuffer();
  llvm::StringRef object = bytes.drop_back(
      std::min<size_t>(bytes.size(), std::tuple_size_v<Digest>));
  if (llvm::toStringRef(digestOf(key, object)) !=
      bytes.drop_front(object.size())) {
    (void)fs::remove(path);
    return nullptr;
  }
  return llvm::MemoryBuffer::getMemBufferCopy(object, "tapestry");
}

void ObjectCache::keep(llvm::StringRef key, llvm::StringRef object) const {
  if (object.size() > limits.bytes)
    return;
  // What a process leaves that is killed is pruned as entries are.
  auto file = fs::TempFile::create(entryPath("%%%%%%%%%%%%.tmp"),
                                   fs::owner_read | fs::owner_write);
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  os << object << llvm::toStringRef(digestOf(key, object));
  os.flush();
  bool isWhole = !os.has_error();
  os.clear_error();
  llvm::consumeError(isWhole ? file->keep(entryPath(key)) : file->discard());
  prune();
}

// llvm::pruneCache() ends the process where the folder has vanished meanwhile.
void ObjectCache::prune() const {
  struct Entry {
    std::string path;
    fs::file_status status;
  };
  std::vector<Entry> entries;
  uint64_t bytes = 0;
  auto note = [&](const std::string &path) {
    fs::file_status status;
    if (std::error_code failed = fs::status(path, status))
      return failed;
    bytes += status.getSize();
    entries.push_back({path, status});
    return std::error_code();
  };
  // What cannot be counted is pruned by who can.
  if (llvm::Error error = forEachEntry(note)) {
    llvm::consumeError(std::move(error));
    return;
  }
  llvm::sort(entries, [](const Entry &left, const Entry &right) {
    return std::make_pair(left.status.getLastAccessedTime(), left.path) <
           std::make_pair(right.status.getLastAccessedTime(), right.path);
  });
  size_t left = entries.size();
  for (const Entry &entry : entries) {
    if (left <= limits.objects && bytes <= limits.bytes)
      return;
    (void)fs::remove(entry.path);
    bytes -= entry.status.getSize();
    --left;
  }
}

llvm::Error ObjectCache::forEachEntry(
    llvm::function_ref<std::error_code(const std::string &)> visit) const {
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    if (!llvm::sys::path::filename(file->path()).starts_with(entryPrefix))
      continue;
    std::error_code failed = visit(file->path());
    // Another process may have been faster.
    if (failed && failed != std::errc::no_such_file_or_directory)
      return off(file->path(), failed.message());
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return off(folder, error.message());
  return llvm::Error::success();
}

llvm::Expected<ObjectCache::Contents> ObjectCache::count() const {
  Contents contents;
  llvm::Error error = forEachEntry([&](const std::string &path) {
    fs::file_status status;
    if (std::error_code failed = fs::status(path, status))
      return failed;
    ++contents.objects;
    contents.bytes += status.getSize();
    return std::error_code();
  });
  if (error)
    return std::move(error);
  return contents;
}

llvm::Error ObjectCache::clear() const {
  return forEachEntry([](const std::string &path) { return fs::remove(path); });
}
