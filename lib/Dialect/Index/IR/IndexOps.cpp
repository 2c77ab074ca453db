//===- IndexOps.cpp - Syntax, types and rules of tapestry_index's ops -----===//

#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "tapestry/Dialect/Index/IR/IndexAssemble.h"
#include "tapestry/Dialect/Index/IR/IndexBlock.h"
#include "tapestry/Dialect/Index/IR/IndexConstant.h"
#include "tapestry/Dialect/Index/IR/IndexRandom.h"
#include "tapestry/Dialect/Index/IR/IndexShare.h"
#include "tapestry/Dialect/Index/IR/IndexSort.h"
#include "tapestry/Support/Counted.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::index;

//===----------------------------------------------------------------------===//
// Bounds: [%lo0 to %hi0, %lo1 to %hi1]
//===----------------------------------------------------------------------===//

static ParseResult
parseBounds(OpAsmParser &parser,
            llvm::SmallVectorImpl<OpAsmParser::UnresolvedOperand> &bounds) {
  auto parseRange = [&]() -> ParseResult {
    return failure(parser.parseOperand(bounds.emplace_back()) ||
                   parser.parseKeyword("to") ||
                   parser.parseOperand(bounds.emplace_back()));
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        parseRange);
}

static void printBounds(OpAsmPrinter &printer, Operation *,
                        OperandRange bounds) {
  printer << '[';
  for (unsigned i = 0; i < bounds.size(); ++i) {
    if (i != 0)
      printer << (i % 2 == 0 ? ", " : " to ");
    printer << bounds[i];
  }
  printer << ']';
}

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexOps.cpp.inc"

void TapestryIndexDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "tapestry/Dialect/Index/IR/IndexOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "tapestry/Dialect/Index/IR/IndexAssemble.cpp.inc"
      ,
#define GET_OP_LIST
#include "tapestry/Dialect/Index/IR/IndexBlock.cpp.inc"
      ,
#define GET_OP_LIST
#include "tapestry/Dialect/Index/IR/IndexConstant.cpp.inc"
      ,
#define GET_OP_LIST
#include "tapestry/Dialect/Index/IR/IndexRandom.cpp.inc"
      ,
#define GET_OP_LIST
#include "tapestry/Dialect/Index/IR/IndexShare.cpp.inc"
      ,
#define GET_OP_LIST
#include "tapestry/Dialect/Index/IR/IndexSort.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Result types
//===----------------------------------------------------------------------===//

static LogicalResult inferIndices(MLIRContext *context, size_t count,
                                  llvm::SmallVectorImpl<Type> &types) {
  types.assign(count, IndexType::get(context));
  return success();
}

LogicalResult
ApplyOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                          ValueRange operands, DictionaryAttr attributes,
                          OpaqueProperties properties, RegionRange regions,
                          llvm::SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  return inferIndices(context, adaptor.getProjection().getProjection().rank(),
                      types);
}

LogicalResult
ImageOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                          ValueRange operands, DictionaryAttr attributes,
                          OpaqueProperties properties, RegionRange regions,
                          llvm::SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  return inferIndices(
      context, size_t(2) * adaptor.getProjection().getProjection().rank(),
      types);
}

LogicalResult
IntersectOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              llvm::SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  return inferIndices(context, adaptor.getLhs().size(), types);
}

LogicalResult
PartOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                         ValueRange operands, DictionaryAttr attributes,
                         OpaqueProperties properties, RegionRange regions,
                         llvm::SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  return inferIndices(
      context, size_t(2) * adaptor.getLayout().getLayout().rank(), types);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult ApplyOp::verify() {
  // apply_c1
  if (getPoint().size() != getProjection().getIndexRank())
    return emitOpError() << "has " << countOf(getPoint().size(), "operand")
                         << " for an index space of rank "
                         << getProjection().getIndexRank();
  return success();
}

