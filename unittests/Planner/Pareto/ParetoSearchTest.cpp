//===- ParetoSearchTest.cpp - The Pareto search against brute force -------===//

#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Planner/Layout/Memory.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Pareto/Pareto.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "tapestry/Planner/Report/PlanPicture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <mutex>
#include <set>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::seconds;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::pareto;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

/// Slow enough that traffic, latency and work all matter at test sizes.
Machine testMachine() {
  Machine machine;
  machine.name = "test";
  machine.flopsPerSecond = 1e8;
  machine.memoryBandwidth = 1e9;
  machine.vertexLatency = 1e-6;
  machine.otherLink = {1e8, 2e-6};
  return machine;
}

ParetoOptions optionsFor(int64_t devices) {
  ParetoOptions options;
  options.devices = devices;
  options.machine = testMachine();
  options.program = "test";
  options.seed = 1;
  options.evaluations = 3000;
  return options;
}

std::vector<Objectives> pointsOf(const ParetoFront &front) {
  std::vector<Objectives> points;
  for (const ParetoMember &member : front.members)
    points.push_back(member.objectives);
  return points;
}

/// Every member is verified, within its space's graph, its numbers are those of
/// its plan, and none beats another.
void checkFront(RewriteSpace &space, const ParetoFront &front,
                const Machine &machine) {
  ASSERT_FALSE(front.members.empty());
  for (const ParetoMember &member : front.members) {
    const PlanGraph &graph = space.graph(member.graph);
    expectSuccess(verifyPlan(graph, member.plan));
    EXPECT_EQ(member.objectives, objectivesOf(graph, member.plan, machine));
    EXPECT_EQ(member.rewrites, space.history(member.graph));
  }
  std::vector<Objectives> points = pointsOf(front);
  EXPECT_EQ(nondominated(points).size(), points.size());
  // No exact point is lost.
  for (const ParetoStart &start : front.starts)
    EXPECT_TRUE(llvm::any_of(points, [&](const Objectives &point) {
      return covers(point, start.objectives);
    })) << start.origin;
}

//===----------------------------------------------------------------------===//
// Brute force
//===----------------------------------------------------------------------===//

/// All ways to cut a vertex over the axes of a grid, or to leave axes out.
std::vector<Partition> allPartitions(const PlanVertex &vertex,
                                     const DeviceGrid &grid) {
  std::vector<Partition> result = {
      Partition{llvm::SmallVector<Cut, 4>(vertex.labels.size())}};
  for (unsigned axis = 0; axis < grid.axes.size(); ++axis) {
    std::vector<Partition> longer = result;
    for (const Partition &base : result)
      for (unsigned l = 0; l < vertex.labels.size(); ++l)
        for (unsigned at = 0; at <= base.cuts[l].size(); ++at) {
          Partition more = base;
          more.cuts[l].insert(more.cuts[l].begin() + at, axis);
          longer.push_back(more);
        }
    result = longer;
  }
  llvm::erase_if(result, [&](const Partition &partition) {
    for (auto [label, cut] : llvm::zip_equal(vertex.labels, partition.cuts))
      if (partsOf(grid, cut) > label.extent)
        return true;
    return false;
  });
  return result;
}

/// The frontier of everything that can be planned: all partitions of all
/// vertices on every grid, with every home.
class BruteForce {
public:
  explicit BruteForce(const Machine &machine) : machine(machine) {}

  void add(const PlanGraph &g, const DeviceGrid &userGrid) {
    graph = &g;
    grid = splitIntoPrimes(userGrid);
    partitions.assign(g.vertices.size(), {});
    choose(0);
  }
  std::vector<Objectives> frontier;
  int64_t tried = 0;

private:
  void choose(unsigned v) {
    if (v == graph->vertices.size()) {
      Placement placement = routeGraph(*graph, grid, partitions);
      chooseHome(placement, 0);
      return;
    }
    const PlanVertex &vertex = graph->vertices[v];
    if (vertex.storedFor) {
      partitions[v] =
          Partition{llvm::SmallVector<Cut, 4>(vertex.labels.size())};
      return choose(v + 1);
    }
    for (const Partition &partition : allPartitions(vertex, grid)) {
      partitions[v] = partition;
      choose(v + 1);
    }
  }

