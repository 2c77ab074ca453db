//===- Runner.cpp - Compile and call functions over buffers ---------------===//
//
// Descriptors are laid out as MLIR's strided memrefs.
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "GuardedBuffer.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tapestry/Codegen/CPU/CPUTarget.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Pipeline.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace mlir;

namespace tapestry::test {

MLIRContext &context() {
  static MLIRContext *instance = [] {
    DialectRegistry registry;
    registerCPUTarget();
    registerCodegenDialects(registry);
    auto *made = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    made->loadAllAvailableDialects();
    return made;
  }();
  return *instance;
}

unsigned numSeeds() {
  const char *text = std::getenv("TAPESTRY_TEST_SEEDS");
  return text ? std::max(1, std::atoi(text)) : 5;
}

void markFunctions(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    function->setAttr(deviceAttrName, UnitAttr::get(module.getContext()));
}

std::unique_ptr<Program> Program::compile(const std::string &text,
                                          unsigned vectorBits,
                                          const std::string &cpu) {
  auto result = std::make_unique<Program>();
  result->source = parseSourceString<ModuleOp>(text, &context());
  if (!result->source) {
    ADD_FAILURE() << "does not parse:\n" << text;
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = result->source->clone();
  markFunctions(*module);
  PassManager pm(&context());
  CodegenOptions options;
  options.vectorBits = vectorBits;
  options.targetCPU = cpu;
  auto target = options.makeTarget();
  if (!target) {
    ADD_FAILURE() << toString(target.takeError());
    return nullptr;
  }
  buildCodegenPipeline(pm, **target, options);
  if (failed(pm.run(*module))) {
    ADD_FAILURE() << "cannot be lowered:\n" << text;
    return nullptr;
  }
  auto object = (*target)->emitObject(*module);
  if (failed(object)) {
    ADD_FAILURE() << "does not compile:\n" << text;
    return nullptr;
  }
  auto program = JitProgram::create(
      std::move(*object),
      {{"_mlir_memref_to_llvm_aligned_alloc",
        reinterpret_cast<void *>(guardedAlloc)},
       {"_mlir_memref_to_llvm_free", reinterpret_cast<void *>(guardedFree)}});
  if (!program) {
    ADD_FAILURE() << toString(program.takeError());
    return nullptr;
  }
  auto entry = (*program)->lookup("_mlir_ciface_main");
  if (!entry) {
    ADD_FAILURE() << toString(entry.takeError());
    return nullptr;
  }
  result->program = std::move(*program);
  result->entry = *entry;
  return result;
}

void Program::call(const std::vector<View> &arguments) {
  ASSERT_LE(arguments.size(), 6u);
  std::vector<std::vector<int64_t>> descriptors;
  for (const View &view : arguments) {
    auto &words = descriptors.emplace_back();
    auto base = reinterpret_cast<intptr_t>(view.base);
    words = {base, base, view.offset};
    words.insert(words.end(), view.shape.begin(), view.shape.end());
    words.insert(words.end(), view.strides.begin(), view.strides.end());
  }
  descriptors.resize(6);
  using Entry = void (*)(void *, void *, void *, void *, void *, void *);
  reinterpret_cast<Entry>(entry)(descriptors[0].data(), descriptors[1].data(),
                                 descriptors[2].data(), descriptors[3].data(),
                                 descriptors[4].data(), descriptors[5].data());
}

std::string Program::interpret(const std::vector<View> &arguments) {
  return test::interpret(source->lookupSymbol<func::FuncOp>("main"), arguments);
}

} // namespace tapestry::test
