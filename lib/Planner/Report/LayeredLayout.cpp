//===- LayeredLayout.cpp - Coordinates for a drawing of a graph -----------===//

#include "LayeredLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <numeric>

using namespace tapestry;
using namespace tapestry::report;

namespace {

/// A node of the drawing, or the bend of a long edge.
struct Item {
  unsigned layer = 0;
  double width = 0;
  /// The middle.
  double x = 0;
  llvm::SmallVector<unsigned, 4> above, below;
};

class Layouter {
public:
  explicit Layouter(LayeredGraph &graph) : graph(graph) {}
  void run();

private:
  void chooseLayers();
  void addBends();
  void orderLayers();
  void orderLayer(std::vector<unsigned> &layer, bool lookUp);
  size_t countCrossings() const;
  void placeItems();
  void placeLayer(const std::vector<unsigned> &layer);
  void writeBack();

  LayeredGraph &graph;
  /// The nodes first, then bends.
  std::vector<Item> items;
  /// Per edge, the bends that it passes.
  std::vector<std::vector<unsigned>> bends;
  std::vector<std::vector<unsigned>> layers;
  /// The place of every item in its layer.
  std::vector<unsigned> position;
};

} // namespace

void Layouter::chooseLayers() {
  items.resize(graph.nodes.size());
  for (unsigned n = 0; n < items.size(); ++n)
    items[n].width = graph.nodes[n].width;
  std::vector<llvm::SmallVector<unsigned, 4>> into(items.size());
  for (const LayeredGraph::Edge &edge : graph.edges)
    into[edge.to].push_back(edge.from);
  for (unsigned n = 0; n < items.size(); ++n)
    for (unsigned from : into[n]) {
      unsigned above = graph.nodes[from].followsReader ? 0 : items[from].layer;
      items[n].layer = std::max(items[n].layer, above + 1);
    }
  // Then what follows its readers moves down to them.
  std::vector<bool> isPlaced(items.size(), false);
  for (const LayeredGraph::Edge &edge : graph.edges) {
    if (!graph.nodes[edge.from].followsReader)
      continue;
    unsigned wanted = items[edge.to].layer - 1;
    Item &item = items[edge.from];
    item.layer = isPlaced[edge.from] ? std::min(item.layer, wanted) : wanted;
    isPlaced[edge.from] = true;
  }
}

void Layouter::addBends() {
  for (const LayeredGraph::Edge &edge : graph.edges) {
    unsigned last = edge.from;
    std::vector<unsigned> &path = bends.emplace_back();
    auto connect = [&](unsigned next) {
      items[last].below.push_back(next);
      items[next].above.push_back(last);
      last = next;
    };
    for (unsigned layer = items[edge.from].layer + 1;
         layer < items[edge.to].layer; ++layer) {
      unsigned bend = items.size();
      items.push_back({layer, 10, 0, {}, {}});
      path.push_back(bend);
      connect(bend);
    }
    connect(edge.to);
  }
  for (unsigned n = 0; n < items.size(); ++n) {
    if (items[n].layer >= layers.size())
      layers.resize(items[n].layer + 1);
    layers[items[n].layer].push_back(n);
  }
  position.resize(items.size());
  for (const auto &layer : layers)
    for (unsigned p = 0; p < layer.size(); ++p)
      position[layer[p]] = p;
}

