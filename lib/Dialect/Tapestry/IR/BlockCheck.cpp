//===- BlockCheck.cpp - Signatures against real reads and writes ----------===//
//
// What a plan proves of a block it proves of its signature. So the function is
// called for boxes of the index space with everything around what the signature
// projects poisoned: what it makes may not depend on that, nor change it, and
// is what it makes of the whole. Which boxes `TriedBoxes.h` says: some
// anywhere, both ends of every label, and single points, all of them where
// there are not too many. Results are compared as closely as they repeat
// themselves: bit by bit, up to rounding, or by whether they are finite and of
// the size that is usual.
//
//===----------------------------------------------------------------------===//

#include "BlockValues.h"
#include "Closeness.h"
#include "Surrounded.h"
#include "TriedBoxes.h"
#include "tapestry/Dialect/Index/Evaluate/HostFold.h"
#include "tapestry/Dialect/Tapestry/IR/BlockFunctions.h"
#include "tapestry/Support/ZTensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/xxhash.h"
#include <random>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// The number of an element of a dense row-major tensor.
static int64_t rowMajorPlace(llvm::ArrayRef<int64_t> place,
                             llvm::ArrayRef<int64_t> shape) {
  return StridedView::rowMajor(shape).placeOf(place);
}

/// Which labels a plan may cut.
static llvm::SmallVector<bool> cutLabels(BlockOp op) {
  return llvm::map_to_vector(labelUses(op.getSignature()), [](LabelUse use) {
    return use != LabelUse::Region;
  });
}

static constexpr Poison allPoisons[] = {Poison::NaN, Poison::Large,
                                        Poison::LargeNegative, Poison::Infinite,
                                        Poison::NegativeInfinite};

namespace {

class SignatureCheck {
public:
  SignatureCheck(BlockOp op, TapestryBlockFunction function,
                 llvm::ArrayRef<PaddedOperand> operands,
                 llvm::ArrayRef<ZRange> range, llvm::ArrayRef<HostTensor> whole)
      : op(op), function(function), operands(operands), range(range),
        whole(whole), scales(llvm::map_to_vector(whole, largestOf)),
        likeness(whole.size(), Likeness::Bits),
        boxes(range, cutLabels(op), llvm::xxh3_64bits(op.getName())),
        random(llvm::xxh3_64bits(op.getName())) {}

  llvm::Error run();

private:
  /// Nothing: the values that lie there.
  using Around = std::optional<Poison>;
  /// A result and an element of it.
  using Place = std::optional<std::pair<unsigned, std::string>>;
  using Outputs = std::vector<Surrounded>;
  /// What of a result is the same in equal calls, from all of it to nothing.
  enum class Likeness { Bits, Rounded, Size, None };

  /// What calls find in their outputs: the first one, and those that are
  /// compared with it.
  static constexpr uint8_t canaries[] = {0xa5, 0x5a};
  llvm::SmallVector<Around> allAround(Around around) {
    return llvm::SmallVector<Around>(operands.size(), around);
  }
  /// So many single points are tried.
  int64_t mostPoints();

