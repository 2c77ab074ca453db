//===- Compose.cpp - Views in the subscripts of what reads them -----------===//
//
// A read of a view becomes reads of tensors: permuted, mirrored, divided and
// wrapped around subscripts, and of what is joined a choice of reads that are
// padded, so that a block which lies in one tensor needs nothing of the others.
// What no subscript can say is computed first, as a vertex that copies.
//
//===----------------------------------------------------------------------===//

#include "StatementAnalyzer.h"
#include "WholeTensors.h"
#include <numeric>

using namespace tapestry;
using namespace tapestry::ein;
using namespace tapestry::ein::ast;

using Form = LinearForm;
using MaybeForm = std::optional<LinearForm>;

//===----------------------------------------------------------------------===//
// Arithmetic of subscripts; nothing where they have no such form
//===----------------------------------------------------------------------===//

static void addTerm(Form &form, const Form::Term &added) {
  auto *it = llvm::lower_bound(form.terms, added.label,
                               [](const Form::Term &term, unsigned label) {
                                 return term.label < label;
                               });
  if (it == form.terms.end() || it->label != added.label)
    it = form.terms.insert(it, {added.label, 0});
  it->coefficient += added.coefficient;
  if (it->coefficient == 0)
    form.terms.erase(it);
}

static WideInt floorOf(WideInt a, WideInt b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// factor * form + constant, for what is neither divided nor wrapped around.
static MaybeForm affine(const Form &form, WideInt factor, WideInt constant) {
  constexpr WideInt limit = WideInt(1) << 60;
  auto fits = [&](WideInt value) { return -limit < value && value < limit; };
  Form result = form;
  constant += factor * form.constant;
  bool ok = fits(factor) && fits(constant);
  result.constant = static_cast<int64_t>(constant);
  for (Form::Term &term : result.terms) {
    ok &= fits(factor * term.coefficient);
    term.coefficient = static_cast<int64_t>(factor * term.coefficient);
  }
  if (factor == 0)
    result.terms.clear();
  return ok ? MaybeForm(result) : std::nullopt;
}

/// form + constant.
static MaybeForm shifted(const Form &form, int64_t constant) {
  if (constant == 0)
    return form;
  if (form.mod != 0)
    return std::nullopt;
  return affine(form, 1, WideInt(constant) * form.floordiv);
}

/// last - form.
static MaybeForm mirrored(const Form &form, int64_t last) {
  // -(x // d) is (d - 1 - x) // d; last - x % (last + 1) is (-1 - x) % it.
  if (form.mod != 0 && form.mod != last + 1)
    return std::nullopt;
  WideInt end = form.mod != 0 ? -1 : last;
  return affine(form, -1, end * form.floordiv + form.floordiv - 1);
}

/// form // divisor.
static MaybeForm divided(Form form, int64_t divisor) {
  constexpr WideInt limit = WideInt(1) << 60;
  if (form.mod % divisor != 0 || WideInt(form.floordiv) * divisor >= limit)
    return std::nullopt;
  form.mod /= divisor;
  form.floordiv *= divisor;
  return form;
}

/// form % modulus.
static MaybeForm wrappedAround(Form form, int64_t modulus) {
  if (form.mod % modulus != 0)
    return std::nullopt;
  form.mod = modulus;
  return form;
}

/// range.first + range.step * form.
static MaybeForm stepped(const Form &form, const View::Range &range) {
  if (range.step == 1)
    return shifted(form, range.first);
  if (range.step == -1)
    return mirrored(form, range.first);
  if (form.floordiv != 1 || form.mod != 0)
    return std::nullopt;
  return affine(form, range.step, range.first);
}

/// Takes out of a division what it leaves whole, and a remainder that is none.
Form StatementAnalyzer::simplified(Form form) const {
  WideInt turn = WideInt(form.floordiv) * form.mod;
  if (turn != 0) {
    // Whole turns change nothing.
    llvm::erase_if(form.terms, [&](const Form::Term &term) {
      return term.coefficient % turn == 0;
    });
    form.constant = static_cast<int64_t>(form.constant -
                                         floorOf(form.constant, turn) * turn);
  }
  // Of a division by d what is less than a common divisor of d and the others
  // falls away: (6 a + b) // 12 is a // 2 for b below 6.
  llvm::SmallVector<int64_t, 4> divisors = {form.floordiv};
  for (const Form::Term &term : form.terms)
    divisors.push_back(std::gcd(term.coefficient, form.floordiv));
  llvm::sort(divisors, std::greater<>());
  for (int64_t divisor : divisors) {
    if (divisor <= 1)
      break;
    Form whole, rest;
    for (const Form::Term &term : form.terms)
      (term.coefficient % divisor == 0 ? whole : rest).terms.push_back(term);
    rest.constant = form.constant;
    Bounds bounds = boundsOf(rest);
    WideInt quotient = floorOf(bounds.lo, divisor);
    if (quotient != floorOf(bounds.hi, divisor))
      continue;
    for (Form::Term &term : whole.terms)
      term.coefficient /= divisor;
    whole.constant = static_cast<int64_t>(quotient);
    whole.floordiv = form.floordiv / divisor;
    whole.mod = form.mod;
    form = std::move(whole);
    break;
  }
  if (form.mod == 0)
    return form;
  Form line = form;
  line.mod = 0;
  Bounds bounds = boundsOf(line);
  WideInt turns = floorOf(bounds.lo, form.mod);
  if (turns != floorOf(bounds.hi, form.mod))
    return form;
  std::optional<Form> shift =
      shifted(line, static_cast<int64_t>(-turns * form.mod));
  return shift ? *shift : form;
}

StatementAnalyzer::Subscripts
StatementAnalyzer::simplified(const Subscripts &at) const {
  Subscripts result;
  for (const Form &form : at)
    result.push_back(simplified(form));
  return result;
}

/// The row-major place of `at` in a tensor of this shape.
MaybeForm StatementAnalyzer::flatForm(llvm::ArrayRef<Form> at,
                                      llvm::ArrayRef<int64_t> shape) const {
  struct Part {
    Form form;
    WideInt stride;
  };
  llvm::SmallVector<Part, 4> parts;
  WideInt stride = 1;
  for (unsigned dim = shape.size(); dim-- > 0; stride *= shape[dim]) {
    const Form &form = at[dim];
    if (form.terms.empty() && form.constant == 0)
      continue;
    // x // (a m) above x // a % m is x // a again.
    if (!parts.empty() && parts.back().form.mod != 0) {
      Part &below = parts.back();
      Form upper = form;
      upper.mod = 0;
      Form lower = below.form;
      lower.mod = 0;
      bool meets = WideInt(lower.floordiv) * below.form.mod == upper.floordiv &&
                   below.stride * below.form.mod == stride;
      upper.floordiv = lower.floordiv;
      WideInt turn = WideInt(below.form.mod) * form.mod;
      if (meets && upper == lower && turn < (WideInt(1) << 60)) {
        below.form.mod = static_cast<int64_t>(turn);
        continue;
      }
    }
    parts.push_back({form, stride});
  }
  // One that is divided takes the others in; one that wraps around none.
  Form sum;
  auto *odd = llvm::find_if(parts, [](const Part &part) {
    return part.form.floordiv != 1 || part.form.mod != 0;
  });
  if (odd != parts.end()) {
    if (odd->stride != 1 || (odd->form.mod != 0 && parts.size() > 1))
      return std::nullopt;
    sum = odd->form;
  }
  for (Part &part : parts) {
    if (&part == odd)
      continue;
    MaybeForm scaled = affine(part.form, part.stride * sum.floordiv, 0);
    if (!scaled || part.form.floordiv != 1 || part.form.mod != 0)
      return std::nullopt;
    for (const Form::Term &term : scaled->terms)
      addTerm(sum, term);
    MaybeForm moved = affine(sum, 1, scaled->constant);
    if (!moved)
      return std::nullopt;
    sum = *moved;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

bool StatementAnalyzer::staysInside(llvm::ArrayRef<Form> at,
                                    llvm::ArrayRef<int64_t> shape) const {
  return llvm::all_of(llvm::zip_equal(at, shape), [&](const auto &pair) {
    const auto &[form, extent] = pair;
    Bounds bounds = boundsOf(form);
    return bounds.lo >= 0 && bounds.hi < extent;
  });
}

/// Subscripts of the operand of a view of one tensor; nothing where they have
/// no form.
std::optional<StatementAnalyzer::Subscripts>
StatementAnalyzer::composeOne(const View &view, const Subscripts &at) const {
  const auto &shape = view.operands.front()->info.shape;
  Subscripts inner(at);
  auto set = [&](unsigned dim, MaybeForm form) {
    if (form)
      inner[dim] = *form;
    return form.has_value();
  };
  switch (*view.kind) {
  case ViewKind::Transpose:
    for (auto [dim, source] : llvm::enumerate(view.numbers))
      inner[source] = at[dim];
    return inner;
  case ViewKind::Flip:
    for (int64_t dim : view.numbers)
      if (!set(dim, mirrored(at[dim], shape[dim] - 1)))
        return std::nullopt;
    return inner;
  case ViewKind::Repeat: {
    unsigned dim = view.numbers[0];
    if (!set(dim, divided(at[dim], view.numbers[1])))
      return std::nullopt;
    return inner;
  }
  case ViewKind::Tile:
    for (auto [dim, extent] : llvm::enumerate(shape))
      if (view.numbers[dim] > 1 && !set(dim, wrappedAround(at[dim], extent)))
        return std::nullopt;
    return inner;
  case ViewKind::Reshape: {
    MaybeForm flat = flatForm(at, view.info.shape);
    inner.resize(shape.size());
    WideInt stride = 1;
    for (unsigned dim = shape.size(); flat && dim-- > 0; stride *= shape[dim]) {
      MaybeForm form = divided(*flat, static_cast<int64_t>(stride));
      if (form && dim > 0)
        form = wrappedAround(*form, shape[dim]);
      if (!set(dim, form))
        return std::nullopt;
    }
    return flat ? std::optional(inner) : std::nullopt;
  }
  case ViewKind::Slice: {
    inner.resize(shape.size());
    const Form *next = at.begin();
    for (auto [dim, range] : llvm::enumerate(view.ranges))
      if (!set(dim, range.isElement ? affine(Form(), 0, range.first)
                                    : stepped(*next++, range)))
        return std::nullopt;
    return inner;
  }
  case ViewKind::Concat:
  case ViewKind::Stack:
  case ViewKind::Interleave:
    break;
  }
  llvm_unreachable("of several tensors");
}

/// The parts of a concatenation that the subscripts reach, chosen by where they
/// end.
std::optional<unsigned> StatementAnalyzer::composeConcat(const View &view,
                                                         const Subscripts &at,
                                                         const Outside &outside,
                                                         Reads &reads) {
  unsigned dim = view.numbers[0];
  Bounds bounds = boundsOf(at[dim]);
  struct Part {
    const View *view;
    Subscripts at;
    int64_t end;
  };
  llvm::SmallVector<Part, 2> parts;
  int64_t start = 0;
  for (auto [number, operand] : llvm::enumerate(view.operands)) {
    int64_t end = start + operand->info.shape[dim];
    bool isLast = number + 1 == view.operands.size();
    if ((bounds.lo < end || isLast) && (bounds.hi >= start || number == 0)) {
      MaybeForm form = shifted(at[dim], -start);
      if (!form)
        return std::nullopt;
      parts.push_back({operand, at, end});
      parts.back().at[dim] = *form;
    }
    start = end;
  }
  // What is read of the others there is not chosen.
  Outside own = outside;
  own.isUnread |= parts.size() > 1 && !own.pad;
  std::optional<unsigned> chosen;
  // What the part behind reads: parts that go on in each other are one.
  unsigned behind = 0;
  for (Part &part : llvm::reverse(parts)) {
    unsigned read = compose(*part.view, part.at, own, reads);
    if (chosen && !reads[read].choice && !reads[behind].choice &&
        reads[read].read == reads[behind].read) {
      reads.pop_back();
      continue;
    }
    behind = read;
    chosen = chosen ? addChoice(reads, at[dim], Predicate::Lt, part.end, read,
                                *chosen)
                    : read;
  }
  return chosen;
}

/// Stacked or interleaved: the tensor that `which` numbers, at `at`.
unsigned StatementAnalyzer::composeChoice(const View &view, const Form &which,
                                          const Subscripts &at,
                                          const Outside &outside,
                                          Reads &reads) {
  Bounds bounds = boundsOf(which);
  std::optional<unsigned> chosen;
  for (auto number = static_cast<int64_t>(bounds.hi); number >= bounds.lo;
       --number) {
    unsigned read = compose(*view.operands[number], at, outside, reads);
    chosen = chosen
                 ? addChoice(reads, which, Predicate::Eq, number, read, *chosen)
                 : read;
  }
  return *chosen;
}

std::optional<unsigned> StatementAnalyzer::composeJoined(const View &view,
                                                         const Subscripts &at,
                                                         const Outside &outside,
                                                         Reads &reads) {
  unsigned dim = view.numbers[0];
  Subscripts inner(at);
  inner[dim] = simplified(at[dim]);
  if (*view.kind == ViewKind::Concat)
    return outside.fold ? std::nullopt
                        : composeConcat(view, inner, outside, reads);
  Form place = inner[dim];
  Bounds bounds = boundsOf(place);
  if (bounds.lo < 0 || bounds.hi >= view.info.shape[dim])
    return std::nullopt;
  if (*view.kind == ViewKind::Stack) {
    inner.erase(inner.begin() + dim);
    return composeChoice(view, place, inner, outside, reads);
  }
  int64_t count = view.operands.size();
  MaybeForm which = wrappedAround(place, count);
  MaybeForm row = divided(place, count);
  if (!which || !row)
    return std::nullopt;
  inner[dim] = *row;
  return composeChoice(view, simplified(*which), inner, outside, reads);
}

unsigned StatementAnalyzer::addChoice(Reads &reads, const Form &form,
                                      Predicate predicate, int64_t bound,
                                      unsigned then, unsigned otherwise) {
  reads.push_back({{}, ViewChoice{form, predicate, bound, then, otherwise}});
  return reads.size() - 1;
}

/// The position in `reads` of what stands for the view at these subscripts.
unsigned StatementAnalyzer::compose(const View &view, const Subscripts &at,
                                    Outside outside, Reads &reads) {
  if (staysInside(at, view.info.shape))
    outside = {};
  auto addRead = [&](unsigned tensor) {
    Operand read;
    read.tensor = tensor;
    read.subscripts = simplified(at);
    read.pad = outside.isUnread ? Constant() : outside.pad;
    foldOperand(outside.fold, view.info.shape, read);
    reads.push_back({std::move(read), std::nullopt});
    return reads.size() - 1;
  };
  if (!view.kind)
    return addRead(view.tensor);
  bool joins = *view.kind == ViewKind::Concat ||
               *view.kind == ViewKind::Stack ||
               *view.kind == ViewKind::Interleave;
  // Outside of those lies what is outside of their operand.
  bool keepsEnds = *view.kind == ViewKind::Transpose ||
                   *view.kind == ViewKind::Flip ||
                   (*view.kind == ViewKind::Repeat && !outside.fold);
  bool leaves = outside.pad || outside.fold || outside.isUnread;
  // What lies beside a slice does where that is not read.
  keepsEnds |= outside.isUnread && *view.kind == ViewKind::Slice;
  if (joins) {
    size_t before = reads.size();
    if (std::optional<unsigned> chosen =
            composeJoined(view, at, outside, reads))
      return *chosen;
    reads.truncate(before);
  } else if (keepsEnds || !leaves) {
    // As they are, quotient and remainder of one form meet again.
    std::optional<Subscripts> inner = composeOne(view, at);
    if (!inner)
      inner = composeOne(view, simplified(at));
    if (inner)
      return compose(*view.operands.front(), *inner, outside, reads);
  }
  return addRead(graph.tensors.size() + reify(view));
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

unsigned StatementAnalyzer::emitReads(const Reads &reads, unsigned position,
                                      ElementType type) {
  const ViewRead &read = reads[position];
  if (!read.choice)
    return addRead(read.read, type);
  const ViewChoice &choice = *read.choice;
  unsigned condition = addNode(NodeKind::Index, ElementType::Bool);
  current->nodes[condition].predicate = choice.predicate;
  current->nodes[condition].index = current->forms.size();
  current->forms.push_back(choice.form);
  Form bound;
  bound.constant = choice.bound;
  current->forms.push_back(bound);
  unsigned then = emitReads(reads, choice.then, type);
  unsigned otherwise = emitReads(reads, choice.otherwise, type);
  return addNode(NodeKind::Select, type, {condition, then, otherwise});
}

/// The position among the inner vertices of one that copies the view.
unsigned StatementAnalyzer::reify(const View &view) {
  auto known = reified.find(&view);
  if (known != reified.end())
    return known->second;
  Nested &own = nestedReductions.emplace_back();
  Subscripts at;
  for (auto [dim, extent] : llvm::enumerate(view.info.shape)) {
    std::string name = dimensionLabel(dim);
    LabelState label;
    label.name = context.save(name);
    label.owner = &own;
    label.extent = extent;
    Form form;
    form.terms.push_back({static_cast<unsigned>(labels.size()), 1});
    at.push_back(std::move(form));
    labels.push_back(std::move(label));
  }
  Nested *outer = std::exchange(nested, &own);
  Expression *around = std::exchange(current, &own.vertex);
  Reads reads;
  unsigned value = compose(view, at, Outside(), reads);
  emitReads(reads, value, view.info.type);
  nested = outer;
  current = around;
  placeLabels(own, own.vertex);
  own.vertex.numParallel = own.vertex.labels.size();
  unsigned position = internInner(std::move(own.vertex), view.info.type);
  reified[&view] = position;
  return position;
}

std::optional<unsigned> StatementAnalyzer::buildView(const Access &access,
                                                     ElementType type) {
  Outside outside;
  outside.fold = access.fold;
  if (!buildPad(access, outside.pad))
    return std::nullopt;
  Subscripts at;
  for (const SymbolicForm &form : access.subscripts)
    at.push_back(*resolve(form));
  const View &view = *access.view;
  Reads reads;
  unsigned value = compose(view, at, outside, reads);
  return emitReads(reads, value, type);
}
