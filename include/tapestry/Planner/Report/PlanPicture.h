//===- PlanPicture.h - Pictures of plans ------------------------*- C++ -*-===//
//
// The cut graph to look at, laid out by Graphviz, and pages for a browser that
// need nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_REPORT_PLANPICTURE_H
#define TAPESTRY_PLANNER_REPORT_PLANPICTURE_H

#include "tapestry/Planner/Pareto/Pareto.h"
#include "tapestry/Planner/Plan/Plan.h"

namespace tapestry::report {

struct PictureOptions {
  /// Graphs of more vertices are drawn with repeated blocks folded into one
  /// box.
  unsigned foldFrom = 120;
};

/// A digraph in the DOT language: one node per vertex with its cuts, edges with
/// the collectives and bytes that fetch an operand.
void writeDot(llvm::raw_ostream &os, const model::PlanGraph &graph,
              const plan::Plan &plan, const PictureOptions &options = {});

/// A digraph of the DOT language as an SVG file, by Graphviz' program `dot`.
/// The machine is at fault where there is none, and where it takes longer than
/// `seconds`.
llvm::Expected<std::string> layOut(llvm::StringRef digraph,
                                   unsigned seconds = 60);

/// What a page shows, as SVG.
struct PagePictures {
  /// The cut graph; where it is empty the page says `missing` in its place.
  std::string plan;
  std::string missing;
  /// The graph as it was written; not shown where it is empty.
  std::string expression;
};

/// A self-contained HTML page about a plan: where cost and traffic go, memory
/// over the vertices, and all vertices with their details, drawn by a script
/// from plan.json, which it holds.
void writeHtml(llvm::raw_ostream &os, const model::PlanGraph &graph,
               const plan::Plan &plan, const PagePictures &pictures);

/// A self-contained HTML page with the frontier of a search: seconds against
/// each other objective.
void plotFront(llvm::raw_ostream &os, const pareto::ParetoFront &front,
               llvm::StringRef title);

} // namespace tapestry::report

#endif // TAPESTRY_PLANNER_REPORT_PLANPICTURE_H
