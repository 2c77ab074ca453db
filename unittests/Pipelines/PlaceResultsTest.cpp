//===- PlaceResultsTest.cpp - What computing in place costs ---------------===//
//
// An operation that is moved in its block, and two new ones beside each other,
// have all operations of the block numbered again: programs that do so for each
// statement take quadratic time.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuffers.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tapestry/InitAll.h"
#include "tapestry/Pipelines/Pipelines.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tapestry;

namespace {

/// A chain of tensors of ten numbers that are each put together of three and
/// seven, as the border and the interior of a stencil are.
std::string chain(unsigned statements) {
  std::string body, last = "%x";
  for (unsigned n = 0; n < statements; ++n) {
    auto name = [&](const std::string &stem) {
      return "%" + stem + std::to_string(n);
    };
    auto part = [&](const std::string &stem, const std::string &place,
                    const std::string &size) {
      std::string type = "tensor<" + size + "xf32>";
      std::string read = name(stem + "read");
      body += read + " = tensor.extract_slice " + last + place +
              " : tensor<10xf32> to " + type + "\n" + name(stem) +
              " = linalg.exp ins(" + read + " : " + type + ") outs(%" + stem +
              " : " + type + ") -> " + type + "\n";
    };
    auto insert = [&](const std::string &result, const std::string &source,
                      const std::string &into, const std::string &place,
                      const std::string &size) {
      body += name(result) + " = tensor.insert_slice " + name(source) +
              " into " + into + place + " : tensor<" + size +
              "xf32> into tensor<10xf32>\n";
    };
    part("rim", "[0] [3] [1]", "3");
    insert("begun", "rim", "%whole", "[0] [3] [1]", "3");
    part("rest", "[3] [7] [1]", "7");
    insert("made", "rest", name("begun"), "[3] [7] [1]", "7");
    last = name("made");
  }
  return "func.func @f(%x: tensor<10xf32>) -> tensor<10xf32> {\n"
         "%whole = tensor.empty() : tensor<10xf32>\n"
         "%rim = tensor.empty() : tensor<3xf32>\n"
         "%rest = tensor.empty() : tensor<7xf32>\n" +
         body + "return " + last + " : tensor<10xf32>\n}\n";
}

struct Moves : RewriterBase::Listener {
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    count += previous.isSet();
  }
  unsigned count = 0;
};

TEST(PlaceResultsTest, NothingMoves) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerPipelineDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  constexpr unsigned statements = 50;
  auto module = parseSourceString<ModuleOp>(chain(statements), &context);
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  Moves moves;
  ASSERT_TRUE(succeeded(placeResults(function, &moves)));
  ASSERT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(moves.count, 0u);
  // All is computed where it is wanted: of other sizes there is no buffer.
  unsigned computed = 0;
  function.walk([](tensor::EmptyOp empty) {
    EXPECT_TRUE(empty->use_empty() || empty.getType().getDimSize(0) == 10);
  });
  function.walk([&](linalg::ExpOp exp) {
    computed +=
        bool(exp.getOutputs()[0].getDefiningOp<tensor::ExtractSliceOp>());
  });
  EXPECT_EQ(computed, 2 * statements);
}

} // namespace
