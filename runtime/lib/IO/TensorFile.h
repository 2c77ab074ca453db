//===- TensorFile.h - Parts of tensors in .npy files ------------*- C++ -*-===//
//
// Files as a run uses them: checked before anything runs, read and written box
// by box, by any number of ranks at a time. A written file appears whole, under
// its own name, or not at all.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_IO_TENSORFILE_H
#define TAPESTRY_RT_IO_TENSORFILE_H

#include "Core/Box.h"
#include "IO/Npy.h"
#include "tapestry-rt/Files.h"
#include <mutex>

namespace tapestry {
namespace rt {

/// An input. Messages start with the file's name: "a.npy: error: ...".
class InputFile {
public:
  InputFile() = default;
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  /// Opens the file and checks that it holds exactly `tensor`: header, element
  /// type, shape and length.
  Status open(const std::string &path, const TapestryTensor &tensor);
  /// Opens the file for a tensor of its own shape and type or, where the file's
  /// bytes can be taken as that, of element type `wanted`; -1: any.
  Status openAny(const std::string &path, int32_t wanted = -1);

  int32_t type() const { return dtype; }
  const std::vector<int64_t> &shape() const { return header.shape; }

  /// Reads the elements of `box` into `target`, row-major. Reads nothing else
  /// but what lies in short gaps between them.
  Status read(BoxRef box, void *target) const;

private:
  Status checkHeader(const TapestryTensor &tensor) const;
  Status checkLength(int64_t fileBytes) const;
  Status readRowMajor(BoxRef whole, BoxRef box, char *target) const;
  Status readFortran(BoxRef box, char *target) const;
  Status readBytes(char *target, int64_t bytes, int64_t offset) const;

  std::string path;
  int fd = -1;
  NpyHeader header;
  int32_t dtype = 0;
  int64_t elementSize = 0;
};

/// An output. Rank 0's process creates it, every owner writes its part, rank 0
/// commits.
class OutputFile {
public:
  OutputFile() = default;
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  /// Checks that a file could be put at `path`, and that there is room.
  Status prepare(const std::string &path, const TapestryTensor &tensor);

  /// See NewFile; threads of one process may all join. Returns the name.
  std::string nameAside(uint64_t id);
  void joinAside(const std::string &name);
  /// Creates the file aside in its full size, with its header.
  Status create();
  /// Opens what another process has created, unless that is done.
  Status open();
  /// Writes the part `box` from row-major memory.
  Status write(BoxRef box, const void *source);
  /// Has the system begin to bring what is written to the disk, so that `close`
  /// waits for less.
  void startSync() const;
  Status close();
  /// Gives the complete file its name. One rank does; all then forget the name
  /// aside, which each process has once.
  Status commit() {
    return file.isWanted() ? file.commit() : Status::success();
  }
  void forget();

private:
  Status writeBytes(const char *source, int64_t bytes, int64_t offset);

  std::string path; // as the user wrote it
  NewFile file;
  std::string header;
  const TapestryTensor *tensor = nullptr;
  std::mutex mutex; // guards fd and the name aside among ranks of one process
  int fd = -1;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_IO_TENSORFILE_H
