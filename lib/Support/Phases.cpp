//===- Phases.cpp - Strided and dilated windows as dense ones -------------===//

#include "tapestry/Support/Phases.h"
#include <numeric>

using namespace tapestry;

/// The coefficient of a label; 0 where it has none, or is 0 all the time.
static int64_t coefficientOf(const ProjectionDim &dim, unsigned label,
                             llvm::ArrayRef<int64_t> extents) {
  for (const AffineTerm &term : dim.terms)
    if (term.dim == label && extents[label] > 1)
      return term.coefficient;
  return 0;
}

/// What divides the coefficients of all other labels; 0 where there are none.
static int64_t strideOfOthers(const ProjectionDim &dim, unsigned label,
                              llvm::ArrayRef<int64_t> extents) {
  int64_t stride = 0;
  for (const AffineTerm &term : dim.terms)
    if (term.dim != label && extents[term.dim] > 1)
      stride = std::gcd(stride, term.coefficient);
  return stride;
}

static bool canBeTakenApart(const ProjectionDim &dim) {
  return dim.floordiv == 1 && dim.size == 1;
}

std::optional<int64_t> tapestry::phasesOf(const ProjectionDim &dim,
                                          unsigned label,
                                          llvm::ArrayRef<int64_t> extents) {
  int64_t own = coefficientOf(dim, label, extents);
  if (own == 0 || !canBeTakenApart(dim))
    return std::nullopt;
  int64_t others = strideOfOthers(dim, label, extents);
  if (others == 1 || (others == 0 && (own == 1 || own == -1)))
    return std::nullopt;
  // More phases than points are as many as there are points.
  return others == 0 ? 1
                     : std::min(others / std::gcd(own, others), extents[label]);
}

std::optional<PhasedDim> tapestry::takeApart(const ProjectionDim &dim,
                                             const Phases &phases,
                                             llvm::ArrayRef<int64_t> extents) {
  int64_t own = coefficientOf(dim, phases.label, extents);
  if (own == 0 || !canBeTakenApart(dim))
    return std::nullopt;
  int64_t stride = strideOfOthers(dim, phases.label, extents);
  if (phases.steps > 1)
    stride = std::gcd(stride, own * phases.count);
  if (stride <= 1)
    return std::nullopt;
  PhasedDim apart;
  ZRange j = {0, 1};
  for (const AffineTerm &term : dim.terms) {
    bool isOwn = term.dim == phases.label;
    int64_t points = isOwn ? phases.steps : extents[term.dim];
    if (points <= 1)
      continue;
    int64_t step = (isOwn ? own * phases.count : term.coefficient) / stride;
    apart.read.terms.push_back({term.dim, step});
    (step < 0 ? j.lo : j.hi) += step * (points - 1);
  }
  apart.read.constant = -j.lo;
  apart.extent = j.hi - j.lo;
  apart.view = dim;
  apart.view.terms = {{0, stride}};
  if (phases.count > 1)
    apart.view.terms.push_back({1, own});
  apart.view.constant += stride * j.lo;
  return apart;
}

/// Takes what `divisor` divides out of a linear form, if what is left is in
/// [0, divisor).
static std::optional<ProjectionDim>
quotientWithin(ProjectionDim &form, int64_t divisor,
               llvm::ArrayRef<int64_t> extents) {
  ProjectionDim quotient, rest;
  for (const AffineTerm &term : form.terms)
    if (term.coefficient % divisor == 0)
      quotient.terms.push_back({term.dim, term.coefficient / divisor});
    else
      rest.terms.push_back(term);
  rest.constant = form.constant % divisor;
  if (rest.constant < 0)
    rest.constant += divisor;
  quotient.constant = (form.constant - rest.constant) / divisor;
  ZBox box;
  for (int64_t extent : extents)
    box.push_back({0, extent});
  ZRange left = imageOfDim(rest, box);
  if (left.lo < 0 || left.hi > divisor)
    return std::nullopt;
  form = std::move(rest);
  return quotient;
}

std::optional<ProjectionDim>
tapestry::linearWithin(const ProjectionDim &dim,
                       llvm::ArrayRef<int64_t> extents) {
  ProjectionDim form;
  form.terms = dim.terms;
  form.constant = dim.constant;
  if (dim.size != 1 || (dim.mod != 0 && dim.fold != Fold::Wrap))
    return std::nullopt;
  if (dim.floordiv != 1) {
    std::optional<ProjectionDim> quotient =
        quotientWithin(form, dim.floordiv, extents);
    if (!quotient)
      return std::nullopt;
    form = std::move(*quotient);
  }
  if (dim.mod != 0 && !quotientWithin(form, dim.mod, extents))
    return std::nullopt;
  return form;
}
