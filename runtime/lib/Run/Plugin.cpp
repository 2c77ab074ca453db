//===- Plugin.cpp - Back ends that are opened when asked for --------------===//

#include "Run/Plugin.h"
#include "Core/Machine.h"
#include "tapestry-rt/Runtime.h"
#include "tapestry-rt/Status.h"
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>
#include <vector>

using namespace tapestry::rt;

static void addFolders(std::vector<std::string> &folders, std::string list) {
  while (!list.empty()) {
    size_t colon = list.find(':');
    if (colon != 0)
      folders.push_back(list.substr(0, colon));
    list = colon == std::string::npos ? "" : list.substr(colon + 1);
  }
}

/// Where this executable looks for libraries: `tapestry compile` has written
/// its own folder of libraries there.
static void addLibraryPath(std::vector<std::string> &folders) {
  void *self = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo needed;
  if (!self || dlinfo(self, RTLD_DI_SERINFOSIZE, &needed) != 0)
    return;
  std::vector<char> memory(needed.dls_size);
  auto *paths = reinterpret_cast<Dl_serinfo *>(memory.data());
  *paths = needed;
  if (dlinfo(self, RTLD_DI_SERINFO, paths) != 0)
    return;
  for (unsigned i = 0; i < paths->dls_cnt; ++i)
    folders.push_back(paths->dls_serpath[i].dls_name);
}

/// The library `file`, which `needer` needs, and its `entry`; null with an
/// `error`.
static void *loadPlugin(const std::string &needer, const std::string &name,
                        const char *entry, std::string &path,
                        std::string &error) {
  std::string file = "libtapestry-rt-" + name + ".so";
  std::vector<std::string> folders;
  if (const char *list = getenv("TAPESTRY_RT_PATH"))
    addFolders(folders, list);
  std::string own = executableFolder();
  if (!own.empty())
    addFolders(folders, own + ":" + own + "/../lib");
  addLibraryPath(folders);

  std::string searched;
  for (const std::string &folder : folders) {
    path = folder + "/" + file;
    if (access(path.c_str(), R_OK) == 0)
      break;
    path.clear();
    searched += (searched.empty() ? "" : ", ") + folder;
  }
  if (path.empty()) {
    error = needer + " needs " + file + ", which is in none of " + searched +
            " (TAPESTRY_RT_PATH can name its folder)";
    return nullptr;
  }
  // Global: MPI loads parts of itself that look for its symbols.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    error = needer + " cannot be loaded: " + dlerror();
    return nullptr;
  }
  void *open = dlsym(library, entry);
  if (!open)
    error = path + " is none of its kind: it lacks " + entry;
  return open;
}

/// The entry point of a back end's library, whose path becomes `path`; null
/// with an `error`.
static OpenBackendFn loadBackend(const std::string &backend, std::string &path,
                                 std::string &error) {
  return reinterpret_cast<OpenBackendFn>(
      loadPlugin("the back end '" + backend + "'", backend, backendEntryName,
                 path, error));
}

std::string tapestry::rt::whyNotLoadable(const std::string &backend) {
  std::string path, error;
  if (backend != "local")
    loadBackend(backend, path, error);
  return error;
}

const Backend *tapestry::rt::openPlugin(const std::string &backend,
                                        double timeoutSeconds,
                                        std::string &error) {
  std::string path;
  OpenBackendFn open = loadBackend(backend, path, error);
  if (!open)
    return nullptr;
  TransportError reason;
  const Backend *opened = open(backendVersion, timeoutSeconds, &reason);
  if (!opened)
    error = path + ": " + reason.text;
  return opened;
}

DeviceDriver *tapestry::rt::openDevicePlugin(const std::string &kind,
                                             std::string &error) {
  std::string path;
  auto open = reinterpret_cast<OpenDevicesFn>(loadPlugin(
      "the target '" + kind + "'", kind, deviceEntryName, path, error));
  if (!open)
    return nullptr;
  TransportError reason;
  DeviceDriver *devices = open(deviceVersion, &reason);
  if (!devices)
    error = path + ": " + reason.text;
  return devices;
}

DeviceCollectives *
tapestry::rt::openCollectivesPlugin(const std::string &library,
                                    std::string &error) {
  std::string path;
  auto open = reinterpret_cast<OpenCollectivesFn>(loadPlugin(
      "--collectives " + library, library, collectivesEntryName, path, error));
  if (!open)
    return nullptr;
  TransportError reason;
  DeviceCollectives *collectives = open(backendVersion, &reason);
  if (!collectives)
    error = path + ": " + reason.text;
  return collectives;
}
