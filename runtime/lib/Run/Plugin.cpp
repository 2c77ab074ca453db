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

/// The entry point of a back end's library, whose path becomes `path`; null
/// with an `error`.
static OpenBackendFn loadPlugin(const std::string &backend, std::string &path,
                                std::string &error) {
  std::string file = "libtapestry-rt-" + backend + ".so";
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
    error = "the back end '" + backend + "' needs " + file +
            ", which is in none of " + searched +
            " (TAPESTRY_RT_PATH can name its folder)";
    return nullptr;
  }
  // Global: MPI loads parts of itself that look for its symbols.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    error = "the back end '" + backend + "' cannot be loaded: " + dlerror();
    return nullptr;
  }
  auto open = reinterpret_cast<OpenBackendFn>(dlsym(library, backendEntryName));
  if (!open)
    error = path + " is no back end: it lacks " + backendEntryName;
  return open;
}

std::string tapestry::rt::whyNotLoadable(const std::string &backend) {
  std::string path, error;
  if (backend != "local")
    loadPlugin(backend, path, error);
  return error;
}

const Backend *tapestry::rt::openPlugin(const std::string &backend,
                                        double timeoutSeconds,
                                        std::string &error) {
  std::string path;
  OpenBackendFn open = loadPlugin(backend, path, error);
  if (!open)
    return nullptr;
  TransportError reason;
  const Backend *opened = open(backendVersion, timeoutSeconds, &reason);
  if (!opened)
    error = path + ": " + reason.text;
  return opened;
}
