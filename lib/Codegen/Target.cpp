//===- Target.cpp - The registry of targets -------------------------------===//

#include "tapestry/Codegen/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "tapestry/Codegen/Common/Passes.h"
#include "tapestry/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tapestry;

Target::~Target() = default;

void Target::addFusionPasses(mlir::OpPassManager &functions) const {
  functions.addPass(createFormStreams());
  functions.addPass(createFormRowKernels());
}

mlir::FailureOr<std::string> Target::emitAs(mlir::ModuleOp module,
                                            llvm::StringRef format) const {
  return module.emitError("the target '")
         << getSpec().name << "' has no form '" << format << "'";
}

static std::vector<TargetKind> &registry() {
  static std::vector<TargetKind> targets;
  return targets;
}

llvm::Error tapestry::registerTarget(const TargetKind &kind) {
  for (const TargetKind &known : registry())
    if (known.name == kind.name)
      return known.create == kind.create
                 ? llvm::Error::success()
                 : faultError(Fault::Usage, "", "there are two targets named '",
                              kind.name, "'");
  registry().push_back(kind);
  return llvm::Error::success();
}

llvm::ArrayRef<TargetKind> tapestry::allTargets() { return registry(); }

llvm::Expected<std::unique_ptr<Target>>
tapestry::createTarget(const TargetSpec &spec) {
  for (const TargetKind &kind : registry())
    if (kind.name == spec.name)
      return kind.create(spec);
  auto nameOf = [](const TargetKind &kind) { return kind.name; };
  return faultError(
      Fault::Usage, "", "there is no target '", spec.name,
      "'; there are: ", llvm::join(llvm::map_range(registry(), nameOf), ", "));
}
