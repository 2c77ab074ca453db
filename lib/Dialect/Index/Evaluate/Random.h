//===- Random.h - What tapestry_index.random means --------------*- C++ -*-===//
//
// Private to this folder. By definition, with nothing of what code generation
// makes of it.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_REFERENCE_RANDOM_H
#define TAPESTRY_LIB_REFERENCE_RANDOM_H

#include "tapestry/Interfaces/ElementType.h"
#include <array>
#include <cstdint>

namespace tapestry::reference {

/// Philox 4x32-10 (J. K. Salmon et al., Parallel Random Numbers: As Easy as 1,
/// 2, 3, 2011).
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                               std::array<uint32_t, 2> key);

/// The words of a point.
std::array<uint32_t, 4> randomWords(uint64_t counter, uint64_t seed,
                                    uint64_t stream);
double uniformOf(const std::array<uint32_t, 4> &words, DType type);
double normalOf(const std::array<uint32_t, 4> &words, DType type);

} // namespace tapestry::reference

#endif // TAPESTRY_LIB_REFERENCE_RANDOM_H
