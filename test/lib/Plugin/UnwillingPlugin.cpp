//===- UnwillingPlugin.cpp - Has nothing to register ----------------------===//

#include "tapestry/Plugin.h"

extern "C" const tapestry::PluginInfo *tapestryGetPluginInfo() {
  static const tapestry::PluginInfo info = {
      tapestry::pluginAPIVersion, "unwilling", nullptr,
      [] { return llvm::createStringError("there is nothing to register"); }};
  return &info;
}
