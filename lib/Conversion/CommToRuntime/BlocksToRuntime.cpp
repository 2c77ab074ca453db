//===- BlocksToRuntime.cpp - Functions from outside are called ------------===//
//
// A call writes down where tensors lie, as the runtime asks for it, which gives
// the function views of them: nothing is copied to be read.
//
//===----------------------------------------------------------------------===//

#include "RuntimeProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tapestry-rt/Block.h"
#include "tapestry/Codegen/Common/DeviceCode.h"

using namespace mlir;
using namespace tapestry;

/// A buffer of which only the rank is known.
static MemRefType viewOf(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  SmallVector<int64_t> unknown(type.getRank(), ShapedType::kDynamic);
  return MemRefType::get(
      type.getShape(), type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, unknown));
}

/// Memory of the results.
SmallVector<Value> RuntimeProgram::buffersFor(index::CallBlockOp op) {
  SmallVector<Value> buffers;
  ValueRange sizes = op.getSizes();
  for (OpResult result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    size_t unknown = type.getNumDynamicDims();
    if (result.hasOneUse() && isa<func::ReturnOp>(*result.user_begin()))
      buffers.push_back(resultBuffers[result.use_begin()->getOperandNumber()]);
    else
      buffers.push_back(memref::AllocOp::create(b, op.getLoc(), memrefOf(type),
                                                sizes.take_front(unknown),
                                                b.getI64IntegerAttr(64)));
    sizes = sizes.drop_front(unknown);
  }
  return buffers;
}

namespace {

/// Writes words one behind another.
class Words {
public:
  Words(OpBuilder &b, Location loc, Value memory)
      : b(b), loc(loc), memory(memory) {}

  void add(int64_t number) {
    add(LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                 b.getI64IntegerAttr(number)));
  }
  void add(Value word) {
    if (word.getType().isIndex())
      word = arith::IndexCastOp::create(b, loc, b.getI64Type(), word);
    Value place = LLVM::GEPOp::create(b, loc, memory.getType(), b.getI64Type(),
                                      memory, ArrayRef<LLVM::GEPArg>{next++});
    LLVM::StoreOp::create(b, loc, word, place);
  }
  void addTensor(Value buffer, int64_t type, ArrayRef<int64_t> fill,
                 ArrayRef<int64_t> shape, ValueRange offsets);

private:
  OpBuilder &b;
  Location loc;
  Value memory;
  int32_t next = 0;
};

} // namespace

void Words::addTensor(Value buffer, int64_t type, ArrayRef<int64_t> fill,
                      ArrayRef<int64_t> shape, ValueRange offsets) {
  auto memref = cast<MemRefType>(buffer.getType());
  auto view = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  // Of complex numbers the parts may come apart before this is lowered: bytes
  // are known here.
  Type element = memref.getElementType();
  int64_t width = isa<ComplexType>(element) ? 2 * cast<ComplexType>(element)
                                                      .getElementType()
                                                      .getIntOrFloatBitWidth()
                                            : element.getIntOrFloatBitWidth();
  Value bytes = arith::ConstantIndexOp::create(b, loc, width / 8);
  Value offset = arith::MulIOp::create(b, loc, view.getOffset(), bytes);
  add(arith::AddIOp::create(b, loc, address, offset).getResult());
  add(type);
  add(memref.getRank());
  for (int64_t word : fill)
    add(word);
  for (int64_t dim = 0; dim < memref.getRank(); ++dim) {
    add(shape[dim]);
    add(offsets[dim]);
    add(view.getSizes()[dim]);
    add(view.getStrides()[dim]);
  }
}

