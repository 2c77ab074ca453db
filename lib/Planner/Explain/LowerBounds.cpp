//===- LowerBounds.cpp - What no plan can save ----------------------------===//
//
// All bounds of a vertex are sums of images minimised over real-valued cuts
// (GeometricProgram.h). An image is bounded by one label per tensor dimension,
// which is exact for plain subscripts and diagonals and safe for windows.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Explain/LowerBounds.h"
#include "tapestry/Planner/Model/ArrayImage.h"
#include "tapestry/Planner/Model/FormKey.h"
#include "tapestry/Planner/Model/Partitions.h"
#include "tapestry/Planner/Model/TensorParts.h"
#include "tapestry/Planner/Optimize/GeometricProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <limits>

using namespace tapestry;
using namespace tapestry::explain;
using namespace tapestry::model;
using namespace tapestry::optimize;
using namespace tapestry::plan;

//===----------------------------------------------------------------------===//
// One vertex
//===----------------------------------------------------------------------===//

namespace {

/// The bounds of one vertex, given what surrounds it.
class VertexBounder {
public:
  VertexBounder(const PlanGraph &graph, unsigned vertex,
                llvm::ArrayRef<PartVector> parts, int64_t devices);

  VertexBound compute(double memoryForVertex) const;
  /// Everything that compute() depends on.
  llvm::SmallString<256> key(double memoryForVertex) const;
  /// One per operand.
  std::vector<ArrayImage> images;
  llvm::SmallVector<double, 6> extents;

private:
  Monomial monomial(double factor) const {
    return {factor, llvm::SmallVector<int, 6>(extents.size(), 0)};
  }
  /// factor, once for every block along the labels that `labels` lacks.
  Monomial repeated(double factor, llvm::ArrayRef<unsigned> labels) const;
  double boundTouched() const;
  double boundBytes(double memoryForVertex) const;
  double smallestShare(llvm::ArrayRef<unsigned> labels) const;
  void describeProduct(VertexBound &bound) const;
  /// How many operands of the vertex read what this one reads.
  double readsOf(unsigned producer) const;
  bool reduces() const;

  const PlanGraph &graph;
  const PlanVertex &vertex;
  llvm::ArrayRef<PartVector> parts;
  int64_t devices;
  const PartVector &own;
  ArrayImage result;
  RealCutSpace space;
};

} // namespace

static double productOf(llvm::ArrayRef<int64_t> parts) {
  double product = 1;
  for (int64_t count : parts)
    product *= count;
  return product;
}

VertexBounder::VertexBounder(const PlanGraph &graph, unsigned number,
                             llvm::ArrayRef<PartVector> parts, int64_t devices)
    : graph(graph), vertex(graph.vertices[number]), parts(parts),
      devices(devices), own(parts[number]) {
  for (const PlanLabel &label : vertex.labels)
    extents.push_back(label.extent);
  for (const PlanOperand &operand : vertex.operands)
    // Of a cross, what is read however the labels are cut.
    images.push_back(imageOf(operand.projection.core(), operand.padded,
                             operand.isPartial(), extents,
                             graph.vertices[operand.producer].shape));
  result = imageOf(vertex.output, /*padded=*/false, /*isPartial=*/false,
                   extents, vertex.shape);
  space.caps = extents;
  space.parts = productOf(own);
}

bool VertexBounder::reduces() const {
  return llvm::any_of(vertex.labels, [](const PlanLabel &label) {
    return label.reduced && label.extent > 1;
  });
}

double VertexBounder::readsOf(unsigned producer) const {
  return llvm::count_if(vertex.operands, [&](const PlanOperand &operand) {
    return operand.producer == producer;
  });
}

Monomial VertexBounder::repeated(double factor,
                                 llvm::ArrayRef<unsigned> labels) const {
  Monomial term = monomial(factor);
  for (unsigned label = 0; label < extents.size(); ++label)
    term.exponents[label] = !llvm::is_contained(labels, label);
  return term;
}

double VertexBounder::boundTouched() const {
  Posynomial f;
  auto add = [&](const ArrayImage &image) {
    if (image.constant == 0)
      return;
    Monomial term = monomial(image.wholeImage(extents));
    for (unsigned label : image.sides)
      term.exponents[label] = -1;
    f.push_back(term);
  };
  for (const ArrayImage &image : images)
    add(image);
  add(result);
  return minimizeOverCuts(space, f).bound;
}

