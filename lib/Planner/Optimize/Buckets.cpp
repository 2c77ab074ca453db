//===- Buckets.cpp - Factors by the classes that a bucket sees ------------===//

#include "Buckets.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::optimize;
using namespace tapestry::optimize::buckets;

Operand buckets::operandOf(const Step &step, llvm::ArrayRef<Factor> factors,
                           unsigned position) {
  const Factor &factor = factors[position];
  // Which of a variable's refined maps belongs to this factor: maps were listed
  // in factor order.
  auto partOf =
      [&](unsigned var,
          const Refinement &classes) -> const std::vector<uint32_t> & {
    unsigned number = 0;
    for (unsigned before = 0; before < position; ++before)
      number += llvm::is_contained(factors[before].vars, var);
    return classes.parts[number];
  };
  auto sourceStride = [&](unsigned var) {
    size_t stride = 1;
    for (unsigned i = factor.vars.size(); i-- > 0;) {
      if (factor.vars[i] == var)
        return stride;
      stride *= factor.table->dims[i];
    }
    return size_t(0);
  };

  Operand operand;
  operand.strides.resize(step.scope.size(), 0);
  auto addDim = [&](unsigned var, const Refinement &classes) {
    size_t stride = sourceStride(var);
    std::vector<size_t> &list = operand.offsets.emplace_back();
    for (uint32_t source : partOf(var, classes))
      list.push_back(source * stride);
  };
  addDim(step.var, *step.own);
  llvm::SmallVector<unsigned, 4> positions;
  for (unsigned i = 0; i < step.scope.size(); ++i)
    if (llvm::is_contained(factor.vars, step.scope[i])) {
      addDim(step.scope[i], *step.classes[i]);
      positions.push_back(i);
    }
  size_t stride = 1;
  for (unsigned i = positions.size(); i-- > 0;) {
    operand.strides[positions[i]] = stride;
    stride *= operand.offsets[i + 1].size();
  }
  operand.ownStride = stride;
  operand.values.resize(stride * operand.offsets[0].size());
  double *value = operand.values.data();
  operand.visitRows([&](size_t base) {
    const double *source = &factor.table->values[base];
    for (size_t offset : operand.offsets.back())
      *value++ = source[offset];
  });
  return operand;
}

std::vector<const void *>
buckets::structureOf(const Step &step, llvm::ArrayRef<Factor> factors,
                     llvm::function_ref<const void *(const Factor &)> tableOf) {
  std::vector<const void *> key;
  for (const Factor &factor : factors) {
    key.push_back(tableOf(factor));
    for (auto [v, map] : llvm::zip_equal(factor.vars, factor.maps)) {
      auto place = llvm::find(step.scope, v) - step.scope.begin();
      key.push_back(reinterpret_cast<const void *>(
          v == step.var ? size_t(0) : size_t(place + 1)));
      key.push_back(map.get());
    }
  }
  return key;
}
