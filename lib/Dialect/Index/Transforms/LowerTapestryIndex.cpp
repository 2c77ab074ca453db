//===- LowerTapestryIndex.cpp - tapestry_index to arith -------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Dialect/Index/Transforms/Passes.h"

namespace tapestry::index {
#define GEN_PASS_DEF_LOWERTAPESTRYINDEX
#include "tapestry/Dialect/Index/Transforms/Passes.h.inc"
} // namespace tapestry::index

using namespace mlir;
using namespace tapestry;
using namespace tapestry::index;

namespace {

/// A range of run-time bounds.
struct ValueRangePair {
  Value lo;
  Value hi;
};

/// Emits index arithmetic, folding what is constant.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value add(Value a, int64_t b) { return b == 0 ? a : add(a, constant(b)); }
  Value scale(Value a, int64_t b) {
    return b == 1 ? a
                  : builder.createOrFold<arith::MulIOp>(loc, a, constant(b));
  }
  /// Of values that are not negative.
  Value divide(Value a, int64_t b) {
    return b == 1 ? a
                  : builder.createOrFold<arith::DivUIOp>(loc, a, constant(b));
  }
  Value remainder(Value a, int64_t b) {
    return builder.createOrFold<arith::RemUIOp>(loc, a, constant(b));
  }
  Value floorDivide(Value a, int64_t b) {
    return emitFloorDivision(builder, loc, a, b);
  }
  Value min(Value a, Value b) {
    return builder.createOrFold<arith::MinSIOp>(loc, a, b);
  }
  Value max(Value a, Value b) {
    return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
  }
  /// Whether a range is empty.
  Value empty(const ValueRangePair &range) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle,
                                               range.hi, range.lo);
  }
  /// Whether some range of a box is empty; null for rank 0.
  Value anyEmpty(llvm::ArrayRef<ValueRangePair> box) {
    Value any;
    for (const ValueRangePair &range : box) {
      Value one = empty(range);
      any = any ? builder.createOrFold<arith::OrIOp>(loc, any, one) : one;
    }
    return any;
  }
  Value select(Value condition, Value a, Value b) {
    return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
  }
  Value equal(Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a,
                                               b);
  }
  Value fold(Value value, int64_t mod, Fold how) {
    return emitFold(builder, loc, value, mod, how);
  }
  /// `tapestry::wrapped` of one value.
  template <typename Form> Value wrap(Value value, const Form &form) {
    value = floorDivide(value, form.floordiv);
    return form.mod == 0 ? value : fold(value, form.mod, form.fold);
  }
  /// The range of folded values; mirrored, they turn at 0 and mod - 1 unless
  /// the range ends before.
  ValueRangePair mirror(Value first, Value last, int64_t mod, Fold how) {
    if (mod == 1)
      return {constant(0), constant(1)};
    int64_t period = 2 * mod - (how == Fold::Symmetric ? 0 : 2);
    auto passes = [&](int64_t turn) {
      return builder.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::ne, floorDivide(add(last, -turn), period),
          floorDivide(add(first, -1 - turn), period));
    };
    Value a = fold(first, mod, how), b = fold(last, mod, how);
    return {select(passes(0), constant(0), min(a, b)),
            add(select(passes(mod - 1), constant(mod - 1), max(a, b)), 1)};
  }
  /// `tapestry::wrapped` of a range that is not empty.
  template <typename Form>
  ValueRangePair wrap(const ValueRangePair &range, const Form &form) {
    Value first = floorDivide(range.lo, form.floordiv);
    Value last = floorDivide(add(range.hi, -1), form.floordiv);
    int64_t mod = form.mod;
    if (mod == 0)
      return {first, add(last, 1)};
    if (form.fold == Fold::Edge)
      return {fold(first, mod, form.fold), add(fold(last, mod, form.fold), 1)};
    if (form.fold != Fold::Wrap)
      return mirror(first, last, mod, form.fold);
    Value turn = floorDivide(first, mod);
    Value stays = equal(turn, floorDivide(last, mod));
    Value base = scale(turn, -mod);
    return {select(stays, add(first, base), constant(0)),
            select(stays, add(add(last, base), 1), constant(mod))};
  }
  /// The starts of `form` (a ProjectionDim or a LayoutDim) for `labels`, one
  /// range that is not empty per term, each start `span` points long.
  template <typename Form>
  ValueRangePair image(const Form &form, int64_t span,
                       llvm::ArrayRef<ValueRangePair> labels) {
    bool isLinear = form.floordiv == 1 && form.mod == 0;
    ValueRangePair range = {constant(form.constant),
                            constant(form.constant + (isLinear ? span : 1))};
    for (auto [term, label] : llvm::zip_equal(form.terms, labels)) {
      Value first = scale(label.lo, term.coefficient);
      Value last = scale(add(label.hi, -1), term.coefficient);
      if (term.coefficient < 0)
        std::swap(first, last);
      range = {add(range.lo, first), add(range.hi, last)};
    }
    if (isLinear)
      return range;
    range = wrap(range, form);
    return {range.lo, add(range.hi, span - 1)};
  }
  /// The range, or [0, 0) where `condition` holds.
  ValueRangePair emptyIf(Value condition, const ValueRangePair &range) {
    Value zero = constant(0);
    return {select(condition, zero, range.lo),
            select(condition, zero, range.hi)};
  }

