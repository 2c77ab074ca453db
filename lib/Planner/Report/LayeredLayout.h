//===- LayeredLayout.h - Coordinates for a drawing of a graph ---*- C++ -*-===//
//
// A directed graph drawn in layers from top to bottom, after Sugiyama: long
// edges bend at every layer that they pass, layers are ordered by the mean of
// their neighbours to avoid crossings, and nodes move towards their neighbours
// as far as the order allows.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_REPORT_LAYEREDLAYOUT_H
#define TAPESTRY_LIB_PLANNER_REPORT_LAYEREDLAYOUT_H

#include <vector>

namespace tapestry::report {

struct LayoutPoint {
  double x = 0;
  double y = 0;
};

/// Boxes and lines between them. The caller fills in sizes and ends.
struct LayeredGraph {
  struct Node {
    double width = 0;
    double height = 0;
    /// Drawn right above the first node that it leads to.
    bool followsReader = false;
    /// The middle of the upper side.
    LayoutPoint top;
  };
  struct Edge {
    /// Smaller than `to`.
    unsigned from = 0;
    unsigned to = 0;
    /// From the lower side of `from` to the upper side of `to`: at least two.
    std::vector<LayoutPoint> points;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  double nodeGap = 24;
  double layerGap = 56;
  /// The size of the drawing; everything lies within, from (0, 0).
  double width = 0;
  double height = 0;
};

/// Fills in all coordinates. Equal graphs give equal drawings.
void layOut(LayeredGraph &graph);

} // namespace tapestry::report

#endif // TAPESTRY_LIB_PLANNER_REPORT_LAYEREDLAYOUT_H
