//===- Emulator.cpp - Blocks of threads on one processor ------------------===//
//
// A thread of a block is a context of its own, which runs until it ends or
// comes to a barrier or exchanges a value with its warp. Contexts that are free
// run the next thread. Memory that a block shares holds NaN when it begins.
// With TAPESTRY_STUB_CHECK=1 races and accesses beside buffers are errors
// (Watch.h); with TAPESTRY_STUB_NO_BARRIERS=1 nothing waits, to see the former.
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"
#include "Watch.h"
#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <ucontext.h>
#include <vector>

using namespace tapestry::stub;

namespace {

constexpr size_t stackBytes = 64 << 10;
constexpr int64_t warpThreads = 32;

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
  /// Gives `value` to, and takes that of, the thread of the warp whose number
  /// differs by these bits; goes on when all threads of the warp are here.
  int32_t exchange(int32_t value, int32_t bits);
  /// Reads or writes; what of which block and thread is filled in here.
  void access(Watch::Access what);
  void beginLaunch() {
    watch.beginLaunch();
    shared.clear();
  }

private:
  struct Context {
    std::unique_ptr<char[]> stack;
    jmp_buf place;
    bool isNew = true;
  };
  struct Thread {
    Context *context = nullptr;
    bool isDone = false, exchanges = false;
    /// What it gives, in turns: one may give the next before another has taken.
    int32_t given[2] = {0, 0};
    int turn = 0;
  };

  static void begin();
  /// Runs thread `thread` until it ends or waits.
  void resume();
  void enter(Context &context);
  void leave();
  Context *takeContext();
  /// Runs a warp until each of its threads has ended or waits at a barrier;
  /// false where some of them alone exchange values.
  bool resumeWarp(int64_t first, int64_t behind);

  Kernel kernel = nullptr;
  void **arguments = nullptr;
  int64_t number = 0, thread = 0;
  Watch watch;
  /// What is wrong, which ends the block.
  std::string wrong;
  std::vector<Thread> all;
  std::vector<std::unique_ptr<Context>> contexts;
  std::vector<Context *> freeContexts;
  struct Memory {
    std::vector<char> bytes;
    int64_t ofBlock = -1; ///< which has begun to use it
  };
  std::map<int64_t, Memory> shared; // of the launch
  jmp_buf scheduler;
};

thread_local Block block;

void Block::begin() {
  for (;;) {
    block.kernel(block.arguments);
    block.all[block.thread].isDone = true;
    block.leave();
  }
}

/// Without system calls but for the first time: there are many switches.
void Block::enter(Context &context) {
  if (_setjmp(scheduler) != 0)
    return;
  if (!context.isNew)
    _longjmp(context.place, 1);
  context.isNew = false;
  ucontext_t first;
  getcontext(&first);
  first.uc_stack.ss_sp = context.stack.get();
  first.uc_stack.ss_size = stackBytes;
  first.uc_link = nullptr;
  makecontext(&first, &Block::begin, 0);
  setcontext(&first);
}

/// Back to whom has entered; returns when it is entered again.
void Block::leave() {
  if (_setjmp(all[thread].context->place) == 0)
    _longjmp(scheduler, 1);
}

Block::Context *Block::takeContext() {
  if (freeContexts.empty()) {
    contexts.push_back(std::make_unique<Context>());
    contexts.back()->stack.reset(new char[stackBytes]);
    return contexts.back().get();
  }
  Context *last = freeContexts.back();
  freeContexts.pop_back();
  return last;
}

void Block::resume() {
  if (!all[thread].context)
    all[thread].context = takeContext();
  enter(*all[thread].context);
  if (all[thread].isDone)
    freeContexts.push_back(all[thread].context);
}

bool isAsked(const char *name) {
  const char *text = getenv(name);
  return text && strcmp(text, "1") == 0;
}

void Block::access(Watch::Access what) {
  static const bool checks = isAsked("TAPESTRY_STUB_CHECK");
  if (!checks)
    return;
  what.block = number;
  what.thread = thread;
  wrong = watch.note(what);
  // The thread goes no further.
  if (!wrong.empty())
    leave();
}

void Block::wait() {
  static const bool waits = !isAsked("TAPESTRY_STUB_NO_BARRIERS");
  if (waits)
    leave();
}

int32_t Block::exchange(int32_t value, int32_t bits) {
  Thread &own = all[thread];
  int turn = own.turn ^= 1;
  own.given[turn] = value;
  own.exchanges = true;
  leave();
  return all[thread ^ bits].given[turn];
}

bool Block::resumeWarp(int64_t first, int64_t behind) {
  for (int64_t exchanging = -1; exchanging != 0;) {
    exchanging = 0;
    for (thread = first; thread < behind; ++thread) {
      all[thread].exchanges = false;
      resume();
      if (!wrong.empty())
        return false;
      exchanging += all[thread].exchanges;
    }
    if (exchanging != 0 && exchanging != behind - first)
      return false;
  }
  return true;
}

void *Block::share(int64_t index, int64_t bytes) {
  Memory &memory = shared[index];
  memory.bytes.resize(static_cast<size_t>(bytes));
  if (memory.ofBlock != number) {
    std::fill(memory.bytes.begin(), memory.bytes.end(), '\xff');
    memory.ofBlock = number;
    watch.share(reinterpret_cast<uintptr_t>(memory.bytes.data()),
                memory.bytes.size());
  }
  return memory.bytes.data();
}

bool Block::run(Kernel what, int64_t which, int64_t threads, void **with,
                std::string &problem) {
  kernel = what;
  watch.beginBlock();
  wrong.clear();
  arguments = with;
  number = which;
  all.assign(static_cast<size_t>(threads), Thread());
  for (bool isOver = false; !isOver;) {
    int64_t ended = 0;
    for (int64_t first = 0; first < threads; first += warpThreads)
      if (!resumeWarp(first, std::min(first + warpThreads, threads))) {
        problem = wrong.empty() ? "of block " + std::to_string(which) +
                                      " some threads of a warp exchange values "
                                      "without the others"
                                : wrong;
        return false;
      }
    for (const Thread &one : all)
      ended += one.isDone;
    watch.passBarrier();
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
  block.beginLaunch();
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
EXPORT int32_t tapestry_stub_shuffle(int32_t value, int32_t bits) {
  return block.exchange(value, bits);
}
EXPORT void tapestry_stub_access(const void *base, const void *address,
                                 int64_t bytes, int64_t elementBytes,
                                 int64_t alignment, int64_t writes) {
  block.access({reinterpret_cast<uintptr_t>(base),
                reinterpret_cast<uintptr_t>(address), bytes, elementBytes,
                alignment, writes != 0, 0, 0});
}
