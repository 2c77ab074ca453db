//===- Block.h - Calls of functions that compute blocks ---------*- C++ -*-===//

#ifndef TAPESTRY_RT_LIB_CORE_BLOCK_H
#define TAPESTRY_RT_LIB_CORE_BLOCK_H

#include "tapestry-rt/Block.h"

namespace tapestry::rt {

/// What tapestry_rt_block is asked for; see there. Returns what the function
/// does, 0 where there is nothing to compute.
int32_t callBlock(TapestryBlockFunction function, const int64_t *words);

} // namespace tapestry::rt

#endif // TAPESTRY_RT_LIB_CORE_BLOCK_H
