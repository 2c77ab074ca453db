//===- OtherVersionPlugin.cpp - A plug-in for other tools -----------------===//

#include "tapestry/Plugin.h"

extern "C" tapestry::PluginInfo tapestryGetPluginInfo() {
  return {tapestry::pluginAPIVersion + 1, "other", nullptr, nullptr};
}
