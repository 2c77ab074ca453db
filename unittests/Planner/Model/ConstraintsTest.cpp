//===- ConstraintsTest.cpp - Pins, preferences and layout groups ----------===//

#include "tapestry/Planner/Model/Constraints.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Plan/Planner.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::elements;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

ShardingConstraint pin(std::vector<LabelConstraint> cuts,
                       bool isClosed = false) {
  ShardingConstraint request;
  request.cuts = std::move(cuts);
  request.isClosed = isClosed;
  return request;
}

ShardingConstraint preference(std::vector<LabelConstraint> cuts,
                              double weight = 1) {
  ShardingConstraint request = pin(std::move(cuts));
  request.isHard = false;
  request.weight = weight;
  return request;
}

/// C = A B on n x n matrices, then its rows' sums.
PlanGraph productGraph(int64_t n = 8) {
  GraphBuilder b;
  b.input("A", {n, n}).input("B", {n, n});
  b.vertex("C", "i k", {{"A", "i j"}, {"B", "j k"}});
  b.vertex("S", "i", {{"C", "i k"}});
  b.graph.vertices.back().isOutput = true;
  return b.graph;
}

PlanVertex &named(PlanGraph &graph, llvm::StringRef name) {
  return graph.vertices[*graph.vertexNamed(name)];
}

llvm::Expected<Plan> planOn(const PlanGraph &graph, DeviceGrid grid) {
  PlannerOptions options;
  options.grid = std::move(grid);
  return makePlan(graph, options);
}

DeviceGrid gridOf(std::vector<DeviceGrid::Axis> axes) {
  DeviceGrid grid;
  grid.axes.assign(axes.begin(), axes.end());
  return grid;
}

PartVector partsIn(const Plan &plan, const PlanGraph &graph,
                   llvm::StringRef name) {
  return plan.vertices[*graph.vertexNamed(name)].parts;
}

//===----------------------------------------------------------------------===//
// Pins
//===----------------------------------------------------------------------===//

TEST(Constraints, PinnedPartsAreMetExactly) {
  DeviceGrid grid = gridOf({{"d", 8}});
  for (PartVector wanted :
       {PartVector({2, 1, 4}), PartVector({1, 8, 1}), PartVector({1, 1, 1}),
        PartVector({2, 1, 1}), PartVector({1, 4, 1})}) {
    PlanGraph graph = productGraph();
    PlanVertex &c = named(graph, "C");
    for (auto [label, count] : llvm::zip_equal(c.labels, wanted))
      c.constraints.work.push_back(pin({{label.name, count, {}}}));
    Plan plan = valueOf(planOn(graph, grid));
    EXPECT_EQ(partsIn(plan, graph, "C"), wanted);
    expectSuccess(verifyPlan(graph, plan));
  }
}

TEST(Constraints, OpenLabelsTakeTheRest) {
  PlanGraph graph = productGraph();
  named(graph, "C").constraints.work = {pin({{"i", 2, {}}})};
  PartVector parts =
      partsIn(valueOf(planOn(graph, gridOf({{"d", 8}}))), graph, "C");
  EXPECT_EQ(parts[0], 2);
  EXPECT_EQ(parts[0] * parts[1] * parts[2], 8);
  named(graph, "C").constraints.work = {pin({{"i", 2, {}}}, true)};
  EXPECT_EQ(partsIn(valueOf(planOn(graph, gridOf({{"d", 8}}))), graph, "C"),
            PartVector({2, 1, 1}));
}

TEST(Constraints, NamedAxesAreMetInOrder) {
  DeviceGrid grid = gridOf({{"node", 2}, {"gpu", 4}});
  PlanGraph graph = productGraph();
  named(graph, "C").constraints.work = {
      pin({{"i", 0, {"gpu.1", "node"}}, {"j", 2, {"gpu.0"}}})};
  Plan plan = valueOf(planOn(graph, grid));
  unsigned c = *graph.vertexNamed("C");
  EXPECT_EQ(plan.placement.vertices[c].partition->cuts[0], Cut({2, 0}));
  unsigned j = *graph.vertices[c].labelNamed("j");
  EXPECT_EQ(plan.placement.vertices[c].partition->cuts[j], Cut({1}));

  named(graph, "C").constraints.work = {pin({{"k", 0, {"gpu"}}})};
  plan = valueOf(planOn(graph, grid));
  EXPECT_EQ(plan.placement.vertices[c].partition->cuts[1], Cut({1, 2}));
}

