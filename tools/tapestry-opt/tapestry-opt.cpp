//===- tapestry-opt.cpp - Runs passes on Tapestry's IR --------------------===//
//
// mlir-opt with Tapestry's dialects and passes beside all upstream ones.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
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

/// Messages say what is wrong of an operation, which may be a graph: it is
/// printed behind them only where that is asked for.
static void showNoOperations() {
  mlir::registerMLIRContextCLOptions();
  auto &options = llvm::cl::getRegisteredOptions();
  auto option = options.find("mlir-print-op-on-diagnostic");
  if (option != options.end())
    static_cast<llvm::cl::opt<bool> *>(option->second)->setInitialValue(false);
}

int main(int argc, char **argv) {
  auto run = [](int count, char **words) {
    mlir::DialectRegistry registry;
    mlir::registerAllDialects(registry);
    mlir::registerAllExtensions(registry);
    tapestry::registerAllDialects(registry);
    mlir::registerAllPasses();
    tapestry::registerAllPasses();
    showNoOperations();
    return mlir::MlirOptMain(count, words, "Tapestry optimizer driver\n",
                             registry);
  };
  return tapestry::driver::runMLIRTool("tapestry-opt", argc, argv, run);
}
