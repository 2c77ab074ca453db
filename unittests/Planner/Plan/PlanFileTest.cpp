//===- PlanFileTest.cpp - plan.json written, read and refused -------------===//

#include "tapestry/Planner/Plan/PlanFile.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "TestPlanFiles.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Plan/Planner.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <cstring>

using namespace tapestry;
using namespace tapestry::cost::elements;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

DeviceGrid gridOf(std::initializer_list<DeviceGrid::Axis> axes) {
  DeviceGrid grid;
  grid.axes.assign(axes);
  return grid;
}

TEST(PlanFile, RoundTrips) {
  std::mt19937 random(21);
  for (int round = 0; round < 60; ++round) {
    PlanGraph graph = randomGraph(random, 4);
    PlannerOptions options;
    options.program = "dir/a \"quoted\" name.ein";
    options.solver = round % 2 ? "exact" : "eindecomp";
    options.devices = 1 + random() % 16;
    if (round % 3 == 0) {
      options.devices = 0;
      options.grid = gridOf({{"node", 3}, {"gpu", 4}, {"alone", 1}});
    }
    Plan written = valueOf(makePlan(graph, options));
    std::string text = textOf(graph, written);
    Plan read = valueOf(parsePlan(text, "p.json", graph));
    expectSame(written, read);
    EXPECT_EQ(text, textOf(graph, read));
  }
  PlanGraph graph = llamaGraph(2);
  PlannerOptions options;
  options.devices = 16;
  Plan written = valueOf(makePlan(graph, options));
  expectSame(written,
             valueOf(parsePlan(textOf(graph, written), "p.json", graph)));
}

TEST(PlanFile, HasTheKeysInOrder) {
  PlannerOptions options;
  options.grid = gridOf({{"node", 2}, {"gpu", 4}});
  options.program = "c.ein";
  PlanGraph graph = chainGraph(64);
  std::string text = textOf(graph, valueOf(makePlan(graph, options)));
  size_t at = 0;
  for (const char *key : {"\"tapestry_plan\": 1",
                          "\"program\": \"c.ein\"",
                          "\"devices\": 8",
                          "\"grid\": {",
                          "\"node\": 2",
                          "\"gpu\": 4",
                          "\"solver\": \"exact\"",
                          "\"cost_model\": \"paper\"",
                          "\"cost\": ",
                          "\"lower_bound\": ",
                          "\"proved_optimal\": true",
                          "\"plan_seconds\": ",
                          "\"peak_bytes_per_device\": ",
                          "\"vertices\": [",
                          "\"name\": \"A\"",
                          "\"parts\": {",
                          "\"axes\": {",
                          "\"join\": ",
                          "\"aggregate\": ",
                          "\"repartition\": ",
                          "\"name\": \"Z\"",
                          "\"collectives\": [",
                          "\"vertex\": \"DE\"",
                          "\"kind\": \"all_reduce\"",
                          "\"group\": 4",
                          "\"bytes\": "}) {
    size_t found = text.find(key, at);
    ASSERT_NE(found, std::string::npos) << key << " in\n" << text;
    at = found;
  }
}