void Layouter::orderLayer(std::vector<unsigned> &layer, bool lookUp) {
  std::vector<std::pair<double, unsigned>> keys;
  for (unsigned n : layer) {
    const auto &near = lookUp ? items[n].above : items[n].below;
    double sum = 0;
    for (unsigned other : near)
      sum += position[other];
    keys.push_back(
        {near.empty() ? position[n] : sum / near.size(), position[n]});
  }
  std::vector<unsigned> order(layer.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
  std::vector<unsigned> sorted;
  for (unsigned place : order)
    sorted.push_back(layer[place]);
  layer = std::move(sorted);
  for (unsigned p = 0; p < layer.size(); ++p)
    position[layer[p]] = p;
}

size_t Layouter::countCrossings() const {
  size_t crossings = 0;
  for (const auto &layer : layers) {
    llvm::SmallVector<unsigned, 32> ends;
    for (unsigned n : layer) {
      llvm::SmallVector<unsigned, 4> own;
      for (unsigned other : items[n].below)
        own.push_back(position[other]);
      for (unsigned end : own)
        for (unsigned other : ends)
          crossings += other > end;
      ends.append(own.begin(), own.end());
    }
  }
  return crossings;
}

void Layouter::orderLayers() {
  auto best = layers;
  size_t least = countCrossings();
  for (unsigned round = 0; round < 12 && least > 0; ++round) {
    for (size_t l = 1; l < layers.size(); ++l)
      orderLayer(layers[l], /*lookUp=*/true);
    for (size_t l = layers.size() - 1; l-- > 0;)
      orderLayer(layers[l], /*lookUp=*/false);
    if (size_t crossings = countCrossings(); crossings < least) {
      least = crossings;
      best = layers;
    }
  }
  layers = std::move(best);
}

/// Moves the items of a layer as near to their neighbours as their order and
/// widths allow, in the sense of least squares: isotonic regression by pooling
/// adjacent violators.
void Layouter::placeLayer(const std::vector<unsigned> &layer) {
  struct Pool {
    double sum = 0;
    double weight = 0;
    unsigned count = 0;
    double mean() const { return sum / weight; }
  };
  std::vector<double> offset(layer.size(), 0);
  std::vector<Pool> pools;
  for (unsigned p = 0; p < layer.size(); ++p) {
    const Item &item = items[layer[p]];
    if (p > 0)
      offset[p] = offset[p - 1] + graph.nodeGap +
                  (items[layer[p - 1]].width + item.width) / 2;
    // Bends keep in line with bends, and hardly pull at nodes.
    bool isBend = layer[p] >= graph.nodes.size();
    double sum = 0, weights = 0;
    for (const auto *near : {&item.above, &item.below})
      for (unsigned other : *near) {
        bool isBendToo = other >= graph.nodes.size();
        double weight = isBend && isBendToo ? 4 : isBend || isBendToo ? 0.2 : 1;
        sum += weight * items[other].x;
        weights += weight;
      }
    double wanted = weights > 0 ? sum / weights : item.x;
    // Weighted like the springs that pull: every step lowers their energy.
    double own = std::max(weights, 1e-3);
    pools.push_back({own * (wanted - offset[p]), own, 1});
    while (pools.size() > 1 &&
           pools[pools.size() - 2].mean() > pools.back().mean()) {
      Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().weight += last.weight;
      pools.back().count += last.count;
    }
  }
  unsigned p = 0;
  for (const Pool &pool : pools)
    for (unsigned i = 0; i < pool.count; ++i, ++p)
      items[layer[p]].x = pool.mean() + offset[p];
}

void Layouter::placeItems() {
  for (const auto &layer : layers) {
    double x = 0;
    for (unsigned n : layer) {
      items[n].x = x + items[n].width / 2;
      x += items[n].width + graph.nodeGap;
    }
    for (unsigned n : layer)
      items[n].x -= x / 2;
  }
  for (unsigned round = 0; round < 100; ++round) {
    for (size_t l = 0; l < layers.size(); ++l)
      placeLayer(layers[l]);
    for (size_t l = layers.size(); l-- > 0;)
      placeLayer(layers[l]);
  }
}

void Layouter::writeBack() {
  double left = items[0].x, right = left;
  for (const Item &item : items) {
    left = std::min(left, item.x - item.width / 2);
    right = std::max(right, item.x + item.width / 2);
  }
  double y = 0;
  std::vector<double> top, bottom;
  for (const auto &layer : layers) {
    double height = 0;
    for (unsigned n : layer)
      if (n < graph.nodes.size())
        height = std::max(height, graph.nodes[n].height);
    top.push_back(y);
    bottom.push_back(y + height);
    y += height + graph.layerGap;
  }
  graph.width = right - left;
  graph.height = bottom.empty() ? 0 : bottom.back();
  for (unsigned n = 0; n < graph.nodes.size(); ++n)
    graph.nodes[n].top = {items[n].x - left, top[items[n].layer]};
  for (auto [edge, path] : llvm::zip_equal(graph.edges, bends)) {
    const LayeredGraph::Node &from = graph.nodes[edge.from];
    edge.points = {{from.top.x, from.top.y + from.height}};
    for (unsigned bend : path) {
      unsigned layer = items[bend].layer;
      edge.points.push_back({items[bend].x - left, top[layer]});
      edge.points.push_back({items[bend].x - left, bottom[layer]});
    }
    edge.points.push_back(graph.nodes[edge.to].top);
  }
}

void Layouter::run() {
  if (graph.nodes.empty())
    return;
  chooseLayers();
  addBends();
  orderLayers();
  placeItems();
  writeBack();
}

void report::layOut(LayeredGraph &graph) { Layouter(graph).run(); }
