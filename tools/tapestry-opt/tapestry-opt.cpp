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
#include "tapestry/Driver/MLIRTool.h"
#include "tapestry/InitAll.h"
#include "tapestry/Plugin/Loader.h"
#include "llvm/Support/CommandLine.h"

static llvm::cl::list<std::string>
    plugins("load-plugin", llvm::cl::desc(tapestry::loadPluginDescription),
            llvm::cl::value_desc("X.so"));

int main(int argc, char **argv) {
  auto run = [](int count, char **words) {
    mlir::DialectRegistry registry;
    mlir::registerAllDialects(registry);
    mlir::registerAllExtensions(registry);
    tapestry::registerAllDialects(registry);
    mlir::registerAllPasses();
    tapestry::registerAllPasses();
    return mlir::MlirOptMain(count, words, "Tapestry optimizer driver\n",
                             registry);
  };
  return tapestry::driver::runMLIRTool("tapestry-opt", argc, argv, run);
}
