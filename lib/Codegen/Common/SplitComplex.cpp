//===- SplitComplex.cpp - Complex numbers as pairs of real ones -----------===//
//
// A buffer of complex numbers is seen as two strided ones of real numbers, so
// that all that is known of these serves complex numbers, too.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_SPLITCOMPLEX
#include "tapestry/Codegen/Common/Passes.h.inc"

namespace {

/// The real and the imaginary part.
using Parts = std::pair<Value, Value>;

bool isComplex(Type type) {
  return isa<ComplexType>(getElementTypeOrSelf(type));
}

Type partType(Type complex) {
  return cast<ComplexType>(getElementTypeOrSelf(complex)).getElementType();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// How a buffer is seen: as one of words that hold a number each, of real
/// parts, or with a dimension more, in which the parts lie side by side.
enum class View { Words, Real, Pairs };

memref::ReinterpretCastOp viewAs(OpBuilder &builder, Location loc, Value buffer,
                                 View view) {
  ImplicitLocOpBuilder b(loc, builder);
  auto type = cast<MemRefType>(buffer.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  Type element = view == View::Words ? b.getI64Type() : partType(type);
  auto scaled = [&](OpFoldResult number) -> OpFoldResult {
    if (view == View::Words)
      return number;
    if (std::optional<int64_t> known = getConstantIntValue(number))
      return b.getIndexAttr(2 * *known);
    Value two = arith::ConstantIndexOp::create(b, 2);
    return Value(arith::MulIOp::create(b, cast<Value>(number), two));
  };
  OpFoldResult offset = scaled(metadata.getConstifiedMixedOffset());
  SmallVector<OpFoldResult> sizes = metadata.getConstifiedMixedSizes();
  SmallVector<OpFoldResult> strides;
  for (OpFoldResult stride : metadata.getConstifiedMixedStrides())
    strides.push_back(scaled(stride));
  if (view == View::Pairs) {
    sizes.push_back(b.getIndexAttr(2));
    strides.push_back(b.getIndexAttr(1));
  }
  auto known = [](OpFoldResult number) {
    return getConstantIntValue(number).value_or(ShapedType::kDynamic);
  };
  auto layout = StridedLayoutAttr::get(b.getContext(), known(offset),
                                       llvm::map_to_vector(strides, known));
  auto point = MemRefType::get({}, element, MemRefLayoutAttrInterface(),
                               type.getMemorySpace());
  Value start = UnrealizedConversionCastOp::create(b, TypeRange{point},
                                                   metadata.getBaseBuffer())
                    .getResult(0);
  auto result = MemRefType::get(llvm::map_to_vector(sizes, known), element,
                                layout, type.getMemorySpace());
  return memref::ReinterpretCastOp::create(b, result, start, offset, sizes,
                                           strides);
}

Parts partsOf(OpBuilder &builder, Location loc, Value value) {
  if (!isa<MemRefType>(value.getType()))
    return {builder.createOrFold<complex::ReOp>(loc, value),
            builder.createOrFold<complex::ImOp>(loc, value)};
  memref::ReinterpretCastOp real = viewAs(builder, loc, value, View::Real);
  return {real, viewOfNext(builder, real)};
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Whether an operation on complex numbers has a form on their parts.
bool isArithmetic(Operation &op) {
  return isa<complex::ConstantOp, complex::CreateOp, complex::ReOp,
             complex::ImOp, complex::AddOp, complex::MulOp>(op);
}

/// Whether a body's operation has a form on parts.
bool isSplittable(Operation &op) {
  auto onComplex = [](TypeRange types) {
    return llvm::any_of(types, isComplex);
  };
  if (isArithmetic(op) || isa<linalg::YieldOp>(op))
    return true;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getMemRefType().isStrided();
  return isa<arith::SelectOp>(op) ||
         (op.getNumRegions() == 0 && !onComplex(op.getOperandTypes()) &&
          !onComplex(op.getResultTypes()));
}

/// Writes a generic that reads and writes complex numbers as one on their
/// parts.
class Splitter {
public:
  explicit Splitter(linalg::GenericOp op) : b(op), op(op) {}
  void split();

private:
  /// The operation moves elements only, as words that hold one each.
  bool movesWords();
  void splitWords();
  /// It does the same to both parts, as a copy or a running sum.
  bool treatsPartsAlike();
  /// The loop that sums has pairs as its steps.
  bool runsAlongPairs();
  void splitEach();
  void splitPairs();
  void emitRealBody(OpBuilder &body, ValueRange arguments);
  /// Adds products of its inputs: their parts' products are sums of their own.
  bool isProductSum();
  void splitProductSum();
  void splitParts();
  void emitBody(OpBuilder &body, Location loc, ValueRange arguments);
  void emitOp(OpBuilder &body, Operation &inner);
  void emitArithmetic(OpBuilder &body, Operation &inner);
  linalg::GenericOp
  create(ValueRange inputs, ValueRange outputs, ArrayRef<AffineMap> maps,
         ArrayRef<utils::IteratorType> kinds,
         function_ref<void(OpBuilder &, Location, ValueRange)> body);
  /// Of an argument of the body.
  AffineMap mapOf(Value argument) {
    return op
        .getIndexingMapsArray()[cast<BlockArgument>(argument).getArgNumber()];
  }
  Value lookUp(Value value) { return mapping.lookupOrDefault(value); }

  OpBuilder b;
  linalg::GenericOp op;
  IRMapping mapping;
  llvm::DenseMap<Value, Parts> parts;
};

linalg::GenericOp
Splitter::create(ValueRange inputs, ValueRange outputs,
                 ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> kinds,
                 function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  auto made = linalg::GenericOp::create(b, op.getLoc(), inputs, outputs, maps,
                                        kinds, body);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return made;
}

void Splitter::split() {
  if (movesWords())
    splitWords();
  else if (treatsPartsAlike())
    runsAlongPairs() ? splitEach() : splitPairs();
  else if (isProductSum())
    splitProductSum();
  else
    splitParts();
  op.erase();
}

bool Splitter::movesWords() {
  auto isNumber = [](Type type) { return isa<ComplexType>(type); };
  auto isWord = [](Type type) {
    return !isComplex(type) || partType(type).isF32();
  };
  auto isMoved = [&](Operation &inner) {
    auto load = dyn_cast<memref::LoadOp>(inner);
    return !isArithmetic(inner) &&
           llvm::none_of(inner.getOperandTypes(), isNumber) &&
           (!load || isWord(load.getType()));
  };
  // A number from outside of the body is no word.
  auto isInside = [&](Value value) {
    return value.getParentBlock() == op.getBody();
  };
  return llvm::none_of(op->getOperandTypes(), isNumber) &&
         llvm::all_of(op->getOperandTypes(), isWord) &&
         llvm::all_of(op.getBody()->without_terminator(), isMoved) &&
         llvm::all_of(op.getBody()->getTerminator()->getOperands(), isInside);
}

void Splitter::splitWords() {
  Location loc = op.getLoc();
  auto words = [&](Value buffer) {
    return isComplex(buffer.getType()) ? viewAs(b, loc, buffer, View::Words)
                                       : buffer;
  };
  for (auto load : op.getBody()->getOps<memref::LoadOp>())
    mapping.map(load.getMemRef(), words(load.getMemRef()));
  SmallVector<Value> inputs = llvm::map_to_vector(op.getDpsInputs(), words);
  SmallVector<Value> outputs = llvm::map_to_vector(op.getDpsInits(), words);
  create(inputs, outputs, op.getIndexingMapsArray(), op.getIteratorTypesArray(),
         [&](OpBuilder &body, Location, ValueRange arguments) {
           mapping.map(op.getBody()->getArguments(), arguments);
           for (Operation &inner : *op.getBody()) {
             Operation *made = body.clone(inner, mapping);
             if (isa<memref::LoadOp>(made) &&
                 isComplex(inner.getResult(0).getType()))
               made->getResult(0).setType(body.getI64Type());
           }
         });
}

bool Splitter::treatsPartsAlike() {
  auto isBuffer = [](Type type) {
    return isa<MemRefType>(type) && isComplex(type);
  };
  if (!llvm::all_of(op->getOperandTypes(), isBuffer))
    return false;
  Block &body = *op.getBody();
  // Of sums only the running ones: what is known of these holds of two lines.
  if (op.getNumDpsInits() == 1)
    return op.getNumDpsInputs() == 1 &&
           body.getTerminator()->getOperand(0) == body.getArgument(0);
  return llvm::all_of(body, [&](Operation &inner) {
    return isa<complex::AddOp, linalg::YieldOp>(inner) &&
           llvm::all_of(inner.getOperands(), [&](Value value) {
             return value.getParentBlock() == &body;
           });
  });
}

/// The parts are one loop more.
void Splitter::splitPairs() {
  unsigned loops = op.getNumLoops();
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getIndexingMapsArray())
    maps.push_back(
        map.shiftDims(/*shift=*/1, /*offset=*/loops)
            .insertResult(b.getAffineDimExpr(loops), map.getNumResults()));
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  kinds.push_back(utils::IteratorType::parallel);
  auto pairs = [&](Value buffer) -> Value {
    return viewAs(b, op.getLoc(), buffer, View::Pairs);
  };
  create(llvm::map_to_vector(op.getDpsInputs(), pairs),
         llvm::map_to_vector(op.getDpsInits(), pairs), maps, kinds,
         [&](OpBuilder &body, Location, ValueRange arguments) {
           emitRealBody(body, arguments);
         });
}

bool Splitter::runsAlongPairs() {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  return llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return map.getNumResults() > 0 && llvm::any_of(reduced, [&](unsigned loop) {
             return map.getResults().back().isFunctionOfDim(loop);
           });
  });
}

void Splitter::splitEach() {
  SmallVector<Parts> all;
  for (Value buffer : op->getOperands())
    all.push_back(partsOf(b, op.getLoc(), buffer));
  for (bool isReal : {true, false}) {
    auto buffers = llvm::map_to_vector(all, [&](const Parts &both) {
      return isReal ? both.first : both.second;
    });
    unsigned inputs = op.getNumDpsInputs();
    create(ArrayRef(buffers).take_front(inputs),
           ArrayRef(buffers).drop_front(inputs), op.getIndexingMapsArray(),
           op.getIteratorTypesArray(),
           [&](OpBuilder &body, Location, ValueRange arguments) {
             emitRealBody(body, arguments);
           });
  }
}

void Splitter::emitRealBody(OpBuilder &body, ValueRange arguments) {
  Location loc = op.getLoc();
  mapping.map(op.getBody()->getArguments(), arguments);
  for (auto sum : op.getBody()->getOps<complex::AddOp>())
    mapping.map(sum.getResult(),
                arith::AddFOp::create(body, loc, lookUp(sum.getLhs()),
                                      lookUp(sum.getRhs()))
                    .getResult());
  auto results =
      llvm::map_to_vector(op.getBody()->getTerminator()->getOperands(),
                          [&](Value value) { return lookUp(value); });
  linalg::YieldOp::create(body, loc, results);
}

bool Splitter::isProductSum() {
  Block &body = *op.getBody();
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return false;
  auto sum =
      body.getTerminator()->getOperand(0).getDefiningOp<complex::AddOp>();
  if (!sum || body.getOperations().size() != 3 ||
      sum.getLhs() != body.getArguments().back())
    return false;
  auto product = sum.getRhs().getDefiningOp<complex::MulOp>();
  auto isInput = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &body &&
           argument != body.getArguments().back();
  };
  if (!product || !isInput(product.getLhs()) || !isInput(product.getRhs()))
    return false;
  // Each has elements that serve several of the other's: reading them more than
  // once costs little.
  AffineMap x = mapOf(product.getLhs()), y = mapOf(product.getRhs());
  bool serves = false, isServed = false;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind == utils::IteratorType::reduction)
      continue;
    serves |= x.isFunctionOfDim(loop) && !y.isFunctionOfDim(loop);
    isServed |= y.isFunctionOfDim(loop) && !x.isFunctionOfDim(loop);
  }
  return serves && isServed;
}

