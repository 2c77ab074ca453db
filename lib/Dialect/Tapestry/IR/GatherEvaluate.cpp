//===- GatherEvaluate.cpp - What tapestry.gather means --------------------===//

#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/ElementBytes.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Support/HostNumbers.h"
#include "tapestry/Support/ZTensor.h"
#include <cstring>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {
int64_t valueOf(const ProjectionDim &form, llvm::ArrayRef<int64_t> point) {
  int64_t value = form.constant;
  for (const AffineTerm &term : form.terms)
    value += term.coefficient * point[term.dim];
  return value;
}
} // namespace

llvm::Expected<std::vector<HostTensor>>
GatherOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  return evaluateRange(operands, boxOfShape(getExtents()));
}

// What lies in rows of other ranges adds nothing.
llvm::Expected<std::vector<HostTensor>>
GatherOp::evaluateRange(llvm::ArrayRef<const HostTensor *> operands,
                        llvm::ArrayRef<ZRange> range) {
  const HostTensor &table = *operands.front();
  llvm::Expected<HostTensor> result =
      HostTensor::create(table.dtype, getResultType().getShape());
  if (!result)
    return result.takeError();
  int64_t size = byteSize(table.dtype);
  std::vector<uint8_t> outside;
  if (TypedAttr pad = getPadAttr())
    outside = bytesOf(pad, size);
  unsigned rank = getResultType().getRank();
  std::vector<Projection> forms;
  for (unsigned number = 0; number <= getIndices().size(); ++number)
    forms.push_back(*index::getLinearForms(getMap(number)));

  std::vector<uint8_t> nothing = bytesOf(getMonoidIdentity(0), size);
  StridedView elements = StridedView::rowMajor(result->shape);
  std::vector<int64_t> point(getLabels().size());
  forEachPoint(range.take_front(rank), [&](llvm::ArrayRef<int64_t> cell) {
    llvm::copy(cell, point.begin());
    for (unsigned k = 0; k < getIndices().size(); ++k) {
      const HostTensor &index = *operands[1 + k];
      int64_t at = 0;
      for (auto [dim, form] : llvm::enumerate(forms[1 + k].dims))
        at = at * index.shape[dim] + valueOf(form, point);
      point[rank + k] = integerAt(index, at);
    }
    bool isInside = true, isHere = true;
    int64_t at = 0;
    for (auto [dim, form] : llvm::enumerate(forms.front().dims)) {
      int64_t last = table.shape[dim] - 1;
      int64_t value = valueOf(form, point);
      int64_t nearest = std::clamp<int64_t>(value, 0, last);
      isInside &= nearest == value;
      if (!form.terms.empty() && form.terms.front().dim >= rank)
        isHere &=
            range[form.terms.front().dim].contains({nearest, nearest + 1});
      at = at * (last + 1) + nearest;
    }
    const uint8_t *found = table.bytes.data() + at * size;
    if (!isHere)
      found = nothing.data();
    else if (!isInside && !outside.empty())
      found = outside.data();
    std::memcpy(result->bytes.data() + elements.placeOf(cell) * size, found,
                size);
  });
  std::vector<HostTensor> results;
  results.push_back(std::move(*result));
  return results;
}
