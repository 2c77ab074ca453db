//===- Views.cpp - Shapes of views ----------------------------------------===//

#include "Views.h"
#include "tapestry/Import/Ein/Words.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

/// Elements of a view, which are below; no program stores as many.
static constexpr WideInt tooMany = WideInt(1) << 62;

static void multiply(int64_t &extent, int64_t times) {
  extent = static_cast<int64_t>(std::min(WideInt(extent) * times, tooMany));
}

/// "'X' is f32[4, 8]"
static std::string textOf(const View &view) {
  return "'" + view.info.name + "' is " +
         typeToString(view.info.type, view.info.shape);
}

std::nullopt_t Views::fail(const ViewExpr &expr, const llvm::Twine &message) {
  diagnostics.error(expr.range, message);
  return std::nullopt;
}

const View *Views::find(const Expr *expr) {
  auto [it, isNew] = known.try_emplace(expr, nullptr);
  if (!isNew)
    return it->second;
  const View *found = nullptr;
  if (auto *view = llvm::dyn_cast<ViewExpr>(expr)) {
    found = build(*view);
  } else if (auto *name = llvm::dyn_cast<NameExpr>(expr)) {
    const Binding *binding = scope.lookup(name->name);
    if (!binding) {
      scope.reportUnknown(diagnostics, name->name, name->range, "tensor");
    } else if (binding->kind == Binding::Kind::Tensor) {
      View &view = views.emplace_back();
      view.tensor = binding->tensor;
      view.info = graph.tensors[binding->tensor];
      found = &view;
    } else if (binding->kind == Binding::Kind::View) {
      found = binding->view;
    } else if (binding->kind != Binding::Kind::Poison) {
      diagnostics.error(name->range, "'" + name->name + "' is not a tensor")
          .note(binding->defined, "it is defined here");
    }
  } else {
    diagnostics
        .error(expr->range, "views are of whole tensors, not of '" +
                                excerpt(expr->range) + "'")
        .note("subscripts stand behind: transpose(X)[i, j]");
  }
  known[expr] = found;
  return found;
}

const View *Views::build(const ViewExpr &expr) {
  View view;
  view.kind = expr.view;
  bool ok = evaluateNumbers(expr, view);
  for (const Expr *operand : expr.operands) {
    view.operands.push_back(find(operand));
    ok &= view.operands.back() != nullptr;
  }
  if (!ok || !checkOperands(expr, view))
    return nullptr;
  std::optional<Shape> shape = shapeOf(expr, view);
  if (!shape)
    return nullptr;
  WideInt elements = 1;
  for (int64_t extent : *shape)
    elements = std::min(elements * extent, tooMany);
  if (elements == tooMany) {
    fail(expr, "'" + excerpt(expr.range) + "' has 2^62 elements or more");
    return nullptr;
  }
  view.info.name = excerpt(expr.range);
  view.info.type = view.operands.front()->info.type;
  view.info.shape = std::move(*shape);
  view.info.loc = expr.range.Start;
  return &views.emplace_back(std::move(view));
}

std::optional<int64_t> Views::numberOf(const Expr *number,
                                       llvm::StringRef what) {
  std::optional<int64_t> value =
      ConstantEvaluator(scope, diagnostics, what)
          .evaluateInt(number, [&](const ExtentExpr &extent) {
            return scope.extentOf(extent, diagnostics);
          });
  // Products of two stay far below 2^127.
  constexpr int64_t largest = int64_t(1) << 48;
  if (!value || (*value >= -largest && *value <= largest))
    return value;
  diagnostics.error(number->range, what + " is at most 2^48");
  return std::nullopt;
}

bool Views::evaluateNumbers(const ViewExpr &expr, View &view) {
  bool ok = true;
  for (const Expr *number : expr.numbers) {
    std::optional<int64_t> value = numberOf(number, "a number of a view");
    ok &= value.has_value();
    view.numbers.push_back(value.value_or(0));
  }
  return ok;
}

