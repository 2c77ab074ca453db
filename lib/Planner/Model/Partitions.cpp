//===- Partitions.cpp - The viable partitions of a vertex -----------------===//

#include "tapestry/Planner/Model/Partitions.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace tapestry;
using namespace tapestry::model;

llvm::SmallVector<int64_t> model::divisorsOf(int64_t n) {
  llvm::SmallVector<int64_t> divisors;
  for (int64_t i = 1; i * i <= n; ++i) {
    if (n % i != 0)
      continue;
    divisors.push_back(i);
    if (i != n / i)
      divisors.push_back(n / i);
  }
  llvm::sort(divisors);
  return divisors;
}

namespace {
/// For every label the products that it and the labels after it can reach, with
/// the number of ways to do so. Products always divide the device count.
class Reach {
public:
  Reach(llvm::ArrayRef<int64_t> extents, int64_t devices,
        llvm::ArrayRef<int64_t> fixed)
      : fixed(fixed), divisors(divisorsOf(devices)), ways(extents.size() + 1) {
    ways.back()[1] = 1;
    for (unsigned label = extents.size(); label-- > 0;)
      for (int64_t parts : divisors) {
        if (parts > extents[label])
          break;
        if (!isOpen(label, parts))
          continue;
        for (auto [product, count] : ways[label + 1])
          if (devices % (parts * product) == 0)
            ways[label][parts * product] += count;
      }
  }

  /// Ways to reach `product` with the labels from number `first` on.
  double waysFrom(unsigned first, int64_t product) const {
    auto it = ways[first].find(product);
    return it == ways[first].end() ? 0 : it->second;
  }
  int64_t largest() const {
    return ways.front().empty() ? 0 : ways.front().rbegin()->first;
  }
  /// Whether a label may have this many parts as far as `fixed` goes.
  bool isOpen(unsigned label, int64_t parts) const {
    return fixed.empty() || fixed[label] == 0 || fixed[label] == parts;
  }

  llvm::ArrayRef<int64_t> fixed;
  llvm::SmallVector<int64_t> divisors;

private:
  std::vector<std::map<int64_t, double>> ways;
};
} // namespace

int64_t model::largestReachableProduct(llvm::ArrayRef<int64_t> extents,
                                       int64_t devices,
                                       llvm::ArrayRef<int64_t> fixed) {
  return Reach(extents, devices, fixed).largest();
}

double model::countViablePartitions(llvm::ArrayRef<int64_t> extents,
                                    int64_t devices,
                                    llvm::ArrayRef<int64_t> fixed) {
  Reach reach(extents, devices, fixed);
  return reach.waysFrom(0, reach.largest());
}

std::vector<PartVector> model::viablePartitions(llvm::ArrayRef<int64_t> extents,
                                                int64_t devices,
                                                llvm::ArrayRef<int64_t> fixed) {
  Reach reach(extents, devices, fixed);
  std::vector<PartVector> result;
  if (reach.largest() == 0)
    return result;
  result.reserve(static_cast<size_t>(reach.waysFrom(0, reach.largest())));
  PartVector parts;
  auto extend = [&](auto &self, int64_t product) -> void {
    unsigned label = parts.size();
    if (label == extents.size()) {
      result.push_back(parts);
      return;
    }
    for (int64_t candidate : llvm::reverse(reach.divisors)) {
      if (candidate > extents[label] || product % candidate != 0 ||
          !reach.isOpen(label, candidate) ||
          reach.waysFrom(label + 1, product / candidate) == 0)
        continue;
      parts.push_back(candidate);
      self(self, product / candidate);
      parts.pop_back();
    }
  };
  extend(extend, reach.largest());
  return result;
}

PartVector model::partsOfOperand(const PlanVertex &vertex, unsigned operand,
                                 llvm::ArrayRef<int64_t> parts) {
  PartVector result;
  for (const ProjectionDim &dim : vertex.operands[operand].projection.dims) {
    int64_t count = 1;
    for (const AffineTerm &term : dim.terms)
      count *= parts[term.dim];
    result.push_back(count);
  }
  return result;
}

void model::setStoredParts(const PlanGraph &graph,
                           llvm::MutableArrayRef<PartVector> parts) {
  for (auto [vertex, own] : llvm::zip_equal(graph.vertices, parts))
    if (auto use = vertex.storedFor)
      own = partsOfOperand(graph.vertices[use->vertex], use->operand,
                           parts[use->vertex]);
}

std::string model::partsToString(llvm::ArrayRef<int64_t> parts) {
  std::string text = "[";
  for (auto [number, part] : llvm::enumerate(parts))
    text += (number ? ", " : "") + std::to_string(part);
  return text + "]";
}
