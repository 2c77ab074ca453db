//===- smooth-compiler.cpp - A compiler that embeds Tapestry --------------===//
//
// Builds the graph S[i, k] = sum over j of X[i + j, k] * W[j], a smoothing of
// every column, and P, the softmax of its rows; plans it for a number of
// devices, prints how it is cut, and writes an object file for Tapestry's
// runtime to start.
//   smooth-compiler DEVICES FILE.o
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "tapestry/Codegen/CPU/CPUTarget.h"
#include "tapestry/Dialect/Tapestry/Macros/Macros.h"
#include "tapestry/Pipelines/Pipelines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tapestry;

static constexpr int64_t rows = 1000, columns = 7, width = 5;

static OwningOpRef<ModuleOp> buildSmooth(MLIRContext *context) {
  OpBuilder b(context);
  Location loc = b.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(module->getBody());
  auto graph = teg::GraphOp::create(b, loc, "smooth");
  b.setInsertionPointToEnd(&graph.getBody().front());

  Type f32 = b.getF32Type();
  Value x = teg::SourceOp::create(
      b, loc, "X", RankedTensorType::get({rows + width - 1, columns}, f32));
  Value w =
      teg::SourceOp::create(b, loc, "W", RankedTensorType::get({width}, f32));
  AffineExpr i, k, j;
  bindDims(context, i, k, j);
  auto map = [&](ArrayRef<AffineExpr> subscripts) {
    return AffineMap::get(3, 0, subscripts, context);
  };
  Value s = teg::EinsumOp::create(
      b, loc, "S", {"i", "k", "j"}, {rows, columns, width}, ValueRange{x, w},
      {map({i + j, k}), map({j}), map({i, k})}, {}, Monoid::Add,
      RankedTensorType::get({rows, columns}, f32),
      [](OpBuilder &b, Location loc, ValueRange scalars) -> Value {
        return arith::MulFOp::create(b, loc, scalars[0], scalars[1]);
      });
  teg::SinkOp::create(b, loc, "S", s);

  teg::MacroUse use{MacroKind::Softmax,
                    "P",
                    {{"i", rows}, {"k", columns, LabelRole::Inner}},
                    b.getF32Type(),
                    {{{s, b.getMultiDimIdentityMap(2)}}}};
  Value p = teg::buildMacro(b, loc, use);
  teg::SinkOp::create(b, loc, "P", p);
  return module;
}

int main(int argc, char **argv) {
  int64_t devices = 0;
  if (argc != 3 || !llvm::to_integer(argv[1], devices) || devices < 1) {
    llvm::errs() << "usage: smooth-compiler DEVICES FILE.o\n";
    return 2;
  }
  DialectRegistry registry;
  registry.insert<teg::TapestryDialect>();
  registerCPUTarget();
  registerPipelineDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = buildSmooth(&context);

  PassManager plan(&context);
  plan::PlanRequest request;
  request.devices = devices;
  buildGraphPipeline(plan, request);
  buildPlanPipeline(plan, request);
  if (failed(plan.run(*module)))
    return 1;
  module->walk([](teg::EinsumOp op) {
    llvm::outs() << op.getName() << ": " << op.getPartitionAttr() << "\n";
  });

  CodegenOptions code;
  auto target = code.makeTarget();
  if (!target) {
    llvm::errs() << llvm::toString(target.takeError()) << "\n";
    return 1;
  }
  PassManager lower(&context);
  buildRelationPipeline(lower);
  buildProgramPipeline(lower);
  buildCodePipeline(lower, **target, code);
  if (failed(lower.run(*module)))
    return 1;
  auto object = (*target)->emitObject(*module);
  if (failed(object))
    return 1;
  std::error_code error;
  llvm::raw_fd_ostream file(argv[2], error);
  if (error) {
    llvm::errs() << argv[2] << ": error: " << error.message() << "\n";
    return 1;
  }
  file << (*object)->getBuffer();
  return 0;
}
