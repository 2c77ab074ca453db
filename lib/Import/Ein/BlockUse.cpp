//===- BlockUse.cpp - One use of a block from outside ---------------------===//

#include "BlockUse.h"
#include "llvm/Support/MathExtras.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;
using tapestry::AffineTerm;
using tapestry::ProjectionDim;

std::optional<unsigned> BlockUse::labelNamed(llvm::StringRef name) const {
  for (auto [number, label] : llvm::enumerate(stmt.labels))
    if (label.name == name)
      return number;
  return std::nullopt;
}

bool BlockUse::mentionsLabel(const Expr *expr) const {
  if (auto *name = llvm::dyn_cast<NameExpr>(expr))
    return labelNamed(name->name).has_value();
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(expr))
    return mentionsLabel(unary->operand);
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(expr))
    return mentionsLabel(binary->lhs) || mentionsLabel(binary->rhs);
  return false;
}

std::optional<int64_t> BlockUse::evaluate(const Expr *expr) {
  return ConstantEvaluator(inside, diagnostics, "a block's extent")
      .evaluateInt(expr, [&](const ExtentExpr &of) -> std::optional<int64_t> {
        std::optional<unsigned> label = labelNamed(of.label);
        if (label && extents[*label])
          return extents[*label];
        diagnostics.error(of.range, "the extent of label '" + of.label +
                                        "' is not known here");
        return std::nullopt;
      });
}

bool BlockUse::declareLabels() {
  for (auto [number, label] : llvm::enumerate(stmt.labels)) {
    for (const Label &earlier : stmt.labels.take_front(number))
      if (earlier.name == label.name) {
        diagnostics.error(label.range,
                          "label '" + label.name + "' stands twice");
        return false;
      }
    if (!label.extent)
      continue;
    extents[number] = evaluate(label.extent);
    if (!extents[number])
      return false;
    decided[label.name] = {*extents[number], "the declaration"};
    if (*extents[number] < 1) {
      diagnostics.error(label.extent->range, "label '" + label.name +
                                                 "' has extent " +
                                                 llvm::Twine(*extents[number]) +
                                                 ", expected at least 1");
      return false;
    }
  }
  return true;
}

/// Adds `factor` times an expression that is linear in the labels.
bool BlockUse::addForm(const Expr *expr, int64_t factor, ProjectionDim &into) {
  if (!mentionsLabel(expr)) {
    std::optional<int64_t> value = evaluate(expr);
    int64_t product;
    if (value && !llvm::MulOverflow(*value, factor, product) &&
        !llvm::AddOverflow(into.constant, product, into.constant))
      return true;
    if (value)
      diagnostics.error(expr->range, "this number leaves 64 bits");
    return false;
  }
  if (auto *name = llvm::dyn_cast<NameExpr>(expr)) {
    unsigned label = *labelNamed(name->name);
    auto *term = llvm::find_if(
        into.terms, [&](const AffineTerm &t) { return t.dim >= label; });
    if (term == into.terms.end() || term->dim != label)
      term = into.terms.insert(term, AffineTerm{label, 0});
    term->coefficient += factor;
    if (term->coefficient == 0)
      into.terms.erase(term);
    return true;
  }
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(expr);
      unary && unary->op == UnaryOp::Neg)
    return addForm(unary->operand, -factor, into);
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(expr)) {
    if (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub)
      return addForm(binary->lhs, factor, into) &&
             addForm(binary->rhs,
                     binary->op == BinaryOp::Add ? factor : -factor, into);
    const Expr *number = binary->lhs, *form = binary->rhs;
    if (mentionsLabel(number))
      std::swap(number, form);
    if (binary->op == BinaryOp::Mul && !mentionsLabel(number)) {
      std::optional<int64_t> value = evaluate(number);
      int64_t product;
      if (value && !llvm::MulOverflow(*value, factor, product))
        return addForm(form, product, into);
      if (value)
        diagnostics.error(number->range, "this number leaves 64 bits");
      return false;
    }
  }
  diagnostics.error(expr->range,
                    "'" + excerpt(expr->range) +
                        "' is not linear in the labels of block '" + stmt.name +
                        "'");
  return false;
}

