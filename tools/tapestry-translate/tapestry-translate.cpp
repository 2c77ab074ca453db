//===- tapestry-translate.cpp - Between IR and other forms ----------------===//
//
// mlir-translate with Tapestry's front ends and targets.
//
//===----------------------------------------------------------------------===//

#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "tapestry/Import/Ein/Import.h"
#include "tapestry/Object/Translation.h"

int main(int argc, char **argv) {
  tapestry::ein::registerEinToMLIRTranslation();
  tapestry::registerMLIRToObjectTranslation();
  return failed(
      mlir::mlirTranslateMain(argc, argv, "Tapestry translation driver"));
}