private:
  OpBuilder &builder;
  Location loc;
};

llvm::SmallVector<ValueRangePair> pairs(ValueRange bounds) {
  llvm::SmallVector<ValueRangePair> box;
  for (size_t i = 0; i + 1 < bounds.size(); i += 2)
    box.push_back({bounds[i], bounds[i + 1]});
  return box;
}

llvm::SmallVector<Value> flatten(llvm::ArrayRef<ValueRangePair> box) {
  llvm::SmallVector<Value> bounds;
  for (const ValueRangePair &range : box)
    bounds.append({range.lo, range.hi});
  return bounds;
}

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

struct LowerApply : public OpRewritePattern<ApplyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ApplyOp op,
                                PatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    llvm::SmallVector<Value> starts;
    for (const ProjectionDim &dim : op.getProjection().getProjection().dims) {
      Value start;
      for (const AffineTerm &term : dim.terms) {
        Value scaled = emit.scale(op.getPoint()[term.dim], term.coefficient);
        start = start ? emit.add(start, scaled) : scaled;
      }
      start =
          start ? emit.add(start, dim.constant) : emit.constant(dim.constant);
      starts.push_back(emit.wrap(start, dim));
    }
    rewriter.replaceOp(op, starts);
    return success();
  }
};

struct LowerImage : public OpRewritePattern<ImageOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ImageOp op,
                                PatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    llvm::SmallVector<ValueRangePair> box = pairs(op.getBounds());
    Value isEmpty = emit.anyEmpty(box);
    llvm::SmallVector<ValueRangePair> image;
    for (const ProjectionDim &dim : op.getProjection().getProjection().dims) {
      llvm::SmallVector<ValueRangePair> labels;
      for (const AffineTerm &term : dim.terms)
        labels.push_back(box[term.dim]);
      ValueRangePair range =
          emit.image(dim, (dim.size - 1) * dim.stride + 1, labels);
      image.push_back(isEmpty ? emit.emptyIf(isEmpty, range) : range);
    }
    rewriter.replaceOp(op, flatten(image));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

struct LowerIntersect : public OpRewritePattern<IntersectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IntersectOp op,
                                PatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    llvm::SmallVector<ValueRangePair> box;
    for (auto [a, b] : llvm::zip_equal(pairs(op.getLhs()), pairs(op.getRhs())))
      box.push_back({emit.max(a.lo, b.lo), emit.min(a.hi, b.hi)});
    rewriter.replaceOp(op, flatten(box));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Parts of layouts
//===----------------------------------------------------------------------===//

/// Emits a device's part of a layout.
class PartEmitter {
public:
  PartEmitter(Emitter &emit, const DeviceGrid &grid, Value device)
      : emit(emit), grid(grid), device(device) {}

  ValueRangePair part(const LayoutDim &dim, bool unclipped);

private:
  Value partIndex(llvm::ArrayRef<unsigned> cut);
  ValueRangePair block(const LayoutTerm &term);
  ValueRangePair image(const LayoutDim &dim);
  /// Whether some device's part of a term is empty.
  bool mayBeEmpty(const LayoutTerm &term) {
    int64_t parts = partsOf(grid, term.cut);
    return term.within || blockRange(term.extent, parts, parts - 1).empty();
  }

