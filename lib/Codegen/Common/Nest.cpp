//===- Nest.cpp - A linalg operation as a loop nest over flat data --------===//
//
// Linear indexing maps and strided layouts compose to one stride per loop.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/Common/Nest.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/ExpectedSizes.h"
#include "tapestry/Dialect/Index/IR/IndexRandom.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tapestry {

/// The strides of a buffer in elements, as MLIR counts them; those of dense
/// buffers without a map of them, which is asked for often.
static LogicalResult readStrides(MemRefType type,
                                 SmallVector<int64_t> &strides) {
  if (!type.getLayout().isIdentity()) {
    int64_t offset;
    return type.getStridesAndOffset(strides, offset);
  }
  strides.assign(type.getRank(), ShapedType::kDynamic);
  int64_t dense = 1;
  for (auto [stride, size] :
       llvm::zip(llvm::reverse(strides), llvm::reverse(type.getShape()))) {
    stride = dense;
    // Behind what is empty or unknown nothing is known.
    if (size <= 0)
      break;
    if (llvm::MulOverflow(dense, size, dense))
      return failure();
  }
  return success();
}

/// The strides of a buffer in elements; those known at run time only are
/// estimated, above 1.
static SmallVector<int64_t> estimateStrides(MemRefType type) {
  SmallVector<int64_t> strides;
  if (failed(readStrides(type, strides)))
    return {};
  int64_t dense = 1;
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    if (ShapedType::isDynamic(strides[i]))
      strides[i] = std::max<int64_t>(dense, assumedExtent);
    int64_t size = type.getDimSize(i);
    dense = std::max(dense, std::abs(strides[i])) *
            std::max<int64_t>(
                ShapedType::isDynamic(size) ? assumedExtent : size, 1);
  }
  return strides;
}

std::optional<unsigned> packedBits(Type element) {
  if (element.isIndex())
    return 64;
  if (!element.isIntOrFloat())
    return std::nullopt;
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isPacked = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  return isPacked ? std::optional(bits) : std::nullopt;
}

LogicalResult Nest::linearize(AffineExpr expr, int64_t factor,
                              LinearExpr &into) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    int64_t &sum = into.coefficients[dim.getPosition()];
    return success(!llvm::AddOverflow(sum, factor, sum));
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    int64_t term;
    return success(!llvm::MulOverflow(factor, constant.getValue(), term) &&
                   !llvm::AddOverflow(into.constant, term, into.constant));
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  if (binary.getKind() == AffineExprKind::Add)
    return success(succeeded(linearize(binary.getLHS(), factor, into)) &&
                   succeeded(linearize(binary.getRHS(), factor, into)));
  if (binary.getKind() == AffineExprKind::Mul)
    if (auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return success(!llvm::MulOverflow(factor, constant.getValue(), factor) &&
                     succeeded(linearize(binary.getLHS(), factor, into)));
  return failure();
}

/// Whether the bytes of the known dimensions are fewer than 2^62, half of what
/// an index may be: what is reckoned with them below does not overflow.
static bool fitsMemory(MemRefType type) {
  int64_t bytes = 8;
  SmallVector<int64_t> strides;
  if (failed(readStrides(type, strides)))
    return false;
  int64_t limit = int64_t(1) << 62;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides)) {
    int64_t span;
    if (!ShapedType::isDynamic(size) &&
        llvm::MulOverflow(bytes, std::max<int64_t>(size, 1), bytes))
      return false;
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(stride) &&
        (llvm::MulOverflow(size, stride, span) || std::abs(span) >= limit / 8))
      return false;
  }
  return bytes < limit;
}

LogicalResult Nest::readMaps() {
  unsigned loops = op.getNumLoops();
  for (OpOperand &operand : op->getOpOperands()) {
    auto &results = maps.emplace_back();
    if (auto type = dyn_cast<MemRefType>(operand.get().getType())) {
      if (!packedBits(type.getElementType()) || !fitsMemory(type))
        return failure();
    } else if (!operand.get().getType().isIntOrIndexOrFloat()) {
      return failure();
    }
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      LinearExpr linear;
      linear.coefficients.assign(loops, 0);
      if (failed(linearize(expr, 1, linear)))
        return failure();
      results.push_back(std::move(linear));
    }
  }
  return success();
}

