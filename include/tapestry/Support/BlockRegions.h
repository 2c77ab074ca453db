//===- BlockRegions.h - A block in regions that read one place --*- C++ -*-===//
//
// What the points of a device's block read of a tensor lies in what the device
// holds of it, in strips beside that, or outside of the tensor. A block is cut
// where that changes, so that in each region every operand lies in one place
// and is read there: nothing is put together.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_BLOCKREGIONS_H
#define TAPESTRY_SUPPORT_BLOCKREGIONS_H

#include "tapestry/Support/Layout.h"
#include "llvm/ADT/SmallBitVector.h"
#include <vector>

namespace tapestry {

/// A piece of an operand: where it is read and what devices have of it.
struct RegionAccess {
  /// Each subscript is a constant, or a multiple of a label and a constant; of
  /// what is folded, that label itself.
  Projection read;
  llvm::SmallVector<int64_t> shape;
  /// What a device has of its own, and strips beside that.
  llvm::SmallVector<Layout, 2> parts;
  /// The points that read it, one range per label; no ranges: all.
  ZBox guard = {};
};

/// An operand: pieces at places of their own.
struct RegionOperand {
  llvm::SmallVector<RegionAccess, 1> pieces;
  /// Whether a constant lies outside of the tensor.
  bool isPadded = false;
};

/// A bound between two ranges of a label's block.
struct RegionEdge {
  /// The bound that it is of what a device has: of which operand, piece, part
  /// and dimension. Otherwise a number, the same on all devices.
  struct Bound {
    unsigned operand, piece, part, dim;
    bool isEnd;
  };
  std::optional<Bound> bound;
  /// What is added to that, or to its negative, before it is divided,
  /// downwards.
  int64_t shift = 0;
  bool isNegated = false;
  int64_t divisor = 1;
  /// Whether it is the least of what follows from the next edge and from those
  /// behind it that are not least themselves.
  bool isLeast = false;
  /// Per device, before and after it is moved into the block and behind the
  /// edge before.
  std::vector<int64_t> raw, at;
};

/// Where all points of a region read an operand.
struct RegionSource {
  enum Kind {
    Part,    ///< In a part of a piece.
    Outside, ///< The constant, or nothing that counts.
    Either,  ///< One of both, or folded back into the part, point by point:
             ///< where regions that do not choose would be too many.
    Window,  ///< In several places: it is to be put together.
  };
  Kind kind = Window;
  unsigned piece = 0, part = 0;
  /// Without folds, but point by point.
  Projection read;
  /// Of `Either`, the dimensions in which some device reads beyond the part.
  llvm::SmallBitVector beyond = {};
};

/// A box of ranges, per label from the first to behind the last.
using RegionRanges = llvm::SmallVector<std::pair<unsigned, unsigned>, 4>;

struct BlockRegion {
  RegionRanges ranges;
  /// One per operand.
  std::vector<RegionSource> sources;

  /// Whether all operands lie in one place, or outside; in regions of a few
  /// points, either of both.
  bool isServed() const;
};

class BlockRegions {
public:
  /// `separates`: blocks are told apart where what is read changes between
  /// them, too. On each device some regions are empty then, and others read
  /// elsewhere.
  BlockRegions(const DeviceGrid &grid, const Partition &partition,
               llvm::ArrayRef<int64_t> extents,
               std::vector<RegionOperand> operands, bool separates = false);

  /// Of all labels, ascending; a label has a range more than edges.
  llvm::ArrayRef<std::vector<RegionEdge>> getEdges() const { return edges; }
  const std::vector<RegionOperand> &getOperands() const { return operands; }
  /// They cover every device's block exactly once; the last is the largest. At
  /// most `limit` of them, where all sources shall be parts or outside;
  /// otherwise those that read several places stay whole.
  std::vector<BlockRegion> find(size_t limit) const;

  /// The points of a device.
  ZRange pointsOf(unsigned label, std::pair<unsigned, unsigned> range,
                  int64_t device) const;
  ZBox pointsOf(const RegionRanges &ranges, int64_t device) const;
  /// Whether that is at most such a part of every block.
  bool isThin(const RegionRanges &ranges, int64_t part) const;

private:
  class Finder;

  void addEdges(unsigned operand, unsigned piece);
  int64_t placeOf(const RegionEdge &edge, int64_t device) const;
  void addEdge(unsigned label, RegionEdge edge);
  void order(unsigned label);
  RegionSource sourceOf(unsigned operand, const RegionRanges &ranges,
                        bool chooses) const;
  std::optional<Projection> unfolded(const RegionAccess &access,
                                     const RegionRanges &ranges) const;

  DeviceGrid grid;
  std::vector<RegionOperand> operands;
  bool separates;
  /// Per label, per device.
  std::vector<std::vector<ZRange>> blocks;
  std::vector<std::vector<RegionEdge>> edges;
};

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_BLOCKREGIONS_H
