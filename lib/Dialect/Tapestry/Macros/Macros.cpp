//===- Macros.cpp - softmax, norms and means as einsums -------------------===//

#include "tapestry/Dialect/Tapestry/Macros/Macros.h"
#include "Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineExpr.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;
using tapestry::Monoid;

/// The value of a part of a body, made where the body first asks for it.
using Evaluate = llvm::function_ref<Value(const ScalarExpr &)>;
using PartsBody = llvm::function_ref<Value(ScalarBuilder &, Evaluate)>;

namespace {
/// The labels of a vertex, as positions in those of the macro.
struct Space {
  SmallVector<unsigned> parallel, reduced;
};
} // namespace

/// Combines `parts`, whose equal reads become one operand.
static EinsumOp buildVertex(OpBuilder &builder, Location loc, StringRef name,
                            ArrayRef<ScalarLabel> labels, const Space &space,
                            Monoid monoid, Type elementType,
                            ArrayRef<const ScalarExpr *> parts,
                            PartsBody body) {
  SmallVector<StringRef> names;
  SmallVector<int64_t> extents;
  // A label that the vertex lacks occurs in no subscript.
  SmallVector<AffineExpr> positionOf(labels.size(),
                                     builder.getAffineConstantExpr(0));
  for (unsigned label :
       llvm::concat<const unsigned>(space.parallel, space.reduced)) {
    positionOf[label] = builder.getAffineDimExpr(names.size());
    names.push_back(labels[label].name);
    extents.push_back(labels[label].extent);
  }

  SmallVector<ScalarRead> reads;
  for (const ScalarExpr *part : parts)
    for (const ScalarRead &read : part->reads)
      if (!llvm::is_contained(reads, read))
        reads.push_back(read);
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<TypedAttr> pads;
  for (const ScalarRead &read : reads) {
    operands.push_back(read.tensor);
    // Simplified, so that terms stand in the order of the vertex's labels.
    maps.push_back(index::canonicalSubscripts(read.map.replaceDimsAndSymbols(
        positionOf, {}, names.size(), /*numResultSyms=*/0)));
    pads.push_back(read.pad);
  }
  size_t rank = space.parallel.size();
  maps.push_back(
      builder.getMultiDimIdentityMap(names.size()).getSliceMap(0, rank));

  auto buildBody = [&](OpBuilder &nested, Location loc, ValueRange args) {
    ScalarBuilder b(nested, loc);
    auto evaluate = [&](const ScalarExpr &part) {
      assert((part.body || part.reads.size() == 1) && "no value to take");
      SmallVector<Value> scalars;
      for (const ScalarRead &read : part.reads)
        scalars.push_back(args[llvm::find(reads, read) - reads.begin()]);
      return b.widen(part.body ? part.body(b, scalars) : scalars.front());
    };
    return body ? body(b, evaluate) : evaluate(*parts.front());
  };
  auto type =
      RankedTensorType::get(ArrayRef(extents).take_front(rank), elementType);
  return EinsumOp::create(builder, loc, name, names, extents, operands, maps,
                          pads, monoid, type, buildBody);
}

static SmallVector<unsigned> positions(unsigned begin, unsigned end) {
  return llvm::to_vector(llvm::seq(begin, end));
}

EinsumOp teg::buildEinsum(OpBuilder &builder, Location loc, StringRef name,
                          ArrayRef<ScalarLabel> labels, unsigned numParallel,
                          Monoid monoid, Type elementType,
                          const ScalarExpr &expr) {
  Space space{positions(0, numParallel), positions(numParallel, labels.size())};
  return buildVertex(builder, loc, name, labels, space, monoid, elementType,
                     &expr, /*body=*/nullptr);
}

//===----------------------------------------------------------------------===//
// Macros
//===----------------------------------------------------------------------===//

namespace {

/// What the einsums of a macro have in common.
class MacroBuilder {
public:
  MacroBuilder(OpBuilder &builder, Location loc, const MacroUse &use);

