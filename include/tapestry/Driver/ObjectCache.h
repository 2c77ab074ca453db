//===- ObjectCache.h - Objects of earlier compilations ----------*- C++ -*-===//
//
// A folder of object files under keys, which several processes may use at a
// time. What it gives is what was put in: every entry is checked by a digest,
// and one that is not as it was written is none. Nothing here is an error of a
// compilation; what cannot be read is made anew, what cannot be written is not
// kept.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DRIVER_OBJECTCACHE_H
#define TAPESTRY_DRIVER_OBJECTCACHE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace tapestry::driver {

class ObjectCache {
public:
  /// The entries used last stay, up to both limits.
  struct Limits {
    uint64_t bytes = uint64_t(512) << 20;
    uint64_t objects = 1000;
  };

  /// `folder` is there, or there is nothing in it.
  explicit ObjectCache(std::string folder) : folder(std::move(folder)) {}
  ObjectCache(std::string folder, Limits limits)
      : folder(std::move(folder)), limits(limits) {}

  /// The user's, in $XDG_CACHE_HOME/tapestry, else ~/.cache/tapestry. Makes the
  /// folder where `create` says so. An error (FaultError) says why none is
  /// used: code is run from there, so that only this user may write there.
  static llvm::Expected<ObjectCache> ofUser(bool create);

  const std::string &getFolder() const { return folder; }
  const Limits &getLimits() const { return limits; }

  /// What was kept under `key`, letters and digits, last; null where there is
  /// nothing.
  std::unique_ptr<llvm::MemoryBuffer> find(llvm::StringRef key) const;
  /// Keeps `object` under `key`, and within the limits.
  void keep(llvm::StringRef key, llvm::StringRef object) const;
  /// Removes what was used longest ago, down to the limits, as far as it can.
  void prune() const;

  struct Contents {
    uint64_t objects = 0;
    uint64_t bytes = 0;
  };
  llvm::Expected<Contents> count() const;
  /// Removes all entries.
  llvm::Error clear() const;

private:
  std::string entryPath(llvm::StringRef key) const;
  llvm::Error forEachEntry(
      llvm::function_ref<std::error_code(const std::string &path)> visit) const;

  std::string folder;
  Limits limits;
};

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_OBJECTCACHE_H
