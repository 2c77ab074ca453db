//===- ScalarRegions.cpp - Functions of scalars in ops --------------------===//

#include "ScalarRegions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "tapestry/Dialect/Index/IR/IndexRandom.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryBlock.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

LogicalResult teg::verifyArguments(Operation *op, StringRef what,
                                   Region &region, llvm::ArrayRef<Type> types) {
  if (region.getNumArguments() != types.size())
    return op->emitOpError() << what << " has " << region.getNumArguments()
                             << " arguments, expected " << types.size();
  for (auto [argument, type] : llvm::zip_equal(region.getArguments(), types))
    if (argument.getType() != type)
      return op->emitOpError()
             << "argument " << argument.getArgNumber() << " of " << what
             << " has type " << argument.getType() << ", expected " << type;
  return success();
}

LogicalResult
teg::verifyScalarOps(Operation *op, StringRef what, Region &region,
                     llvm::function_ref<bool(Operation &)> isKnown) {
  for (Operation &nested : region.front().without_terminator()) {
    StringRef dialect = nested.getName().getDialectNamespace();
    bool known =
        dialect == "arith" || dialect == "math" || isComplexArithmetic(&nested);
    if (isa<LabelOp, index::RandomOp>(nested) || (isKnown && isKnown(nested)) ||
        (known && isMemoryEffectFree(&nested) && nested.getNumRegions() == 0))
      continue;
    InFlightDiagnostic diagnostic =
        op->emitOpError() << what << " holds '" << nested.getName()
                          << "', expected arith and math operations without "
                             "side effects, or sums, products and parts of "
                             "complex numbers";
    diagnostic.attachNote(nested.getLoc()) << "the operation is here";
    return diagnostic;
  }
  return success();
}

Type teg::getYieldedType(Operation *op, StringRef what, Region &region) {
  StringRef wanted = isa<BlockOp>(op) ? BlockYieldOp::getOperationName()
                                      : YieldOp::getOperationName();
  Operation *end = region.front().getTerminator();
  if (end->getName().getStringRef() == wanted && end->getNumOperands() == 1)
    return end->getOperand(0).getType();
  op->emitOpError() << what << " ends in '" << end->getName() << "', expected '"
                    << wanted << "'";
  return {};
}

LogicalResult teg::verifyCombiner(Operation *op, Monoid monoid,
                                  Region &combiner, TypedAttr identity,
                                  Type type) {
  bool isCustom = monoid == Monoid::Custom;
  if (isCustom != !combiner.empty() || isCustom != static_cast<bool>(identity))
    return op->emitOpError()
           << "with monoid " << stringifyMonoid(monoid) << " has "
           << (combiner.empty() ? 0 : 1) << " combine regions and "
           << (identity ? 1 : 0) << " identities, expected "
           << (isCustom ? "1 of each" : "none");
  if (!isCustom)
    return success();
  StringRef what = "the combine region";
  if (!isElementValue(identity) || getElementTypeOrSelf(identity) != type)
    return op->emitOpError() << "has the identity " << identity
                             << ", but combines values of type " << type;
  if (failed(verifyArguments(op, what, combiner, {type, type})) ||
      failed(verifyScalarOps(op, what, combiner)))
    return failure();
  Type yielded = getYieldedType(op, what, combiner);
  if (yielded && yielded != type)
    return op->emitOpError()
           << what << " yields " << yielded << ", expected " << type;
  return success(static_cast<bool>(yielded));
}

int64_t teg::countFlops(Region &region) {
  int64_t flops = 0;
  for (Operation &op : region.getOps()) {
    if (isa<complex::AddOp, complex::MulOp>(op))
      flops += isa<complex::AddOp>(op) ? 2 : 6;
    else if (!isa<LabelOp, CastOpInterface>(op) &&
             !op.hasTrait<OpTrait::IsTerminator>() &&
             !op.hasTrait<OpTrait::ConstantLike>() && !isComplexArithmetic(&op))
      ++flops;
  }
  return flops;
}

int64_t teg::countCombineFlops(Monoid monoid, Region &combiner, Type type) {
  if (monoid == Monoid::Custom)
    return countFlops(combiner);
  if (monoid == Monoid::None)
    return 0;
  bool isComplex = isa<ComplexType>(type);
  return !isComplex ? 1 : monoid == Monoid::Add ? 2 : 6;
}

Value teg::emitCombiner(OpBuilder &builder, Region &combiner, Value a,
                        Value b) {
  Block &block = combiner.front();
  Location loc = combiner.getLoc();
  IRMapping mapping;
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), ValueRange{a, b})) {
    bool isStored = value.getType() != argument.getType();
    mapping.map(argument,
                isStored ? arith::TruncIOp::create(builder, loc,
                                                   argument.getType(), value)
                         : value);
  }
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  Value result = mapping.lookupOrDefault(block.getTerminator()->getOperand(0));
  return result.getType() == a.getType()
             ? result
             : arith::ExtUIOp::create(builder, loc, a.getType(), result);
}
