//===- StridedPieces.cpp - Every so many-th cell of a view ----------------===//
//
// Cells in steps are counted: the k-th of a dimension is first + k step. Over
// the counts of the cells projections are linear, also those that divide by a
// step, and what a reader's points meet of a piece is in steps again.
//
//===----------------------------------------------------------------------===//

#include "StridedPieces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>
#include <utility>

using namespace tapestry;

namespace {
/// first, first + step, ...: `count` integers.
struct Steps {
  int64_t first = 0, step = 1, count = 0;
};
using StepBox = llvm::SmallVector<Steps, 4>;

/// Whether points meet a piece.
enum class Met { Some, None, Unknown };

/// sum(factors[d] * k[d]) + constant, of the counts k of a box in steps.
struct LinearForm {
  llvm::SmallVector<int64_t, 4> factors;
  int64_t constant = 0;
};
} // namespace

static StepBox stepsOf(const ViewPiece &piece) {
  StepBox box;
  for (auto [dim, range] : llvm::enumerate(piece.cells)) {
    int64_t step = piece.steps.empty() ? 1 : piece.steps[dim];
    box.push_back({range.lo, step, ceilDiv(range.size(), step)});
  }
  return box;
}

bool tapestry::holds(const ViewPiece &piece, llvm::ArrayRef<int64_t> cell) {
  for (auto [dim, range] : llvm::enumerate(piece.cells))
    if (cell[dim] < range.lo || cell[dim] >= range.hi ||
        (!piece.steps.empty() && (cell[dim] - range.lo) % piece.steps[dim]))
      return false;
  return true;
}

/// A dimension as a linear form of the counts of points in steps; nothing where
/// it is none.
static std::optional<LinearForm> formOver(const ProjectionDim &dim,
                                          llvm::ArrayRef<Steps> points) {
  if (dim.mod != 0 || dim.size != 1)
    return std::nullopt;
  LinearForm form;
  form.factors.assign(points.size(), 0);
  form.constant = dim.constant;
  for (const AffineTerm &term : dim.terms) {
    const Steps &along = points[term.dim];
    int64_t factor = term.coefficient * along.step;
    form.constant += term.coefficient * along.first;
    if (factor % dim.floordiv == 0)
      form.factors[term.dim] = factor / dim.floordiv;
    else if (along.count > 1)
      return std::nullopt;
  }
  form.constant = llvm::divideFloorSigned(form.constant, dim.floordiv);
  return form;
}

/// The least k >= 0 with a k = b modulo m; nothing where there is none.
static std::optional<int64_t> solveModulo(int64_t a, int64_t b, int64_t m) {
  a = llvm::mod(a, m);
  b = llvm::mod(b, m);
  // Remainders of Euclid's: each is a times its factor, modulo m.
  int64_t last = m, rest = a, lastFactor = 0, factor = 1;
  while (rest != 0) {
    int64_t quotient = last / rest;
    last = std::exchange(rest, last - quotient * rest);
    lastFactor = std::exchange(factor, lastFactor - quotient * factor);
  }
  if (b % last != 0)
    return std::nullopt;
  // Products of what is below a period have twice its bits.
  auto period = static_cast<__int128>(m / last);
  __int128 solved = b / last * (lastFactor % period) % period;
  return static_cast<int64_t>(solved < 0 ? solved + period : solved);
}

/// The step of so many integers: on that of one nothing depends, and it grows
/// no further.
static int64_t stepOf(__int128 step, int64_t count) {
  constexpr __int128 mostOfOne = int64_t(1) << 31;
  return static_cast<int64_t>(count > 1 ? step : std::min(step, mostOfOne));
}

/// Keeps those of `steps` that lie in [lo, hi) and are `at` modulo m.
static void keep(Steps &steps, int64_t lo, int64_t hi, int64_t at, int64_t m) {
  __int128 first = steps.first, step = steps.step;
  auto end = std::min<__int128>(first + steps.count * step, hi);
  std::optional<int64_t> skipped = solveModulo(steps.step, at - steps.first, m);
  // Before this many the remainders repeat.
  int64_t period = m / std::gcd(m, steps.step);
  first += skipped.value_or(0) * step;
  step *= period;
  if (first < lo)
    first += (lo - first + step - 1) / step * step;
  if (!skipped || first >= end) {
    steps.count = 0;
    return;
  }
  auto count = static_cast<int64_t>((end - first + step - 1) / step);
  steps = {static_cast<int64_t>(first), stepOf(step, count), count};
}