void Nest::readExtents() {
  unsigned loops = op.getNumLoops();
  knownExtent.assign(loops, ShapedType::kDynamic);
  extentSource.assign(loops, {0, 0});
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [result, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || !ShapedType::isDynamic(knownExtent[dim.getPosition()]))
        continue;
      knownExtent[dim.getPosition()] = type.getDimSize(result);
      extentSource[dim.getPosition()] = {operand.getOperandNumber(), result};
    }
  }
}

TypedAttr identityOf(Operation *combine, Type type) {
  OpBuilder b(combine->getContext());
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    // What an op promises not to see must not be what lanes start from.
    auto flags = arith::FastMathFlags::none;
    if (auto op = dyn_cast<arith::ArithFastMathInterface>(combine))
      if (arith::FastMathFlagsAttr given = op.getFastMathFlagsAttr())
        flags = given.getValue();
    auto extreme = [&](bool negative) {
      bool finite = bitEnumContainsAll(flags, arith::FastMathFlags::ninf);
      return b.getFloatAttr(type, finite
                                      ? APFloat::getLargest(semantics, negative)
                                      : APFloat::getInf(semantics, negative));
    };
    bool noNaN = bitEnumContainsAll(flags, arith::FastMathFlags::nnan);
    if (isa<arith::AddFOp>(combine))
      return b.getFloatAttr(type, 0.0);
    if (isa<arith::MulFOp>(combine))
      return b.getFloatAttr(type, 1.0);
    // maxnum and minnum drop NaN, which makes it their identity.
    if (isa<arith::MaxNumFOp, arith::MinNumFOp>(combine) && !noNaN)
      return b.getFloatAttr(type, APFloat::getQNaN(semantics));
    if (isa<arith::MaximumFOp, arith::MaxNumFOp>(combine))
      return extreme(/*negative=*/true);
    if (isa<arith::MinimumFOp, arith::MinNumFOp>(combine))
      return extreme(/*negative=*/false);
    return nullptr;
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return nullptr;
  unsigned bits = integer.getWidth();
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(combine))
    return b.getIntegerAttr(type, 0);
  if (isa<arith::MulIOp>(combine))
    return b.getIntegerAttr(type, 1);
  if (isa<arith::AndIOp, arith::MinUIOp>(combine))
    return b.getIntegerAttr(type, APInt::getAllOnes(bits));
  if (isa<arith::MaxSIOp>(combine))
    return b.getIntegerAttr(type, APInt::getSignedMinValue(bits));
  if (isa<arith::MinSIOp>(combine))
    return b.getIntegerAttr(type, APInt::getSignedMaxValue(bits));
  return nullptr;
}

/// Vector instructions per vector of results, roughly.
static unsigned costOf(Operation &op) {
  if (isa<arith::ConstantOp, linalg::IndexOp, linalg::YieldOp>(op))
    return 0;
  if (isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::FmaOp,
          math::CopySignOp, math::RoundEvenOp, math::TruncOp>(op))
    return 1;
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return 4;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::RemFOp>(op))
    return 20;
  if (isa_and_nonnull<math::MathDialect>(op.getDialect()))
    return 20;
  return isa<index::RandomOp>(op) ? 60 : 1;
}

static OutputBody readOutput(linalg::GenericOp op, unsigned number) {
  OutputBody out;
  Block &body = *op.getBody();
  out.yielded = body.getTerminator()->getOperand(number);
  out.accumulator = body.getArgument(op.getNumDpsInputs() + number);
  out.accumulates = !out.accumulator.use_empty();
  Operation *def = out.yielded.getDefiningOp();
  if (!out.accumulator.hasOneUse() || !def || def->getBlock() != &body ||
      def->getNumOperands() != 2 || !out.yielded.hasOneUse() ||
      !identityOf(def, out.yielded.getType()))
    return out;
  for (unsigned side : {0, 1})
    if (def->getOperand(side) == out.accumulator) {
      out.combine = def;
      out.contribution = def->getOperand(1 - side);
    }
  return out;
}

