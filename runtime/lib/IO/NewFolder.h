//===- NewFolder.h - Folders that appear whole or not at all ----*- C++ -*-===//
//
// A folder is filled aside, beside its place, and then takes the place at once:
// what was there stays until then. Those that a killed process left aside go
// when the name is written again.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_IO_NEWFOLDER_H
#define TAPESTRY_RT_IO_NEWFOLDER_H

#include "tapestry-rt/Status.h"
#include <vector>

namespace tapestry {
namespace rt {

class NewFolder {
public:
  NewFolder() = default;
  /// Removes what was not committed.
  ~NewFolder();
  NewFolder(const NewFolder &) = delete;
  NewFolder &operator=(const NewFolder &) = delete;

  /// Checks that a folder could be put at `path`.
  Status prepare(const std::string &path);
  /// Makes the folder aside, unless the disk has less than `bytes` left.
  Status create(int64_t bytes);
  /// Where a file of the folder is to be written: it is removed with it.
  std::string file(const std::string &name);
  /// Brings the folder to the disk and puts it in its place. What was there
  /// must hold nothing else than files of these names; they are removed.
  Status commit(const std::vector<std::string> &replaced);

  /// "ckpt: error: cannot write: ...": no permission and a full disk are the
  /// machine's fault.
  Status failed(int errorNumber) const;

private:
  std::string asideStart() const;
  void removeStale() const;
  Status exchange(bool isNew);

  std::string path;   // as the user wrote it
  std::string place;  // with links resolved
  std::string parent; // its folder
  std::string aside;
  std::vector<std::string> files; // in it
  int lock = -1;
};

/// The names of what is in a folder, sorted; false where it cannot be read.
bool listFolder(const std::string &path, std::vector<std::string> &names);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_IO_NEWFOLDER_H
