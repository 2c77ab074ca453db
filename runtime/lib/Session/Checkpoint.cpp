//===- Checkpoint.cpp - A session on the disk, and back -------------------===//
//
// A folder with manifest.json and one .npy file per tensor. All ranks write and
// read at once: each its own part, or where parts are short stretches of the
// file, an equal share of that.
//
//===----------------------------------------------------------------------===//

#include "IO/NewFolder.h"
#include "Session/Manifest.h"
#include "Session/Session.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

// So many files are open at a time.
static constexpr size_t batchFiles = 64;
// Behind so many bytes the disk is set to work.
static constexpr int64_t syncBytes = 32 << 20;

static Status fileError(const std::string &path, ExitStatus exit,
                        const std::string &reason) {
  return Status::failure(exit, printable(path) + ": error: " + reason);
}

/// Who may not read something has no wrong data.
static ExitStatus exitOf(int errorNumber) {
  return errorNumber == ENOENT || errorNumber == ENOTDIR ||
                 errorNumber == EISDIR || errorNumber == ELOOP ||
                 errorNumber == ENAMETOOLONG
             ? ExitBadInput
             : ExitEnvironment;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

namespace {
/// A box in pieces of about a megabyte, each one stretch of its memory: small
/// enough to be in the processor's caches when they are looked at again.
class Pieces {
public:
  Pieces(const Box &box, int64_t elementSize) : box(box) {
    constexpr int64_t pieceBytes = 1 << 20;
    if (isEmpty(box))
      return;
    number = 1;
    if (box.empty())
      return;
    int64_t inner = elementSize * volume(box) / extent(box[0]);
    for (; dim + 1 < box.size() && inner > pieceBytes;
         inner /= extent(box[dim]))
      number *= extent(box[dim++]);
    step = std::max<int64_t>(pieceBytes / inner, 1);
    blocks = (extent(box[dim]) + step - 1) / step;
    number *= blocks;
  }

  int64_t count() const { return number; }
  Box operator[](int64_t index) const {
    Box piece = box;
    if (box.empty())
      return piece;
    Range &last = piece[dim];
    last.lo += index % blocks * step;
    last.hi = std::min(last.lo + step, last.hi);
    index /= blocks;
    for (size_t outer = dim; outer-- > 0;) {
      int64_t at = box[outer].lo + index % extent(box[outer]);
      index /= extent(box[outer]);
      piece[outer] = {at, at + 1};
    }
    return piece;
  }

private:
  const Box box;
  size_t dim = 0;
  int64_t step = 1, blocks = 1, number = 0;
};
} // namespace

static Box wholeOf(const HeldTensor &tensor) {
  Box whole;
  for (int64_t extent : tensor.shape)
    whole.push_back({0, extent});
  return whole;
}

/// Whether the parts are so many short stretches of the file that ranks had
/// better write and read it in equal shares, and gather and scatter them in
/// memory.
static bool isScattered(const HeldTensor &tensor, int64_t ranks) {
  constexpr int64_t shortBytes = 64 << 10;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    BoxRef part = tensor.box(rank);
    Box whole = wholeOf(tensor);
    if (isEmpty(part) || isContiguousIn(whole, part))
      continue;
    int64_t bytes = dtypeSize(tensor.dtype);
    for (int dim = part.rank; dim-- > 0;) {
      bytes *= extent(part[dim]);
      if (extent(part[dim]) != tensor.shape[dim])
        break;
    }
    if (bytes < shortBytes)
      return true;
  }
  return false;
}

/// The share of such a piece in the checksum of the whole.
static uint64_t checksumOfPiece(const HeldTensor &tensor, BoxRef piece,
                                const char *memory) {
  int64_t size = dtypeSize(tensor.dtype);
  uint64_t sum = 0;
  forEachStretch(wholeOf(tensor), piece, [&](int64_t offset, int64_t count) {
    sum += checksumOf(memory, offset * size, count * size);
    memory += count * size;
  });
  return sum;
}

