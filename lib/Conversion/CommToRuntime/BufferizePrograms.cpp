//===- BufferizePrograms.cpp - Device programs from tensors to buffers ----===//
//
// Upstream's passes work on whole modules; this one on what is ours of a
// module.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Conversion/Passes.h"
#include "tapestry/Dialect/Index/Transforms/Passes.h"

namespace tapestry {
#define GEN_PASS_DEF_BUFFERIZEPROGRAMS
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

namespace {
struct BufferizePrograms
    : tapestry::impl::BufferizeProgramsBase<BufferizePrograms> {
  BufferizePrograms() {
    // No CSE before buffers are chosen: it would merge the reads of one tensor
    // by two collectives into the first, and the buffer could be reused in
    // between.
    before.addPass(index::createLowerTapestryIndex());
    // A program is one block: there are no regions to simplify.
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // What a pattern changes is looked at again anyway, but not all the rest.
    config.setMaxIterations(1);
    before.addPass(createCanonicalizerPass(config));
    after.addPass(createCanonicalizerPass(config));
  }

  void runOnOperation() override {
    if (!isDeviceCode(getOperation()) || getOperation().isExternal())
      return;
    if (failed(runPipeline(before, getOperation())) ||
        failed(placeResults(getOperation())) ||
        failed(bufferizeProgram(getOperation())) ||
        failed(runPipeline(after, getOperation())))
      signalPassFailure();
  }

private:
  /// Members, so that patterns are collected once for all functions.
  OpPassManager before{func::FuncOp::getOperationName()};
  OpPassManager after{func::FuncOp::getOperationName()};
};
} // namespace
