//===- Emulator.h - Blocks of threads on one processor ----------*- C++ -*-===//

#ifndef TAPESTRY_TEST_LIB_CUDASTUB_EMULATOR_H
#define TAPESTRY_TEST_LIB_CUDASTUB_EMULATOR_H

#include <cstdint>
#include <string>

namespace tapestry {
namespace stub {

/// What a kernel is here: it is given the addresses of its arguments, and asks
/// the functions tapestry_stub_* who it is.
using Kernel = void (*)(void **arguments);

/// Runs all blocks, one after another; false, with a `problem`, where threads
/// of a block do not all come to a barrier.
bool launch(Kernel kernel, int64_t blocks, int64_t threads, void **arguments,
            std::string &problem);

} // namespace stub
} // namespace tapestry

#endif // TAPESTRY_TEST_LIB_CUDASTUB_EMULATOR_H