/// Keeps the counts at which a form is one of `cells`; unknown where those are
/// not in steps.
static Met keepInside(StepBox &counts, const LinearForm &form,
                      const Steps &cells) {
  int64_t end = cells.first + cells.count * cells.step;
  std::optional<unsigned> only;
  int64_t least = form.constant, most = form.constant;
  unsigned terms = 0;
  for (auto [label, factor] : llvm::enumerate(form.factors)) {
    if (factor == 0)
      continue;
    only = label;
    ++terms;
    const Steps &along = counts[label];
    int64_t a = factor * along.first,
            b = a + factor * along.step * (along.count - 1);
    least += std::min(a, b);
    most += std::max(a, b);
  }
  if (most < cells.first || least >= end)
    return Met::None;
  bool isInside = least >= cells.first && most < end;
  if (isInside && cells.step == 1)
    return Met::Some;
  if (terms == 0)
    return (least - cells.first) % cells.step == 0 ? Met::Some : Met::None;
  if (terms > 1)
    return Met::Unknown;
  // first <= f k + c < end, and f k + c = first modulo step.
  int64_t f = form.factors[*only], c = form.constant;
  int64_t nearest = cells.first - c, farthest = end - 1 - c;
  if (f < 0)
    std::swap(nearest, farthest);
  int64_t lo = llvm::divideCeilSigned(nearest, f);
  int64_t hi = llvm::divideFloorSigned(farthest, f) + 1;
  std::optional<int64_t> at = solveModulo(f, cells.first - c, cells.step);
  if (!at)
    return Met::None;
  keep(counts[*only], lo, hi, *at, cells.step / std::gcd(f, cells.step));
  return counts[*only].count == 0 ? Met::None : Met::Some;
}

/// A form of the counts of points, as a dimension over the points: with the
/// least division, and beside that a whole number.
static ProjectionDim dimOf(const LinearForm &form,
                           llvm::ArrayRef<Steps> points) {
  int64_t divisor = 1;
  for (auto [factor, along] : llvm::zip_equal(form.factors, points))
    if (factor != 0)
      divisor = std::lcm(divisor, along.step);
  ProjectionDim dim;
  dim.constant = form.constant * divisor;
  int64_t common = divisor;
  for (auto [label, factor] : llvm::enumerate(form.factors)) {
    if (factor == 0)
      continue;
    int64_t coefficient = factor * (divisor / points[label].step);
    dim.terms.push_back({static_cast<unsigned>(label), coefficient});
    dim.constant -= coefficient * points[label].first;
    common = std::gcd(common, coefficient);
  }
  for (AffineTerm &term : dim.terms)
    term.coefficient /= common;
  dim.floordiv = divisor / common;
  // There is no remainder: a little more changes nothing.
  dim.constant = llvm::divideCeilSigned(dim.constant / common, dim.floordiv) *
                 dim.floordiv;
  return dim;
}

bool tapestry::composeStrided(const ViewPiece &piece, const ViewPiece &read,
                              std::vector<ViewPiece> &made) {
  StepBox points = stepsOf(read), counts, cells = stepsOf(piece);
  for (const Steps &along : points)
    counts.push_back({0, 1, along.count});
  std::vector<LinearForm> forms;
  for (const ProjectionDim &dim : read.projection.dims) {
    std::optional<LinearForm> form = formOver(dim, points);
    if (!form)
      return false;
    forms.push_back(std::move(*form));
  }
  for (auto [form, along] : llvm::zip_equal(forms, cells))
    if (Met met = keepInside(counts, form, along); met != Met::Some)
      return met == Met::None;
  // From here on points are those that meet the piece.
  for (auto [form, along] : llvm::zip_equal(forms, cells)) {
    for (auto [factor, count] : llvm::zip_equal(form.factors, counts)) {
      form.constant += factor * count.first;
      factor *= count.step;
    }
    // Which of the piece's cells that is.
    form.constant = (form.constant - along.first) / along.step;
    for (int64_t &factor : form.factors)
      factor /= along.step;
  }
  ViewPiece result;
  result.tensor = piece.tensor;
  for (auto [along, count] : llvm::zip_equal(points, counts)) {
    along.first += along.step * count.first;
    along.step =
        stepOf(static_cast<__int128>(along.step) * count.step, count.count);
    along.count = count.count;
    result.cells.push_back(
        {along.first, along.first + along.step * (along.count - 1) + 1});
    result.steps.push_back(along.step);
  }
  if (llvm::all_of(result.steps, [](int64_t step) { return step == 1; }))
    result.steps.clear();
  for (const ProjectionDim &dim : piece.projection.dims) {
    std::optional<LinearForm> places = formOver(dim, cells);
    if (!places)
      return false;
    LinearForm composed;
    composed.factors.assign(points.size(), 0);
    composed.constant = places->constant;
    for (auto [factor, form] : llvm::zip_equal(places->factors, forms)) {
      composed.constant += factor * form.constant;
      for (auto [sum, own] : llvm::zip_equal(composed.factors, form.factors))
        sum += factor * own;
    }
    result.projection.dims.push_back(dimOf(composed, points));
  }
  made.push_back(std::move(result));
  return true;
}