std::optional<View::Range> Views::rangeOf(const SliceRange &slice, size_t dim,
                                          int64_t extent) {
  auto numberOr = [&](const Expr *number, int64_t otherwise) {
    return number ? numberOf(number, "a subscript") : std::optional(otherwise);
  };
  std::optional<int64_t> step = numberOr(slice.step, 1);
  if (step == 0) {
    diagnostics.error(slice.step->range, "the step of a slice is not 0");
    return std::nullopt;
  }
  bool isBackwards = step && *step < 0;
  // As in NumPy: from the end where negative. Behind the last and, backwards,
  // before the first it ends where nothing is written.
  int64_t last = isBackwards ? -1 : extent;
  std::optional<int64_t> first = numberOr(slice.first, isBackwards ? -1 : 0);
  std::optional<int64_t> end = numberOr(slice.end, last);
  if (!step || !first || !end)
    return std::nullopt;
  if (*first < 0)
    *first += extent;
  if (slice.end && *end < 0)
    *end += extent;
  if (slice.isElement)
    end = *first + 1;
  int64_t distance = isBackwards ? *first - *end : *end - *first;
  int64_t size = std::abs(*step);
  View::Range range = {*first, *step, (distance + size - 1) / size,
                       slice.isElement};
  auto isInside = [&](int64_t at) { return at >= 0 && at < extent; };
  bool endIsInside = *end == last || (*end >= 0 && *end <= extent);
  if (distance > 0 && isInside(*first) && endIsInside)
    return range;
  std::string what = "'" + excerpt(slice.range) + "'";
  auto error = diagnostics.error(
      slice.range,
      distance > 0
          ? what + " leaves dimension " + std::to_string(dim) +
                ", which has the indices 0 to " + std::to_string(extent - 1)
          : what + " takes nothing of dimension " + std::to_string(dim) +
                " of extent " + std::to_string(extent));
  if (distance <= 0)
    error.note("a tensor has an extent of at least 1");
  return std::nullopt;
}

std::optional<Views::Shape> Views::slicedShape(const ViewExpr &expr,
                                               View &view) {
  const Shape &from = view.operands.front()->info.shape;
  for (const SliceRange &slice : expr.slices) {
    auto *name = llvm::dyn_cast_or_null<NameExpr>(slice.first);
    if (!name || !slice.isElement || scope.lookup(name->name))
      continue;
    diagnostics
        .error(expr.range, "'" + excerpt(expr.range) +
                               "' is a slice, which has no labels such as '" +
                               name->name + "'")
        .note("all of its subscripts are numbers and ranges, or labels; a "
              "label with a range is one with an extent: Y[i:4, j] = "
              "X[i + 2, j]");
    return std::nullopt;
  }
  if (expr.slices.size() != from.size())
    return fail(expr, textOf(*view.operands.front()) + " but is sliced with " +
                          countOf(expr.slices.size(), "subscript") +
                          "; all of a dimension is ':'");
  Shape shape;
  for (auto [dim, slice] : llvm::enumerate(expr.slices)) {
    std::optional<View::Range> range = rangeOf(slice, dim, from[dim]);
    if (!range)
      return std::nullopt;
    view.ranges.push_back(*range);
    if (!range->isElement)
      shape.push_back(range->count);
  }
  return shape;
}

static bool joins(ViewKind kind) {
  return kind == ViewKind::Concat || kind == ViewKind::Stack ||
         kind == ViewKind::Interleave;
}

bool Views::checkOperands(const ViewExpr &expr, const View &view) {
  llvm::StringRef word = stringify(expr.view);
  if (!joins(expr.view) && view.operands.size() != 1) {
    fail(expr, "'" + word + "' is of 1 tensor, got " +
                   llvm::Twine(view.operands.size()));
    return false;
  }
  const View &first = *view.operands.front();
  for (const View *other : llvm::drop_begin(view.operands)) {
    bool isAlike = other->info.type == first.info.type &&
                   other->info.shape.size() == first.info.shape.size();
    for (auto [dim, extents] :
         llvm::enumerate(llvm::zip(other->info.shape, first.info.shape)))
      isAlike &= std::get<0>(extents) == std::get<1>(extents) ||
                 (expr.view == ViewKind::Concat && view.numbers.size() == 1 &&
                  view.numbers[0] == static_cast<int64_t>(dim));
    if (isAlike)
      continue;
    std::string but = expr.view == ViewKind::Concat && view.numbers.size() == 1
                          ? " but for the extent of dimension " +
                                std::to_string(view.numbers[0])
                          : "";
    fail(expr, "'" + word + "' joins tensors of one type and shape" + but +
                   ", but " + textOf(first) + " and " + textOf(*other));
    return false;
  }
  return true;
}

bool Views::checkCount(const ViewExpr &expr, size_t count,
                       const llvm::Twine &what) {
  if (expr.numbers.size() == count)
    return true;
  diagnostics
      .error(expr.range, "'" + stringify(expr.view) + "' takes " + what +
                             " in brackets: " + countOf(count, "number") +
                             ", got " + llvm::Twine(expr.numbers.size()))
      .note(adviceFor(stringify(expr.view)));
  return false;
}

