//===- ProcessorTest.cpp - Tests of what a processor must have ------------===//
//
// Processors are made up: cpuid and the state that the system saves are tables.
//
//===----------------------------------------------------------------------===//

#include "Core/Processor.h"
#include "TestProgram.h"
#include "gtest/gtest.h"

using namespace tapestry;
using namespace tapestry::rt;
using namespace tapestry::rt::testing;

namespace {

/// What cpuid says of leaf 1 in ecx and of leaf 7 in ebx, and XCR0.
Processor processorOf(uint32_t first, uint32_t seventh, uint64_t state) {
  return {[=](uint32_t leaf, uint32_t subleaf) {
            CPUIDResult result;
            if (leaf == 1)
              result.registers[2] = first;
            if (leaf == 7 && subleaf == 0)
              result.registers[1] = seventh;
            return result;
          },
          [=] { return state; }};
}

constexpr uint32_t avx = 1u << 28, fma = 1u << 12, popcnt = 1u << 23;
constexpr uint32_t avx2 = 1u << 5, avx512f = 1u << 16;

std::string errorOf(const std::vector<const char *> &features,
                    const Processor &processor) {
  TestProgram program(1);
  program.features = features;
  Status status = checkFeatures(program.table(), processor);
  if (!status.failed())
    return "";
  EXPECT_EQ(status.exitStatus(), ExitEnvironment);
  return status.message();
}

TEST(Processor, HasWhatItSays) {
  Processor processor = processorOf(avx | fma | popcnt, avx2, 0x6);
  EXPECT_EQ(errorOf({}, processor), "");
  EXPECT_EQ(errorOf({"popcnt", "avx", "fma", "avx2"}, processor), "");
}

TEST(Processor, NamesAllThatIsMissing) {
  Processor processor = processorOf(avx, avx2, 0x6);
  EXPECT_EQ(errorOf({"avx", "fma", "avx2", "avx512f"}, processor),
            "the program was compiled for a processor with fma, avx512f, which "
            "this one lacks");
}

TEST(Processor, NeedsTheSystemToSaveItsRegisters) {
  Processor old = processorOf(avx | popcnt, avx2 | avx512f, 0x2);
  EXPECT_EQ(errorOf({"popcnt"}, old), "");
  EXPECT_NE(errorOf({"avx2"}, old), "");
  Processor halfway = processorOf(avx | popcnt, avx2 | avx512f, 0x6);
  EXPECT_EQ(errorOf({"avx2"}, halfway), "");
  EXPECT_NE(errorOf({"avx512f"}, halfway), "");
  Processor whole = processorOf(avx | popcnt, avx2 | avx512f, 0xe6);
  EXPECT_EQ(errorOf({"avx512f"}, whole), "");
}

TEST(Processor, AsksForTileRegisters) {
  unsigned asked = 0;
  bool given = true;
  Processor processor = processorOf(~0u, ~0u, ~0ull);
  processor.cpuid = [](uint32_t, uint32_t) {
    return CPUIDResult{{~0u, ~0u, ~0u, ~0u}};
  };
  processor.requestTiles = [&] {
    ++asked;
    return given;
  };
  EXPECT_EQ(errorOf({"avx512f"}, processor), "");
  EXPECT_EQ(asked, 0u);
  EXPECT_EQ(errorOf({"amx-tile", "amx-int8"}, processor), "");
  EXPECT_GT(asked, 0u);
  given = false;
  EXPECT_EQ(errorOf({"avx512f", "amx-tile", "amx-bf16"}, processor),
            "the program was compiled for a processor with amx-tile, amx-bf16, "
            "which this one lacks");
}

TEST(Processor, PromisesNothingUnknown) {
  Processor processor = processorOf(~0u, ~0u, ~0ull);
  EXPECT_FALSE(isKnownFeature("time-travel"));
  EXPECT_NE(errorOf({"time-travel"}, processor), "");
}

#if defined(__x86_64__) && defined(__GNUC__)
TEST(Processor, AgreesWithTheCompiler) {
  auto has = [](const char *name) {
    return errorOf({name}, thisProcessor()).empty();
  };
  EXPECT_EQ(has("popcnt"), __builtin_cpu_supports("popcnt") != 0);
  EXPECT_EQ(has("sse4.2"), __builtin_cpu_supports("sse4.2") != 0);
  EXPECT_EQ(has("avx"), __builtin_cpu_supports("avx") != 0);
  EXPECT_EQ(has("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(has("bmi2"), __builtin_cpu_supports("bmi2") != 0);
  EXPECT_EQ(has("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(has("avx512f"), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(has("avx512vbmi2"), __builtin_cpu_supports("avx512vbmi2") != 0);
  EXPECT_EQ(has("avx512bf16"), __builtin_cpu_supports("avx512bf16") != 0);
  EXPECT_EQ(has("fma4"), __builtin_cpu_supports("fma4") != 0);
  EXPECT_EQ(has("xop"), __builtin_cpu_supports("xop") != 0);
}
#endif

} // namespace