TEST(Constraints, AxesOfALargeGridAreFound) {
  // Far more assignments of axes than are ever compared.
  PlanGraph graph = productGraph(1024);
  named(graph, "C").constraints.work = {
      pin({{"i", 0, {"d.9", "d.8", "d.7"}}, {"k", 0, {"d.6"}}})};
  named(graph, "S").constraints.home = {pin({{"0", 0, {"d.4", "d.5"}}})};
  Plan plan = valueOf(planOn(graph, gridOf({{"d", 1024}})));
  expectSuccess(verifyPlan(graph, plan));
}

TEST(Constraints, InputsAreStoredAsPinned) {
  DeviceGrid grid = gridOf({{"d", 4}});
  PlanGraph graph = productGraph();
  named(graph, "A").constraints.work = {pin({{"0", 4, {}}, {"1", 1, {}}})};
  graph.resolveStorage();
  named(graph, "C").constraints.work = {pin({{"k", 4, {}}})};
  Plan plan = valueOf(planOn(graph, grid));
  EXPECT_EQ(partsIn(plan, graph, "A"), PartVector({4, 1}));
  // The reader wants all of it and has to fetch it.
  ASSERT_FALSE(plan.placement.collectives.empty());
  EXPECT_EQ(plan.placement.collectives.front().kind, CollectiveKind::AllGather);
  EXPECT_GT(plan.vertices[*graph.vertexNamed("C")].cost[PaperRepartition], 0);
}

TEST(Constraints, OutputsAreLeftAsPinned) {
  PlanGraph graph = productGraph();
  named(graph, "C").isOutput = true;
  named(graph, "C").constraints.home = {pin({{"1", 8, {}}})};
  Plan plan = valueOf(planOn(graph, gridOf({{"d", 8}})));
  const Layout &home = plan.placement.vertices[2].home;
  EXPECT_TRUE(home.dims[0].cut().empty());
  EXPECT_EQ(partsOf(plan.grid, home.dims[1].cut()), 8);
  EXPECT_TRUE(allowsHome(named(graph, "C"), plan.grid, home));
  EXPECT_FALSE(allowsHome(named(graph, "C"), plan.grid,
                          Layout::replicated(graph.vertices[2].shape)));
}

