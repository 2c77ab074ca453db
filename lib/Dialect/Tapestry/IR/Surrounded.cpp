//===- Surrounded.cpp - Parts of tensors among poison ---------------------===//

#include "Surrounded.h"
#include "tapestry/Support/HostNumbers.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>

using namespace tapestry;
using namespace tapestry::teg;

/// Of real numbers.
static double realPoison(DType dtype, Poison poison) {
  double large = dtype == DType::F16 ? 3e4 : 1e30;
  switch (poison) {
  case Poison::NaN:
    return std::nan("");
  case Poison::Large:
    return large;
  case Poison::LargeNegative:
    return -large;
  case Poison::Infinite:
    return INFINITY;
  case Poison::NegativeInfinite:
    return -INFINITY;
  }
  llvm_unreachable("a poison");
}

/// Of integers of so many bits.
static uint64_t integerPoison(int64_t bits, Poison poison) {
  uint64_t sign = uint64_t(1) << (bits - 1);
  switch (poison) {
  case Poison::NaN:
    return 0x8181818181818181;
  case Poison::Large:
    return sign - 1;
  case Poison::LargeNegative:
    return sign;
  case Poison::Infinite:
    return ~uint64_t(0);
  case Poison::NegativeInfinite:
    return 0;
  }
  llvm_unreachable("a poison");
}

llvm::SmallVector<uint8_t> teg::bytesOfPoison(DType dtype, Poison poison) {
  HostTensor one;
  one.dtype = dtype;
  one.bytes.resize(byteSize(dtype));
  double real = realPoison(dtype, poison);
  switch (dtype) {
  case DType::F64:
  case DType::F32:
  case DType::F16:
  case DType::BF16:
    storeReal(one, 0, real);
    break;
  case DType::C64:
  case DType::C128:
    storeComplex(one, 0, {real, real});
    break;
  case DType::Bool:
    one.bytes[0] = poison == Poison::Large || poison == Poison::Infinite;
    break;
  default:
    storeInteger(one, 0, integerPoison(8 * byteSize(dtype), poison));
  }
  return llvm::SmallVector<uint8_t>(one.bytes.begin(), one.bytes.end());
}

Surrounded::Surrounded(DType dtype, ZBox whole, ZBox part)
    : whole(std::move(whole)), part(std::move(part)) {
  tensor.dtype = dtype;
  for (const ZRange &range : this->whole)
    tensor.shape.push_back(range.size() + 2);
  strides.resize(tensor.shape.size());
  int64_t elements = 1;
  for (size_t dim = tensor.shape.size(); dim-- > 0;) {
    strides[dim] = elements;
    elements *= tensor.shape[dim];
  }
  tensor.bytes.resize(elements * byteSize(dtype));
}

void Surrounded::fill(llvm::ArrayRef<uint8_t> element) {
  size_t done = std::min(element.size(), tensor.bytes.size());
  std::copy_n(element.begin(), done, tensor.bytes.begin());
  for (; done < tensor.bytes.size(); done *= 2)
    std::memcpy(tensor.bytes.data() + done, tensor.bytes.data(),
                std::min(done, tensor.bytes.size() - done));
}

int64_t Surrounded::elementAt(llvm::ArrayRef<int64_t> place) const {
  int64_t element = 0;
  for (auto [index, range, stride] : llvm::zip_equal(place, whole, strides))
    element += (index - range.lo + 1) * stride;
  return element;
}

/// The box with one place along the last dimension, its first: rows begin
/// there.
static ZBox rowsOf(ZBox box) {
  if (!box.empty() && !isEmpty(box))
    box.back().hi = box.back().lo + 1;
  return box;
}

void Surrounded::copyPart(const HostTensor &from, const ZBox &part) {
  int64_t bytes = byteSize(tensor.dtype);
  int64_t length = part.empty() ? 1 : part.back().size();
  StridedView rows = StridedView::rowMajor(from.shape);
  allPoints(rowsOf(part), [&](llvm::ArrayRef<int64_t> place) {
    llvm::SmallVector<int64_t> inside(place);
    for (auto [index, range] : llvm::zip_equal(inside, whole))
      index -= range.lo;
    int64_t element = rows.placeOf(inside);
    std::memcpy(at(place), from.bytes.data() + element * bytes, length * bytes);
    return true;
  });
}

std::optional<ZPoint> Surrounded::findOutside(uint8_t byte) {
  if (whole.empty())
    return std::nullopt;
  ZBox all = whole;
  for (ZRange &range : all)
    range = {range.lo - 1, range.hi + 1};
  int64_t bytes = byteSize(tensor.dtype);
  std::optional<ZPoint> found;
  auto look = [&](llvm::ArrayRef<int64_t> row, ZRange columns) {
    ZPoint place(row);
    place.back() = columns.lo;
    const uint8_t *first = at(place);
    // Without a branch, so that it takes many bytes at once.
    uint8_t differs = 0;
    for (int64_t i = 0, e = columns.size() * bytes; i < e; ++i)
      differs |= first[i] ^ byte;
    if (!differs)
      return true;
    while (*first++ == byte)
      ;
    place.back() += (first - 1 - at(place)) / bytes;
    found = place;
    return false;
  };
  allPoints(rowsOf(all), [&](llvm::ArrayRef<int64_t> row) {
    bool isBeside = false;
    for (auto [index, range] :
         llvm::zip_equal(row.drop_back(), llvm::ArrayRef(part).drop_back()))
      isBeside |= index < range.lo || index >= range.hi;
    ZRange columns = all.back();
    if (isBeside)
      return look(row, columns);
    return look(row, {columns.lo, part.back().lo}) &&
           look(row, {part.back().hi, columns.hi});
  });
  return found;
}

TensorPart Surrounded::view() {
  llvm::SmallVector<int64_t> first;
  for (const ZRange &range : part)
    first.push_back(range.lo);
  return {at(first), part, strides};
}
