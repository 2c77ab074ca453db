//===- Worker.h - A thread that runs shards ---------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_TASKS_WORKER_H
#define TAPESTRY_RT_TASKS_WORKER_H

#include "Run/Handle.h"
#include "Tasks/Executor.h"

namespace tapestry {
namespace rt {

class Worker final : public Handle {
public:
  /// On the thread that it is for.
  explicit Worker(Executor &executor)
      : executor(executor), budget(0), arena(budget, &executor.held) {}

  /// Runs a shard's kernel, on memory that is there.
  Status run(int32_t shard);

  int64_t device() const override { return 0; }
  [[nodiscard]] bool runCollective(int64_t index, const void *source,
                                   void *target) override;
  /// A shard's kernel is a program of one device.
  [[nodiscard]] bool meet() override { return true; }
  /// The program of a kernel is handed its results back when it ends.
  [[nodiscard]] bool handOut(int64_t, const void *) override { return true; }
  /// Its inputs are views that are there.
  [[nodiscard]] bool takeIn(int64_t, void *) override { return true; }
  void endOutside(int64_t index, int64_t first, int64_t value) override;
  void enterVertex(int64_t next) override { vertex = next; }
  /// The executor counts chunks.
  void countCopied(int64_t, int64_t) override {}
  void fail(const Status &status) override { failure = status; }
  Status allocate(int32_t space, uint64_t bytes, uint64_t alignment,
                  void *&memory) override;

private:
  const char *vertexName() const override;
  std::string messageStart() const override { return {}; }
  Executor &executor;
  const TaskShard *shard = nullptr;
  const TapestryProgram *program = nullptr;
  int64_t vertex = -1;
  Status failure;
  MemoryBudget budget;
  Arena arena;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_TASKS_WORKER_H