TEST(PlanFile, ReadsWhatPeopleWrite) {
  Plan plan = valueOf(parsePlan(R"({
    "tapestry_plan": 1, "devices": 6,
    "vertices": [{"name": "C", "parts": {"i": 2, "j": 3}},
                 {"name": "S", "axes": {"i": ["d"]}}]})",
                                "mine.json", product()));
  EXPECT_EQ(plan.solver, "given");
  EXPECT_EQ(plan.lowerBound, 0);
  EXPECT_FALSE(plan.provedOptimal);
  EXPECT_EQ(plan.vertices[0].parts, PartVector({2, 3}));
  EXPECT_EQ(plan.vertices[1].parts, PartVector({3, 1}));
  EXPECT_EQ(plan.vertices[2].parts, PartVector({2, 1, 3}));
  // The axis "d" is its prime parts, major first.
  EXPECT_EQ(plan.vertices[3].parts, PartVector({6, 1}));
  EXPECT_EQ(plan.placement.vertices[3].partition->cuts[0], Cut({0, 1}));
  // C: 6 * (12 * 10 + 10 * 18), two groups of three combining 12 x 18; S: 4
  // x 18.
  EXPECT_EQ(plan.vertices[2].cost[PaperJoin], 6 * (120 + 180));
  EXPECT_EQ(plan.vertices[2].cost[PaperAggregate], 2 * 2 * 216);
  EXPECT_EQ(plan.vertices[3].cost[PaperJoin], 6 * 72);
  EXPECT_EQ(plan.placement.collectives.size(), 1u);
}

TEST(PlanFile, KeepsTheOrderOfTheGrid) {
  // JSON objects have no order, the axes of a grid do.
  for (const char *grid : {R"({"z": 2, "a": 3})", R"({"a": 3, "z": 2})",
                           R"({ "\u007a" : 2 , "a":3})"}) {
    std::string text =
        R"({"tapestry_plan": 1, "program": "a:{\"grid\":{",
      "grid": )" +
        std::string(grid) +
        R"(, "vertices": [{"name": "C", "axes": {"i": ["z"]}, "parts": {"*": 1}},
        {"name": "S", "axes": {"i": ["z.0", "a.0"]}}]})";
    Plan plan = valueOf(parsePlan(text, "p.json", product()));
    EXPECT_EQ(plan.userGrid.axes[0].name, grid[2] == 'a' ? "a" : "z");
    EXPECT_EQ(plan.vertices[2].parts, PartVector({2, 1, 1}));
    EXPECT_EQ(plan.vertices[3].parts, PartVector({6, 1}));
  }
}

/// A plan for product() in which `from` is replaced by `to`.
std::string edited(llvm::StringRef from, llvm::StringRef to) {
  std::string text = R"({"tapestry_plan": 1, "devices": 6,
    "vertices": [{"name": "C", "parts": {"i": 2, "j": 3}},
                 {"name": "S", "parts": {"i": 6}, "axes": {"i": ["d"]}}],
    "collectives": [{"vertex": "C", "kind": "reduce_scatter", "group": 3,
                     "bytes": 3456}]})";
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return text.replace(at, from.size(), to.str());
}

TEST(PlanFile, CarriesRewrites) {
  PlanGraph graph = product();
  PlannerOptions options;
  options.devices = 4;
  Plan plan = valueOf(tapestry::plan::makePlan(graph, options));
  plan.rewrites = {{"order", "C", {"0 1"}}, {"fuse", "a \"b\"", {}}};
  std::string text = textOf(graph, plan);
  EXPECT_EQ(valueOf(parsePlanRewrites(text, "p.json")), plan.rewrites);
  Plan read = valueOf(parsePlan(text, "p.json", graph));
  EXPECT_EQ(read.rewrites, plan.rewrites);
  EXPECT_EQ(textOf(graph, read), text);

  // A plan without the key, and what is no plan, have none.
  plan.rewrites.clear();
  EXPECT_TRUE(
      valueOf(parsePlanRewrites(textOf(graph, plan), "p.json")).empty());
  EXPECT_TRUE(valueOf(parsePlanRewrites("[1", "p.json")).empty());
  EXPECT_TRUE(
      valueOf(parsePlanRewrites(std::string(100000, '['), "p.json")).empty());
  for (const char *wrong :
       {R"([{"kind": "order"}])", R"([{"kind": "order", "vertex": 1}])", "[1]",
        R"([{"kind": "a", "vertex": "b", "arguments": [1]}])",
        R"([{"kind": "a", "vertex": "b", "arguments": 1}])",
        R"([{"kind": "a", "vertex": "b", "else": 1}])"})
    expectError(parsePlanRewrites(std::string(R"({"rewrites": )") + wrong + "}",
                                  "p.json"),
                {"p.json: error: rewrites[0]: expected"});
  expectError(parsePlanRewrites(R"({"rewrites": 1})", "p.json"),
              {"p.json: error: rewrites: expected a list"});
}