  llvm::Expected<Outputs> compute(llvm::ArrayRef<ZRange> box,
                                  llvm::ArrayRef<Around> around,
                                  uint8_t canary);
  llvm::Error checkCanaries(llvm::ArrayRef<ZRange> box, Outputs &outputs,
                            uint8_t canary);
  /// The outputs of a box that is surrounded by one poison, which it leaves.
  llvm::Expected<Outputs> computeIn(llvm::ArrayRef<ZRange> box, Poison poison,
                                    uint8_t canary);
  llvm::Error checkWhole();
  /// Tries a box within each of the poisons, of which there are two or more.
  llvm::Error checkBox(llvm::ArrayRef<ZRange> box,
                       llvm::ArrayRef<Poison> poisons, bool isRepeated);
  /// The same again: an error of an idempotent block that makes other bits.
  llvm::Error repeat(llvm::ArrayRef<ZRange> box, Poison poison, uint8_t canary,
                     Outputs &first);
  llvm::Error checkEverywhere();
  llvm::Error findRead(llvm::ArrayRef<ZRange> box);
  /// Whether elements of a result are as much alike as in equal calls.
  bool areAlike(unsigned result, const HostTensor &a, const HostTensor &b,
                int64_t element);
  /// Takes note of what two equal calls made.
  void compareEqual(Outputs &a, Outputs &b);
  llvm::Expected<Place> findDependence(llvm::ArrayRef<ZRange> box,
                                       llvm::ArrayRef<Poison> poisons,
                                       std::array<Outputs *, 2> made);
  llvm::Error checkValues(llvm::ArrayRef<ZRange> box, Outputs &outputs);
  llvm::Error checkParts(unsigned label);
  /// The first place of the result's part at which two differ.
  Place findOther(Outputs &a, Outputs &b);
  /// The first place that holds what was there before in both.
  Place findUnwritten(Outputs &a, uint8_t canaryOfA, Outputs &b,
                      uint8_t canaryOfB);
  template <typename Fn> Place findPlace(Outputs &outputs, Fn isWrong);
  std::string textOf(unsigned result, llvm::ArrayRef<int64_t> place);
  std::string textOf(llvm::ArrayRef<ZRange> box);
  template <typename... Parts> llvm::Error error(const Parts &...parts) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "block '" << op.getName() << "' ";
    (os << ... << parts);
    return llvm::createStringError(text);
  }

  BlockOp op;
  TapestryBlockFunction function;
  llvm::ArrayRef<PaddedOperand> operands;
  /// The index points that are computed, and the results of all of them.
  llvm::ArrayRef<ZRange> range;
  llvm::ArrayRef<HostTensor> whole;
  llvm::SmallVector<double> scales;
  llvm::SmallVector<Likeness> likeness;
  TriedBoxes boxes;
  std::mt19937_64 random;
};

} // namespace

static uint64_t hashOf(const Surrounded &input) {
  return llvm::xxh3_64bits(input.tensor.bytes);
}

std::string SignatureCheck::textOf(unsigned result,
                                   llvm::ArrayRef<int64_t> place) {
  std::string text = op.getSignature().outputs[result].name;
  if (!place.empty())
    text += "[" +
            llvm::join(llvm::map_range(
                           place, [](int64_t i) { return std::to_string(i); }),
                       ", ") +
            "]";
  return text;
}

std::string SignatureCheck::textOf(llvm::ArrayRef<ZRange> box) {
  if (box.empty())
    return "its only index point";
  std::string text = "the index points ";
  llvm::raw_string_ostream os(text);
  llvm::ListSeparator separator;
  for (auto [label, range] : llvm::zip_equal(op.getSignature().labels, box))
    os << separator << label << " = " << range.lo << " to " << range.hi - 1;
  return text;
}

/// The outputs of a box, what lies around the inputs' parts being as asked for.
llvm::Expected<SignatureCheck::Outputs>
SignatureCheck::compute(llvm::ArrayRef<ZRange> box,
                        llvm::ArrayRef<Around> around, uint8_t canary) {
  // Views point into what is in these lists, which therefore stays there.
  std::vector<Surrounded> inputs;
  inputs.reserve(operands.size());
  llvm::SmallVector<TensorPart> read, written;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    Surrounded &input =
        inputs.emplace_back(operand.elements->dtype, operand.box,
                            partOf(op.getInputProjection(number), box));
    // The rim holds poison in any case.
    input.fill(bytesOfPoison(operand.elements->dtype,
                             around[number].value_or(Poison::NaN)));
    input.copyPart(*operand.elements,
                   around[number] ? input.part : input.whole);
    read.push_back(input.view());
  }
  Outputs outputs;
  outputs.reserve(whole.size());
  for (auto [number, result] : llvm::enumerate(whole)) {
    Surrounded &output =
        outputs.emplace_back(result.dtype, boxOfShape(result.shape),
                             partOf(op.getOutputProjection(number), box));
    output.fill(llvm::SmallVector<uint8_t>(byteSize(result.dtype), canary));
    if (op.getMonoidIdentity(number))
      allPoints(output.part,
                [&, number = number](llvm::ArrayRef<int64_t> place) {
                  fillIdentity(op, number, output.at(place), 1);
                  return true;
                });
    written.push_back(output.view());
  }
  auto before = llvm::map_to_vector(inputs, hashOf);
  if (int32_t status = callBlock(op, function, box, read, written))
    return error("failed for ", textOf(box), ": its function '",
                 op.getSignature().symbol, "' returned ", status);
  for (auto [number, input] : llvm::enumerate(inputs))
    if (hashOf(input) != before[number])
      return error("writes to its input '",
                   op.getSignature().inputs[number].name, "': for ",
                   textOf(box));
  return outputs;
}

