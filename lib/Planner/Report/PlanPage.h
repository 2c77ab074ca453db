//===- PlanPage.h - Parts of the HTML page of a plan ------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_PLANNER_REPORT_PLANPAGE_H
#define TAPESTRY_LIB_PLANNER_REPORT_PLANPAGE_H

#include "PlanDrawing.h"
#include <string>

namespace tapestry::report {

/// Text between tags or in a quoted attribute: escaped, valid UTF-8, without
/// control characters.
std::string htmlText(llvm::StringRef text);

/// What a picture calls a vertex that may have no name.
std::string shownName(const model::PlanVertex &vertex);

/// The cut graph as one <svg> element.
void writeGraphSvg(llvm::raw_ostream &os, const model::PlanGraph &graph,
                   const plan::Plan &plan, const PlanDrawing &drawing);

/// The style of the bars of a component of costs.
const char *componentStyle(size_t component);
/// Bars of cost per vertex, the dearest first.
void writeCostSvg(llvm::raw_ostream &os, const model::PlanGraph &graph,
                  const plan::Plan &plan);
/// Bars of traffic per kind of collective and per grid axis.
void writeTrafficSvg(llvm::raw_ostream &os, const plan::Plan &plan);
/// Bytes per device while the vertices run one after another.
void writeMemorySvg(llvm::raw_ostream &os, const model::PlanGraph &graph,
                    const plan::Plan &plan);

/// The page's style sheet and script. Neither holds '<' or '&', so that the
/// page is well-formed XML too.
extern const char *const pageStyle;
extern const char *const pageScript;

} // namespace tapestry::report

#endif // TAPESTRY_LIB_PLANNER_REPORT_PLANPAGE_H