TEST(PlanFile, RefusesWithFileAndPath) {
  PlanGraph graph = product();
  expectSuccess(parsePlan(edited("6", "6"), "p.json", graph).takeError());
  struct Case {
    const char *from, *to;
    std::vector<std::string> expected;
  };
  for (const Case &c : std::vector<Case>{
           {"{\"tapestry", "{{", {"1:"}},
           {"\"tapestry_plan\": 1,", "", {"tapestry_plan"}},
           {"\"tapestry_plan\": 1", "\"tapestry_plan\": 2", {"2", "1"}},
           {"\"devices\": 6",
            "\"devices\": \"6\"",
            {"devices", "an integer", "\"6\""}},
           {"\"devices\": 6", "\"devices\": 0", {"devices", "0"}},
           {"\"devices\": 6", "\"devices\": 99999999", {"devices", "99999999"}},
           {"\"devices\": 6,", "", {"'devices'", "'grid'"}},
           {"\"devices\": 6",
            "\"devices\": 6, \"grid\": {\"d\": 4}",
            {"grid", "4", "6"}},
           {"\"devices\": 6",
            "\"devices\": 6, \"grid\": {\"d\": 6.5}",
            {"grid.d", "6.5"}},
           {"\"devices\": 6",
            "\"devices\": 6, \"grid\": {\"d\": -6}",
            {"grid.d", "-6"}},
           {"\"devices\": 6",
            "\"devices\": 6, \"grid\": 6",
            {"grid", "an object"}},
           {"\"devices\": 6",
            "\"devices\": 6, \"cost_model\": \"hops\"",
            {"cost_model", "'hops'", "'paper'", "'spmd'"}},
           {"\"devices\": 6",
            "\"devices\": 6, \"costs\": 3",
            {"unknown key 'costs'"}},
           {"\"vertices\"", "\"vertexes\"", {"'vertexes'"}},
           {"{\"name\": \"C\"",
            "{\"nam\": \"C\"",
            {"vertices[0]", "'nam'", "name"}},
           {"\"C\"", "\"Q\"", {"vertices[0]", "'Q'"}},
           {"\"S\"", "\"C\"", {"vertices[1]", "'C'", "twice"}},
           {"\"j\": 3", "\"*\": 2", {"vertices[0].parts.*", "1 part", "2"}},
           {"\"j\": 3}",
            "\"j\": 3}, \"home\": [[]]",
            {"vertices[0].home", "1 dimension,", "2"}},
           {"\"j\": 3}",
            "\"j\": 3}, \"home\": [[\"d.0\"], [\"d\"]]",
            {"vertices[0].home[1]", "'d.0'", "twice"}},
           {"\"j\": 3}",
            "\"j\": 3}, \"home\": [[\"q\"], []]",
            {"vertices[0].home[0][0]", "'q'"}},
           {"\"j\": 3}",
            "\"j\": 3}, \"home_route\": [[\"?\", []]]",
            {"vertices[0].home_route[0][0]", "a list"}},
           {"\"j\": 3}",
            "\"j\": 3}, \"operand_routes\": [[]]",
            {"vertices[0].operand_routes", "1 route,", "2 operands"}},
           {"\"devices\": 6",
            "\"devices\": 6, \"idle_devices\": -1",
            {"idle_devices", "-1"}},
           {"\"devices\": 6",
            "\"devices\": 6, \"machine\": \"abacus\"",
            {"machine", "abacus"}},
           {"\"devices\": 6",
            "\"devices\": 6, \"machine\": {\"flops\": {\"four\": 1}}",
            {"machine.flops.four", "'four'"}},
           {"\"devices\": 6",
            "\"devices\": 6, \"machine\": {\"flops\": {\"4\": 1}}",
            {"machine", "memory_bandwidth"}},
           {"\"devices\": 6",
            "\"devices\": 6, \"groups\": [{\"name\": \"g\"}]",
            {"groups[0]", "vertices"}},
           {"\"devices\": 6",
            "\"devices\": 6, \"groups\": [{\"name\": \"g\", "
            "\"vertices\": [\"Q\"]}]",
            {"groups[0].vertices[0]", "'Q'"}},
           {"\"j\": 3", "\"x\": 3", {"vertices[0].parts.x", "'C'", "'x'"}},
           {"\"j\": 3", "\"j\": 3.5", {"vertices[0].parts.j", "3.5"}},
           {"\"j\": 3", "\"j\": 31", {"vertices[0]", "'j'", "31", "30"}},
           {"\"j\": 3", "\"j\": 0", {"vertices[0].parts.j", "'j'", " 0 parts"}},
           {"\"j\": 3", "\"j\": -3", {"vertices[0].parts.j", "-3 parts"}},
           {"\"j\": 3", "\"j\": 5", {"vertices[0]", "10 parts", "6"}},
           {"\"j\": 3", "\"j\": 9223372036854775807", {"vertices[0]", "30"}},
           {"\"i\": 6}", "\"i\": 3}", {"vertices[1].axes", "'i'", "3", "6"}},
           {"[\"d\"]", "[\"e\"]", {"vertices[1].axes.i[0]", "'e'", "'d.0'"}},
           {"[\"d\"]", "[\"d.1\"]", {"vertices[1].axes", "6", "3"}},
           {"[\"d\"]", "[\"d.0\", \"d\"]", {"vertices[1].axes", "'d.0'"}},
           {"[\"d\"]", "\"d\"", {"vertices[1].axes.i", "a list"}},
           {"3456", "3457", {"collectives[0]", "3457", "3456"}},
           {"\"group\": 3", "\"group\": 2", {"collectives[0]", "2", "3"}},
           {"reduce_scatter",
            "all_reduce",
            {"collectives[0]", "all_reduce", "reduce_scatter"}},
           {"\"vertex\": \"C\"",
            "\"vertex\": \"S\"",
            {"collectives[0]", "'S'", "'C'"}},
       }) {
    std::vector<std::string> expected = c.expected;
    expected.insert(expected.end(), {"p.json:", ": error: "});
    expectError(parsePlan(edited(c.from, c.to), "p.json", graph), expected);
  }
}