llvm::Error SignatureCheck::checkCanaries(llvm::ArrayRef<ZRange> box,
                                          Outputs &outputs, uint8_t canary) {
  for (auto [number, output] : llvm::enumerate(outputs))
    if (std::optional<ZPoint> wrong = output.findOutside(canary))
      return error("writes outside of what its signature projects of '",
                   op.getSignature().outputs[number].name, "': for ",
                   textOf(box), " it changes ", textOf(number, *wrong));
  return llvm::Error::success();
}

template <typename Fn>
SignatureCheck::Place SignatureCheck::findPlace(Outputs &outputs, Fn isWrong) {
  for (unsigned number = 0; number < outputs.size(); ++number) {
    std::string wrong;
    allPoints(outputs[number].part, [&](llvm::ArrayRef<int64_t> place) {
      if (isWrong(number, place))
        wrong = textOf(number, place);
      return wrong.empty();
    });
    if (!wrong.empty())
      return std::pair(number, wrong);
  }
  return std::nullopt;
}

SignatureCheck::Place SignatureCheck::findOther(Outputs &a, Outputs &b) {
  return findPlace(a, [&](unsigned number, llvm::ArrayRef<int64_t> place) {
    return !areAlike(number, a[number].tensor, b[number].tensor,
                     a[number].elementAt(place));
  });
}

SignatureCheck::Place SignatureCheck::findUnwritten(Outputs &a,
                                                    uint8_t canaryOfA,
                                                    Outputs &b,
                                                    uint8_t canaryOfB) {
  return findPlace(a, [&](unsigned number, llvm::ArrayRef<int64_t> place) {
    int64_t bytes = byteSize(a[number].tensor.dtype);
    auto holds = [&](Surrounded &output, uint8_t canary) {
      return llvm::all_of(llvm::ArrayRef(output.at(place), bytes),
                          [&](uint8_t byte) { return byte == canary; });
    };
    return holds(a[number], canaryOfA) && holds(b[number], canaryOfB);
  });
}

bool SignatureCheck::areAlike(unsigned result, const HostTensor &a,
                              const HostTensor &b, int64_t element) {
  int64_t bytes = byteSize(a.dtype);
  double scale = scales[result];
  switch (likeness[result]) {
  case Likeness::Bits:
    return std::memcmp(a.bytes.data() + element * bytes,
                       b.bytes.data() + element * bytes, bytes) == 0;
  case Likeness::Rounded:
    return isClose(a, element, b, element, scale);
  case Likeness::Size:
    // Integers have no size that is unusual.
    return tolerance(a.dtype) == 0 ||
           sizeClass(a, element, scale) == sizeClass(b, element, scale);
  case Likeness::None:
    return true;
  }
  llvm_unreachable("a likeness");
}

void SignatureCheck::compareEqual(Outputs &a, Outputs &b) {
  while (Place wrong = findOther(a, b)) {
    Likeness &known = likeness[wrong->first];
    known = static_cast<Likeness>(static_cast<int>(known) + 1);
  }
}

