//===- Surrounded.cpp - Parts of tensors among poison ---------------------===//

#include "Surrounded.h"
#include "tapestry/Support/ZTensor.h"

using namespace tapestry;
using namespace tapestry::teg;

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
  for (size_t at = 0; at < tensor.bytes.size(); at += element.size())
    llvm::copy(element, tensor.bytes.begin() + at);
}

int64_t Surrounded::elementAt(llvm::ArrayRef<int64_t> place) const {
  int64_t element = 0;
  for (auto [index, range, stride] : llvm::zip_equal(place, whole, strides))
    element += (index - range.lo + 1) * stride;
  return element;
}

void Surrounded::copyPart(const HostTensor &from, const ZBox &part) {
  int64_t bytes = byteSize(tensor.dtype);
  StridedView rows = StridedView::rowMajor(from.shape);
  allPoints(part, [&](llvm::ArrayRef<int64_t> place) {
    llvm::SmallVector<int64_t> inside(place);
    for (auto [index, range] : llvm::zip_equal(inside, whole))
      index -= range.lo;
    int64_t element = rows.placeOf(inside);
    std::memcpy(at(place), from.bytes.data() + element * bytes, bytes);
    return true;
  });
}

TensorPart Surrounded::view() {
  llvm::SmallVector<int64_t> first;
  for (const ZRange &range : part)
    first.push_back(range.lo);
  return {at(first), part, strides};
}
