//===- Translation.cpp - tapestry-translate --ein-to-mlir -----------------===//

#include "mlir/Tools/mlir-translate/Translation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryDialect.h"
#include "tapestry/Import/Ein/Import.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace tapestry::ein;

void tapestry::ein::registerEinToMLIRTranslation() {
  static llvm::cl::list<std::string> params(
      "D", llvm::cl::Prefix, llvm::cl::value_desc("param=value"),
      llvm::cl::desc("Set a param of the program"));
  static mlir::TranslateToMLIRRegistration registration(
      "ein-to-mlir", "Import a .ein program as a tapestry.graph",
      [](llvm::SourceMgr &sources,
         mlir::MLIRContext *context) -> mlir::OwningOpRef<mlir::Operation *> {
        EinOptions options;
        for (const std::string &param : params) {
          if (llvm::Error error = addParamDefinition(param, options)) {
            llvm::errs() << "error: " << llvm::toString(std::move(error))
                         << '\n';
            return nullptr;
          }
        }
        return importEin(sources, options, context);
      },
      [](mlir::DialectRegistry &registry) {
        registry.insert<tapestry::teg::TapestryDialect,
                        mlir::arith::ArithDialect, mlir::math::MathDialect>();
      });
}
