//===- PlanPictureTest.cpp - Pictures of a plan ---------------------------===//

#include "tapestry/Planner/Report/PlanPicture.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "tapestry/Planner/Plan/Planner.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include <cstdlib>

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

std::string dotOf(const PlanGraph &graph, const Plan &plan,
                  const PictureOptions &options = {}) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeDot(os, graph, plan, options);
  return text;
}

std::string pageOf(const PlanGraph &graph, const Plan &plan,
                   llvm::StringRef picture = "", llvm::StringRef missing = "") {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeHtml(os, graph, plan, {picture.str(), missing.str(), ""});
  return text;
}

size_t countOf(llvm::StringRef text, llvm::StringRef part) {
  return text.count(part);
}

/// What a page's script reads under this name.
llvm::json::Value inlined(llvm::StringRef page, llvm::StringRef name) {
  llvm::StringRef rest = page.split(("id=\"" + name + "\"").str()).second;
  return valueOf(
      llvm::json::parse(rest.split('>').second.split("</script>").first));
}

TEST(PlanPicture, DrawsEveryVertexAndOperand) {
  PlanGraph graph = llamaGraph(1);
  Plan plan = planFor(graph, 8);
  size_t operands = 0;
  for (const PlanVertex &vertex : graph.vertices)
    operands += vertex.operands.size();
  std::string dot = dotOf(graph, plan);
  EXPECT_EQ(countOf(dot, "[id=v"), graph.vertices.size());
  EXPECT_EQ(countOf(dot, " -> "), operands);
  // Traffic is on the edges and results that cause it.
  EXPECT_GT(countOf(dot, "KiB") + countOf(dot, "MiB"), 0u);
  // Equal plans give equal pictures.
  EXPECT_EQ(dot, dotOf(graph, plan));
  std::string svg = valueOf(layOut(dot));
  EXPECT_EQ(countOf(svg, "class=\"node\""), graph.vertices.size());
  EXPECT_EQ(countOf(svg, "class=\"edge\""), operands);
}

