//===- TriedBoxes.h - Where signatures are tried ----------------*- C++ -*-===//
//
// Private to the dialect. Which boxes of an index space a function is called
// for where its signature is tried: plain arithmetic, which knows no operator.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_TRIEDBOXES_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_TRIEDBOXES_H

#include "tapestry/Support/ZSpace.h"
#include <random>

namespace tapestry::teg {

class TriedBoxes {
public:
  /// Boxes in `range`, which is not empty; of labels that are not `cut` all
  /// have the whole. The same seed gives the same boxes.
  TriedBoxes(llvm::ArrayRef<ZRange> range, llvm::ArrayRef<bool> cut,
             uint64_t seed)
      : range(range), cut(cut.begin(), cut.end()), random(seed) {}

  /// Whether the whole is the only box: there is nothing to cut.
  bool isOneBox() const;
  /// A box somewhere, of at most a third of each label.
  ZBox anywhere();
  /// At every corner, where there is more than one box, a single point and a
  /// box of at most a third; of many labels at both ends of each, at random
  /// ends of the others.
  std::vector<ZBox> corners();
  /// All points where there are at most so many, else `most` random ones.
  std::vector<ZBox> points(int64_t most);
  bool hasMorePointsThan(int64_t most) const;
  /// Each label in up to `parts` parts that meet at random places, the other
  /// labels whole: all points, for each label once.
  std::vector<ZBox> slabs(int64_t parts);

private:
  int64_t below(int64_t bound) {
    return static_cast<int64_t>(random() % bound);
  }
  /// Whether there is more than one place along a label.
  bool isWide(unsigned label) const {
    return cut[label] && range[label].size() > 1;
  }
  /// A place along a label, from its first or to its last point.
  ZRange atEnd(unsigned label, bool isLast, bool isPoint);

  llvm::ArrayRef<ZRange> range;
  llvm::SmallVector<bool> cut;
  std::mt19937_64 random;
};

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_TRIEDBOXES_H
