//===- BlockCheck.cpp - Signatures against real reads and writes ----------===//
//
// What a plan proves of a block it proves of its signature. So the function is
// called for boxes of the index space with everything around what the signature
// projects poisoned: what it makes may not depend on that, nor change it, and
// is what it makes of the whole. Results are compared as closely as they repeat
// themselves: bit by bit, up to rounding, or by whether they are finite and of
// the size that is usual.
//
//===----------------------------------------------------------------------===//

#include "BlockValues.h"
#include "Surrounded.h"
#include "tapestry/Dialect/Index/Evaluate/HostFold.h"
#include "tapestry/Dialect/Tapestry/IR/BlockFunctions.h"
#include "tapestry/Support/HostNumbers.h"
#include "tapestry/Support/ZTensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// The number of an element of a dense row-major tensor.
static int64_t rowMajorPlace(llvm::ArrayRef<int64_t> place,
                             llvm::ArrayRef<int64_t> shape) {
  return StridedView::rowMajor(shape).placeOf(place);
}

static std::complex<double> valueAt(const HostTensor &tensor, int64_t at) {
  bool isComplex = tensor.dtype == DType::C64 || tensor.dtype == DType::C128;
  return isComplex ? complexAt(tensor, at) : tensor.asDouble(at);
}

/// Of those elements that are finite.
static double largestOf(const HostTensor &tensor) {
  double largest = 0;
  for (int64_t at = 0, e = tensor.numElements(); at < e; ++at)
    if (double size = std::abs(valueAt(tensor, at)); size < INFINITY)
      largest = std::max(largest, size);
  return largest;
}

namespace {

class SignatureCheck {
public:
  SignatureCheck(BlockOp op, TapestryBlockFunction function,
                 llvm::ArrayRef<PaddedOperand> operands,
                 llvm::ArrayRef<ZRange> range, llvm::ArrayRef<HostTensor> whole)
      : op(op), function(function), operands(operands), range(range),
        whole(whole), scales(llvm::map_to_vector(whole, largestOf)),
        likeness(whole.size(), Likeness::Bits),
        random(llvm::xxh3_64bits(op.getName())) {}

  llvm::Error run();

private:
  enum class Around { Values, NaN, Large };
  /// A result and an element of it.
  using Place = std::optional<std::pair<unsigned, std::string>>;
  using Outputs = std::vector<Surrounded>;
  /// What of a result is the same in equal calls, from all of it to nothing.
  enum class Likeness { Bits, Rounded, Size, None };

  /// What even and odd calls find in their outputs.
  static constexpr uint8_t canaries[] = {0xa5, 0x5a};
  /// What lies around all inputs of even and odd calls.
  llvm::SmallVector<Around> allAround(unsigned call);

  ZBox randomBox();
  llvm::Expected<Outputs> compute(llvm::ArrayRef<ZRange> box,
                                  llvm::ArrayRef<Around> around,
                                  uint8_t canary);
  llvm::Error checkCanaries(llvm::ArrayRef<ZRange> box, Outputs &outputs,
                            uint8_t canary);
  llvm::Error checkBox(llvm::ArrayRef<ZRange> box);
  llvm::Error findRead(llvm::ArrayRef<ZRange> box);
  /// Whether elements of a result are as much alike as in equal calls.
  bool areAlike(unsigned result, const HostTensor &a, const HostTensor &b,
                int64_t element);
  /// Takes note of what two equal calls made.
  void compareEqual(Outputs &a, Outputs &b);
  llvm::Expected<Place> findDependence(llvm::ArrayRef<ZRange> box,
                                       std::vector<Outputs> &made);
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
  std::mt19937_64 random;
};

} // namespace

/// An element's bytes of a value that is nowhere meant.
static llvm::SmallVector<uint8_t> poison(DType dtype, bool isLarge) {
  HostTensor one;
  one.dtype = dtype;
  one.bytes.resize(byteSize(dtype));
  double value = std::nan("");
  if (isLarge)
    value = dtype == DType::F16 ? 3e4 : 1e30;
  switch (dtype) {
  case DType::F64:
  case DType::F32:
  case DType::F16:
  case DType::BF16:
    storeReal(one, 0, value);
    break;
  case DType::C64:
  case DType::C128:
    storeComplex(one, 0, {value, value});
    break;
  case DType::Bool:
    one.bytes[0] = isLarge;
    break;
  default:
    storeInteger(one, 0, isLarge ? INT64_MAX : 0x8181818181818181);
  }
  return llvm::SmallVector<uint8_t>(one.bytes.begin(), one.bytes.end());
}

static uint64_t hashOf(const Surrounded &input) {
  return llvm::xxh3_64bits(input.tensor.bytes);
}

/// How far values may lie apart that are rounded otherwise, of the largest.
static double tolerance(DType dtype) {
  switch (dtype) {
  case DType::F64:
  case DType::C128:
    return 1e-9;
  case DType::F32:
  case DType::C64:
    return 1e-4;
  case DType::F16:
    return 2e-2;
  case DType::BF16:
    return 1e-1;
  default:
    return 0;
  }
}

static bool isClose(const HostTensor &a, int64_t at, const HostTensor &b,
                    int64_t bAt, double scale) {
  if (tolerance(a.dtype) == 0)
    return integerAt(a, at) == integerAt(b, bAt);
  std::complex<double> x = valueAt(a, at), y = valueAt(b, bAt);
  if (!(std::abs(x) < INFINITY) || !(std::abs(y) < INFINITY))
    return !(std::abs(x) < INFINITY) && !(std::abs(y) < INFINITY);
  return !(std::abs(x - y) > tolerance(a.dtype) * scale);
}

