//===- ProductSum.cpp - Einsums that are reduced products -----------------===//

#include "ProductSum.h"
#include "Inlining.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::contraction;
using namespace tapestry::teg;

Contraction ProductSum::getContraction() {
  Contraction result;
  result.extents = op.getExtents().vec();
  for (const Factor &factor : factors)
    result.operands.push_back(factor.labels);
  AffineMap map = op.getResultMap();
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    result.output.push_back(map.getDimPosition(dim));
  return result;
}

bool teg::distributesOver(OperationName times, Monoid monoid) {
  TypeID id = times.getTypeID();
  auto isOneOf = [&](std::initializer_list<TypeID> ids) {
    return llvm::is_contained(ids, id);
  };
  // min and max distribute over each other, and over themselves as they are
  // idempotent; so do and and or. Booleans are ordered, so their max is or.
  switch (monoid) {
  case Monoid::Add:
    return isOneOf({TypeID::get<arith::MulFOp>(), TypeID::get<arith::MulIOp>(),
                    TypeID::get<complex::MulOp>()});
  case Monoid::Max:
  case Monoid::Min:
    return isOneOf(
        {TypeID::get<arith::AddFOp>(), TypeID::get<arith::MaximumFOp>(),
         TypeID::get<arith::MinimumFOp>(), TypeID::get<arith::MaxSIOp>(),
         TypeID::get<arith::MinSIOp>()});
  case Monoid::And:
  case Monoid::Or:
    return isOneOf({TypeID::get<arith::AndIOp>(), TypeID::get<arith::OrIOp>()});
  case Monoid::Xor:
    return isOneOf({TypeID::get<arith::AndIOp>()});
  case Monoid::None:
  case Monoid::Mul:
  case Monoid::Custom:
    return false;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Finds what a value in the body depends on.
static Factor factorOf(EinsumOp op, Value value, bool isInverse) {
  Factor factor;
  factor.value = value;
  factor.isInverse = isInverse;
  llvm::SetVector<Value> seen;
  seen.insert(value);
  llvm::SmallBitVector labels(op.getExtents().size());
  for (size_t next = 0; next < seen.size(); ++next) {
    Value part = seen[next];
    if (auto argument = dyn_cast<BlockArgument>(part)) {
      factor.operands.push_back(argument.getArgNumber());
      for (unsigned label = 0; label < labels.size(); ++label)
        if (op.getOperandMap(argument.getArgNumber()).isFunctionOfDim(label))
          labels.set(label);
      continue;
    }
    if (auto use = part.getDefiningOp<LabelOp>())
      labels.set(*op.getLabelIndex(use.getLabel()));
    for (Value operand : part.getDefiningOp()->getOperands())
      seen.insert(operand);
  }
  llvm::sort(factor.operands);
  factor.labels.assign(labels.set_bits_begin(), labels.set_bits_end());
  return factor;
}

/// A part of a product, and whether it divides.
using Part = llvm::PointerIntPair<Value, 1, bool>;

/// The factors of `root` in order. A product with several uses is a factor of
/// all of them: taking it apart would compute it again and again.
static SmallVector<Part> flatten(Value root, StringRef times) {
  bool hasQuotients = times == arith::MulFOp::getOperationName();
  SmallVector<Part> factors;
  SmallVector<Part> open = {Part(root, false)};
  while (!open.empty()) {
    Part part = open.pop_back_val();
    Value value = part.getPointer();
    Operation *op = value.getDefiningOp();
    bool isQuotient = hasQuotients && isa_and_nonnull<arith::DivFOp>(op);
    bool isProduct = op && op->getName().getStringRef() == times;
    if ((isQuotient || isProduct) && (value == root || value.hasOneUse())) {
      bool isInverse = part.getInt();
      // The first factor is taken up next.
      open.push_back(Part(op->getOperand(1), isInverse != isQuotient));
      open.push_back(Part(op->getOperand(0), isInverse));
    } else {
      factors.push_back(part);
    }
  }
  return factors;
}

/// The operation that multiplies at the top of a body; null where the top does
/// not distribute over the monoid.
static StringAttr timesOf(Operation *top, Monoid monoid) {
  if (!top)
    return {};
  if (distributesOver(top->getName(), monoid))
    return top->getName().getIdentifier();
  // (a + b) / c = a / c + b / c.
  if (isa<arith::DivFOp>(top) && monoid == Monoid::Add)
    return StringAttr::get(top->getContext(),
                           arith::MulFOp::getOperationName());
  return {};
}

/// Whether all operands are read whole, by distinct plain labels.
static llvm::Error checkOperands(EinsumOp op) {
  for (auto [label, extent] : llvm::enumerate(op.getExtents()))
    if (extent == 0)
      return planError("label '", op.getLabelNames()[label],
                       "' has extent 0, so there is nothing to order");
  for (unsigned operand = 0; operand < op.getInputs().size(); ++operand) {
    AffineMap map = op.getOperandMap(operand);
    if (op.getPad(operand) || op.getFold(operand))
      return planError("operand ", operand, " is padded");
    llvm::SmallBitVector seen(map.getNumDims());
    for (AffineExpr subscript : map.getResults()) {
      auto label = dyn_cast<AffineDimExpr>(subscript);
      if (!label)
        return planError("operand ", operand, " is read through a window");
      if (seen.test(label.getPosition()))
        return planError("operand ", operand, " repeats label '",
                         op.getLabelNames()[label.getPosition()], "'");
      seen.set(label.getPosition());
    }
  }
  return llvm::Error::success();
}

llvm::Expected<ProductSum> teg::matchProductSum(EinsumOp op, Monoid monoid) {
  ProductSum product;
  product.op = op;
  product.monoid = monoid;
  if (monoid == Monoid::None)
    return planError("nothing is reduced");
  if (monoid == Monoid::Custom)
    return planError("nothing is known of a custom monoid");
  if (llvm::Error error = checkUnasked(op))
    return std::move(error);
  if (llvm::Error error = checkOperands(op))
    return std::move(error);

  Value root = cast<YieldOp>(op.getBody().front().getTerminator()).getValue();
  SmallVector<Part> parts = {Part(root, false)};
  product.times = timesOf(root.getDefiningOp(), monoid);
  if (product.times)
    parts = flatten(root, product.times);
  for (Part part : parts) {
    Factor factor = factorOf(op, part.getPointer(), part.getInt());
    if (factor.operands.empty() && factor.labels.empty())
      product.scalars.push_back(std::move(factor));
    else
      product.factors.push_back(std::move(factor));
  }
  llvm::SmallBitVector seen(op.getExtents().size());
  for (const Factor &factor : product.factors)
    for (unsigned label : factor.labels)
      seen.set(label);
  for (unsigned label = 0; label < seen.size(); ++label)
    if (!seen.test(label))
      return planError("no factor depends on label '",
                       op.getLabelNames()[label], "'");
  return product;
}

//===----------------------------------------------------------------------===//
// Emitting
//===----------------------------------------------------------------------===//

namespace {

/// A factor, or the result of a step, that a later step reads.
struct TreeTensor {
  /// Set for a factor.
  const Factor *factor = nullptr;
  /// Set for a result, with its labels in the order of its dimensions.
  Value value;
  LabelList labels;
};

class TreeEmitter {
public:
  TreeEmitter(OpBuilder &builder, ProductSum &product)
      : builder(builder), product(product), op(product.op),
        names(op.getLabelNames()) {}

  Value emit(const ContractionTree &tree,
             llvm::function_ref<std::string()> freshName);
  Value emitUnfused(unsigned factor, StringRef name);

private:
  Value emitStep(StringRef name, ArrayRef<TreeTensor> read,
                 ArrayRef<unsigned> resultLabels, bool isLast);
  Value emitBody(OpBuilder &body, ArrayRef<TreeTensor> read, ValueRange args,
                 bool isLast);
  Value clone(OpBuilder &body, Value value, IRMapping &mapping);

  OpBuilder &builder;
  ProductSum &product;
  EinsumOp op;
  SmallVector<std::string> names;
};

} // namespace

/// Clones the part of the body that computes `value`.
Value TreeEmitter::clone(OpBuilder &body, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  // Bodies are in order, so what is needed is found going backwards.
  llvm::SetVector<Operation *> needed;
  needed.insert(value.getDefiningOp());
  for (size_t next = 0; next < needed.size(); ++next)
    for (Value operand : needed[next]->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && !mapping.contains(operand))
        needed.insert(producer);
  for (Operation &candidate : op.getBody().front())
    if (needed.contains(&candidate))
      body.clone(candidate, mapping);
  return mapping.lookup(value);
}

Value TreeEmitter::emitBody(OpBuilder &body, ArrayRef<TreeTensor> read,
                            ValueRange args, bool isLast) {
  IRMapping mapping;
  unsigned next = 0;
  for (const TreeTensor &tensor : read)
    if (tensor.factor)
      for (unsigned operand : tensor.factor->operands) {
        Value argument = op.getBody().front().getArgument(operand);
        // Factors of one step may share an operand.
        if (!mapping.contains(argument))
          mapping.map(argument, args[next++]);
      }
  SmallVector<Value> values, divisors;
  auto take = [&](const Factor &factor) {
    Value value = clone(body, factor.value, mapping);
    (factor.isInverse ? divisors : values).push_back(value);
  };
  for (const TreeTensor &tensor : read)
    if (tensor.factor)
      take(*tensor.factor);
    else
      values.push_back(args[next++]);
  if (isLast)
    for (const Factor &scalar : product.scalars)
      take(scalar);

  Location loc = op.getLoc();
  if (values.empty())
    values.push_back(arith::ConstantOp::create(
        body, loc, body.getFloatAttr(divisors.front().getType(), 1)));
  Value result = values.front();
  for (Value value : ArrayRef(values).drop_front())
    result = body.create(loc, product.times, {result, value}, {value.getType()})
                 ->getResult(0);
  for (Value divisor : divisors)
    result = arith::DivFOp::create(body, loc, result, divisor);
  return result;
}

Value TreeEmitter::emitStep(StringRef name, ArrayRef<TreeTensor> read,
                            ArrayRef<unsigned> resultLabels, bool isLast) {
  // The result's labels first, then those that are reduced.
  SmallVector<unsigned> labels(resultLabels);
  llvm::SmallBitVector involved(names.size());
  for (const TreeTensor &tensor : read)
    for (unsigned label : tensor.factor ? tensor.factor->labels : tensor.labels)
      involved.set(label);
  for (unsigned label : involved.set_bits())
    if (!llvm::is_contained(resultLabels, label))
      labels.push_back(label);
  bool reduces = labels.size() > resultLabels.size();

  SmallVector<AffineExpr> newDims(names.size());
  SmallVector<StringRef> newNames;
  SmallVector<int64_t> extents;
  for (auto [position, label] : llvm::enumerate(labels)) {
    newDims[label] = builder.getAffineDimExpr(position);
    newNames.push_back(names[label]);
    extents.push_back(op.getExtents()[label]);
  }
  auto mapOf = [&](ArrayRef<unsigned> dims) {
    SmallVector<AffineExpr> results;
    for (unsigned label : dims)
      results.push_back(newDims[label]);
    return AffineMap::get(labels.size(), 0, results, builder.getContext());
  };
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  llvm::SmallSetVector<unsigned, 4> original;
  for (const TreeTensor &tensor : read)
    if (tensor.factor)
      original.insert_range(tensor.factor->operands);
  for (unsigned operand : original) {
    operands.push_back(op.getInputs()[operand]);
    SmallVector<unsigned> dims;
    AffineMap map = op.getOperandMap(operand);
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
      dims.push_back(map.getDimPosition(dim));
    maps.push_back(mapOf(dims));
  }
  for (const TreeTensor &tensor : read)
    if (!tensor.factor) {
      operands.push_back(tensor.value);
      maps.push_back(mapOf(tensor.labels));
    }
  maps.push_back(mapOf(resultLabels));
  SmallVector<int64_t> shape;
  for (unsigned label : resultLabels)
    shape.push_back(op.getExtents()[label]);
  // What is between the steps keeps the accumulator's precision.
  Type elementType =
      isLast ? op.getResultType().getElementType() : op.getAccumulatorType();
  return EinsumOp::create(builder, op.getLoc(), name, newNames, extents,
                          operands, maps, ArrayRef<TypedAttr>(),
                          reduces ? product.monoid : Monoid::None,
                          RankedTensorType::get(shape, elementType),
                          [&](OpBuilder &body, Location, ValueRange args) {
                            return emitBody(body, read, args, isLast);
                          });
}

Value TreeEmitter::emit(const ContractionTree &tree,
                        llvm::function_ref<std::string()> freshName) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  Contraction contraction = product.getContraction();
  auto results = llvm::cantFail(resultLabels(contraction, tree.steps));
  std::vector<TreeTensor> tensors(product.factors.size());
  for (auto [tensor, factor] : llvm::zip_equal(tensors, product.factors))
    tensor.factor = &factor;
  for (auto [number, step] : llvm::enumerate(tree.steps)) {
    bool isLast = number + 1 == tree.steps.size();
    SmallVector<TreeTensor> read = {tensors[step.left]};
    if (!step.isReduction())
      read.push_back(tensors[step.right]);
    TreeTensor made;
    // The dimensions of the whole result are in the order of its type.
    made.labels = isLast ? contraction.output : results[number];
    std::string name = isLast ? op.getName().str() : freshName();
    made.value = emitStep(name, read, made.labels, isLast);
    tensors.push_back(made);
  }
  return tensors.back().value;
}

Value teg::emitTree(OpBuilder &builder, ProductSum &product,
                    const ContractionTree &tree,
                    llvm::function_ref<std::string()> freshName) {
  return TreeEmitter(builder, product).emit(tree, freshName);
}

Value TreeEmitter::emitUnfused(unsigned factor, StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  SmallVector<TreeTensor> tensors(product.factors.size());
  for (auto [tensor, each] : llvm::zip_equal(tensors, product.factors))
    tensor.factor = &each;
  TreeTensor made;
  made.labels = product.factors[factor].labels;
  made.value = emitStep(name, tensors[factor], made.labels, /*isLast=*/false);
  tensors[factor] = made;
  return emitStep(op.getName(), tensors, product.getContraction().output,
                  /*isLast=*/true);
}

Value teg::emitUnfused(OpBuilder &builder, ProductSum &product, unsigned factor,
                       StringRef name) {
  return TreeEmitter(builder, product).emitUnfused(factor, name);
}