TEST(PlanPicture, PageHoldsThePlan) {
  PlanGraph graph = llamaGraph(1);
  Plan plan = planFor(graph, 8);
  std::string file;
  llvm::raw_string_ostream os(file);
  writePlan(os, graph, plan);
  std::string page = pageOf(graph, plan, "<?xml?><svg>picture</svg>");
  EXPECT_EQ(inlined(page, "plan"), valueOf(llvm::json::parse(file)));
  llvm::json::Value facts = inlined(page, "facts");
  const llvm::json::Array &vertices =
      *facts.getAsObject()->getArray("vertices");
  ASSERT_EQ(vertices.size(), graph.vertices.size());
  for (unsigned v = 0; v < vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    const llvm::json::Object &known = *vertices[v].getAsObject();
    EXPECT_EQ(known.getArray("reads")->size(), vertex.operands.size());
    EXPECT_EQ(known.getArray("labels")->size(), vertex.labels.size());
    EXPECT_EQ(known.getArray("memory") == nullptr, vertex.isInput);
  }
  EXPECT_NE(page.find("><svg>picture</svg><"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_NE(pageOf(graph, plan, "", "no <pen>").find("no &lt;pen&gt;"),
            std::string::npos);
}

TEST(PlanPicture, FoldsRepeatedBlocks) {
  PlanGraph graph = llamaGraph(32);
  Plan plan = planFor(graph, 8);
  std::string dot = dotOf(graph, plan);
  EXPECT_LT(countOf(dot, "[id=v"), 120u);
  EXPECT_EQ(countOf(dot, "style=dashed"), 1u);
  EXPECT_NE(dot.find(" more blocks"), std::string::npos);
  PictureOptions whole;
  whole.foldFrom = 10000;
  EXPECT_EQ(countOf(dotOf(graph, plan, whole), "[id=v"), graph.vertices.size());
}

TEST(PlanPicture, EscapesNames) {
  PlanGraph graph = chainGraph(16);
  graph.vertices[0].name = "<script>alert(\"x\")</script>&lt;\n'\\N";
  graph.vertices[1].name = "";
  graph.vertices[5].labels[0].name = "</text>&";
  Plan plan = planFor(graph, 4);
  plan.program = "a\"\\\n</title>";
  std::string page = pageOf(graph, plan);
  EXPECT_EQ(countOf(page, "</title>"), countOf(page, "<title>"));
  EXPECT_EQ(countOf(page, "<script"), 3u);
  EXPECT_EQ(countOf(page, "</script"), 3u);
  EXPECT_EQ(*inlined(page, "plan").getAsObject()->getString("program"),
            plan.program);
  graph.vertices[2].name = "broken \xff\xfe utf-8 \x01";
  std::string dot = dotOf(graph, plan);
  EXPECT_EQ(dot.find('\xff'), std::string::npos);
  EXPECT_EQ(dot.find('\x01'), std::string::npos);
  EXPECT_NE(dot.find("(no name)"), std::string::npos);
  // In the node, its tooltip and that of its edge.
  std::string svg = valueOf(layOut(dot));
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(countOf(svg, "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;"
                         "&amp;lt; &#39;\u2216N"),
            3u)
      << svg;
}

TEST(PlanPicture, DrawsSmallAndOddGraphs) {
  PlanGraph none;
  EXPECT_NE(pageOf(none, planFor(none, 4)).find("</html>"), std::string::npos);
  EXPECT_NE(valueOf(layOut(dotOf(none, planFor(none, 4)))).find("</svg>"),
            std::string::npos);
  std::mt19937 random(5);
  for (unsigned round = 0; round < 20; ++round) {
    PlanGraph graph = randomGraph(random, 1 + round);
    Plan plan = planFor(graph, 1 + round % 7);
    PictureOptions fold;
    fold.foldFrom = round % 2 ? 0 : 1000;
    EXPECT_EQ(dotOf(graph, plan, fold).find("nan"), std::string::npos);
    EXPECT_EQ(inlined(pageOf(graph, plan), "facts")
                  .getAsObject()
                  ->getArray("vertices")
                  ->size(),
              graph.vertices.size());
  }
}

/// A folder with a program `dot`, the only one that is found while it lives.
class OtherDot {
public:
  explicit OtherDot(llvm::StringRef script) {
    llvm::sys::fs::createUniqueDirectory("tapestry-test", folder);
    std::string dot = (folder + "/dot").str();
    std::error_code code;
    llvm::raw_fd_ostream(dot, code) << "#!/bin/sh\n" << script;
    llvm::sys::fs::setPermissions(dot, llvm::sys::fs::owner_all);
    setenv("PATH", folder.c_str(), 1);
  }
  ~OtherDot() {
    setenv("PATH", path.c_str(), 1);
    llvm::sys::fs::remove_directories(folder);
  }

private:
  std::string path = getenv("PATH");
  llvm::SmallString<128> folder;
};

TEST(PlanPicture, SaysWhyNothingIsLaidOut) {
  auto fault = [](unsigned seconds) {
    return factsOf(layOut("digraph {}", seconds).takeError());
  };
  {
    OtherDot slow("exec /bin/sleep 60\n");
    EXPECT_EQ(fault(1).fault, Fault::Machine);
    EXPECT_NE(fault(1).text.find("within 1 seconds"), std::string::npos);
  }
  {
    OtherDot broken("echo 'out of order' >&2; exit 2\n");
    EXPECT_EQ(fault(10).fault, Fault::Machine);
    EXPECT_NE(fault(10).text.find("out of order"), std::string::npos);
  }
  // One that says nothing, and makes nothing.
  OtherDot idle("exit 0\n");
  EXPECT_EQ(fault(10).fault, Fault::Machine);
}

} // namespace