/// Four sums of real products: what is known of those is known of these.
void Splitter::splitProductSum() {
  auto product = *op.getBody()->getOps<complex::MulOp>().begin();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned left = cast<BlockArgument>(product.getLhs()).getArgNumber();
  unsigned right = cast<BlockArgument>(product.getRhs()).getArgNumber();
  Location loc = op.getLoc();
  Parts x = partsOf(b, loc, op.getDpsInputs()[left]);
  Parts y = partsOf(b, loc, op.getDpsInputs()[right]);
  Parts sum = partsOf(b, loc, op.getDpsInits()[0]);
  // Others are there for the extents of loops.
  SmallVector<Value> extents;
  SmallVector<AffineMap> ofExtents;
  for (auto [number, input] : llvm::enumerate(op.getDpsInputs()))
    if (number != left && number != right) {
      bool isBuffer = isComplex(input.getType());
      extents.push_back(isBuffer ? viewAs(b, loc, input, View::Real) : input);
      ofExtents.push_back(maps[number]);
    }
  auto add = [&](Value to, Value a, Value c, bool isNegative) {
    SmallVector<Value> inputs = {a, c};
    inputs.append(extents);
    SmallVector<AffineMap> all = {maps[left], maps[right]};
    all.append(ofExtents);
    all.push_back(maps.back());
    create(inputs, to, all, op.getIteratorTypesArray(),
           [&](OpBuilder &body, Location loc, ValueRange arguments) {
             Value factor = arguments[0];
             if (isNegative)
               factor = arith::NegFOp::create(body, loc, factor);
             Value one = arith::MulFOp::create(body, loc, factor, arguments[1]);
             linalg::YieldOp::create(
                 body, loc,
                 arith::AddFOp::create(body, loc, arguments.back(), one)
                     .getResult());
           });
  };
  add(sum.first, x.first, y.first, /*isNegative=*/false);
  add(sum.first, x.second, y.second, /*isNegative=*/true);
  add(sum.second, x.first, y.second, /*isNegative=*/false);
  add(sum.second, x.second, y.first, /*isNegative=*/false);
}

