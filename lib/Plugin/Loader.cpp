//===- Loader.cpp - Loads plug-ins ----------------------------------------===//

#include "tapestry/Plugin/Loader.h"
#include "tapestry/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <dlfcn.h>
#include <vector>

using namespace tapestry;

static constexpr const char *entryName = "tapestryGetPluginInfo";

namespace {
struct Loaded {
  PluginEntry entry;
  const PluginInfo *info;
};
} // namespace

static std::vector<Loaded> &loadedPlugins() {
  static std::vector<Loaded> plugins;
  return plugins;
}

llvm::Error tapestry::loadPlugin(llvm::StringRef path) {
  if (path.empty())
    return faultError(Fault::Usage, "", "--load-plugin takes a shared library");
  // What it lacks is found out now, and not where it is called. Type ids are
  // shared with what is loaded later.
  std::string name = path.str();
  // A name alone would be looked for where libraries of the system lie.
  if (!path.contains('/') && llvm::sys::fs::exists(path))
    name = "./" + name;
  void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    // The loader starts with the file's name, as a rule.
    std::string problem = dlerror();
    llvm::StringRef reason = problem;
    // A file that is not there, or no library, is the user's mistake, as any
    // other; what it needs to be loaded is the machine's lack.
    Fault fault = Fault::Machine;
    if (reason.consume_front(name)) {
      reason.consume_front(": ");
      if (reason.starts_with("cannot open shared object file") ||
          reason == "invalid ELF header" || reason == "file too short")
        fault = Fault::Program;
    }
    return faultError(fault, path, "cannot load: ", reason);
  }
  auto entry = reinterpret_cast<PluginEntry>(dlsym(library, entryName));
  if (!entry)
    return faultError(Fault::Usage, path,
                      "not a plug-in of Tapestry: there is "
                      "no function '",
                      entryName, "' in it");
  auto isKnown = [&](const Loaded &loaded) { return loaded.entry == entry; };
  if (llvm::any_of(loadedPlugins(), isKnown))
    return llvm::Error::success();
  const PluginInfo *info = entry();
  if (info->apiVersion != pluginAPIVersion)
    return faultError(Fault::Machine, path, "built for version ",
                      info->apiVersion, " of the plug-in interface, this is ",
                      "version ", pluginAPIVersion);
  loadedPlugins().push_back({entry, info});
  if (info->registerTables)
    if (llvm::Error error = info->registerTables())
      return faultError(Fault::Machine, path,
                        "cannot load: ", llvm::toString(std::move(error)));
  return llvm::Error::success();
}

llvm::Error tapestry::loadPlugins(int argc, const char *const *argv) {
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef word = argv[i];
    if (word == "--")
      break;
    if (!word.consume_front("--load-plugin") &&
        !word.consume_front("-load-plugin"))
      continue;
    // What has no value is for the parser to refuse.
    if (word.empty() && i + 1 < argc)
      word = argv[++i];
    else if (!word.consume_front("="))
      continue;
    if (llvm::Error error = loadPlugin(word))
      return error;
  }
  return llvm::Error::success();
}

bool tapestry::hasPlugins() { return !loadedPlugins().empty(); }

int tapestry::loadPluginsOrReport(llvm::StringRef tool, int argc,
                                  const char *const *argv) {
  int status = 0;
  llvm::handleAllErrors(loadPlugins(argc, argv), [&](const FaultError &error) {
    status = static_cast<int>(error.getFault());
    if (error.getPlace().empty())
      llvm::errs() << tool << ": error: ";
    error.log(llvm::errs());
    llvm::errs() << '\n';
  });
  return status;
}

void tapestry::registerPluginDialects(mlir::DialectRegistry &registry) {
  for (const Loaded &plugin : loadedPlugins())
    if (plugin.info->registerDialects)
      plugin.info->registerDialects(registry);
}
