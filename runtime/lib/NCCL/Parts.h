//===- Parts.h - What collectives pack at a time ----------------*- C++ -*-===//

#ifndef TAPESTRY_RT_NCCL_PARTS_H
#define TAPESTRY_RT_NCCL_PARTS_H

#include "Core/Box.h"
#include "tapestry-rt/Backend.h"

namespace tapestry {
namespace rt {
namespace nccl {

inline BoxRef sourceOf(const GroupCollective &collective, int member) {
  return {collective.source + int64_t(member) * collective.tensorRank,
          collective.tensorRank};
}
inline BoxRef targetOf(const GroupCollective &collective, int member,
                       int number = 0) {
  return {collective.target + (int64_t(member) * collective.targets + number) *
                                  collective.tensorRank,
          collective.tensorRank};
}
inline BoxRef fragmentOf(const GroupCollective &collective, int member,
                         int number) {
  return {collective.fragment +
              (int64_t(member) * collective.fragments + number) *
                  collective.tensorRank,
          collective.tensorRank};
}

/// A box in pieces of at most so many elements, which follow each other in its
/// memory: cut from the outside, so that their rows stay long.
std::vector<Box> slicesOf(const Box &box, int64_t mostElements);

/// Has the device copy a piece from the memory of one box to that of another.
bool copyPiece(Device &device, void *target, BoxRef to, const void *source,
               BoxRef from, BoxRef piece, int64_t elementSize,
               TransportError &error);

} // namespace nccl
} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_NCCL_PARTS_H
