//===- TestGraphs.h - Graphs that the planner's tests plan ------*- C++ -*-===//

#ifndef TAPESTRY_UNITTESTS_PLANNER_TESTGRAPHS_H
#define TAPESTRY_UNITTESTS_PLANNER_TESTGRAPHS_H

#include "tapestry/Planner/Model/Graph.h"
#include <map>
#include <random>

namespace tapestry::test {

/// Builds graphs from text: subscripts are separated by blanks, each a sum of
/// terms such as "y", "2*y+r" or "x-1"; "~" before a tensor's name pads it.
class GraphBuilder {
public:
  GraphBuilder &input(llvm::StringRef name, llvm::ArrayRef<int64_t> shape);

  struct Read {
    std::string tensor;
    std::string subscripts;
  };
  /// A vertex `name[output]` over its reads. A label's extent is that of the
  /// dimension it reads alone, or the one given in `extents`. Labels that the
  /// output lacks are reduced. Equal reads are listed once.
  GraphBuilder &vertex(llvm::StringRef name, llvm::StringRef output,
                       std::vector<Read> reads,
                       std::map<std::string, int64_t> extents = {});
  /// The four vertices of `name = softmax[over] tensor`.
  GraphBuilder &softmax(llvm::StringRef name, llvm::StringRef labels,
                        llvm::StringRef over, llvm::StringRef tensor);

  model::PlanGraph graph;

private:
  std::map<std::string, unsigned> numbers;
};

/// (A B) + (C (D E)) on n x n matrices.
model::PlanGraph chainGraph(int64_t n = 4096);
/// One training step of a two-layer classifier.
model::PlanGraph classifierGraph();
/// The forward pass of `layers` transformer layers of LLaMA-7B's sizes, unless
/// `scale` divides them.
model::PlanGraph llamaGraph(unsigned layers, int64_t scale = 1);

/// A random graph of `vertices` vertices beside its inputs: chains, shared
/// inputs and results, diagonals, windows (padded or not), uneven extents.
model::PlanGraph randomGraph(std::mt19937 &random, unsigned vertices);

} // namespace tapestry::test

#endif // TAPESTRY_UNITTESTS_PLANNER_TESTGRAPHS_H
