//===- BytecodeTest.cpp - Versions of dialects in bytecode ----------------===//

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryDialect.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tapestry;
using index::BytecodeVersion;

namespace {

/// A graph as bytecode that says it is of `version`.
std::string writtenAs(uint64_t version, MLIRContext &context) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      R"(tapestry.graph @g {
           %A = tapestry.source "A" : tensor<5xf32>
           tapestry.sink "B", %A : tensor<5xf32>
         })",
      &context);
  BytecodeWriterConfig config;
  config.setDialectVersion<teg::TapestryDialect>(
      std::make_unique<BytecodeVersion::Version>(version));
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  EXPECT_TRUE(succeeded(writeBytecodeToFile(*module, stream, config)));
  return bytes;
}

/// What reading `bytes` complains of; empty if it succeeds.
std::string complaint(const std::string &bytes, MLIRContext &context) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str() + "\n";
    return success();
  });
  auto module = parseSourceString<ModuleOp>(bytes, &context);
  EXPECT_EQ(static_cast<bool>(module), message.empty()) << message;
  return message;
}

TEST(Bytecode, ReadsItsOwnVersionAndRefusesNewerOnes) {
  MLIRContext context;
  context.loadDialect<teg::TapestryDialect>();
  uint64_t current = BytecodeVersion::current;
  EXPECT_EQ(complaint(writtenAs(current, context), context), "");
  std::string newer = complaint(writtenAs(current + 1, context), context);
  EXPECT_NE(newer.find("version " + std::to_string(current + 1) +
                       " of the dialect 'tapestry' is newer than this one"),
            std::string::npos)
      << newer;
}

} // namespace
