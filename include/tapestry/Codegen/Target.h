//===- Target.h - What code is generated for --------------------*- C++ -*-===//
//
// A target answers what differs between kinds of devices: where buffers lie,
// how kernels become machine code, what they take while they run, how they are
// launched, how objects are made and linked, and what a machine must have. What
// comes before (fusion, rows, outlining) is the same for all; Pipeline.h puts
// both together.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_TARGET_H
#define TAPESTRY_CODEGEN_TARGET_H

#include "mlir/IR/Value.h"
#include "tapestry/Codegen/Common/MemoryUse.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class Location;
class ModuleOp;
class OpBuilder;
class OpPassManager;
namespace func {
class FuncOp;
} // namespace func
namespace LLVM {
class LLVMFuncOp;
} // namespace LLVM
} // namespace mlir

namespace tapestry {

/// Who computes products of matrices on GPUs: cuBLASLt, with positive parts of
/// them, whose NaNs it may lose, or without, or our kernels.
constexpr llvm::StringLiteral libraryProducts = "cublaslt";
constexpr llvm::StringLiteral libraryReLUs = "cublaslt-relu";
constexpr llvm::StringLiteral generatedProducts = "generated";

/// Which target, and what of it; as the user names them.
struct TargetSpec {
  std::string name = "cpu";
  /// The processor as LLVM names it; "native" is the one that compiles.
  std::string cpu = "native";
  /// Width of a vector register; 0 takes the processor's.
  unsigned vectorBits = 0;
  /// Kernels may use tile registers, for which a process has to ask the system:
  /// the runtime does before it starts a program.
  bool tiles = false;
  /// Threads of a rank, each of which takes memory of its own.
  int64_t threads = 1;
  /// Architectures of GPUs beside the least one, with commas between them.
  std::string gpuArchs = {};
  std::string gpuProducts = libraryProducts.str();
  /// Products of f32 may round their factors to TF32.
  bool tf32 = false;
};

struct MemorySpace {
  llvm::StringLiteral name;
  /// What the runtime calls it: a TapestryMemorySpace of its ABI.h.
  int32_t number;
  /// Allocations start at multiples of it and take whole multiples.
  int64_t alignment;
};

/// A name that users say, and what it means.
struct TargetWord {
  llvm::StringLiteral name;
  llvm::StringLiteral description;
};

/// Contiguous elements that a launch hands to a kernel.
struct FlatBuffer {
  mlir::Value pointer;
  mlir::Value count;
};

class Target {
public:
  explicit Target(const TargetSpec &spec) : spec(spec) {}
  virtual ~Target();

  const TargetSpec &getSpec() const { return spec; }

  /// Where buffers can lie; those of the device program, and what collectives
  /// move, lie in the first.
  virtual llvm::ArrayRef<MemorySpace> getMemorySpaces() const = 0;
  /// What the outlined `kernel` takes of that space while it runs, asked when
  /// the passes of addKernelPasses have run.
  virtual Temporaries getTemporaries(mlir::func::FuncOp kernel) const = 0;

  /// Passes that make one kernel of several operations, such as those that
  /// share rows.
  virtual void addFusionPasses(mlir::OpPassManager &functions) const;
  /// Passes on the module before those on its functions.
  virtual void addModulePasses(mlir::OpPassManager &) const {}
  /// Passes on outlined kernels, behind which all their buffers are known.
  virtual void addKernelPasses(mlir::OpPassManager &functions) const = 0;
  /// Passes that expand what the device has no instruction for.
  virtual void addMathPasses(mlir::OpPassManager &functions) const = 0;
  /// Points between the lowering passes whose IR may be looked at.
  virtual llvm::ArrayRef<TargetWord> getStages() const { return {}; }
  /// Passes on the module, to the LLVM dialect, or to the stage `last`.
  virtual void addLoweringPasses(mlir::OpPassManager &pm,
                                 llvm::StringRef last = {}) const = 0;
  /// Calls the lowered `kernel`, whose arguments were one-dimensional buffers,
  /// from code that holds plain pointers.
  virtual void emitLaunch(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::LLVM::LLVMFuncOp kernel,
                          llvm::ArrayRef<FlatBuffer> arguments) const = 0;

  /// The object file of a module of the LLVM dialect or, where several threads
  /// may make it, an archive of its objects. Problems are reported as
  /// diagnostics at the module's location.
  virtual mlir::FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
  emitObject(mlir::ModuleOp module, unsigned threads = 1) const = 0;
  /// Forms other than objects that code can be written in.
  virtual llvm::ArrayRef<TargetWord> getFormats() const { return {}; }
  /// A module that has been lowered to the last stage, in one of these.
  virtual mlir::FailureOr<std::string> emitAs(mlir::ModuleOp module,
                                              llvm::StringRef format) const;
  /// What a linker needs behind the object and the runtime's archives.
  virtual std::vector<std::string> getLinkArguments() const = 0;
  /// Names of what a machine must have to run the objects; the runtime checks
  /// them (runtime/lib/Core/Processor.cpp).
  virtual std::vector<std::string> getFeatures() const = 0;

private:
  TargetSpec spec;
};

/// One registered target.
struct TargetKind {
  llvm::StringLiteral name;
  /// Fails, naming what there is, for a processor that the target lacks.
  llvm::Expected<std::unique_ptr<Target>> (*create)(const TargetSpec &spec);
  /// Adds the dialects that the target's passes and emitObject need.
  void (*registerDialects)(mlir::DialectRegistry &registry);
};

/// Makes a target known under its name, once; before any thread asks for it.
/// The name must not be another's.
llvm::Error registerTarget(const TargetKind &kind);
/// All targets, in the order of their registration.
llvm::ArrayRef<TargetKind> allTargets();

/// The target that `spec` names. An error says what there is instead.
llvm::Expected<std::unique_ptr<Target>> createTarget(const TargetSpec &spec);

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_TARGET_H