/// What it makes depends on what lies around the parts of inputs: of which?
llvm::Error SignatureCheck::findRead(llvm::ArrayRef<ZRange> box) {
  llvm::SmallVector<Around> around = allAround(std::nullopt);
  auto base = compute(box, around, canaries[0]);
  if (!base)
    return base.takeError();
  for (unsigned number = 0; number < operands.size(); ++number)
    for (Poison other : allPoisons) {
      around[number] = other;
      auto changed = compute(box, around, canaries[0]);
      around[number] = std::nullopt;
      if (!changed)
        return changed.takeError();
      if (Place wrong = findOther(*base, *changed))
        return error("reads outside of what its signature projects of '",
                     op.getSignature().inputs[number].name, "': for ",
                     textOf(box), " what lies around changes ", wrong->second);
    }
  return llvm::Error::success();
}

/// A place that another poison changes. That it is no accident of a function
/// that makes other values now and then, more calls with both ensure.
llvm::Expected<SignatureCheck::Place>
SignatureCheck::findDependence(llvm::ArrayRef<ZRange> box,
                               llvm::ArrayRef<Poison> poisons,
                               std::array<Outputs *, 2> made) {
  Place wrong = findOther(*made[0], *made[1]);
  for (unsigned call = 0; wrong && !op.getIdempotent() && call < 12; ++call) {
    // In no order that has a period, as what a function makes may have one.
    unsigned which = llvm::popcount(call) % 2;
    auto again = compute(box, allAround(poisons[which]), canaries[which]);
    if (!again)
      return again.takeError();
    compareEqual(*made[which], *again);
    wrong = findOther(*made[0], *made[1]);
  }
  return wrong;
}

llvm::Expected<SignatureCheck::Outputs>
SignatureCheck::computeIn(llvm::ArrayRef<ZRange> box, Poison poison,
                          uint8_t canary) {
  auto outputs = compute(box, allAround(poison), canary);
  if (outputs)
    if (llvm::Error error = checkCanaries(box, *outputs, canary))
      return std::move(error);
  return outputs;
}

llvm::Error SignatureCheck::repeat(llvm::ArrayRef<ZRange> box, Poison poison,
                                   uint8_t canary, Outputs &first) {
  auto again = computeIn(box, poison, canary);
  if (!again)
    return again.takeError();
  Place wrong = findOther(first, *again);
  if (wrong && op.getIdempotent())
    return error("is idempotent, but makes other bits of the same: for ",
                 textOf(box), " of ", wrong->second);
  compareEqual(first, *again);
  return llvm::Error::success();
}

llvm::Error SignatureCheck::checkBox(llvm::ArrayRef<ZRange> box,
                                     llvm::ArrayRef<Poison> poisons,
                                     bool isRepeated) {
  auto first = computeIn(box, poisons.front(), canaries[0]);
  if (!first)
    return first.takeError();
  if (isRepeated)
    if (llvm::Error error = repeat(box, poisons.front(), canaries[0], *first))
      return error;
  for (Poison other : poisons.drop_front()) {
    auto outputs = computeIn(box, other, canaries[1]);
    if (!outputs)
      return outputs.takeError();
    Place unwritten = findUnwritten(*first, canaries[0], *outputs, canaries[1]);
    // Does it depend on what lies around, or is it other each time?
    for (int times = 0; times < 2 && findOther(*first, *outputs); ++times)
      for (bool isFirst : {true, false})
        if (llvm::Error error =
                repeat(box, isFirst ? poisons.front() : other,
                       canaries[isFirst ? 0 : 1], isFirst ? *first : *outputs))
          return error;
    llvm::Expected<Place> wrong =
        findDependence(box, {poisons.front(), other}, {&*first, &*outputs});
    if (!wrong)
      return wrong.takeError();
    if (*wrong) {
      if (llvm::Error error = findRead(box))
        return error;
      unwritten = *wrong;
    }
    if (unwritten)
      return error("does not write ", unwritten->second, " for ", textOf(box));
  }
  return checkValues(box, *first);
}

