//===- Results.h - What a user sees of a run --------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_RUN_RESULTS_H
#define TAPESTRY_RT_RUN_RESULTS_H

#include "Run/Job.h"

namespace tapestry {
namespace rt {

/// For who has asked for no file: prints the outputs that are numbers, whose
/// elements `numbers` has, and says which are not written.
void showResults(Job &job, const std::vector<const void *> &numbers);

/// A message of a run, on a line of its own.
void printMessage(Job &job, const std::string &message);

/// While it lives, a runtime that finds no memory even for its own tables says
/// so and ends the process. Tensors have their own way (Arena).
class NewHandlerGuard {
public:
  NewHandlerGuard();
  ~NewHandlerGuard();
  NewHandlerGuard(const NewHandlerGuard &) = delete;
  NewHandlerGuard &operator=(const NewHandlerGuard &) = delete;

private:
  void (*previous)();
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_RESULTS_H
