//===- Access.cpp - Proof that writes cover a result once -----------------===//

#include "tapestry/Support/Access.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstdlib>

using namespace tapestry;

static bool isNamed(const Projection &projection, unsigned label) {
  return llvm::any_of(projection.dims, [&](const ProjectionDim &dim) {
    return llvm::any_of(
        dim.terms, [&](const AffineTerm &term) { return term.dim == label; });
  });
}

namespace {

/// Coordinates in which strided writes are boxes: those of a dimension that is
/// written with a step m are split into x floordiv m and x mod m.
class SplitSpace {
public:
  SplitSpace(llvm::ArrayRef<Write> writes, llvm::ArrayRef<int64_t> shape)
      : shape(shape), steps(shape.size(), 1) {
    for (const Write &write : writes)
      for (auto [dim, step] : llvm::zip_equal(write.projection.dims, steps))
        if (dim.terms.size() == 1)
          step = std::max(step, std::abs(dim.terms[0].coefficient));
  }

  /// All split coordinates; some lie behind an extent.
  ZBox box() const;
  /// Adds boxes of the coordinates behind an extent, each once.
  void appendBehind(std::vector<ZBox> &boxes) const;
  /// Adds boxes of what the points of `block` write. No label is named by two
  /// dimensions.
  void appendWritten(const Projection &projection, const ZBox &block,
                     std::vector<ZBox> &boxes) const;
  /// A point of the shape from split coordinates.
  llvm::SmallVector<int64_t> joined(llvm::ArrayRef<int64_t> point) const;

private:
  ZBox rangesOf(unsigned dim) const;
  std::vector<ZBox> boxesOf(unsigned dim, std::vector<int64_t> cells) const;
  std::pair<int64_t, int64_t> split(unsigned dim, int64_t x) const {
    int64_t quotient = wrapped({x, x + 1}, steps[dim], 0).lo;
    return {x - quotient * steps[dim], quotient};
  }

  llvm::ArrayRef<int64_t> shape;
  llvm::SmallVector<int64_t> steps;
};

} // namespace

/// Adds every combination of one box of each list to `boxes`.
static void appendProduct(llvm::ArrayRef<std::vector<ZBox>> lists,
                          std::vector<ZBox> &boxes, const ZBox &prefix = {}) {
  if (lists.empty()) {
    boxes.push_back(prefix);
    return;
  }
  for (const ZBox &box : lists.front()) {
    ZBox longer = prefix;
    longer.append(box);
    appendProduct(lists.drop_front(), boxes, longer);
  }
}

ZBox SplitSpace::rangesOf(unsigned dim) const {
  ZBox ranges = {{0, ceilDiv(shape[dim], steps[dim])}};
  if (steps[dim] > 1)
    ranges.push_back({0, steps[dim]});
  return ranges;
}

ZBox SplitSpace::box() const {
  ZBox box;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    box.append(rangesOf(dim));
  return box;
}

void SplitSpace::appendBehind(std::vector<ZBox> &boxes) const {
  std::vector<std::vector<ZBox>> lists;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    lists.push_back({rangesOf(dim)});
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    auto [rest, whole] = split(dim, shape[dim]);
    if (rest == 0)
      continue;
    lists[dim] = {{{whole, whole + 1}, {rest, steps[dim]}}};
    appendProduct(lists, boxes);
    // Of what is behind several extents only the first counts.
    lists[dim] = {{{0, whole}, {0, steps[dim]}},
                  {{whole, whole + 1}, {0, rest}}};
  }
}

/// The coordinates that the points of `block` write in a dimension, each once.
static std::vector<int64_t> cellsOf(const ProjectionDim &dim,
                                    const ZBox &block) {
  std::vector<int64_t> values = {dim.constant};
  for (const AffineTerm &term : dim.terms) {
    std::vector<int64_t> sums;
    for (int64_t value : values)
      for (int64_t x = block[term.dim].lo; x < block[term.dim].hi; ++x)
        sums.push_back(value + term.coefficient * x);
    values = std::move(sums);
  }
  std::vector<int64_t> cells;
  for (int64_t value : values) {
    int64_t start =
        wrapped({value, value + 1}, dim.floordiv, dim.mod, dim.fold).lo;
    for (int64_t k = 0; k < dim.size; ++k)
      cells.push_back(start + k * dim.stride);
  }
  llvm::sort(cells);
  cells.erase(llvm::unique(cells), cells.end());
  return cells;
}

