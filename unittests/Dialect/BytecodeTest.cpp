//===- BytecodeTest.cpp - Versions of dialects in bytecode ----------------===//

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"
#include "tapestry/Dialect/TRA/IR/TRA.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryDialect.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tapestry;
using index::BytecodeVersion;

namespace {

/// Every attribute of tapestry_index, one each; constraints; a relation.
constexpr const char *attributes = R"(
  "test.attributes"() {
    g = #tapestry_index.grid<"node" = 2, "gpu" = 3>,
    r = #tapestry_index.range<0 to 4, -2 to 5>,
    p = #tapestry_index.projection<(d0, d1) -> (2 * d0 - d1 + 4, d1),
          shape = [3, 1], strides = [2, 1], floordivs = [2, 1], mods = [0, 5]>,
    c = #tapestry_index.partition<[["node"], [], ["gpu"]]>,
    l = #tapestry_index.layout<
          [8 = 3 * [16 by "node" in 2 to 9] + 4 floordiv 2 mod 8, 7 = [7] span 2]
          partial ["gpu"] on #tapestry_index.grid<"node" = 2, "gpu" = 3>>,
    m = #tapestry_index.monoid<max>} : () -> ())";
constexpr const char *constraints = R"(
  "test.constraints"() {
    p = #tapestry.constraint<pin cut {i = 2, k = ["node", "gpu.0"]}>,
    h = #tapestry.constraint<prefer 1.5 home {"0" = 8} others = 1>} : () -> ())";
constexpr const char *relation = R"(
  "test.relation"() : () -> !tra.relation<[97, 53] / [2, 1], f32,
      #tapestry_index.layout<[97 by "node", 53]
                             on #tapestry_index.grid<"node" = 2, "gpu" = 3>>>
)";
constexpr const char *graph = R"(
  tapestry.graph @g {
    %A = tapestry.source "A" : tensor<5xf32>
    tapestry.sink "B", %A : tensor<5xf32>
  })";

/// The program as bytecode in which `DialectT` is of `version`.
template <typename DialectT>
std::string writtenAs(uint64_t version, StringRef source,
                      MLIRContext &context) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  BytecodeWriterConfig config;
  config.setDialectVersion<DialectT>(
      std::make_unique<BytecodeVersion::Version>(version));
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  EXPECT_TRUE(succeeded(writeBytecodeToFile(*module, stream, config)));
  return bytes;
}

/// What reading `bytes` complains of, in one error; empty if it succeeds.
std::string complaint(const std::string &bytes, MLIRContext &context) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    EXPECT_EQ(message, "") << diagnostic.str();
    message = diagnostic.str();
    return success();
  });
  auto module = parseSourceString<ModuleOp>(bytes, &context);
  EXPECT_EQ(static_cast<bool>(module), message.empty()) << message;
  if (module)
    module->print(llvm::nulls());
  return message;
}

TEST(Bytecode, ReadsItsOwnVersionAndRefusesNewerOnes) {
  MLIRContext context;
  context.loadDialect<teg::TapestryDialect>();
  auto writtenAs = [&](uint64_t version, MLIRContext &context) {
    return ::writtenAs<teg::TapestryDialect>(version, graph, context);
  };
  uint64_t current = BytecodeVersion::current;
  EXPECT_EQ(complaint(writtenAs(current, context), context), "");
  std::string newer = complaint(writtenAs(current + 1, context), context);
  EXPECT_NE(newer.find("version " + std::to_string(current + 1) +
                       " of the dialect 'tapestry' is newer than this one"),
            std::string::npos)
      << newer;
}

template <typename DialectT>
void expectTextInVersionOneAlone(StringRef source) {
  MLIRContext context;
  context.allowUnregisteredDialects();
  context.loadDialect<DialectT>();
  auto textOf = [](ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  };
  auto module = parseSourceString<ModuleOp>(source, &context);
  ASSERT_TRUE(module);
  for (uint64_t version = 1; version <= BytecodeVersion::current; ++version) {
    std::string bytes = writtenAs<DialectT>(version, source, context);
    std::string name = DialectT::getDialectNamespace().str() + ".";
    EXPECT_EQ(bytes.find("#" + name) != std::string::npos ||
                  bytes.find("!" + name) != std::string::npos,
              version == 1);
    auto read = parseSourceString<ModuleOp>(bytes, &context);
    ASSERT_TRUE(read);
    EXPECT_EQ(textOf(*module), textOf(*read));
  }
}