  void chooseHome(Placement &placement, unsigned v) {
    if (v == graph->vertices.size())
      return measure(placement);
    if (graph->vertices[v].isInput)
      return chooseHome(placement, v + 1);
    Layout result = resultLayout(graph->vertices[v], partitions[v]);
    Layout whole = result;
    whole.partial.clear();
    // A home is cut like a vertex with the tensor's dimensions as labels.
    PlanVertex tensor = PlanVertex::input("", graph->vertices[v].shape);
    std::vector<Layout> homes = {whole};
    for (const Partition &cut : allPartitions(tensor, grid)) {
      Layout home = Layout::blocked(tensor.shape, cut.cuts);
      if (home != whole)
        homes.push_back(home);
    }
    VertexPlacement &placed = placement.vertices[v];
    for (const Layout &home : homes) {
      placed.home = home;
      placed.homeRoute.clear();
      if (!result.partial.empty() && home != whole &&
          !canReduceScatter(grid, result, home))
        placed.homeRoute.push_back(whole);
      chooseHome(placement, v + 1);
    }
  }

  void measure(Placement &placement) {
    ++tried;
    listCollectives(*graph, grid, placement);
    Objectives objectives = {};
    for (const VertexCost &cost : spmdCosts(*graph, grid, machine, placement))
      objectives[Seconds] += cost.total();
    objectives[Bytes] = double(placement.totalBytes());
    objectives[Memory] = double(peakBytesPerDevice(*graph, grid, placement));
    objectives[Devices] = double(grid.numDevices());
    for (const Objectives &known : frontier)
      if (covers(known, objectives))
        return;
    llvm::erase_if(frontier, [&](const Objectives &known) {
      return covers(objectives, known);
    });
    frontier.push_back(objectives);
  }

  const Machine &machine;
  const PlanGraph *graph = nullptr;
  DeviceGrid grid;
  std::vector<Partition> partitions;
};

/// Sums of seconds in another order differ in their last digits.
std::vector<Objectives> rounded(std::vector<Objectives> points) {
  for (Objectives &point : points)
    point[Seconds] = std::round(point[Seconds] * 1e13) / 1e13;
  llvm::sort(points);
  // What differed in the last digits alone is now equal or beaten.
  std::vector<Objectives> result;
  for (unsigned number : nondominated(points))
    result.push_back(points[number]);
  return result;
}

std::string toText(const std::vector<Objectives> &points) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Objectives &point : points) {
    for (double value : point)
      os << value << " ";
    os << "\n";
  }
  return text;
}

void expectExactFrontier(RewriteSpace &space, unsigned graphs,
                         ParetoOptions options) {
  options.evaluations = 40000;
  options.stopping.price = 0;
  options.maxMembers = 10000;
  BruteForce all(options.machine);
  for (const DeviceGrid &grid :
       gridsWithin(DeviceGrid{{DeviceGrid::Axis{"d", options.devices}}}))
    for (unsigned g = 0; g < graphs; ++g)
      all.add(space.graph(g), grid);
  ParetoFront front = valueOf(searchPareto(space, options));
  checkFront(space, front, options.machine);
  EXPECT_EQ(toText(rounded(pointsOf(front))), toText(rounded(all.frontier)))
      << all.tried << " plans";
  EXPECT_GT(all.tried, 30);
  EXPECT_GT(all.frontier.size(), 2u);
}

PlanGraph productAndSum() {
  GraphBuilder b;
  b.input("A", {6, 40}).input("B", {40, 9});
  b.vertex("C", "i k", {{"A", "i j"}, {"B", "j k"}});
  b.vertex("S", "i", {{"C", "i k"}});
  return b.graph;
}