/// Of d blocks of a label some may be empty: the least share of the others,
/// multiplied over the labels that `labels` lacks.
double VertexBounder::smallestShare(llvm::ArrayRef<unsigned> labels) const {
  double product = 1;
  for (unsigned label = 0; label < extents.size(); ++label) {
    if (llvm::is_contained(labels, label))
      continue;
    int64_t extent = vertex.labels[label].extent;
    double least = 1;
    for (int64_t count : divisorsOf(int64_t(space.parts)))
      if (count <= extent)
        least = std::min(
            least, double(ceilDiv(extent, ceilDiv(extent, count))) / count);
    product *= least;
  }
  return product;
}

/// Summed over the devices, an operand that the program computes is needed once
/// for every block along the labels that it lacks, and is there as often as its
/// producer's blocks are replicated. Combining partial results takes one
/// element for each partial element beyond the first.
double VertexBounder::boundBytes(double memoryForVertex) const {
  Posynomial moved, held;
  double there = 0;
  for (auto [operand, image] : llvm::zip_equal(vertex.operands, images)) {
    if (image.constant == 0)
      continue;
    const PlanVertex &producer = graph.vertices[operand.producer];
    double reads = readsOf(operand.producer);
    Monomial needed = repeated(image.wholeImage(extents) *
                                   smallestShare(image.mentioned) / reads,
                               image.mentioned);
    Monomial bytes = needed;
    bytes.factor *= producer.elementBytes / double(devices);
    held.push_back(bytes);
    if (producer.isInput)
      continue;
    double weight =
        std::min(producer.elementBytes, producer.bytesPerElement(true));
    needed.factor *= weight;
    moved.push_back(needed);
    double copies = std::ceil(devices / productOf(parts[operand.producer]));
    there += weight * copies * producer.elements() / reads;
  }
  if (reduces()) {
    double whole = result.wholeImage(extents);
    double weight = vertex.bytesPerElement(true);
    Monomial partial =
        repeated(whole * smallestShare(result.mentioned), result.mentioned);
    Monomial bytes = partial;
    bytes.factor *= weight / devices;
    held.push_back(bytes);
    partial.factor *= weight;
    moved.push_back(partial);
    there += weight * whole;
  }
  if (memoryForVertex < std::numeric_limits<double>::infinity()) {
    CutMinimum least =
        minimizeOverCuts(space, moved, held, std::max(memoryForVertex, 0.0));
    return std::max(least.bound - there, 0.0);
  }
  return std::max(minimizeOverCuts(space, moved).bound - there, 0.0);
}

void VertexBounder::describeProduct(VertexBound &bound) const {
  if (images.size() != 2)
    return;
  bound.isMatrixProduct = bound.isContraction;
  for (unsigned label = 0; label < extents.size(); ++label) {
    bool inLeft = llvm::is_contained(images[0].mentioned, label);
    bool inRight = llvm::is_contained(images[1].mentioned, label);
    bool inResult = !vertex.labels[label].reduced;
    if (inLeft && inRight && inResult)
      bound.batch *= extents[label];
    else if (inLeft && inResult)
      bound.m *= extents[label];
    else if (inRight && inResult)
      bound.n *= extents[label];
    else if (inLeft && inRight)
      bound.k *= extents[label];
    else
      bound.isMatrixProduct = false;
  }
  // Windows are no products of labels.
  for (const ArrayImage &image : images)
    bound.isMatrixProduct &= image.sides.size() == image.mentioned.size();
}

VertexBound VertexBounder::compute(double memoryForVertex) const {
  VertexBound bound;
  bound.parts = space.parts;
  if (!vertex.hasWork())
    return bound;
  bound.isContraction = reduces() && vertex.operands.size() > 1;
  describeProduct(bound);
  bound.touched = boundTouched();
  bound.bytes = boundBytes(memoryForVertex);
  double share = vertex.elements();
  for (const PlanOperand &operand : vertex.operands) {
    const PlanVertex &producer = graph.vertices[operand.producer];
    bound.plannedTouched +=
        partElements(projectedParts(operand.projection, vertex.extents(), own,
                                    producer.shape, operand.guard));
    share += producer.elements() / readsOf(operand.producer);
  }
  bound.plannedTouched += partElements(
      projectedParts(vertex.output, vertex.extents(), own, vertex.shape));
  bound.receivedFromEven = std::max(bound.touched - share / bound.parts, 0.0);
  return bound;
}

