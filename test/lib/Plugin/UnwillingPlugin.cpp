//===- UnwillingPlugin.cpp - Has nothing to register ----------------------===//

#include "tapestry/Plugin.h"

extern "C" tapestry::PluginInfo tapestryGetPluginInfo() {
  return {tapestry::pluginAPIVersion, "unwilling", nullptr, [] {
            return llvm::createStringError("there is nothing to register");
          }};
}