TEST(PlanFile, RefusesCostsThatAreNotTheModels) {
  PlanGraph graph = product();
  PlannerOptions options;
  options.devices = 6;
  std::string text = textOf(graph, valueOf(makePlan(graph, options)));
  for (const char *key : {"\"cost\": ", "\"join\": ", "\"aggregate\": ",
                          "\"repartition\": ", "\"peak_bytes_per_device\": "}) {
    // The last of each: the first vertices are inputs.
    std::string wrong = text;
    size_t at = wrong.rfind(key) + std::strlen(key);
    wrong.insert(at, "1");
    std::string name(key + 1, std::strlen(key) - 4);
    expectError(parsePlan(wrong, "p.json", graph), {"p.json", name});
  }
  std::string wrong = text;
  size_t at = wrong.find("\"lower_bound\": ") + 15;
  wrong.insert(at, "9");
  expectError(parsePlan(wrong, "p.json", graph), {"p.json", "lower bound"});
}

TEST(PlanFile, StoresInputsApartFromTheirReader) {
  std::string parts = R"({"tapestry_plan": 1, "devices": 6, "vertices": [
    {"name": "A", "parts": {"0": 3, "*": 1}},
    {"name": "C", "parts": {"i": 2, "j": 3}},
    {"name": "S", "parts": {"i": 6}}]})";
  std::string axes = R"({"tapestry_plan": 1, "devices": 6, "vertices": [
    {"name": "A", "axes": {"0": ["d.1"], "1": ["d.0"]}},
    {"name": "C", "axes": {"j": ["d.1"], "i": ["d.0"]}},
    {"name": "S", "parts": {"i": 6}}]})";
  for (const std::string &text : {parts, axes}) {
    PlanGraph graph = product();
    Plan plan = valueOf(followPlan(text, "p.json", graph));
    EXPECT_EQ(plan.vertices[0].parts,
              text == parts ? PartVector({3, 1}) : PartVector({3, 2}));
    EXPECT_EQ(plan.placement.collectives.front().vertex, 0u);
    // What was written says it again.
    std::string written = textOf(graph, plan);
    PlanGraph other = product();
    Plan again = valueOf(followPlan(written, "p.json", other));
    expectSame(plan, again);
    EXPECT_EQ(written, textOf(other, again));
    // The graph has to carry the pin.
    expectError(parsePlan(text, "p.json", product()), {"p.json", "'A'"});
  }
}