llvm::SmallString<256> VertexBounder::key(double memoryForVertex) const {
  llvm::SmallString<256> text;
  llvm::raw_svector_ostream os(text);
  os << vertex.isInput << vertex.hasWork()
     << llvm::format("%.17g", memoryForVertex);
  for (auto [label, count] : llvm::zip_equal(vertex.labels, own))
    os << ":" << label.extent << "," << label.reduced << "," << count;
  os << "=" << vertex.elementBytes << "," << vertex.accumulatorBytes;
  describe(os, vertex.output);
  for (const PlanOperand &operand : vertex.operands) {
    const PlanVertex &producer = graph.vertices[operand.producer];
    os << "<" << operand.padded << producer.isInput << readsOf(operand.producer)
       << "," << producer.elementBytes << "," << producer.accumulatorBytes
       << "," << productOf(parts[operand.producer]);
    for (int64_t extent : producer.shape)
      os << "x" << extent;
    describe(os, operand);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// A whole plan
//===----------------------------------------------------------------------===//

/// A choice of vertices whose bounds may be added: each counts in proportion to
/// what is left of the tensors that it fetches, the greatest bounds first.
static double addBytes(const PlanGraph &graph,
                       llvm::ArrayRef<VertexBound> bounds) {
  std::vector<unsigned> order;
  for (unsigned v = 0; v < bounds.size(); ++v)
    if (bounds[v].bytes > 0)
      order.push_back(v);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return bounds[a].bytes != bounds[b].bytes
               ? bounds[a].bytes > bounds[b].bytes
               : a < b;
  });
  std::vector<double> left(bounds.size(), 1);
  double sum = 0;
  for (unsigned v : order) {
    double share = 1;
    for (const PlanOperand &operand : graph.vertices[v].operands)
      if (!graph.vertices[operand.producer].isInput)
        share = std::min(share, left[operand.producer]);
    if (share <= 0)
      continue;
    sum += share * bounds[v].bytes;
    std::vector<unsigned> producers;
    for (const PlanOperand &operand : graph.vertices[v].operands)
      if (!llvm::is_contained(producers, operand.producer)) {
        producers.push_back(operand.producer);
        left[operand.producer] -= share;
      }
  }
  return sum;
}

PlanBounds explain::boundPlans(const PlanGraph &graph, const Plan &plan,
                               int64_t memoryBytes) {
  std::vector<PartVector> parts = plan.allParts();
  std::vector<VertexBounder> bounders;
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    bounders.emplace_back(graph, v, parts, plan.devices);
  // Every input is held throughout, in one copy at least.
  std::vector<double> inputBytes(graph.vertices.size(), 0);
  double allInputs = 0;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    if (!vertex.isInput)
      continue;
    double elements = vertex.elements();
    if (auto use = vertex.storedFor) {
      const VertexBounder &reader = bounders[use->vertex];
      elements = std::min(
          elements, reader.images[use->operand].wholeImage(reader.extents));
    }
    inputBytes[v] = elements * vertex.elementBytes / plan.devices;
    allInputs += inputBytes[v];
  }

  PlanBounds result;
  llvm::StringMap<VertexBound> known;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    double memory = std::numeric_limits<double>::infinity();
    if (memoryBytes > 0) {
      memory = memoryBytes - allInputs;
      std::vector<unsigned> own;
      for (const PlanOperand &operand : graph.vertices[v].operands)
        if (!llvm::is_contained(own, operand.producer)) {
          own.push_back(operand.producer);
          memory += inputBytes[operand.producer];
        }
    }
    auto [it, isNew] = known.try_emplace(bounders[v].key(memory));
    if (isNew) {
      it->second = bounders[v].compute(memory);
      it->second.cost = plan.model().boundVertex(graph, v, parts[v]);
    }
    result.vertices.push_back(it->second);
    result.cost += it->second.cost;
  }
  result.bytes = addBytes(graph, result.vertices);
  return result;
}
