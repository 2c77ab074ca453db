//===- OtherVersionPlugin.cpp - A plug-in for other tools -----------------===//

#include "tapestry/Plugin.h"

/// What a later version might have: more, and other things.
struct LaterInfo {
  tapestry::PluginInfo info;
  void *more[64];
};

extern "C" const tapestry::PluginInfo *tapestryGetPluginInfo() {
  static const LaterInfo later = {
      {tapestry::pluginAPIVersion + 1, "other", nullptr, nullptr}, {}};
  return &later.info;
}