/// Calls `visit(piece, memory)`, until one fails, for the pieces that a rank
/// writes or reads: of its part, where they lie; or, of a scattered tensor, of
/// its share of the file, in `scratch`.
static Status forEachPiece(const HeldTensor &tensor, int64_t rank,
                           bool scattered, Arena &arena,
                           const std::function<Status(BoxRef, char *)> &visit) {
  auto ranks = static_cast<int64_t>(tensor.parts.size());
  int64_t size = dtypeSize(tensor.dtype);
  Box part = tensor.box(rank).copy();
  Pieces pieces(scattered ? wholeOf(tensor) : part, size);
  int64_t begin = scattered ? pieces.count() * rank / ranks : 0;
  int64_t end =
      scattered ? pieces.count() * (rank + 1) / ranks : pieces.count();
  Scratch scratch;
  Status status;
  if (scattered && begin < end)
    status = scratch.allocate(arena, volume(pieces[0]) * size);
  for (int64_t i = begin; i < end && !status.failed(); ++i) {
    Box piece = pieces[i];
    status = visit(piece, scattered ? scratch.data()
                                    : static_cast<char *>(tensor.parts[rank]) +
                                          offsetIn(part, piece) * size);
  }
  return status;
}

/// Brings a piece together from the parts that have it.
static void gatherPiece(const HeldTensor &tensor, BoxRef piece, char *memory) {
  for (size_t rank = 0; rank < tensor.parts.size(); ++rank)
    if (BoxRef part = tensor.box(rank);
        tensor.owner[rank] && overlap(part, piece))
      copyPiece(memory, piece, tensor.parts[rank], part, intersect(part, piece),
                dtypeSize(tensor.dtype));
}

/// Gives every part, replicas too, what it has of a piece.
static void scatterPiece(const HeldTensor &tensor, BoxRef piece,
                         const char *memory) {
  for (size_t rank = 0; rank < tensor.parts.size(); ++rank)
    if (BoxRef part = tensor.box(rank); overlap(part, piece))
      copyPiece(tensor.parts[rank], part, memory, piece, intersect(part, piece),
                dtypeSize(tensor.dtype));
}

//===----------------------------------------------------------------------===//
// Manifests on the disk
//===----------------------------------------------------------------------===//

static Status readManifestOf(const std::string &folder, Manifest &manifest) {
  std::string path = folder + "/" + manifestName;
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;
  if (fd < 0)
    return fileError(path, exitOf(errno), "cannot open: " + errnoText(errno));
  std::string text, piece(1 << 16, '\0');
  ssize_t got = 0;
  bool isFile = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  while (isFile && ((got = ::read(fd, piece.data(), piece.size())) > 0 ||
                    (got < 0 && errno == EINTR)))
    text.append(piece, 0, got > 0 ? got : 0);
  int reason = errno;
  ::close(fd);
  if (!isFile)
    return fileError(path, ExitBadInput, "cannot open: not a regular file");
  if (got < 0)
    return fileError(path, ExitEnvironment,
                     "cannot read: " + errnoText(reason));
  Status status = readManifest(text, manifest);
  return status.failed()
             ? fileError(path, status.exitStatus(), status.message())
             : status;
}

