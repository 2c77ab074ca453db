//===- Extents.cpp - How far each label runs ------------------------------===//
//
// What decides a label's extent, strongest first: the statement or the use of
// the macro gives it; a subscript that is just the label; the tensor that a
// loop carries, of `next X[i]`; such a subscript of a padded read; a window,
// which then gets the largest extent that stays in bounds. Plain subscripts
// must agree, unless the statement gives the extent: then they read a part.
//
//===----------------------------------------------------------------------===//

#include "StatementAnalyzer.h"
#include "tapestry/Import/Ein/Words.h"
#include "tapestry/Support/Access.h"

using namespace tapestry;
using namespace tapestry::ein;
using namespace tapestry::ein::ast;

std::string StatementAnalyzer::describeAccess(const Access &access) const {
  std::string text = excerpt(access.expr->range);
  if (text == "...")
    text = infoOf(access).name + "[...]";
  return "'" + text + "'";
}

bool StatementAnalyzer::setExtent(unsigned label, int64_t extent,
                                  llvm::SMRange range,
                                  const llvm::Twine &origin,
                                  const Access *access) {
  LabelState &state = labels[label];
  if (!state.extent) {
    state.extent = extent;
    state.origin = origin.str();
    state.originRange = range;
    return true;
  }
  if (*state.extent == extent)
    return true;
  auto error = diagnostics.error(
      range, "label '" + state.name + "' has extent " +
                 llvm::Twine(*state.extent) + " " + state.origin + " but " +
                 llvm::Twine(extent) + " " + origin);
  error.note(state.originRange,
             "extent " + llvm::Twine(*state.extent) + " comes from here");
  if (access) {
    const Tensor &tensor = infoOf(*access);
    error.note({tensor.loc, tensor.loc},
               "'" + tensor.name + "' is defined here as " +
                   typeToString(tensor.type, tensor.shape));
    if (state.givenExtent)
      error.note("pad(" + tensor.name + ", 0)[...] reads 0 outside the bounds");
  }
  return false;
}

std::optional<int64_t> StatementAnalyzer::givenExtent(const Expr *given,
                                                      const llvm::Twine &of) {
  ConstantEvaluator evaluator(scope, diagnostics, "an extent");
  std::optional<int64_t> extent =
      evaluator.evaluateInt(given, [&](const ExtentExpr &expr) {
        return scope.extentOf(expr, diagnostics);
      });
  if (!extent || *extent >= 1)
    return extent;
  diagnostics.error(given->range, "the extent of " + of +
                                      " must be at least 1, got " +
                                      llvm::Twine(*extent));
  return std::nullopt;
}

bool StatementAnalyzer::decideGivenExtents(size_t first) {
  bool ok = true;
  for (auto [position, label] :
       llvm::drop_begin(llvm::enumerate(labels), first)) {
    auto bound = scope.extents.find(label.name);
    if (bound != scope.extents.end())
      setExtent(position, bound->second.extent, bound->second.where,
                "in the use of the macro", nullptr);
    if (!label.givenExtent)
      continue;
    std::optional<int64_t> extent =
        givenExtent(label.givenExtent, "label '" + label.name + "'");
    ok &= extent && setExtent(position, *extent, label.givenExtent->range,
                              "where it is given", nullptr);
  }
  return ok;
}

bool StatementAnalyzer::decidePlain(bool leaving) {
  bool ok = true;
  for (const Access &access : accesses) {
    if (access.leaves() != leaving)
      continue;
    const Tensor &tensor = infoOf(access);
    for (auto [dim, form] : llvm::enumerate(access.subscripts)) {
      if (!form.isPlainLabel())
        continue;
      unsigned label = form.terms[0].label;
      const LabelState &state = labels[label];
      // A read that may leave the tensor decides only what nothing else does.
      // One of a given extent may stay inside.
      if (state.extent && (leaving || (state.givenExtent &&
                                       *state.extent <= tensor.shape[dim])))
        continue;
      ok &= setExtent(label, tensor.shape[dim], access.ranges[dim],
                      "in " + describeAccess(access), &access);
    }
  }
  return ok;
}

void StatementAnalyzer::decideCarried() {
  if (equation.carriedShape.size() != equation.labels.size())
    return;
  for (auto [label, extent] :
       llvm::zip(equation.labels, equation.carriedShape)) {
    std::optional<unsigned> position = findLabel(label.name);
    if (position && !labels[*position].extent)
      setExtent(*position, extent, label.range, "in what is carried", nullptr);
  }
}

