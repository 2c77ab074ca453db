//===- IncompletePlugin.cpp - Calls what no tool has ----------------------===//

#include "tapestry/Plugin.h"

extern "C" void tapestryNobodyDefinesThis();

extern "C" const tapestry::PluginInfo *tapestryGetPluginInfo() {
  static const tapestry::PluginInfo info = {
      tapestry::pluginAPIVersion, "incomplete", nullptr, []() -> llvm::Error {
        tapestryNobodyDefinesThis();
        return llvm::Error::success();
      }};
  return &info;
}
