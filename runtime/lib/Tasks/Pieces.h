//===- Pieces.h - Where the elements of a view come from --------*- C++ -*-===//
//
// The geometry of task programs: which boxes of a stored chunk a piece needs,
// and the copy that puts elements into their places. Shared by the scheduler,
// which counts, and by the executor, which moves.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_TASKS_PIECES_H
#define TAPESTRY_RT_TASKS_PIECES_H

#include "Core/Box.h"
#include "tapestry-rt/Tasks.h"
#include <functional>

namespace tapestry {
namespace rt {

int64_t volume(const std::vector<int64_t> &sizes);
/// Elements from one point to the next, per dimension.
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape);
/// The box of all points of a shape.
Box wholeBox(const std::vector<int64_t> &shape);

/// Large buffers are whole pages, for direct I/O.
constexpr int64_t directFrom = int64_t(64) << 10;
constexpr int64_t directStep = 4096;
/// The sum of two numbers that are not negative; the largest number where that
/// is less: no memory has so much.
int64_t boundedSum(int64_t a, int64_t b);
/// Bytes that so many take of the spill file: pages of one chunk are no
/// other's, so that it can go past the cache.
constexpr int64_t spilledBytes(int64_t bytes) {
  return (bytes + directStep - 1) / directStep * directStep;
}
/// Bytes of all elements.
int64_t tensorBytes(int32_t dtype, const std::vector<int64_t> &shape);

/// The chunk that a view is, elements and all; -1: it is put together.
int32_t wholeChunk(const TaskProgram &program, const TaskView &view);

/// Fills `count` elements with the bytes of one.
void fillElements(void *target, int64_t count, const std::vector<char> &fill);

/// Puts a piece into its view from the memory of its whole chunk.
void copyFromChunk(const TaskView &view, const TaskPiece &piece,
                   const void *chunk, void *target);

/// Some points of a piece, `first` being the least, and the box of the chunk
/// that has to be read for them.
struct PieceRead {
  Box box;
  /// Whether the box, row-major, is the points in their order.
  bool isDense;
  std::vector<int64_t> first, sizes;
  /// The first point and the strides in the memory of the box, where it is not
  /// dense.
  int64_t offset;
  std::vector<int64_t> strides;

  int64_t boxElements() const { return rt::volume(BoxRef(box)); }
};

/// The most bytes that are staged at once for what no box is.
constexpr int64_t stagingBytes = int64_t(1) << 20;

/// Calls `visit` for parts of a box of at most `stagingBytes` bytes each, or
/// one point, in row-major order. Stops where `visit` returns false.
void forEachPart(const Box &box, int64_t elementSize,
                 const std::function<bool(const Box &)> &visit);

/// Calls `visit` for the reads of a piece whose chunk lies in a file, row-major
/// in `chunkShape`. Their boxes have at most `stagingBytes` bytes each, or one
/// point, but any number of points of the piece, which may repeat elements;
/// where it `mayBeLarge`, one that is dense is the only one. Stops where
/// `visit` returns false.
void forEachRead(const TaskPiece &piece, const std::vector<int64_t> &chunkShape,
                 int64_t elementSize, bool mayBeLarge,
                 const std::function<bool(const PieceRead &)> &visit);

/// Bytes of all these boxes together.
int64_t readBytes(const TaskPiece &piece,
                  const std::vector<int64_t> &chunkShape, int64_t elementSize);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_TASKS_PIECES_H