/// Size 0 where it is whole.
std::optional<ProjectionDim> BlockUse::dimOf(const SliceRange &range,
                                             bool isResult) {
  ProjectionDim dim;
  dim.size = 0;
  bool isWhole = !range.isElement && !range.step &&
                 (!range.first || (isResult && !mentionsLabel(range.first))) &&
                 !(range.end && mentionsLabel(range.end));
  if (isWhole)
    return dim;
  if (!range.isElement && (!range.first || !range.end)) {
    diagnostics.error(range.range, "a range of a block has both ends, x:x + 3, "
                                   "or is all of a dimension, :");
    return std::nullopt;
  }
  if (!addForm(range.first, 1, dim))
    return std::nullopt;
  dim.size = 1;
  if (range.isElement)
    return dim;
  ProjectionDim end;
  if (!addForm(range.end, 1, end))
    return std::nullopt;
  if (range.step) {
    std::optional<int64_t> step = evaluate(range.step);
    if (!step)
      return std::nullopt;
    dim.stride = *step;
  }
  int64_t length;
  if (end.terms != dim.terms ||
      llvm::SubOverflow(end.constant, dim.constant, length) || length < 1 ||
      dim.stride < 1 || length > int64_t(1) << 61) {
    diagnostics.error(range.range,
                      "'" + excerpt(range.range) +
                          "' is no range of as many elements at each index "
                          "point, at least 1, with a step of at least 1");
    return std::nullopt;
  }
  dim.size = (length - 1) / dim.stride + 1;
  if (dim.size == 1)
    dim.stride = 1;
  return dim;
}

bool BlockUse::bindExtent(unsigned label, int64_t extent, const Given &given,
                          const SliceRange &range) {
  llvm::StringRef name = stmt.labels[label].name;
  std::string here = "'" + given.name + "'";
  auto [it, added] = decided.try_emplace(name, extent, here);
  if (added)
    extents[label] = extent;
  // A declared extent says how much of the tensor is read.
  if (it->second.first == extent || stmt.labels[label].extent)
    return true;
  diagnostics
      .error(given.where, "label '" + name + "' of block '" + stmt.name +
                              "' has extent " + llvm::Twine(it->second.first) +
                              " in " + it->second.second + " but " +
                              llvm::Twine(extent) + " in " + here)
      .note(range.range, "it stands here");
  return false;
}

/// `:n`: a name for the extent of a dimension, or what it has to be.
bool BlockUse::bindWhole(const Expr *expr, int64_t extent, const Given &given) {
  auto *name = llvm::dyn_cast<NameExpr>(expr);
  if (name && !inside.lookup(name->name)) {
    Binding binding;
    binding.kind = Binding::Kind::Constant;
    binding.defined = expr->range;
    binding.constant = Number::ofInteger(extent);
    inside.define(name->name, binding);
    return true;
  }
  std::optional<int64_t> wanted = evaluate(expr);
  if (!wanted || *wanted == extent)
    return wanted.has_value();
  diagnostics
      .error(given.where, "'" + given.name + "' has extent " +
                              llvm::Twine(extent) + " where block '" +
                              stmt.name + "' reads all of " +
                              llvm::Twine(*wanted))
      .note(expr->range, "the extent stands here");
  return false;
}

bool BlockUse::addInput(const BlockFormal &formal, llvm::StringRef name,
                        llvm::SMRange where, const Tensor &tensor) {
  auto fail = [&](const llvm::Twine &text) {
    diagnostics.error(where, text).note(formal.range, "it is declared here");
    return false;
  };
  if (tensor.type != formal.type)
    return fail("argument '" + name + "' is " + stringify(tensor.type) +
                ", but block '" + stmt.name + "' reads " +
                stringify(formal.type));
  if (tensor.shape.size() != formal.ranges.size())
    return fail("argument '" + name + "' has " +
                countOf(tensor.shape.size(), "dimension") + ", but '" +
                formal.name + "' of block '" + stmt.name + "' has " +
                llvm::Twine(formal.ranges.size()));
  inputs.push_back({&formal, name.str(), where, tensor.shape});
  const Given &given = inputs.back();
  Block::Tensor &input = block.inputs.emplace_back();
  input.name = formal.name.str();
  input.type = formal.type;
  if (formal.pad) {
    input.pad = ConstantEvaluator(inside, diagnostics, "the padding")
                    .evaluateAs(formal.pad, formal.type);
    if (!input.pad)
      return false;
  }
  for (auto [range, extent] : llvm::zip_equal(formal.ranges, tensor.shape)) {
    std::optional<ProjectionDim> dim = dimOf(range, /*isResult=*/false);
    if (!dim ||
        (dim->size == 0 && range.end && !bindWhole(range.end, extent, given)))
      return false;
    if (dim->isPlainDim() &&
        !bindExtent(dim->terms.front().dim, extent, given, range))
      return false;
    input.projection.dims.push_back(*dim);
  }
  return true;
}

/// Labels of windows alone: as many points as stay in all of them.
bool BlockUse::decideByWindows() {
  llvm::SmallVector<std::optional<int64_t>> most(extents.size());
  for (auto [given, input] : llvm::zip_equal(inputs, block.inputs))
    for (auto [dim, extent] :
         llvm::zip_equal(input.projection.dims, given.shape)) {
      if (input.pad)
        break;
      const AffineTerm *open = nullptr;
      __int128 last = __int128(dim.constant) + (dim.size - 1) * dim.stride;
      bool isOne = true;
      for (const AffineTerm &term : dim.terms) {
        if (!extents[term.dim]) {
          isOne &= !open;
          open = &term;
        } else if (term.coefficient > 0) {
          last += __int128(term.coefficient) * (*extents[term.dim] - 1);
        }
      }
      if (!open || !isOne || open->coefficient < 1)
        continue;
      __int128 room = extent - 1 - last;
      int64_t points =
          // Where there is no room, that is said of the first point.
          room < 0 ? 1 : static_cast<int64_t>(room / open->coefficient) + 1;
      std::optional<int64_t> &known = most[open->dim];
      known = known ? std::min(*known, points) : points;
    }
  bool any = false;
  for (auto [number, points] : llvm::enumerate(most))
    if (points) {
      extents[number] = points;
      any = true;
    }
  return any;
}