std::optional<int64_t>
StatementAnalyzer::windowExtent(const SymbolicForm &form, unsigned label,
                                int64_t dimension) const {
  int64_t coefficient = form.coefficientOf(label);
  if (coefficient == 0 || !form.isLinear())
    return std::nullopt;
  // Every other label at the end where the subscript is nearest to the bound
  // that this label moves it towards.
  WideInt reach = form.constant;
  for (LinearForm::Term term : form.extentTerms) {
    if (!labels[term.label].extent)
      return std::nullopt;
    reach += WideInt(term.coefficient) * *labels[term.label].extent;
  }
  for (LinearForm::Term term : form.terms) {
    if (term.label == label)
      continue;
    if (!labels[term.label].extent)
      return std::nullopt;
    bool towards = (term.coefficient > 0) == (coefficient > 0);
    if (towards)
      reach += WideInt(term.coefficient) * (*labels[term.label].extent - 1);
  }
  WideInt room = coefficient > 0 ? dimension - 1 - reach : reach;
  WideInt step = coefficient > 0 ? coefficient : -WideInt(coefficient);
  if (room < 0)
    return 0;
  return static_cast<int64_t>(room / step + 1);
}

bool StatementAnalyzer::decideWindows() {
  // One label at a time: what it decides may decide the next.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [position, label] : llvm::enumerate(labels)) {
      if (label.extent)
        continue;
      std::optional<int64_t> smallest;
      const Access *by = nullptr;
      llvm::SMRange range;
      for (const Access &access : accesses) {
        if (access.leaves())
          continue;
        for (auto [dim, form] : llvm::enumerate(access.subscripts)) {
          int64_t dimension = infoOf(access).shape[dim];
          std::optional<int64_t> extent =
              windowExtent(form, position, dimension);
          if (!extent || (smallest && *smallest <= *extent))
            continue;
          smallest = extent;
          by = &access;
          range = access.ranges[dim];
        }
      }
      if (!smallest)
        continue;
      if (*smallest < 1) {
        const Tensor &tensor = infoOf(*by);
        diagnostics
            .error(range, "the window '" + excerpt(range) +
                              "' does not fit into " + describeAccess(*by) +
                              ": it leaves no value for label '" + label.name +
                              "'")
            .note({tensor.loc, tensor.loc},
                  "'" + tensor.name + "' is defined here as " +
                      typeToString(tensor.type, tensor.shape));
        return false;
      }
      setExtent(position, *smallest, range, "in " + describeAccess(*by), by);
      changed = true;
      break;
    }
  }
  return true;
}

/// `edge(X)[i - 1]` runs along X where nothing else says how far i does: one
/// step at a time, with other labels whose extents are known. Reads that
/// disagree decide nothing.
void StatementAnalyzer::decideLeaving() {
  llvm::SmallVector<std::optional<int64_t>> decided(labels.size());
  llvm::SmallVector<const Access *> by(labels.size(), nullptr);
  llvm::SmallVector<llvm::SMRange> ranges(labels.size());
  llvm::SmallVector<bool> disagree(labels.size(), false);
  for (const Access &access : accesses) {
    if (!access.leaves())
      continue;
    for (auto [dim, form] : llvm::enumerate(access.subscripts)) {
      std::optional<unsigned> open;
      bool isOne = form.isLinear();
      for (LinearForm::Term term : form.terms) {
        if (labels[term.label].extent)
          continue;
        // How far a reduction runs is said.
        isOne &= !open && term.coefficient == 1 &&
                 !labels[term.label].reduced && !labels[term.label].owner;
        open = term.label;
      }
      if (!open || !isOne)
        continue;
      int64_t extent = infoOf(access).shape[dim];
      disagree[*open] =
          disagree[*open] || decided[*open].value_or(extent) != extent;
      decided[*open] = extent;
      by[*open] = &access;
      ranges[*open] = access.ranges[dim];
    }
  }
  for (unsigned label = 0; label < labels.size(); ++label)
    if (decided[label] && !disagree[label])
      setExtent(label, *decided[label], ranges[label],
                "in " + describeAccess(*by[label]), by[label]);
}

