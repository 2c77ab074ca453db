#include "TestGraphs.h"
#include "tapestry/Planner/Solver.h"
#include <chrono>
#include <gtest/gtest.h>
using namespace tapestry;
using namespace tapestry::test;
static void report(const char *name, const PlanGraph &g, int64_t n) {
  using C = std::chrono::steady_clock;
  auto t0 = C::now();
  auto p = buildPaperProblem(g, n);
  if (!p) {
    ADD_FAILURE() << llvm::toString(p.takeError());
    return;
  }
  auto t1 = C::now();
  auto a = solveExact(*p);
  auto t2 = C::now();
  auto b = solveEinDecomp(*p);
  auto t3 = C::now();
  auto ms = [](auto d) {
    return std::chrono::duration<double, std::milli>(d).count();
  };
  if (!a) {
    printf("%s\n", llvm::toString(a.takeError()).c_str());
  }
  printf("%s %ld: %zu vertices, exact %.1f eindecomp %.1f; build %.1f exact "
         "%.1f ein %.1f ms\n",
         name, n, g.vertices.size(), a ? a->cost : 0, b->cost, ms(t1 - t0),
         ms(t2 - t1), ms(t3 - t2));
}
TEST(X, Y) {
  report("chain", chainGraph(), 8);
  report("chain", chainGraph(), 16);
  report("classifier", classifierGraph(), 16);
  report("llama1", llamaGraph(1), 8);
  report("llama1", llamaGraph(1), 256);
  report("llama7b", llamaGraph(32), 8);
  report("llama7b", llamaGraph(32), 16);
  report("llama7b", llamaGraph(32), 64);
}