/// Whether a load of the body has a vector form: of a buffer from outside,
/// where nothing is reduced.
bool Nest::isReadable(memref::LoadOp load) {
  MemRefType type = load.getMemRefType();
  return op.getNumReductionLoops() == 0 && type.isStrided() &&
         packedBits(type.getElementType()) && fitsMemory(type) &&
         load.getMemRef().getParentBlock() != &body();
}

LogicalResult Nest::readBody() {
  indexed.assign(op.getNumLoops(), false);
  for (Operation &inner : body()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      indexed[index.getDim()] = true;
      continue;
    }
    if (isa<linalg::YieldOp, arith::ConstantOp>(inner))
      continue;
    if (auto load = dyn_cast<memref::LoadOp>(inner)) {
      if (!isReadable(load))
        return failure();
      loadNumbers.try_emplace(load, loadNumbers.size());
      continue;
    }
    if (!OpTrait::hasElementwiseMappableTraits(&inner) ||
        inner.getNumResults() != 1)
      return failure();
    if (!llvm::all_of(inner.getOperandTypes(),
                      [](Type t) { return t.isIntOrIndexOrFloat(); }))
      return failure();
    problem.bodyCost += costOf(inner);
    problem.mayTrap |=
        isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(inner);
    if (auto type = dyn_cast<FloatType>(inner.getResult(0).getType()))
      problem.computeBits = std::max(problem.computeBits, type.getWidth());
  }
  problem.lanesCombine = true;
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    outputs.push_back(readOutput(op, i));
    if (outputs.back().accumulates && !outputs.back().combine) {
      problem.lanesCombine = false;
      problem.keepsOrder = true;
    }
  }
  initial.assign(outputs.size(), Value());
  readScan();
  return success();
}

/// Finds an output that holds what another one accumulates, maybe rounded.
void Nest::readScan() {
  if (outputs.size() != 2)
    return;
  for (unsigned carried : {0, 1}) {
    const OutputBody &sum = outputs[carried], &element = outputs[1 - carried];
    Operation *def = sum.yielded.getDefiningOp();
    if (!sum.accumulator.hasOneUse() || element.accumulates || !def ||
        def->getBlock() != &body() || def->getNumOperands() != 2 ||
        def->getOperand(0) != sum.accumulator ||
        !identityOf(def, sum.yielded.getType()))
      continue;
    Value stored = element.yielded;
    while (auto narrow = stored.getDefiningOp<arith::TruncFOp>())
      stored = narrow.getIn();
    if (stored == sum.yielded)
      scan = {1 - carried, carried, def, def->getOperand(1)};
  }
}

bool Nest::isScanOverOneLoop() const {
  if (!scan)
    return false;
  unsigned inputs = problem.accesses.size() - outputs.size(), reductions = 0;
  for (auto [number, dim] : llvm::enumerate(problem.dims)) {
    reductions += dim.reduction;
    if (dim.reduction &&
        (!problem.accesses[inputs + scan->elements].dependsOn(number) ||
         problem.accesses[inputs + scan->carried].dependsOn(number)))
      return false;
  }
  return reductions == 1;
}

FailureOr<Nest> Nest::analyze(linalg::GenericOp op) {
  Nest nest;
  nest.op = op;
  nest.problem.bodyCost = 0;
  nest.problem.computeBits = 8;
  if (!op.hasPureBufferSemantics() || failed(nest.readMaps()) ||
      failed(nest.readBody()))
    return failure();
  nest.readExtents();
  nest.mergeLoops();
  if (nest.groups.empty())
    return failure();
  nest.describe();
  return nest;
}