  EinsumOp softmax();
  EinsumOp rmsNorm();
  EinsumOp layerNorm();
  EinsumOp mean();
  EinsumOp logSumExp();
  EinsumOp argExtreme(Monoid extreme);

private:
  /// Vertex NAME.suffix, and how the others read it. Without a body: the value
  /// of the only part.
  ScalarExpr add(StringRef suffix, const Space &space, Monoid monoid,
                 Type elementType, ArrayRef<const ScalarExpr *> parts,
                 PartsBody body = nullptr) {
    EinsumOp vertex =
        buildVertex(builder, loc, (use.name + "." + suffix).str(), use.labels,
                    space, monoid, elementType, parts, body);
    auto map = AffineMap::getMultiDimMapWithTargets(
        use.labels.size(), space.parallel, builder.getContext());
    return {{{vertex.getResult(), map}}};
  }
  EinsumOp addResult(ArrayRef<const ScalarExpr *> parts, PartsBody body) {
    return buildVertex(
        builder, loc, use.name, use.labels, {result, {}}, Monoid::None,
        use.resultType ? use.resultType : use.elementType, parts, body);
  }
  Value divide(ScalarBuilder &b, Value sum) {
    Type part = sum.getType();
    if (auto complex = dyn_cast<ComplexType>(part))
      part = complex.getElementType();
    return b.quotient(sum, b.constant(cast<FloatType>(part), count));
  }
  static Value square(ScalarBuilder &b, Value value) {
    return b.create<arith::MulFOp>(value, value);
  }
  /// value * rsqrt(squares / count + epsilon)
  Value scale(ScalarBuilder &b, Value value, Evaluate evaluate,
              const ScalarExpr &squares) {
    Value variance = divide(b, evaluate(squares));
    Value sum = b.create<arith::AddFOp>(variance, evaluate(use.epsilon));
    return b.create<arith::MulFOp>(value, b.create<math::RsqrtOp>(sum));
  }

  OpBuilder &builder;
  Location loc;
  const MacroUse &use;
  const ScalarExpr &x;
  /// Over all labels that the operand uses; reducing the inner ones; over the
  /// outer ones.
  Space pointwise, reduction, outer;
  /// The labels of the result.
  SmallVector<unsigned> result;
  /// The product of the inner extents.
  double count = 1;
  /// Where sums are kept.
  Type wide;
};

} // namespace

MacroBuilder::MacroBuilder(OpBuilder &builder, Location loc,
                           const MacroUse &use)
    : builder(builder), loc(loc), use(use), x(use.operand),
      wide(use.elementType.isF16() || use.elementType.isBF16()
               ? builder.getF32Type()
               : use.elementType) {
  for (auto [label, info] : llvm::enumerate(use.labels)) {
    if (info.role != LabelRole::Inner || !reducesLabels(use.kind))
      result.push_back(label);
    bool isRead = llvm::any_of(x.reads, [label = label](const ScalarRead &r) {
      return r.map.isFunctionOfDim(label);
    });
    if (info.role == LabelRole::Unused && !isRead)
      continue;
    pointwise.parallel.push_back(label);
    if (info.role != LabelRole::Inner) {
      reduction.parallel.push_back(label);
      continue;
    }
    reduction.reduced.push_back(label);
    count *= static_cast<double>(info.extent);
  }
  outer.parallel = reduction.parallel;
}

EinsumOp MacroBuilder::softmax() {
  ScalarExpr max = add("max", reduction, Monoid::Max, use.elementType, &x);
  ScalarExpr exponential =
      add("exp", pointwise, Monoid::None, use.elementType, {&x, &max},
          [&](ScalarBuilder &b, Evaluate value) {
            Value minuend = value(x);
            return b.create<math::ExpOp>(
                b.create<arith::SubFOp>(minuend, value(max)));
          });
  ScalarExpr sum = add("sum", reduction, Monoid::Add, wide, &exponential);
  return addResult({&exponential, &sum}, [&](ScalarBuilder &b, Evaluate value) {
    Value dividend = value(exponential);
    return b.create<arith::DivFOp>(dividend, value(sum));
  });
}

