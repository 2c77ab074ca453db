//===- InProcess.h - A compiled program in this process ---------*- C++ -*-===//

#ifndef TAPESTRY_DRIVER_INPROCESS_H
#define TAPESTRY_DRIVER_INPROCESS_H

#include "tapestry-rt/ABI.h"
#include "tapestry/Driver/BlockObjects.h"
#include "tapestry/Driver/Compilation.h"
#include "tapestry/Object/JitProgram.h"

namespace tapestry::driver {

/// `program` lies in the memory that `jit` owns.
struct LoadedProgram {
  std::unique_ptr<JitProgram> jit;
  const TapestryProgram *program = nullptr;
};

/// Refuses more devices than the back end `local` has ranks, before anything is
/// planned for them.
ExitStatus checkLocalRanks(int64_t devices);

/// Links an object file into this process with the functions of blocks, the
/// runtime being part of it.
ExitStatus linkObject(std::unique_ptr<llvm::MemoryBuffer> object,
                      const BlockObjects &blocks,
                      std::unique_ptr<JitProgram> &jit);

/// What the object that has been linked calls `symbol`.
ExitStatus findProgram(JitProgram &jit, const BlockObjects &blocks,
                       llvm::StringRef symbol, const TapestryProgram *&program);

/// Lowers a planned compilation to machine code and links it into this process
/// with the functions of its blocks, the runtime being part of it.
ExitStatus loadProgram(Compilation &compilation, const BlockObjects &blocks,
                       LoadedProgram &result);

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_INPROCESS_H
