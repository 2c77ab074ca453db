//===- Signs.h - Integers in memory and in files ----------------*- C++ -*-===//
//
// Numbers of element types (TapestryDType): in memory integers have no sign, in
// files they may.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_SIGNS_H
#define TAPESTRY_RT_SIGNS_H

#include "tapestry-rt/ABI.h"

namespace tapestry {
namespace rt {

inline bool isUnsignedType(int32_t dtype) {
  return dtype >= TAPESTRY_U8 && dtype <= TAPESTRY_U64;
}

/// The type in memory of one in a file.
inline int32_t typeInMemory(int32_t dtype) {
  return isUnsignedType(dtype) ? dtype - (TAPESTRY_U8 - TAPESTRY_I8) : dtype;
}

/// The type in a file of one in memory, an integer's where it is unsigned.
inline int32_t typeInFile(int32_t dtype, bool isUnsigned) {
  return isUnsigned ? dtype + (TAPESTRY_U8 - TAPESTRY_I8) : dtype;
}

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_SIGNS_H
