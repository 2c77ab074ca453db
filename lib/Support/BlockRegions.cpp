//===- BlockRegions.cpp - A block in regions that read one place ----------===//

#include "tapestry/Support/BlockRegions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

using namespace tapestry;

/// What is mirrored is read by regions of one point, so far outside.
static constexpr int64_t farthestMirrored = 4;

BlockRegions::BlockRegions(const DeviceGrid &grid, const Partition &partition,
                           llvm::ArrayRef<int64_t> extents,
                           std::vector<RegionOperand> operands, bool separates)
    : grid(grid), operands(std::move(operands)), separates(separates),
      edges(extents.size()) {
  for (auto [label, extent] : llvm::enumerate(extents)) {
    std::vector<ZRange> &own = blocks.emplace_back();
    int64_t parts = partsOf(grid, partition.cuts[label]);
    for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
      ZRange block = blockRange(extent, parts,
                                partIndex(grid, partition.cuts[label], device));
      // As the bounds of parts are at run time.
      own.push_back(block.empty() ? ZRange{0, 0} : block);
    }
  }
  for (auto [number, operand] : llvm::enumerate(this->operands))
    for (unsigned piece = 0; piece < operand.pieces.size(); ++piece)
      addEdges(number, piece);
  for (unsigned label = 0; label < extents.size(); ++label)
    order(label);
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

int64_t BlockRegions::placeOf(const RegionEdge &edge, int64_t device) const {
  int64_t place = 0;
  if (edge.bound) {
    const auto &[operand, piece, part, dim, isEnd] = *edge.bound;
    const Layout &own = operands[operand].pieces[piece].parts[part];
    ZRange held = own.dims[dim].range(grid, device);
    place = isEnd ? held.hi : held.lo;
  }
  return llvm::divideFloorSigned((edge.isNegated ? -place : place) + edge.shift,
                                 edge.divisor);
}

void BlockRegions::addEdge(unsigned label, RegionEdge edge) {
  bool isInside = false, isBehind = false, isBefore = false;
  for (auto [device, block] : llvm::enumerate(blocks[label])) {
    int64_t place = placeOf(edge, device);
    edge.raw.push_back(place);
    // Of an empty block both ends are behind all others.
    edge.at.push_back(
        std::clamp(place, block.lo, std::max(block.lo, block.hi)));
    isInside |= block.lo < place && place < block.hi;
    isBehind |= !block.empty() && block.hi <= place;
    isBefore |= !block.empty() && place <= block.lo;
  }
  isInside |= separates && isBehind && isBefore;
  auto isSame = [&](const RegionEdge &known) { return known.at == edge.at; };
  if (isInside && llvm::none_of(edges[label], isSame))
    edges[label].push_back(std::move(edge));
}

/// The edge at which points that read by a subscript pass a place, if `edge` is
/// at that for the label itself: the first at or behind it or, counting down,
/// the first before it.
static RegionEdge edgeOf(const ProjectionDim &dim, RegionEdge edge) {
  int64_t step = dim.terms.front().coefficient;
  edge.divisor = std::abs(step);
  edge.isNegated = step < 0;
  edge.shift = step < 0 ? dim.constant - edge.shift + edge.divisor
                        : edge.shift - dim.constant + edge.divisor - 1;
  return edge;
}

