//===- SpaceTargets.cpp - Targets that no tool knows ----------------------===//
//
// Two that are `cpu` but for where buffers lie: `wide` aligns them to 256
// bytes, `far` has them in a memory that the runtime lacks.
//
//===----------------------------------------------------------------------===//

#include "tapestry-rt/ABI.h"
#include "tapestry/Codegen/CPU/CPUTarget.h"
#include "tapestry/Plugin.h"

using namespace tapestry;

namespace {

template <int32_t number, int64_t alignment>
class SpaceTarget : public CPUTarget {
public:
  using CPUTarget::CPUTarget;

  llvm::ArrayRef<MemorySpace> getMemorySpaces() const override {
    static constexpr MemorySpace spaces[] = {{"plugged", number, alignment}};
    return spaces;
  }

  static llvm::Expected<std::unique_ptr<Target>>
  create(const TargetSpec &spec) {
    // It has the processors of `cpu`.
    auto cpu = createTarget({"cpu", spec.cpu, spec.vectorBits});
    if (!cpu)
      return cpu.takeError();
    return std::make_unique<SpaceTarget>(spec);
  }
};

/// Those of `cpu` are all that is needed.
void registerNoDialects(mlir::DialectRegistry &) {}

llvm::Error registerTargets() {
  return llvm::joinErrors(
      registerTarget({"wide", SpaceTarget<TAPESTRY_HOST, 256>::create,
                      registerNoDialects}),
      registerTarget({"far", SpaceTarget<3, 64>::create, registerNoDialects}));
}

} // namespace

extern "C" const PluginInfo *tapestryGetPluginInfo() {
  static const PluginInfo info = {pluginAPIVersion, "spaces",
                                  /*registerDialects=*/nullptr,
                                  registerTargets};
  return &info;
}
