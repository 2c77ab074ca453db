//===- Loader.h - Loads plug-ins --------------------------------*- C++ -*-===//

#ifndef TAPESTRY_PLUGIN_LOADER_H
#define TAPESTRY_PLUGIN_LOADER_H

#include "tapestry/Plugin.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tapestry {

/// Loads the shared library `path` for as long as this process lives and lets
/// it fill the process' tables; a second time does nothing. Fails (FaultError)
/// by the machine's fault where the library cannot be loaded or was built for
/// another version, by the user's where it is no plug-in.
llvm::Error loadPlugin(llvm::StringRef path);

/// Loads what `--load-plugin=X.so` names on a command line, in order, before it
/// is parsed: passes of plug-ins are options, too.
llvm::Error loadPlugins(int argc, const char *const *argv);

/// Whether any is loaded.
bool hasPlugins();

/// loadPlugins() for a tool's main(), which declares an option "load-plugin".
/// Returns 0, or prints the error and returns the status to end with.
int loadPluginsOrReport(llvm::StringRef tool, int argc,
                        const char *const *argv);

/// What --help says of the option.
constexpr llvm::StringLiteral loadPluginDescription =
    "Load dialects, passes and cost models from a shared library";

/// Adds the dialects of all loaded plug-ins.
void registerPluginDialects(mlir::DialectRegistry &registry);

} // namespace tapestry

#endif // TAPESTRY_PLUGIN_LOADER_H