TEST(Constraints, VerifyRefusesBrokenPins) {
  PlanGraph graph = productGraph();
  Plan plan = valueOf(planOn(graph, gridOf({{"d", 8}})));
  PartVector parts = partsIn(plan, graph, "C");
  for (unsigned l = 0; l < parts.size(); ++l) {
    PlanGraph other = graph;
    int64_t wrong = parts[l] == 2 ? 4 : 2;
    PlanVertex &c = named(other, "C");
    c.constraints.work = {pin({{c.labels[l].name, wrong, {}}})};
    expectError(verifyPlan(other, plan),
                {"vertex 'C'", c.labels[l].name, std::to_string(wrong),
                 std::to_string(parts[l])});
    c.constraints.work.front().isHard = false;
    expectSuccess(verifyPlan(other, plan));
  }
  named(graph, "S").constraints.home = {pin({{"0", 0, {"d.2", "d.1"}}})};
  expectError(verifyConstraints(graph, plan), {"vertex 'S'", "d.2, d.1"});
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void expectConflict(std::vector<ShardingConstraint> work,
                    std::vector<ShardingConstraint> home,
                    std::vector<std::string> message,
                    DeviceGrid grid = gridOf({{"node", 2}, {"gpu", 4}})) {
  PlanGraph graph = productGraph();
  named(graph, "C").constraints.work = std::move(work);
  named(graph, "C").constraints.home = std::move(home);
  expectError(planOn(graph, grid), message);
}

TEST(Constraints, ConflictsAreNamed) {
  expectConflict({pin({{"i", 3, {}}})}, {},
                 {"'C'", "'i'", "3 parts", "8 devices"});
  expectConflict({pin({{"i", 16, {}}})}, {},
                 {"'C'", "'i'", "16 parts", "extent is 8"});
  expectConflict({pin({{"i", 0, {}}})}, {}, {"'C'", "'i'", "0 parts"});
  expectConflict({pin({{"i", -4, {}}})}, {}, {"'C'", "'i'", "-4 parts"});
  expectConflict({pin({{"x", 2, {}}})}, {}, {"'C'", "no label 'x'", "'j'"});
  expectConflict({pin({{"i", 4, {}}, {"k", 4, {}}})}, {},
                 {"'C'", "16 parts in all", "8 devices"});
  expectConflict({pin({{"i", 0, {"rack"}}})}, {},
                 {"'C'", "axis 'rack'", "'node.0'", "'gpu.1'"});
  expectConflict({pin({{"i", 0, {"gpu", "gpu.1"}}})}, {},
                 {"'C'", "axis 'gpu.1' twice"});
  expectConflict({pin({{"i", 0, {"gpu"}}, {"k", 0, {"gpu.0"}}})}, {},
                 {"'C'", "axis 'gpu.0'", "'i'", "'k'"});
  expectConflict({pin({{"i", 2, {"gpu"}}})}, {},
                 {"'C'", "'i'", "2 parts", "make 4"});
  expectConflict({pin({{"i", 2, {}}, {"i", 2, {}}})}, {},
                 {"'C'", "'i'", "twice"});
  expectConflict({pin({{"i", 2, {}}}), pin({{"i", 4, {}}})}, {},
                 {"'C'", "'i'", "4 parts", "to 2"});
  expectConflict({pin({{"i", 0, {"node"}}}), pin({{"i", 0, {"gpu.0"}}})}, {},
                 {"'C'", "'i'", "other axes"});
  expectConflict({pin({{"i", 2, {}}})}, {pin({{"0", 4, {}}})},
                 {"'C'", "'i'", "4 parts", "to 2"});
  expectConflict({}, {pin({{"2", 4, {}}})}, {"'C'", "no dimension '2'"});
  expectConflict({}, {pin({{"j", 4, {}}})}, {"'C'", "no dimension 'j'"});
  ShardingConstraint placed = pin({{"i", 3, {}}});
  placed.place = "p.ein:3:5";
  expectConflict({placed}, {}, {"p.ein:3:5: error: vertex 'C'"});
}

TEST(Constraints, LabelsOfRegionsAreNotCut) {
  DeviceGrid grid = gridOf({{"d", 4}});
  PlanGraph graph = productGraph();
  PlanVertex &product = named(graph, "C");
  product.labels[*product.labelNamed("j")].isRegion = true;
  product.constraints.work = {pin({{"j", 1, {}}}), preference({{"j", 2, {}}})};
  Plan plan = valueOf(planOn(graph, grid));
  EXPECT_EQ(plan.vertices[2].parts[*product.labelNamed("j")], 1);
  for (const LabelConstraint &cut :
       {LabelConstraint{"j", 2, {}}, LabelConstraint{"j", 0, {"d"}}}) {
    product.constraints.work.back() = pin({cut});
    expectError(planOn(graph, grid),
                {"'C'", "label 'j' is written in regions and cannot be cut"});
  }
}

TEST(Constraints, PreferencesNeverMakePlansImpossible) {
  for (LabelConstraint wish :
       {LabelConstraint{"i", 3, {}}, LabelConstraint{"i", 16, {}},
        LabelConstraint{"i", 0, {"rack"}}, LabelConstraint{"i", 2, {"gpu"}}}) {
    PlanGraph graph = productGraph();
    named(graph, "C").constraints.work = {preference({wish}, 1000)};
    Plan plan = valueOf(planOn(graph, gridOf({{"node", 2}, {"gpu", 4}})));
    Plan free =
        valueOf(planOn(productGraph(), gridOf({{"node", 2}, {"gpu", 4}})));
    EXPECT_EQ(plan.cost, free.cost);
    EXPECT_EQ(
        brokenPartsWeight(graph.vertices[2], plan.grid, plan.vertices[2].parts),
        1000);
  }
}

//===----------------------------------------------------------------------===//
// Preferences
//===----------------------------------------------------------------------===//

TEST(Constraints, PreferencesYieldWhenTheyCostMore) {
  // What following the preference costs more than the best plan.
  DeviceGrid grid = gridOf({{"d", 8}});
  PlanGraph graph = productGraph();
  double free = valueOf(planOn(graph, grid)).cost;
  named(graph, "C").constraints.work = {pin({{"j", 8, {}}})};
  double followed = valueOf(planOn(graph, grid)).cost;
  ASSERT_GT(followed, free);
  double even = (followed - free) / preferenceUnit(named(graph, "C"));
  named(graph, "C").constraints.work = {
      preference({{"j", 8, {}}}, even * 0.999)};
  Plan kept = valueOf(planOn(graph, grid));
  EXPECT_EQ(kept.cost, free);
  EXPECT_TRUE(kept.provedOptimal);
  named(graph, "C").constraints.work = {
      preference({{"j", 8, {}}}, even * 1.001)};
  Plan moved = valueOf(planOn(graph, grid));
  EXPECT_EQ(moved.cost, followed);
  EXPECT_EQ(partsIn(moved, graph, "C")[1] * partsIn(moved, graph, "C")[2] *
                partsIn(moved, graph, "C")[0],
            8);
}

TEST(Constraints, PreferredAxesAreTaken) {
  PlanGraph graph = productGraph(1024);
  named(graph, "S").constraints.work = {
      preference({{"i", 0, {"d.5", "d.2", "d.8"}}}, 1e6)};
  Plan plan = valueOf(planOn(graph, gridOf({{"d", 1024}})));
  const VertexPlacement &placed = plan.placement.vertices[3];
  EXPECT_EQ(placed.partition->cuts[0], Cut({5, 2, 8}));
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

TEST(Constraints, GroupsHaveEqualHomes) {
  for (int64_t devices : {2, 4, 6, 8, 12}) {
    PlanGraph graph = chainGraph(48);
    for (llvm::StringRef name : {"A", "C", "D"})
      if (auto v = graph.vertexNamed(name))
        graph.vertices[*v].constraints.layoutGroup = "g";
    unsigned group = 0;
    for (PlanVertex &vertex : graph.vertices)
      if (!vertex.isInput && vertex.shape.size() == 2)
        vertex.constraints.layoutGroup = "g", ++group;
    ASSERT_GE(group, 3u);
    graph.resolveStorage();
    Plan plan = valueOf(planOn(graph, gridOf({{"d", devices}})));
    expectSuccess(verifyPlan(graph, plan));
    for (unsigned v = 0; v < graph.vertices.size(); ++v)
      for (unsigned u = 0; u < v; ++u)
        if (graph.vertices[v].constraints.layoutGroup == "g" &&
            graph.vertices[u].constraints.layoutGroup == "g") {
          EXPECT_EQ(plan.placement.vertices[u].home,
                    plan.placement.vertices[v].home);
        }
  }
}

TEST(Constraints, GroupsThatCannotBe) {
  DeviceGrid grid = gridOf({{"d", 8}});
  PlanGraph graph = productGraph();
  named(graph, "C").constraints.layoutGroup = "g";
  named(graph, "S").constraints.layoutGroup = "g";
  named(graph, "S").constraints.layoutGroupPlace = "p.ein:4:1";
  expectError(planOn(graph, grid),
              {"p.ein:4:1: error: layout group 'g': 'C'", "'S'", "[8, 8]"});

  GraphBuilder b;
  b.input("A", {8, 8});
  b.vertex("X", "i j", {{"A", "i j"}});
  b.vertex("Y", "i j", {{"X", "j i"}});
  for (llvm::StringRef name : {"X", "Y"})
    named(b.graph, name).constraints.layoutGroup = "g";
  named(b.graph, "Y").constraints.layoutGroupPlace = "p.ein:3:1";
  named(b.graph, "X").constraints.home = {pin({{"0", 8, {}}})};
  expectSuccess(planOn(b.graph, grid).takeError());
  named(b.graph, "Y").constraints.home = {pin({{"0", 2, {}}})};
  expectError(planOn(b.graph, grid),
              {"group 'g'", "'Y'", "2 parts", "to 8", "'X'"});
  // The pin's own place is nearer.
  named(b.graph, "Y").constraints.home.front().place = "p.ein:7:1";
  expectError(planOn(b.graph, grid),
              {"p.ein:7:1: error: layout group 'g': vertex 'Y': label"});
  // Pins on the work that leave no common layout.
  named(b.graph, "Y").constraints.home = {};
  named(b.graph, "Y").constraints.work = {pin({{"i", 1, {}}})};
  expectError(planOn(b.graph, grid),
              {"p.ein:3:1: error: layout group 'g': ", "'X'", "'Y'", "[1, 8]"});
}

//===----------------------------------------------------------------------===//
// Against brute force
//===----------------------------------------------------------------------===//

/// Every partition that `vertex` may have: divisors of the devices that the
/// pins admit, with the largest product.
std::vector<PartVector> allChoices(const PlanVertex &vertex,
                                   const DeviceGrid &grid) {
  int64_t devices = grid.numDevices(), best = 0;
  std::vector<PartVector> result;
  PartVector parts(vertex.labels.size(), 1);
  auto extend = [&](auto &self, unsigned label, int64_t product) -> void {
    if (label == parts.size()) {
      if (devices % product != 0 || product < best ||
          !allowsParts(vertex, grid, parts))
        return;
      if (product > best)
        result.clear();
      best = product;
      result.push_back(parts);
      return;
    }
    for (int64_t count = 1;
         count <= std::min(devices, vertex.labels[label].extent); ++count) {
      parts[label] = count;
      if (devices % count == 0)
        self(self, label + 1, product * count);
    }
  };
  extend(extend, 0, 1);
  return result;
}

TEST(Constraints, ExactEqualsBruteForceUnderPins) {
  std::mt19937 random(7);
  unsigned planned = 0;
  for (unsigned round = 0; round < 1500; ++round) {
    PlanGraph graph = randomGraph(random, 3);
    int64_t devices = std::vector<int64_t>{2, 3, 4, 6, 8}[random() % 5];
    DeviceGrid grid = splitIntoPrimes(gridOf({{"d", devices}}));
    auto uses = graph.uses();
    bool anyOther = false;
    for (unsigned v = 0; v < graph.vertices.size(); ++v)
      // Shared inputs choose among what is wanted of them: another list.
      anyOther |= graph.vertices[v].isInput && uses[v].size() != 1;
    if (anyOther)
      continue;
    for (PlanVertex &vertex : graph.vertices) {
      if (vertex.isInput || vertex.labels.empty() || random() % 3 == 0)
        continue;
      auto free = viablePartitions(vertex.extents(), devices);
      const PartVector &parts = free[random() % free.size()];
      unsigned label = random() % vertex.labels.size();
      int64_t count = random() % 3 ? parts[label] : 1;
      vertex.constraints.work = {
          pin({{vertex.labels[label].name, count, {}}}, random() % 4 == 0)};
    }
    std::vector<std::vector<PartVector>> choices;
    double combinations = 1;
    for (unsigned v = 0; v < graph.vertices.size(); ++v) {
      choices.push_back(graph.vertices[v].isInput
                            ? std::vector<PartVector>{{}}
                            : allChoices(graph.vertices[v], grid));
      combinations *= choices.back().size();
    }
    if (combinations > 20'000)
      continue;
    double best = std::numeric_limits<double>::infinity();
    std::vector<PartVector> parts(choices.size());
    auto extend = [&](auto &self, unsigned v) -> void {
      if (v < choices.size()) {
        for (const PartVector &choice : choices[v]) {
          parts[v] = choice;
          self(self, v + 1);
        }
        return;
      }
      for (unsigned input = 0; input < parts.size(); ++input)
        if (graph.vertices[input].isInput) {
          PlanUse use = uses[input].front();
          parts[input] = partsOfOperand(graph.vertices[use.vertex], use.operand,
                                        parts[use.vertex]);
        }
      double cost = 0;
      for (const VertexCost &vertex : paperCosts(graph, parts))
        cost += vertex.total();
      best = std::min(best, cost);
    };
    extend(extend, 0);
    Plan plan = valueOf(planOn(graph, gridOf({{"d", devices}})));
    EXPECT_NEAR(plan.cost, best, 1e-9 * std::max(1.0, best));
    EXPECT_TRUE(plan.provedOptimal);
    ++planned;
  }
  EXPECT_GE(planned, 40u);
}

} // namespace
