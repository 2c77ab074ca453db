//===- MemoryUse.h - What a kernel takes while it runs ----------*- C++ -*-===//

#ifndef TAPESTRY_CODEGEN_COMMON_MEMORYUSE_H
#define TAPESTRY_CODEGEN_COMMON_MEMORYUSE_H

#include <cstdint>
#include <functional>
#include <optional>

namespace tapestry {

/// What is known of the arguments of one call; nothing where a value is not
/// index arithmetic.
class ArgumentSizes {
public:
  virtual ~ArgumentSizes() = default;
  /// The value of an integer argument.
  virtual std::optional<int64_t> valueOf(unsigned argument) = 0;
  /// The size of a buffer's dimension.
  virtual std::optional<int64_t> sizeOf(unsigned argument, unsigned dim) = 0;
};

/// Bytes on top of what was allocated before.
struct MemoryUse {
  int64_t peak = 0;
  /// What is still allocated afterwards.
  int64_t left = 0;
};

/// What one kernel takes, asked for every call; null where it takes nothing.
using Temporaries =
    std::function<std::optional<MemoryUse>(ArgumentSizes &arguments)>;

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_COMMON_MEMORYUSE_H
