//===- Sort.cpp - Rows in order -------------------------------------------===//

#include "Core/Sort.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

using namespace tapestry::rt;

namespace {

//===----------------------------------------------------------------------===//
// Orders: unsigned integers that compare as the elements do
//===----------------------------------------------------------------------===//

/// `spread` is one to one, and `word` its inverse: NaNs, which are above all,
/// and the two zeros differ by it. `equalKeys` are ranges of such keys whose
/// elements are equal.
template <typename T, T infinity> struct FloatOrder {
  using Word = T;
  static constexpr Word sign = Word(1) << (8 * sizeof(Word) - 1);
  /// Of one sign.
  static constexpr Word numNaNs = Word(~(infinity | sign));
  /// All bits where the order is descending.
  Word flip;
  Word operator()(Word bits) const {
    Word size = bits & Word(~sign);
    Word key = bits ^ turned(bits);
    key = size == 0 ? sign : key;
    key = size > infinity ? Word(~Word(0)) : key;
    return key ^ flip;
  }
  Word spread(Word bits) const {
    return Word((bits ^ turned(bits)) - numNaNs) ^ flip;
  }
  Word word(Word spread) const {
    Word key = Word((spread ^ flip) + numNaNs);
    return key ^ turned(Word(~key));
  }
  /// All bits of negative numbers, else the sign alone, without a branch.
  static Word turned(Word bits) {
    return Word(Word(0) - Word(bits / sign)) | sign;
  }
  std::array<std::pair<Word, Word>, 2> equalKeys() const {
    auto range = [this](Word first, Word last) {
      return std::minmax({Word(first ^ flip), Word(last ^ flip)});
    };
    Word zero = Word(sign - numNaNs);
    return {range(Word(zero - 1), zero),
            range(Word(Word(0) - 2 * numNaNs), Word(~Word(0)))};
  }
};

template <typename T, bool isSigned> struct IntegerOrder {
  using Word = T;
  Word flip;
  Word operator()(Word bits) const {
    constexpr Word sign = Word(1) << (8 * sizeof(Word) - 1);
    return (isSigned ? Word(bits ^ sign) : bits) ^ flip;
  }
  Word spread(Word bits) const { return (*this)(bits); }
  Word word(Word spread) const { return (*this)(spread); }
  std::array<std::pair<Word, Word>, 0> equalKeys() const { return {}; }
};

//===----------------------------------------------------------------------===//
// Items: what is moved while a row is sorted
//===----------------------------------------------------------------------===//

/// Elements alone.
template <typename Order> struct ElementItems {
  using Word = typename Order::Word;
  using Item = Word;
  using Key = Word;
  using Result = Word;
  ElementItems(Order order, const SortRequest &) : order(order) {}
  Item make(Word bits, int64_t) const { return bits; }
  Key key(Item item) const { return order(item); }
  Key keyOf(Word bits) const { return order(bits); }
  Result result(Item item) const { return item; }
  Order order;
};

/// Keys that the elements can be had from again.
template <typename Order> struct SpreadItems {
  using Word = typename Order::Word;
  using Item = Word;
  using Key = Word;
  using Result = Word;
  SpreadItems(Order order, const SortRequest &) : order(order) {}
  Item make(Word bits, int64_t) const { return order.spread(bits); }
  Key key(Item item) const { return item; }
  Result result(Item item) const { return order.word(item); }
  Order order;
};

/// Keys of up to 32 bits above places that fit below them.
template <typename Order> struct PackedItems {
  using Word = typename Order::Word;
  using Item = uint64_t;
  using Key = Word;
  using Result = int64_t;
  PackedItems(Order order, const SortRequest &request)
      : order(order), offset(request.offset),
        places(request.has(TAPESTRY_SORT_PACKED) ? UINT64_MAX : UINT32_MAX) {}
  Item make(Word bits, int64_t place) const {
    return uint64_t(order(bits)) << 32 | uint64_t(place);
  }
  Key key(Item item) const { return Key(item >> 32); }
  Key keyOf(Word bits) const { return order(bits); }
  Result result(Item item) const {
    return int64_t((item & places) + uint64_t(offset));
  }
  Order order;
  int64_t offset;
  uint64_t places;
};

struct WideItem {
  uint64_t key;
  int64_t place;
};
template <typename Order> struct WideItems {
  using Word = typename Order::Word;
  using Item = WideItem;
  using Key = uint64_t;
  using Result = int64_t;
  WideItems(Order order, const SortRequest &request)
      : order(order), offset(request.offset) {}
  Item make(Word bits, int64_t place) const { return {order(bits), place}; }
  Key key(Item item) const { return item.key; }
  Key keyOf(Word bits) const { return order(bits); }
  Result result(Item item) const { return offset + item.place; }
  Order order;
  int64_t offset;
};

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// From here on, counting digits is faster than moving items one by one.
constexpr int64_t fewItems = 40;

/// Gives `put` the rank and the item of each of `count`. `forEach` gives them
/// to a function, one after the other; each of the two `buffers` has room for
/// as many, and the second is no longer read when the first item is put.
template <typename Items, typename ForEach, typename Put>
void sortItems(const Items &items, int64_t count,
               typename Items::Item *const (&buffers)[2], ForEach forEach,
               Put put) {
  using Item = typename Items::Item;
  using Key = typename Items::Key;
  if (count <= fewItems) {
    Item few[fewItems];
    int64_t done = 0;
    forEach([&](Item item) {
      int64_t at = done++;
      for (; at > 0 && items.key(few[at - 1]) > items.key(item); --at)
        few[at] = few[at - 1];
      few[at] = item;
    });
    for (int64_t at = 0; at < count; ++at)
      put(at, few[at]);
    return;
  }
  constexpr unsigned bits = 8, numDigits = sizeof(Key) * 8 / bits;
  constexpr unsigned numValues = 1 << bits;
  int64_t counts[numDigits][numValues] = {};
  auto digitOf = [&](Item item, unsigned digit) {
    return unsigned(items.key(item) >> (digit * bits)) & (numValues - 1);
  };
  forEach([&](Item item) {
    for (unsigned digit = 0; digit < numDigits; ++digit)
      ++counts[digit][digitOf(item, digit)];
  });
  // A digit that all have in common moves nothing.
  unsigned passes[numDigits] = {}, numPasses = 0;
  for (unsigned digit = 0; digit < numDigits; ++digit) {
    if (*std::max_element(counts[digit], counts[digit] + numValues) == count)
      continue;
    passes[numPasses++] = digit;
    int64_t start = 0;
    for (int64_t &each : counts[digit])
      start += std::exchange(each, start);
  }
  // All are equal: the order of any digit is theirs.
  if (numPasses == 0) {
    numPasses = 1;
    std::fill_n(counts[0], numValues, 0);
  }
  // Where the items are that pass number `pass` reads.
  const Item *from = nullptr;
  auto forItems = [&](auto take) {
    if (!from)
      return forEach(take);
    for (int64_t at = 0; at < count; ++at)
      take(from[at]);
  };
  for (unsigned pass = 0; pass < numPasses; ++pass) {
    unsigned digit = passes[pass];
    int64_t *next = counts[digit];
    if (pass + 1 == numPasses) {
      forItems([&](Item item) { put(next[digitOf(item, digit)]++, item); });
      return;
    }
    Item *to = buffers[(numPasses - pass) % 2];
    forItems([&](Item item) { to[next[digitOf(item, digit)]++] = item; });
    from = to;
  }
}

/// Of elements that are equal, but whose spread keys are not, `put` gets those
/// that the sorted [begin, end) has any of as they came. `isAll` says that it
/// has all elements.
template <typename Order, typename ForEach, typename Put>
void keepEqual(const Order &order, const typename Order::Word *begin,
               const typename Order::Word *end, bool isAll, ForEach forEach,
               Put put) {
  using Word = typename Order::Word;
  for (auto range : order.equalKeys()) {
    Word least = range.first, size = Word(range.second - least);
    const Word *first = std::partition_point(
        begin, end, [&](Word bits) { return order.spread(bits) < least; });
    const Word *last = std::partition_point(first, end, [&](Word bits) {
      return Word(order.spread(bits) - least) <= size;
    });
    if (first == last || (isAll && *first == last[-1]))
      continue;
    int64_t rank = 0;
    forEach([&](Word key) { rank += key < least; });
    forEach([&](Word key) {
      if (Word(key - least) <= size)
        put(rank++, key);
    });
  }
}

/// Puts the first `count` of a row into `best`, in order; how many there are.
template <typename Items>
int64_t selectItems(const Items &items, const typename Items::Word *row,
                    int64_t length, int64_t count, typename Items::Item *best) {
  using Key = typename Items::Key;
  int64_t held = 0, at = 0;
  auto enter = [&](Key key) {
    int64_t place = held < count ? held++ : count - 1;
    for (; place > 0 && items.key(best[place - 1]) > key; --place)
      best[place] = best[place - 1];
    best[place] = items.make(row[at], at);
  };
  for (; at < length && held < count; ++at)
    enter(items.keyOf(row[at]));
  if (count == 0)
    return 0;
  Key last = items.key(best[held - 1]);
  // Hardly any block has one that comes before the last of the best.
  constexpr int64_t block = 32;
  while (at < length) {
    if (at + block <= length) {
      bool any = false;
      for (int64_t k = 0; k < block; ++k)
        any |= items.keyOf(row[at + k]) < last;
      if (!any) {
        at += block;
        continue;
      }
    }
    for (int64_t end = std::min(at + block, length); at < end; ++at) {
      Key key = items.keyOf(row[at]);
      if (key >= last)
        continue;
      enter(key);
      last = items.key(best[count - 1]);
    }
  }
  return held;
}

//===----------------------------------------------------------------------===//
// Runs that are sorted already
//===----------------------------------------------------------------------===//

/// Where the first `rank` elements of all runs together end in each of them.
template <typename Order>
void splitRuns(const Order &order, const typename Order::Word *row,
               int64_t length, int64_t run, int64_t rank,
               std::vector<int64_t> &ends) {
  using Word = typename Order::Word;
  ends.clear();
  auto forRuns = [&](auto function) {
    for (int64_t start = 0; start < length; start += run)
      function(start, row + start, row + std::min(start + run, length));
  };
  auto isBelow = [&](Word bits, Word key) { return order(bits) < key; };
  auto isAbove = [&](Word key, Word bits) { return key < order(bits); };
  // The least key that so many elements do not exceed.
  Word low = 0, high = Word(~Word(0));
  while (low < high) {
    Word middle = low + (high - low) / 2;
    int64_t count = 0;
    forRuns([&](int64_t, const Word *begin, const Word *end) {
      count += std::upper_bound(begin, end, middle, isAbove) - begin;
    });
    if (count >= rank)
      high = middle;
    else
      low = middle + 1;
  }
  int64_t rest = rank;
  forRuns([&](int64_t start, const Word *begin, const Word *end) {
    int64_t below = std::lower_bound(begin, end, low, isBelow) - begin;
    ends.push_back(start + below);
    rest -= below;
  });
  // Of equal ones those of earlier runs come first.
  auto *next = ends.data();
  forRuns([&](int64_t, const Word *begin, const Word *end) {
    const Word *equal = row + *next;
    int64_t taken = std::min<int64_t>(
        rest, std::upper_bound(equal, end, low, isAbove) - equal);
    (void)begin;
    *next++ += taken;
    rest -= taken;
  });
}

/// `isFirst ? first : second`, of which a compiler shall not make a branch.
template <typename Word> Word pick(bool isFirst, Word first, Word second) {
#if __has_builtin(__builtin_unpredictable)
  return __builtin_unpredictable(isFirst) ? first : second;
#else
  return isFirst ? first : second;
#endif
}

/// Merges [left, middle) and [middle, end) into `out`; of equal elements those
/// of the left come first.
template <typename Order>
void mergeTwo(const Order &order, const typename Order::Word *left,
              const typename Order::Word *leftEnd,
              const typename Order::Word *right,
              const typename Order::Word *rightEnd, typename Order::Word *out) {
  using Word = typename Order::Word;
  Word *outEnd = out + (leftEnd - left) + (rightEnd - right);
  // From both ends at once, as far as neither side can run out: two chains of
  // steps that do not wait for one another.
  while (int64_t steps = std::min(leftEnd - left, rightEnd - right) / 2) {
    for (; steps > 0; --steps) {
      Word first = *left, second = *right;
      bool isRight = order(second) < order(first);
      *out++ = pick(isRight, second, first);
      right += isRight;
      left += !isRight;
      first = leftEnd[-1], second = rightEnd[-1];
      bool isLeft = order(second) < order(first);
      *--outEnd = pick(isLeft, first, second);
      leftEnd -= isLeft;
      rightEnd -= !isLeft;
    }
  }
  std::merge(left, leftEnd, right, rightEnd, out,
             [&](auto a, auto b) { return order(a) < order(b); });
}

/// Pieces of a row, each in order.
template <typename Word>
using Pieces = std::vector<std::pair<const Word *, const Word *>>;

/// Merges pairs of pieces into `out`, one behind the other.
template <typename Order, typename Word>
void mergePairs(const Order &order, Pieces<Word> &pieces, Word *out) {
  size_t kept = 0;
  for (size_t piece = 0; piece < pieces.size(); piece += 2) {
    auto [left, leftEnd] = pieces[piece];
    auto [right, rightEnd] =
        piece + 1 < pieces.size() ? pieces[piece + 1] : pieces[piece];
    if (piece + 1 == pieces.size())
      right = rightEnd;
    Word *end = out + (leftEnd - left) + (rightEnd - right);
    mergeTwo(order, left, leftEnd, right, rightEnd, out);
    pieces[kept++] = {out, end};
    out = end;
  }
  pieces.resize(kept);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

template <typename Word> struct Row {
  const SortRequest &request;
  const Word *source;

  template <typename Order> void merge(Order order, Word *result) const;
  template <typename Items>
  void select(const Items &items, typename Items::Result *result) const;
  template <typename Items>
  void sort(const Items &items, typename Items::Result *result) const;
};

} // namespace

template <typename Word>
template <typename Order>
void Row<Word>::merge(Order order, Word *result) const {
  std::vector<int64_t> begins, ends;
  for (auto [rank, places] : {std::pair(request.first, &begins),
                              std::pair(request.first + request.count, &ends)})
    splitRuns(order, source, request.length, request.run, rank, *places);
  Pieces<Word> pieces;
  for (size_t run = 0; run < begins.size(); ++run)
    if (begins[run] < ends[run])
      pieces.push_back({source + begins[run], source + ends[run]});
  int64_t total = 0;
  for (auto [begin, end] : pieces)
    total += end - begin;
  std::fill(result + total, result + request.count, Word(0));
  // The last pass gives the result.
  Word *to = result, *other = static_cast<Word *>(request.scratch);
  for (size_t number = pieces.size(); number > 2; number = (number + 1) / 2)
    std::swap(to, other);
  do {
    mergePairs(order, pieces, to);
    std::swap(to, other);
  } while (pieces.size() > 1);
}

template <typename Word>
template <typename Items>
void Row<Word>::select(const Items &items,
                       typename Items::Result *result) const {
  auto *best = static_cast<typename Items::Item *>(request.scratch);
  int64_t held =
      selectItems(items, source, request.length, request.count, best);
  for (int64_t k = 0; k < held; ++k)
    result[k] = items.result(best[k]);
  std::fill(result + held, result + request.count, 0);
}

template <typename Word>
template <typename Items>
void Row<Word>::sort(const Items &items, typename Items::Result *result) const {
  using Item = typename Items::Item;
  int64_t length = request.length, count = request.count;
  auto forEach = [&](auto take) {
    for (int64_t at = 0; at < length; ++at)
      take(items.make(source[at], at));
  };
  auto *scratch = static_cast<Item *>(request.scratch);
  bool isAll = request.first == 0 && count == length;
  auto sortInto = [&](Item *second, auto put) {
    sortItems(items, length, {scratch, second}, forEach, put);
    if constexpr (std::is_same_v<Items, SpreadItems<decltype(items.order)>>)
      keepEqual(items.order, result,
                result + std::clamp<int64_t>(length - request.first, 0, count),
                isAll, forEach, put);
  };
  if (isAll)
    return sortInto(
        sizeof(Item) == sizeof(*result) ? reinterpret_cast<Item *>(result)
                                        : scratch + length,
        [&](int64_t rank, Item item) { result[rank] = items.result(item); });
  std::fill_n(result, count, 0);
  sortInto(scratch + length, [&](int64_t rank, Item item) {
    uint64_t at = uint64_t(rank) - uint64_t(request.first);
    if (at < uint64_t(count))
      result[at] = items.result(item);
  });
}

template <typename Order> static void sortBy(const SortRequest &request) {
  using Word = typename Order::Word;
  Order order{request.has(TAPESTRY_SORT_DESCENDING) ? Word(~Word(0)) : Word(0)};
  auto forRows = [&](auto *result, auto function) {
    for (int64_t row = 0; row < request.rows; ++row)
      function(Row<Word>{request, static_cast<const Word *>(request.source) +
                                      row * request.stride},
               result + row * request.count);
  };
  auto sort = [&](auto items) {
    forRows(static_cast<typename decltype(items)::Result *>(request.result),
            [&](Row<Word> row, auto *result) { row.sort(items, result); });
  };
  auto select = [&](auto items) {
    forRows(static_cast<typename decltype(items)::Result *>(request.result),
            [&](Row<Word> row, auto *result) { row.select(items, result); });
  };
  bool selects = request.has(TAPESTRY_SORT_SELECT);
  if (!request.has(TAPESTRY_SORT_INDICES)) {
    if (selects)
      return select(ElementItems<Order>(order, request));
    if (!request.run)
      return sort(SpreadItems<Order>(order, request));
    return forRows(
        static_cast<Word *>(request.result),
        [&](Row<Word> row, Word *result) { row.merge(order, result); });
  }
  auto sortPlaces = [&](auto items) { selects ? select(items) : sort(items); };
  if constexpr (sizeof(Word) <= 4)
    if (!request.has(TAPESTRY_SORT_WIDE))
      return sortPlaces(PackedItems<Order>(order, request));
  sortPlaces(WideItems<Order>(order, request));
}

void tapestry::rt::sortRows(TapestryDType type, const SortRequest &request) {
  switch (type) {
  case TAPESTRY_F64:
    return sortBy<FloatOrder<uint64_t, 0x7ff0000000000000>>(request);
  case TAPESTRY_F32:
    return sortBy<FloatOrder<uint32_t, 0x7f800000>>(request);
  case TAPESTRY_F16:
    return sortBy<FloatOrder<uint16_t, 0x7c00>>(request);
  case TAPESTRY_BF16:
    return sortBy<FloatOrder<uint16_t, 0x7f80>>(request);
  case TAPESTRY_I8:
    return sortBy<IntegerOrder<uint8_t, true>>(request);
  case TAPESTRY_I16:
    return sortBy<IntegerOrder<uint16_t, true>>(request);
  case TAPESTRY_I32:
    return sortBy<IntegerOrder<uint32_t, true>>(request);
  case TAPESTRY_I64:
    return sortBy<IntegerOrder<uint64_t, true>>(request);
  case TAPESTRY_BOOL:
  case TAPESTRY_U8:
    return sortBy<IntegerOrder<uint8_t, false>>(request);
  case TAPESTRY_U16:
    return sortBy<IntegerOrder<uint16_t, false>>(request);
  case TAPESTRY_U32:
    return sortBy<IntegerOrder<uint32_t, false>>(request);
  case TAPESTRY_U64:
    return sortBy<IntegerOrder<uint64_t, false>>(request);
  // They have no order, and no program asks for one.
  case TAPESTRY_C64:
  case TAPESTRY_C128:
    break;
  }
}
