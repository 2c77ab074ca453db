//===- PlanDiffTest.cpp - What two plan files decide differently ----------===//

#include "tapestry/Planner/Plan/PlanDiff.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "tapestry/Planner/Plan/Planner.h"

using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

PlanText planText(const std::string &name, const PlanGraph &graph,
                  int64_t devices, const std::string &solver = "exact") {
  PlannerOptions options;
  options.devices = devices;
  options.solver = solver;
  PlanText result{name, ""};
  llvm::raw_string_ostream os(result.text);
  writePlan(os, graph, valueOf(makePlan(graph, options)));
  return result;
}

void expectText(const std::string &text,
                const std::vector<std::string> &parts) {
  for (const std::string &part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(PlanDiff, OfAPlanWithItselfIsNothing) {
  PlanGraph graph = chainGraph(64);
  PlanText a = planText("a.json", graph, 8), b = planText("b.json", graph, 8);
  EXPECT_EQ(valueOf(diffPlans(a, b)), "the plans decide the same\n");
  EXPECT_EQ(valueOf(diffPlans(a, b, &graph)), "the plans decide the same\n");
}

TEST(PlanDiff, NamesWhatDiffers) {
  PlanGraph graph = chainGraph();
  std::string text = valueOf(diffPlans(
      planText("a.json", graph, 8), planText("b.json", graph, 8, "eindecomp")));
  expectText(text, {"cost ", "335544320", "352321536", "+5.0 %",
                    "vertices differ", "eindecomp", "all_reduce", "parts"});
  EXPECT_EQ(text.find("plan_seconds"), std::string::npos);
  // The other way round everything is told the other way round.
  text = valueOf(diffPlans(planText("b.json", graph, 8, "eindecomp"),
                           planText("a.json", graph, 8)));
  expectText(text, {"-4.8 %"});
}

TEST(PlanDiff, AxesOfAGridHaveAnOrder) {
  PlanText a{"a.json",
             R"({"tapestry_plan": 1, "grid": {"node": 2, "gpu": 3}})"};
  PlanText b{"b.json",
             R"({"tapestry_plan": 1, "grid": {"gpu": 3, "node": 2}})"};
  expectText(valueOf(diffPlans(a, b)), {"node=2 gpu=3", "gpu=3 node=2"});
}

TEST(PlanDiff, ComparesNoSecondsWithElements) {
  PlanText a{"a.json", R"({"tapestry_plan": 1, "program": "a.ein", "cost": 100,
      "vertices": [{"name": "C", "join": 50}]})"};
  PlanText b{"b.json", R"({"tapestry_plan": 1, "program": "b.ein", "cost": 50,
      "cost_model": "spmd", "machine": {"name": "m", "link": {"latency": 1}},
      "vertices": [{"name": "C", "join": 25}, {"name": "D"}]})"};
  std::string text = valueOf(diffPlans(a, b));
  expectText(text, {"the plans are of different programs", "machine.name",
                    "machine.link.latency", "join"});
  EXPECT_EQ(text.find('%'), std::string::npos) << text;
}

TEST(PlanDiff, ShowsVerticesOfOneFileOnly) {
  PlanText a{"a.json", R"({"tapestry_plan": 1, "vertices": [
      {"name": "C", "parts": {"k": 2, "i": 1}, "axes": {"k": ["d.0"]}},
      {"name": "D", "parts": {}}, {"name": "D", "parts": {"x": 3}}]})"};
  PlanText b{"b.json", R"({"tapestry_plan": 1, "devices": 4, "vertices": [
      {"name": "C", "parts": {"i": 2, "k": 1}, "axes": {"k": ["d.0"]}},
      {"name": "D", "parts": {}}, {"name": "E"}]})"};
  std::string text = valueOf(diffPlans(a, b));
  expectText(text, {"devices  -       4", "C       parts    i=1 k=2  i=2 k=1",
                    "D       only in  a.json", "E       only in",
                    "3 of 4 vertices differ"});
  EXPECT_EQ(text.find("axes"), std::string::npos);
}

TEST(PlanDiff, CompletesSketchesOfAGraph) {
  PlanGraph graph = chainGraph(16);
  PlanText sketch{"s.json", R"({"tapestry_plan": 1, "devices": 4, "vertices": [
      {"name": "AB", "parts": {"i": 4}}, {"name": "DE", "parts": {"i": 4}},
      {"name": "CDE", "parts": {"i": 4}}, {"name": "Z", "parts": {"i": 4}}]})"};
  std::string text =
      valueOf(diffPlans(sketch, planText("a.json", graph, 4), &graph));
  // The collectives of the sketch are known only with its program.
  expectText(text, {"all_gather"});
  EXPECT_EQ(valueOf(diffPlans(sketch, planText("a.json", graph, 4)))
                .find("all_gather"),
            std::string::npos);
  PlanGraph other = llamaGraph(1);
  expectError(diffPlans(sketch, sketch, &other), {"s.json: error: "});
}

TEST(PlanDiff, RefusesWhatIsNoPlan) {
  PlanText good{"good.json", R"({"tapestry_plan": 1})"};
  auto refuse = [&](const std::string &text, std::vector<std::string> parts) {
    parts.insert(parts.end(), {"bad.json:", ": error: "});
    expectError(diffPlans({"bad.json", text}, good), parts);
    expectError(diffPlans(good, {"bad.json", text}), parts);
  };
  refuse("", {});
  refuse("[1, 2]", {"not a plan"});
  refuse("{}", {"not a plan"});
  refuse(R"({"tapestry_plan": 2})", {"not a plan"});
  refuse(R"({"tapestry_plan": 1, "vertices": {}})", {"vertices: ", "list"});
  refuse(R"({"tapestry_plan": 1, "vertices": [3]})", {"vertices[0]: "});
  refuse(R"({"tapestry_plan": 1, "vertices": [{"name": 4}]})",
         {"vertices[0].name"});
  refuse(R"({"tapestry_plan": 1, "collectives": [{"kind": "x"}]})",
         {"collectives[0]", "bytes"});
  refuse(std::string(100000, '['), {"100000"});
}

} // namespace