bool Views::checkDimension(const ViewExpr &expr, unsigned number, size_t rank,
                           const View &view) {
  int64_t dim = view.numbers[number];
  if (dim >= 0 && dim < static_cast<int64_t>(rank))
    return true;
  auto error = diagnostics.error(
      expr.numbers[number]->range,
      "'" + stringify(expr.view) + "' has no dimension " + llvm::Twine(dim) +
          ": " + textOf(*view.operands.front()) + ", so it is 0 to " +
          llvm::Twine(static_cast<int64_t>(rank) - 1));
  if (dim < 0)
    error.note("dimensions count from the front");
  return false;
}

std::optional<Views::Shape> Views::joinedShape(const ViewExpr &expr,
                                               View &view) {
  const Shape &first = view.operands.front()->info.shape;
  bool isStack = expr.view == ViewKind::Stack;
  if (!checkCount(expr, 1, "the dimension") ||
      !checkDimension(expr, 0, first.size() + isStack, view))
    return std::nullopt;
  Shape shape = first;
  unsigned dim = view.numbers[0];
  int64_t count = view.operands.size();
  if (isStack) {
    shape.insert(shape.begin() + dim, count);
  } else if (expr.view == ViewKind::Interleave) {
    multiply(shape[dim], count);
  } else {
    shape[dim] = 0;
    for (const View *operand : view.operands)
      shape[dim] += operand->info.shape[dim];
  }
  return shape;
}

std::optional<Views::Shape> Views::shapeOf(const ViewExpr &expr, View &view) {
  Shape shape = view.operands.front()->info.shape;
  size_t rank = shape.size();
  auto isBelow = [&](size_t first, int64_t least) {
    for (auto [number, value] : llvm::enumerate(view.numbers))
      if (number >= first && value < least) {
        diagnostics.error(expr.numbers[number]->range,
                          "'" + stringify(expr.view) + "' takes " +
                              llvm::Twine(least) + " at least, got " +
                              llvm::Twine(value));
        return true;
      }
    return false;
  };
  switch (expr.view) {
  case ViewKind::Transpose: {
    if (expr.numbers.empty()) {
      if (rank < 2)
        return fail(expr, "'transpose' swaps the last two dimensions, but " +
                              textOf(*view.operands.front()));
      llvm::append_range(view.numbers, llvm::seq<int64_t>(0, rank));
      std::swap(view.numbers[rank - 1], view.numbers[rank - 2]);
    }
    llvm::SmallBitVector seen(rank);
    for (int64_t dim : view.numbers)
      if (dim >= 0 && dim < static_cast<int64_t>(rank))
        seen.set(dim);
    if (view.numbers.size() != rank || !seen.all())
      return fail(expr, "'transpose' names each dimension once, but " +
                            textOf(*view.operands.front()) + " and '" +
                            excerpt(expr.range) + "' names " +
                            llvm::Twine(view.numbers.size()));
    Shape turned;
    for (int64_t dim : view.numbers)
      turned.push_back(shape[dim]);
    return turned;
  }
  case ViewKind::Reshape: {
    if (isBelow(0, 1))
      return std::nullopt;
    WideInt before = 1, after = 1;
    for (int64_t extent : shape)
      before *= extent;
    for (int64_t extent : view.numbers)
      after = std::min(after * extent, tooMany);
    if (before != after)
      return fail(expr, "'" + excerpt(expr.range) + "' has " + toString(after) +
                            " elements, but " + textOf(*view.operands.front()) +
                            " with " + toString(before));
    return Shape(view.numbers);
  }
  case ViewKind::Flip: {
    llvm::SmallBitVector seen(rank);
    for (unsigned number = 0; number < view.numbers.size(); ++number) {
      if (!checkDimension(expr, number, rank, view))
        return std::nullopt;
      if (seen.test(view.numbers[number]))
        return fail(expr, "'flip' names dimension " +
                              llvm::Twine(view.numbers[number]) + " twice");
      seen.set(view.numbers[number]);
    }
    if (seen.none())
      return fail(expr, "'flip' takes dimensions in brackets: flip[0](X)");
    return shape;
  }
  case ViewKind::Repeat:
    if (!checkCount(expr, 2, "a dimension and how often") ||
        !checkDimension(expr, 0, rank, view) || isBelow(1, 1))
      return std::nullopt;
    multiply(shape[view.numbers[0]], view.numbers[1]);
    return shape;
  case ViewKind::Tile:
    if (!checkCount(expr, rank, "how often, per dimension") || isBelow(0, 1))
      return std::nullopt;
    for (auto [extent, times] : llvm::zip_equal(shape, view.numbers))
      multiply(extent, times);
    return shape;
  case ViewKind::Concat:
  case ViewKind::Stack:
  case ViewKind::Interleave:
    return joinedShape(expr, view);
  case ViewKind::Slice:
    return slicedShape(expr, view);
  }
  llvm_unreachable("all views have a shape");
}
