//===- InProcess.cpp - A compiled program in this process -----------------===//

#include "tapestry/Driver/InProcess.h"
#include "tapestry-rt/Runtime.h"
#include "tapestry/Driver/Stage.h"
#include "tapestry/Support/Error.h"

using namespace tapestry;
using namespace tapestry::driver;

/// What generated code calls; the runtime is part of this process.
static std::vector<JitProgram::Symbol> runtimeSymbols() {
  auto address = [](auto *function) {
    return reinterpret_cast<void *>(function);
  };
  return {
      {"tapestry_rt_device", address(&tapestry_rt_device)},
      {"tapestry_rt_collective", address(&tapestry_rt_collective)},
      {"tapestry_rt_start", address(&tapestry_rt_start)},
      {"tapestry_rt_wait", address(&tapestry_rt_wait)},
      {"tapestry_rt_point", address(&tapestry_rt_point)},
      {"tapestry_rt_hand_out", address(&tapestry_rt_hand_out)},
      {"tapestry_rt_take_in", address(&tapestry_rt_take_in)},
      {"tapestry_rt_sort", address(&tapestry_rt_sort)},
      {"tapestry_rt_block", address(&tapestry_rt_block)},
      {"tapestry_rt_parallel", address(&tapestry_rt_parallel)},
      {"tapestry_rt_share", address(&tapestry_rt_share)},
      {"tapestry_rt_vertex", address(&tapestry_rt_vertex)},
      {"tapestry_rt_copied", address(&tapestry_rt_copied)},
      {"tapestry_rt_fail", address(&tapestry_rt_fail)},
      {"tapestry_rt_allocate", address(&tapestry_rt_allocate)},
      {"tapestry_rt_free", address(&tapestry_rt_free)},
      {"_mlir_memref_to_llvm_alloc", address(&_mlir_memref_to_llvm_alloc)},
      {"_mlir_memref_to_llvm_aligned_alloc",
       address(&_mlir_memref_to_llvm_aligned_alloc)},
      {"_mlir_memref_to_llvm_free", address(&_mlir_memref_to_llvm_free)},
  };
}

/// What LLVM cannot do here is not the program's fault.
static ExitStatus unable(llvm::Error error) {
  printError(llvm::toString(std::move(error)));
  return ExitEnvironment;
}

ExitStatus tapestry::driver::checkLocalRanks(int64_t devices) {
  if (devices <= rt::maxLocalRanks)
    return ExitDone;
  printError(joinedText(devices, " devices are asked for; the local back end ",
                        "starts at most ", rt::maxLocalRanks, " ranks"));
  return ExitEnvironment;
}

ExitStatus
tapestry::driver::linkObject(std::unique_ptr<llvm::MemoryBuffer> object,
                             const BlockObjects &blocks,
                             std::unique_ptr<JitProgram> &jit) {
  auto linked = JitProgram::create(std::move(object), runtimeSymbols(),
                                   blocks.getFiles());
  if (!linked)
    return unable(linked.takeError());
  jit = std::move(*linked);
  return blocks.checkLibraries();
}

ExitStatus tapestry::driver::findProgram(JitProgram &jit,
                                         const BlockObjects &blocks,
                                         llvm::StringRef symbol,
                                         const TapestryProgram *&program) {
  llvm::Expected<void *> found = jit.lookup(symbol);
  if (!found) {
    std::string why = llvm::toString(found.takeError());
    if (ExitStatus status = blocks.reportUndefined())
      return status;
    printError(why);
    return ExitEnvironment;
  }
  program = static_cast<const TapestryProgram *>(*found);
  return ExitDone;
}

ExitStatus tapestry::driver::loadProgram(Compilation &compilation,
                                         const BlockObjects &blocks,
                                         LoadedProgram &result) {
  std::unique_ptr<llvm::MemoryBuffer> object;
  if (ExitStatus status = compilation.makeObject(object))
    return status;
  Stage stage(compilation.getOptions(), "loading");
  if (ExitStatus status = linkObject(std::move(object), blocks, result.jit))
    return status;
  return findProgram(*result.jit, blocks, "tapestry_program", result.program);
}
