//===- GatherEvaluate.cpp - What tapestry.gather means --------------------===//

#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/ElementBytes.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Support/HostNumbers.h"
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

  std::vector<int64_t> point(getLabels().size());
  for (int64_t number = 0, e = result->numElements(); number < e; ++number) {
    int64_t rest = number;
    for (unsigned label = rank; label-- > 0; rest /= getExtents()[label])
      point[label] = rest % getExtents()[label];
    for (unsigned k = 0; k < getIndices().size(); ++k) {
      const HostTensor &index = *operands[1 + k];
      int64_t at = 0;
      for (auto [dim, form] : llvm::enumerate(forms[1 + k].dims))
        at = at * index.shape[dim] + valueOf(form, point);
      point[rank + k] = integerAt(index, at);
    }
    bool isInside = true;
    int64_t at = 0;
    for (auto [dim, form] : llvm::enumerate(forms.front().dims)) {
      int64_t last = table.shape[dim] - 1;
      int64_t value = valueOf(form, point);
      int64_t nearest = std::clamp<int64_t>(value, 0, last);
      isInside &= nearest == value;
      at = at * (last + 1) + nearest;
    }
    bool isPad = !isInside && !outside.empty();
    std::memcpy(result->bytes.data() + number * size,
                isPad ? outside.data() : table.bytes.data() + at * size, size);
  }
  std::vector<HostTensor> results;
  results.push_back(std::move(*result));
  return results;
}
