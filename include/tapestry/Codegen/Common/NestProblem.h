//===- NestProblem.h - What planning needs of a loop nest -------*- C++ -*-===//
//
// A linalg operation's loops, accesses and body as plain numbers. Nest reads
// them from IR; each target has a policy of its own on them.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_COMMON_NESTPROBLEM_H
#define TAPESTRY_CODEGEN_COMMON_NESTPROBLEM_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <utility>

namespace tapestry {

/// What is assumed of an extent that is known at run time only.
constexpr int64_t assumedExtent = 256;

/// One loop of a nest.
struct NestDim {
  /// The number of points where `known`, where `expected` that on most devices;
  /// otherwise `assumedExtent`.
  int64_t extent = assumedExtent;
  bool known = false;
  bool reduction = false;
  bool expected = known;
};

/// What the elements of an input are in a sum of products, see NestAccess.
enum class Factor { None, BF16, Signed, Unsigned };

/// How an operand's address moves: `strides[d]` elements per step of loop d.
/// A stride that is known at run time only is an estimate above 1, so that 0
/// (does not depend on the loop) and 1 (contiguous) are always exact.
struct NestAccess {
  llvm::SmallVector<int64_t, 6> strides;
  unsigned bits = 32;
  bool output = false;
  /// The body reads it through a conversion to a wider type alone.
  bool converted = false;
  /// Of two inputs, where all that the nest does is to add their products in 32
  /// bits, to which the body widens both: whether they are bf16 or integers of
  /// `bits` with a sign or without.
  Factor factor = Factor::None;
  /// What lies between two of its elements is another output's.
  bool isPart = false;
  /// Of a load: the bytes of all that it may read, 0 where they are not known,
  /// and the loops along which its places follow no pattern.
  int64_t tableBytes = 0;
  llvm::SmallVector<bool, 6> jumps = {};

  bool dependsOn(unsigned dim) const { return strides[dim] != 0; }
};

/// A perfect loop nest: output = body(inputs, output), in any order of points
/// but that the reduction's combining operation is associative and commutative
/// and that a scan runs in order.
struct NestProblem {
  llvm::SmallVector<NestDim, 6> dims;
  llvm::SmallVector<NestAccess, 4> accesses;
  /// What the body reads at places of its own, of loops that are all parallel;
  /// a stride of `assumedExtent` stands for places that data name.
  llvm::SmallVector<NestAccess, 1> loads;
  /// The widest type that the body computes in.
  unsigned computeBits = 32;
  /// The body's cost in vector instructions per vector of results.
  unsigned bodyCost = 1;
  /// Partial results of different lanes can be combined afterwards.
  bool lanesCombine = false;
  /// Some result is made by what is no known monoid: reduction loops keep their
  /// order.
  bool keepsOrder = false;
  /// One output holds, at every point, what the reduction has given so far; the
  /// loop of the reduction, of which there is one, runs in order.
  bool isScan = false;
  /// Two parallel loops of as many points each: exchanging them exchanges two
  /// inputs that are one, and nothing else.
  std::optional<std::pair<unsigned, unsigned>> symmetric;
  /// The body may trap on lanes that hold no data (integer division).
  bool mayTrap = false;
};

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_COMMON_NESTPROBLEM_H
