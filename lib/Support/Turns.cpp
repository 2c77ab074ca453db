//===- Turns.cpp - What subscripts that are folded read -------------------===//

#include "tapestry/Support/Access.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;

/// Larger moduli are taken to leave no remainder out.
static constexpr int64_t largestModulus = int64_t(1) << 24;

/// Adds the remainders by `step` further on.
static void addShifted(llvm::BitVector &remainders, int64_t step) {
  unsigned modulus = remainders.size();
  llvm::BitVector shifted(modulus);
  for (unsigned value : remainders.set_bits())
    shifted.set((value + step) % modulus);
  remainders |= shifted;
}

/// The remainders that sums of the terms and the constant leave.
static llvm::BitVector remaindersOf(const ProjectionDim &dim,
                                    llvm::ArrayRef<int64_t> extents) {
  int64_t modulus = dim.floordiv * dim.mod;
  auto remainder = [&](int64_t value) {
    return wrapped({value, value + 1}, 1, modulus).lo;
  };
  llvm::BitVector reached(modulus);
  reached.set(remainder(dim.constant));
  for (const AffineTerm &term : dim.terms) {
    // After k steps of 1, 2, 4, ... all sums of up to 2^k - 1 are there.
    int64_t left = extents[term.dim] - 1;
    for (int64_t steps = 1; left > 0; left -= steps, steps *= 2) {
      steps = std::min(steps, left);
      // Below 2^48: the modulus is not above 2^24 and neither is what counts
      // of the steps.
      addShifted(reached,
                 remainder(term.coefficient) * (steps % modulus) % modulus);
      if (reached.all())
        return reached;
    }
  }
  return reached;
}

ZRange tapestry::startsOfDim(const ProjectionDim &dim,
                             llvm::ArrayRef<int64_t> extents) {
  ProjectionDim point = dim;
  point.size = 1;
  ZRange hull = imageOfDim(point, boxOfShape(extents));
  bool isWhole =
      dim.mod != 0 && dim.fold == Fold::Wrap && hull == ZRange{0, dim.mod};
  if (!isWhole || dim.mod > largestModulus / dim.floordiv)
    return hull;
  llvm::BitVector reached = remaindersOf(dim, extents);
  return {reached.find_first() / dim.floordiv,
          reached.find_last() / dim.floordiv + 1};
}

std::optional<unsigned> tapestry::foldInto(Projection &projection,
                                           llvm::ArrayRef<int64_t> extents,
                                           llvm::ArrayRef<int64_t> shape,
                                           Fold fold) {
  if (isEmpty(boxOfShape(extents)))
    return std::nullopt;
  for (auto [number, dim] : llvm::enumerate(projection.dims)) {
    if (ZRange{0, shape[number]}.contains(startsOfDim(dim, extents)))
      continue;
    if (dim.mod != 0 || shape[number] == 0)
      return number;
    dim.mod = shape[number];
    dim.fold = fold;
  }
  return std::nullopt;
}

static bool wrapsAround(const ProjectionDim &dim) {
  return dim.mod != 0 && dim.fold == Fold::Wrap;
}

/// The turns in which a dimension is read; nothing where it stays as it is.
static std::optional<ZRange> turnsOf(const ProjectionDim &dim,
                                     llvm::ArrayRef<int64_t> extents,
                                     int64_t tensorExtent) {
  if (!wrapsAround(dim))
    return ZRange{0, 1};
  ProjectionDim line = dim;
  line.mod = 0;
  ZRange values = imageOfDim(line, boxOfShape(extents));
  // Longer, and every turn would read the whole dimension again.
  if (dim.mod != tensorExtent || values.size() >= 2 * dim.mod)
    return std::nullopt;
  return wrapped(values, dim.mod, 0);
}

std::vector<Projection> tapestry::splitTurns(const Projection &projection,
                                             llvm::ArrayRef<int64_t> extents,
                                             llvm::ArrayRef<int64_t> shape) {
  std::vector<Projection> pieces = {projection};
  bool wraps = false;
  for (auto [number, dim] : llvm::enumerate(projection.dims)) {
    wraps |= wrapsAround(dim);
    std::optional<ZRange> turns = turnsOf(dim, extents, shape[number]);
    // Pieces are windows: what divides is none.
    constexpr size_t mostPieces = 27;
    if (dim.floordiv != 1 || dim.size != 1 || !turns ||
        pieces.size() * turns->size() > mostPieces)
      return {projection};
    if (!wrapsAround(dim))
      continue;
    std::vector<Projection> split;
    for (const Projection &piece : pieces)
      for (int64_t turn = turns->lo; turn < turns->hi; ++turn) {
        ProjectionDim &line = split.emplace_back(piece).dims[number];
        line.constant -= turn * dim.mod;
        line.mod = 0;
      }
    pieces = std::move(split);
  }
  return wraps && !isEmpty(boxOfShape(extents)) ? pieces
                                                : std::vector{projection};
}
