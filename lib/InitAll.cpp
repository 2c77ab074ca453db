//===- InitAll.cpp - Registers Tapestry's dialects and passes -------------===//
//
// A new dialect or room of passes is added here, in the order of the rooms, and
// its library in InitAll.cmake.
//
//===----------------------------------------------------------------------===//

#include "tapestry/InitAll.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "tapestry/Codegen/CPU/Passes.h"
#include "tapestry/Codegen/GPU/Passes.h"
#include "tapestry/Codegen/Pipeline.h"
#include "tapestry/Conversion/Passes.h"
#include "tapestry/Dialect/Comm/IR/Comm.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"
#include "tapestry/Dialect/Index/Transforms/BufferizationModel.h"
#include "tapestry/Dialect/Index/Transforms/Passes.h"
#include "tapestry/Dialect/TRA/IR/TRA.h"
#include "tapestry/Dialect/TRA/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/IR/ShardingModel.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryDialect.h"
#include "tapestry/Dialect/Tapestry/Transforms/BufferizationModel.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Pipelines/Pipelines.h"
#include "tapestry/Plugin/Loader.h"

void tapestry::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<index::TapestryIndexDialect, teg::TapestryDialect,
                  tra::TRADialect, comm::CommDialect>();
  // They verify their attributes on whatever operation these stand. Text loads
  // a dialect where it names one, bytecode only where it has its operations.
  registry.addExtension(
      +[](mlir::MLIRContext *context, mlir::BuiltinDialect *) {
        context->loadDialect<index::TapestryIndexDialect, teg::TapestryDialect,
                             tra::TRADialect, comm::CommDialect>();
      });
  teg::registerShardingModels(registry);
  index::registerBufferizationModels(registry);
  teg::registerBufferizationModels(registry);
  registerPluginDialects(registry);
}

void tapestry::registerAllPasses() {
  registerAllTargets();
  registerAllCostModels();
  // First, for it brings tapestry-partition with exact memory limits.
  registerTapestryPipelines();
  index::registerTapestryIndexPasses();
  teg::registerTapestryGraphPasses();
  tra::registerTapestryTRAPasses();
  registerConversionPasses();
  registerCodegenPasses();
  registerCodegenCPUPasses();
  registerCodegenGPUPasses();
}
