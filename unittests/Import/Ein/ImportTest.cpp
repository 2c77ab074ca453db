//===- ImportTest.cpp - What analysis accepts, the verifier accepts -------===//

#include "tapestry/Import/Ein/Import.h"
#include "FuzzPrograms.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace tapestry::ein;

namespace {

/// Imports with errors swallowed; they are other tests' matter.
class EinImport : public testing::Test {
protected:
  EinImport() {
    context.getDiagEngine().registerHandler(
        [this](mlir::Diagnostic &) { ++numDiagnostics; });
  }
  mlir::OwningOpRef<mlir::ModuleOp> import(llvm::StringRef text) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(text, "test.ein",
                                         /*RequiresNullTerminator=*/false),
        llvm::SMLoc());
    return importEin(sources, EinOptions(), &context);
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  unsigned numDiagnostics = 0;
};

TEST_F(EinImport, ValidProgramVerifies) {
  auto module = import(validProgram);
  ASSERT_TRUE(module);
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
  EXPECT_EQ(numDiagnostics, 0u);
  auto graph = *module->getOps<tapestry::teg::GraphOp>().begin();
  EXPECT_EQ(graph.getSymName(), "test");
}

TEST_F(EinImport, ChangedProgramsVerifyOrAreRefused) {
  std::mt19937 random(5);
  unsigned accepted = 0;
  for (unsigned round = 0; round < 6000; ++round) {
    std::string text = round % 2 ? changeBytes(validProgram, random)
                                 : swapWords(validProgram, random);
    numDiagnostics = 0;
    auto module = import(text);
    if (!module) {
      EXPECT_GT(numDiagnostics, 0u) << text;
      continue;
    }
    ++accepted;
    EXPECT_TRUE(succeeded(mlir::verify(*module))) << text;
  }
  // Most swaps keep a program valid or break it; both must be many.
  EXPECT_GT(accepted, 50u);
  EXPECT_LT(accepted, 5950u);
}

TEST_F(EinImport, ManyLayersAreImportedInOrder) {
  // The size of a large model: 32 layers of 34 statements.
  std::string text = "param A = 64\ninput X0 : f32[4, A]\n";
  for (unsigned layer = 0; layer < 32; ++layer) {
    std::string l = std::to_string(layer), next = std::to_string(layer + 1);
    text += "input W" + l + " : f32[A, A]\n";
    text += "N" + l + "[s, a] = rmsnorm[a](X" + l + "[s, a], 1e-5)\n";
    text += "P" + l + "_0[s, b] = sum[a] N" + l + "[s, a] * W" + l + "[a, b]\n";
    for (unsigned step = 1; step < 28; ++step)
      text += "P" + l + "_" + std::to_string(step) + "[s, b] = tanh(P" + l +
              "_" + std::to_string(step - 1) + "[s, b])\n";
    text += "S" + l + "[s, b] = softmax[b] P" + l + "_27[s, b]\n";
    text += "X" + next + "[s, b] = X" + l + "[s, b] + S" + l + "[s, b]\n";
  }
  text += "output X32\n";
  auto module = import(text);
  ASSERT_TRUE(module);
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
  unsigned numTensors = 0;
  module->walk([&](tapestry::BlockOpInterface op) {
    numTensors += op->getNumResults();
  });
  EXPECT_EQ(numTensors, 1u + 32u * (1 + 2 + 28 + 4 + 1));
}

TEST_F(EinImport, ErrorsComeWithTheirPlace) {
  std::string place;
  auto id = context.getDiagEngine().registerHandler(
      [&](mlir::Diagnostic &diagnostic) {
        auto loc = llvm::cast<mlir::FileLineColLoc>(diagnostic.getLocation());
        place += std::to_string(loc.getLine()) + ":" +
                 std::to_string(loc.getColumn()) + " ";
        return mlir::success();
      });
  EXPECT_FALSE(import("input A : f32[4]\n  B[i] = A[i] + C[i]\noutput B\n"));
  context.getDiagEngine().eraseHandler(id);
  EXPECT_EQ(place, "2:17 ");
}

} // namespace
