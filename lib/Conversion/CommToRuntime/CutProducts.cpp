//===- CutProducts.cpp - Products of which one part travels meanwhile -----===//
//
// A large result that is computed in one nest and then reduced over devices is
// cut into blocks of rows, each with a part of the collective, so that one goes
// on its way while the next is computed.
//
//===----------------------------------------------------------------------===//

#include "ProgramAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry-rt/ABI.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Conversion/Passes.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Support/Resharding.h"

namespace tapestry {
#define GEN_PASS_DEF_CUTPRODUCTS
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

namespace {

/// A result, and what makes it and takes it away.
struct Product {
  memref::AllocOp result;
  linalg::FillOp fill;
  linalg::GenericOp nest;
  func::CallOp call;
  /// The loop that runs over its rows.
  unsigned rows;
};

struct CutProducts : tapestry::impl::CutProductsBase<CutProducts> {
  using CutProductsBase::CutProductsBase;

  void runOnOperation() override {
    FailureOr<SmallVector<DictionaryAttr>> programs =
        program::readAll(getOperation(), {program::body, program::collectives});
    if (failed(programs))
      return signalPassFailure();
    for (DictionaryAttr program : *programs) {
      collectives = program.getAs<ArrayAttr>(program::collectives);
      auto body = getOperation().lookupSymbol<func::FuncOp>(
          program.getAs<FlatSymbolRefAttr>(program::body).getValue());
      if (!body || collectives.empty())
        continue;
      cutIn(body);
    }
  }

private:
  void cutIn(func::FuncOp function);
  std::optional<Product> findProduct(func::CallOp call);
  bool keepsRows(int64_t number, int64_t rows, int64_t bytes);
  void cut(Product product);
  func::FuncOp callOn(func::CallOp whole, MemRefType part);

  ArrayAttr collectives;
  llvm::SmallPtrSet<Operation *, 4> seen;
};

} // namespace

/// Whether reduction `number` is one of which all devices hold as many rows
/// before as after, and parts are large.
bool CutProducts::keepsRows(int64_t number, int64_t rows, int64_t bytes) {
  if (number < 0 || number >= int64_t(collectives.size()))
    return false;
  auto collective = cast<DictionaryAttr>(collectives[number]);
  if (!collective.contains(program::combine) || rows % parts != 0 ||
      bytes < leastBytes || bytes / parts <= smallAllReduceBytes)
    return false;
  auto from = collective.getAs<index::LayoutAttr>(program::from);
  auto to = collective.getAs<index::LayoutAttr>(program::to);
  const DeviceGrid &grid = from.getDeviceGrid();
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    ZRange before = from.getLayout().box(grid, device).front();
    ZRange after = to.getLayout().box(grid, device).front();
    if (before.lo != after.lo || before.hi != after.hi ||
        before.hi - before.lo != rows)
      return false;
  }
  return true;
}

/// The loop of `nest` that runs over the rows of its result, where each input
/// is read in rows of that loop or whole.
static std::optional<unsigned> findRows(linalg::GenericOp nest) {
  if (!nest.hasPureBufferSemantics() || nest.getNumDpsInits() != 1 ||
      nest.getNumReductionLoops() == 0 || !hasPureBody(nest) ||
      nest.hasIndexSemantics())
    return std::nullopt;
  SmallVector<AffineMap> maps = nest.getIndexingMapsArray();
  if (!maps.back().isProjectedPermutation() || maps.back().getNumResults() == 0)
    return std::nullopt;
  unsigned rows = maps.back().getDimPosition(0);
  for (AffineMap map : maps) {
    unsigned found = 0;
    for (AffineExpr result : map.getResults()) {
      if (!result.isFunctionOfDim(rows))
        continue;
      if (!isa<AffineDimExpr>(result) || ++found > 1)
        return std::nullopt;
    }
  }
  return rows;
}

