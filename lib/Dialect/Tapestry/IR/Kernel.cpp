//===- Kernel.cpp - Signatures of block operators -------------------------===//

#include "tapestry/Dialect/Tapestry/IR/Kernel.h"
#include "mlir/IR/Builders.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

llvm::hash_code teg::hash_value(const Kernel &kernel) {
  llvm::hash_code hash = llvm::hash_value(kernel.symbol);
  hash = llvm::hash_combine(hash,
                            llvm::hash_combine_range(kernel.labels.begin(), //
                                                     kernel.labels.end()));
  for (const auto *tensors : {&kernel.inputs, &kernel.outputs})
    for (const KernelTensor &tensor : *tensors)
      hash = llvm::hash_combine(hash, tensor.name, tensor.element,
                                tapestry::hash_value(tensor.projection),
                                tensor.monoid);
  for (const KernelParam &param : kernel.params)
    hash = llvm::hash_combine(hash, param.name, param.element);
  for (const KernelCost &cost : kernel.costs)
    hash = llvm::hash_combine(hash, cost.label, cost.resource, cost.amount);
  return hash;
}

std::optional<int32_t> teg::elementCode(StringRef name) {
  // In the order of TapestryBlockType.
  static constexpr llvm::StringLiteral names[] = {
      "f64",  "f32", "f16", "bf16", "i8",  "i16", "i32", "i64",
      "bool", "u8",  "u16", "u32",  "u64", "c64", "c128"};
  const auto *known = llvm::find(names, name);
  if (known == std::end(names))
    return std::nullopt;
  return static_cast<int32_t>(known - std::begin(names));
}

Type teg::elementTypeNamed(MLIRContext *context, StringRef name) {
  Builder b(context);
  Type other = llvm::StringSwitch<Type>(name)
                   .Case("f64", b.getF64Type())
                   .Case("f32", b.getF32Type())
                   .Case("f16", b.getF16Type())
                   .Case("bf16", b.getBF16Type())
                   .Case("bool", b.getI1Type())
                   .Case("c64", ComplexType::get(b.getF32Type()))
                   .Case("c128", ComplexType::get(b.getF64Type()))
                   .Default(Type());
  unsigned width = 0;
  if (other || name.drop_front().getAsInteger(10, width))
    return other;
  return b.getIntegerType(width);
}

static bool mentions(const ProjectionDim &dim, unsigned label) {
  return llvm::any_of(
      dim.terms, [&](const AffineTerm &term) { return term.dim == label; });
}

static bool mentions(const KernelTensor &tensor, unsigned label) {
  return llvm::any_of(tensor.projection.dims, [&](const ProjectionDim &dim) {
    return mentions(dim, label);
  });
}

llvm::SmallVector<LabelUse> teg::labelUses(const Kernel &kernel) {
  llvm::SmallVector<LabelUse> uses;
  for (unsigned label = 0; label < kernel.labels.size(); ++label) {
    bool isEverywhere = true, movesRegions = false;
    for (const KernelTensor &output : kernel.outputs) {
      isEverywhere &= mentions(output, label);
      for (const ProjectionDim &dim : output.projection.dims)
        movesRegions |= mentions(dim, label) && !dim.isPlainDim();
    }
    uses.push_back(movesRegions   ? LabelUse::Region
                   : isEverywhere ? LabelUse::Plain
                                  : LabelUse::Reduced);
  }
  return uses;
}

bool teg::isReduced(const Kernel &kernel, const KernelTensor &output) {
  return llvm::any_of(llvm::seq<unsigned>(0, kernel.labels.size()),
                      [&](unsigned label) { return !mentions(output, label); });
}