/// The function (rank, buffers, starts, ends, offsets) that calls the runtime.
func::FuncOp RuntimeProgram::blockCall(index::CallBlockOp op,
                                       TypeRange arguments) {
  Location loc = op.getLoc();
  std::string symbol = ("tapestry_block_v" + Twine(TAPESTRY_BLOCK_VERSION) +
                        "_" + op.getSymbol())
                           .str();
  func::FuncOp outside = declare(symbol, {pointer}, {b.getI32Type()});
  func::FuncOp runtime =
      declare("tapestry_rt_block", {pointer, pointer, pointer}, {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto made = func::FuncOp::create(
      b, loc, ("block." + name + "." + Twine(numBlockCalls++)).str(),
      b.getFunctionType(arguments, {}));
  made.setPrivate();
  made->setAttr(deviceAttrName, b.getUnitAttr());
  Block *body = made.addEntryBlock();
  b.setInsertionPointToStart(body);
  ValueRange given = ValueRange(body->getArguments()).drop_front();
  auto take = [&](size_t count) {
    ValueRange taken = given.take_front(count);
    given = given.drop_front(count);
    return taken;
  };
  size_t inputs = op.getInputs().size(), outputs = op.getNumResults(),
         labels = op.getExtents().size();
  ValueRange buffers = take(inputs + outputs), starts = take(labels),
             ends = take(labels), offsets = given;
  int64_t words = 4 + 3 * labels + 6 * buffers.size() + 4 * offsets.size() +
                  2 * op.getParams().size();
  Value count = LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                         b.getI64IntegerAttr(words));
  Value memory = LLVM::AllocaOp::create(b, loc, pointer, b.getI64Type(), count);
  Words text(b, loc, memory);
  for (size_t number : {labels, inputs, outputs, op.getParams().size()})
    text.add(static_cast<int64_t>(number));
  for (size_t label = 0; label < labels; ++label) {
    text.add(starts[label]);
    text.add(ends[label]);
    text.add(op.getExtents()[label]);
  }
  ArrayRef<int64_t> shapes = op.getShapes();
  for (auto [number, buffer] : llvm::enumerate(buffers)) {
    size_t rank = cast<MemRefType>(buffer.getType()).getRank();
    SmallVector<int64_t> fill(3);
    if (number >= inputs)
      fill.assign(op.getFills().slice(3 * (number - inputs), 3).begin(),
                  op.getFills().slice(3 * (number - inputs), 3).end());
    text.addTensor(buffer, op.getTypes()[number], fill, shapes.take_front(rank),
                   offsets.take_front(rank));
    shapes = shapes.drop_front(rank);
    offsets = offsets.drop_front(rank);
  }
  for (auto [type, value] : llvm::zip(op.getParamTypes(), op.getParams())) {
    text.add(type);
    text.add(value);
  }
  Value function = func::ConstantOp::create(b, loc, outside.getFunctionType(),
                                            FlatSymbolRefAttr::get(outside));
  function = UnrealizedConversionCastOp::create(b, loc, pointer, function)
                 .getResult(0);
  call(loc, runtime, {body->getArgument(0), function, memory});
  func::ReturnOp::create(b, loc);
  return made;
}

void RuntimeProgram::lowerBlockCall(index::CallBlockOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  SmallVector<Value> arguments = {rank};
  for (Value input : op.getInputs())
    arguments.push_back(bufferization::ToBufferOp::create(
        b, loc, viewOf(input.getType()), input, /*read_only=*/true));
  SmallVector<Value> targets = buffersFor(op);
  llvm::append_range(arguments, targets);
  for (ValueRange list : {ValueRange(op.getStarts()), ValueRange(op.getEnds()),
                          ValueRange(op.getOffsets())})
    llvm::append_range(arguments, list);
  func::CallOp made =
      call(loc, blockCall(op, ValueRange(arguments).getTypes()), arguments);
  if (Attribute vertex = op->getAttr("tapestry.vertex"))
    made->setAttr("tapestry.vertex", vertex);
  for (auto [result, target] : llvm::zip_equal(op->getResults(), targets))
    result.replaceAllUsesWith(bufferization::ToTensorOp::create(
        b, loc, result.getType(), target, /*restrict=*/true,
        /*writable=*/true));
  op.erase();
}
