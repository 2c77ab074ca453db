//===- tapestry-opt.cpp - Runs passes on Tapestry's IR --------------------===//
//
// mlir-opt with Tapestry's dialects and passes beside all upstream ones.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tapestry/InitAll.h"
#include "tapestry/Pipelines/Pipelines.h"
#include "tapestry/Plugin/Loader.h"
#include "llvm/Support/CommandLine.h"

static llvm::cl::list<std::string>
    plugins("load-plugin", llvm::cl::desc(tapestry::loadPluginDescription),
            llvm::cl::value_desc("X.so"));

int main(int argc, char **argv) {
  // Before those of plug-ins, which must not take their names.
  tapestry::registerAllTargets();
  tapestry::registerAllCostModels();
  if (int status = tapestry::loadPluginsOrReport("tapestry-opt", argc, argv))
    return status;
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  tapestry::registerAllDialects(registry);
  mlir::registerAllPasses();
  tapestry::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tapestry optimizer driver\n", registry));
}
