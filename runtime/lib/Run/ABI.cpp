//===- ABI.cpp - What generated code calls --------------------------------===//
//
// Implements tapestry-rt/ABI.h. A failure leaves generated code by a jump, so
// nothing in these functions' own frames may need a destructor at that point.
//
//===----------------------------------------------------------------------===//

#include "tapestry-rt/ABI.h"
#include "Core/Block.h"
#include "Core/Sort.h"
#include "Memory/Arena.h"
#include "Run/Handle.h"
#include "tapestry-rt/Crash.h"
#include "tapestry-rt/Device.h"
#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

using namespace tapestry;
using namespace tapestry::rt;

int64_t tapestry_rt_device(TapestryRank *rank) {
  return Handle::of(rank).device();
}

void tapestry_rt_collective(TapestryRank *rank, int64_t index,
                            const void *source, void *target) {
  if (!Handle::of(rank).runCollective(index, source, target))
    Handle::of(rank).leave();
}

void tapestry_rt_start(TapestryRank *rank, int64_t index, const void *source,
                       void *target) {
  if (!Handle::of(rank).startCollective(index, source, target))
    Handle::of(rank).leave();
}

void tapestry_rt_wait(TapestryRank *rank, int64_t index, const void *, void *) {
  if (!Handle::of(rank).waitCollective(index))
    Handle::of(rank).leave();
}

void tapestry_rt_point(TapestryRank *rank) {
  if (!Handle::of(rank).meet())
    Handle::of(rank).leave();
}

void tapestry_rt_hand_out(TapestryRank *rank, int64_t output,
                          const void *buffer) {
  if (!Handle::of(rank).handOut(output, buffer))
    Handle::of(rank).leave();
}

void tapestry_rt_take_in(TapestryRank *rank, int64_t input, void *buffer) {
  if (!Handle::of(rank).takeIn(input, buffer))
    Handle::of(rank).leave();
}

void tapestry_rt_require(TapestryRank *rank, int64_t index,
                         const int64_t *first, const int64_t *value) {
  int64_t words[2];
  if (Handle::of(rank).isOnDevice()) {
    if (!Handle::of(rank).fetch(&words[0], first, sizeof(int64_t)) ||
        !Handle::of(rank).fetch(&words[1], value, sizeof(int64_t)))
      Handle::of(rank).leave();
    first = &words[0];
    value = &words[1];
  }
  if (*first != TAPESTRY_NOTHING_OUTSIDE) {
    Handle::of(rank).endOutside(index, *first, *value);
    Handle::of(rank).leave();
  }
}

void tapestry_rt_sort(int32_t dtype, int32_t mode, int64_t rows, int64_t stride,
                      int64_t length, int64_t run, int64_t first, int64_t count,
                      int64_t offset, const void *source, void *result,
                      void *scratch) {
  sortRows(static_cast<TapestryDType>(dtype),
           {mode, rows, stride, length, run, first, count, offset, source,
            result, scratch});
}

/// Returns false where generated code must leave.
static bool runBlock(Handle &handle, TapestryBlockFunction function,
                     const int64_t *words) {
  BlockCall call(words);
  std::vector<BlockCall::Part> places;
  if (!handle.bring(call, places))
    return false;
  int32_t number = 0;
  {
    CrashGuard guard(handle.blockCrash(), ExitRankFailed);
    number = call.run(function);
  }
  if (number == 0)
    return handle.bringBack(call, places);
  handle.endBlock(number);
  return false;
}

void tapestry_rt_block(TapestryRank *rank, TapestryBlockFunction function,
                       const int64_t *words) {
  if (!runBlock(Handle::of(rank), function, words))
    Handle::of(rank).leave();
}

void tapestry_rt_parallel(TapestryKernelFunction function, void *arguments,
                          int64_t work) {
  Handle *owner = Handle::current();
  if (!owner || !owner->team())
    return function(arguments);
  // Within a part all of it is that part's.
  if (Part *part = Part::current()) {
    int64_t number = std::exchange(part->number, 0);
    int64_t count = std::exchange(part->count, 1);
    function(arguments);
    part->number = number;
    part->count = count;
    return;
  }
  if (!owner->runTogether(function, arguments, work))
    owner->leave();
}