/// Labels that padded reads are shifted in: as many points as elements.
void BlockUse::decideByPadded() {
  for (auto [given, input] : llvm::zip_equal(inputs, block.inputs))
    for (auto [dim, extent] :
         llvm::zip_equal(input.projection.dims, given.shape))
      if (input.pad && dim.terms.size() == 1 &&
          dim.terms.front().coefficient == 1 && !extents[dim.terms[0].dim])
        extents[dim.terms[0].dim] = extent;
}

bool BlockUse::checkInside(unsigned number) {
  const Given &given = inputs[number];
  for (auto [position, dim, extent] :
       llvm::enumerate(block.inputs[number].projection.dims, given.shape)) {
    if (dim.size == 0 || block.inputs[number].pad)
      continue;
    __int128 lo = dim.constant, hi = lo + __int128(dim.size - 1) * dim.stride;
    for (const AffineTerm &term : dim.terms) {
      (term.coefficient < 0 ? lo : hi) +=
          __int128(term.coefficient) * (*extents[term.dim] - 1);
    }
    if (lo >= 0 && hi < extent)
      continue;
    diagnostics
        .error(given.where,
               "'" + excerpt(given.formal->ranges[position].range) +
                   "' of block '" + stmt.name + "' reads '" + given.name +
                   "' from " + toString(WideInt(lo)) + " to " +
                   toString(WideInt(hi)) +
                   ", but the dimension has only the indices 0 to " +
                   llvm::Twine(extent - 1))
        .note(given.formal->ranges[position].range, "it stands here");
    return false;
  }
  return true;
}

bool BlockUse::decideExtents() {
  while (decideByWindows())
    ;
  decideByPadded();
  for (auto [number, label] : llvm::enumerate(stmt.labels)) {
    if (extents[number])
      continue;
    diagnostics
        .error(use, "nothing says what extent label '" + label.name +
                        "' of block '" + stmt.name + "' has")
        .note(label.range, "give it here: " + label.name + ":8");
    return false;
  }
  for (unsigned number = 0; number < inputs.size(); ++number)
    if (!checkInside(number))
      return false;
  return true;
}

std::optional<llvm::SmallVector<int64_t, 4>>
BlockUse::addOutput(const BlockFormal &formal) {
  Block::Tensor &output = block.outputs.emplace_back();
  output.name = formal.name.str();
  output.type = formal.type;
  output.monoid = formal.monoid;
  llvm::SmallVector<int64_t, 4> shape;
  for (const SliceRange &range : formal.ranges) {
    std::optional<ProjectionDim> dim = dimOf(range, /*isResult=*/true);
    if (!dim)
      return std::nullopt;
    output.projection.dims.push_back(*dim);
    std::optional<int64_t> extent;
    if (dim->size != 0) {
      __int128 written = dim->size;
      for (const AffineTerm &term : dim->terms)
        written *= *extents[term.dim];
      if (written >= __int128(1) << 62) {
        diagnostics.error(use, "'" + formal.name + "' of block '" + stmt.name +
                                   "' has an extent of 2^62 or more");
        return std::nullopt;
      }
      extent = static_cast<int64_t>(written);
    } else if (range.end && (!range.first || evaluate(range.first) == 0)) {
      extent = evaluate(range.end);
    } else if (!range.end && !range.first) {
      diagnostics.error(range.range, "a dimension of a result that is written "
                                     "whole needs its extent: :8");
    } else {
      diagnostics.error(range.range, "a dimension of a result that is written "
                                     "whole begins at 0: :8");
    }
    if (!extent)
      return std::nullopt;
    if (*extent < 1) {
      diagnostics.error(range.range, "'" + formal.name + "' has extent " +
                                         llvm::Twine(*extent) +
                                         ", expected at least 1");
      return std::nullopt;
    }
    shape.push_back(*extent);
  }
  return shape;
}

bool BlockUse::addCosts() {
  for (const BlockCost &cost : stmt.costs) {
    if (!cost.label.empty() && !labelNamed(cost.label)) {
      diagnostics.error(cost.range, "'" + cost.label +
                                        "' is no label of block '" + stmt.name +
                                        "'");
      return false;
    }
    std::optional<int64_t> amount = evaluate(cost.amount);
    if (!amount)
      return false;
    block.costs.push_back({cost.label.str(), cost.resource.str(), *amount});
  }
  return true;
}