/// What a checkpoint that is to be replaced consists of; fails where more is in
/// its folder.
static Status findReplaced(const std::string &folder,
                           std::vector<std::string> &names) {
  std::vector<std::string> there;
  struct stat info;
  if (stat(folder.c_str(), &info) != 0)
    return Status::success();
  if (!listFolder(folder, there))
    return fileError(folder, exitOf(errno),
                     "cannot write: " + errnoText(errno));
  if (std::find(there.begin(), there.end(), manifestName) != there.end()) {
    Manifest old;
    Status status = readManifestOf(folder, old);
    if (status.failed())
      return Status::failure(status.exitStatus(),
                             status.message() + " (so it is not replaced)");
    names.emplace_back(manifestName);
    for (const ManifestEntry &entry : old.tensors)
      names.push_back(entry.file);
  }
  for (const std::string &name : there)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return fileError(folder, ExitBadInput,
                       format("not replaced: it has '%s', which is no part of "
                              "a checkpoint",
                              printable(name).c_str()));
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// A file's name is the tensor's where that says nothing to a file system.
static std::string fileNameOf(const std::string &name, size_t number) {
  constexpr size_t longest = 200;
  bool isPlain = name.size() <= longest && name[0] != '.' && name[0] != '-';
  for (char c : name)
    isPlain &= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  // No plain name has a '+'.
  return isPlain ? name + ".npy" : format("tensor+%zu.npy", number);
}

static ManifestEntry entryOf(const std::string &name, const HeldTensor &tensor,
                             size_t number) {
  ManifestEntry entry;
  entry.name = name;
  entry.dtype = tensor.dtype;
  entry.shape = tensor.shape;
  entry.file = fileNameOf(name, number);
  auto rank = static_cast<int>(tensor.shape.size());
  auto header = makeNpyHeader(tensor.dtype, tensor.shape.data(), rank).size();
  entry.bytes = static_cast<int64_t>(header);
  int64_t data = dtypeSize(tensor.dtype);
  for (int64_t extent : tensor.shape)
    data *= extent;
  entry.bytes += data;
  entry.boxes = tensor.boxes;
  entry.owner = tensor.owner;
  return entry;
}

/// Writes the files of some tensors and fills in their checksums.
Status Session::writeBatch(const std::vector<const HeldTensor *> &batch,
                           ManifestEntry *entries,
                           const std::function<std::string(size_t)> &pathOf) {
  std::vector<TapestryTensor> tables;
  for (size_t i = 0; i < batch.size(); ++i)
    tables.push_back(batch[i]->table(entries[i].name.c_str()));
  std::vector<OutputFile> files(batch.size());
  Status status;
  for (size_t i = 0; i < batch.size() && !status.failed(); ++i) {
    status = files[i].prepare(pathOf(i), tables[i]);
    if (!status.failed()) {
      files[i].nameAside(uniqueId());
      status = files[i].create();
    }
  }
  std::vector<std::atomic<uint64_t>> sums(batch.size());
  // File systems let one write to a file at a time, and who waits there, spins:
  // so ranks begin with different files and take turns.
  std::vector<std::mutex> turns(batch.size());
  if (!status.failed())
    status = onRanks([&](int rank) {
      Status written;
      for (size_t step = 0; step < batch.size() && !written.failed(); ++step) {
        size_t i = (rank + step) % batch.size();
        const HeldTensor &tensor = *batch[i];
        bool scattered = isScattered(tensor, ranks());
        if (!scattered && !tensor.owner[rank])
          continue;
        std::lock_guard<std::mutex> turn(turns[i]);
        uint64_t sum = 0;
        int64_t waiting = 0;
        written = forEachPiece(tensor, rank, scattered, *arenas[rank],
                               [&](BoxRef piece, char *memory) {
                                 if (scattered)
                                   gatherPiece(tensor, piece, memory);
                                 sum += checksumOfPiece(tensor, piece, memory);
                                 waiting +=
                                     volume(piece) * dtypeSize(tensor.dtype);
                                 if (waiting >= syncBytes) {
                                   files[i].startSync();
                                   waiting = 0;
                                 }
                                 return files[i].write(piece, memory);
                               });
        sums[i] += sum;
      }
      return written;
    });
  // Each brings some files to the disk.
  if (!status.failed())
    status = onRanks([&](int rank) {
      Status closed;
      for (size_t i = rank; i < batch.size() && !closed.failed();
           i += arenas.size()) {
        closed = files[i].close();
        if (!closed.failed())
          closed = files[i].commit();
      }
      return closed;
    });
  for (size_t i = 0; i < batch.size(); ++i)
    entries[i].checksum = sums[i];
  return status;
}

Status Session::checkpoint(const std::string &path) {
  SignalGuard signals;
  NewFolder folder;
  Status status = folder.prepare(path);
  std::vector<std::string> replaced;
  if (!status.failed())
    status = findReplaced(path, replaced);
  if (status.failed())
    return status;
  Manifest manifest;
  manifest.devices = ranks();
  int64_t bytes = 0;
  std::vector<const HeldTensor *> held;
  for (const auto &[name, tensor] : tensors) {
    manifest.tensors.push_back(entryOf(name, *tensor, held.size()));
    bytes += manifest.tensors.back().bytes;
    held.push_back(tensor.get());
  }
  status = folder.create(bytes);
  for (size_t begin = 0; begin < held.size() && !status.failed();
       begin += batchFiles) {
    size_t end = std::min(begin + batchFiles, held.size());
    status = writeBatch({held.begin() + begin, held.begin() + end},
                        &manifest.tensors[begin], [&](size_t i) {
                          return folder.file(manifest.tensors[begin + i].file);
                        });
  }
  if (!status.failed())
    status = putFile(folder.file(manifestName), manifestText(manifest));
  return status.failed() ? status : folder.commit(replaced);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Opens the file of an entry and compares it with what the manifest says.
static Status openEntry(const std::string &folder, const ManifestEntry &entry,
                        const TapestryTensor &table, InputFile &file) {
  std::string path = folder + "/" + entry.file;
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || access(path.c_str(), R_OK) != 0)
    return fileError(path, exitOf(errno), "cannot open: " + errnoText(errno));
  if (S_ISREG(info.st_mode) && info.st_size != entry.bytes)
    return fileError(
        path, ExitBadInput,
        format("%s: has %lld bytes, the checkpoint's manifest says "
               "%lld",
               info.st_size < entry.bytes ? "truncated" : "too long",
               static_cast<long long>(info.st_size),
               static_cast<long long>(entry.bytes)));
  return file.open(path, table);
}

Status Session::readBatch(const std::string &folder,
                          const ManifestEntry *entries,
                          const std::vector<HeldTensor *> &batch) {
  std::vector<InputFile> files(batch.size());
  Status status;
  for (size_t i = 0; i < batch.size() && !status.failed(); ++i)
    status = openEntry(folder, entries[i],
                       batch[i]->table(entries[i].name.c_str()), files[i]);
  std::vector<std::atomic<uint64_t>> sums(batch.size());
  // A rank may read what others have.
  for (size_t i = 0; i < batch.size() && !status.failed(); ++i)
    status = allocate(*batch[i], entries[i].name);
  if (!status.failed())
    status = onRanks([&](int rank) {
      Status got;
      for (size_t i = 0; i < batch.size() && !got.failed(); ++i) {
        const HeldTensor &tensor = *batch[i];
        bool scattered = isScattered(tensor, ranks());
        uint64_t sum = 0;
        got = forEachPiece(tensor, rank, scattered, *arenas[rank],
                           [&](BoxRef piece, char *memory) {
                             Status read = files[i].read(piece, memory);
                             if (!read.failed() &&
                                 (scattered || tensor.owner[rank]))
                               sum += checksumOfPiece(tensor, piece, memory);
                             if (!read.failed() && scattered)
                               scatterPiece(tensor, piece, memory);
                             return read;
                           });
        sums[i] += sum;
      }
      return got;
    });
  for (size_t i = 0; i < batch.size() && !status.failed(); ++i)
    if (sums[i] != entries[i].checksum)
      status = fileError(
          folder + "/" + entries[i].file, ExitBadInput,
          format("damaged: its data has checksum %016llx, the checkpoint's "
                 "manifest says %016llx",
                 static_cast<unsigned long long>(sums[i]),
                 static_cast<unsigned long long>(entries[i].checksum)));
  return status;
}

Status Session::restore(const std::string &path) {
  Manifest manifest;
  Status status = readManifestOf(path, manifest);
  if (status.failed())
    return status;
  updateBudget();
  Tensors restored;
  std::vector<HeldTensor *> batch;
  size_t begin = 0;
  for (size_t i = 0; i < manifest.tensors.size() && !status.failed(); ++i) {
    ManifestEntry &entry = manifest.tensors[i];
    // As many ranks have the parts that they had.
    if (manifest.devices != ranks())
      cutEvenly(entry.shape, ranks(), entry.boxes, entry.owner);
    auto tensor = std::make_unique<HeldTensor>(
        TapestryTensor{entry.name.c_str(), entry.dtype,
                       static_cast<int32_t>(entry.shape.size()),
                       entry.shape.data(), entry.boxes.data(),
                       entry.owner.data()},
        ranks());
    batch.push_back(tensor.get());
    restored[entry.name] = std::move(tensor);
    if (batch.size() == batchFiles || i + 1 == manifest.tensors.size()) {
      status = readBatch(path, &manifest.tensors[begin], batch);
      begin = i + 1;
      batch.clear();
    }
  }
  if (status.failed())
    restored.clear();
  keep(std::move(restored));
  return status;
}