void Splitter::splitParts() {
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVectorImpl<Value> &into = op.isDpsInput(&operand) ? inputs : outputs;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    maps.push_back(map);
    if (!isComplex(operand.get().getType())) {
      into.push_back(operand.get());
      continue;
    }
    auto [re, im] = partsOf(b, op.getLoc(), operand.get());
    into.append({re, im});
    maps.push_back(map);
  }
  // What is read at places of its own.
  for (auto load : op.getBody()->getOps<memref::LoadOp>())
    if (isComplex(load.getType()) && !parts.contains(load.getMemRef()))
      parts[load.getMemRef()] = partsOf(b, op.getLoc(), load.getMemRef());
  create(inputs, outputs, maps, op.getIteratorTypesArray(),
         [&](OpBuilder &body, Location loc, ValueRange arguments) {
           emitBody(body, loc, arguments);
         });
}

void Splitter::emitBody(OpBuilder &body, Location loc, ValueRange arguments) {
  unsigned next = 0;
  for (BlockArgument argument : op.getBody()->getArguments()) {
    if (!isComplex(argument.getType())) {
      mapping.map(argument, arguments[next++]);
      continue;
    }
    parts[argument] = {arguments[next], arguments[next + 1]};
    next += 2;
  }
  for (Operation &inner : op.getBody()->without_terminator())
    emitOp(body, inner);
  SmallVector<Value> results;
  for (Value value : op.getBody()->getTerminator()->getOperands()) {
    if (!isComplex(value.getType())) {
      results.push_back(lookUp(value));
      continue;
    }
    if (!parts.contains(value))
      parts[value] = partsOf(body, loc, value);
    results.append({parts[value].first, parts[value].second});
  }
  linalg::YieldOp::create(body, loc, results);
}