  Emitter &emit;
  const DeviceGrid &grid;
  Value device;
};

/// The mixed-radix number of the device's coordinates on the cut's axes.
Value PartEmitter::partIndex(llvm::ArrayRef<unsigned> cut) {
  Value index;
  for (unsigned axis : cut) {
    int64_t stride = grid.strideOf(axis);
    int64_t size = grid.axes[axis].size;
    Value coordinate = emit.divide(device, stride);
    // The most significant digit needs no remainder.
    if (stride * size != grid.numDevices())
      coordinate = emit.remainder(coordinate, size);
    index = index ? emit.add(emit.scale(index, size), coordinate) : coordinate;
  }
  return index;
}

ValueRangePair PartEmitter::block(const LayoutTerm &term) {
  int64_t parts = partsOf(grid, term.cut);
  if (term.within) {
    LayoutTerm whole = term;
    whole.within.reset();
    ValueRangePair range = block(whole);
    return {emit.max(range.lo, emit.constant(term.within->lo)),
            emit.min(range.hi, emit.constant(term.within->hi))};
  }
  if (parts == 1)
    return {emit.constant(0), emit.constant(term.extent)};
  int64_t size = ceilDiv(term.extent, parts);
  Value lo = emit.scale(partIndex(term.cut), size);
  Value hi = emit.add(lo, size);
  // Only the last parts of an uneven cut reach past the extent.
  if (size * parts != term.extent) {
    Value extent = emit.constant(term.extent);
    hi = emit.min(hi, extent);
    if (mayBeEmpty(term))
      lo = emit.min(lo, extent);
  }
  return {lo, hi};
}

ValueRangePair PartEmitter::image(const LayoutDim &dim) {
  llvm::SmallVector<ValueRangePair> labels, doubtful;
  for (const LayoutTerm &term : dim.terms) {
    labels.push_back(block(term));
    if (mayBeEmpty(term))
      doubtful.push_back(labels.back());
  }
  ValueRangePair range = emit.image(dim, dim.span, labels);
  if (Value isEmpty = emit.anyEmpty(doubtful))
    return emit.emptyIf(isEmpty, range);
  return range;
}

ValueRangePair PartEmitter::part(const LayoutDim &dim, bool unclipped) {
  // A part of an extent is its block: nothing to project or to clip.
  if (dim.isPlain()) {
    ValueRangePair range = block(dim.terms.front());
    return mayBeEmpty(dim.terms.front())
               ? emit.emptyIf(emit.empty(range), range)
               : range;
  }
  ValueRangePair range = image(dim);
  if (unclipped)
    return range;
  LayoutDim whole = dim;
  for (LayoutTerm &term : whole.terms)
    term.cut.clear();
  if (ZRange{0, dim.extent}.contains(whole.imageRange(grid, 0)))
    return range;
  ValueRangePair clipped = {emit.max(range.lo, emit.constant(0)),
                            emit.min(range.hi, emit.constant(dim.extent))};
  return emit.emptyIf(emit.empty(clipped), clipped);
}

struct LowerPart : public OpRewritePattern<PartOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PartOp op,
                                PatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    PartEmitter parts(emit, op.getLayout().getDeviceGrid(), op.getDevice());
    llvm::SmallVector<ValueRangePair> box;
    for (const LayoutDim &dim : op.getLayout().getLayout().dims)
      box.push_back(parts.part(dim, op.getUnclipped()));
    rewriter.replaceOp(op, flatten(box));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

struct LowerTapestryIndexPass
    : public tapestry::index::impl::LowerTapestryIndexBase<
          LowerTapestryIndexPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateLowerTapestryIndexPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      numLowered += isa_and_nonnull<TapestryIndexDialect>(op->getDialect());
    });
    walkAndApplyPatterns(getOperation(), patterns);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

void index::populateLowerTapestryIndexPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerApply, LowerImage, LowerIntersect, LowerPart>(
      patterns.getContext());
}