/// X is read twice, so that its own layout is a choice.
PlanGraph sharedInput() {
  GraphBuilder b;
  b.input("X", {16, 24}).input("W", {24, 16});
  b.vertex("H", "i k", {{"X", "i j"}, {"W", "j k"}});
  b.vertex("Y", "i j", {{"X", "i j"}, {"H", "i k"}});
  return b.graph;
}

TEST(Pareto, FindsTheExactFrontierOfAProduct) {
  for (int64_t devices : {2, 3, 4}) {
    PlanGraph graph = productAndSum();
    SingleGraph space(graph);
    expectExactFrontier(space, 1, optionsFor(devices));
  }
}

TEST(Pareto, FindsTheExactFrontierAroundASharedInput) {
  PlanGraph graph = sharedInput();
  SingleGraph space(graph);
  expectExactFrontier(space, 1, optionsFor(3));
}

//===----------------------------------------------------------------------===//
// Peaks of programs
//===----------------------------------------------------------------------===//

/// Whatever was measured, starts included.
TEST(Pareto, NoMemberIsBeatenByWhatWasMeasured) {
  std::mt19937 random(6);
  unsigned measured = 0, moved = 0;
  for (unsigned round = 0; round < 16; ++round) {
    PlanGraph graph = randomGraph(random, 2 + round % 5);
    for (auto [vertex, uses] : llvm::zip_equal(graph.vertices, graph.uses()))
      vertex.isOutput = !vertex.isInput && uses.empty();
    SingleGraph space(graph);
    ParetoOptions options = optionsFor(2 + round % 4);
    options.evaluations = 300;
    options.seed = round;
    options.maxMembers = round % 3 ? 200 : 5;
    options.threads = round % 8 == 7 ? 2 : 1;
    std::vector<Objectives> all;
    options.findPeak = [&](unsigned, const Plan &plan) {
      int64_t estimate = peakBytesPerDevice(graph, plan.grid, plan.placement);
      // 0.85 to 1.35 of it, by what says little of the plan.
      uint64_t thousandths =
          850 + (plan.placement.totalBytes() * 2654435761u >> 7) % 500;
      int64_t peak = int64_t(estimate * thousandths / 1000);
      moved += peak != estimate;
      Objectives objectives = objectivesOf(graph, plan, options.machine);
      objectives[Memory] = double(peak);
      all.push_back(objectives);
      return std::optional<int64_t>(peak);
    };
    auto check = [&](const ParetoFront &front) {
      checkFront(space, front, options.machine);
      for (const ParetoMember &member : front.members) {
        EXPECT_TRUE(member.plan.isPeakExact);
        EXPECT_TRUE(llvm::is_contained(all, member.objectives));
        EXPECT_LE(member.objectives[Memory], options.limits[Memory]);
        for (const Objectives &point : all)
          EXPECT_FALSE(dominates(point, member.objectives)) << member.origin;
      }
      for (const ParetoStart &start : front.starts)
        EXPECT_TRUE(llvm::is_contained(all, start.objectives)) << start.origin;
      measured += all.size();
      all.clear();
    };
    ParetoFront front = valueOf(searchPareto(space, options));
    check(front);
    if (options.threads > 1)
      continue;
    // No start beats a member; those beyond the limit are lost.
    for (const ParetoMember &member : front.members)
      options.limits[Memory] =
          std::min(options.limits[Memory], 1.3 * member.objectives[Memory]);
    front = valueOf(searchPareto(space, options));
    llvm::erase_if(front.starts, [&](const ParetoStart &start) {
      return start.objectives[Memory] > options.limits[Memory];
    });
    check(front);
  }
  EXPECT_GT(measured, 200u);
  EXPECT_GT(moved, 200u);
}