void Splitter::emitOp(OpBuilder &body, Operation &inner) {
  // From outside.
  for (Value operand : inner.getOperands())
    if (isa<ComplexType>(operand.getType()) && !parts.contains(operand))
      parts[operand] = partsOf(body, inner.getLoc(), operand);
  if (isArithmetic(inner))
    return emitArithmetic(body, inner);
  Location loc = inner.getLoc();
  if (auto load = dyn_cast<memref::LoadOp>(inner);
      load && isComplex(load.getType())) {
    auto [re, im] = parts.at(load.getMemRef());
    SmallVector<Value> at = llvm::map_to_vector(
        load.getIndices(), [&](Value index) { return lookUp(index); });
    Value first = memref::LoadOp::create(body, loc, re, at);
    parts[load] = {first, memref::LoadOp::create(body, loc, im, at)};
    return;
  }
  if (auto select = dyn_cast<arith::SelectOp>(inner);
      select && isComplex(select.getType())) {
    Value condition = lookUp(select.getCondition());
    Parts yes = parts.at(select.getTrueValue());
    Parts no = parts.at(select.getFalseValue());
    Value re =
        arith::SelectOp::create(body, loc, condition, yes.first, no.first);
    parts[select] = {re, arith::SelectOp::create(body, loc, condition,
                                                 yes.second, no.second)};
    return;
  }
  body.clone(inner, mapping);
}

