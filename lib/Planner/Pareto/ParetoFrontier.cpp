//===- ParetoFrontier.cpp - Points of several objectives ------------------===//

#include "tapestry/Planner/Pareto/ParetoFrontier.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace tapestry;
using namespace tapestry::pareto;

llvm::StringRef pareto::stringifyObjective(Objective objective) {
  static constexpr llvm::StringLiteral names[numObjectives] = {
      "seconds", "bytes", "peak_bytes_per_device", "devices"};
  return names[objective];
}

bool pareto::covers(const Objectives &a, const Objectives &b) {
  for (unsigned i = 0; i < numObjectives; ++i)
    if (a[i] > b[i])
      return false;
  return true;
}

bool pareto::dominates(const Objectives &a, const Objectives &b) {
  return covers(a, b) && a != b;
}

std::vector<unsigned> pareto::nondominated(llvm::ArrayRef<Objectives> points) {
  std::vector<unsigned> result;
  for (unsigned i = 0; i < points.size(); ++i) {
    bool isBest = true;
    for (unsigned j = 0; j < points.size() && isBest; ++j)
      isBest = !dominates(points[j], points[i]) &&
               (j >= i || points[j] != points[i]);
    if (isBest)
      result.push_back(i);
  }
  return result;
}

ObjectiveScale::ObjectiveScale(llvm::ArrayRef<Objectives> samples,
                               double margin) {
  for (unsigned i = 0; i < numObjectives; ++i) {
    unit[i] = 0;
    for (const Objectives &sample : samples)
      if (sample[i] > 0 && (unit[i] == 0 || sample[i] < unit[i]))
        unit[i] = sample[i];
    if (unit[i] == 0)
      unit[i] = 1;
  }
  corner.fill(0);
  for (const Objectives &sample : samples) {
    Objectives scaled = (*this)(sample);
    for (unsigned i = 0; i < numObjectives; ++i)
      corner[i] = std::max(corner[i], scaled[i]);
  }
  for (double &value : corner)
    value += margin;
}

Objectives ObjectiveScale::operator()(const Objectives &point) const {
  Objectives scaled;
  for (unsigned i = 0; i < numObjectives; ++i)
    scaled[i] = std::log1p(point[i] / unit[i]);
  return scaled;
}

/// The volume of one box.
static double boxVolume(const Objectives &point, const Objectives &reference) {
  double volume = 1;
  for (unsigned i = 0; i < numObjectives; ++i)
    volume *= std::max(0.0, reference[i] - point[i]);
  return volume;
}

double pareto::exclusiveVolume(const Objectives &point,
                               llvm::ArrayRef<Objectives> points,
                               const Objectives &reference) {
  double volume = boxVolume(point, reference);
  if (volume == 0)
    return 0;
  // What the others cover of this point's box.
  std::vector<Objectives> limited;
  limited.reserve(points.size());
  for (const Objectives &other : points) {
    Objectives worse;
    for (unsigned i = 0; i < numObjectives; ++i)
      worse[i] = std::max(point[i], other[i]);
    if (worse == point)
      return 0;
    limited.push_back(worse);
  }
  std::vector<Objectives> front;
  for (unsigned number : nondominated(limited))
    front.push_back(limited[number]);
  return std::max(0.0, volume - hypervolume(front, reference));
}

double pareto::hypervolume(llvm::ArrayRef<Objectives> points,
                           const Objectives &reference) {
  std::vector<Objectives> sorted;
  for (const Objectives &point : points)
    if (boxVolume(point, reference) > 0)
      sorted.push_back(point);
  // With the worst of one objective first, the others cover most of its box and
  // few of them are left as a front of their own.
  llvm::sort(sorted, [](const Objectives &a, const Objectives &b) {
    return std::greater<>()(a, b);
  });
  double volume = 0;
  llvm::ArrayRef<Objectives> rest = sorted;
  while (!rest.empty()) {
    volume += exclusiveVolume(rest.front(), rest.drop_front(), reference);
    rest = rest.drop_front();
  }
  return volume;
}

double pareto::distanceBehind(const Objectives &point,
                              llvm::ArrayRef<Objectives> frontier) {
  double distance = 0;
  for (const Objectives &member : frontier) {
    double least = std::numeric_limits<double>::infinity();
    for (unsigned i = 0; i < numObjectives; ++i)
      least = std::min(least, point[i] - member[i]);
    distance = std::max(distance, least);
  }
  return distance;
}

double pareto::violation(const Objectives &point, const Objectives &limits) {
  double sum = 0;
  for (unsigned i = 0; i < numObjectives; ++i)
    sum += std::max(0.0, point[i] - limits[i]);
  return sum;
}
