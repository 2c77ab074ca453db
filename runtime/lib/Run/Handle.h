//===- Handle.h - What generated code runs in -------------------*- C++ -*-===//
//
// The object behind the handle that generated code passes back through ABI.h:
// what all who call generated code have in common, and what each does in its
// own way. A rank of a program is one, a worker of the greedy executor another.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_RUN_HANDLE_H
#define TAPESTRY_RT_RUN_HANDLE_H

#include "Core/Block.h"
#include "Run/Team.h"
#include "tapestry-rt/Status.h"
#include <csetjmp>
#include <memory>
#include <pthread.h>

/// The handle of generated code.
struct TapestryRank {};

namespace tapestry {
namespace rt {

struct ProductMemory; // tapestry-rt/Device.h

class Handle : public TapestryRank {
public:
  static Handle &of(TapestryRank *handle) {
    return *static_cast<Handle *>(handle);
  }
  /// The one whose generated code runs on this thread, or null.
  static Handle *&current();

  virtual int64_t device() const = 0;
  /// Returns false where generated code must `leave`.
  [[nodiscard]] virtual bool runCollective(int64_t index, const void *source,
                                           void *target) = 0;
  /// Has a collective go on beside the program until that waits for it. Returns
  /// false where generated code must `leave`.
  [[nodiscard]] virtual bool startCollective(int64_t index, const void *source,
                                             void *target) {
    return runCollective(index, source, target);
  }
  [[nodiscard]] virtual bool waitCollective(int64_t) { return true; }
  /// Waits for all devices. Returns false where generated code must `leave`.
  [[nodiscard]] virtual bool meet() = 0;
  /// Output `output` is complete in `buffer` before the program ends. Returns
  /// false where generated code must `leave`.
  [[nodiscard]] virtual bool handOut(int64_t output, const void *buffer) = 0;
  /// Fills the buffer of input `input` after the program has begun. Returns
  /// false where generated code must `leave`.
  [[nodiscard]] virtual bool takeIn(int64_t input, void *buffer) = 0;
  /// Ends the run by requirement `index`: element number `first` of what it is
  /// about is outside.
  virtual void endOutside(int64_t index, int64_t first, int64_t value) = 0;
  /// Ends the run: the function of a block returned `number`.
  void endBlock(int32_t number);
  /// What is said where the function of a block crashes.
  std::string blockCrash() const;
  virtual void enterVertex(int64_t vertex) = 0;
  /// Copies number `index` of the program have written so much.
  virtual void countCopied(int64_t index, int64_t bytes) = 0;
  /// Ends the run with this status.
  virtual void fail(const Status &status) = 0;
  /// Memory in a space of the ABI.
  virtual Status allocate(int32_t space, uint64_t bytes, uint64_t alignment,
                          void *&memory) = 0;
  /// Whether the program's tensors lie in the memory of a device.
  virtual bool isOnDevice() const { return false; }
  /// Gives back what `allocate` has returned.
  virtual void release(int32_t space, void *memory);
  /// Has a kernel run on the device. Returns false where generated code must
  /// `leave`.
  [[nodiscard]] virtual bool launch(const TapestryDeviceCode &code,
                                    int64_t kernel, int64_t blocks,
                                    int64_t threads, void **arguments);
  /// Has products be computed by the device's library. Returns false where
  /// generated code must `leave`.
  [[nodiscard]] virtual bool multiply(const TapestryProduct &product,
                                      const ProductMemory &memory);
  /// Copies from the device when all that it was told is done. Returns false
  /// where generated code must `leave`.
  [[nodiscard]] virtual bool fetch(void *host, const void *from, int64_t bytes);
  /// Has the tensors of a block lie in the host's memory for its function, and
  /// says where they lay; has the results be there again. Return false where
  /// generated code must `leave`.
  [[nodiscard]] virtual bool bring(BlockCall &,
                                   std::vector<BlockCall::Part> &) {
    return true;
  }
  [[nodiscard]] virtual bool bringBack(const BlockCall &,
                                       const std::vector<BlockCall::Part> &) {
    return true;
  }
  /// The device's copy of a constant. Null where generated code must `leave`.
  virtual const void *copyConstant(const void *, int64_t) { return nullptr; }
  /// Counts in the peak so many bytes of the host beside those that are
  /// allocated.
  virtual void reach(int64_t) {}
  /// Leaves generated code for `call`, after a failure. The frames of generated
  /// code have nothing to clean up; callers must not either.
  [[noreturn]] void leave();
  /// As `fail`, on any thread that runs a part of a kernel.
  void failHere(const Status &status);

  /// Whose threads run large kernels; null: one thread does.
  Team *team() const { return threads.get(); }
  /// Returns false where generated code must `leave`.
  [[nodiscard]] bool runTogether(TapestryKernelFunction function,
                                 void *arguments, int64_t work);

protected:
  /// Of the vertex that is computed, or nothing.
  virtual const char *vertexName() const = 0;
  /// What messages of this one begin with.
  virtual std::string messageStart() const = 0;

  /// For generated code on the calling thread.
  Handle() : thread(pthread_self()) {}
  ~Handle();
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;

  /// For the calling thread's program: large kernels run on so many threads,
  /// which stay on `cores` where there are as many.
  void formTeam(int threads, std::vector<int> cores);

  /// Runs a program's code once; false where it has been left.
  [[nodiscard]] bool call(const TapestryProgram &program,
                          const void *const *inputs, void *const *outputs);

private:
  jmp_buf exit;
  pthread_t thread;
  std::unique_ptr<Team> threads;
};

/// Why there is no memory in a space; success where there may be.
Status checkSpace(int32_t space);
/// What a run ends with by a requirement of a program: ExitBadInput, or another
/// status where the program has no such requirement or element.
Status outsideFailure(const TapestryProgram &program, int64_t index,
                      int64_t first, int64_t value);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_HANDLE_H