bool StatementAnalyzer::reportUndecided(bool ofUsed) {
  bool ok = true;
  for (auto [position, label] : llvm::enumerate(labels)) {
    if (label.extent || (ofUsed && !label.used))
      continue;
    ok = false;
    std::string hint = "; give it, e.g. '" + label.name.str() + ":8'";
    if (!label.used) {
      diagnostics.error(label.range, "label '" + label.name +
                                         "' occurs only on the left side, so "
                                         "its extent is not known" +
                                         hint);
      continue;
    }
    auto error = diagnostics.error(
        label.range, "the extent of label '" + label.name +
                         "' does not follow from the subscripts" + hint);
    for (const Access &access : accesses)
      for (auto [dim, form] : llvm::enumerate(access.subscripts))
        if (llvm::any_of(form.terms, [&, p = position](LinearForm::Term term) {
              return term.label == p;
            }))
          error.note(
              access.ranges[dim],
              !form.isLinear() ? "what is divided or wrapped around has no end"
              : access.pad     ? "padding lets this window go on for ever"
              : access.fold ? "this window goes on for ever in the tensor that "
                              "is folded"
                            : "this window has more than one label whose "
                              "extent is not known");
  }
  return ok;
}

StatementAnalyzer::Bounds
StatementAnalyzer::boundsOf(const LinearForm &form) const {
  Bounds bounds{form.constant, form.constant};
  ProjectionDim dim{{}, form.constant, 1, 1, form.floordiv, form.mod};
  llvm::SmallVector<int64_t> extents;
  for (LinearForm::Term term : form.terms) {
    int64_t extent = *labels[term.label].extent;
    WideInt span = WideInt(term.coefficient) * (extent - 1);
    (span > 0 ? bounds.hi : bounds.lo) += span;
    dim.terms.push_back(
        {static_cast<unsigned>(extents.size()), term.coefficient});
    extents.push_back(extent);
  }
  constexpr WideInt limit = WideInt(1) << 62;
  if (dim.isLinear() || bounds.lo < -limit || bounds.hi > limit)
    return bounds;
  ZRange starts = startsOfDim(dim, extents);
  return {starts.lo, starts.hi - 1};
}

/// The largest extent of a label with which all subscripts stay inside.
std::optional<int64_t> StatementAnalyzer::fittingExtent(unsigned label) const {
  std::optional<int64_t> smallest;
  for (const Access &access : accesses) {
    if (access.leaves())
      continue;
    for (auto [dim, form] : llvm::enumerate(access.subscripts)) {
      int64_t dimension = infoOf(access).shape[dim];
      std::optional<int64_t> extent = windowExtent(form, label, dimension);
      if (extent && (!smallest || *extent < *smallest))
        smallest = extent;
    }
  }
  return smallest;
}

/// Whether with that extent of a label no subscript of it leaves its tensor,
/// not on the other side either.
bool StatementAnalyzer::staysInside(unsigned label, int64_t extent) const {
  for (const Access &access : accesses) {
    if (access.leaves())
      continue;
    for (auto [dim, form] : llvm::enumerate(access.subscripts)) {
      std::optional<LinearForm> resolved = resolve(form);
      int64_t coefficient = form.coefficientOf(label);
      // What is divided or wrapped around does not move by steps.
      if (coefficient == 0 || !resolved || !form.isLinear())
        continue;
      Bounds bounds = boundsOf(*resolved);
      (coefficient > 0 ? bounds.hi : bounds.lo) +=
          WideInt(coefficient) * (extent - *labels[label].extent);
      if (bounds.lo < 0 || bounds.hi >= infoOf(access).shape[dim])
        return false;
    }
  }
  return true;
}

/// The statement as it is written, but for the extent of one label; empty where
/// it does not fit into a message.
std::string StatementAnalyzer::statementWith(const LabelState &label,
                                             int64_t extent) const {
  constexpr size_t longest = 100;
  const char *begin = equation.nameRange.Start.getPointer();
  llvm::StringRef text(begin, equation.range.End.getPointer() - begin);
  size_t place = label.range.End.getPointer() - begin;
  if (text.size() > longest || text.contains('\n') || place >= text.size())
    return "";
  // What is given there so far ends at the bracket or at the next label.
  llvm::StringRef rest = text.drop_front(place);
  if (rest.ltrim().starts_with(":")) {
    int depth = 0;
    rest = rest.drop_until([&](char c) {
      bool ends = depth == 0 && (c == ',' || c == ']');
      depth += llvm::StringRef("([").contains(c);
      depth -= llvm::StringRef(")]").contains(c);
      return ends;
    });
  }
  return (text.take_front(place) + ":" + llvm::Twine(extent) + rest).str();
}

