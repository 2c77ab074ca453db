//===- tapestry-translate.cpp - Between IR and other forms ----------------===//
//
// mlir-translate with Tapestry's front ends and targets.
//
//===----------------------------------------------------------------------===//

#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "tapestry/Target/Ein/Import.h"
#include "tapestry/Target/Object/Translation.h"

int main(int argc, char **argv) {
  tapestry::ein::registerEinToMLIRTranslation();
  tapestry::registerMLIRToObjectTranslation();
  return failed(
      mlir::mlirTranslateMain(argc, argv, "Tapestry translation driver"));
}
