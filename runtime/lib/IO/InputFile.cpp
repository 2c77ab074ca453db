//===- InputFile.cpp - Reads parts of .npy files --------------------------===//

#include "Core/Types.h"
#include "IO/BoxReader.h"
#include "IO/TensorFile.h"
#include "tapestry-rt/Counted.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

static Status fileError(const std::string &path, ExitStatus exit,
                        const std::string &reason) {
  return Status::failure(exit, printable(path) + ": error: " + reason);
}

InputFile::~InputFile() {
  if (fd >= 0)
    ::close(fd);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static Status compareShapes(const std::string &path, const NpyHeader &header,
                            const char *input, const int64_t *shape, int rank) {
  auto found = static_cast<int>(header.shape.size());
  if (found == rank &&
      std::equal(header.shape.begin(), header.shape.end(), shape))
    return Status::success();
  return fileError(path, ExitBadInput,
                   format("has shape %s, but input '%s' has %s",
                          shapeText(header.shape.data(), found).c_str(), input,
                          shapeText(shape, rank).c_str()));
}

Status InputFile::checkHeader(const TapestryTensor &tensor) const {
  if (!descrMatches(header.descr, tensor.dtype))
    return fileError(path, ExitBadInput,
                     format("holds %s, but input '%s' takes %s",
                            descrText(header.descr).c_str(), tensor.name,
                            dtypeName(tensor.dtype)));
  return compareShapes(path, header, tensor.name, tensor.shape, tensor.rank);
}

Status InputFile::checkLength(int64_t fileBytes) const {
  int64_t needed = elementSize;
  for (int64_t extent : header.shape)
    if (__builtin_mul_overflow(needed, extent, &needed))
      return fileError(path, ExitBadInput,
                       format("has shape %s, whose bytes no 64-bit number "
                              "counts",
                              shapeText(header.shape.data(),
                                        static_cast<int>(header.shape.size()))
                                  .c_str()));
  int64_t present = fileBytes - header.dataOffset;
  if (present != needed)
    return fileError(path, ExitBadInput,
                     format("%s: has %s of data, its shape needs %lld",
                            present < needed ? "truncated" : "too long",
                            countOf(present, "byte").c_str(),
                            static_cast<long long>(needed)));
  return Status::success();
}

/// Opens a regular file and reads its header.
static Status openNpy(const std::string &path, int &fd, int64_t &bytes,
                      NpyHeader &header) {
  // Asked first: opening a pipe would wait for its writer.
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return fileError(path, ExitBadInput, "cannot open: " + errnoText(errno));
  if (!S_ISREG(info.st_mode))
    return fileError(path, ExitBadInput,
                     S_ISDIR(info.st_mode)
                         ? "cannot open: " + errnoText(EISDIR)
                         : std::string("cannot open: not a regular file"));
  fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return fileError(path, ExitBadInput, "cannot open: " + errnoText(errno));
  Status status = readNpyHeader(fd, info.st_size, header);
  if (status.failed())
    return fileError(path, ExitBadInput, status.message());
  bytes = info.st_size;
  return Status::success();
}

Status InputFile::open(const std::string &newPath,
                       const TapestryTensor &tensor) {
  path = newPath;
  dtype = tensor.dtype;
  elementSize = dtypeSize(dtype);
  int64_t bytes = 0;
  Status status = openNpy(path, fd, bytes, header);
  if (!status.failed())
    status = checkHeader(tensor);
  return status.failed() ? status : checkLength(bytes);
}

Status InputFile::openAny(const std::string &newPath, int32_t wanted) {
  path = newPath;
  int64_t bytes = 0;
  Status status = openNpy(path, fd, bytes, header);
  if (status.failed())
    return status;
  dtype = wanted >= 0 ? wanted : dtypeOfDescr(header.descr);
  if (dtype < 0)
    return fileError(path, ExitBadInput,
                     format("holds %s, which is no type of tensors",
                            descrText(header.descr).c_str()));
  if (!descrMatches(header.descr, dtype))
    return fileError(path, ExitBadInput,
                     format("holds %s, but %s is asked for",
                            descrText(header.descr).c_str(), dtypeName(dtype)));
  elementSize = dtypeSize(dtype);
  return checkLength(bytes);
}

static Status readHeader(const std::string &path, NpyHeader &header) {
  int fd = -1;
  int64_t bytes = 0;
  Status status = openNpy(path, fd, bytes, header);
  if (fd >= 0)
    ::close(fd);
  return status;
}

Status tapestry::rt::readShape(const std::string &path,
                               std::vector<int64_t> &shape) {
  NpyHeader header;
  Status status = readHeader(path, header);
  shape = header.shape;
  return status;
}

Status tapestry::rt::checkShape(const std::string &path,
                                const std::string &input,
                                const std::vector<int64_t> &shape) {
  NpyHeader header;
  Status status = readHeader(path, header);
  return status.failed() ? status
                         : compareShapes(path, header, input.c_str(),
                                         shape.data(), shape.size());
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Status InputFile::readBytes(char *target, int64_t bytes, int64_t offset) const {
  offset += header.dataOffset;
  while (bytes > 0) {
    ssize_t got = pread(fd, target, bytes, offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fileError(path, ExitEnvironment,
                       "cannot read: " + errnoText(errno));
    if (got == 0)
      return fileError(path, ExitBadInput,
                       format("became shorter while it was read: nothing at "
                              "byte %lld",
                              static_cast<long long>(offset)));
    target += got;
    bytes -= got;
    offset += got;
  }
  return Status::success();
}

namespace {
/// Memory for staging that is no tensor of the program. Null data: none left.
struct StagingMemory {
  explicit StagingMemory(int64_t bytes)
      : data(static_cast<char *>(malloc(bytes > 0 ? bytes : 1))) {}
  ~StagingMemory() { free(data); }
  StagingMemory(const StagingMemory &) = delete;
  StagingMemory &operator=(const StagingMemory &) = delete;
  char *const data;
};
} // namespace

static Status noStaging(const std::string &path, int64_t bytes) {
  return fileError(
      path, ExitEnvironment,
      format("no memory to read it: needs %s", formatBytes(bytes).c_str()));
}

/// Reads `box` of a file whose data has the shape of `whole`, row-major.
Status InputFile::readRowMajor(BoxRef whole, BoxRef box, char *target) const {
  startReading(fd, header.dataOffset, whole, box, elementSize);
  return readBox(whole, box, elementSize, target,
                 [this](char *to, int64_t bytes, int64_t offset) {
                   return readBytes(to, bytes, offset);
                 });
}

namespace {
/// A copy that turns the order of the dimensions around. `extents` and both
/// strides (in bytes) are in the order of the target, whose last dimension is
/// contiguous; the source's first one is.
struct Transposition {
  std::vector<int64_t> extents, targetStrides, sourceStrides;
};
} // namespace

/// The first and the last dimension of a transposition, in squares that keep
/// the cache lines of both sides in use.
template <size_t bytes>
static void transposePlane(char *target, const char *source,
                           const Transposition &copy) {
  constexpr int64_t square = 16;
  size_t last = copy.extents.size() - 1;
  int64_t rows = copy.extents[0];
  int64_t columns = copy.extents[last];
  for (int64_t row0 = 0; row0 < rows; row0 += square)
    for (int64_t column0 = 0; column0 < columns; column0 += square)
      for (int64_t row = row0; row < std::min(row0 + square, rows); ++row)
        for (int64_t column = column0;
             column < std::min(column0 + square, columns); ++column)
          std::memcpy(
              target + row * copy.targetStrides[0] + column * int64_t(bytes),
              source + row * int64_t(bytes) + column * copy.sourceStrides[last],
              bytes);
}

static void transpose(char *target, const char *source,
                      const Transposition &copy, int64_t elementSize) {
  std::vector<int64_t> at(copy.extents.size(), 0);
  while (true) {
    switch (elementSize) {
    case 1:
      transposePlane<1>(target, source, copy);
      break;
    case 2:
      transposePlane<2>(target, source, copy);
      break;
    case 4:
      transposePlane<4>(target, source, copy);
      break;
    case 8:
      transposePlane<8>(target, source, copy);
      break;
    default:
      transposePlane<16>(target, source, copy);
      break;
    }
    size_t dim = 1;
    for (; dim + 1 < copy.extents.size(); ++dim) {
      target += copy.targetStrides[dim];
      source += copy.sourceStrides[dim];
      if (++at[dim] < copy.extents[dim])
        break;
      target -= copy.targetStrides[dim] * at[dim];
      source -= copy.sourceStrides[dim] * at[dim];
      at[dim] = 0;
    }
    if (dim + 1 >= copy.extents.size())
      return;
  }
}

/// A file in Fortran order is a row-major file of the reversed shape: it is
/// read tile by tile, and each tile is turned around into its place.
Status InputFile::readFortran(BoxRef box, char *target) const {
  constexpr int64_t tileBytes = 4 << 20;
  int rank = box.rank;
  Box whole(rank), part(rank), tile(rank);
  std::vector<int64_t> tileExtents(rank), targetStrides(rank, elementSize);
  int64_t left = tileBytes / elementSize;
  for (int dim = rank - 1; dim >= 0; --dim) { // from the file's fastest one
    whole[dim] = {0, header.shape[rank - 1 - dim]};
    part[dim] = box[rank - 1 - dim];
    tileExtents[dim] = std::min(extent(part[dim]), std::max<int64_t>(left, 1));
    left /= tileExtents[dim];
    tile[dim] = {part[dim].lo, part[dim].lo + tileExtents[dim]};
  }
  for (int dim = rank - 2; dim >= 0; --dim)
    targetStrides[dim] = targetStrides[dim + 1] * extent(box[dim + 1]);

  int64_t stagingBytes = volume(tile) * elementSize;
  StagingMemory staging(stagingBytes);
  if (!staging.data)
    return noStaging(path, stagingBytes);
  while (true) {
    Status status = readRowMajor(whole, tile, staging.data);
    if (status.failed())
      return status;
    Transposition copy;
    copy.targetStrides = targetStrides;
    int64_t offset = 0;
    int64_t stride = elementSize;
    for (int dim = 0; dim < rank; ++dim) {
      const Range &range = tile[rank - 1 - dim];
      copy.extents.push_back(extent(range));
      copy.sourceStrides.push_back(stride);
      stride *= extent(range);
      offset += (range.lo - box[dim].lo) * targetStrides[dim];
    }
    transpose(target + offset, staging.data, copy, elementSize);

    int dim = rank - 1;
    for (; dim >= 0; --dim) {
      int64_t next = tile[dim].hi;
      bool wraps = next >= part[dim].hi;
      tile[dim].lo = wraps ? part[dim].lo : next;
      tile[dim].hi = std::min(tile[dim].lo + tileExtents[dim], part[dim].hi);
      if (!wraps)
        break;
    }
    if (dim < 0)
      return Status::success();
  }
}

Status InputFile::read(BoxRef box, void *target) const {
  if (isEmpty(box))
    return Status::success();
  auto *bytes = static_cast<char *>(target);
  Status status;
  if (header.fortranOrder && box.rank > 1) {
    status = readFortran(box, bytes);
  } else {
    Box whole(box.rank);
    for (int dim = 0; dim < box.rank; ++dim)
      whole[dim] = {0, header.shape[dim]};
    status = readRowMajor(whole, box, bytes);
  }
  // Any byte but 0 is true to NumPy; programs count on 1.
  if (dtype == TAPESTRY_BOOL)
    for (int64_t i = 0, e = volume(box); i < e; ++i)
      bytes[i] = bytes[i] != 0;
  return status;
}
