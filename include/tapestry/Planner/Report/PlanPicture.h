//===- PlanPicture.h - Pictures of a plan -----------------------*- C++ -*-===//
//
// The cut graph to look at: for Graphviz, and as one page for a browser that
// needs nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_REPORT_PLANPICTURE_H
#define TAPESTRY_PLANNER_REPORT_PLANPICTURE_H

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

/// A self-contained HTML page: the cut graph as SVG with details of every
/// vertex, where cost and traffic go, memory over the vertices, and all
/// vertices in a table. Nothing is loaded from elsewhere; without scripts only
/// the details at a click are missing.
void writeHtml(llvm::raw_ostream &os, const model::PlanGraph &graph,
               const plan::Plan &plan, const PictureOptions &options = {});

} // namespace tapestry::report

#endif // TAPESTRY_PLANNER_REPORT_PLANPICTURE_H