TEST(PlanFile, StoresWhatIsReadByAWindowApart) {
  auto window = [] {
    GraphBuilder builder;
    builder.input("X", {11, 12});
    builder.vertex("T", "m", {{"X", "q+1 m"}}, {{"q", 4}});
    return builder.graph;
  };
  PlanGraph graph = window();
  Plan plan = valueOf(followPlan(R"({"tapestry_plan": 1, "devices": 6,
    "vertices": [{"name": "X", "parts": {"0": 1}}]})",
                                 "p.json", graph));
  PlanGraph other = window();
  expectSame(plan, valueOf(followPlan(textOf(graph, plan), "p.json", other)));
}

//===----------------------------------------------------------------------===//
// The cost model spmd
//===----------------------------------------------------------------------===//

TEST(PlanFile, RoundTripsPlansInSeconds) {
  std::mt19937 random(5);
  unsigned withIdle = 0;
  for (int round = 0; round < 40; ++round) {
    PlanGraph graph = randomGraph(random, 4);
    PlannerOptions options;
    options.costModel = "spmd";
    options.machine = builtInMachines()[random() % builtInMachines().size()];
    options.devices = 1 + random() % 8;
    if (round % 3 == 0) {
      options.devices = 0;
      options.grid = gridOf({{"node", 2}, {"gpu", 3}});
    }
    Plan written = valueOf(makePlan(graph, options));
    std::string text = textOf(graph, written);
    Plan read = valueOf(parsePlan(text, "p.json", graph));
    expectSame(written, read);
    EXPECT_EQ(text, textOf(graph, read));
    EXPECT_EQ(written.machine.name, read.machine.name);
    EXPECT_EQ(written.idleDevices, read.idleDevices);
    withIdle += written.idleDevices > 0;
    for (unsigned v = 0; v < graph.vertices.size(); ++v) {
      const VertexPlacement &a = written.placement.vertices[v];
      const VertexPlacement &b = read.placement.vertices[v];
      EXPECT_TRUE(a.homeRoute == b.homeRoute);
      for (unsigned o = 0; o < b.operandRoutes.size(); ++o)
        EXPECT_TRUE(a.operandRoutes[o] == b.operandRoutes[o]);
    }
  }
  EXPECT_GT(withIdle, 0u);
}

