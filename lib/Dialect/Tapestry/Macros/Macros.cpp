//===- Macros.cpp - softmax and norms as einsums --------------------------===//

#include "tapestry/Dialect/Tapestry/Macros/Macros.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

using Role = ScalarLabel::Role;
using Positions = SmallVector<unsigned>;
/// The value of a part, made where the body first asks for it.
using Evaluate = llvm::function_ref<Value(const ScalarExpr &)>;
using PartsBody = llvm::function_ref<Value(ScalarBuilder &, Evaluate)>;

/// Builds einsums over some of the labels of a macro.
class VertexBuilder {
public:
  VertexBuilder(OpBuilder &builder, Location loc, ArrayRef<ScalarLabel> labels)
      : builder(builder), loc(loc), labels(labels) {}

  /// Combines `parts`, whose equal reads become one operand. The result has the
  /// labels `parallel`; those of `reduced` are reduced.
  EinsumOp build(const Twine &name, ArrayRef<unsigned> parallel,
                 ArrayRef<unsigned> reduced, tapestry::Monoid monoid,
                 Type elementType, ArrayRef<const ScalarExpr *> parts,
                 PartsBody body);

  AffineMap mapOf(ArrayRef<unsigned> positions) {
    return AffineMap::getMultiDimMapWithTargets(labels.size(), positions,
                                                builder.getContext());
  }

private:
  OpBuilder &builder;
  Location loc;
  ArrayRef<ScalarLabel> labels;
};

/// What the einsums of a macro have in common.
class MacroBuilder {
public:
  MacroBuilder(OpBuilder &builder, Location loc, const MacroUse &use);

  EinsumOp softmax();
  EinsumOp rmsNorm(const ScalarExpr &epsilon);
  EinsumOp layerNorm(const ScalarExpr &epsilon);

private:
  /// Vertex NAME.suffix, and how the others read it.
  ScalarExpr addHelper(StringRef suffix, ArrayRef<unsigned> parallel,
                       ArrayRef<unsigned> reduced, tapestry::Monoid monoid,
                       Type elementType, ArrayRef<const ScalarExpr *> parts,
                       PartsBody body);
  EinsumOp addResult(ArrayRef<const ScalarExpr *> parts, PartsBody body);
  /// sum / count.
  Value mean(ScalarBuilder &b, Value sum) {
    return b.create<arith::DivFOp>(sum, b.constant(wide, count));
  }
  /// value * rsqrt(squares / count + epsilon), where `value` is made first.
  Value scale(ScalarBuilder &b, Value value, Evaluate evaluate,
              const ScalarExpr &squares, const ScalarExpr &epsilon);

  const MacroUse &use;
  VertexBuilder vertices;
  /// All labels that the operand uses; those normalised over, and the others.
  Positions used, inner, outer;
  /// The product of the inner extents.
  double count = 1;
  /// Where sums are kept.
  FloatType wide;
};

} // namespace

EinsumOp VertexBuilder::build(const Twine &name, ArrayRef<unsigned> parallel,
                              ArrayRef<unsigned> reduced,
                              tapestry::Monoid monoid, Type elementType,
                              ArrayRef<const ScalarExpr *> parts,
                              PartsBody body) {
  SmallVector<StringRef> names;
  SmallVector<int64_t> extents, shape;
  // A label that the vertex lacks occurs in no subscript.
  SmallVector<AffineExpr> positionOf(labels.size(),
                                     builder.getAffineConstantExpr(0));
  for (unsigned position : llvm::concat<const unsigned>(parallel, reduced)) {
    positionOf[position] = builder.getAffineDimExpr(names.size());
    names.push_back(labels[position].name);
    extents.push_back(labels[position].extent);
  }
  for (unsigned position : parallel)
    shape.push_back(labels[position].extent);

  SmallVector<ScalarRead> reads;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<TypedAttr> pads;
  for (const ScalarExpr *part : parts)
    for (const ScalarRead &read : part->reads) {
      if (llvm::is_contained(reads, read))
        continue;
      reads.push_back(read);
      operands.push_back(read.tensor);
      // Simplified, so that terms stand in the order of the vertex's labels.
      maps.push_back(simplifyAffineMap(read.map.replaceDimsAndSymbols(
          positionOf, {}, names.size(), /*numResultSyms=*/0)));
      pads.push_back(read.pad);
    }
  maps.push_back(
      AffineMap::getMultiDimIdentityMap(names.size(), builder.getContext())
          .getSliceMap(0, parallel.size()));

  auto buildBody = [&](OpBuilder &nested, Location loc, ValueRange args) {
    ScalarBuilder b(nested, loc);
    return body(b, [&](const ScalarExpr &part) {
      SmallVector<Value> scalars;
      for (const ScalarRead &read : part.reads)
        scalars.push_back(args[llvm::find(reads, read) - reads.begin()]);
      return b.widen(part.body ? part.body(b, scalars) : scalars.front());
    });
  };
  return EinsumOp::create(builder, loc, name.str(), names, extents, operands,
                          maps, pads, monoid,
                          RankedTensorType::get(shape, elementType), buildBody);
}

EinsumOp teg::buildEinsum(OpBuilder &builder, Location loc, StringRef name,
                          ArrayRef<ScalarLabel> labels, unsigned numParallel,
                          tapestry::Monoid monoid, Type elementType,
                          const ScalarExpr &expr) {
  auto positions = llvm::to_vector(llvm::seq<unsigned>(0, labels.size()));
  return VertexBuilder(builder, loc, labels)
      .build(name, ArrayRef(positions).take_front(numParallel),
             ArrayRef(positions).drop_front(numParallel), monoid, elementType,
             &expr, [&](ScalarBuilder &, Evaluate evaluate) {
               return evaluate(expr);
             });
}

