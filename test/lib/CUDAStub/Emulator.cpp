//===- Emulator.cpp - Blocks of threads on one processor ------------------===//
//
// A thread of a block is a context of its own, which runs until it ends or
// comes to a barrier. Memory that a block shares holds NaN when it begins. With
// TAPESTRY_STUB_CHECK=1 what one thread writes and another one of the block
// reads or writes before the next barrier is an error; with
// TAPESTRY_STUB_NO_BARRIERS=1 nothing waits, to see that.
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <ucontext.h>
#include <unordered_map>
#include <vector>

using namespace tapestry::stub;

namespace {

constexpr size_t stackBytes = 64 << 10;

/// One block at a time, on the thread of the system that launches.
class Block {
public:
  bool run(Kernel kernel, int64_t number, int64_t threads, void **arguments,
           std::string &problem);

  int64_t getNumber() const { return number; }
  int64_t getThread() const { return thread; }
  void *share(int64_t index, int64_t bytes);
  /// Goes on when all threads are here.
  void wait();
  /// Reads or writes what no other thread may touch meanwhile.
  void access(uintptr_t address, int64_t bytes, bool writes);

private:
  static void begin();
  /// Runs thread `thread` until it ends or waits.
  void resume();

  struct Thread {
    ucontext_t context;
    char *stack = nullptr;
    bool isDone = false;
  };

  Kernel kernel = nullptr;
  void **arguments = nullptr;
  int64_t number = 0, thread = 0;
  /// Of an address since the last barrier: who has written and read it.
  struct Touched {
    int64_t round = -1;
    int64_t writer = -1, reader = -1;
    bool isReadByMany = false;
  };
  std::unordered_map<uintptr_t, Touched> touched;
  int64_t round = 0;
  std::string race;
  std::vector<Thread> all;
  std::vector<std::unique_ptr<char[]>> stacks;
  std::vector<char *> freeStacks;
  std::map<int64_t, std::vector<char>> shared;
  ucontext_t scheduler;
};

thread_local Block block;

void Block::begin() {
  block.kernel(block.arguments);
  block.all[block.thread].isDone = true;
  // The context's link leads back.
}

void Block::resume() {
  Thread &next = all[thread];
  if (!next.stack) {
    if (freeStacks.empty()) {
      stacks.emplace_back(new char[stackBytes]);
      freeStacks.push_back(stacks.back().get());
    }
    next.stack = freeStacks.back();
    freeStacks.pop_back();
    getcontext(&next.context);
    next.context.uc_stack.ss_sp = next.stack;
    next.context.uc_stack.ss_size = stackBytes;
    next.context.uc_link = &scheduler;
    makecontext(&next.context, &Block::begin, 0);
  }
  swapcontext(&scheduler, &next.context);
  if (next.isDone)
    freeStacks.push_back(next.stack);
}

bool isAsked(const char *name) {
  const char *text = getenv(name);
  return text && strcmp(text, "1") == 0;
}

void Block::access(uintptr_t address, int64_t bytes, bool writes) {
  static const bool checks = isAsked("TAPESTRY_STUB_CHECK");
  if (!checks || !race.empty())
    return;
  Touched &at = touched[address];
  if (at.round != round)
    at = {round, -1, -1, false};
  bool isOthers = at.writer >= 0 && at.writer != thread;
  if (writes)
    isOthers |= at.isReadByMany || (at.reader >= 0 && at.reader != thread);
  if (isOthers)
    race = "threads " + std::to_string(at.writer >= 0 ? at.writer : at.reader) +
           " and " + std::to_string(thread) + " of block " +
           std::to_string(number) + " touch the same " + std::to_string(bytes) +
           " bytes with no barrier between, and one writes them";
  if (writes)
    at.writer = thread;
  else if (at.reader >= 0 && at.reader != thread)
    at.isReadByMany = true;
  else
    at.reader = thread;
}

void Block::wait() {
  static const bool waits = !isAsked("TAPESTRY_STUB_NO_BARRIERS");
  if (waits)
    swapcontext(&all[thread].context, &scheduler);
}

void *Block::share(int64_t index, int64_t bytes) {
  std::vector<char> &memory = shared[index];
  if (memory.empty())
    memory.assign(static_cast<size_t>(bytes), '\xff');
  return memory.data();
}

bool Block::run(Kernel what, int64_t which, int64_t threads, void **with,
                std::string &problem) {
  kernel = what;
  touched.clear();
  round = 0;
  race.clear();
  arguments = with;
  number = which;
  shared.clear();
  all.assign(static_cast<size_t>(threads), Thread());
  for (bool isOver = false; !isOver;) {
    int64_t ended = 0;
    for (thread = 0; thread < threads; ++thread) {
      resume();
      ended += all[thread].isDone;
    }
    ++round;
    if (!race.empty()) {
      problem = race;
      return false;
    }
    isOver = ended == threads;
    if (ended == 0 || isOver)
      continue;
    problem = "of block " + std::to_string(which) + " " +
              std::to_string(ended) + " threads of " + std::to_string(threads) +
              " have ended while the others wait at a barrier";
    return false;
  }
  return true;
}

} // namespace

bool tapestry::stub::launch(Kernel kernel, int64_t blocks, int64_t threads,
                            void **arguments, std::string &problem) {
  for (int64_t number = 0; number < blocks; ++number)
    if (!block.run(kernel, number, threads, arguments, problem))
      return false;
  return true;
}

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int64_t tapestry_stub_thread() { return block.getThread(); }
EXPORT int64_t tapestry_stub_block() { return block.getNumber(); }
EXPORT void *tapestry_stub_shared(int64_t index, int64_t bytes) {
  return block.share(index, bytes);
}
EXPORT void tapestry_stub_barrier() { block.wait(); }
EXPORT void tapestry_stub_access(int64_t address, int64_t bytes,
                                 int64_t writes) {
  block.access(static_cast<uintptr_t>(address), bytes, writes != 0);
}
