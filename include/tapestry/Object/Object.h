//===- Object.h - The LLVM dialect to machine code --------------*- C++ -*-===//
//
// Translates a module of the LLVM dialect to LLVM IR, optimises it for one
// processor and emits position-independent object files in memory.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_OBJECT_OBJECT_H
#define TAPESTRY_OBJECT_OBJECT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
class raw_pwrite_stream;
} // namespace llvm

namespace tapestry {

struct ObjectOptions {
  /// The processor as LLVM names it; "native" is the one that compiles.
  std::string cpu = "native";
  /// 0 to 3: how much instruction selection, scheduling and register allocation
  /// may take, as clang's -O. Kernels come vectorised, tiled and unrolled;
  /// above 0, all levels run the same few passes on them before.
  unsigned optLevel = 3;
  /// How many threads may compile. Of more than one, a long module becomes an
  /// archive of several objects (`objectsIn`); the code of a function is the
  /// same.
  unsigned threads = 1;
  /// When set, receives the optimised LLVM IR as text.
  llvm::raw_ostream *dumpLLVM = nullptr;
  /// When set, receives the assembly text.
  llvm::raw_ostream *dumpAssembly = nullptr;
};

/// The object file of `module`, which must hold the LLVM dialect only. Problems
/// are reported as diagnostics at the module's location.
mlir::FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
compileToObject(mlir::ModuleOp module, const ObjectOptions &options = {});

/// The objects in what compileToObject made: itself, or those of an archive.
/// They lie in `object`.
llvm::Expected<std::vector<llvm::MemoryBufferRef>>
objectsIn(llvm::MemoryBufferRef object);

/// Runs passes of LLVM's, as `opt -passes` takes them, for that machine.
llvm::Error optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                           llvm::StringRef passes);
/// Writes the machine's code for a module, whose analyses are gone then.
llvm::Error emitModule(llvm::Module &module, llvm::TargetMachine &machine,
                       llvm::CodeGenFileType type,
                       llvm::raw_pwrite_stream &stream);

} // namespace tapestry

#endif // TAPESTRY_OBJECT_OBJECT_H