//===----------------------------------------------------------------------===//
// Macros
//===----------------------------------------------------------------------===//

MacroBuilder::MacroBuilder(OpBuilder &builder, Location loc,
                           const MacroUse &use)
    : use(use), vertices(builder, loc, use.labels),
      wide(use.elementType.isF64() ? use.elementType : builder.getF32Type()) {
  for (auto [position, label] : llvm::enumerate(use.labels)) {
    if (label.role == Role::Unused) {
      assert(llvm::none_of(use.operand.reads,
                           [&, position = position](const ScalarRead &read) {
                             return read.map.isFunctionOfDim(position);
                           }) &&
             "the operand depends on a label that is said to be unused");
      continue;
    }
    used.push_back(position);
    (label.role == Role::Inner ? inner : outer).push_back(position);
    if (label.role == Role::Inner)
      count *= static_cast<double>(label.extent);
  }
}

ScalarExpr MacroBuilder::addHelper(StringRef suffix,
                                   ArrayRef<unsigned> parallel,
                                   ArrayRef<unsigned> reduced,
                                   tapestry::Monoid monoid, Type elementType,
                                   ArrayRef<const ScalarExpr *> parts,
                                   PartsBody body) {
  EinsumOp helper = vertices.build(use.name + "." + suffix, parallel, reduced,
                                   monoid, elementType, parts, body);
  return {{{helper.getResult(), vertices.mapOf(parallel)}}};
}

EinsumOp MacroBuilder::addResult(ArrayRef<const ScalarExpr *> parts,
                                 PartsBody body) {
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, use.labels.size()));
  return vertices.build(use.name, all, {}, tapestry::Monoid::None,
                        use.elementType, parts, body);
}

EinsumOp MacroBuilder::softmax() {
  const ScalarExpr &x = use.operand;
  ScalarExpr max =
      addHelper("max", outer, inner, tapestry::Monoid::Max, use.elementType, &x,
                [&](ScalarBuilder &, Evaluate value) { return value(x); });
  ScalarExpr exponential =
      addHelper("exp", used, {}, tapestry::Monoid::None, use.elementType,
                {&x, &max}, [&](ScalarBuilder &b, Evaluate value) {
                  Value minuend = value(x);
                  return b.create<math::ExpOp>(
                      b.create<arith::SubFOp>(minuend, value(max)));
                });
  ScalarExpr sum = addHelper(
      "sum", outer, inner, tapestry::Monoid::Add, wide, &exponential,
      [&](ScalarBuilder &, Evaluate value) { return value(exponential); });
  return addResult({&exponential, &sum}, [&](ScalarBuilder &b, Evaluate value) {
    Value dividend = value(exponential);
    return b.create<arith::DivFOp>(dividend, value(sum));
  });
}

Value MacroBuilder::scale(ScalarBuilder &b, Value value, Evaluate evaluate,
                          const ScalarExpr &squares,
                          const ScalarExpr &epsilon) {
  Value variance = mean(b, evaluate(squares));
  Value sum = b.create<arith::AddFOp>(variance, evaluate(epsilon));
  return b.create<arith::MulFOp>(value, b.create<math::RsqrtOp>(sum));
}

EinsumOp MacroBuilder::rmsNorm(const ScalarExpr &epsilon) {
  const ScalarExpr &x = use.operand;
  ScalarExpr squares =
      addHelper("sq", outer, inner, tapestry::Monoid::Add, wide, &x,
                [&](ScalarBuilder &b, Evaluate value) {
                  Value base = value(x);
                  return b.create<arith::MulFOp>(base, base);
                });
  return addResult({&x, &squares, &epsilon},
                   [&](ScalarBuilder &b, Evaluate value) {
                     return scale(b, value(x), value, squares, epsilon);
                   });
}

EinsumOp MacroBuilder::layerNorm(const ScalarExpr &epsilon) {
  const ScalarExpr &x = use.operand;
  ScalarExpr sum =
      addHelper("sum", outer, inner, tapestry::Monoid::Add, wide, &x,
                [&](ScalarBuilder &, Evaluate value) { return value(x); });
  ScalarExpr average = addHelper(
      "mean", outer, {}, tapestry::Monoid::None, wide, &sum,
      [&](ScalarBuilder &b, Evaluate value) { return mean(b, value(sum)); });
  auto difference = [&](ScalarBuilder &b, Evaluate value) {
    Value minuend = value(x);
    return b.create<arith::SubFOp>(minuend, value(average));
  };
  ScalarExpr squares =
      addHelper("sq", outer, inner, tapestry::Monoid::Add, wide, {&x, &average},
                [&](ScalarBuilder &b, Evaluate value) {
                  Value base = difference(b, value);
                  return b.create<arith::MulFOp>(base, base);
                });
  return addResult({&x, &average, &squares, &epsilon}, [&](ScalarBuilder &b,
                                                           Evaluate value) {
    return scale(b, difference(b, value), value, squares, epsilon);
  });
}

EinsumOp teg::buildSoftmax(OpBuilder &builder, Location loc,
                           const MacroUse &use) {
  return MacroBuilder(builder, loc, use).softmax();
}

EinsumOp teg::buildRMSNorm(OpBuilder &builder, Location loc,
                           const MacroUse &use, const ScalarExpr &epsilon) {
  return MacroBuilder(builder, loc, use).rmsNorm(epsilon);
}

EinsumOp teg::buildLayerNorm(OpBuilder &builder, Location loc,
                             const MacroUse &use, const ScalarExpr &epsilon) {
  return MacroBuilder(builder, loc, use).layerNorm(epsilon);
}
