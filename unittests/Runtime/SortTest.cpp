//===- SortTest.cpp - Rows in order ---------------------------------------===//

#include "Core/Sort.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <iterator>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

using namespace tapestry::rt;

namespace {

/// What a request gives for rows of Words, beside the definition: the positions
/// in order, of which `isBelow` tells the order of two words.
template <typename Word, typename IsBelow> class Rows {
public:
  Rows(TapestryDType type, int64_t rows, int64_t length, IsBelow isBelow)
      : type(type), rows(rows), length(length), isBelow(isBelow),
        words(rows * length) {}

  std::vector<int64_t> order(int64_t row, bool descending) const {
    std::vector<int64_t> places(length);
    for (int64_t k = 0; k < length; ++k)
      places[k] = k;
    const Word *from = words.data() + row * length;
    std::sort(places.begin(), places.end(), [&](int64_t a, int64_t b) {
      bool isFirst =
          descending ? isBelow(from[b], from[a]) : isBelow(from[a], from[b]);
      bool isSecond =
          descending ? isBelow(from[a], from[b]) : isBelow(from[b], from[a]);
      return isFirst || (!isSecond && a < b);
    });
    return places;
  }

  /// One result, elements or indices, by the definition.
  template <typename Result> void check(SortRequest request, int64_t flags) {
    std::vector<Result> result(rows * request.count, Result(77));
    std::vector<uint64_t> scratch(4 * length + 64);
    request.mode = int32_t(flags);
    request.rows = rows;
    request.stride = request.length = length;
    request.source = words.data();
    request.scratch = scratch.data();
    request.offset = 1000;
    request.result = result.data();
    sortRows(type, request);
    bool wantsIndices = request.has(TAPESTRY_SORT_INDICES);
    for (int64_t row = 0; row < rows; ++row) {
      std::vector<int64_t> places =
          order(row, request.has(TAPESTRY_SORT_DESCENDING));
      for (int64_t k = 0; k < request.count; ++k) {
        int64_t rank = request.first + k;
        Result expected = 0;
        if (rank < length)
          expected = wantsIndices ? Result(1000 + places[rank])
                                  : Result(words[row * length + places[rank]]);
        Result got = result[row * request.count + k];
        // Keys lie above packed indices.
        if (request.has(TAPESTRY_SORT_PACKED))
          got = Result(uint64_t(got) & UINT32_MAX);
        EXPECT_EQ(got, expected);
      }
    }
  }
  void checkBoth(SortRequest request, int64_t flags) {
    check<Word>(request, flags);
    check<int64_t>(request, flags | TAPESTRY_SORT_INDICES);
    check<int64_t>(request, flags | TAPESTRY_SORT_INDICES | TAPESTRY_SORT_WIDE);
    if (sizeof(Word) <= 4)
      check<int64_t>(request,
                     flags | TAPESTRY_SORT_INDICES | TAPESTRY_SORT_PACKED);
  }

  /// All that may be asked for.
  void checkAll() {
    for (int64_t flags : {0, int(TAPESTRY_SORT_DESCENDING)}) {
      SortRequest request = {};
      request.count = length;
      checkBoth(request, flags);
      request.count = length / 3;
      checkBoth(request, flags);
      checkBoth(request, flags | TAPESTRY_SORT_SELECT);
      request.count = length + 2;
      checkBoth(request, flags | TAPESTRY_SORT_SELECT);
      request.first = length / 4;
      checkBoth(request, flags);
    }
  }

  TapestryDType type;
  int64_t rows, length;
  IsBelow isBelow;
  std::vector<Word> words;
};

} // namespace

template <typename Word, typename IsBelow>
static void checkRandom(TapestryDType type, IsBelow isBelow) {
  std::mt19937_64 random(7);
  // On both sides of where digits are counted.
  for (int64_t length : {0, 1, 2, 31, 40, 41, 97, 1009}) {
    Rows<Word, IsBelow> rows(type, 3, length, isBelow);
    for (Word &word : rows.words)
      word = Word(random());
    rows.checkAll();
    // Few different ones, all digits but one in common.
    for (Word &word : rows.words)
      word = Word(random() % 5 + 64);
    rows.checkAll();
    for (Word &word : rows.words)
      word = 9;
    rows.checkAll();
  }
}

template <typename Word, typename Number>
static void checkFloats(TapestryDType type, Word infinity) {
  constexpr Word sign = Word(1) << (8 * sizeof(Word) - 1);
  // By sign and size: a NaN is above all.
  auto isBelow = [=](Word a, Word b) {
    auto isNaN = [=](Word word) { return Word(word & ~sign) > infinity; };
    if (isNaN(a) || isNaN(b))
      return !isNaN(a) && isNaN(b);
    auto valueOf = [=](Word word) {
      Number size = Number(Word(word & ~sign));
      return word & sign ? -size : size;
    };
    return valueOf(a) < valueOf(b);
  };
  checkRandom<Word>(type, isBelow);
  std::mt19937_64 random(11);
  const Word special[] = {0,
                          sign,
                          1,
                          Word(sign | 1),
                          infinity,
                          Word(infinity | sign),
                          Word(infinity + 1),
                          Word(sign | (infinity + 1)),
                          Word(infinity - 1)};
  Rows<Word, decltype(isBelow)> rows(type, 2, 211, isBelow);
  for (Word &word : rows.words)
    word = special[random() % std::size(special)];
  rows.checkAll();
}

