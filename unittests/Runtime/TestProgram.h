//===- TestProgram.h - Programs made by hand --------------------*- C++ -*-===//
//
// Builds the tables that the compiler emits, with a C++ function in the place
// of generated code.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_UNITTESTS_RUNTIME_TESTPROGRAM_H
#define TAPESTRY_UNITTESTS_RUNTIME_TESTPROGRAM_H

#include "Core/Box.h"
#include "tapestry-rt/ABI.h"
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace tapestry {
namespace rt {
namespace testing {

class TestProgram {
public:
  using Body =
      std::function<void(TapestryRank *, const void *const *, void *const *)>;

  explicit TestProgram(int devices) : devices(devices) {}

  /// Boxes are per device.
  int input(const std::string &name, int32_t dtype,
            const std::vector<int64_t> &shape, const std::vector<Box> &boxes);
  int output(const std::string &name, int32_t dtype,
             const std::vector<int64_t> &shape, const std::vector<Box> &boxes,
             const std::vector<uint8_t> &owner);
  /// An all_gather or all_to_all.
  int exchange(int32_t kind, const std::string &vertex, int32_t dtype,
               const std::vector<Box> &source, const std::vector<Box> &target,
               const std::vector<int32_t> &replicaOf, int64_t predicted);
  /// An all_reduce or reduce_scatter.
  int reduction(int32_t kind, const std::string &vertex, int32_t dtype,
                const std::vector<Box> &source, const std::vector<Box> &target,
                const std::vector<int32_t> &groupOf, int32_t group,
                TapestryCombineFn combine, int64_t predicted,
                int32_t monoid = TAPESTRY_MONOID_CUSTOM);
  int vertex(const std::string &name, int64_t flops);
  TapestryCollective &collective(int index) { return collectives[index]; }

  /// The tables; stay good until the next change. One program at a time can
  /// have a body.
  TapestryProgram &table();
  Body body;

  /// Inputs that no output depends on.
  std::vector<const char *> unreadInputs;
  /// Processor features that the program asks for.
  std::vector<const char *> features;
  std::vector<TapestryRequirement> requirements;

private:
  const char *keep(const std::string &text);
  const Range *keep(const std::vector<Box> &boxes);
  template <typename T> const T *keep(const std::vector<T> &values);

  int devices;
  std::deque<std::string> texts;
  std::deque<std::vector<Range>> ranges;
  std::deque<std::vector<char>> numbers;
  std::vector<TapestryTensor> inputs, outputs;
  std::vector<TapestryCollective> collectives;
  std::vector<TapestryVertex> vertices;
  TapestryProgram program = {};
};

template <typename T>
void addElements(void *accumulator, const void *in, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    static_cast<T *>(accumulator)[i] += static_cast<const T *>(in)[i];
}

/// The sum of the (max, +) semiring.
template <typename T>
void maxElements(void *accumulator, const void *in, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    T value = static_cast<const T *>(in)[i];
    if (value > static_cast<T *>(accumulator)[i])
      static_cast<T *>(accumulator)[i] = value;
  }
}

} // namespace testing
} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_UNITTESTS_RUNTIME_TESTPROGRAM_H