/// What the call for all points has left as it was, 0, and leaves again where
/// it finds something else.
llvm::Error SignatureCheck::checkWhole() {
  auto again = compute(range, allAround(std::nullopt), canaries[0]);
  if (!again)
    return again.takeError();
  if (llvm::Error error = checkCanaries(range, *again, canaries[0]))
    return error;
  Place unwritten =
      findPlace(*again, [&](unsigned number, llvm::ArrayRef<int64_t> place) {
        int64_t bytes = byteSize(whole[number].dtype);
        const uint8_t *before =
            whole[number].bytes.data() +
            rowMajorPlace(place, whole[number].shape) * bytes;
        return llvm::all_of(llvm::ArrayRef((*again)[number].at(place), bytes),
                            [](uint8_t byte) { return byte == canaries[0]; }) &&
               llvm::all_of(llvm::ArrayRef(before, bytes),
                            [](uint8_t byte) { return byte == 0; });
      });
  if (unwritten)
    return error("does not write ", unwritten->second, " for ", textOf(range));
  return llvm::Error::success();
}

/// As many as are worth the time: each costs a few calls, for which all tensors
/// are filled.
int64_t SignatureCheck::mostPoints() {
  constexpr int64_t mostPoints = 4096, leastPoints = 16,
                    mostBytes = int64_t(1) << 28;
  int64_t bytes = 1;
  for (const PaddedOperand &operand : operands)
    bytes += operand.elements->bytes.size();
  for (const HostTensor &result : whole)
    bytes += result.bytes.size();
  return std::clamp(mostBytes / bytes, leastPoints, mostPoints);
}

/// Of outputs that combine only where the box holds all that is combined.
llvm::Error SignatureCheck::checkValues(llvm::ArrayRef<ZRange> box,
                                        Outputs &outputs) {
  const Kernel &kernel = op.getSignature();
  for (auto [number, output] : llvm::enumerate(outputs)) {
    bool isWhole = likeness[number] <= Likeness::Rounded;
    for (unsigned label = 0; label < box.size(); ++label) {
      bool isRead = llvm::any_of(kernel.outputs[number].projection.dims,
                                 [&](const ProjectionDim &dim) {
                                   return !dim.terms.empty() &&
                                          dim.terms.front().dim == label;
                                 });
      isWhole &= isRead || box[label] == range[label];
    }
    if (!isWhole)
      continue;
    const HostTensor &all = whole[number];
    double scale = scales[number];
    std::string wrong;
    allPoints(output.part, [&, &part = output,
                            number = number](llvm::ArrayRef<int64_t> place) {
      int64_t element = rowMajorPlace(place, all.shape);
      int64_t own = part.elementAt(place);
      if (!isClose(part.tensor, own, all, element, scale))
        wrong = textOf(number, place);
      return wrong.empty();
    });
    if (!wrong.empty())
      return error("makes another ", wrong, " for ", textOf(box),
                   " than for all of them");
  }
  return llvm::Error::success();
}

/// Points at which alone a function errs are found here.
llvm::Error SignatureCheck::checkEverywhere() {
  if (llvm::Error error = checkWhole())
    return error;
  if (boxes.isOneBox())
    return llvm::Error::success();
  std::vector<ZBox> tried = boxes.corners();
  llvm::append_range(tried, boxes.points(mostPoints()));
  // What lies around a point is large or infinite by turns.
  constexpr Poison large[] = {Poison::NaN, Poison::Large,
                              Poison::LargeNegative},
                   infinite[] = {Poison::NaN, Poison::Infinite,
                                 Poison::NegativeInfinite};
  for (auto [number, box] : llvm::enumerate(tried))
    if (llvm::Error error = checkBox(
            box, number % 4 == 3 ? llvm::ArrayRef(infinite) : large, false))
      return error;
  if (boxes.hasMorePointsThan(mostPoints()))
    for (const ZBox &box : boxes.slabs(/*parts=*/4))
      if (llvm::Error error = checkBox(box, llvm::ArrayRef(large).drop_front(),
                                       /*isRepeated=*/false))
        return error;
  return llvm::Error::success();
}

