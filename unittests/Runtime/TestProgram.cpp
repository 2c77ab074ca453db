//===- TestProgram.cpp - Programs made by hand ----------------------------===//

#include "TestProgram.h"
#include <cstring>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

/// An entry has no context, so the body of the one that runs is global.
static TestProgram::Body *currentBody;

static void callBody(TapestryRank *rank, const void *const *inputs,
                     void *const *outputs) {
  (*currentBody)(rank, inputs, outputs);
}

const char *TestProgram::keep(const std::string &text) {
  texts.push_back(text);
  return texts.back().c_str();
}

const Range *TestProgram::keep(const std::vector<Box> &boxes) {
  std::vector<Range> all;
  for (const Box &box : boxes)
    all.insert(all.end(), box.begin(), box.end());
  ranges.push_back(std::move(all));
  return ranges.back().data();
}

template <typename T> const T *TestProgram::keep(const std::vector<T> &values) {
  numbers.emplace_back(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(numbers.back().data(), values.data(),
                values.size() * sizeof(T));
  return reinterpret_cast<const T *>(numbers.back().data());
}

int TestProgram::input(const std::string &name, int32_t dtype,
                       const std::vector<int64_t> &shape,
                       const std::vector<Box> &boxes) {
  inputs.push_back({keep(name), dtype, static_cast<int32_t>(shape.size()),
                    keep(shape), keep(boxes), nullptr});
  return static_cast<int>(inputs.size()) - 1;
}

int TestProgram::output(const std::string &name, int32_t dtype,
                        const std::vector<int64_t> &shape,
                        const std::vector<Box> &boxes,
                        const std::vector<uint8_t> &owner) {
  outputs.push_back({keep(name), dtype, static_cast<int32_t>(shape.size()),
                     keep(shape), keep(boxes), keep(owner)});
  return static_cast<int>(outputs.size()) - 1;
}

int TestProgram::exchange(int32_t kind, const std::string &vertex,
                          int32_t dtype, const std::vector<Box> &source,
                          const std::vector<Box> &target,
                          const std::vector<int32_t> &replicaOf,
                          int64_t predicted) {
  collectives.push_back(
      {keep(vertex), kind, dtype, static_cast<int32_t>(source[0].size()),
       devices, TAPESTRY_MONOID_NONE, TAPESTRY_HOST, /*targets=*/1,
       /*fragments=*/0, nullptr, replicaOf.empty() ? nullptr : keep(replicaOf),
       keep(source), keep(target), /*fragment=*/nullptr,
       /*combine=*/nullptr, predicted,
       /*predicted_copied_bytes=*/-1});
  return static_cast<int>(collectives.size()) - 1;
}

int TestProgram::reduction(int32_t kind, const std::string &vertex,
                           int32_t dtype, const std::vector<Box> &source,
                           const std::vector<Box> &target,
                           const std::vector<int32_t> &groupOf, int32_t group,
                           TapestryCombineFn combine, int64_t predicted,
                           int32_t monoid) {
  collectives.push_back({keep(vertex), kind, dtype,
                         static_cast<int32_t>(source[0].size()), group, monoid,
                         TAPESTRY_HOST, /*targets=*/1, /*fragments=*/0,
                         keep(groupOf), nullptr, keep(source), keep(target),
                         /*fragment=*/nullptr, combine, predicted,
                         /*predicted_copied_bytes=*/-1});
  return static_cast<int>(collectives.size()) - 1;
}

int TestProgram::vertex(const std::string &name, int64_t flops) {
  vertices.push_back({keep(name), flops});
  return static_cast<int>(vertices.size()) - 1;
}

TapestryProgram &TestProgram::table() {
  currentBody = &body;
  program = {TAPESTRY_ABI_VERSION,
             sizeof(TapestryProgram),
             "test",
             devices,
             static_cast<int32_t>(inputs.size()),
             static_cast<int32_t>(outputs.size()),
             static_cast<int32_t>(collectives.size()),
             static_cast<int32_t>(vertices.size()),
             inputs.data(),
             outputs.data(),
             collectives.data(),
             vertices.data(),
             callBody,
             /*predicted_peak_bytes=*/nullptr,
             static_cast<int64_t>(unreadInputs.size()),
             unreadInputs.data(),
             static_cast<int64_t>(features.size()),
             features.data(),
             static_cast<int64_t>(requirements.size()),
             requirements.data(),
             /*num_copies=*/0,
             /*copies=*/nullptr,
             /*input_files=*/nullptr,
             /*output_files=*/nullptr,
             /*taken_in=*/nullptr,
             /*threads=*/0,
             TAPESTRY_HOST};
  return program;
}