TEST(PlanFile, KeepsRoutes) {
  std::string text = R"({"tapestry_plan": 1, "devices": 6,
    "cost_model": "spmd", "machine": "cpu", "vertices": [
      {"name": "C", "axes": {"i": ["d.0"], "j": ["d.1"]},
       "home": [["d.1"], ["d.0"]], "home_route": [[["d.0"], ["d.1"]]]},
      {"name": "S", "axes": {"i": ["d"]}, "home": [["d"]],
       "operand_routes": [[[["d.1"], []], [["d.1", "d.0"], []]]]}]})";
  PlanGraph graph = product();
  Plan plan = valueOf(parsePlan(text, "p.json", graph));
  const VertexPlacement &c = plan.placement.vertices[2];
  ASSERT_EQ(c.homeRoute.size(), 1u);
  EXPECT_EQ(c.homeRoute[0].dims[1].cut(), llvm::ArrayRef<unsigned>({1}));
  EXPECT_EQ(c.home.dims[0].cut(), llvm::ArrayRef<unsigned>({1}));
  ASSERT_EQ(plan.placement.vertices[3].operandRoutes.size(), 1u);
  EXPECT_EQ(plan.placement.vertices[3].operandRoutes[0].size(), 2u);
  EXPECT_EQ(plan.placement.collectives.size(), 4u);
  std::string written = textOf(graph, plan);
  EXPECT_NE(written.find("home_route"), std::string::npos);
  Plan again = valueOf(parsePlan(written, "p.json", graph));
  expectSame(plan, again);
  EXPECT_EQ(written, textOf(graph, again));
}

TEST(PlanFile, PlansTheRestInSeconds) {
  PlanGraph graph = product();
  Plan plan = valueOf(followPlan(R"({"tapestry_plan": 1, "devices": 6,
    "cost_model": "spmd", "machine": "h100x8",
    "vertices": [{"name": "C", "parts": {"j": 3}}]})",
                                 "p.json", graph));
  EXPECT_EQ(plan.costModel, "spmd");
  EXPECT_EQ(plan.machine.name, "h100x8");
  EXPECT_EQ(plan.vertices[2].parts[*graph.vertices[2].labelNamed("j")], 3);
}

TEST(PlanFile, RefusesFilesThatAreNoPlans) {
  expectError(parsePlan("[1]", "p.json", product()), {"an object", "[1]"});
  expectError(parsePlan("", "p.json", product()), {"p.json"});
  expectError(readPlanFile("/no/such/plan.json", product()),
              {"/no/such/plan.json: error: "});
}

TEST(PlanFile, DamagedFilesNeverCrash) {
  PlanGraph graph = product();
  PlannerOptions options;
  options.devices = 6;
  std::string text = textOf(graph, valueOf(makePlan(graph, options)));
  std::mt19937 random(1);
  unsigned refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = text;
    size_t at = random() % damaged.size();
    switch (random() % 3) {
    case 0:
      damaged[at] = "0123456789{}[]\",:-x"[random() % 19];
      break;
    case 1:
      damaged.erase(at, 1 + random() % 20);
      break;
    default:
      damaged.insert(at, 1, "0123456789{}[]\",:-x"[random() % 19]);
    }
    auto read = parsePlan(damaged, "p.json", graph);
    if (!read) {
      ++refused;
      std::string said = llvm::toString(read.takeError());
      EXPECT_EQ(said.find("p.json:"), 0u) << said;
      EXPECT_NE(said.find(": error: "), std::string::npos) << said;
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(PlanFile, RefusesDeepNesting) {
  auto read = parsePlan(std::string(100000, '['), "p.json", product());
  ASSERT_FALSE(read);
  EXPECT_EQ(llvm::toString(read.takeError()),
            "p.json: error: brackets are nested 100000 deep, a plan has at "
            "most 32");
}

TEST(PlanFile, ReadsFromDisk) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("plan", "json", path));
  PlanGraph graph = product();
  PlannerOptions options;
  options.devices = 4;
  Plan written = valueOf(makePlan(graph, options));
  {
    std::error_code code;
    llvm::raw_fd_ostream os(path, code);
    ASSERT_FALSE(code);
    writePlan(os, graph, written);
  }
  expectSame(written, valueOf(readPlanFile(path, graph)));
  ASSERT_FALSE(llvm::sys::fs::remove(path));
}

} // namespace