int64_t tapestry_rt_share(int64_t units, int64_t behind) {
  Part *part = Part::current();
  if (!part)
    return behind ? units : 0;
  return static_cast<int64_t>(__int128(units) * (part->number + behind) /
                              part->count);
}

/// The rank of a call that a kernel's function makes.
static Handle &handleOf(TapestryRank *rank) {
  return rank ? Handle::of(rank) : *Handle::current();
}

void tapestry_rt_launch(TapestryRank *rank, const TapestryDeviceCode *code,
                        int64_t kernel, int64_t blocks, int64_t threads,
                        void **arguments) {
  if (!handleOf(rank).launch(*code, kernel, blocks, threads, arguments))
    handleOf(rank).leave();
}

void tapestry_rt_product(TapestryRank *rank, const TapestryProduct *product,
                         const void *left, const void *right,
                         const void *addend, void *result, const void *bias,
                         void *workspace, int64_t workspace_bytes) {
  if (!handleOf(rank).multiply(*product,
                               {left, right, addend, result, bias, workspace,
                                static_cast<uint64_t>(workspace_bytes)}))
    handleOf(rank).leave();
}

void tapestry_rt_fetch(TapestryRank *rank, void *host, const void *device,
                       int64_t bytes) {
  if (!handleOf(rank).fetch(host, device, bytes))
    handleOf(rank).leave();
}

const void *tapestry_rt_constant(TapestryRank *rank, const void *host,
                                 int64_t bytes) {
  const void *copy = handleOf(rank).copyConstant(host, bytes);
  if (!copy)
    handleOf(rank).leave();
  return copy;
}

void tapestry_rt_vertex(TapestryRank *rank, int64_t vertex) {
  Handle::of(rank).enterVertex(vertex);
}

void tapestry_rt_copied(TapestryRank *rank, int64_t index, int64_t bytes) {
  Handle::of(rank).countCopied(index, bytes);
}

void tapestry_rt_fail(TapestryRank *rank, const char *message) {
  Handle::of(rank).fail(Status::failure(ExitRankFailed, message));
  Handle::of(rank).leave();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// For threads that are no ranks, such as helpers that generated code starts.
static Arena &strayArena() {
  // Never destroyed: helpers may outlive everything.
  static Arena &arena = *new Arena(*new MemoryBudget(INT64_MAX));
  return arena;
}

/// Null after a failure that has been told.
static void *allocateFor(Handle &handle, int32_t space, uint64_t alignment,
                         uint64_t bytes) {
  void *memory = nullptr;
  Status status = handle.allocate(space, bytes, alignment, memory);
  if (status.failed())
    handle.failHere(status);
  else if (Part *part = Part::current())
    part->take(static_cast<int64_t>(bytes));
  return memory;
}

void *tapestry_rt_allocate(TapestryRank *rank, int32_t space,
                           uint64_t alignment, uint64_t bytes) {
  if (Handle *owner = rank ? &Handle::of(rank) : Handle::current()) {
    void *memory = allocateFor(*owner, space, alignment, bytes);
    if (!memory)
      owner->leave();
    return memory;
  }
  void *memory = strayArena().allocate(bytes, alignment);
  if (!memory) {
    fprintf(stderr, "error: %s\n",
            strayArena().exhausted(bytes).message().c_str());
    _exit(ExitEnvironment);
  }
  return memory;
}

void tapestry_rt_free(TapestryRank *rank, int32_t space, void *memory) {
  if (space != TAPESTRY_HOST) {
    if (Handle *owner = rank ? &Handle::of(rank) : Handle::current())
      owner->release(space, memory);
    return;
  }
  if (Part *part = Part::current())
    part->take(-Arena::askedBytes(memory));
  // The block knows its arena.
  Arena::free(memory);
}

void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t bytes) {
  return tapestry_rt_allocate(nullptr, TAPESTRY_HOST, alignment, bytes);
}

void *_mlir_memref_to_llvm_alloc(uint64_t bytes) {
  return _mlir_memref_to_llvm_aligned_alloc(64, bytes);
}

void _mlir_memref_to_llvm_free(void *memory) {
  tapestry_rt_free(nullptr, TAPESTRY_HOST, memory);
}