/// What keeps a subscript inside, or reads outside.
std::string StatementAnalyzer::adviceOnBounds(const Access &access,
                                              const SymbolicForm &form,
                                              int64_t dimension) const {
  std::string padded = "pad(" + infoOf(access).name + ", 0)[...]";
  if (!form.isLinear())
    return padded + " reads 0 outside the bounds";
  bool isBefore = boundsOf(*resolve(form)).lo < 0;
  for (auto [position, label] : llvm::enumerate(labels)) {
    if (form.coefficientOf(position) == 0)
      continue;
    std::optional<int64_t> fitting = fittingExtent(position);
    if (!fitting || *fitting < 1 || *fitting >= *label.extent)
      continue;
    // Shrinking one label must be enough.
    if (!staysInside(position, *fitting)) {
      isBefore = true;
      continue;
    }
    std::string line = statementWith(label, *fitting);
    return "it stays inside with the extent '" + label.name.str() + ":" +
           std::to_string(*fitting) + "' where the label is introduced" +
           (line.empty() ? "" : ": " + line);
  }
  // As Python counts.
  if (form.isConstant() && form.constant < 0 &&
      form.constant >= -WideInt(dimension))
    return "indices count from the front: this one is " +
           toString(dimension + form.constant);
  return padded + " reads 0 outside the bounds" +
         (isBefore ? "; a result without those elements has a smaller extent "
                     "and reads i + 1 for i"
                   : "");
}

/// What is wrapped around is not folded once more.
bool StatementAnalyzer::checkFold(const Access &access) {
  bool ok = true;
  const Tensor &tensor = infoOf(access);
  for (auto [dim, symbolic] : llvm::enumerate(access.subscripts)) {
    std::optional<LinearForm> form = resolve(symbolic);
    int64_t extent = tensor.shape[dim];
    if (!form || form->mod == 0 ||
        (*access.fold == Fold::Wrap && form->mod % extent == 0))
      continue;
    Bounds bounds = boundsOf(*form);
    if (bounds.lo >= 0 && bounds.hi < extent)
      continue;
    ok = false;
    diagnostics
        .error(access.ranges[dim],
               "subscript '" + excerpt(access.ranges[dim]) + "' of '" +
                   tensor.name + "' wraps around " + llvm::Twine(form->mod) +
                   " and leaves the dimension of extent " +
                   llvm::Twine(extent) + ", where it would be folded again")
        .note(adviceFor("nested"));
  }
  return ok;
}

bool StatementAnalyzer::checkBounds() {
  bool ok = true;
  for (const Access &access : accesses)
    ok &= llvm::all_of(access.subscripts, [&](const SymbolicForm &form) {
      return checkSteps(form);
    });
  if (!ok)
    return false;
  for (const Access &access : accesses) {
    if (access.fold)
      ok &= checkFold(access);
    if (access.leaves())
      continue;
    const Tensor &tensor = infoOf(access);
    for (auto [dim, form] : llvm::enumerate(access.subscripts)) {
      std::optional<LinearForm> resolved = resolve(form);
      // It names an extent that is not known so far.
      if (!resolved)
        continue;
      Bounds bounds = boundsOf(*resolved);
      if (bounds.lo >= 0 && bounds.hi < tensor.shape[dim])
        continue;
      ok = false;
      llvm::SMRange range = access.ranges[dim];
      std::string values = bounds.lo == bounds.hi
                               ? "is " + toString(bounds.lo)
                               : "runs from " + toString(bounds.lo) + " to " +
                                     toString(bounds.hi);
      diagnostics
          .error(range, "subscript '" + excerpt(range) + "' of '" +
                            tensor.name + "' " + values +
                            ", but the dimension has only the indices 0 to " +
                            llvm::Twine(tensor.shape[dim] - 1))
          .note({tensor.loc, tensor.loc},
                "'" + tensor.name + "' is defined here as " +
                    typeToString(tensor.type, tensor.shape))
          .note(adviceOnBounds(access, form, tensor.shape[dim]));
    }
  }
  return ok;
}

bool StatementAnalyzer::inferExtents(bool ofUsed) {
  if (!decidePlain(/*leaving=*/false))
    return false;
  decideCarried();
  if (!decidePlain(/*leaving=*/true) || !decideWindows())
    return false;
  decideLeaving();
  return decideWindows() && reportUndecided(ofUsed) && checkBounds();
}
