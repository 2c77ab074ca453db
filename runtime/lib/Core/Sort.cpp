//===- Sort.cpp - Rows in order -------------------------------------------===//

#include "Core/Sort.h"
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

using namespace tapestry::rt;

namespace {

//===----------------------------------------------------------------------===//
// Orders: unsigned integers that compare as the elements do
//===----------------------------------------------------------------------===//

template <typename T, T infinity> struct FloatOrder {
  using Word = T;
  /// All bits where the order is descending.
  Word flip;
  Word operator()(Word bits) const {
    constexpr Word sign = Word(1) << (8 * sizeof(Word) - 1);
    Word size = bits & Word(~sign);
    Word key = bits & sign ? Word(~bits) : Word(bits | sign);
    key = size == 0 ? sign : key;
    key = size > infinity ? Word(~Word(0)) : key;
    return key ^ flip;
  }
};

template <typename T, bool isSigned> struct IntegerOrder {
  using Word = T;
  Word flip;
  Word operator()(Word bits) const {
    constexpr Word sign = Word(1) << (8 * sizeof(Word) - 1);
    return (isSigned ? Word(bits ^ sign) : bits) ^ flip;
  }
};

//===----------------------------------------------------------------------===//
// Items: what is moved while a row is sorted
//===----------------------------------------------------------------------===//

/// Elements alone.
template <typename Order> struct ElementItems {
  using Word = typename Order::Word;
  using Item = Word;
  using Key = Word;
  Order order;
  Item make(Word bits, int64_t) const { return bits; }
  Key key(Item item) const { return order(item); }
  Word keyOf(Word bits) const { return order(bits); }
};

/// Keys of up to 32 bits above places that fit below them.
template <typename Order> struct PackedItems {
  using Word = typename Order::Word;
  using Item = uint64_t;
  using Key = Word;
  Order order;
  Item make(Word bits, int64_t place) const {
    return uint64_t(order(bits)) << 32 | uint64_t(place);
  }
  Key key(Item item) const { return Key(item >> 32); }
  Key keyOf(Word bits) const { return Key(order(bits)); }
  int64_t place(Item item) const { return int64_t(item & UINT32_MAX); }
};

struct WideItem {
  uint64_t key;
  int64_t place;
};
template <typename Order> struct WideItems {
  using Word = typename Order::Word;
  using Item = WideItem;
  using Key = uint64_t;
  Order order;
  Item make(Word bits, int64_t place) const { return {order(bits), place}; }
  Key key(Item item) const { return item.key; }
  Key keyOf(Word bits) const { return order(bits); }
  int64_t place(Item item) const { return item.place; }
};

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// From here on, counting digits is faster than moving items one by one.
constexpr int64_t fewItems = 40;

/// Puts `count` items in order into `out`, with `other` as room for as many.
/// `forEach` gives them to a function, one after the other.
template <typename Items, typename ForEach>
void sortItems(const Items &items, int64_t count, typename Items::Item *out,
               typename Items::Item *other, ForEach forEach) {
  using Item = typename Items::Item;
  using Key = typename Items::Key;
  if (count <= fewItems) {
    int64_t done = 0;
    forEach([&](Item item) {
      int64_t at = done++;
      for (; at > 0 && items.key(out[at - 1]) > items.key(item); --at)
        out[at] = out[at - 1];
      out[at] = item;
    });
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
  unsigned passes[numDigits], numPasses = 0;
  for (unsigned digit = 0; digit < numDigits; ++digit) {
    if (*std::max_element(counts[digit], counts[digit] + numValues) == count)
      continue;
    passes[numPasses++] = digit;
    int64_t start = 0;
    for (int64_t &each : counts[digit])
      start += std::exchange(each, start);
  }
  if (numPasses == 0) {
    Item *next = out;
    forEach([&](Item item) { *next++ = item; });
    return;
  }
  Item *to = numPasses % 2 ? out : other, *from = to == out ? other : out;
  forEach([&](Item item) {
    to[counts[passes[0]][digitOf(item, passes[0])]++] = item;
  });
  for (unsigned pass = 1; pass < numPasses; ++pass) {
    std::swap(from, to);
    int64_t *starts = counts[passes[pass]];
    for (int64_t at = 0; at < count; ++at)
      to[starts[digitOf(from[at], passes[pass])]++] = from[at];
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

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

template <typename Items> class RowSorter {
public:
  using Word = typename Items::Word;
  using Item = typename Items::Item;
  static constexpr bool hasPlaces =
      !std::is_same_v<Items,
                      ElementItems<decltype(std::declval<Items>().order)>>;

  RowSorter(Items items, const SortRequest &request)
      : items(items), request(request) {}

  void run() {
    for (row = 0; row < request.rows; ++row)
      sortRow();
  }

private:
  const Word *source() const {
    return static_cast<const Word *>(request.source) + row * request.stride;
  }
  using Result = std::conditional_t<hasPlaces, int64_t, Word>;
  Result *result() const {
    return static_cast<Result *>(request.result) + row * request.count;
  }
  /// Where items may be left that are as large as the results.
  Item *target() const {
    return sizeof(Item) == sizeof(Result) ? reinterpret_cast<Item *>(result())
                                          : nullptr;
  }
  void sortRow();
  void store(const Item *sorted, int64_t count);

  Items items;
  const SortRequest &request;
  int64_t row = 0;
  std::vector<int64_t> begins, ends;
};

} // namespace

/// What is sorted may lie where the results do.
template <typename Items>
void RowSorter<Items>::store(const Item *sorted, int64_t count) {
  Result *to = result();
  bool isPacked = request.has(TAPESTRY_SORT_PACKED);
  for (int64_t k = 0; k < request.count; ++k) {
    if (k >= count) {
      to[k] = 0;
      continue;
    }
    Item item = sorted[k];
    if constexpr (hasPlaces) {
      to[k] = request.offset + items.place(item);
      if (isPacked)
        to[k] |= int64_t(uint64_t(items.key(item)) << 32);
    } else {
      to[k] = item;
    }
  }
}

template <typename Items> void RowSorter<Items>::sortRow() {
  const Word *from = source();
  auto *scratch = static_cast<Item *>(request.scratch);
  if (request.has(TAPESTRY_SORT_SELECT))
    return store(scratch, selectItems(items, from, request.length,
                                      request.count, scratch));
  int64_t count = request.length;
  if (request.run) {
    count = request.count;
    splitRuns(items.order, from, request.length, request.run, request.first,
              begins);
    splitRuns(items.order, from, request.length, request.run,
              request.first + count, ends);
  }
  Item *out = count == request.count ? target() : nullptr;
  Item *other = out ? scratch : scratch + count;
  if (!out)
    out = scratch;
  if (request.run)
    sortItems(items, count, out, other, [&](auto take) {
      for (size_t piece = 0; piece < ends.size(); ++piece)
        for (int64_t at = begins[piece]; at < ends[piece]; ++at)
          take(items.make(from[at], at));
    });
  else
    sortItems(items, count, out, other, [&](auto take) {
      for (int64_t at = 0; at < count; ++at)
        take(items.make(from[at], at));
    });
  if (hasPlaces || out != target())
    store(out, std::min(count, request.count));
}

template <typename Order> static void sortBy(const SortRequest &request) {
  using Word = typename Order::Word;
  Order order{request.has(TAPESTRY_SORT_DESCENDING) ? Word(~Word(0)) : Word(0)};
  if (!request.has(TAPESTRY_SORT_INDICES))
    return RowSorter<ElementItems<Order>>({order}, request).run();
  if constexpr (sizeof(Word) <= 4)
    if (!request.has(TAPESTRY_SORT_WIDE))
      return RowSorter<PackedItems<Order>>({order}, request).run();
  RowSorter<WideItems<Order>>({order}, request).run();
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