std::optional<Product> CutProducts::findProduct(func::CallOp call) {
  auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal() || isKernel(callee) ||
      !callee.getBody().hasOneBlock() || call.getNumOperands() != 4)
    return std::nullopt;
  auto inner = callee.front().getOps<func::CallOp>();
  std::optional<int64_t> number = getConstantIntValue(call.getOperand(1));
  auto result = call.getOperand(2).getDefiningOp<memref::AllocOp>();
  auto target = dyn_cast<MemRefType>(call.getOperand(3).getType());
  if (inner.empty() ||
      (*inner.begin()).getCallee() != "tapestry_rt_collective" || !number ||
      !result || !target || !target.hasStaticShape() ||
      !result.getType().hasStaticShape() || result.getType().getRank() == 0 ||
      target.getRank() != result.getType().getRank() ||
      target.getDimSize(0) != result.getType().getDimSize(0) ||
      !result.getType().getLayout().isIdentity() ||
      !target.getLayout().isIdentity())
    return std::nullopt;
  std::optional<int64_t> bytes = storedBytes(target.getElementType());
  if (!bytes || !keepsRows(*number, target.getDimSize(0),
                           *bytes * result.getType().getNumElements()))
    return std::nullopt;
  Product product{result, nullptr, nullptr, call, 0};
  for (Operation *user : result->getUsers()) {
    if (user->getBlock() != call->getBlock())
      return std::nullopt;
    if (auto fill = dyn_cast<linalg::FillOp>(user); fill && !product.fill)
      product.fill = fill;
    else if (auto nest = dyn_cast<linalg::GenericOp>(user);
             nest && !product.nest &&
             nest.getOutputs().front() == result.getResult())
      product.nest = nest;
    else if (user != call)
      return std::nullopt;
  }
  if (!product.fill || !product.nest ||
      !product.fill->isBeforeInBlock(product.nest) ||
      !product.nest->isBeforeInBlock(call) ||
      llvm::is_contained(product.nest.getInputs(), result.getResult()))
    return std::nullopt;
  // It is computed where its parts leave.
  for (Operation *op = product.nest->getNextNode(); op != call;
       op = op->getNextNode())
    if (!isMemoryEffectFree(op) && !isa<memref::AllocOp>(op) &&
        conflict(op, product.nest))
      return std::nullopt;
  std::optional<unsigned> rows = findRows(product.nest);
  if (!rows)
    return std::nullopt;
  product.rows = *rows;
  return product;
}

/// As what `whole` calls, from parts.
func::FuncOp CutProducts::callOn(func::CallOp whole, MemRefType part) {
  auto callee = getOperation().lookupSymbol<func::FuncOp>(whole.getCallee());
  std::string name = ("part." + callee.getSymName()).str();
  if (auto known = getOperation().lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder b(callee);
  auto made = cast<func::FuncOp>(b.clone(*callee));
  made.setSymName(name);
  Block &body = made.front();
  body.getArgument(2).setType(part);
  made.setFunctionType(b.getFunctionType(body.getArgumentTypes(), {}));
  return made;
}

/// Rows [part * size, (part + 1) * size) of `memref` along `dim`.
static Value rowsOf(OpBuilder &b, Location loc, Value memref, unsigned dim,
                    int64_t part, int64_t size) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, memref);
  offsets[dim] = b.getIndexAttr(part * size);
  sizes[dim] = b.getIndexAttr(size);
  return memref::SubViewOp::create(b, loc, memref, offsets, sizes, strides);
}

void CutProducts::cut(Product product) {
  Location loc = product.nest.getLoc();
  func::CallOp call = product.call;
  linalg::GenericOp nest = product.nest;
  OpBuilder b(call);
  int64_t number = *getConstantIntValue(call.getOperand(1));
  MemRefType whole = product.result.getType();
  int64_t size = whole.getDimSize(0) / parts;
  SmallVector<int64_t> shape(whole.getShape());
  shape.front() = size;
  auto type = MemRefType::get(shape, whole.getElementType());
  SmallVector<AffineMap> maps = nest.getIndexingMapsArray();
  for (int64_t part = 0; part < parts; ++part) {
    Value result = memref::AllocOp::create(b, loc, type, ValueRange(),
                                           product.result.getAlignmentAttr());
    IRMapping mapping;
    mapping.map(product.result.getResult(), result);
    b.clone(*product.fill, mapping);
    // An input may be read in several ways.
    SmallVector<Value> inputs(nest.getInputs());
    for (auto [input, map] : llvm::zip(inputs, maps))
      if (std::optional<unsigned> dim =
              map.getResultPosition(b.getAffineDimExpr(product.rows)))
        input = rowsOf(b, loc, input, *dim, part, size);
    auto made = cast<linalg::GenericOp>(b.clone(*nest, mapping));
    made.getInputsMutable().assign(inputs);
    Value called = arith::ConstantOp::create(
        b, loc, b.getI64IntegerAttr(tapestry_rt_part_of(number, part, parts)));
    func::CallOp::create(
        b, loc, callOn(call, type),
        ValueRange{call.getOperand(0), called, result, call.getOperand(3)})
        ->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  }
  call.erase();
  nest.erase();
  product.fill->erase();
  product.result->erase();
  ++numCut;
}

void CutProducts::cutIn(func::FuncOp function) {
  if (function.isExternal() || isKernel(function) ||
      !function.getBody().hasOneBlock() || !seen.insert(function).second)
    return;
  SmallVector<func::CallOp> calls;
  function.walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls) {
    auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
    if (callee && isDeviceCode(callee))
      cutIn(callee);
    if (call->getBlock() == &function.front())
      if (std::optional<Product> product = findProduct(call))
        cut(*product);
  }
}
