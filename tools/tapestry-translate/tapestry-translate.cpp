//===- tapestry-translate.cpp - Between IR and other forms ----------------===//
//
// mlir-translate with Tapestry's front ends and targets.
//
//===----------------------------------------------------------------------===//

#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "tapestry/Codegen/Translation.h"
#include "tapestry/Import/Ein/Import.h"
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
  if (int status =
          tapestry::loadPluginsOrReport("tapestry-translate", argc, argv))
    return status;
  tapestry::ein::registerEinToMLIRTranslation();
  tapestry::registerMLIRToObjectTranslation();
  return failed(
      mlir::mlirTranslateMain(argc, argv, "Tapestry translation driver"));
}
