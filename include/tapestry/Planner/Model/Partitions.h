//===- Partitions.h - The viable partitions of a vertex ---------*- C++ -*-===//
//
// Enumerates the partitioning vectors d of the EinDecomp paper (sections 6 and
// 8.1) for any number of devices, not only powers of two.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_MODEL_PARTITIONS_H
#define TAPESTRY_PLANNER_MODEL_PARTITIONS_H

#include "tapestry/Planner/Model/Graph.h"
#include "tapestry/Support/Layout.h"

namespace tapestry::model {

/// The positive divisors of n >= 1, ascending.
llvm::SmallVector<int64_t> divisorsOf(int64_t n);

/// The largest product of parts that labels of these extents reach: d(l) is a
/// divisor of `devices` and at most l's extent, and the product divides
/// `devices` too. It is `devices` itself unless extents are too small.
/// Labels with an entry other than 0 in `fixed` (empty, or one entry per label)
/// have exactly so many parts; 0 where these are no viable number.
int64_t largestReachableProduct(llvm::ArrayRef<int64_t> extents,
                                int64_t devices,
                                llvm::ArrayRef<int64_t> fixed = {});

/// How many viable partitions there are (a double: the count may be huge).
double countViablePartitions(llvm::ArrayRef<int64_t> extents, int64_t devices,
                             llvm::ArrayRef<int64_t> fixed = {});

/// The viable partitions: every d with d(l) a divisor of `devices`, at most l's
/// extent, and a product of exactly largestReachableProduct(). They come in
/// lexicographic order, most parts of the first label first, so that ties are
/// settled in favour of cutting the leading (output) labels.
/// With `fixed` parts the others are as many as they can be beside those; none
/// at all where the fixed ones cannot be had.
std::vector<PartVector> viablePartitions(llvm::ArrayRef<int64_t> extents,
                                         int64_t devices,
                                         llvm::ArrayRef<int64_t> fixed = {});

/// The parts per dimension in which `operand` of `vertex` is read: the product
/// of the parts of the labels in each dimension.
PartVector partsOfOperand(const PlanVertex &vertex, unsigned operand,
                          llvm::ArrayRef<int64_t> parts);

/// Gives inputs that are stored for their only reader the parts in which it
/// reads them.
void setStoredParts(const PlanGraph &graph,
                    llvm::MutableArrayRef<PartVector> parts);

/// "[2, 1, 4]".
std::string partsToString(llvm::ArrayRef<int64_t> parts);

} // namespace tapestry::model

#endif // TAPESTRY_PLANNER_MODEL_PARTITIONS_H
