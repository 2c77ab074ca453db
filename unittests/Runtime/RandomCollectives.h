//===- RandomCollectives.h - Collectives of every kind ----------*- C++ -*-===//
//
// A program of random collectives that checks itself: kinds, element types,
// monoids, grids of several axes with groups over any of them, uneven and empty
// parts, in place or not. What must arrive is computed directly.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_UNITTESTS_RUNTIME_RANDOMCOLLECTIVES_H
#define TAPESTRY_UNITTESTS_RUNTIME_RANDOMCOLLECTIVES_H

#include "TestProgram.h"
#include <random>

namespace tapestry {
namespace rt {
namespace testing {

/// An element type with a monoid and values for which the order in which they
/// are combined makes no difference.
struct Combination {
  int32_t dtype;
  int32_t monoid;
  int64_t elementSize;
  TapestryCombineFn combine;
  /// Writes `count` values.
  void (*fill)(void *values, int64_t count, std::mt19937 &random);
};
/// All that a program can ask for.
const std::vector<Combination> &allCombinations();

class RandomCollectives {
public:
  static constexpr int usualCount = 150;

  /// With `most` > 1 up to so many are on their way at once.
  RandomCollectives(int devices, int count, unsigned seed, size_t most = 1);

  /// Its body ends all ranks where a value is wrong.
  TestProgram program;

  /// Per collective: the bytes that all devices hand over to a back end that
  /// takes each part once where all members get all parts and each is one
  /// stretch of the whole; 0 where no device has anything to say to another.
  std::vector<int64_t> payloads() const;

private:
  struct Case {
    int32_t kind;
    Combination type;
    std::vector<int64_t> shape;
    std::vector<Box> source, target;
    std::vector<int32_t> groupOf, replicaOf;
    bool inPlace;

    bool reduces() const {
      return kind == TAPESTRY_ALL_REDUCE || kind == TAPESTRY_REDUCE_SCATTER;
    }
    std::vector<int> membersOf(int device) const;
    bool talks(int a, int b) const;
    int64_t moved(int from, int to) const;
    int64_t sentElements() const;
    bool gathersStretches(const std::vector<int> &members) const;
  };

  Case randomCase(std::mt19937 &random) const;
  /// The whole tensor as one device holds it: its partial values of a
  /// reduction, the same on all devices of an exchange.
  std::string tensor(const Case &item, int number, int device) const;
  std::string expected(const Case &item, int number, int device) const;
  struct Call {
    int number;
    std::string held, got;

    const void *source(bool inPlace) const {
      return inPlace ? got.data() : held.data();
    }
    void *target() { return got.empty() ? nullptr : got.data(); }
  };
  Call prepare(int number, int device) const;
  void check(TapestryRank *rank, const Call &call) const;
  void runInTurn(TapestryRank *rank) const;
  void runTogether(TapestryRank *rank, size_t most) const;

  int devices;
  unsigned seed;
  std::vector<Case> cases;
};

} // namespace testing
} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_UNITTESTS_RUNTIME_RANDOMCOLLECTIVES_H
