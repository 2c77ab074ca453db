//===- MLIRPlugin.cpp - Tapestry for tools that load plug-ins -------------===//
//
//   mlir-opt-22 --load-dialect-plugin=Tapestry.so
//   --load-pass-plugin=Tapestry.so
//
// A tool may have Tapestry built in. Then it keeps its own: a second copy of a
// dialect or a pass under one name would be refused.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "tapestry/InitAll.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tapestry", LLVM_VERSION_STRING,
          [](DialectRegistry *registry) {
            if (!registry->getDialectAllocator("tapestry"))
              tapestry::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tapestry", LLVM_VERSION_STRING, []() {
            if (!PassInfo::lookup("tapestry-partition"))
              tapestry::registerAllPasses();
          }};
}
