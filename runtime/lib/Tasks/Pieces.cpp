//===- Pieces.cpp - Where the elements of a view come from ----------------===//

#include "Tasks/Pieces.h"
#include "Core/Types.h"
#include <algorithm>
#include <cstring>

using namespace tapestry;
using namespace tapestry::rt;

using Numbers = std::vector<int64_t>;

int64_t tapestry::rt::volume(const Numbers &sizes) {
  int64_t points = 1;
  for (int64_t size : sizes)
    points *= size;
  return points;
}

Numbers tapestry::rt::rowMajorStrides(const Numbers &shape) {
  Numbers strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

Box tapestry::rt::wholeBox(const Numbers &shape) {
  Box box;
  for (int64_t size : shape)
    box.push_back({0, size});
  return box;
}

int64_t tapestry::rt::boundedSum(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t tapestry::rt::bufferBytes(int64_t bytes) {
  int64_t step = bytes < directFrom ? 64 : directStep;
  if (bytes > INT64_MAX - step)
    return INT64_MAX;
  return (bytes + step - 1) / step * step;
}

int64_t tapestry::rt::tensorBytes(int32_t dtype, const Numbers &shape) {
  return dtypeSize(dtype) * volume(shape);
}

int32_t tapestry::rt::wholeChunk(const TaskProgram &program,
                                 const TaskView &view) {
  if (view.pieces.size() != 1)
    return -1;
  const TaskPiece &piece = view.pieces[0];
  const TaskChunk &chunk = program.chunks[piece.chunk];
  if (chunk.input >= 0 || piece.offset != 0 || piece.sizes != view.shape ||
      volume(view.shape) != volume(chunk.shape))
    return -1;
  Numbers dense = rowMajorStrides(view.shape);
  for (size_t dim = 0; dim < dense.size(); ++dim)
    if (piece.sizes[dim] != 1 && piece.strides[dim] != dense[dim])
      return -1;
  return piece.chunk;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void tapestry::rt::fillElements(void *target, int64_t count,
                                const std::vector<char> &fill) {
  auto *out = static_cast<char *>(target);
  auto size = static_cast<int64_t>(fill.size());
  if (std::all_of(fill.begin(), fill.end(),
                  [&](char byte) { return byte == fill[0]; })) {
    std::memset(out, fill[0], count * size);
    return;
  }
  int64_t bytes = count * size;
  int64_t done = std::min(size, bytes);
  std::memcpy(out, fill.data(), done);
  for (; done < bytes; done *= 2)
    std::memcpy(out + done, out, std::min(done, bytes - done));
}

/// Elements before the first point of a piece in its view.
static int64_t placeOf(const Numbers &lo, const Numbers &strides) {
  int64_t offset = 0;
  for (size_t dim = 0; dim < lo.size(); ++dim)
    offset += lo[dim] * strides[dim];
  return offset;
}

void tapestry::rt::copyFromChunk(const TaskView &view, const TaskPiece &piece,
                                 const void *chunk, void *target) {
  int64_t size = dtypeSize(view.dtype);
  Numbers strides = rowMajorStrides(view.shape);
  copyStrided(static_cast<char *>(target) + placeOf(piece.lo, strides) * size,
              static_cast<const char *>(chunk) + piece.offset * size,
              {piece.sizes, strides, piece.strides, size});
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// The coordinates of an element of a row-major tensor.
static Numbers coordinatesOf(int64_t element, const Numbers &shape) {
  Numbers at(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    at[dim] = element % shape[dim];
    element /= shape[dim];
  }
  return at;
}

namespace {
/// What one step in each dimension of a piece changes of the coordinates in the
/// chunk.
struct Steps {
  std::vector<Numbers> coordinates; // per dimension of the piece
  /// Whether each dimension of more than one point goes forward along one of
  /// the chunk, in the same order.
  bool isBox = true;
};
} // namespace

static Steps stepsOf(const TaskPiece &piece, const Numbers &chunkShape) {
  Steps steps;
  Numbers strides = rowMajorStrides(chunkShape);
  size_t next = 0; // the first dimension of the chunk that a box may still use
  for (size_t dim = 0; dim < piece.sizes.size(); ++dim) {
    Numbers step(chunkShape.size(), 0);
    int64_t left = piece.sizes[dim] == 1 ? 0 : piece.strides[dim];
    for (size_t d = 0; d < chunkShape.size(); ++d) {
      step[d] = left / strides[d];
      left %= strides[d];
    }
    if (piece.sizes[dim] != 1) {
      // A dimension of one point has the stride of the next one.
      while (next < strides.size() &&
             (strides[next] != piece.strides[dim] || chunkShape[next] == 1))
        ++next;
      steps.isBox &= next < strides.size();
      ++next;
    }
    steps.coordinates.push_back(std::move(step));
  }
  return steps;
}

/// The least box around the points of `read`; false where some coordinate would
/// pass the end of its dimension, so that steps are not what they seem.
static bool boundingBox(const Numbers &shape, const Steps &steps,
                        const Numbers &first, PieceRead &read) {
  read.box.resize(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t lo = first[d];
    int64_t hi = first[d];
    for (size_t dim = 0; dim < read.sizes.size(); ++dim) {
      int64_t reach = (read.sizes[dim] - 1) * steps.coordinates[dim][d];
      (reach < 0 ? lo : hi) += reach;
    }
    if (lo < 0 || hi >= shape[d])
      return false;
    read.box[d] = {lo, hi + 1};
  }
  Numbers extents;
  for (const Range &range : read.box)
    extents.push_back(extent(range));
  Numbers strides = rowMajorStrides(extents);
  read.offset = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    read.offset += (first[d] - read.box[d].lo) * strides[d];
  read.strides.assign(read.sizes.size(), 0);
  for (size_t dim = 0; dim < read.sizes.size(); ++dim)
    for (size_t d = 0; d < shape.size(); ++d)
      read.strides[dim] += steps.coordinates[dim][d] * strides[d];
  return true;
}

/// A box of whole rows around the elements [lo, hi]: a stretch of the chunk.
static void enclosingRows(const Numbers &shape, int64_t lo, int64_t hi,
                          const TaskPiece &piece, PieceRead &read,
                          int64_t element) {
  Numbers from = coordinatesOf(lo, shape);
  Numbers to = coordinatesOf(hi, shape);
  read.box.clear();
  bool differs = false;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (differs)
      read.box.push_back({0, shape[d]});
    else
      read.box.push_back({from[d], to[d] + 1});
    differs |= from[d] != to[d];
  }
  Box whole = wholeBox(shape);
  read.offset = element - offsetIn(whole, read.box);
  read.strides = piece.strides;
}

/// The read of all points of `read`.
static void findBox(const TaskPiece &piece, const Numbers &shape,
                    const Steps &steps, PieceRead &read) {
  int64_t element = piece.offset;
  int64_t lo = 0;
  int64_t hi = 0;
  for (size_t dim = 0; dim < read.sizes.size(); ++dim) {
    element += read.first[dim] * piece.strides[dim];
    int64_t reach = (read.sizes[dim] - 1) * piece.strides[dim];
    (reach < 0 ? lo : hi) += reach;
  }
  bool fits = boundingBox(shape, steps, coordinatesOf(element, shape), read);
  read.isDense = fits && steps.isBox;
  if (!fits)
    enclosingRows(shape, element + lo, element + hi, piece, read, element);
}

void tapestry::rt::forEachPart(const Box &box, int64_t elementSize,
                               const std::function<bool(const Box &)> &visit) {
  if (isEmpty(box))
    return;
  std::vector<Box> left = {box};
  while (!left.empty()) {
    Box part = std::move(left.back());
    left.pop_back();
    int64_t points = volume(BoxRef(part));
    if (points == 1 || points * elementSize <= stagingBytes) {
      if (!visit(part))
        return;
      continue;
    }
    // From the outside, so that the parts are long rows.
    auto outer = std::find_if(part.begin(), part.end(), [](const Range &range) {
      return extent(range) > 1;
    });
    Box second = part;
    int64_t middle = outer->lo + extent(*outer) / 2;
    second[outer - part.begin()].lo = middle;
    outer->hi = middle;
    left.push_back(std::move(second));
    left.push_back(std::move(part));
  }
}

void tapestry::rt::forEachRead(
    const TaskPiece &piece, const Numbers &chunkShape, int64_t elementSize,
    bool mayBeLarge, const std::function<bool(const PieceRead &)> &visit) {
  if (volume(piece.sizes) == 0)
    return;
  Steps steps = stepsOf(piece, chunkShape);
  PieceRead all;
  all.first.assign(piece.sizes.size(), 0);
  all.sizes = piece.sizes;
  std::vector<PieceRead> left = {std::move(all)};
  while (!left.empty()) {
    PieceRead read = std::move(left.back());
    left.pop_back();
    findBox(piece, chunkShape, steps, read);
    bool isSmall = read.boxElements() * elementSize <= stagingBytes;
    // A dimension that repeats elements makes no box larger.
    size_t longest = 0;
    int64_t length = 1;
    for (size_t d = 0; d < read.sizes.size(); ++d)
      if (piece.strides[d] != 0 && read.sizes[d] > length) {
        longest = d;
        length = read.sizes[d];
      }
    bool isPoint = length == 1;
    bool isAll = read.sizes == piece.sizes;
    if (isSmall || isPoint || (mayBeLarge && isAll && read.isDense)) {
      if (!visit(read))
        return;
      continue;
    }
    // What is dense is cut from the outside, so that its reads are long.
    size_t dim = longest;
    if (read.isDense)
      for (dim = 0; read.sizes[dim] == 1;)
        ++dim;
    PieceRead second = read;
    int64_t half = read.sizes[dim] / 2;
    second.first[dim] += half;
    second.sizes[dim] -= half;
    read.sizes[dim] = half;
    left.push_back(std::move(second));
    left.push_back(std::move(read));
  }
}

int64_t tapestry::rt::readBytes(const TaskPiece &piece,
                                const Numbers &chunkShape,
                                int64_t elementSize) {
  int64_t elements = 0;
  forEachRead(piece, chunkShape, elementSize, /*mayBeLarge=*/true,
              [&](const PieceRead &read) {
                elements += read.boxElements();
                return true;
              });
  return elements * elementSize;
}