/// The least that is proved is never more than what the leanest is said to
/// need.
TEST(Pareto, RefusalsNameWhatIsProved) {
  PlanGraph graph = chainGraph(64);
  for (auto [vertex, uses] : llvm::zip_equal(graph.vertices, graph.uses()))
    vertex.isOutput = !vertex.isInput && uses.empty();
  SingleGraph space(graph);
  ParetoOptions options = optionsFor(4);
  options.limits[Memory] = 10;
  auto numbersOf = [&](llvm::StringRef before) {
    std::string text = factsOf(searchPareto(space, options).takeError()).text;
    auto numberAfter = [&](llvm::StringRef words) {
      int64_t number = 0;
      EXPECT_TRUE(llvm::StringRef(text).contains(words)) << text;
      llvm::StringRef rest = llvm::StringRef(text).split(words).second;
      EXPECT_FALSE(rest.consumeInteger(10, number)) << text;
      return number;
    };
    return std::make_pair(
        numberAfter(before),
        numberAfter("proved that every plan needs at least "));
  };
  auto [estimate, proved] = numbersOf("the leanest needs about ");
  EXPECT_GT(proved, 10);
  EXPECT_GE(estimate, proved);
  // The same peaks twice over: nothing but the leanest changes.
  int64_t least = std::numeric_limits<int64_t>::max();
  options.findPeak = [&](unsigned, const Plan &plan) {
    int64_t peak = 2 * peakBytesPerDevice(graph, plan.grid, plan.placement);
    least = std::min(least, peak);
    return std::optional<int64_t>(peak);
  };
  auto [exact, same] = numbersOf("the leanest needs ");
  EXPECT_EQ(exact, least);
  EXPECT_EQ(same, proved);
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// A B C from the left or from the right.
class ProductOrders : public RewriteSpace {
public:
  ProductOrders() {
    for (bool fromLeft : {true, false}) {
      GraphBuilder b;
      b.input("A", {8, 32}).input("B", {32, 4}).input("C", {4, 16});
      if (fromLeft) {
        b.vertex("T", "i k", {{"A", "i j"}, {"B", "j k"}});
        b.vertex("P", "i l", {{"T", "i k"}, {"C", "k l"}});
      } else {
        b.vertex("U", "j l", {{"B", "j k"}, {"C", "k l"}});
        b.vertex("P", "i l", {{"A", "i j"}, {"U", "j l"}});
      }
      graphs.push_back(b.graph);
    }
  }
  const PlanGraph &graph(unsigned number) override { return graphs[number]; }
  std::vector<Rewrite> applicable(unsigned number) override {
    // The second does not apply, whatever this says.
    return {{"reassociate", "P", {number == 0 ? "right" : "left"}},
            {"fuse", "P", {}}};
  }
  llvm::Expected<unsigned> apply(unsigned number,
                                 const Rewrite &rewrite) override {
    if (rewrite.kind != "reassociate")
      return planError("'", rewrite.kind, "' does not apply");
    return 1 - number;
  }
  std::vector<Rewrite> history(unsigned number) override {
    if (number == 0)
      return {};
    return {{"reassociate", "P", {"right"}}};
  }
  std::vector<PlanGraph> graphs;
};

TEST(Pareto, FindsTheExactFrontierOverRewrites) {
  ProductOrders space;
  expectExactFrontier(space, 2, optionsFor(2));
}

TEST(Pareto, RewritesPayOnlyWhereTheyHelp) {
  // The product from the left takes 8 (32 4 + 4 16) steps, from the right
  // 32 16 (4 + 8): starting from the bad one, the good one has to be found.
  ProductOrders space;
  std::swap(space.graphs[0], space.graphs[1]);
  ParetoFront front = valueOf(searchPareto(space, optionsFor(2)));
  checkFront(space, front, testMachine());
  unsigned fastest = valueOf(pickMember(front, "fastest"));
  EXPECT_EQ(front.members[fastest].graph, 1u);
  EXPECT_EQ(front.members[fastest].rewrites.size(), 1u);
  // Plans tell the whole way from the program.
  ParetoOptions later = optionsFor(2);
  later.earlierRewrites = {{"order", "P", {"1 2"}}};
  front = valueOf(searchPareto(space, later));
  std::vector<Rewrite> way =
      front.members[valueOf(pickMember(front, "fastest"))].plan.rewrites;
  ASSERT_EQ(way.size(), 2u);
  EXPECT_EQ(way[0].kind, "order");
  EXPECT_EQ(way[1].kind, "reassociate");
}

TEST(Pareto, NoPlanWithoutASearchIsBetter) {
  // One trial finds nothing: the good graph has to be a start.
  ProductOrders space;
  std::swap(space.graphs[0], space.graphs[1]);
  ParetoOptions options = optionsFor(2);
  options.evaluations = 1;
  std::vector<std::string> asked;
  options.plainRewrites = [&](llvm::StringRef model, double mostWork) {
    EXPECT_TRUE(std::isinf(mostWork));
    asked.push_back(model.str());
    return space.history(1);
  };
  ParetoFront front = valueOf(searchPareto(space, options));
  checkFront(space, front, testMachine());
  EXPECT_EQ(asked, options.startModels);
  EXPECT_EQ(llvm::count_if(
                front.starts,
                [](const ParetoStart &start) {
                  return llvm::StringRef(start.origin).ends_with(", rewritten");
                }),
            2);
  unsigned fastest = valueOf(pickMember(front, "fastest"));
  EXPECT_EQ(front.members[fastest].graph, 1u);
  // What is chosen may take what is left of the time, and what does not apply
  // is no start.
  options.timeLimit = 1e6;
  options.plainRewrites = [&](llvm::StringRef model, double mostWork) {
    EXPECT_LT(mostWork, 1e15);
    return std::vector<Rewrite>{{"fuse", "P", {}}};
  };
  front = valueOf(searchPareto(space, options));
  for (const ParetoMember &member : front.members)
    EXPECT_EQ(member.graph, 0u);
}

//===----------------------------------------------------------------------===//
// Contracts
//===----------------------------------------------------------------------===//

std::string textOf(RewriteSpace &space, ParetoFront front) {
  front.searchSeconds = 0;
  std::string text;
  llvm::raw_string_ostream os(text);
  writeFront(os, space, front);
  report::plotFront(os, front, "test");
  return text;
}

TEST(Pareto, SameSeedSameFrontier) {
  PlanGraph graph = llamaGraph(1, 64);
  SingleGraph space(graph);
  ParetoOptions options = optionsFor(8);
  options.evaluations = 1500;
  std::string first = textOf(space, valueOf(searchPareto(space, options)));
  EXPECT_EQ(first, textOf(space, valueOf(searchPareto(space, options))));
  options.seed = 2;
  EXPECT_NE(first, textOf(space, valueOf(searchPareto(space, options))));
}

TEST(Pareto, RandomGraphs) {
  std::mt19937 random(5);
  for (int round = 0; round < 12; ++round) {
    PlanGraph graph = randomGraph(random, 2 + round % 6);
    SingleGraph space(graph);
    ParetoOptions options = optionsFor(1 + round);
    options.evaluations = 400;
    options.seed = round;
    checkFront(space, valueOf(searchPareto(space, options)), options.machine);
  }
}

TEST(Pareto, SeveralThreadsFindAValidFrontier) {
  ProductOrders space;
  ParetoOptions options = optionsFor(4);
  options.threads = 3;
  ParetoFront front = valueOf(searchPareto(space, options));
  checkFront(space, front, options.machine);
  EXPECT_LE(front.evaluations, 3000 + 3 * 100);
  EXPECT_EQ(front.threads, 3u);
}

TEST(Pareto, ImprovesOnItsStarts) {
  // The exact plans weigh nothing but their own cost; the frontier knows what
  // fewer bytes and less memory take.
  PlanGraph graph = chainGraph(64);
  SingleGraph space(graph);
  ParetoFront front = valueOf(searchPareto(space, optionsFor(4)));
  checkFront(space, front, testMachine());
  EXPECT_GT(front.volumeGrowth, 1.01);
  EXPECT_GT(front.members.size(), 4u);
  int64_t improvements = 0, fired = 0;
  double chances = 0;
  for (const MutatorRecord &record : front.mutators) {
    improvements += record.improvements;
    fired += record.fired;
    chances += record.rate;
    // The null space has no rewrites.
    EXPECT_EQ(record.fired == 0, record.name == "rewrite") << record.name;
    EXPECT_EQ(record.rate == 0, record.name == "rewrite") << record.name;
  }
  EXPECT_GT(improvements, 4);
  EXPECT_GT(fired, improvements);
  EXPECT_NEAR(chances, 1, 1e-9);
}

TEST(Pareto, KeepsWithinLimits) {
  PlanGraph graph = chainGraph(64);
  SingleGraph space(graph);
  ParetoOptions options = optionsFor(4);
  ParetoFront free = valueOf(searchPareto(space, options));
  // What the fastest plan needs is too much now.
  const Objectives &fastest =
      free.members[valueOf(pickMember(free, "fastest"))].objectives;
  const Objectives &smallest =
      free.members[valueOf(pickMember(free, "smallest"))].objectives;
  ASSERT_LT(smallest[Memory], fastest[Memory]);
  options.limits[Memory] = (smallest[Memory] + fastest[Memory]) / 2;
  ParetoFront tight = valueOf(searchPareto(space, options));
  for (const ParetoMember &member : tight.members)
    EXPECT_LE(member.objectives[Memory], options.limits[Memory]);
  // Starts outside the limits are no members, but they were parents; beside
  // them there are starts that keep the limit.
  EXPECT_GT(tight.starts.size(), free.starts.size());
  EXPECT_TRUE(llvm::any_of(tight.starts, [&](const ParetoStart &start) {
    return llvm::StringRef(start.origin).contains("within memory") &&
           start.objectives[Memory] <= options.limits[Memory];
  }));

  options.limits[Memory] = 1;
  ErrorFacts refusal = factsOf(searchPareto(space, options).takeError());
  EXPECT_EQ(refusal.fault, Fault::Machine);
  expectError(refusal.toError(), {"limits", "the leanest needs",
                                  "bytes per device where 1 are allowed"});
}

/// Under a limit of memory solvers search alike: what one refuses, all do.
TEST(Pareto, LooksOnceForStartsWithinMemory) {
  PlanGraph graph = chainGraph(64);
  SingleGraph space(graph);
  ParetoOptions options = optionsFor(4);
  options.limits[Memory] = 1;
  std::set<std::string> solvers;
  options.planner.findPeak = [&](const Plan &plan) {
    solvers.insert(plan.solver);
    return std::optional<int64_t>(plan.peakBytesPerDevice);
  };
  expectError(searchPareto(space, options).takeError(), {"limits"});
  EXPECT_EQ(solvers, std::set<std::string>{"exact"});
}

TEST(Pareto, DoesWhatPinsAsk) {
  PlanGraph graph = productAndSum();
  ShardingConstraint request;
  request.cuts.push_back({"i", 2, {}});
  graph.vertices[*graph.vertexNamed("C")].constraints.work.push_back(request);
  SingleGraph space(graph);
  ParetoFront front = valueOf(searchPareto(space, optionsFor(4)));
  checkFront(space, front, testMachine());
  unsigned c = *graph.vertexNamed("C");
  bool variesOthers = false;
  for (const ParetoMember &member : front.members) {
    EXPECT_EQ(member.plan.vertices[c].parts[0], 2);
    // Neither one device nor three can cut anything in two.
    EXPECT_EQ(member.plan.devices % 2, 0);
    variesOthers |= member.plan.allParts() != front.members[0].plan.allParts();
  }
  EXPECT_TRUE(variesOthers);
}

TEST(Pareto, StopsByItself) {
  PlanGraph graph = productAndSum();
  SingleGraph space(graph);
  ParetoOptions options = optionsFor(2);
  options.evaluations = 0;
  options.stopping.price = 0.05;
  ParetoFront cheap = valueOf(searchPareto(space, options));
  EXPECT_EQ(cheap.stopped, "expected gain");
  options.stopping.price = 0.005;
  ParetoFront dear = valueOf(searchPareto(space, options));
  EXPECT_EQ(dear.stopped, "expected gain");
  EXPECT_GE(dear.evaluations, cheap.evaluations);
  options.evaluations = 10;
  EXPECT_EQ(valueOf(searchPareto(space, options)).stopped, "evaluations");
  options.evaluations = 0;
  options.stopping.price = 0;
  options.timeLimit = 1e-3;
  EXPECT_EQ(valueOf(searchPareto(space, options)).stopped, "time limit");
}

TEST(Pareto, StartsCountAgainstTheTimeLimit) {
  PlanGraph graph = productAndSum();
  SingleGraph space(graph);
  ParetoOptions options = optionsFor(4);
  EXPECT_GT(valueOf(searchPareto(space, options)).starts.size(), 4u);
  // Used up before the first start, which is made all the same.
  options.timeLimit = 1e-9;
  ParetoFront front = valueOf(searchPareto(space, options));
  ASSERT_EQ(front.starts.size(), 1u);
  EXPECT_EQ(front.starts.front().objectives[Devices], 4);
  EXPECT_EQ(front.stopped, "time limit");
  EXPECT_EQ(front.evaluations, 0);
  EXPECT_FALSE(front.members.empty());
  options.limits[Memory] = 1;
  expectError(searchPareto(space, options),
              {"in the time allowed", "where 1 are allowed"});
}

TEST(Pareto, GridsWithin) {
  auto sizes = [](std::vector<DeviceGrid::Axis> axes) {
    DeviceGrid grid;
    grid.axes.append(axes.begin(), axes.end());
    std::string text;
    for (const DeviceGrid &smaller : gridsWithin(grid)) {
      for (const DeviceGrid::Axis &axis : smaller.axes)
        text += std::to_string(axis.size) + ".";
      text.back() = ' ';
    }
    return text;
  };
  EXPECT_EQ(sizes({{"d", 6}}), "6 5 4 3 2 1 ");
  EXPECT_EQ(sizes({{"d", 24}}), "24 12 8 6 4 3 2 1 ");
  EXPECT_EQ(sizes({{"a", 2}, {"b", 4}}), "2.4 2.2 1.4 2.1 1.2 1.1 ");
}

TEST(Pareto, PicksMembers) {
  ParetoFront front;
  for (Objectives objectives : {Objectives{1, 90, 50, 8},
                                {2, 40, 40, 8},
                                {9, 0, 90, 1},
                                {3, 50, 5, 8}}) {
    front.members.emplace_back();
    front.members.back().objectives = objectives;
  }
  EXPECT_EQ(valueOf(pickMember(front, "fastest")), 0u);
  EXPECT_EQ(valueOf(pickMember(front, "least-traffic")), 2u);
  EXPECT_EQ(valueOf(pickMember(front, "smallest")), 3u);
  EXPECT_EQ(valueOf(pickMember(front, "fewest")), 2u);
  EXPECT_EQ(valueOf(pickMember(front, "2")), 2u);
  EXPECT_LT(valueOf(pickMember(front, "balanced")), 4u);
  expectError(pickMember(front, "4"), {"4"});
  expectError(pickMember(front, "-1"), {"'-1'", "fastest", "balanced"});
  expectError(pickMember(front, "best"), {"'best'", "least-traffic"});
}

TEST(Pareto, RefusesBadOptions) {
  PlanGraph graph = productAndSum();
  SingleGraph space(graph);
  auto refuse = [&](llvm::function_ref<void(ParetoOptions &)> change,
                    const std::vector<std::string> &parts) {
    ParetoOptions options = optionsFor(2);
    change(options);
    expectError(searchPareto(space, options), parts);
  };
  refuse([](ParetoOptions &o) { o.threads = 0; }, {"threads", "0"});
  refuse([](ParetoOptions &o) { o.evaluations = -3; }, {"-3"});
  refuse([](ParetoOptions &o) { o.timeLimit = -1; }, {"-1"});
  refuse([](ParetoOptions &o) { o.stopping.price = NAN; }, {"price"});
  refuse([](ParetoOptions &o) { o.limits[Bytes] = -5; }, {"bytes", "-5"});
  refuse([](ParetoOptions &o) { o.maxMembers = 0; }, {"member"});
  refuse([](ParetoOptions &o) { o.devices = 0; }, {"0 devices"});
  refuse([](ParetoOptions &o) { o.devices = int64_t(1) << 40; },
         {"1099511627776", "1048576"});
  refuse(
      [](ParetoOptions &o) {
        o.devices = 0;
        o.grid.axes = {{"a", 1 << 19}, {"b", 4}};
      },
      {"'b'", "1048576"});
  refuse([](ParetoOptions &o) { o.grid.axes = {{"a", 3}}; }, {"2", "3"});
  refuse([](ParetoOptions &o) { o.startModels = {"nonsense"}; }, {"nonsense"});
  refuse([](ParetoOptions &o) { o.startModels = {}; }, {"cost model"});
}

TEST(Pareto, FrontFileSaysEverything) {
  ProductOrders space;
  std::swap(space.graphs[0], space.graphs[1]);
  ParetoFront front = valueOf(searchPareto(space, optionsFor(2)));
  std::string text;
  llvm::raw_string_ostream os(text);
  writeFront(os, space, front);
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  const llvm::json::Array &members =
      *parsed->getAsObject()->getArray("members");
  ASSERT_EQ(members.size(), front.members.size());
  bool hasRewrites = false;
  for (auto [json, member] : llvm::zip_equal(members, front.members)) {
    const llvm::json::Object &object = *json.getAsObject();
    const llvm::json::Object &objectives = *object.getObject("objectives");
    EXPECT_EQ(objectives.getNumber("seconds"), member.objectives[Seconds]);
    EXPECT_EQ(objectives.getInteger("bytes"), member.objectives[Bytes]);
    EXPECT_EQ(object.getArray("vertices")->size(), 5u);
    hasRewrites |= !object.getArray("rewrites")->empty();
  }
  EXPECT_TRUE(hasRewrites);
  EXPECT_EQ(parsed->getAsObject()->getArray("starts")->size(),
            front.starts.size());
}

TEST(Pareto, PlotHoldsEveryPoint) {
  PlanGraph graph = productAndSum();
  SingleGraph space(graph);
  ParetoFront front = valueOf(searchPareto(space, optionsFor(4)));
  std::string text;
  llvm::raw_string_ostream os(text);
  report::plotFront(os, front, "a < b & \"c\"");
  llvm::StringRef page = text;
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_EQ(page.count("a &lt; b &amp; &quot;c&quot;"), 2u);
  EXPECT_FALSE(page.contains("{{"));
  auto points = valueOf(
      llvm::json::parse(page.split("json\">").second.split("</script>").first));
  const llvm::json::Array &members = *points.getAsObject()->getArray("members");
  ASSERT_EQ(members.size(), front.members.size());
  for (auto [drawn, member] : llvm::zip_equal(members, front.members))
    EXPECT_EQ(*drawn.getAsObject()->get("objectives"),
              llvm::json::Value(llvm::json::Array(member.objectives)));
  EXPECT_EQ(points.getAsObject()->getArray("starts")->size(),
            front.starts.size());
}

} // namespace
