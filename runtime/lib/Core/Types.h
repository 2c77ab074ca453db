//===- Types.h - Element types and tensors as text --------------*- C++ -*-===//
//
// Names and sizes of the ABI's element types, and the words in which messages
// speak of a program's tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_CORE_TYPES_H
#define TAPESTRY_RT_CORE_TYPES_H

#include "Core/Box.h"
#include "tapestry-rt/ABI.h"
#include <string>

namespace tapestry {
namespace rt {

/// The value of one element as the shortest text that reads back as it.
std::string valueText(int32_t dtype, const void *element);

bool isKnownDType(int32_t dtype);
/// "f32"; "unknown" for what isKnownDType refuses.
const char *dtypeName(int32_t dtype);
/// The type of this name, -1 where there is none.
int32_t dtypeNamed(const std::string &name);
/// Bytes per element; 0 for what isKnownDType refuses.
int64_t dtypeSize(int32_t dtype);

/// Whether this is what a reduction can combine with.
bool isKnownMonoid(int32_t monoid);

/// "all_gather" and so on.
const char *collectiveName(int32_t kind);
/// Whether it combines partial values; else boxes are exchanged.
bool isReduction(int32_t kind);

/// "[3, 4]".
std::string shapeText(const int64_t *shape, int rank);
/// "f32[3, 4]".
std::string typeText(const TapestryTensor &tensor);

/// The part of `tensor` that `device` holds.
inline BoxRef boxOf(const TapestryTensor &tensor, int64_t device) {
  return {tensor.boxes + device * tensor.rank, tensor.rank};
}
inline BoxRef sourceBox(const TapestryCollective &collective, int64_t device) {
  return {collective.source + device * collective.rank, collective.rank};
}
inline BoxRef targetBox(const TapestryCollective &collective, int64_t device,
                        int number = 0) {
  return {collective.target +
              (device * collective.targets + number) * collective.rank,
          collective.rank};
}
/// What is read of the targets, where the collective has fragments.
inline BoxRef fragmentBox(const TapestryCollective &collective, int64_t device,
                          int number) {
  return {collective.fragment +
              (device * collective.fragments + number) * collective.rank,
          collective.rank};
}
/// Bytes of the part that `device` holds.
inline int64_t partBytes(const TapestryTensor &tensor, int64_t device) {
  return volume(boxOf(tensor, device)) * dtypeSize(tensor.dtype);
}

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CORE_TYPES_H