LogicalResult ImageOp::verify() {
  // image_c1
  if (getBounds().size() != size_t(2) * getProjection().getIndexRank())
    return emitOpError() << "has " << getBounds().size()
                         << " bounds for an index space of rank "
                         << getProjection().getIndexRank()
                         << ", expected 2 per dimension";
  return success();
}

LogicalResult index::verifyNumbered(Operation *op, ArrayRef<int64_t> shape) {
  constexpr int64_t tooMany = int64_t(1) << 62;
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 0)
      return op->emitOpError() << "is about an index of shape [" << shape
                               << "], expected extents of at least 0";
    if (llvm::MulOverflow(count, extent, count) || count >= tooMany)
      return op->emitOpError() << "is about an index of shape [" << shape
                               << "], whose number of elements leaves 62 bits";
  }
  return success();
}

// require_c1
LogicalResult RequireOp::verify() { return verifyNumbered(*this, getShape()); }

LogicalResult IntersectOp::verify() {
  // intersect_c1
  size_t lhs = getLhs().size(), rhs = getRhs().size();
  if (lhs != rhs || lhs % 2 != 0)
    return emitOpError() << "has " << lhs << " bounds on the left and " << rhs
                         << " on the right, expected two boxes of one rank";
  return success();
}

Value index::emitFloorDivision(OpBuilder &b, Location loc, Value value,
                               int64_t divisor) {
  if (divisor == 1)
    return value;
  auto constant = [&](int64_t number) {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  Value by = constant(divisor);
  Value quotient = b.createOrFold<arith::DivSIOp>(loc, value, by);
  Value rest = b.createOrFold<arith::RemSIOp>(loc, value, by);
  Value isLess = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                               rest, constant(0));
  Value below = b.createOrFold<arith::AddIOp>(loc, quotient, constant(-1));
  return b.createOrFold<arith::SelectOp>(loc, isLess, below, quotient);
}

Value index::emitFold(OpBuilder &b, Location loc, Value value, int64_t mod,
                      Fold fold) {
  auto constant = [&](int64_t number) {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  auto remainder = [&](int64_t period) {
    Value turn = emitFloorDivision(b, loc, value, period);
    Value before = b.createOrFold<arith::MulIOp>(loc, turn, constant(period));
    return b.createOrFold<arith::SubIOp>(loc, value, before);
  };
  if (fold == Fold::Wrap)
    return remainder(mod);
  if (fold == Fold::Edge) {
    value = b.createOrFold<arith::MaxSIOp>(loc, value, constant(0));
    return b.createOrFold<arith::MinSIOp>(loc, value, constant(mod - 1));
  }
  if (mod == 1)
    return constant(0);
  bool isTwice = fold == Fold::Symmetric;
  int64_t period = 2 * mod - (isTwice ? 0 : 2);
  Value there = remainder(period);
  Value back = b.createOrFold<arith::SubIOp>(
      loc, constant(period - (isTwice ? 1 : 0)), there);
  return b.createOrFold<arith::MinSIOp>(loc, there, back);
}

SmallVector<Value> index::emitWindowStarts(OpBuilder &b, Location loc,
                                           const Access &access,
                                           ValueRange starts, ValueRange ends) {
  SmallVector<Value> bounds;
  for (auto [start, end] : llvm::zip_equal(starts, ends))
    bounds.append({start, end});
  if (!access.guard.empty()) {
    SmallVector<Value> guard;
    for (const ZRange &range : access.guard)
      for (int64_t bound : {range.lo, range.hi})
        guard.push_back(arith::ConstantIndexOp::create(b, loc, bound));
    bounds = llvm::to_vector_of<Value>(
        IntersectOp::create(b, loc, bounds, guard).getResults());
  }
  auto projection =
      ProjectionAttr::get(b.getContext(), starts.size(), access.projection);
  auto image = ImageOp::create(b, loc, projection, bounds);
  SmallVector<Value> first;
  for (unsigned dim = 0; dim < access.projection.rank(); ++dim)
    first.push_back(image.getResult(2 * dim));
  return first;
}
