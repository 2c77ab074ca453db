//===- Projection.h - Affine maps from index points to regions --*- C++ -*-===//
//
// The index projection of the white paper ("Index Projection Functions"):
// P(i) = ZRange(start: A i + B, shape: S, stride: D), an affine map from a
// point of a block operator's index space to the region of a tensor that the
// operator reads or writes there. Plain structs; the IR's attribute wraps them.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_PROJECTION_H
#define TAPESTRY_SUPPORT_PROJECTION_H

#include "tapestry/Support/ZSpace.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace tapestry {

/// coefficient * index dimension.
struct AffineTerm {
  unsigned dim = 0;
  int64_t coefficient = 1;
  bool operator==(const AffineTerm &o) const {
    return dim == o.dim && coefficient == o.coefficient;
  }
};

/// How values that leave [0, m) are brought back into it.
enum class Fold : unsigned {
  Wrap,      ///< Around: the remainder.
  Edge,      ///< To the nearest of 0 and m - 1.
  Reflect,   ///< Mirrored at 0 and m - 1, which are read once: 2 1 0 1 2.
  Symmetric, ///< Mirrored beside 0 and m - 1, which are read twice: 1 0 0 1.
};
/// The name of a fold in text: mod, edge, reflect, symmetric.
llvm::StringRef stringifyFold(Fold fold);
std::optional<Fold> symbolizeFold(llvm::StringRef name);

/// The range of v floordiv d, then folded into [0, m) (0: not), for v in
/// `values`: a range again, the whole [0, m) where the values wrap around.
/// d >= 1, m >= 0.
ZRange wrapped(const ZRange &values, int64_t floordiv, int64_t mod,
               Fold fold = Fold::Wrap);

/// The first and the last points of a range that are outside of its core. A box
/// of ranges with arms is a cross: of it those points count that are outside of
/// the core in one dimension at most.
struct Arms {
  int64_t before = 0;
  int64_t behind = 0;

  bool any() const { return before != 0 || behind != 0; }
  bool operator==(const Arms &o) const {
    return before == o.before && behind == o.behind;
  }
};

/// One tensor dimension of a projection: the region starts at
/// (sum(terms) + constant) floordiv d, rounding down, folded into [0, m), and
/// holds `size` points, `stride` apart.
struct ProjectionDim {
  /// At most one term per index dimension, ascending, coefficients not zero.
  llvm::SmallVector<AffineTerm, 2> terms;
  int64_t constant = 0;
  int64_t size = 1;
  int64_t stride = 1;
  /// At least 1.
  int64_t floordiv = 1;
  /// 0: not folded.
  int64_t mod = 0;
  Fold fold = Fold::Wrap;
  /// What is fetched of a star (Support/Fetch.h) is a cross.
  Arms arms = {};

  /// Whether the region starts at a linear form of the index point.
  bool isLinear() const { return floordiv == 1 && mod == 0; }
  /// Whether this dimension is exactly one index dimension.
  bool isPlainDim() const {
    return terms.size() == 1 && terms[0].coefficient == 1 && constant == 0 &&
           size == 1 && isLinear();
  }
  bool operator==(const ProjectionDim &o) const {
    return terms == o.terms && constant == o.constant && size == o.size &&
           stride == o.stride && floordiv == o.floordiv && mod == o.mod &&
           fold == o.fold && arms == o.arms;
  }
};

/// A projection from an index space to a tensor, one entry per tensor
/// dimension.
struct Projection {
  llvm::SmallVector<ProjectionDim, 2> dims;

  unsigned rank() const { return dims.size(); }
  bool operator==(const Projection &o) const { return dims == o.dims; }
  bool operator!=(const Projection &o) const { return !(*this == o); }

  /// The identity on an index space of `rank` dimensions.
  static Projection identity(unsigned rank);

  /// The bounding box of the regions of all points of `indexBox`; empty in
  /// every dimension when the box is empty. Not clipped to the tensor.
  ZBox image(llvm::ArrayRef<ZRange> indexBox) const;
  /// The region between the arms, whose strides are 1.
  Projection core() const;
};

/// The bounding range of one dimension's regions over `indexBox`.
ZRange imageOfDim(const ProjectionDim &dim, llvm::ArrayRef<ZRange> indexBox);

/// The most points that image has over any box of these sizes, all positive;
/// exact where the dimension is linear.
int64_t largestImage(const ProjectionDim &dim, llvm::ArrayRef<int64_t> sizes);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_PROJECTION_H
