//===- Layout.h - Which device holds which part of a tensor -----*- C++ -*-===//
//
// The cut of an index dimension over grid axes, and the layout of a tensor that
// follows from a cut and a projection. Everything that is asked of a
// distribution (parts, halos, replicas, owners) is answered here.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_LAYOUT_H
#define TAPESTRY_SUPPORT_LAYOUT_H

#include "tapestry/Support/Grid.h"
#include "tapestry/Support/Projection.h"
#include <vector>

namespace tapestry {

/// The ordered grid axes that one dimension is cut over, major to minor. A
/// dimension of extent n cut into p parts has blocks of ceil(n / p) points; the
/// last parts are smaller and may be empty.
using Cut = llvm::SmallVector<unsigned, 2>;

int64_t partsOf(const DeviceGrid &grid, llvm::ArrayRef<unsigned> cut);
/// Which of the cut's parts `device` holds.
int64_t partIndex(const DeviceGrid &grid, llvm::ArrayRef<unsigned> cut,
                  int64_t device);
/// Part number `index` of `parts` equal blocks of [0, extent).
ZRange blockRange(int64_t extent, int64_t parts, int64_t index);

/// The number of parts of every dimension of an index space.
using PartVector = llvm::SmallVector<int64_t, 6>;

/// A cut of every dimension of an index space. No axis occurs twice.
struct Partition {
  llvm::SmallVector<Cut, 4> cuts;

  bool operator==(const Partition &o) const { return cuts == o.cuts; }
  /// The part of an index space of these extents that `device` works on.
  ZBox block(const DeviceGrid &grid, llvm::ArrayRef<int64_t> extents,
             int64_t device) const;
};

/// One term of a tensor dimension's layout: coefficient * label, the label of
/// extent `extent` cut over `cut`. Where the block of a device holds no value
/// in `within`, the device holds nothing; a coefficient of 0 stands for a label
/// that does no more than that.
struct LayoutTerm {
  int64_t coefficient = 1;
  int64_t extent = 0;
  Cut cut;
  /// The values that count, all unless given: a part of [0, extent).
  std::optional<ZRange> within = std::nullopt;
  /// Whether it does no more than say that the devices of one part hold
  /// something.
  bool isAnchor() const {
    return coefficient == 0 && within && within->size() == 1;
  }
  bool operator==(const LayoutTerm &o) const {
    return coefficient == o.coefficient && extent == o.extent && cut == o.cut &&
           within == o.within;
  }
  /// The values of the label that `device` looks at.
  ZRange values(const DeviceGrid &grid, int64_t device) const;
};

/// Where one tensor dimension lies: the image of the device's label parts under
/// (sum(terms) + constant) floordiv d, folded into [0, m), `span` points long,
/// clipped to [0, extent).
struct LayoutDim {
  int64_t extent = 0;
  int64_t constant = 0;
  int64_t span = 1;
  llvm::SmallVector<LayoutTerm, 1> terms;
  /// As in ProjectionDim.
  int64_t floordiv = 1;
  int64_t mod = 0;
  Fold fold = Fold::Wrap;
  Arms arms = {};

  bool operator==(const LayoutDim &o) const {
    return extent == o.extent && constant == o.constant && span == o.span &&
           terms == o.terms && floordiv == o.floordiv && mod == o.mod &&
           fold == o.fold && arms == o.arms;
  }
  /// The image before clipping (a window may reach outside the tensor).
  ZRange imageRange(const DeviceGrid &grid, int64_t device) const;
  ZRange range(const DeviceGrid &grid, int64_t device) const;
  /// The part of a device's range that is between the arms.
  ZRange core(const DeviceGrid &grid, int64_t device) const;
  /// A plain block cut of the whole dimension: one term, or none at extent 1...
  bool isPlain() const;
  /// The same beside anchors: blocks that are disjoint and cover the dimension
  /// on the devices that hold anything.
  bool isBlocked() const;
  /// The cut of a dimension that is one of blocks.
  llvm::ArrayRef<unsigned> cut() const;
};

/// Which part of a tensor every device holds: one LayoutDim per tensor
/// dimension. Axes that no dimension uses hold replicas, or, where `partial`
/// names them, partial values that are still to be combined by a monoid.
struct Layout {
  llvm::SmallVector<LayoutDim, 2> dims;
  Cut partial;

  bool operator==(const Layout &o) const {
    return dims == o.dims && partial == o.partial;
  }
  bool operator!=(const Layout &o) const { return !(*this == o); }
  unsigned rank() const { return dims.size(); }
  llvm::SmallVector<int64_t> shape() const;

  ZBox imageBox(const DeviceGrid &grid, int64_t device) const;
  ZBox box(const DeviceGrid &grid, int64_t device) const;
  /// Whether devices have no use for the corners of their boxes.
  bool isCross() const;
  /// The disjoint boxes that are the cross of a device: as many on all devices,
  /// empty ones among them. Of a layout that is none, its box.
  std::vector<ZBox> fragments(const DeviceGrid &grid, int64_t device) const;
  /// Whether every dimension is a plain block cut and no axis cuts two: the
  /// parts are disjoint and cover the tensor.
  bool isPlain() const;
  /// The same of blocks: what a move may start from. Of the devices that hold
  /// nothing, because they are not where the tensor is anchored, none serves.
  bool isDisjoint() const;
  /// The axes that some dimension is cut over, ascending, each once.
  Cut usedAxes() const;
  /// The axes over which the tensor is replicated: neither used nor partial.
  Cut replicatedAxes(const DeviceGrid &grid) const;
  /// Whether `device` is the one replica that stands for its part: coordinate 0
  /// on every replicated axis.
  bool isOwner(const DeviceGrid &grid, int64_t device) const;

  /// The whole tensor on every device.
  static Layout replicated(llvm::ArrayRef<int64_t> shape);
  /// The whole tensor on this device alone. It has a dimension: a scalar is
  /// held everywhere.
  static Layout onDevice(const DeviceGrid &grid, llvm::ArrayRef<int64_t> shape,
                         int64_t device);
  /// Plain block cuts, one per dimension.
  static Layout blocked(llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<Cut> cuts);
  /// What a projection reads or writes of a tensor of this shape when its index
  /// space of these extents is cut by `partition`, by the index points of
  /// `guard` alone (empty: all). Of a guard that no device meets in a tensor of
  /// rank 0 nothing is known: it is held everywhere. Labels of extent 1 and
  /// cuts over no axis are canonical, so equal distributions compare equal.
  static Layout ofProjection(const Projection &projection,
                             llvm::ArrayRef<int64_t> indexExtents,
                             const Partition &partition,
                             llvm::ArrayRef<int64_t> tensorShape,
                             llvm::ArrayRef<ZRange> guard = {});
};

/// The layouts between two others when a tensor is not moved in one step.
using Route = llvm::SmallVector<Layout, 0>;

/// The extent of dimension `dim` on every device if all devices agree, else
/// nothing (the extent is known at run time only).
std::optional<int64_t> uniformExtent(const DeviceGrid &grid,
                                     const LayoutDim &dim);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_LAYOUT_H