/// Where the points of a label begin or end to read what lies in a tensor, or
/// in what devices have of it.
void BlockRegions::addEdges(unsigned operand, unsigned piece) {
  const RegionAccess &access = operands[operand].pieces[piece];
  for (auto [label, range] : llvm::enumerate(access.guard))
    for (int64_t place : {range.lo, range.hi}) {
      RegionEdge edge;
      edge.shift = place;
      addEdge(label, std::move(edge));
    }
  for (auto [number, dim] : llvm::enumerate(access.read.dims)) {
    if (dim.terms.empty())
      continue;
    unsigned label = dim.terms.front().dim;
    auto add = [&, &dim = dim](int64_t place) {
      RegionEdge edge;
      edge.shift = place;
      edge = edgeOf(dim, edge);
      // A number of its own.
      edge.shift =
          llvm::divideFloorSigned(edge.shift, std::exchange(edge.divisor, 1));
      edge.isNegated = false;
      addEdge(label, std::move(edge));
    };
    int64_t extent = access.shape[number];
    add(0);
    add(extent);
    if (dim.mod != 0 && dim.fold != Fold::Edge)
      for (int64_t far = 1; far < farthestMirrored; ++far) {
        add(-far);
        add(extent + far);
      }
    // Beside its first part a device has strips that begin where that ends, but
    // for those that some have.
    for (auto [part, layout] : llvm::enumerate(access.parts)) {
      const LayoutDim &held = layout.dims[number];
      if (part > 0 && llvm::none_of(held.terms, [](const LayoutTerm &term) {
            return term.within.has_value();
          }))
        continue;
      for (bool isEnd : {false, true}) {
        RegionEdge edge;
        edge.bound =
            RegionEdge::Bound{operand, piece, static_cast<unsigned>(part),
                              static_cast<unsigned>(number), isEnd};
        addEdge(label, edgeOf(dim, std::move(edge)));
      }
    }
  }
}

/// Ascending, on all devices. Where one is behind another on some, in blocks of
/// few points, what lies between them there is a range of its own.
void BlockRegions::order(unsigned label) {
  std::vector<RegionEdge> sorted = std::move(edges[label]);
  auto sum = [](const RegionEdge &edge) {
    return std::accumulate(edge.at.begin(), edge.at.end(), int64_t(0));
  };
  llvm::sort(sorted, [&](const RegionEdge &a, const RegionEdge &b) {
    return std::pair(sum(a), a.at) < std::pair(sum(b), b.at);
  });
  std::vector<RegionEdge> &all = edges[label];
  all.clear();
  for (auto [number, edge] : llvm::enumerate(sorted)) {
    RegionEdge least;
    least.isLeast = true;
    least.at = edge.at;
    least.raw = edge.raw;
    for (const RegionEdge &other : llvm::drop_begin(sorted, number))
      for (size_t device = 0; device < least.at.size(); ++device) {
        least.at[device] = std::min(least.at[device], other.at[device]);
        least.raw[device] = std::min(least.raw[device], other.raw[device]);
      }
    if (least.at != edge.at)
      all.push_back(std::move(least));
    all.push_back(edge);
  }
  for (size_t next = 1; next < all.size(); ++next)
    for (auto [at, before] : llvm::zip_equal(all[next].at, all[next - 1].at))
      at = std::max(at, before);
}

ZRange BlockRegions::pointsOf(unsigned label,
                              std::pair<unsigned, unsigned> range,
                              int64_t device) const {
  ZRange block = blocks[label][device];
  const std::vector<RegionEdge> &own = edges[label];
  int64_t lo = range.first == 0 ? block.lo : own[range.first - 1].at[device];
  int64_t hi =
      range.second > own.size() ? block.hi : own[range.second - 1].at[device];
  return {lo, std::max(lo, hi)};
}

ZBox BlockRegions::pointsOf(const RegionRanges &ranges, int64_t device) const {
  ZBox box;
  for (auto [label, range] : llvm::enumerate(ranges))
    box.push_back(pointsOf(label, range, device));
  return box;
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// How the points of a region read what they read by folds; nothing where these
/// change more than a constant.
std::optional<Projection>
BlockRegions::unfolded(const RegionAccess &access,
                       const RegionRanges &ranges) const {
  Projection read = access.read;
  for (ProjectionDim &dim : read.dims) {
    int64_t mod = std::exchange(dim.mod, 0);
    Fold fold = std::exchange(dim.fold, Fold::Wrap);
    if (mod == 0)
      continue;
    bool isInside = true, isConstant = true, isPoint = true;
    std::optional<int64_t> place, point;
    for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
      ZBox points = pointsOf(ranges, device);
      if (isEmpty(points))
        continue;
      ZRange line = imageOfDim(dim, points);
      ZRange folded = wrapped(line, 1, mod, fold);
      isInside &= ZRange{0, mod}.contains(line);
      isConstant &=
          folded.size() == 1 && folded.lo == place.value_or(folded.lo);
      place = folded.lo;
      const ZRange &label = points[dim.terms.front().dim];
      isPoint &= label.size() == 1 && label.lo == point.value_or(label.lo);
      point = label.lo;
    }
    if (isInside)
      continue;
    if (!isConstant)
      return std::nullopt;
    // One point reads a place as any point reads one.
    if (!isPoint)
      dim.terms.clear();
    dim.constant = *place - (isPoint ? *point : 0);
  }
  return read;
}

