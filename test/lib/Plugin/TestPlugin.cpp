//===- TestPlugin.cpp - A dialect and a pass that no tool has -------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Plugin.h"

using namespace mlir;

namespace {

/// Any operation `plugged.*` is one of its.
struct PluggedDialect : Dialect {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PluggedDialect)
  explicit PluggedDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<PluggedDialect>()) {
    allowUnknownOperations();
  }
  static StringRef getDialectNamespace() { return "plugged"; }
};

/// Says what the block operators of a graph are, as the tool's own ids see it.
struct ListBlockOps : PassWrapper<ListBlockOps, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ListBlockOps)
  StringRef getArgument() const override { return "plugged-list-block-ops"; }
  StringRef getDescription() const override { return "List block operators"; }
  void runOnOperation() override {
    getOperation().walk([](tapestry::BlockOpInterface op) {
      if (auto einsum = dyn_cast<tapestry::teg::EinsumOp>(op.getOperation()))
        op.emitRemark("einsum ") << einsum.getName();
    });
  }
};

} // namespace

extern "C" const tapestry::PluginInfo *tapestryGetPluginInfo() {
  static const tapestry::PluginInfo info = {
      tapestry::pluginAPIVersion, "test",
      [](DialectRegistry &registry) { registry.insert<PluggedDialect>(); },
      []() -> llvm::Error {
        PassRegistration<ListBlockOps>();
        return llvm::Error::success();
      }};
  return &info;
}
