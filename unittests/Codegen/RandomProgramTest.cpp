//===- RandomProgramTest.cpp - Compiled code against the interpreter ------===//
//
// Fixed seeds; every failure prints the program.
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"
#include "GuardedBuffer.h"
#include "Runner.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace tapestry::test;

namespace {

struct Operands {
  std::vector<GuardedBuffer> memory;
  std::vector<View> views;
};

/// Random data in buffers that end at a guard page.
Operands makeOperands(const RandomProgram &program, std::mt19937 &random) {
  Operands result;
  // Now and then some values that are not finite.
  bool special = random() % 8 == 0;
  for (const RandomArgument &argument : program.arguments) {
    View view;
    view.type = mlir::parseType(argument.elementType, &context());
    view.shape = argument.shape;
    view.strides = argument.strides;
    view.offset = argument.offset;
    unsigned bytes = bytesOf(view.type);
    result.memory.emplace_back(argument.span * bytes, bytes);
    view.base = result.memory.back().data();
    bool floating = llvm::isa<mlir::FloatType>(view.type);
    View flat = view;
    flat.shape = {argument.span};
    flat.strides = {1};
    flat.offset = 0;
    for (int64_t i = 0; i < argument.span; ++i) {
      Scalar value;
      value.integer = int64_t(random() % 200) - 100;
      value.real = double(int64_t(random() % 2001) - 1000) / 1000;
      if (special && random() % 100 == 0)
        value.real = random() % 3 == 0   ? NAN
                     : random() % 2 == 0 ? INFINITY
                                         : -INFINITY;
      flat.store({i}, roundTo(view.type, floating ? Scalar{value.real, 0}
                                                  : Scalar{0, value.integer}));
    }
    result.views.push_back(view);
  }
  return result;
}

double toleranceOf(mlir::Type type, int64_t depth) {
  if (!llvm::isa<mlir::FloatType>(type))
    return 0;
  // Narrow accumulators round at every step.
  if (type.getIntOrFloatBitWidth() == 16)
    return (type.isF16() ? 1e-3 : 1e-2) * (2 + double(depth) / 2);
  double epsilon = type.getIntOrFloatBitWidth() == 64 ? 1e-13 : 1e-6;
  return epsilon * (4 + depth);
}

/// Compares all bytes of the results: also what lies between strided elements.
void expectEqual(const View &view, int64_t span, const char *expected,
                 double tolerance, const std::string &text) {
  View got = view, want = view;
  got.shape = want.shape = {span};
  got.strides = want.strides = {1};
  got.offset = want.offset = 0;
  want.base = const_cast<char *>(expected);
  int wrong = 0;
  for (int64_t i = 0; i < span && wrong < 3; ++i) {
    Scalar a = got.load({i}), b = want.load({i});
    bool same =
        a.integer == b.integer &&
        (a.real == b.real || (std::isnan(a.real) && std::isnan(b.real)) ||
         std::fabs(a.real - b.real) <=
             tolerance * std::max(1.0, std::fabs(b.real)));
    if (same)
      continue;
    ++wrong;
    ADD_FAILURE() << "element " << i << ": got " << a.real << " / " << a.integer
                  << ", want " << b.real << " / " << b.integer << "\n"
                  << text;
  }
}

void check(unsigned seed, unsigned vectorBits = 0,
           const std::string &cpu = "native") {
  std::mt19937 random(seed);
  RandomProgram program = randomProgram(random);
  Operands operands = makeOperands(program, random);
  SCOPED_TRACE("seed " + std::to_string(seed));
  // A crash prints the program too.
  static bool once = (llvm::EnablePrettyStackTrace(),
                      llvm::sys::PrintStackTraceOnErrorSignal(""), true);
  (void)once;
  std::string title = "seed " + std::to_string(seed) + "\n" + program.text;
  llvm::PrettyStackTraceString crash(title.c_str());
  auto compiled = Program::compile(program.text, vectorBits, cpu);
  if (!compiled)
    return;
  const GuardedBuffer &output = operands.memory.back();
  std::vector<char> before(output.data(), output.data() + output.size());
  std::string unknown = compiled->interpret(operands.views);
  ASSERT_EQ(unknown, "") << program.text;
  std::vector<char> expected(output.data(), output.data() + output.size());
  std::copy(before.begin(), before.end(), output.data());
  compiled->call(operands.views);
  expectEqual(
      operands.views.back(), program.arguments.back().span, expected.data(),
      toleranceOf(operands.views.back().type, program.depth), program.text);
  EXPECT_EQ(liveBlocks(), 0u) << program.text;
}

class RandomProgramTest : public testing::TestWithParam<unsigned> {};

TEST_P(RandomProgramTest, AgreesWithInterpreter) {
  for (unsigned i = 0; i < 30 && !HasFailure(); ++i)
    check(1000 * GetParam() + i);
}

TEST_P(RandomProgramTest, NarrowVectors) {
  for (unsigned i = 0; i < 8 && !HasFailure(); ++i)
    check(500000 + 1000 * GetParam() + i, 256, "x86-64-v3");
  for (unsigned i = 0; i < 8 && !HasFailure(); ++i)
    check(700000 + 1000 * GetParam() + i, 128, "x86-64");
  for (unsigned i = 0; i < 5 && !HasFailure(); ++i)
    check(900000 + 1000 * GetParam() + i, 256, "native");
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomProgramTest,
                         testing::Range(0u, numSeeds()));

} // namespace
