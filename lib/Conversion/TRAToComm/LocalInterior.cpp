//===- LocalInterior.cpp - Points that read what a device has -------------===//

#include "LocalInterior.h"
#include "LocalSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// Whether each subscript is a constant, or a multiple of a label and a
/// constant; of what is folded, that label itself.
static bool isReadInRegions(const Projection &read) {
  return llvm::all_of(read.dims, [](const ProjectionDim &dim) {
    bool isFolded = dim.mod != 0, turns = isFolded && dim.fold == Fold::Wrap;
    return dim.floordiv == 1 && !turns && dim.terms.size() <= 1 &&
           (!isFolded || dim.terms.empty() ||
            dim.terms.front().coefficient == 1);
  });
}

/// Whether some subscript counts down.
static bool countsDown(const Projection &read) {
  return llvm::any_of(read.dims, [](const ProjectionDim &dim) {
    return !dim.terms.empty() && dim.terms.front().coefficient < 0;
  });
}

/// Whether no point reads outside of the tensor.
static bool staysInside(const Projection &read, ArrayRef<int64_t> shape,
                        ArrayRef<int64_t> extents) {
  return contains(boxOfShape(shape), read.image(boxOfShape(extents)));
}

bool tapestry::isWindow(tra::RepartitionOp moved) {
  return !layoutOf(moved.getSource()).isDisjoint();
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

/// More regions are not made to copy nothing.
static constexpr size_t mostRegions = 32;
/// Nor more than these where something is reduced.
static constexpr size_t mostReducing = 16;

static bool areServed(ArrayRef<BlockRegion> regions) {
  return llvm::all_of(regions,
                      [](const BlockRegion &each) { return each.isServed(); });
}

/// Whether the kernel chooses between operands, as that of a concatenation.
static bool chooses(tra::JoinOp join) {
  return llvm::any_of(join.getKernel().getArguments(),
                      [](BlockArgument argument) {
                        return !argument.use_empty() &&
                               llvm::all_of(argument.getUsers(),
                                            llvm::IsaPred<arith::SelectOp>);
                      });
}

JoinRegions tapestry::regionsOf(
    tra::JoinOp join,
    llvm::function_ref<SmallVector<Layout, 2>(unsigned)> partsOf) {
  std::vector<RegionOperand> operands;
  for (auto [first, end] : join.getOperandPieces()) {
    RegionOperand &operand = operands.emplace_back();
    operand.isPadded = bool(join.getPad(first));
    for (unsigned number = first; number < end; ++number) {
      auto type = cast<tra::RelationType>(join.getInputs()[number].getType());
      operand.pieces.push_back({join.getRead(number),
                                llvm::to_vector(type.getShape()),
                                partsOf(number), join.getGuard(number)});
    }
  }
  // What is put together of many has about one of each.
  size_t most = mostRegions;
  if (chooses(join))
    most = std::max(most, 2 * join.getInputs().size());
  auto find = [&](bool separates) {
    BlockRegions blocks(join.getDeviceGrid(), join.getResolvedPartition(),
                        join.getExtents(), operands, separates);
    std::vector<BlockRegion> found = blocks.find(most);
    return JoinRegions{std::move(blocks), std::move(found)};
  };
  JoinRegions alike = find(/*separates=*/false);
  if (areServed(alike.found))
    return alike;
  JoinRegions apart = find(/*separates=*/true);
  return areServed(apart.found) ? std::move(apart) : std::move(alike);
}

/// Whether the largest region has half of the points: of few, windows cost less
/// than code of their own.
static bool hasInterior(tra::JoinOp join, const BlockRegions &regions,
                        const BlockRegion &largest) {
  Partition partition = join.getResolvedPartition();
  const DeviceGrid &grid = join.getDeviceGrid();
  return llvm::all_of(llvm::seq<int64_t>(grid.numDevices()), [&](int64_t d) {
    ZBox block = partition.block(grid, join.getExtents(), d);
    return 2 * volume(regions.pointsOf(largest.ranges, d)) >= volume(block);
  });
}

bool LocalInteriors::find(tra::JoinOp join) {
  // Of what is reduced a few large regions are worth their code.
  bool reduces = !join.getReducedLabels().empty();
  if (reduces && !chooses(join))
    return false;
  bool isWhole = true, mustBeServed = reduces;
  for (auto [number, input] : llvm::enumerate(join.getInputs())) {
    Projection read = join.getRead(number);
    if (!isReadInRegions(read))
      return false;
    auto type = cast<tra::RelationType>(input.getType());
    // What is put together is read from its start on.
    mustBeServed |= countsDown(read);
    isWhole &=
        !isSplit(input) && join.getGuard(number).empty() &&
        staysInside(withoutFolds(read), type.getShape(), join.getExtents());
  }
  if (isWhole)
    return false;
  auto [regions, found] = regionsOf(join, [&](unsigned number) {
    Value input = join.getInputs()[number];
    if (!isSplit(input))
      return SmallVector<Layout, 2>{layoutOf(input)};
    tra::RepartitionOp moved = fetchOf(input);
    SmallVector<Layout, 2> parts = {layoutOf(moved.getSource())};
    llvm::append_range(parts, possibleRimsOf(moved));
    return parts;
  });
  return found.size() > 1 && (!reduces || found.size() <= mostReducing) &&
         (areServed(found) ||
          (!mustBeServed && hasInterior(join, regions, found.back())));
}

bool LocalInteriors::isApart(tra::JoinOp join) {
  auto known = apart.find(join);
  if (known != apart.end())
    return known->second;
  bool is = find(join);
  return apart[join] = is;
}

/// Whether all that read a relation have the most of it where it lies.
bool LocalInteriors::areSplit(Value relation) {
  return llvm::all_of(relation.getUses(), [&](OpOperand &use) {
    if (auto moved = dyn_cast<tra::RepartitionOp>(use.getOwner()))
      return isWindow(moved) && areSplit(moved.getResult());
    auto join = dyn_cast<tra::JoinOp>(use.getOwner());
    return join && isApart(join);
  });
}

ArrayRef<Layout> LocalInteriors::rimsOf(tra::RepartitionOp moved) {
  if (possibleRimsOf(moved).empty() || moved->use_empty() ||
      !areSplit(moved.getResult()))
    return {};
  return possibleRimsOf(moved);
}