/// Runs of one remainder become one box.
std::vector<ZBox> SplitSpace::boxesOf(unsigned dim,
                                      std::vector<int64_t> cells) const {
  llvm::sort(cells, [&](int64_t a, int64_t b) {
    return split(dim, a) < split(dim, b);
  });
  std::vector<ZBox> boxes;
  for (int64_t x : cells) {
    auto [rest, quotient] = split(dim, x);
    if (!boxes.empty() && boxes.back()[0].hi == quotient &&
        (steps[dim] == 1 || boxes.back()[1].lo == rest)) {
      ++boxes.back()[0].hi;
      continue;
    }
    ZBox &box = boxes.emplace_back(ZBox{{quotient, quotient + 1}});
    if (steps[dim] > 1)
      box.push_back({rest, rest + 1});
  }
  return boxes;
}

void SplitSpace::appendWritten(const Projection &projection, const ZBox &block,
                               std::vector<ZBox> &boxes) const {
  std::vector<std::vector<ZBox>> lists;
  for (auto [number, dim] : llvm::enumerate(projection.dims)) {
    if (dim.isPlainDim() && steps[number] == 1)
      lists.push_back({{block[dim.terms[0].dim]}});
    else if (dim.terms.empty() && dim.stride == 1 && steps[number] == 1)
      lists.push_back({{imageOfDim(dim, block)}});
    else
      lists.push_back(boxesOf(number, cellsOf(dim, block)));
  }
  appendProduct(lists, boxes);
}

llvm::SmallVector<int64_t>
SplitSpace::joined(llvm::ArrayRef<int64_t> point) const {
  llvm::SmallVector<int64_t> result;
  for (int64_t step : steps) {
    result.push_back(point.front() * step);
    point = point.drop_front();
    if (step > 1) {
      result.back() += point.front();
      point = point.drop_front();
    }
  }
  return result;
}

/// The first label that several dimensions name.
static std::optional<unsigned> sharedLabel(const Projection &projection) {
  llvm::SmallVector<unsigned> named;
  for (const ProjectionDim &dim : projection.dims)
    for (const AffineTerm &term : dim.terms) {
      if (llvm::is_contained(named, term.dim))
        return term.dim;
      named.push_back(term.dim);
    }
  return std::nullopt;
}

/// Adds what the points of `block` write. Where dimensions share a label, as on
/// a diagonal, its values are looked at one by one.
static void appendWrite(const SplitSpace &space, const Projection &projection,
                        const ZBox &block, std::vector<ZBox> &boxes) {
  std::optional<unsigned> shared = sharedLabel(projection);
  if (!shared)
    return space.appendWritten(projection, block, boxes);
  for (int64_t x = block[*shared].lo; x < block[*shared].hi; ++x) {
    Projection at = projection;
    for (ProjectionDim &dim : at.dims)
      llvm::erase_if(dim.terms, [&](const AffineTerm &term) {
        if (term.dim == *shared)
          dim.constant += term.coefficient * x;
        return term.dim == *shared;
      });
    appendWrite(space, at, block, boxes);
  }
}

std::optional<CoverageFault>
tapestry::findWriteFault(llvm::ArrayRef<Write> writes,
                         llvm::ArrayRef<ZBox> blocks,
                         llvm::ArrayRef<int64_t> shape) {
  SplitSpace space(writes, shape);
  std::vector<ZBox> boxes;
  space.appendBehind(boxes);
  for (const Write &write : writes)
    for (const ZBox &block : blocks) {
      ZBox served = write.guard.empty() ? block : intersect(block, write.guard);
      // Labels that no piece names are combined, guarded or not.
      for (unsigned label = 0; label < block.size(); ++label)
        if (llvm::none_of(writes, [&](const Write &other) {
              return isNamed(other.projection, label);
            }))
          served[label] = block[label];
      if (!isEmpty(served))
        appendWrite(space, write.projection, served, boxes);
    }
  std::optional<CoverageFault> fault = findCoverageFault(space.box(), boxes);
  if (fault)
    fault->point = space.joined(fault->point);
  return fault;
}
