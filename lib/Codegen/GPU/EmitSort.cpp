//===- EmitSort.cpp - Rows in order ---------------------------------------===//
//
// An element is a word that is smaller, without a sign, where the element comes
// first, and its place in the row, so that no two are equal and any network
// that sorts keeps the order of equal elements.
//
// A row that fits in shared memory is sorted there by one block (K. E. Batcher,
// 1968). Of longer ones pieces are; then each element counts in the others what
// comes before it, which is its place in the result. Of a selection a block
// keeps the best so far beside each next piece.
//
//===----------------------------------------------------------------------===//

#include "DeviceModule.h"
#include "SortEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tapestry-rt/ABI.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tapestry {
namespace {

/// What a block sorts in shared memory.
constexpr int64_t mostItems = 2048;

class SortEmitter : public LaunchEmitter {
public:
  SortEmitter(IndexBuilder &b, const SortCall &call);

  void emit();

private:
  /// The words of an item, the first above the second.
  using Item = SmallVector<Value, 2>;

  bool has(int32_t flag) const { return (call.mode & flag) != 0; }
  Value word(Type type, uint64_t value);
  Value viewOf(Value pointer, Type element);
  Value cmp(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value load(Value memref, OpFoldResult at) {
    return memref::LoadOp::create(b, memref, b.value(at));
  }
  void store(Value value, Value memref, OpFoldResult at) {
    memref::StoreOp::create(b, value, memref, b.value(at));
  }

  // Items.
  Value keyOf(Value bits);
  Item itemOf(Value bits, OpFoldResult place);
  Item padding();
  Item select(Value condition, const Item &x, const Item &y);
  Value isBefore(const Item &x, const Item &y);
  Item itemAt(OpFoldResult at);
  void storeItem(const Item &item, OpFoldResult at);
  Item loadItem(OpFoldResult row, OpFoldResult place, OpFoldResult end);
  Value resultOf(const Item &item, OpFoldResult row);

  // Parts of kernels.
  void beginBlocks(OpFoldResult blocks, int64_t items);
  void sortShared();
  void exchange(OpFoldResult stage, OpFoldResult number);
  void storeRow(OpFoldResult row, OpFoldResult base, int64_t most);
  void store(Value value, OpFoldResult row, OpFoldResult number);
  void fillRest(OpFoldResult row, OpFoldResult own, OpFoldResult step);

  // Kernels.
  void emitShort(int64_t items);
  void emitLong();
  void emitSelection();
  void emitPieces(OpFoldResult row);
  void emitRanks(OpFoldResult row, OpFoldResult run);
  OpFoldResult countBefore(const Item &item, OpFoldResult piece,
                           OpFoldResult own, OpFoldResult run, Value steps);
  Value precedes(OpFoldResult at, const Item &item, Value isEarlier);
  Item pieceItem(OpFoldResult at);

  const SortCall &call;
  Type wordType, elementType;
  bool isFloat = false, isSigned = true;
  uint64_t infinity = 0;
  /// Key and place are one word.
  bool isPacked;
  Value source, result, scratch;
  /// Of the launch at hand: its threads, and the items that a block holds.
  int64_t threads = 0, numItems = 0;
  Item shared;
  /// What ranks are counted in: the elements' words, or items in `scratch`.
  Value pieces;
  OpFoldResult firstPiece;
};

SortEmitter::SortEmitter(IndexBuilder &b, const SortCall &call)
    : LaunchEmitter(b), call(call), wordType(b.getI64Type()) {
  unsigned width = 64;
  switch (call.dtype) {
  case TAPESTRY_F64:
    infinity = 0x7ff0000000000000;
    break;
  case TAPESTRY_F32:
    width = 32, infinity = 0x7f800000;
    break;
  case TAPESTRY_F16:
    width = 16, infinity = 0x7c00;
    break;
  case TAPESTRY_BF16:
    width = 16, infinity = 0x7f80;
    break;
  case TAPESTRY_BOOL:
  case TAPESTRY_U8:
    isSigned = false;
    [[fallthrough]];
  case TAPESTRY_I8:
    width = 8;
    break;
  case TAPESTRY_U16:
    isSigned = false;
    [[fallthrough]];
  case TAPESTRY_I16:
    width = 16;
    break;
  case TAPESTRY_U32:
    isSigned = false;
    [[fallthrough]];
  case TAPESTRY_I32:
    width = 32;
    break;
  case TAPESTRY_U64:
    isSigned = false;
    break;
  default:
    break;
  }
  isFloat = infinity != 0;
  elementType = b.getIntegerType(width);
  isPacked = width <= 32 && !has(TAPESTRY_SORT_WIDE);
  source = viewOf(call.source, elementType);
  result =
      viewOf(call.result, has(TAPESTRY_SORT_INDICES) ? wordType : elementType);
  scratch =
      viewOf(call.scratch, has(TAPESTRY_SORT_INDICES) ? wordType : elementType);
}

Value SortEmitter::word(Type type, uint64_t value) {
  unsigned width = type.getIntOrFloatBitWidth();
  return arith::ConstantOp::create(
      b, IntegerAttr::get(type, APInt(width, value, /*isSigned=*/false,
                                      /*implicitTrunc=*/true)));
}

Value SortEmitter::viewOf(Value pointer, Type element) {
  auto type = MemRefType::get({ShapedType::kDynamic}, element);
  return bufferAt(b, b.getLoc(), pointer, type, b.index(0), {b.value(1)},
                  {b.index(1)});
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

/// As the runtime's Sort.cpp: NaN is the largest value, the zeros are equal.
Value SortEmitter::keyOf(Value bits) {
  Type type = bits.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value all = word(type, UINT64_MAX);
  Value sign = word(type, uint64_t(1) << (width - 1));
  Value key = bits;
  if (isFloat) {
    Value isNegative = cmp(arith::CmpIPredicate::slt, bits, word(type, 0));
    key = arith::XOrIOp::create(
        b, bits, arith::SelectOp::create(b, isNegative, all, sign));
    Value size = both(bits, word(type, (uint64_t(1) << (width - 1)) - 1));
    Value isZero = cmp(arith::CmpIPredicate::eq, size, word(type, 0));
    Value isNaN = cmp(arith::CmpIPredicate::ugt, size, word(type, infinity));
    key = arith::SelectOp::create(b, isZero, sign, key);
    key = arith::SelectOp::create(b, isNaN, all, key);
  } else if (isSigned) {
    key = arith::XOrIOp::create(b, bits, sign);
  }
  if (has(TAPESTRY_SORT_DESCENDING))
    key = arith::XOrIOp::create(b, key, all);
  return width < 64 ? arith::ExtUIOp::create(b, wordType, key).getResult()
                    : key;
}

SortEmitter::Item SortEmitter::itemOf(Value bits, OpFoldResult place) {
  Value key = keyOf(bits);
  Value number = arith::IndexCastOp::create(b, wordType, b.value(place));
  if (!isPacked)
    return {key, number};
  return {arith::OrIOp::create(
      b, arith::ShLIOp::create(b, key, word(wordType, 32)), number)};
}

/// Comes behind all elements.
SortEmitter::Item SortEmitter::padding() {
  return Item(isPacked ? 1 : 2, word(wordType, UINT64_MAX));
}

SortEmitter::Item SortEmitter::select(Value condition, const Item &x,
                                      const Item &y) {
  Item chosen;
  for (auto [first, second] : llvm::zip_equal(x, y))
    chosen.push_back(arith::SelectOp::create(b, condition, first, second));
  return chosen;
}

Value SortEmitter::isBefore(const Item &x, const Item &y) {
  Value isLess = cmp(arith::CmpIPredicate::ult, x[0], y[0]);
  if (isPacked)
    return isLess;
  Value isEqual = cmp(arith::CmpIPredicate::eq, x[0], y[0]);
  return arith::OrIOp::create(
      b, isLess, both(isEqual, cmp(arith::CmpIPredicate::ult, x[1], y[1])));
}

SortEmitter::Item SortEmitter::itemAt(OpFoldResult at) {
  Item item;
  for (Value memory : shared)
    item.push_back(load(memory, at));
  return item;
}

void SortEmitter::storeItem(const Item &item, OpFoldResult at) {
  for (auto [value, memory] : llvm::zip_equal(item, shared))
    store(value, memory, at);
}

/// Padding behind `end`, which is not 0.
SortEmitter::Item SortEmitter::loadItem(OpFoldResult row, OpFoldResult place,
                                        OpFoldResult end) {
  OpFoldResult inside = b.min(place, b.sub(end, b.index(1)));
  Value bits = load(source, b.add(b.mul(row, call.stride), inside));
  return select(isLess(place, end), itemOf(bits, place), padding());
}

/// What the result is told of an item: the element, or where it is.
Value SortEmitter::resultOf(const Item &item, OpFoldResult row) {
  Value place = item.back();
  bool keepsKey = has(TAPESTRY_SORT_INDICES) && has(TAPESTRY_SORT_PACKED);
  if (isPacked && !keepsKey)
    place = both(place, word(wordType, UINT32_MAX));
  if (has(TAPESTRY_SORT_INDICES))
    return arith::AddIOp::create(b, place, call.offset);
  Value at = arith::IndexCastOp::create(b, b.getIndexType(), place);
  return load(source, b.add(b.mul(row, call.stride), at));
}

//===----------------------------------------------------------------------===//
// Parts of kernels
//===----------------------------------------------------------------------===//

void SortEmitter::beginBlocks(OpFoldResult blocks, int64_t items) {
  numItems = items;
  threads = std::clamp<int64_t>(items / 2, 32, blockThreads);
  begin(b.min(blocks, b.index(mostBlocks)), threads);
  shared.clear();
  for (int64_t words = isPacked ? 1 : 2; words > 0; --words)
    shared.push_back(share(wordType, items));
}

/// One step of the network: pairs whose numbers differ in one bit.
void SortEmitter::exchange(OpFoldResult stage, OpFoldResult number) {
  Value one = b.value(1);
  Value shift = b.value(b.sub(b.sub(stage, b.index(1)), number));
  Value bit = arith::ShLIOp::create(b, one, shift);
  Value block = arith::ShLIOp::create(b, one, b.value(stage));
  Value mask = arith::SubIOp::create(b, bit, one);
  loop(thread, b.index(numItems / 2), b.index(threads), [&](OpFoldResult pair) {
    Value low = both(b.value(pair), mask);
    OpFoldResult first = b.sub(b.mul(pair, b.index(2)), low);
    OpFoldResult second = b.add(first, bit);
    Value isUp =
        cmp(arith::CmpIPredicate::eq, both(b.value(first), block), b.value(0));
    Item x = itemAt(first), y = itemAt(second);
    Value isSwapped = cmp(arith::CmpIPredicate::eq, isBefore(y, x), isUp);
    storeItem(select(isSwapped, y, x), first);
    storeItem(select(isSwapped, x, y), second);
  });
  barrier();
}

void SortEmitter::sortShared() {
  barrier();
  loop(b.index(1), b.index(llvm::Log2_64(numItems) + 1), b.index(1),
       [&](OpFoldResult stage) {
         loop(b.index(0), stage, b.index(1),
              [&](OpFoldResult number) { exchange(stage, number); });
       });
}

/// Stores what is element `number` of the row in order, if that is wanted.
void SortEmitter::store(Value value, OpFoldResult row, OpFoldResult number) {
  OpFoldResult at = b.sub(number, call.first);
  Value isWanted = both(cmp(arith::CmpIPredicate::sge, b.value(at), b.value(0)),
                        isLess(at, call.count));
  onlyIf(isWanted,
         [&] { store(value, result, b.add(b.mul(row, call.count), at)); });
}

/// The first `most` items of the block are those from `base` on.
void SortEmitter::storeRow(OpFoldResult row, OpFoldResult base, int64_t most) {
  OpFoldResult end = b.min(b.sub(call.length, base), b.index(most));
  loop(thread, end, b.index(threads), [&](OpFoldResult at) {
    store(resultOf(itemAt(at), row), row, b.add(base, at));
  });
}

/// What there is no element for.
void SortEmitter::fillRest(OpFoldResult row, OpFoldResult own,
                           OpFoldResult step) {
  OpFoldResult held = b.max(b.sub(call.length, call.first), b.index(0));
  Value zero = word(cast<MemRefType>(result.getType()).getElementType(), 0);
  loop(b.add(held, own), call.count, step, [&](OpFoldResult at) {
    store(zero, result, b.add(b.mul(row, call.count), at));
  });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// A block per row, of up to `items` elements.
void SortEmitter::emitShort(int64_t items) {
  beginBlocks(call.rows, items);
  OpFoldResult step = b.min(call.rows, b.index(mostBlocks));
  loop(block, call.rows, step, [&](OpFoldResult row) {
    fillRest(row, thread, b.index(threads));
    onlyIf(isLess(b.index(0), call.length), [&] {
      loop(thread, b.index(items), b.index(threads), [&](OpFoldResult at) {
        storeItem(loadItem(row, at, call.length), at);
      });
      sortShared();
      storeRow(row, b.index(0), items);
      // What is shared is written again.
      barrier();
    });
  });
  end();
}

/// A block per row: half of what it holds are the best so far. Where more are
/// wanted it goes through the row again, for those behind the last.
void SortEmitter::emitSelection() {
  constexpr int64_t half = mostItems / 2;
  beginBlocks(call.rows, mostItems);
  OpFoldResult step = b.min(call.rows, b.index(mostBlocks));
  OpFoldResult wanted = b.min(b.add(call.first, call.count), call.length);
  loop(block, call.rows, step, [&](OpFoldResult row) {
    fillRest(row, thread, b.index(threads));
    Item none = Item(isPacked ? 1 : 2, word(wordType, 0));
    loop(
        b.index(0), wanted, b.index(half), none,
        [&](OpFoldResult base, ValueRange last) -> IndexList {
          Value isFirst =
              cmp(arith::CmpIPredicate::eq, b.value(base), b.value(0));
          loop(thread, b.index(half), b.index(threads),
               [&](OpFoldResult at) { storeItem(padding(), at); });
          loop(b.index(0), call.length, b.index(half), [&](OpFoldResult start) {
            loop(thread, b.index(half), b.index(threads), [&](OpFoldResult at) {
              Item item = loadItem(row, b.add(start, at), call.length);
              Value isNew =
                  arith::OrIOp::create(b, isFirst, isBefore(Item(last), item));
              storeItem(select(isNew, item, padding()),
                        b.add(at, b.index(half)));
            });
            sortShared();
          });
          storeRow(row, base, half);
          IndexList next = itemAt(b.index(half - 1));
          barrier();
          return next;
        });
  });
  end();
}

/// A block per piece of a row, whose items, or elements, go to `scratch`.
void SortEmitter::emitPieces(OpFoldResult row) {
  OpFoldResult count = b.ceilDiv(call.length, b.index(mostItems));
  beginBlocks(count, mostItems);
  OpFoldResult step = b.min(count, b.index(mostBlocks));
  loop(block, count, step, [&](OpFoldResult piece) {
    OpFoldResult start = b.mul(piece, b.index(mostItems));
    loop(thread, b.index(mostItems), b.index(threads), [&](OpFoldResult at) {
      storeItem(loadItem(row, b.add(start, at), call.length), at);
    });
    sortShared();
    OpFoldResult end = b.min(b.sub(call.length, start), b.index(mostItems));
    loop(thread, end, b.index(threads), [&](OpFoldResult at) {
      Item item = itemAt(at);
      OpFoldResult to = b.add(start, at);
      if (!has(TAPESTRY_SORT_INDICES))
        return store(resultOf(item, row), scratch, to);
      auto words = static_cast<int64_t>(item.size());
      for (auto [number, value] : llvm::enumerate(item))
        store(value, scratch,
              b.add(b.mul(to, b.index(words)), b.index(number)));
    });
    barrier();
  });
  end();
}

/// An item of the pieces; of elements the key alone.
SortEmitter::Item SortEmitter::pieceItem(OpFoldResult at) {
  if (!has(TAPESTRY_SORT_INDICES))
    return {keyOf(load(pieces, b.add(firstPiece, at)))};
  Item item;
  int64_t words = isPacked ? 1 : 2;
  for (int64_t number = 0; number < words; ++number)
    item.push_back(
        load(pieces, b.add(b.mul(at, b.index(words)), b.index(number))));
  return item;
}

/// Whether what lies at `at`, in a piece that is earlier or not, comes first.
Value SortEmitter::precedes(OpFoldResult at, const Item &item,
                            Value isEarlier) {
  Item other = pieceItem(at);
  if (has(TAPESTRY_SORT_INDICES))
    return isBefore(other, item);
  return arith::SelectOp::create(
      b, isEarlier, cmp(arith::CmpIPredicate::ule, other[0], item[0]),
      cmp(arith::CmpIPredicate::ult, other[0], item[0]));
}

/// How many of a piece come before `item`, of piece `own`: bit by bit.
OpFoldResult SortEmitter::countBefore(const Item &item, OpFoldResult piece,
                                      OpFoldResult own, OpFoldResult run,
                                      Value steps) {
  OpFoldResult start = b.mul(piece, run);
  OpFoldResult held = b.min(b.sub(call.length, start), run);
  Value isEarlier = isLess(piece, own);
  Value one = b.value(1);
  return loop(b.index(0), steps, b.index(1), {b.value(0)},
              [&](OpFoldResult number, ValueRange carried) -> IndexList {
                Value bit = arith::ShLIOp::create(
                    b, one, b.value(b.sub(b.sub(steps, b.index(1)), number)));
                OpFoldResult more = b.add(carried[0], bit);
                OpFoldResult at = b.sub(b.min(more, held), b.index(1));
                Value isThere =
                    both(isLess(b.sub(more, b.index(1)), held),
                         precedes(b.add(start, at), item, isEarlier));
                return {arith::SelectOp::create(b, isThere, b.value(more),
                                                carried[0])};
              })
      .front();
}

/// A thread per element of a row, pieces of which are in order.
void SortEmitter::emitRanks(OpFoldResult row, OpFoldResult run) {
  OpFoldResult count = b.ceilDiv(call.length, run);
  // Powers of two up to `run`.
  Value zeros = math::CountLeadingZerosOp::create(
      b, arith::IndexCastOp::create(b, wordType, b.value(run)));
  Value steps = arith::IndexCastOp::create(
      b, b.getIndexType(), arith::SubIOp::create(b, word(wordType, 64), zeros));
  auto [own, step] = beginGrid(b.max(call.length, b.index(1)));
  fillRest(row, own, step);
  loop(own, call.length, step, [&](OpFoldResult number) {
    Item item = pieceItem(number);
    OpFoldResult piece = b.div(number, run);
    OpFoldResult within = b.sub(number, b.mul(piece, run));
    Value rank = loop(b.index(0), count, b.index(1), {b.value(within)},
                      [&](OpFoldResult other, ValueRange carried) -> IndexList {
                        OpFoldResult before =
                            countBefore(item, other, piece, run, steps);
                        Value isOwn = cmp(arith::CmpIPredicate::eq,
                                          b.value(other), b.value(piece));
                        Value added = arith::SelectOp::create(
                            b, isOwn, b.value(0), b.value(before));
                        return {b.value(b.add(carried[0], added))};
                      })
                     .front();
    Value value = has(TAPESTRY_SORT_INDICES)
                      ? resultOf(item, row)
                      : load(pieces, b.add(firstPiece, number));
    store(value, row, rank);
  });
  end();
}

void SortEmitter::emitLong() {
  if (has(TAPESTRY_SORT_SELECT) && call.run == 0)
    return emitSelection();
  // The scratch memory is for one row.
  auto rows = scf::ForOp::create(b, b.value(0), b.value(call.rows), b.value(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(rows.getBody());
  OpFoldResult row = rows.getInductionVar();
  if (call.run != 0) {
    pieces = source;
    firstPiece = b.mul(row, call.stride);
    return emitRanks(row, b.index(call.run));
  }
  emitPieces(row);
  pieces = scratch;
  firstPiece = b.index(0);
  emitRanks(row, b.index(mostItems));
}

void SortEmitter::emit() {
  if (auto length = b.known(call.length)) {
    if (*length > mostItems)
      return emitLong();
    return emitShort(
        std::max<int64_t>(2, static_cast<int64_t>(llvm::PowerOf2Ceil(
                                 static_cast<uint64_t>(*length)))));
  }
  Value isShort = isLess(call.length, b.index(mostItems + 1));
  auto branch = scf::IfOp::create(b, isShort, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emitShort(mostItems);
  b.setInsertionPointToStart(branch.elseBlock());
  emitLong();
}

} // namespace

void emitSort(IndexBuilder &b, const SortCall &call) {
  SortEmitter(b, call).emit();
}

} // namespace tapestry
