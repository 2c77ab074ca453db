//===- Handle.cpp - What generated code runs in ---------------------------===//

#include "Run/Handle.h"
#include "Memory/Arena.h"
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

Handle *&Handle::current() {
  static thread_local Handle *handle = nullptr;
  return handle;
}

Handle::~Handle() = default;

void Handle::formTeam(int count, std::vector<int> cores) {
  threads = std::make_unique<Team>(*this, count, std::move(cores));
}

bool Handle::runTogether(TapestryKernelFunction function, void *arguments,
                         int64_t work) {
  Status status = threads->run(function, arguments, work);
  if (status.failed())
    fail(status);
  return !status.failed();
}

void Handle::failHere(const Status &status) {
  if (Part *part = Part::current())
    part->leave(status);
  fail(status);
}

void Handle::leave() {
  // The rank leaves when all parts are done.
  if (Part *part = Part::current())
    part->leave(Status::stopped());
  // Only the thread that called has a frame to go to. A helper thread waits for
  // the process to end.
  while (!pthread_equal(thread, pthread_self()))
    pause();
  longjmp(exit, 1);
}

bool Handle::call(const TapestryProgram &program, const void *const *inputs,
                  void *const *outputs) {
  // Generated code has no way to return an error: what it calls comes back here
  // instead (`leave`).
  if (setjmp(exit) != 0) {
    current() = nullptr;
    return false;
  }
  current() = this;
  program.entry(this, inputs, outputs);
  current() = nullptr;
  return true;
}

Status tapestry::rt::checkSpace(int32_t space) {
  if (space == TAPESTRY_HOST)
    return Status::success();
  return Status::failure(
      ExitEnvironment,
      format("the program asks for memory in space %d; this runtime has "
             "only %d, the host's",
             space, TAPESTRY_HOST));
}

void Handle::release(int32_t, void *memory) {
  // The block knows its arena.
  Arena::free(memory);
}

bool Handle::launch(const TapestryDeviceCode &, int64_t, int64_t, int64_t,
                    void **) {
  fail(Status::failure(ExitEnvironment, "it has no device to launch on"));
  return false;
}

bool Handle::multiply(const TapestryProduct &, const ProductMemory &) {
  fail(Status::failure(ExitEnvironment, "it has no device to multiply on"));
  return false;
}

bool Handle::fetch(void *, const void *, int64_t) {
  fail(Status::failure(ExitEnvironment, "it has no device to read from"));
  return false;
}

void Handle::endBlock(int32_t number) {
  fail(Status::failure(ExitRankFailed,
                       format("block '%s' failed: its function returned %d",
                              vertexName(), static_cast<int>(number))));
}

std::string Handle::blockCrash() const {
  return messageStart() +
         format("block '%s' failed: its function was ended", vertexName());
}

Status tapestry::rt::outsideFailure(const TapestryProgram &program,
                                    int64_t index, int64_t first,
                                    int64_t value) {
  auto bad = [](const std::string &message) {
    return Status::failure(ExitBadInput, message);
  };
  if (index < 0 || index >= program.num_requirements)
    return Status::failure(
        ExitRankFailed,
        format("the program names requirement %lld of %lld",
               static_cast<long long>(index),
               static_cast<long long>(program.num_requirements)));
  const TapestryRequirement &requirement = program.requirements[index];
  int64_t count = 1;
  for (int64_t dim = 0; dim < requirement.rank; ++dim)
    count *= requirement.shape[dim];
  if (first < 0 || first >= count) {
    return bad(format("%sindex %s has %lld elements, none with the number %lld",
                      requirement.place, requirement.index,
                      static_cast<long long>(count),
                      static_cast<long long>(first)));
  }
  std::string coordinate;
  for (int64_t dim = requirement.rank; dim-- > 0;) {
    coordinate =
        format("%lld%s", static_cast<long long>(first % requirement.shape[dim]),
               coordinate.empty() ? "]" : ", ") +
        coordinate;
    first /= requirement.shape[dim];
  }
  std::string number = requirement.is_unsigned
                           ? std::to_string(static_cast<uint64_t>(value))
                           : std::to_string(value);
  return bad(format("%sindex %s%s%s is %s, but %s", requirement.place,
                    requirement.index, coordinate.empty() ? "" : "[",
                    coordinate.c_str(), number.c_str(), requirement.bound));
}
