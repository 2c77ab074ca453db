//===- HeldTensor.h - A tensor that stays on its ranks ----------*- C++ -*-===//
//
// What a session keeps between programs: the parts of a tensor in the arenas of
// this process's ranks, and which part each of them has.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_MEMORY_HELDTENSOR_H
#define TAPESTRY_RT_MEMORY_HELDTENSOR_H

#include "Core/Types.h"
#include "Memory/Arena.h"
#include <vector>

namespace tapestry {
namespace rt {

struct HeldTensor {
  /// Without memory yet. `tensor.owner` may be null: then all ranks own.
  HeldTensor(const TapestryTensor &tensor, int64_t ranks);
  ~HeldTensor();
  HeldTensor(const HeldTensor &) = delete;
  HeldTensor &operator=(const HeldTensor &) = delete;

  /// The whole as a program would describe it, for use while this lives.
  TapestryTensor table(const char *name) const;
  BoxRef box(int64_t rank) const {
    return {boxes.data() + rank * shape.size(), static_cast<int>(shape.size())};
  }
  int64_t bytesOf(int64_t rank) const {
    return volume(box(rank)) * dtypeSize(dtype);
  }
  /// Takes memory for a rank's part.
  Status allocate(Arena &arena, int64_t rank);

  int32_t dtype;
  std::vector<int64_t> shape;
  std::vector<Range> boxes; ///< per rank one range per dimension
  /// Per rank; those with 1 hold every element once.
  std::vector<uint8_t> owner;
  std::vector<void *> parts; ///< per rank, row-major in its box
};

/// The boxes of a tensor that comes from outside: equal blocks of its longest
/// dimension, or the whole everywhere where no dimension has one point for
/// every rank. `owner` is as in HeldTensor.
void cutEvenly(const std::vector<int64_t> &shape, int64_t ranks,
               std::vector<Range> &boxes, std::vector<uint8_t> &owner);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_MEMORY_HELDTENSOR_H