TEST(Bytecode, TextIsInVersionOneAlone) {
  expectTextInVersionOneAlone<index::TapestryIndexDialect>(attributes);
  expectTextInVersionOneAlone<teg::TapestryDialect>(constraints);
  expectTextInVersionOneAlone<tra::TRADialect>(relation);
}

/// A number of MLIR's bytecode, whose first byte's zeros count the bytes that
/// follow.
uint64_t takeNumber(StringRef &bytes) {
  auto first = static_cast<uint8_t>(bytes.front());
  unsigned more = first == 0 ? 8 : llvm::countr_zero(first);
  uint64_t number = 0;
  for (unsigned i = more; i >= 1; --i)
    number = number << 8 | static_cast<uint8_t>(bytes[i]);
  bytes = bytes.drop_front(more + 1);
  return more == 8 ? number : (number << 8 | first) >> (more + 1);
}

/// Where the contents of the only dialect with `count` attributes or types lie.
StringRef contentsOf(StringRef bytes, uint64_t count) {
  bytes = bytes.drop_front(4);
  takeNumber(bytes);
  bytes = bytes.drop_front(bytes.find('\0') + 1);
  constexpr unsigned contents = 2, sizes = 3;
  StringRef sections[8];
  while (!bytes.empty()) {
    // Neither section that is looked for is aligned.
    auto id = static_cast<uint8_t>(bytes.front());
    bytes = bytes.drop_front();
    uint64_t size = takeNumber(bytes);
    if (id >= 4)
      break;
    sections[id] = bytes.take_front(size);
    bytes = bytes.drop_front(size);
  }
  uint64_t left = takeNumber(sections[sizes]);
  left += takeNumber(sections[sizes]);
  StringRef found;
  for (uint64_t offset = 0; left != 0;) {
    takeNumber(sections[sizes]);
    uint64_t inGroup = takeNumber(sections[sizes]), begin = offset;
    for (uint64_t i = 0; i < inGroup; ++i)
      offset += takeNumber(sections[sizes]) / 2;
    if (inGroup == count) {
      EXPECT_TRUE(found.empty());
      found = sections[contents].slice(begin, offset);
    }
    left -= inGroup;
  }
  return found;
}

/// Every byte of the contents replaced by every other gives other attributes or
/// one error.
template <typename DialectT>
void expectOneErrorOfBroken(StringRef source, unsigned count) {
  MLIRContext context;
  context.allowUnregisteredDialects();
  context.loadDialect<DialectT>();
  std::string bytes =
      writtenAs<DialectT>(BytecodeVersion::current, source, context);
  StringRef contents = contentsOf(bytes, count);
  ASSERT_GT(contents.size(), 10U);
  unsigned refused = 0, read = 0;
  for (size_t at = contents.data() - bytes.data(), e = at + contents.size();
       at != e; ++at) {
    std::string broken = bytes;
    for (unsigned value = 0; value < 256; ++value) {
      broken[at] = static_cast<char>(value);
      (complaint(broken, context).empty() ? read : refused) += 1;
    }
  }
  EXPECT_GT(refused, 1000U);
  EXPECT_GT(read, 100U);
}

TEST(Bytecode, BrokenContentsAreRefusedInOneError) {
  expectOneErrorOfBroken<index::TapestryIndexDialect>(attributes, 6);
  expectOneErrorOfBroken<teg::TapestryDialect>(constraints, 2);
  expectOneErrorOfBroken<tra::TRADialect>(relation, 1);
}

TEST(Bytecode, ShortenedFilesAreRefused) {
  MLIRContext context;
  context.allowUnregisteredDialects();
  context.loadDialect<index::TapestryIndexDialect>();
  std::string bytes = writtenAs<index::TapestryIndexDialect>(
      BytecodeVersion::current, attributes, context);
  // Of fewer bytes nobody knows that they are bytecode.
  for (size_t size = 4; size < bytes.size(); ++size)
    EXPECT_NE(complaint(bytes.substr(0, size), context), "") << size;
}

} // namespace