void Splitter::emitArithmetic(OpBuilder &body, Operation &inner) {
  ImplicitLocOpBuilder e(inner.getLoc(), body);
  SmallVector<Parts, 2> operands;
  for (Value operand : inner.getOperands())
    if (isComplex(operand.getType()))
      operands.push_back(parts.at(operand));
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(e, x, y);
  };
  auto mul = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(e, x, y);
  };
  Value result = inner.getResult(0);
  llvm::TypeSwitch<Operation *>(&inner)
      .Case([&](complex::ConstantOp op) {
        auto part = [&](unsigned number) -> Value {
          return arith::ConstantOp::create(
              e, cast<TypedAttr>(op.getValue()[number]));
        };
        Value re = part(0);
        parts[result] = {re, part(1)};
      })
      .Case([&](complex::CreateOp op) {
        parts[result] = {lookUp(op.getReal()), lookUp(op.getImaginary())};
      })
      .Case([&](complex::ReOp) { mapping.map(result, operands[0].first); })
      .Case([&](complex::ImOp) { mapping.map(result, operands[0].second); })
      .Case([&](complex::AddOp) {
        auto [x, y] = std::pair(operands[0], operands[1]);
        Value re = add(x.first, y.first);
        parts[result] = {re, add(x.second, y.second)};
      })
      .Case([&](complex::MulOp) {
        auto [x, y] = std::pair(operands[0], operands[1]);
        Value squares = mul(x.second, y.second);
        Value re = arith::SubFOp::create(e, mul(x.first, y.first), squares);
        parts[result] = {re,
                         add(mul(x.first, y.second), mul(x.second, y.first))};
      });
}

struct SplitComplex : public impl::SplitComplexBase<SplitComplex> {
  void runOnOperation() override;
};

void SplitComplex::runOnOperation() {
  if (getOperation().isDeclaration() || !isDeviceCode(getOperation()))
    return;
  IRRewriter rewriter(&getContext());
  SmallVector<Operation *> found;
  getOperation().walk([&](Operation *op) {
    if (isa<memref::CopyOp, linalg::LinalgOp>(op) &&
        llvm::any_of(op->getOperandTypes(), isComplex))
      found.push_back(op);
  });
  for (Operation *op : found) {
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      generic = copyToGeneric(rewriter, copy);
    else if (!generic)
      generic = linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op))
                    .value_or(nullptr);
    if (generic && generic.hasPureBufferSemantics() &&
        llvm::all_of(*generic.getBody(), isSplittable))
      Splitter(generic).split();
  }
}

} // namespace
} // namespace tapestry
