//===- Files.h - Files that appear whole or not at all ----------*- C++ -*-===//
//
// How the runtime and the driver write: aside, onto the disk, then under the
// file's own name. A failure or a signal leaves the old file and nothing else;
// what a process left that was killed goes when the name is written again.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_FILES_H
#define TAPESTRY_RT_FILES_H

#include "tapestry-rt/Status.h"
#include <utility>
#include <vector>

namespace tapestry {
namespace rt {

/// A file that is being written.
class NewFile {
public:
  NewFile() = default;
  /// Removes what was not committed.
  ~NewFile();
  NewFile(const NewFile &) = delete;
  NewFile &operator=(const NewFile &) = delete;

  /// Checks that a file could be put at `path`, and removes what ended
  /// processes left of it.
  Status prepare(const std::string &path);
  /// Whether what is written is wanted: /dev/null takes it and forgets it.
  bool isWanted() const { return kind != Kind::Nothing; }
  /// The folder that the bytes go to first.
  const std::string &folder() const { return asideFolder; }

  /// Names the file aside; `id` is common to all processes that write it and
  /// to no other file. From here on a failure or a signal removes it.
  void nameAside(uint64_t id);
  /// The same where another process creates the file, by the name that it has
  /// there; empty: it is not wanted. What the path means here is not looked at:
  /// each process has a standard output of its own.
  void joinAside(const std::string &name);
  const std::string &aside() const { return temporary; }
  /// Creates the file aside. Its descriptor stays this object's.
  Status create(int &fd, bool executable = false);

  /// Puts the bytes onto the disk and gives the file its name. Whoever has
  /// created it does; other processes `forget` it.
  Status commit();
  void forget();

  /// An error of this file: "z.npy: error: cannot write: ...".
  Status failed(int errorNumber) const;
  /// fsync, where the file system can.
  static bool synced(int fd);

private:
  /// A pipe or a device gets the bytes when all are there.
  enum class Kind { File, Stream, Nothing };

  Status checkPlace();
  Status failedAside(int errorNumber) const;
  void removeStale() const;
  Status copyToStream() const;

  Kind kind = Kind::File;
  std::string path;  // as the user wrote it
  std::string place; // with links resolved
  std::string asideFolder;
  std::string temporary;
  int descriptor = -1;
};

/// A number unlike that of any other run.
uint64_t uniqueId();
/// Where files go that no place is asked for: $TMPDIR, else /tmp.
std::string temporaryFolder();

/// Writes a file as a whole.
Status putFile(const std::string &path, const std::string &bytes,
               bool executable = false);

/// The file that a word of the command line names: "-" standard output.
std::string writtenFile(const std::string &word);

/// What stands for a file in messages ("--json", "output 'C'"), and its path.
using NamedFile = std::pair<std::string, std::string>;
/// Fails where two of `written` are one file, or one of them is among `read`,
/// by whatever names. /dev/null takes several.
Status checkDistinct(const std::vector<NamedFile> &written,
                     const std::vector<NamedFile> &read);
/// Whether two paths are those of one regular file, or of one that is not
/// there.
bool isSameFile(const std::string &a, const std::string &b);

/// Reads the shape that the header of a .npy file states. Messages start with
/// the file's name.
Status readShape(const std::string &path, std::vector<int64_t> &shape);
/// Fails unless that is the shape of the input that the file is for.
Status checkShape(const std::string &path, const std::string &input,
                  const std::vector<int64_t> &shape);

/// Opens what is closed of standard input, output and error, so that no file
/// gets their numbers and the messages. Writing to a closed standard output
/// remains an error. To be called before any file is opened.
void holdStandardFiles();

//===----------------------------------------------------------------------===//
// Unfinished files
//===----------------------------------------------------------------------===//

/// Notes a file, or a folder that its files are noted of, too, that is to be
/// removed unless `forgetTemporary` is called.
void noteTemporary(const std::string &path);
/// The file is complete (or gone).
void forgetTemporary(const std::string &path);
/// Removes one and forgets it.
void removeTemporary(const std::string &path);
/// Removes all files that are noted and forgets them.
void removeTemporaries();
/// Only removes them; safe in signal handlers and without memory.
void unlinkTemporaries();

/// While one of these is alive, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE and
/// SIGXCPU remove the noted files before they do what they did before, and a
/// file that gets too large is a failed write.
class SignalGuard {
public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard &) = delete;
  SignalGuard &operator=(const SignalGuard &) = delete;
};

/// Runs a program to its end; a signal that ends this process ends it first,
/// and all that it has started. Returns its exit status, or -1 and why it could
/// not be run or was ended.
int runChild(const std::vector<std::string> &words, std::string &problem);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_FILES_H