TEST(SortTest, Integers) {
  auto signedBelow = [](auto a, auto b) {
    using Signed = std::make_signed_t<decltype(a)>;
    return Signed(a) < Signed(b);
  };
  auto unsignedBelow = [](auto a, auto b) { return a < b; };
  checkRandom<uint8_t>(TAPESTRY_I8, signedBelow);
  checkRandom<uint16_t>(TAPESTRY_I16, signedBelow);
  checkRandom<uint32_t>(TAPESTRY_I32, signedBelow);
  checkRandom<uint64_t>(TAPESTRY_I64, signedBelow);
  checkRandom<uint8_t>(TAPESTRY_U8, unsignedBelow);
  checkRandom<uint16_t>(TAPESTRY_U16, unsignedBelow);
  checkRandom<uint32_t>(TAPESTRY_U32, unsignedBelow);
  checkRandom<uint64_t>(TAPESTRY_U64, unsignedBelow);
}

TEST(SortTest, Floats) {
  checkFloats<uint16_t, int64_t>(TAPESTRY_F16, 0x7c00);
  checkFloats<uint16_t, int64_t>(TAPESTRY_BF16, 0x7f80);
  checkFloats<uint32_t, int64_t>(TAPESTRY_F32, 0x7f800000);
  checkFloats<uint64_t, __int128>(TAPESTRY_F64, 0x7ff0000000000000);
}

/// Zeros of both signs, and NaNs, of which every run has some, keep their
/// order.
TEST(SortTest, RunsOfEqualElements) {
  constexpr uint32_t sign = 1u << 31, infinity = 0x7f800000;
  auto isNaN = [](uint32_t word) { return (word & ~sign) > infinity; };
  auto isBelow = [=](uint32_t a, uint32_t b) { return !isNaN(a) && isNaN(b); };
  constexpr int64_t length = 61, run = 9;
  Rows<uint32_t, decltype(isBelow)> rows(TAPESTRY_F32, 1, length, isBelow);
  std::mt19937_64 random(5);
  const uint32_t words[] = {0, sign, infinity + 1, sign | (infinity + 2)};
  for (uint32_t &word : rows.words)
    word = words[random() % 4];
  for (int64_t start = 0; start < length; start += run)
    std::sort(rows.words.begin() + start,
              rows.words.begin() + std::min(start + run, length), isBelow);
  for (int64_t first : {0, 20, 45}) {
    SortRequest request = {};
    request.run = run;
    request.first = first;
    request.count = 16;
    rows.check<uint32_t>(request, 0);
  }
}

/// Ranks of runs that are in order already, as if nothing was.
TEST(SortTest, Runs) {
  std::mt19937_64 random(3);
  auto isBelow = [](uint16_t a, uint16_t b) { return a < b; };
  for (bool descending : {false, true})
    for (int64_t run : {1, 7, 50, 97, 200}) {
      constexpr int64_t length = 97;
      Rows<uint16_t, decltype(isBelow)> rows(TAPESTRY_U16, 3, length, isBelow);
      for (int64_t start = 0; start < 3 * length;) {
        int64_t end = std::min(start + run, (start / length + 1) * length);
        for (int64_t k = start; k < end; ++k)
          rows.words[k] = random() % 23;
        std::sort(rows.words.begin() + start, rows.words.begin() + end);
        if (descending)
          std::reverse(rows.words.begin() + start, rows.words.begin() + end);
        start = end;
      }
      for (auto [first, count] : {std::pair<int64_t, int64_t>{0, 97},
                                  {0, 0},
                                  {0, 1},
                                  {13, 40},
                                  {50, 47},
                                  {96, 1},
                                  {97, 0}}) {
        SortRequest request = {};
        request.run = run;
        request.first = first;
        request.count = count;
        rows.check<uint16_t>(request,
                             descending ? TAPESTRY_SORT_DESCENDING : 0);
      }
    }
}

/// Packed indices are, without a sign, in the order of what they are of.
TEST(SortTest, PackedIndicesAreInOrder) {
  const std::vector<float> values = {3, -1, 2, -0.0f, 0.0f, -7};
  std::vector<uint64_t> packed(6), scratch(16);
  SortRequest request = {};
  request.mode = TAPESTRY_SORT_INDICES | TAPESTRY_SORT_PACKED;
  request.rows = 1;
  request.stride = request.length = request.count = 6;
  request.source = values.data();
  request.result = packed.data();
  request.scratch = scratch.data();
  sortRows(TAPESTRY_F32, request);
  EXPECT_TRUE(std::is_sorted(packed.begin(), packed.end()));
  std::vector<uint64_t> indices;
  for (uint64_t each : packed)
    indices.push_back(each & UINT32_MAX);
  EXPECT_EQ(indices, (std::vector<uint64_t>{5, 1, 3, 4, 2, 0}));
}