/// In `operand`, does a step of `outer` go as far as a whole round of `inner`?
bool Nest::contiguous(unsigned operand, unsigned outer, unsigned inner) const {
  const auto &map = maps[operand];
  int outerAt = -1, innerAt = -1;
  for (auto [at, expr] : llvm::enumerate(map)) {
    for (auto [loop, position] :
         {std::pair(outer, &outerAt), std::pair(inner, &innerAt)}) {
      if (expr.coefficients[loop] == 0)
        continue;
      bool plain = expr.coefficients[loop] == 1 && expr.constant == 0 &&
                   llvm::count(expr.coefficients, 0) ==
                       int64_t(expr.coefficients.size()) - 1;
      if (!plain || *position >= 0)
        return false;
      *position = at;
    }
  }
  if (outerAt < 0 && innerAt < 0)
    return true;
  if (outerAt < 0 || innerAt < 0 || outerAt > innerAt)
    return false;

  auto type = cast<MemRefType>(op->getOperand(operand).getType());
  for (int at = outerAt + 1; at < innerAt; ++at)
    if (type.getDimSize(at) != 1)
      return false;
  if (type.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides;
  if (failed(readStrides(type, strides)))
    return false;
  int64_t size = type.getDimSize(innerAt);
  return !ShapedType::isDynamic(strides[outerAt]) &&
         !ShapedType::isDynamic(strides[innerAt]) &&
         !ShapedType::isDynamic(size) &&
         strides[outerAt] == size * strides[innerAt];
}

bool Nest::canMerge(unsigned outer, unsigned inner) {
  auto kinds = op.getIteratorTypesArray();
  if (kinds[outer] != kinds[inner] || indexed[outer] || indexed[inner])
    return false;
  for (unsigned operand = 0; operand < maps.size(); ++operand)
    if (!contiguous(operand, outer, inner))
      return false;
  return true;
}

/// Groups the op's loops: those of one point vanish, and loops that are
/// contiguous in every operand become one.
void Nest::mergeLoops() {
  unsigned loops = op.getNumLoops();
  for (unsigned loop = 0; loop < loops; ++loop)
    if (knownExtent[loop] != 1)
      groups.push_back({loop});
  bool changed = true;
  while (changed) {
    changed = false;
    for (unsigned a = 0; a < groups.size() && !changed; ++a)
      for (unsigned b = 0; b < groups.size() && !changed; ++b) {
        if (a == b || !canMerge(groups[a].back(), groups[b].front()))
          continue;
        llvm::append_range(groups[a], groups[b]);
        groups.erase(groups.begin() + b);
        changed = true;
      }
  }
  loopOf.assign(loops, -1);
  for (auto [number, group] : llvm::enumerate(groups))
    for (unsigned loop : group)
      loopOf[loop] = number;
}

/// Partial results in lanes need an output that either has a point of its own
/// for every point of the reduction or none.
void Nest::checkLanes(unsigned output, const NestAccess &access) {
  for (auto [number, dim] : llvm::enumerate(problem.dims))
    if (dim.reduction &&
        access.dependsOn(number) == outputs[output].accumulates)
      problem.lanesCombine = false;
}

bool widens(Operation *op) {
  return isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op);
}

Operation *Nest::conversionOf(unsigned operand) {
  BlockArgument argument = body().getArgument(operand);
  if (argument.use_empty())
    return nullptr;
  Operation *conversion = *argument.user_begin();
  bool alike = llvm::all_of(argument.getUsers(), [&](Operation *user) {
    return user->getName() == conversion->getName() &&
           user->getResultTypes() == conversion->getResultTypes();
  });
  return alike && widens(conversion) ? conversion : nullptr;
}