//===----------------------------------------------------------------------===//
// Normal form
//===----------------------------------------------------------------------===//

/// Whether two pieces differ in the starts of one dimension alone, by less than
/// their step, and read by one projection.
static bool isBeside(const ViewPiece &a, const ViewPiece &b, unsigned dim) {
  if (a.tensor != b.tensor || a.steps != b.steps ||
      a.projection != b.projection)
    return false;
  for (unsigned other = 0; other < a.cells.size(); ++other)
    if (other != dim && a.cells[other] != b.cells[other])
      return false;
  return b.cells[dim].lo > a.cells[dim].lo &&
         b.cells[dim].lo < a.cells[dim].lo + a.steps[dim];
}

/// Makes `piece`, which has steps along `dim`, and those that fill its gaps
/// one.
static bool fillGaps(std::vector<ViewPiece> &pieces, size_t number,
                     unsigned dim) {
  ViewPiece &piece = pieces[number];
  for (const ProjectionDim &place : piece.projection.dims)
    if (place.floordiv != 1 &&
        llvm::any_of(place.terms,
                     [&](const AffineTerm &term) { return term.dim == dim; }))
      return false;
  int64_t step = piece.steps[dim];
  llvm::SmallVector<size_t> fill = {number};
  ZRange all = piece.cells[dim];
  for (size_t other = 0; other < pieces.size(); ++other)
    if (isBeside(piece, pieces[other], dim)) {
      fill.push_back(other);
      all.hi = std::max(all.hi, pieces[other].cells[dim].hi);
    }
  int64_t cells = 0;
  for (size_t other : fill)
    cells += ceilDiv(pieces[other].cells[dim].size(), step);
  if (cells != all.size())
    return false;
  piece.cells[dim] = all;
  piece.steps[dim] = 1;
  if (llvm::all_of(piece.steps, [](int64_t step) { return step == 1; }))
    piece.steps.clear();
  llvm::sort(fill);
  for (size_t other : llvm::reverse(fill))
    if (other != number)
      pieces.erase(pieces.begin() + other);
  return true;
}

void tapestry::mergeStrided(std::vector<ViewPiece> &pieces) {
  if (llvm::all_of(pieces,
                   [](const ViewPiece &piece) { return piece.steps.empty(); }))
    return;
  // A cell alone fills the gap of those before it.
  llvm::sort(pieces, [](const ViewPiece &a, const ViewPiece &b) {
    return std::lexicographical_compare(
        a.cells.begin(), a.cells.end(), b.cells.begin(), b.cells.end(),
        [](const ZRange &x, const ZRange &y) { return x.lo < y.lo; });
  });
  for (size_t number = 0; number < pieces.size(); ++number)
    for (unsigned dim = 0; dim < pieces[number].steps.size(); ++dim)
      if (pieces[number].steps[dim] != 1 && fillGaps(pieces, number, dim)) {
        // Others may have gone that stood before.
        number = -1;
        break;
      }
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Whether a projection is a linear form of a piece's counts.
static bool isLinearOver(const ViewPiece &piece) {
  return llvm::all_of(piece.projection.dims, [&](const ProjectionDim &dim) {
    return formOver(dim, stepsOf(piece)).has_value();
  });
}

static ZBox placeOf(const ViewPiece &piece, llvm::ArrayRef<int64_t> cell) {
  ZBox at;
  for (int64_t coordinate : cell)
    at.push_back({coordinate, coordinate + 1});
  return piece.projection.image(at);
}

std::optional<llvm::SmallVector<int64_t>>
tapestry::findDifference(const ViewPiece &a, const ViewPiece &b) {
  StepBox common = stepsOf(a);
  llvm::SmallVector<int64_t> cell;
  for (auto [mine, its] : llvm::zip_equal(common, stepsOf(b))) {
    keep(mine, its.first, its.first + its.step * its.count, its.first,
         its.step);
    if (mine.count == 0)
      return std::nullopt;
    cell.push_back(mine.first);
  }
  if (a.tensor == b.tensor && a.projection == b.projection)
    return std::nullopt;
  if (a.tensor != b.tensor || !isLinearOver(a) || !isLinearOver(b) ||
      placeOf(a, cell) != placeOf(b, cell))
    return cell;
  // Linear forms that agree at a corner and beside it are equal.
  for (size_t dim = cell.size(); dim-- > 0;) {
    if (common[dim].count < 2)
      continue;
    llvm::SmallVector<int64_t> next = cell;
    next[dim] += common[dim].step;
    if (placeOf(a, next) != placeOf(b, next))
      return next;
  }
  return std::nullopt;
}
