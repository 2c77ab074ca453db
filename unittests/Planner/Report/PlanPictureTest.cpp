//===- PlanPictureTest.cpp - Pictures of a plan ---------------------------===//

#include "tapestry/Planner/Report/PlanPicture.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Plan/Planner.h"
#include "llvm/ADT/StringRef.h"

using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::report;
using namespace tapestry::test;

namespace {

Plan planFor(const PlanGraph &graph, int64_t devices) {
  PlannerOptions options;
  options.devices = devices;
  return valueOf(makePlan(graph, options));
}

using Writer = void (*)(llvm::raw_ostream &, const PlanGraph &, const Plan &,
                        const PictureOptions &);

std::string textOf(Writer write, const PlanGraph &graph, const Plan &plan,
                   const PictureOptions &options = {}) {
  std::string text;
  llvm::raw_string_ostream os(text);
  write(os, graph, plan, options);
  return text;
}

size_t countOf(llvm::StringRef text, llvm::StringRef part) {
  return text.count(part);
}

TEST(PlanPicture, DrawsEveryVertexAndOperand) {
  PlanGraph graph = llamaGraph(1);
  Plan plan = planFor(graph, 8);
  size_t operands = 0;
  for (const PlanVertex &vertex : graph.vertices)
    operands += vertex.operands.size();
  std::string dot = textOf(writeDot, graph, plan);
  EXPECT_EQ(countOf(dot, "[label="), graph.vertices.size());
  EXPECT_EQ(countOf(dot, " -> "), operands);
  std::string html = textOf(writeHtml, graph, plan);
  EXPECT_EQ(countOf(html, "<g class=\"node"), graph.vertices.size());
  EXPECT_EQ(countOf(html, "<g class=\"edge"), operands);
  // Traffic is on the edges and results that cause it.
  EXPECT_EQ(countOf(html, "edge moved") > 0, countOf(dot, "color=") > 0);
  EXPECT_GT(countOf(html, "class=\"move\""), 0u);
  // Equal plans give equal pictures.
  EXPECT_EQ(html, textOf(writeHtml, graph, plan));
}

TEST(PlanPicture, FoldsRepeatedBlocks) {
  PlanGraph graph = llamaGraph(32);
  Plan plan = planFor(graph, 8);
  std::string html = textOf(writeHtml, graph, plan);
  size_t nodes = countOf(html, "<g class=\"node");
  EXPECT_LT(nodes, 120u);
  EXPECT_EQ(countOf(html, "node fold"), 1u);
  EXPECT_NE(html.find(" more blocks"), std::string::npos);
  // All vertices are in the table still.
  EXPECT_EQ(countOf(html, "<tr data-v"), graph.vertices.size());
  std::string dot = textOf(writeDot, graph, plan);
  EXPECT_EQ(countOf(dot, "style=dashed"), 1u);
  PictureOptions whole;
  whole.foldFrom = 10000;
  EXPECT_EQ(countOf(textOf(writeHtml, graph, plan, whole), "<g class=\"node"),
            graph.vertices.size());
}

TEST(PlanPicture, EscapesNames) {
  PlanGraph graph = chainGraph(16);
  graph.vertices[0].name = "<script>alert(\"x\")</script>&\n'";
  graph.vertices[1].name = "";
  graph.vertices[2].name = "broken \xff\xfe utf-8 \x01";
  graph.vertices[5].labels[0].name = "</text>&";
  Plan plan = planFor(graph, 4);
  plan.program = "a\"\\\n</title>";
  std::string html = textOf(writeHtml, graph, plan);
  EXPECT_EQ(html.find("alert(\"x\")"), std::string::npos);
  EXPECT_EQ(countOf(html, "</title>"), countOf(html, "<title>"));
  EXPECT_EQ(countOf(html, "<script"), 2u);
  EXPECT_EQ(html.find('\xff'), std::string::npos);
  EXPECT_EQ(html.find('\x01'), std::string::npos);
  EXPECT_NE(html.find("(no name)"), std::string::npos);
  std::string dot = textOf(writeDot, graph, plan);
  EXPECT_NE(dot.find("a\\\"\\\\\\n</title>"), std::string::npos) << dot;
  EXPECT_EQ(dot.find('\x01'), std::string::npos);
}

TEST(PlanPicture, DrawsSmallAndOddGraphs) {
  PlanGraph none;
  EXPECT_NE(textOf(writeHtml, none, planFor(none, 4)).find("</html>"),
            std::string::npos);
  EXPECT_NE(textOf(writeDot, none, planFor(none, 4)).find("digraph"),
            std::string::npos);
  std::mt19937 random(5);
  for (unsigned round = 0; round < 20; ++round) {
    PlanGraph graph = randomGraph(random, 1 + round);
    Plan plan = planFor(graph, 1 + round % 7);
    PictureOptions fold;
    fold.foldFrom = round % 2 ? 0 : 1000;
    std::string html = textOf(writeHtml, graph, plan, fold);
    EXPECT_EQ(html.find("nan"), std::string::npos);
    EXPECT_EQ(countOf(html, "<tr data-v"), graph.vertices.size());
  }
}

} // namespace