llvm::Error SignatureCheck::run() {
  for (unsigned round = 0; round < (boxes.isOneBox() ? 1 : 4); ++round)
    if (llvm::Error error = checkBox(boxes.anywhere(), allPoisons,
                                     /*isRepeated=*/true))
      return error;
  for (auto [label, use] : llvm::enumerate(labelUses(op.getSignature())))
    if (use == LabelUse::Reduced && range[label].size() > 1)
      if (llvm::Error error = checkParts(label))
        return error;
  // Once for all steps of a loop, each of which tries some boxes.
  std::string key = (op.getName() + ": " + textOf(range)).str();
  if (BlockFunctions::of(op.getContext()).tried.insert(key).second)
    if (llvm::Error error = checkEverywhere())
      return error;
  // One warning for all shards of a block and all steps of a loop.
  if (llvm::any_of(likeness,
                   [](Likeness like) { return like > Likeness::Rounded; }) &&
      BlockFunctions::of(op.getContext()).varying.insert(op.getName()).second)
    op.emitWarning() << "block '" << op.getName()
                     << "' makes other values of the same at each call: what "
                        "it reads is tried by infinities, NaN and huge numbers "
                        "alone, of integers not at all, and its values are not "
                        "compared";
  return llvm::Error::success();
}

/// Parts along a label, combined, are the whole.
llvm::Error SignatureCheck::checkParts(unsigned label) {
  ZBox first(range), second(range);
  first[label].hi = second[label].lo =
      range[label].lo + 1 +
      static_cast<int64_t>(random() % (range[label].size() - 1));
  llvm::SmallVector<Around> around = allAround(std::nullopt);
  auto a = compute(first, around, /*canary=*/0), b = compute(second, around, 0);
  if (!a || !b) {
    llvm::consumeError(a ? llvm::Error::success() : a.takeError());
    return b ? error("failed for ", textOf(first)) : b.takeError();
  }
  for (auto [number, all] : llvm::enumerate(whole)) {
    Monoid monoid = op.getResultMonoid(number);
    // A label that it has is cut in parts that lie side by side.
    if (monoid == Monoid::None || (*a)[number].part != (*b)[number].part ||
        likeness[number] > Likeness::Rounded)
      continue;
    llvm::Expected<reference::HostFold> fold = reference::HostFold::compile(
        op, {monoid, op.getMonoidIdentity(number),
             [&, number = number](OpBuilder &builder, Location loc, Value x,
                                  Value y) {
               return op.emitCombine(number, builder, loc, x, y);
             }});
    if (!fold)
      return fold.takeError();
    Surrounded &made = (*a)[number];
    double scale = scales[number];
    std::string wrong;
    allPoints(made.part,
              [&, &all = all, number = number](llvm::ArrayRef<int64_t> place) {
                int64_t element = rowMajorPlace(place, all.shape);
                int64_t own = made.elementAt(place);
                fold->reset();
                fold->take(0, made.tensor, own);
                fold->take(0, (*b)[number].tensor, own);
                fold->store(0, made.tensor, own);
                if (!isClose(made.tensor, own, all, element, scale))
                  wrong = textOf(number, place);
                return wrong.empty();
              });
    if (!wrong.empty())
      return error("makes another ", wrong, " of ", textOf(first),
                   " combined with the others than of all of them");
  }
  return llvm::Error::success();
}

llvm::Error teg::checkSignature(BlockOp op, TapestryBlockFunction function,
                                llvm::ArrayRef<PaddedOperand> operands,
                                llvm::ArrayRef<ZRange> range,
                                llvm::ArrayRef<HostTensor> results) {
  return SignatureCheck(op, function, operands, range, results).run();
}
