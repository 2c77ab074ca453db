//===- LocalInterior.cpp - Points that read what a device has -------------===//

#include "LocalInterior.h"
#include "LocalSpace.h"
#include "tapestry/Support/Rim.h"

using namespace mlir;
using namespace tapestry;

static const Layout &layoutOf(Value relation) {
  return cast<tra::RelationType>(relation.getType()).getLayout().getLayout();
}

static const DeviceGrid &gridOf(Value relation) {
  return cast<tra::RelationType>(relation.getType())
      .getLayout()
      .getDeviceGrid();
}

/// Folds aside, each subscript is a constant or a label and a constant.
static bool isShifted(const Projection &read) {
  return llvm::all_of(read.dims, [](const ProjectionDim &dim) {
    bool isFolded = dim.mod != 0 && dim.fold == Fold::Wrap;
    return dim.floordiv == 1 && !isFolded && dim.terms.size() <= 1 &&
           (dim.terms.empty() || dim.terms.front().coefficient == 1);
  });
}

ZBox tapestry::insideOf(const Projection &read, ArrayRef<int64_t> shape,
                        ArrayRef<int64_t> extents) {
  ZBox box = boxOfShape(extents);
  for (auto [dim, extent] : llvm::zip_equal(read.dims, shape)) {
    ZRange constants{-dim.constant, extent - dim.constant};
    if (!dim.terms.empty()) {
      ZRange &range = box[dim.terms.front().dim];
      range = intersect(range, constants);
    } else if (!constants.contains({0, 1})) {
      return ZBox(extents.size());
    }
  }
  return box;
}

bool tapestry::isWindow(tra::RepartitionOp moved) {
  return !layoutOf(moved.getSource()).isPlain();
}

/// What an input of a join was fetched by, alone or with others.
static tra::RepartitionOp fetchOf(Value input) {
  auto moved = input.getDefiningOp<tra::RepartitionOp>();
  if (moved && isWindow(moved))
    return moved.getSource().getDefiningOp<tra::RepartitionOp>();
  return moved;
}

ArrayRef<Layout> LocalInteriors::possibleRimsOf(tra::RepartitionOp moved) {
  auto &known = rims[moved];
  if (!known) {
    const Layout &from = layoutOf(moved.getSource());
    const Layout &to = layoutOf(moved.getResult());
    known = std::make_unique<SmallVector<Layout, 2>>();
    if (from.isPlain() && from.partial.empty() && to.partial.empty())
      *known = findRims(gridOf(moved.getResult()), from, to);
  }
  return *known;
}

/// Whether an input stays where it is, with strips beside it.
bool LocalInteriors::isSplit(Value input) {
  tra::RepartitionOp moved = fetchOf(input);
  return moved && !possibleRimsOf(moved).empty();
}

/// How far from the ends of blocks points read what others hold.
static void reachOut(LocalInterior &interior, tra::JoinOp join,
                     const Projection &read, const Layout &held) {
  const DeviceGrid &grid = join.getDeviceGrid();
  Partition partition = join.getResolvedPartition();
  for (int64_t d = 0, e = grid.numDevices(); d < e; ++d) {
    ZBox block = partition.block(grid, join.getExtents(), d);
    if (isEmpty(block))
      continue;
    for (auto [dim, part] : llvm::zip_equal(read.dims, held.dims)) {
      if (dim.terms.empty())
        continue;
      unsigned label = dim.terms.front().dim;
      ZRange own = part.range(grid, d);
      auto note = [label](int64_t lacking, int64_t &most, bool isAtEnd,
                          llvm::SmallBitVector &lacks) {
        most = std::max(most, lacking);
        if (lacking > 0 && isAtEnd)
          lacks.set(label);
      };
      if (own.lo > 0)
        note(own.lo - block[label].lo - dim.constant, interior.before[label],
             block[label].lo == 0, interior.lacksFirst);
      if (own.hi < part.extent)
        note(block[label].hi + dim.constant - own.hi, interior.behind[label],
             block[label].hi == join.getExtents()[label], interior.lacksLast);
    }
  }
}

LocalInterior LocalInteriors::find(tra::JoinOp join) {
  ArrayRef<int64_t> extents = join.getExtents();
  ZBox all = boxOfShape(extents), box = all;
  if (!join.getReducedLabels().empty())
    return {};
  for (auto [first, end] : join.getOperandPieces()) {
    ZBox best;
    for (unsigned number = first; number < end; ++number) {
      Projection read = join.getRead(number);
      bool isFolded = read != withoutFolds(read);
      if (!isShifted(read) || (isFolded && end - first > 1))
        return {};
      auto type = cast<tra::RelationType>(join.getInputs()[number].getType());
      ZBox inside = insideOf(read, type.getShape(), extents);
      if (best.empty() || volume(inside) > volume(best))
        best = inside;
    }
    box = intersect(box, best);
  }
  LocalInterior interior{box, SmallVector<int64_t>(extents.size()),
                         SmallVector<int64_t>(extents.size()),
                         llvm::SmallBitVector(extents.size()),
                         llvm::SmallBitVector(extents.size())};
  bool isWhole = box == all;
  for (auto [number, input] : llvm::enumerate(join.getInputs())) {
    if (!isSplit(input))
      continue;
    reachOut(interior, join, join.getRead(number),
             layoutOf(fetchOf(input).getSource()));
    isWhole = false;
  }
  // Of few points the windows cost less than code of their own.
  SmallVector<int64_t> blocks, inner;
  Partition partition = join.getResolvedPartition();
  for (auto [label, range] :
       llvm::enumerate(partition.block(join.getDeviceGrid(), extents, 0))) {
    blocks.push_back(range.size());
    inner.push_back(range.size() - interior.before[label] -
                    interior.behind[label]);
  }
  if (isWhole || 2 * volume(box) < volume(all) ||
      2 * volume(boxOfShape(inner)) < volume(boxOfShape(blocks)))
    return {};
  return interior;
}

const LocalInterior &LocalInteriors::of(tra::JoinOp join) {
  std::unique_ptr<LocalInterior> &known = interiors[join];
  if (!known)
    known = std::make_unique<LocalInterior>(find(join));
  return *known;
}

/// Whether all that read a relation have the most of it where it lies.
bool LocalInteriors::areSplit(Value relation) {
  return llvm::all_of(relation.getUses(), [&](OpOperand &use) {
    if (auto moved = dyn_cast<tra::RepartitionOp>(use.getOwner()))
      return isWindow(moved) && areSplit(moved.getResult());
    auto join = dyn_cast<tra::JoinOp>(use.getOwner());
    return join && of(join).apply();
  });
}

ArrayRef<Layout> LocalInteriors::rimsOf(tra::RepartitionOp moved) {
  if (possibleRimsOf(moved).empty() || moved->use_empty() ||
      !areSplit(moved.getResult()))
    return {};
  return possibleRimsOf(moved);
}