/// Fills in `problem` from the merged loops.
void Nest::describe() {
  auto kinds = op.getIteratorTypesArray();
  for (const auto &group : groups) {
    NestDim dim;
    dim.known = dim.expected = true;
    dim.extent = 1;
    dim.reduction = kinds[group.front()] == utils::IteratorType::reduction;
    for (unsigned loop : group) {
      bool known = !ShapedType::isDynamic(knownExtent[loop]);
      auto [operand, at] = extentSource[loop];
      std::optional<int64_t> expected = knownExtent[loop];
      if (!known)
        expected = expectedSize(op->getOperand(operand), at);
      dim.known &= known;
      dim.expected &= expected.has_value();
      dim.extent *= expected.value_or(assumedExtent);
    }
    problem.dims.push_back(dim);
  }
  for (OpOperand &operand : op->getOpOperands()) {
    NestAccess access;
    access.output = op.isDpsInit(&operand);
    access.strides.assign(groups.size(), 0);
    Type type = operand.get().getType();
    Type element = type;
    if (auto memref = dyn_cast<MemRefType>(type)) {
      element = memref.getElementType();
      SmallVector<int64_t> strides = estimateStrides(memref);
      SmallVector<int64_t> exact;
      (void)readStrides(memref, exact);
      for (auto [number, group] : llvm::enumerate(groups)) {
        bool known = true;
        for (auto [at, expr] :
             llvm::enumerate(maps[operand.getOperandNumber()])) {
          int64_t coefficient = expr.coefficients[group.back()];
          access.strides[number] += coefficient * strides[at];
          known &= !coefficient || !ShapedType::isDynamic(exact[at]);
        }
        // 0 and 1 promise something; an estimate must not.
        int64_t &stride = access.strides[number];
        if (!known && (stride == 0 || stride == 1))
          stride = assumedExtent;
      }
    }
    access.bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    if (access.output)
      checkLanes(operand.getOperandNumber() - numInputs(), access);
    // An operand may be there for its extents only.
    if (!access.output &&
        body().getArgument(operand.getOperandNumber()).use_empty())
      access.strides.assign(groups.size(), 0);
    if (unsigned output = operand.getOperandNumber() - numInputs();
        access.output)
      access.isPart =
          isFirstPart(output) || (output > 0 && isFirstPart(output - 1));
    access.converted = conversionOf(operand.getOperandNumber());
    problem.computeBits = std::max(problem.computeBits, access.bits);
    problem.accesses.push_back(std::move(access));
  }
  readFactors();
  readSymmetry();
  problem.isScan = isScanOverOneLoop();
  for (auto load : body().getOps<memref::LoadOp>()) {
    problem.loads.push_back(describeLoad(load));
    problem.computeBits =
        std::max(problem.computeBits, problem.loads.back().bits);
  }
}

bool Nest::isFirstPart(unsigned output) {
  if (output + 1 >= op.getNumDpsInits())
    return false;
  OpOperand &first = op.getDpsInitsMutable()[output];
  OpOperand &second = op.getDpsInitsMutable()[output + 1];
  return op.getMatchingIndexingMap(&first) ==
             op.getMatchingIndexingMap(&second) &&
         isViewOfNext(second.get(), first.get());
}

/// By how much a value of the body grows per step of a loop of the nest;
/// nothing where that is not said.
std::optional<int64_t> Nest::stepOf(Value value, unsigned loop) {
  Operation *def = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool isOwn = argument.getOwner() == &body();
    return isOwn && problem.accesses[argument.getArgNumber()].dependsOn(loop)
               ? std::nullopt
               : std::optional<int64_t>(0);
  }
  if (def->getBlock() != &body())
    return 0;
  if (auto index = dyn_cast<linalg::IndexOp>(def))
    return loopOf[index.getDim()] == static_cast<int>(loop) ? 1 : 0;
  SmallVector<std::optional<int64_t>, 2> steps;
  for (Value operand : def->getOperands())
    steps.push_back(stepOf(operand, loop));
  if (llvm::all_of(steps, [](auto step) { return step == 0; }))
    return 0;
  bool adds = isa<arith::AddIOp, arith::SubIOp>(def);
  if (!adds || !steps[0] || !steps[1])
    return std::nullopt;
  return isa<arith::AddIOp>(def) ? *steps[0] + *steps[1]
                                 : *steps[0] - *steps[1];
}

