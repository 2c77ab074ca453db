//===- ExpandSources.cpp - Generated sources become einsums ---------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAwait.h"
#include "tapestry/Dialect/Tapestry/Macros/Macros.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "llvm/Support/MD5.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYEXPANDSOURCES
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// The row-major number of the index point, as an i64.
static Value emitNumber(ScalarBuilder &b, ArrayRef<ScalarLabel> labels) {
  Builder attributes(b.getContext());
  Value number;
  int64_t stride = 1;
  for (const ScalarLabel &label : llvm::reverse(labels)) {
    Value term = b.label(label.name);
    if (stride != 1)
      term = b.create<arith::MulIOp>(
          term, b.constant(attributes.getIndexAttr(stride)));
    number = number ? b.create<arith::AddIOp>(term, number) : term;
    stride *= label.extent;
  }
  if (!number)
    number = b.constant(attributes.getIndexAttr(0));
  return b.create<arith::IndexCastOp>(attributes.getI64Type(), number);
}

static Value emitGenerated(ScalarBuilder &b, GeneratorAttr generator,
                           StringRef name, ArrayRef<ScalarLabel> labels,
                           Type element) {
  Value number = emitNumber(b, labels);
  if (generator.getRandom()) {
    // As the first number that a statement of that name draws in .ein.
    uint64_t stream = llvm::MD5Hash((name + "#0").str());
    Value seed = b.constant(
        Builder(b.getContext()).getI64IntegerAttr(generator.getSeed()));
    return b.widen(b.create<index::RandomOp>(element, *generator.getRandom(),
                                             number, seed, stream, Value()));
  }
  if (auto real = dyn_cast<FloatType>(element))
    return b.create<arith::SIToFPOp>(
        real.getWidth() < 32 ? Float32Type::get(b.getContext()) : real, number);
  if (element.isInteger(64))
    return number;
  return b.create<arith::TruncIOp>(element, number);
}

/// What asks for cuts of dimensions asks for those of labels.
static void moveConstraints(SourceOp source, EinsumOp einsum) {
  if (Attribute group = source->getAttr(layoutGroupAttrName))
    einsum->setAttr(layoutGroupAttrName, group);
  auto list = source->getAttrOfType<ArrayAttr>(constraintsAttrName);
  if (!list)
    return;
  SmallVector<Attribute> moved;
  for (auto attr : list.getAsRange<ConstraintAttr>()) {
    ShardingConstraint constraint = attr.getConstraint("");
    if (!attr.getIsHome())
      for (LabelConstraint &cut : constraint.cuts)
        cut.label = "d" + cut.label;
    moved.push_back(
        ConstraintAttr::get(einsum.getContext(), constraint, attr.getIsHome()));
  }
  einsum->setAttr(constraintsAttrName,
                  ArrayAttr::get(einsum.getContext(), moved));
}

static void expand(SourceOp source, GeneratorAttr generator) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<std::string> names;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    names.push_back("d" + std::to_string(dim));
  SmallVector<ScalarLabel> labels;
  for (auto [name, extent] : llvm::zip_equal(names, type.getShape()))
    labels.push_back({name, extent});
  OpBuilder builder(source);
  Type element = type.getElementType();
  ScalarExpr numbers = {{}, [&](ScalarBuilder &b, ValueRange) {
                          return emitGenerated(b, generator, source.getName(),
                                               labels, element);
                        }};
  EinsumOp einsum =
      buildEinsum(builder, source.getLoc(), source.getName(), labels,
                  labels.size(), Monoid::None, element, numbers);
  moveConstraints(source, einsum);
  Value numbered = einsum->getResult(0);
  // What is generated may be there earlier; who reads it follows the points.
  if (!source.getPoints().empty())
    numbered = AwaitOp::create(
        builder, source.getLoc(), type,
        builder.getStringAttr(source.getName() + ".after"), numbered,
        source.getPoints(), nullptr, nullptr, nullptr, nullptr);
  source.getResult().replaceAllUsesWith(numbered);
  source.erase();
}

namespace {
struct TapestryExpandSources
    : teg::impl::TapestryExpandSourcesBase<TapestryExpandSources> {
  void runOnOperation() override {
    unsigned expanded = 0;
    for (auto source :
         llvm::make_early_inc_range(getOperation().getOps<SourceOp>()))
      if (auto generator =
              dyn_cast_if_present<GeneratorAttr>(source.getTargetAttr())) {
        expand(source, generator);
        ++expanded;
      }
    numExpanded += expanded;
    if (expanded == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
