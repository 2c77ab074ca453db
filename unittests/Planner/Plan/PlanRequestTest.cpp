//===- PlanRequestTest.cpp - What users say of planning -------------------===//

#include "tapestry/Planner/Plan/PlanRequest.h"
#include "../TestErrors.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

llvm::Error set(PlanRequest &request, llvm::StringRef name,
                llvm::StringRef value) {
  for (const PlanOption &option : planOptions())
    if (option.name == name)
      return option.set(request, value);
  return planError("no option ", name);
}

TEST(PlanRequest, EveryOptionSetsItsOwn) {
  PlanRequest request;
  for (auto [name, value] : {std::pair("devices", "8"),
                             {"grid", "a=8"},
                             {"machine", "h100x8"},
                             {"threads", "3"},
                             {"solver", "bounded"},
                             {"cost", "spmd"},
                             {"order", "peak"},
                             {"memory", "2KiB"},
                             {"prefer", "split,fold"},
                             {"plan", "p.json"}})
    expectSuccess(set(request, name, value));
  EXPECT_EQ(planOptions().size(), 10u);
  EXPECT_EQ(request.devices, 8);
  EXPECT_EQ(request.grid, "a=8");
  EXPECT_EQ(request.machine, "h100x8");
  EXPECT_EQ(request.threads, 3);
  EXPECT_EQ(request.solver, "bounded");
  EXPECT_EQ(request.costModel, "spmd");
  EXPECT_EQ(request.order, "peak");
  EXPECT_EQ(request.memoryLimit, 2048);
  EXPECT_EQ(request.preferredRules(),
            (std::vector<std::string>{"split", "fold"}));
  EXPECT_EQ(request.planFile, "p.json");
}

TEST(PlanRequest, ValuesThatMeanNothingAreUsage) {
  PlanRequest request;
  for (auto [name, value, text] :
       {std::tuple("devices", "x", "takes a whole number, not 'x'"),
        {"devices", "0", "at least 1, not 0"},
        {"threads", "1025", "at most 1024, not 1025"},
        {"memory", "3x", "memory: "}}) {
    ErrorFacts facts = factsOf(set(request, name, value));
    EXPECT_EQ(facts.fault, Fault::Usage);
    EXPECT_NE(facts.text.find(text), std::string::npos) << facts.text;
  }
}

TEST(PlanRequest, FillsInOneDeviceAndAnOrder) {
  PlanRequest nothing;
  nothing.fillIn();
  EXPECT_EQ(nothing.devices, 1);
  EXPECT_EQ(nothing.order, "flops");
  PlanRequest file;
  file.planFile = "p.json";
  file.fillIn();
  EXPECT_EQ(file.devices, 0);
  EXPECT_EQ(file.order, "none");
}

TEST(PlanRequest, ResolvesOrSaysWhatIsUnknown) {
  PlanRequest request;
  request.grid = "a=2,b=3";
  PlannerOptions options = valueOf(resolveRequest(request));
  EXPECT_EQ(options.grid.numDevices(), 6);
  EXPECT_EQ(options.solver, "exact");
  EXPECT_EQ(options.machine.name, "cpu");
  EXPECT_TRUE(options.mayIdle);
  PlanRequest brief = request;
  brief.mostWork = 1e6;
  brief.mayIdle = false;
  options = valueOf(resolveRequest(brief));
  EXPECT_EQ(options.solverOptions.mostWork, 1e6);
  EXPECT_EQ(options.solverOptions.work, 1e6);
  EXPECT_FALSE(options.mayIdle);
  auto wrong = [&](auto member, std::string value, std::string text) {
    PlanRequest changed = request;
    changed.*member = value;
    ErrorFacts facts = factsOf(resolveRequest(changed).takeError());
    EXPECT_EQ(facts.fault, Fault::Usage);
    EXPECT_NE(facts.text.find(text), std::string::npos) << facts.text;
  };
  wrong(&PlanRequest::solver, "best", "unknown solver 'best'");
  wrong(&PlanRequest::costModel, "worst", "'worst'");
  wrong(&PlanRequest::machine, "abacus", "unknown machine 'abacus'");
  wrong(&PlanRequest::grid, "a", "expected NAME=SIZE");
  request.devices = 4;
  EXPECT_EQ(factsOf(resolveRequest(request).takeError()).text,
            "--devices 4 does not fit the grid 'a=2,b=3', which has 6");
}

TEST(PlanRequest, AFileComesBeforeDefaultsOnly) {
  Plan plan;
  plan.costModel = "paper";
  plan.solver = "exact";
  plan.userGrid.axes = {{"d", 4}};
  PlanRequest request;
  request.planFile = "p.json";
  expectSuccess(checkFollowed(request, plan));
  request.solver = "bounded";
  ErrorFacts facts = factsOf(checkFollowed(request, plan));
  EXPECT_EQ(facts.fault, Fault::Usage);
  EXPECT_EQ(facts.place, "p.json");
  EXPECT_NE(facts.text.find("nothing is left for --solver bounded"),
            std::string::npos);
  request.solver = "exact";
  request.grid = "d=2,e=2";
  expectError(checkFollowed(request, plan), {"for 'd=4'", "'d=2,e=2'"});
}

} // namespace
