//===- Plugin.h - Back ends that are opened when asked for ------*- C++ -*-===//

#ifndef TAPESTRY_RT_RUN_PLUGIN_H
#define TAPESTRY_RT_RUN_PLUGIN_H

#include "tapestry-rt/Backend.h"
#include "tapestry-rt/Device.h"
#include <string>

namespace tapestry {
namespace rt {

/// Opens libtapestry-rt-<backend>.so and its back end. Looks in the folders of
/// $TAPESTRY_RT_PATH, beside the executable, in ../lib from there, and where
/// the executable looks for libraries. Returns null and says in `error` what is
/// missing.
const Backend *openPlugin(const std::string &backend, double timeoutSeconds,
                          std::string &error);

/// Opens libtapestry-rt-<kind>.so and the devices of this process, in the same
/// way.
DeviceDriver *openDevicePlugin(const std::string &kind, std::string &error);

/// Opens libtapestry-rt-<library>.so and its collectives, in the same way.
DeviceCollectives *openCollectivesPlugin(const std::string &library,
                                         std::string &error);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_PLUGIN_H