/// Whether an element is of the usual size, far larger, or infinite or NaN:
/// what poison changes even where values are random.
static int sizeClass(const HostTensor &tensor, int64_t at, double scale) {
  double size = std::abs(valueAt(tensor, at));
  if (!(size < INFINITY))
    return 2;
  return size > 1e6 * std::max(scale, 1.0);
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

/// Of labels that are never cut all, of others up to a third.
ZBox SignatureCheck::randomBox() {
  ZBox box;
  for (auto [all, use] : llvm::zip_equal(range, labelUses(op.getSignature()))) {
    int64_t most = ceilDiv(all.size(), 3);
    int64_t size = use == LabelUse::Region
                       ? all.size()
                       : 1 + static_cast<int64_t>(random() % most);
    int64_t lo =
        all.lo + static_cast<int64_t>(random() % (all.size() - size + 1));
    box.push_back({lo, lo + size});
  }
  return box;
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
    input.fill(
        poison(operand.elements->dtype, around[number] == Around::Large));
    input.copyPart(*operand.elements,
                   around[number] == Around::Values ? input.whole : input.part);
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
  for (auto [number, output] : llvm::enumerate(outputs)) {
    ZBox all;
    for (int64_t extent : whole[number].shape)
      all.push_back({-1, extent + 1});
    int64_t bytes = byteSize(output.tensor.dtype);
    std::string wrong;
    allPoints(all, [&, &part = output,
                    number = number](llvm::ArrayRef<int64_t> place) {
      for (auto [index, range] : llvm::zip_equal(place, part.part))
        if (index < range.lo || index >= range.hi) {
          llvm::ArrayRef<uint8_t> element(part.at(place), bytes);
          if (llvm::any_of(element, [&](uint8_t b) { return b != canary; }))
            wrong = textOf(number, place);
          break;
        }
      return wrong.empty();
    });
    if (!wrong.empty())
      return error("writes outside of what its signature projects of '",
                   op.getSignature().outputs[number].name, "': for ",
                   textOf(box), " it changes ", wrong);
  }
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
  llvm::SmallVector<Around> around(operands.size(), Around::Values);
  auto base = compute(box, around, /*canary=*/0xa5);
  if (!base)
    return base.takeError();
  for (unsigned number = 0; number < operands.size(); ++number)
    for (Around other : {Around::NaN, Around::Large}) {
      around[number] = other;
      auto changed = compute(box, around, /*canary=*/0xa5);
      around[number] = Around::Values;
      if (!changed)
        return changed.takeError();
      if (Place wrong = findOther(*base, *changed))
        return error("reads outside of what its signature projects of '",
                     op.getSignature().inputs[number].name, "': for ",
                     textOf(box), " what lies around changes ", wrong->second);
    }
  return llvm::Error::success();
}

llvm::SmallVector<SignatureCheck::Around>
SignatureCheck::allAround(unsigned call) {
  return llvm::SmallVector<Around>(operands.size(),
                                   call % 2 == 0 ? Around::NaN : Around::Large);
}

/// A place that other surroundings change. That it is no accident of a function
/// that makes other values now and then, more calls with both ensure.
llvm::Expected<SignatureCheck::Place>
SignatureCheck::findDependence(llvm::ArrayRef<ZRange> box,
                               std::vector<Outputs> &made) {
  Place wrong = findOther(made[0], made[1]);
  for (unsigned call = 0; wrong && !op.getIdempotent() && call < 12; ++call) {
    // In no order that has a period, as what a function makes may have one.
    unsigned which = llvm::popcount(call) % 2;
    auto again = compute(box, allAround(which), canaries[which]);
    if (!again)
      return again.takeError();
    compareEqual(made[which], *again);
    wrong = findOther(made[0], made[1]);
  }
  return wrong;
}

llvm::Error SignatureCheck::checkBox(llvm::ArrayRef<ZRange> box) {
  std::vector<Outputs> made;
  for (unsigned call : {0, 1, 2}) {
    uint8_t canary = canaries[call % 2];
    auto outputs = compute(box, allAround(call), canary);
    if (!outputs)
      return outputs.takeError();
    if (llvm::Error error = checkCanaries(box, *outputs, canary))
      return error;
    made.push_back(std::move(*outputs));
  }
  Place unwritten = findUnwritten(made[0], canaries[0], made[1], canaries[1]);
  if (Place wrong = findOther(made[0], made[2])) {
    if (op.getIdempotent())
      return error("is idempotent, but makes other bits of the same: for ",
                   textOf(box), " of ", wrong->second);
    compareEqual(made[0], made[2]);
  }
  llvm::Expected<Place> wrong = findDependence(box, made);
  if (!wrong)
    return wrong.takeError();
  if (*wrong) {
    if (llvm::Error error = findRead(box))
      return error;
    unwritten = *wrong;
  }
  if (unwritten)
    return error("does not write ", unwritten->second, " for ", textOf(box));
  return checkValues(box, made[0]);
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

llvm::Error SignatureCheck::run() {
  for (unsigned round = 0; round < (range.empty() ? 1 : 4); ++round)
    if (llvm::Error error = checkBox(randomBox()))
      return error;
  for (auto [label, use] : llvm::enumerate(labelUses(op.getSignature())))
    if (use == LabelUse::Reduced && range[label].size() > 1)
      if (llvm::Error error = checkParts(label))
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
  llvm::SmallVector<Around> around(operands.size(), Around::Values);
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
