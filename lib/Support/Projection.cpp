//===- Projection.cpp - Affine maps from index points to regions ----------===//

#include "tapestry/Support/Projection.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdlib>

using namespace tapestry;

Projection Projection::identity(unsigned rank) {
  Projection projection;
  for (unsigned dim = 0; dim < rank; ++dim) {
    ProjectionDim entry;
    entry.terms.push_back({dim, 1});
    projection.dims.push_back(entry);
  }
  return projection;
}

llvm::StringRef tapestry::stringifyFold(Fold fold) {
  switch (fold) {
  case Fold::Wrap:
    return "mod";
  case Fold::Edge:
    return "edge";
  case Fold::Reflect:
    return "reflect";
  case Fold::Symmetric:
    return "symmetric";
  }
  return "unknown";
}

std::optional<Fold> tapestry::symbolizeFold(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Fold>>(name)
      .Case("mod", Fold::Wrap)
      .Case("edge", Fold::Edge)
      .Case("reflect", Fold::Reflect)
      .Case("symmetric", Fold::Symmetric)
      .Default(std::nullopt);
}

/// The range of values that go up and down between 0 and mod - 1, at both of
/// which they turn at once (`twice` 0) or stay for two (1).
static ZRange mirrored(int64_t first, int64_t last, int64_t mod,
                       int64_t twice) {
  int64_t half = mod - 1 + twice;
  if (half == 0)
    return {0, 1};
  // Reads there and back; the way back starts at -twice.
  auto at = [&](int64_t value) {
    int64_t rest = value - llvm::divideFloorSigned(value, 2 * half) * 2 * half;
    return std::min(rest, 2 * half - twice - rest);
  };
  auto passes = [&](int64_t turn) {
    return llvm::divideFloorSigned(last - turn, 2 * half) !=
           llvm::divideFloorSigned(first - 1 - turn, 2 * half);
  };
  int64_t lo = std::min(at(first), at(last));
  int64_t hi = std::max(at(first), at(last));
  return {passes(0) ? 0 : lo, passes(half - twice) ? mod : hi + 1};
}

ZRange tapestry::wrapped(const ZRange &values, int64_t floordiv, int64_t mod,
                         Fold fold) {
  if (values.empty())
    return values;
  int64_t first = llvm::divideFloorSigned(values.lo, floordiv);
  int64_t last = llvm::divideFloorSigned(values.hi - 1, floordiv);
  if (mod == 0)
    return {first, last + 1};
  if (fold == Fold::Edge)
    return {std::clamp<int64_t>(first, 0, mod - 1),
            std::clamp<int64_t>(last, 0, mod - 1) + 1};
  if (fold != Fold::Wrap)
    return mirrored(first, last, mod, fold == Fold::Symmetric ? 1 : 0);
  int64_t turn = llvm::divideFloorSigned(first, mod);
  if (turn != llvm::divideFloorSigned(last, mod))
    return {0, mod};
  return {first - turn * mod, last - turn * mod + 1};
}

ZRange tapestry::imageOfDim(const ProjectionDim &dim,
                            llvm::ArrayRef<ZRange> indexBox) {
  if (isEmpty(indexBox))
    return {0, 0};
  int64_t first = dim.constant;
  int64_t last = dim.constant;
  for (const AffineTerm &term : dim.terms) {
    const ZRange &range = indexBox[term.dim];
    int64_t atLo = term.coefficient * range.lo;
    int64_t atHi = term.coefficient * (range.hi - 1);
    first += std::min(atLo, atHi);
    last += std::max(atLo, atHi);
  }
  ZRange starts = wrapped({first, last + 1}, dim.floordiv, dim.mod, dim.fold);
  return {starts.lo, starts.hi + (dim.size - 1) * dim.stride};
}

int64_t tapestry::largestImage(const ProjectionDim &dim,
                               llvm::ArrayRef<int64_t> sizes) {
  int64_t starts = 1;
  for (const AffineTerm &term : dim.terms)
    starts += std::abs(term.coefficient) * (sizes[term.dim] - 1);
  // So many neighbours may lie astride a multiple, of d or of m.
  if (starts > 1)
    starts = (starts + dim.floordiv - 2) / dim.floordiv + 1;
  // Only what wraps around has neighbours at both ends.
  if (starts > 1 && dim.mod != 0)
    starts = dim.fold == Fold::Wrap ? dim.mod : std::min(starts, dim.mod);
  return starts + (dim.size - 1) * dim.stride;
}

Projection Projection::core() const {
  Projection core = *this;
  for (ProjectionDim &dim : core.dims) {
    if (!dim.arms.any())
      continue;
    dim.constant += dim.arms.before;
    dim.size -= dim.arms.before + dim.arms.behind;
    dim.arms = {};
  }
  return core;
}

ZBox Projection::image(llvm::ArrayRef<ZRange> indexBox) const {
  ZBox box;
  for (const ProjectionDim &dim : dims)
    box.push_back(imageOfDim(dim, indexBox));
  return box;
}
