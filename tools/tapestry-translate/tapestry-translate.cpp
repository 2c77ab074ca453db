//===- tapestry-translate.cpp - Between IR and other forms ----------------===//
//
// mlir-translate with Tapestry's front ends and targets.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "tapestry/Codegen/Translation.h"
#include "tapestry/Driver/MLIRTool.h"
#include "tapestry/Export/GraphPicture.h"
#include "tapestry/Import/Ein/Import.h"
#include "tapestry/InitAll.h"
#include "tapestry/Plugin/Loader.h"
#include "llvm/Support/CommandLine.h"

static llvm::cl::list<std::string>
    plugins("load-plugin", llvm::cl::desc(tapestry::loadPluginDescription),
            llvm::cl::value_desc("X.so"));

int main(int argc, char **argv) {
  auto run = [](int count, char **words) {
    tapestry::ein::registerEinToMLIRTranslation();
    tapestry::registerMLIRToDotTranslation(tapestry::registerAllDialects);
    tapestry::registerMLIRToObjectTranslation(tapestry::registerAllDialects);
    return mlir::mlirTranslateMain(count, words, "Tapestry translation driver");
  };
  return tapestry::driver::runMLIRTool("tapestry-translate", argc, argv, run);
}
