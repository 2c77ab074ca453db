//===- TargetTest.cpp - The registry of targets, and the target cpu -------===//

#include "tapestry/Codegen/Target.h"
#include "Core/Processor.h"
#include "Runner.h"
#include "tapestry/Codegen/CPU/TargetInfo.h"
#include "tapestry/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace tapestry;

namespace {

/// The message of a spec that is refused as wrong usage.
std::string refusal(const TargetSpec &spec) {
  test::context(); // registers the target cpu
  auto target = createTarget(spec);
  if (target)
    return "";
  std::string message;
  llvm::handleAllErrors(target.takeError(), [&](const FaultError &error) {
    EXPECT_EQ(error.getFault(), Fault::Usage);
    message = error.getText().str();
  });
  return message;
}

TEST(Target, RefusesWhatIsNotThere) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({"cpu", "x86-64-v3", 128}), "");
  EXPECT_EQ(
      refusal({"abacus"}).find("there is no target 'abacus'; there are: cpu"),
      0u);
  EXPECT_EQ(refusal({"cpu", "z80"})
                .find("there is no processor 'z80'; there are: native, x86-64, "
                      "x86-64-v2, x86-64-v3, x86-64-v4, "),
            0u);
  // No code for this machine's operating system.
  EXPECT_NE(refusal({"cpu", "i386"}), "");
  EXPECT_EQ(refusal({"cpu", "native", 100}),
            "vector registers have 128, 256 or 512 bits, not 100");
}

TEST(Target, IsFoundByItsName) {
  static unsigned made = 0;
  auto create = [](const TargetSpec &) {
    ++made;
    return llvm::Expected<std::unique_ptr<Target>>(
        faultError(Fault::Usage, "", "made by the test"));
  };
  test::context();
  size_t before = allTargets().size();
  TargetKind kind{"test", create, [](mlir::DialectRegistry &) {}};
  llvm::cantFail(registerTarget(kind));
  llvm::cantFail(registerTarget(kind));
  EXPECT_EQ(allTargets().size(), before + 1);
  kind.create = createTarget;
  EXPECT_EQ(llvm::toString(registerTarget(kind)),
            "there are two targets named 'test'");
  EXPECT_EQ(allTargets().size(), before + 1);
  EXPECT_EQ(refusal({"test"}), "made by the test");
  EXPECT_EQ(made, 1u);
}

TEST(TargetInfo, LevelsAddFeatures) {
  EXPECT_TRUE(TargetInfo::featuresUsed("x86-64").empty());
  std::vector<std::string> last;
  for (const char *level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    std::vector<std::string> features = TargetInfo::featuresUsed(level);
    EXPECT_GT(features.size(), last.size());
    for (const std::string &name : last)
      EXPECT_TRUE(llvm::is_contained(features, name)) << level << " " << name;
    last = features;
  }
}

TEST(TargetInfo, RuntimeKnowsAllFeatures) {
  llvm::SmallVector<llvm::StringRef> names = TargetInfo::allNames();
  names.push_back("native");
  for (llvm::StringRef cpu : names)
    for (const std::string &feature : TargetInfo::featuresUsed(cpu))
      EXPECT_TRUE(rt::isKnownFeature(feature)) << cpu.str() << " " << feature;
}

TEST(TargetInfo, ThisMachineHasWhatNativeUses) {
  std::vector<std::string> features = TargetInfo::featuresUsed("native");
  std::vector<const char *> texts;
  for (const std::string &feature : features)
    texts.push_back(feature.c_str());
  TapestryProgram program = {};
  program.num_features = texts.size();
  program.features = texts.data();
  EXPECT_EQ(rt::checkFeatures(program).message(), "");
}

} // namespace