NestAccess Nest::describeLoad(memref::LoadOp load) {
  NestAccess access;
  MemRefType type = load.getMemRefType();
  SmallVector<int64_t> exact;
  int64_t offset;
  (void)type.getStridesAndOffset(exact, offset);
  access.bits = *packedBits(type.getElementType());
  if (type.hasStaticShape())
    access.tableBytes = type.getNumElements() * (access.bits / 8);
  for (unsigned loop = 0; loop < groups.size(); ++loop) {
    int64_t stride = 0;
    access.jumps.push_back(llvm::any_of(
        load.getIndices(), [&](Value index) { return !stepOf(index, loop); }));
    for (auto [index, of] : llvm::zip_equal(load.getIndices(), exact)) {
      std::optional<int64_t> step = stepOf(index, loop);
      bool isKnown = step == 0 || (step == 1 && of == 1 && stride == 0);
      stride = isKnown ? stride + *step : assumedExtent;
      if (!isKnown)
        break;
    }
    access.strides.push_back(stride);
  }
  return access;
}

/// A view of a whole buffer of which only the address is used, never its size.
static Value flatView(IndexBuilder &b, MemRefType type,
                      memref::ExtractStridedMetadataOp metadata) {
  auto flat =
      MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      b, flat, metadata.getBaseBuffer(), b.index(0),
      ArrayRef<OpFoldResult>{b.value(1)}, ArrayRef<OpFoldResult>{b.index(1)});
}

void Nest::materialize(IndexBuilder &b) {
  for (const auto &group : groups) {
    OpFoldResult extent = b.index(1);
    for (unsigned loop : group) {
      OpFoldResult one;
      if (!ShapedType::isDynamic(knownExtent[loop])) {
        one = b.index(knownExtent[loop]);
      } else {
        auto [operand, dim] = extentSource[loop];
        one = memref::DimOp::create(b, op->getOperand(operand), b.value(dim))
                  .getResult();
      }
      extent = b.mul(extent, one);
    }
    extents.push_back(extent);
  }
  for (OpOperand &operand : op->getOpOperands()) {
    NestOperand &result = operands.emplace_back();
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    result.strides.assign(groups.size(), b.index(0));
    result.offset = b.index(0);
    if (!type) {
      result.scalar = operand.get();
      result.elementType = operand.get().getType();
      continue;
    }
    result.elementType = type.getElementType();
    auto metadata = memref::ExtractStridedMetadataOp::create(b, operand.get());
    SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
    result.offset = metadata.getConstifiedMixedOffset();
    result.flat = flatView(b, type, metadata);
    for (auto [at, expr] : llvm::enumerate(maps[operand.getOperandNumber()])) {
      result.offset =
          b.add(result.offset, b.mul(strides[at], b.index(expr.constant)));
      for (auto [number, group] : llvm::enumerate(groups))
        result.strides[number] =
            b.add(result.strides[number],
                  b.mul(strides[at], b.index(expr.coefficients[group.back()])));
    }
  }
  for (auto load : body().getOps<memref::LoadOp>()) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(b, load.getMemRef());
    loads.push_back({flatView(b, load.getMemRefType(), metadata),
                     metadata.getConstifiedMixedOffset(),
                     metadata.getConstifiedMixedStrides()});
  }
}

NestPoint Nest::origin(IndexBuilder &b) const {
  NestPoint point;
  point.index.assign(extents.size(), b.index(0));
  for (const NestOperand &operand : operands)
    point.offset.push_back(operand.offset);
  return point;
}

NestPoint Nest::advance(IndexBuilder &b, const NestPoint &point, unsigned dim,
                        OpFoldResult delta) const {
  NestPoint next = point;
  next.index[dim] = b.add(point.index[dim], delta);
  for (auto [number, operand] : llvm::enumerate(operands))
    next.offset[number] =
        b.add(point.offset[number], b.mul(operand.strides[dim], delta));
  return next;
}

} // namespace tapestry