RegionSource BlockRegions::sourceOf(unsigned operand,
                                    const RegionRanges &ranges,
                                    bool chooses) const {
  const RegionOperand &of = operands[operand];
  auto everywhere = [&](const Projection &read, auto holds) {
    for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
      ZBox points = pointsOf(ranges, device);
      if (!isEmpty(points) && !holds(device, read.image(points)))
        return false;
    }
    return true;
  };
  auto isUnread = [&](const ZBox &guard) {
    for (int64_t device = 0, e = grid.numDevices(); device < e; ++device)
      if (!isEmpty(intersect(pointsOf(ranges, device), guard)))
        return false;
    return true;
  };
  for (auto [piece, access] : llvm::enumerate(of.pieces)) {
    std::optional<Projection> read = unfolded(access, ranges);
    if (!read)
      continue;
    for (auto [part, layout] : llvm::enumerate(access.parts))
      if (everywhere(*read,
                     [&, &layout = layout](int64_t device, const ZBox &image) {
                       return contains(layout.box(grid, device), image);
                     }))
        return {RegionSource::Part, static_cast<unsigned>(piece),
                static_cast<unsigned>(part), *read};
  }
  const RegionAccess &first = of.pieces.front();
  if (of.pieces.size() != 1)
    return {};
  if (!first.guard.empty() && isUnread(first.guard))
    return {RegionSource::Outside, 0, 0, first.read};
  ZBox tensor = boxOfShape(first.shape);
  if (of.isPadded && everywhere(first.read, [&](int64_t, const ZBox &image) {
        return isEmpty(intersect(image, tensor));
      }))
    return {RegionSource::Outside, 0, 0, first.read};
  // Choosing takes time.
  if (chooses && first.guard.empty() && isThin(ranges, /*part=*/4))
    for (auto [part, layout] : llvm::enumerate(first.parts)) {
      // Where a point misses the tensor in one dimension, it may read what
      // other devices hold along the others.
      llvm::SmallBitVector beyond(tensor.size());
      if (everywhere(first.read, [&, &layout = layout](int64_t device,
                                                       const ZBox &image) {
            ZBox held = layout.box(grid, device);
            for (unsigned dim = 0; dim < tensor.size(); ++dim)
              if (!held[dim].contains(image[dim]))
                beyond.set(dim);
            return !isEmpty(held) && contains(held, intersect(image, tensor));
          }))
        return {RegionSource::Either, 0, static_cast<unsigned>(part),
                first.read, beyond};
    }
  return {};
}