EinsumOp MacroBuilder::rmsNorm() {
  ScalarExpr squares = add(
      "sq", reduction, Monoid::Add, wide, &x,
      [&](ScalarBuilder &b, Evaluate value) { return square(b, value(x)); });
  return addResult({&x, &squares, &use.epsilon},
                   [&](ScalarBuilder &b, Evaluate value) {
                     return scale(b, value(x), value, squares);
                   });
}

EinsumOp MacroBuilder::layerNorm() {
  ScalarExpr sum = add("sum", reduction, Monoid::Add, wide, &x);
  ScalarExpr average = add(
      "mean", outer, Monoid::None, wide, &sum,
      [&](ScalarBuilder &b, Evaluate value) { return divide(b, value(sum)); });
  auto difference = [&](ScalarBuilder &b, Evaluate value) {
    Value minuend = value(x);
    return b.create<arith::SubFOp>(minuend, value(average));
  };
  ScalarExpr squares = add("sq", reduction, Monoid::Add, wide, {&x, &average},
                           [&](ScalarBuilder &b, Evaluate value) {
                             return square(b, difference(b, value));
                           });
  return addResult({&x, &average, &squares, &use.epsilon},
                   [&](ScalarBuilder &b, Evaluate value) {
                     return scale(b, difference(b, value), value, squares);
                   });
}

EinsumOp MacroBuilder::mean() {
  ScalarExpr sum = add("sum", reduction, Monoid::Add, wide, &x);
  return addResult(&sum, [&](ScalarBuilder &b, Evaluate value) {
    return divide(b, value(sum));
  });
}

EinsumOp MacroBuilder::logSumExp() {
  ScalarExpr max = add("max", reduction, Monoid::Max, use.elementType, &x);
  // Infinities would cancel to NaN: they stay in the terms.
  ScalarExpr sum = add("sum", reduction, Monoid::Add, wide, {&x, &max},
                       [&](ScalarBuilder &b, Evaluate value) {
                         Value term = value(x);
                         return b.create<math::ExpOp>(b.create<arith::SubFOp>(
                             term, finiteOrZero(b, value(max))));
                       });
  return addResult({&max, &sum}, [&](ScalarBuilder &b, Evaluate value) {
    Value largest = finiteOrZero(b, value(max));
    return b.create<arith::AddFOp>(largest, b.create<math::LogOp>(value(sum)));
  });
}

/// The least place of a value that is the extreme one.
EinsumOp MacroBuilder::argExtreme(Monoid extreme) {
  SmallVector<ScalarLabel> points = llvm::map_to_vector(
      reduction.reduced, [&](unsigned label) { return use.labels[label]; });
  IntegerType type = placeType(builder, points);
  ScalarExpr best = add(extreme == Monoid::Max ? "max" : "min", reduction,
                        extreme, use.elementType, &x);
  ScalarExpr first =
      add("place", reduction, Monoid::Min, type, {&x, &best},
          [&](ScalarBuilder &b, Evaluate value) {
            Value own = value(x);
            return b.create<arith::SelectOp>(
                isExtreme(b, own, value(best)), placeOfPoint(b, type, points),
                b.constant(monoidIdentity(Monoid::Min, type)));
          });
  return addResult(&first, [&](ScalarBuilder &b, Evaluate value) {
    Value narrow = value(first);
    Type wide = builder.getI64Type();
    return type == wide ? narrow : b.create<arith::ExtSIOp>(wide, narrow);
  });
}

EinsumOp teg::buildMacro(OpBuilder &builder, Location loc,
                         const MacroUse &use) {
  MacroBuilder macro(builder, loc, use);
  switch (use.kind) {
  case MacroKind::Softmax:
    return macro.softmax();
  case MacroKind::RMSNorm:
    return macro.rmsNorm();
  case MacroKind::LayerNorm:
    return macro.layerNorm();
  case MacroKind::Mean:
    return macro.mean();
  case MacroKind::LogSumExp:
    return macro.logSumExp();
  case MacroKind::ArgMax:
    return macro.argExtreme(Monoid::Max);
  case MacroKind::ArgMin:
    return macro.argExtreme(Monoid::Min);
  }
  llvm_unreachable("all macros are built");
}
