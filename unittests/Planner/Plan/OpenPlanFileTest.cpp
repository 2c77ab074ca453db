//===- OpenPlanFileTest.cpp - plan.json that leaves decisions open --------===//

#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "TestPlanFiles.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "tapestry/Planner/Plan/Planner.h"

using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

TEST(OpenPlanFile, PlansWhatIsOpen) {
  PlannerOptions options;
  options.devices = 6;
  double best = valueOf(makePlan(product(), options)).cost;
  for (const char *vertices :
       {"", R"({"name": "S"})", R"({"name": "C", "parts": {}})",
        R"({"name": "C", "parts": {"i": "?", "j": "?", "k": "?"},
            "axes": {"i": "?"}, "home": "?", "join": 3})"}) {
    std::string text =
        R"({"tapestry_plan": 1, "devices": 6, "cost": 1, "vertices": [)" +
        std::string(vertices) + "]}";
    PlanGraph graph = product();
    Plan plan = valueOf(followPlan(text, "p.json", graph));
    EXPECT_EQ(plan.cost, best);
    EXPECT_TRUE(plan.provedOptimal);
    EXPECT_EQ(plan.solver, "exact");
  }
}

TEST(OpenPlanFile, EntriesThatAreGivenArePins) {
  PlanGraph graph = product();
  Plan plan = valueOf(followPlan(R"({"tapestry_plan": 1,
    "grid": {"node": 2, "gpu": 6}, "vertices": [
      {"name": "B", "parts": {"0": 4}},
      {"name": "C", "parts": {"j": 2, "k": "?"}, "axes": {"i": ["gpu.1"]}},
      {"name": "S", "home": [["node"]]}],
    "groups": []})",
                                 "p.json", graph));
  EXPECT_EQ(plan.vertices[1].parts[0], 4);
  EXPECT_EQ(plan.vertices[2].parts, PartVector({3, 2, 2}));
  EXPECT_EQ(plan.placement.vertices[2].partition->cuts[0], Cut({2}));
  EXPECT_EQ(plan.placement.vertices[3].home.dims[0].cut(),
            llvm::ArrayRef<unsigned>({0}));
  EXPECT_TRUE(plan.provedOptimal);
  // Written, it is complete and says the same.
  std::string text = textOf(graph, plan);
  PlanGraph other = product();
  expectSame(plan, valueOf(followPlan(text, "p.json", other)));
}

TEST(OpenPlanFile, NamesConflictsOfPins) {
  auto planWith = [](const std::string &vertices) {
    PlanGraph graph = product();
    ShardingConstraint request;
    request.cuts = {{"i", 3, {}}};
    request.place = "prog.ein:7:1";
    graph.vertices[2].constraints.work = {request};
    return followPlan(R"({"tapestry_plan": 1, "devices": 6, "vertices": [)" +
                          vertices + "]}",
                      "p.json", graph)
        .takeError();
  };
  expectSuccess(planWith(R"({"name": "C", "parts": {"j": 2}})"));
  expectError(
      planWith(R"({"name": "C", "parts": {"i": 2}})"),
      {"p.json: error: ", "'C'", "'i'", "2 parts", "to 3", "prog.ein:7:1"});
  expectError(planWith(R"({"name": "C", "parts": {"i": 2, "j": 3}},
                          {"name": "S", "parts": {"i": 6}})"),
              {"p.json: error: ", "'C'", "'i'", "3 parts", "2"});
}

TEST(OpenPlanFile, HoldsTheMemoryLimit) {
  PlanGraph graph = product();
  PlannerOptions options;
  options.devices = 6;
  Plan written = valueOf(makePlan(graph, options));
  std::string text = textOf(graph, written);
  options.memoryLimit = written.peakBytesPerDevice;
  expectSuccess(parsePlan(text, "p.json", graph, options).takeError());
  --options.memoryLimit;
  expectError(parsePlan(text, "p.json", graph, options),
              {"p.json: error: ", std::to_string(written.peakBytesPerDevice),
               std::to_string(options.memoryLimit)});
}

TEST(OpenPlanFile, KeepsGroups) {
  PlanGraph graph = chainGraph(48);
  std::string text = R"({"tapestry_plan": 1, "devices": 6, "vertices": [],
    "groups": [{"name": "g", "vertices": [")";
  std::vector<std::string> members;
  for (const PlanVertex &vertex : graph.vertices)
    if (!vertex.isInput && members.size() < 2)
      members.push_back(vertex.name);
  text += members[0] + "\", \"" + members[1] + "\"]}]}";
  Plan plan = valueOf(followPlan(text, "p.json", graph));
  unsigned a = *graph.vertexNamed(members[0]);
  unsigned b = *graph.vertexNamed(members[1]);
  EXPECT_EQ(plan.placement.vertices[a].home, plan.placement.vertices[b].home);
  std::string written = textOf(graph, plan);
  PlanGraph other = chainGraph(48);
  expectSame(plan, valueOf(followPlan(written, "p.json", other)));
  EXPECT_EQ(other.vertices[a].constraints.layoutGroup, "g");
  EXPECT_EQ(written, textOf(other, plan));
}

} // namespace