bool BlockRegions::isThin(const RegionRanges &ranges, int64_t part) const {
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    ZBox block;
    for (const std::vector<ZRange> &own : blocks)
      block.push_back(own[device]);
    if (volume(pointsOf(ranges, device)) > volume(block) / part)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

bool BlockRegion::isServed() const {
  return llvm::none_of(sources, [](const RegionSource &source) {
    return source.kind == RegionSource::Window;
  });
}

class BlockRegions::Finder {
public:
  Finder(const BlockRegions &of, bool chooses, bool splits = true)
      : of(of), chooses(chooses), splits(splits) {}

  std::vector<BlockRegion> find();

private:
  bool isNowhere(const RegionRanges &ranges) const;
  BlockRegion regionOf(const RegionRanges &ranges) const;
  void cover(RegionRanges ranges, unsigned label);
  void add(const RegionRanges &ranges) { found.push_back(regionOf(ranges)); }
  unsigned numRanges(unsigned label) const {
    return of.edges[label].size() + 1;
  }

  const BlockRegions &of;
  /// Whether a few points choose between places one by one.
  bool chooses;
  /// Whether what reads several places is cut further.
  bool splits;
  std::vector<BlockRegion> found;
};

/// Whether no device has points there.
bool BlockRegions::Finder::isNowhere(const RegionRanges &ranges) const {
  for (int64_t device = 0, e = of.grid.numDevices(); device < e; ++device)
    if (!isEmpty(of.pointsOf(ranges, device)))
      return false;
  return true;
}

BlockRegion BlockRegions::Finder::regionOf(const RegionRanges &ranges) const {
  BlockRegion region{ranges, {}};
  for (unsigned operand = 0; operand < of.operands.size(); ++operand)
    region.sources.push_back(of.sourceOf(operand, ranges, chooses));
  return region;
}

/// Adds regions that cover these ranges, cut along `label` and those behind it:
/// neighbours are one region where that reads one place, too.
void BlockRegions::Finder::cover(RegionRanges ranges, unsigned label) {
  if (isNowhere(ranges))
    return;
  BlockRegion whole = regionOf(ranges);
  while (label < ranges.size() &&
         ranges[label].second - ranges[label].first == 1)
    ++label;
  if (!splits || label == ranges.size() || whole.isServed()) {
    found.push_back(std::move(whole));
    return;
  }
  size_t before = found.size();
  auto [first, end] = ranges[label];
  while (first < end) {
    unsigned next = first + 1;
    ranges[label] = {first, next};
    for (RegionRanges more = ranges; next < end; ++next) {
      more[label].second = next + 1;
      if (!regionOf(more).isServed())
        break;
      ranges[label].second = next + 1;
    }
    cover(ranges, label + 1);
    first = ranges[label].second;
  }
  // What is put together anyway is so at once.
  if (llvm::all_of(llvm::drop_begin(found, before),
                   [](const BlockRegion &each) { return each.isServed(); }))
    return;
  found.resize(before);
  found.push_back(std::move(whole));
}

/// What is before the widest range of a label, and behind it, covers all of the
/// labels that follow.
std::vector<BlockRegion> BlockRegions::Finder::find() {
  RegionRanges rest;
  for (unsigned label = 0; label < of.edges.size(); ++label)
    rest.push_back({0, numRanges(label)});
  for (unsigned label = 0; label < rest.size(); ++label) {
    std::pair<unsigned, unsigned> widest = {0, 1};
    int64_t most = -1;
    for (unsigned range = 0; range < numRanges(label); ++range) {
      int64_t points = 0;
      for (int64_t device = 0, e = of.grid.numDevices(); device < e; ++device)
        points += of.pointsOf(label, {range, range + 1}, device).size();
      if (points > most) {
        most = points;
        widest = {range, range + 1};
      }
    }
    for (auto [first, end] : {std::pair(0U, widest.first),
                              std::pair(widest.second, numRanges(label))}) {
      if (first == end)
        continue;
      rest[label] = {first, end};
      cover(rest, label);
    }
    rest[label] = widest;
  }
  if (!isNowhere(rest))
    add(rest);
  return std::move(found);
}

std::vector<BlockRegion> BlockRegions::find(size_t limit) const {
  auto isServed = [](const BlockRegion &each) { return each.isServed(); };
  for (bool chooses : {false, true}) {
    std::vector<BlockRegion> regions = Finder(*this, chooses).find();
    if (regions.size() <= limit && (chooses || llvm::all_of(regions, isServed)))
      return regions;
  }
  return Finder(*this, /*chooses=*/true, /*splits=*/false).find();
}
