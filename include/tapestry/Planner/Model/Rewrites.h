//===- Rewrites.h - Equivalent graphs, as a search sees them ----*- C++ -*-===//
//
// A search over graph rewrites needs to know which rewrites apply to a graph
// and what graph they lead to; it does not need to know what an operator means.
// Whoever does (the IR) implements this interface.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_MODEL_REWRITES_H
#define TAPESTRY_PLANNER_MODEL_REWRITES_H

#include "tapestry/Planner/Model/Graph.h"

namespace tapestry::model {

/// One rewrite of one graph, in words that replay it on an equal graph.
struct Rewrite {
  /// "reassociate", "order", "fuse", "recompute", ...
  std::string kind;
  /// The vertex that it starts from.
  std::string vertex;
  /// What else the kind needs: names of other vertices, numbers.
  std::vector<std::string> arguments;

  bool operator==(const Rewrite &o) const {
    return kind == o.kind && vertex == o.vertex && arguments == o.arguments;
  }
};

/// A program and all graphs that rewrites have led to so far, by number; 0 is
/// the program as it is, or as those rewrites leave it without which it cannot
/// be planned. Calls may come from several threads.
class RewriteSpace {
public:
  virtual ~RewriteSpace() = default;

  /// Stays where it is as long as the space lives.
  virtual const PlanGraph &graph(unsigned number) = 0;
  /// What can be done to a graph, in a fixed order.
  virtual std::vector<Rewrite> applicable(unsigned number) = 0;
  /// The number of the graph that a rewrite leads to: equal graphs have equal
  /// numbers. Fails, with a reason, where the rewrite does not apply.
  virtual llvm::Expected<unsigned> apply(unsigned number,
                                         const Rewrite &rewrite) = 0;
  /// The number of the graph that rewrites, in order, make of the program.
  /// Fails where one does not apply.
  virtual llvm::Expected<unsigned> make(llvm::ArrayRef<Rewrite> rewrites);
  /// The rewrites that lead from the program to this graph.
  virtual std::vector<Rewrite> history(unsigned number) = 0;
};

} // namespace tapestry::model

#endif // TAPESTRY_PLANNER_MODEL_REWRITES_H
