//===- RunCommand.cpp - tapestry run --------------------------------------===//

#include "Commands.h"
#include "Compilation.h"
#include "tapestry-rt/ABI.h"
#include "tapestry-rt/Runtime.h"
#include "tapestry/Codegen/Object/JitProgram.h"
#include <chrono>

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
      {"tapestry_rt_vertex", address(&tapestry_rt_vertex)},
      {"tapestry_rt_fail", address(&tapestry_rt_fail)},
      {"_mlir_memref_to_llvm_alloc", address(&_mlir_memref_to_llvm_alloc)},
      {"_mlir_memref_to_llvm_aligned_alloc",
       address(&_mlir_memref_to_llvm_aligned_alloc)},
      {"_mlir_memref_to_llvm_free", address(&_mlir_memref_to_llvm_free)},
  };
}

ExitStatus tapestry::driver::runProgram(const Options &options) {
  auto start = std::chrono::steady_clock::now();
  Compilation compilation(options);
  if (ExitStatus status = compilation.load())
    return status;
  if (ExitStatus status = compilation.planGraph())
    return status;
  if (ExitStatus status = compilation.lower(Phase::Code))
    return status;
  std::unique_ptr<llvm::MemoryBuffer> object = compilation.emitObject();
  if (!object)
    return Unable;
  auto jit = JitProgram::create(std::move(object), runtimeSymbols());
  if (!jit) {
    printError(llvm::toString(jit.takeError()));
    return Unable;
  }
  llvm::Expected<void *> program = (*jit)->lookup("tapestry_program");
  if (!program) {
    printError(llvm::toString(program.takeError()));
    return Unable;
  }

  rt::RunOptions run;
  run.inputs = compilation.neededInputs();
  run.outputs = options.outputs;
  run.feeds = options.feeds;
  run.repeat = options.repeat;
  run.reportPath = options.reportFile;
  run.tracePath = options.traceFile;
  run.verbose = options.verbose;
  run.backend = "local";
  run.ownsProcess = true;
  run.compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return static_cast<ExitStatus>(
      rt::run(*static_cast<const TapestryProgram *>(*program), run));
}
