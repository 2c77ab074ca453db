//===- Translation.cpp - tapestry-translate --mlir-to-dot -----------------===//

#include "mlir/Tools/mlir-translate/Translation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "tapestry/Export/GraphPicture.h"

using namespace mlir;

void tapestry::registerMLIRToDotTranslation(
    void (*registerDialects)(DialectRegistry &)) {
  static TranslateFromMLIRRegistration registration(
      "mlir-to-dot", "Draw the graphs of a module in Graphviz' language",
      [](Operation *op, raw_ostream &output) -> LogicalResult {
        bool isDrawn = false;
        op->walk([&](teg::GraphOp graph) {
          writeGraphPicture(output, graph);
          isDrawn = true;
        });
        return isDrawn ? success()
                       : op->emitError("there is no tapestry.graph to draw");
      },
      registerDialects);
}
