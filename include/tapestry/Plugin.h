//===- Plugin.h - What a plug-in of Tapestry offers -------------*- C++ -*-===//
//
// A plug-in is a shared library that `--load-plugin=X.so` of every tool loads.
// It has one function of C linkage:
//
//   extern "C" const tapestry::PluginInfo *tapestryGetPluginInfo() {
//     static const tapestry::PluginInfo info = {
//         tapestry::pluginAPIVersion, "mine",
//         [](mlir::DialectRegistry &registry) { registry.insert<MyDialect>();
//         },
//         []() -> llvm::Error {
//           mlir::PassRegistration<MyPass>();
//           return llvm::joinErrors(tapestry::cost::registerCostModel(myModel),
//                                   tapestry::registerTarget(myTarget));
//         }};
//     return &info;
//   }
//
// Its build is `tapestry_add_plugin` (cmake/TapestryAddPlugin.cmake, which the
// installed package brings): it links nothing of Tapestry and finds in the tool
// what it uses, so that both have the same type ids, registries, cost models
// and targets.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLUGIN_H
#define TAPESTRY_PLUGIN_H

#include "llvm/Support/Error.h"
#include <cstdint>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tapestry {

/// Raised when PluginInfo changes. What plug-ins call beyond it is C++ and has
/// to come from the same sources as the tool.
constexpr uint32_t pluginAPIVersion = 3;

struct PluginInfo {
  /// pluginAPIVersion of the headers that the plug-in was built with. It comes
  /// first in every version; nothing else is read where it is another.
  uint32_t apiVersion;
  /// For messages.
  const char *name;
  /// Adds dialects, and models of interfaces for operations of others, to the
  /// registry of a context. May run once per context; null: none.
  void (*registerDialects)(mlir::DialectRegistry &);
  /// Adds to the tables that a process has once: passes, translations, cost
  /// models, targets. Runs once, before the command line is read; an error ends
  /// the tool. Null: nothing.
  llvm::Error (*registerTables)();
};

/// The type of `tapestryGetPluginInfo`.
using PluginEntry = const PluginInfo *(*)();

} // namespace tapestry

#endif // TAPESTRY_PLUGIN_H
