//===- GraphNodeInterface.cpp - The border of a graph ---------------------===//

#include "tapestry/Interfaces/GraphNodeInterface.h"

#include "tapestry/Interfaces/GraphNodeInterface.cpp.inc"

using namespace mlir;
using namespace tapestry;

SmallVector<GraphNodeInterface> tapestry::graphNodes(Block &graph,
                                                     GraphNodeKind kind) {
  SmallVector<GraphNodeInterface> nodes;
  for (auto node : graph.getOps<GraphNodeInterface>())
    if (node.getNodeKind() == kind)
      nodes.push_back(node);
  return nodes;
}

bool tapestry::isGraphSink(Operation *op) {
  auto node = dyn_cast<GraphNodeInterface>(op);
  return node && node.getNodeKind() == GraphNodeKind::Sink;
}

bool tapestry::isGraphSource(Operation *op) {
  auto node = dyn_cast<GraphNodeInterface>(op);
  return node && node.getNodeKind() == GraphNodeKind::Source;
}

bool tapestry::isGraphPoint(Operation *op) {
  auto node = dyn_cast_or_null<GraphNodeInterface>(op);
  return node && node.getNodeKind() == GraphNodeKind::Point;
}
