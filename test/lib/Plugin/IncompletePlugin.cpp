//===- IncompletePlugin.cpp - Calls what no tool has ----------------------===//

#include "tapestry/Plugin.h"

extern "C" void tapestryNobodyDefinesThis();

extern "C" tapestry::PluginInfo tapestryGetPluginInfo() {
  return {tapestry::pluginAPIVersion, "incomplete", nullptr,
          []() -> llvm::Error {
            tapestryNobodyDefinesThis();
            return llvm::Error::success();
          }};
}
