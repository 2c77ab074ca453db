//===- BlockEvaluate.cpp - Blocks on tensors in host memory ---------------===//
//
// The same function as on devices, called once for all that is computed.
//
//===----------------------------------------------------------------------===//

#include "BlockBody.h"
#include "BlockValues.h"
#include "tapestry/Dialect/Tapestry/IR/BlockFunctions.h"
#include "tapestry/Dialect/Tapestry/IR/ElementBytes.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Interfaces/Place.h"
#include "tapestry/Support/Error.h"
#include "tapestry/Support/ZTensor.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

ZBox teg::partOf(const Projection &projection, llvm::ArrayRef<ZRange> box) {
  ZBox part;
  for (const ProjectionDim &dim : projection.dims)
    part.push_back(imageOfDim(dim, box));
  return part;
}

int32_t teg::callBlock(BlockOp op, TapestryBlockFunction function,
                       llvm::ArrayRef<ZRange> box,
                       llvm::ArrayRef<TensorPart> inputs,
                       llvm::ArrayRef<TensorPart> outputs) {
  const Kernel &kernel = op.getSignature();
  llvm::SmallVector<int64_t> lo, hi;
  for (const ZRange &range : box) {
    lo.push_back(range.lo);
    hi.push_back(range.hi);
  }
  // Offsets and sizes per tensor; moving a list keeps where its elements lie.
  std::vector<std::vector<int64_t>> lists;
  std::vector<TapestryBlockTensor> tensors;
  auto add = [&](const KernelTensor &tensor, RankedTensorType type,
                 const TensorPart &given) {
    std::vector<int64_t> offsets, sizes;
    for (const ZRange &range : given.part) {
      offsets.push_back(range.lo);
      sizes.push_back(range.size());
    }
    tensors.push_back({given.data, *elementCode(tensor.element),
                       static_cast<int32_t>(given.part.size()),
                       type.getShape().data(), offsets.data(), sizes.data(),
                       given.strides.data()});
    lists.push_back(std::move(offsets));
    lists.push_back(std::move(sizes));
  };
  for (auto [number, tensor] : llvm::enumerate(kernel.inputs))
    add(tensor, op.getTensorType(number), inputs[number]);
  for (auto [number, tensor] : llvm::enumerate(kernel.outputs))
    add(tensor, op.getOutputType(number), outputs[number]);
  std::vector<TapestryBlockParam> params;
  for (auto [param, value] :
       llvm::zip_equal(kernel.params, op.getParamValues())) {
    int64_t bits = paramBits(value);
    bool isReal = isa<FloatAttr>(value);
    params.push_back({*elementCode(param.element), 0, isReal ? 0 : bits,
                      isReal ? llvm::bit_cast<double>(bits) : 0});
  }
  TapestryBlockCall call = {};
  call.version = TAPESTRY_BLOCK_VERSION;
  call.struct_size = sizeof(TapestryBlockCall);
  call.num_labels = static_cast<int32_t>(box.size());
  call.num_inputs = static_cast<int32_t>(inputs.size());
  call.num_outputs = static_cast<int32_t>(outputs.size());
  call.num_params = static_cast<int32_t>(params.size());
  call.lo = lo.data();
  call.hi = hi.data();
  call.label_extents = op.getExtents().data();
  call.inputs = tensors.data();
  call.outputs = tensors.data() + inputs.size();
  call.params = params.data();
  const auto &guarded = BlockFunctions::of(op.getContext()).guardedCall;
  if (!guarded)
    return function(&call);
  std::string place = placeOf(op.getLoc());
  return guarded(function, &call,
                 joinedText(place, place.empty() ? "" : ": error: ", "block '",
                            op.getName(), "' failed: its function '",
                            kernel.symbol, "' was ended"));
}

void teg::fillIdentity(BlockOp op, unsigned result, void *data,
                       int64_t elements) {
  std::optional<StoredBits> identity = identityBits(op, result);
  if (!identity)
    return;
  Type type = op.getOutputType(result).getElementType();
  int64_t parts = isa<ComplexType>(type) ? 2 : 1,
          bytes = storedSize(type) / parts;
  auto *to = static_cast<char *>(data);
  for (int64_t element = 0; element < elements; ++element)
    for (int64_t word : ArrayRef(*identity).take_front(parts)) {
      std::memcpy(to, &word, bytes);
      to += bytes;
    }
}

static llvm::SmallVector<int64_t>
rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(shape[dim], 1);
  }
  return strides;
}

llvm::Expected<std::vector<PaddedOperand>>
teg::padOperands(BlockOp op, llvm::ArrayRef<const HostTensor *> operands) {
  std::vector<PaddedOperand> result;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    ZBox box = boxOfShape(operand->shape);
    result.push_back({operand, box, nullptr});
    Access access = op.getAccesses(number).front();
    if (access.fallback != AccessFallback::Pad)
      continue;
    PaddedOperand &wide = result.back();
    ZBox read = partOf(access.projection, boxOfShape(op.getExtents()));
    for (auto [range, more] : llvm::zip_equal(wide.box, read))
      range = {std::min(range.lo, more.lo), std::max(range.hi, more.hi)};
    llvm::Expected<HostTensor> padded =
        HostTensor::create(operand->dtype, shapeOf(wide.box));
    if (!padded)
      return padded.takeError();
    size_t bytes = byteSize(operand->dtype);
    std::vector<uint8_t> pad = bytesOf(op.getPad(number), bytes);
    for (size_t at = 0; at < padded->bytes.size(); at += bytes)
      llvm::copy(pad, padded->bytes.begin() + at);
    StridedView from = StridedView::rowMajor(operand->shape),
                to = StridedView::rowMajor(padded->shape);
    allPoints(box, [&, &operand = operand](llvm::ArrayRef<int64_t> place) {
      llvm::SmallVector<int64_t> inside(place);
      for (auto [index, range] : llvm::zip_equal(inside, wide.box))
        index -= range.lo;
      std::memcpy(&padded->bytes[to.placeOf(inside) * bytes],
                  &operand->bytes[from.placeOf(place) * bytes], bytes);
      return true;
    });
    wide.padded = std::make_unique<HostTensor>(std::move(*padded));
    wide.elements = wide.padded.get();
  }
  return result;
}

/// The part of a tensor, whose elements are those of a box, that a box of index
/// points reads or writes.
static TensorPart viewOf(const HostTensor &elements, llvm::ArrayRef<ZRange> all,
                         const Projection &projection,
                         llvm::ArrayRef<ZRange> points) {
  TensorPart part;
  part.part = partOf(projection, points);
  part.strides = rowMajorStrides(elements.shape);
  int64_t first = 0;
  for (auto [range, from, stride] :
       llvm::zip_equal(part.part, all, part.strides))
    first += (range.lo - from.lo) * stride;
  part.data = const_cast<uint8_t *>(elements.bytes.data()) +
              first * byteSize(elements.dtype);
  return part;
}

static llvm::Expected<TapestryBlockFunction> functionOf(BlockOp op) {
  llvm::StringRef symbol = op.getSignature().symbol;
  TapestryBlockFunction function =
      BlockFunctions::of(op.getContext()).functions.lookup(symbol);
  if (!function)
    return llvm::createStringError(
        "block '" + op.getName() + "' calls '" + symbol +
        "', which no object file brings: --object FILE names one");
  return function;
}

/// What lies on both sides of a result while its function runs. Of an output
/// that is a whole tensor only that tells what is written beside it.
constexpr size_t aroundBytes = 1 << 16;
constexpr uint8_t aroundByte = 0xa5;

static void surround(HostTensor &result) {
  result.bytes.insert(result.bytes.begin(), aroundBytes, aroundByte);
  result.bytes.insert(result.bytes.end(), aroundBytes, aroundByte);
}

/// Takes away what lies around a result; false where that has been changed.
static bool uncover(HostTensor &result) {
  llvm::ArrayRef<uint8_t> all(result.bytes);
  auto isLeft = [](uint8_t byte) { return byte == aroundByte; };
  bool isUntouched = llvm::all_of(all.take_front(aroundBytes), isLeft) &&
                     llvm::all_of(all.take_back(aroundBytes), isLeft);
  result.bytes.erase(result.bytes.end() - aroundBytes, result.bytes.end());
  result.bytes.erase(result.bytes.begin(), result.bytes.begin() + aroundBytes);
  return isUntouched;
}

/// The results of a function for a box of index points.
static llvm::Expected<std::vector<HostTensor>>
evaluateFunction(BlockOp op, TapestryBlockFunction function,
                 llvm::ArrayRef<PaddedOperand> operands,
                 llvm::ArrayRef<ZRange> range) {
  std::vector<HostTensor> results;
  for (unsigned number = 0; number < op.getNumResults(); ++number) {
    RankedTensorType type = op.getOutputType(number);
    llvm::Expected<HostTensor> result =
        HostTensor::create(*dtypeOf(type.getElementType()), type.getShape());
    if (!result)
      return result.takeError();
    fillIdentity(op, number, result->bytes.data(), result->numElements());
    results.push_back(std::move(*result));
  }
  if (isEmpty(range))
    return results;
  llvm::SmallVector<TensorPart> inputs, outputs;
  for (auto [number, operand] : llvm::enumerate(operands))
    inputs.push_back(viewOf(*operand.elements, operand.box,
                            op.getInputProjection(number), range));
  for (auto [number, result] : llvm::enumerate(results)) {
    surround(result);
    outputs.push_back(viewOf(result, boxOfShape(result.shape),
                             op.getOutputProjection(number), range));
    outputs.back().data =
        static_cast<uint8_t *>(outputs.back().data) + aroundBytes;
  }
  if (int32_t status = callBlock(op, function, range, inputs, outputs))
    return llvm::createStringError(
        "block '" + op.getName() + "' failed: its function '" +
        op.getSignature().symbol + "' returned " + llvm::Twine(status));
  for (auto [number, result] : llvm::enumerate(results))
    if (!uncover(result))
      return llvm::createStringError(
          "block '" + op.getName() +
          "' writes outside of what its signature projects of '" +
          op.getSignature().outputs[number].name +
          "': for all of its index points it changes what lies around that");
  return results;
}

llvm::Expected<std::vector<HostTensor>>
BlockOp::evaluateRange(llvm::ArrayRef<const HostTensor *> operands,
                       llvm::ArrayRef<ZRange> range) {
  if (getBody())
    return evaluateBody(*this, operands, range);
  auto function = functionOf(*this);
  if (!function)
    return function.takeError();
  auto read = padOperands(*this, operands);
  if (!read)
    return read.takeError();
  auto hashes = [&] {
    return llvm::map_to_vector(*read, [](const PaddedOperand &operand) {
      return llvm::xxh3_64bits(operand.elements->bytes);
    });
  };
  auto before = hashes();
  auto results = evaluateFunction(*this, *function, *read, range);
  if (!results || isEmpty(range))
    return results;
  for (auto [tensor, old, now] :
       llvm::zip_equal(getSignature().inputs, before, hashes()))
    if (old != now)
      return llvm::createStringError("block '" + getName() +
                                     "' writes to its input '" + tensor.name +
                                     "': for all of its index points");
  if (llvm::Error error =
          checkSignature(*this, *function, *read, range, *results))
    return std::move(error);
  return results;
}

llvm::Expected<std::vector<HostTensor>>
BlockOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  return evaluateRange(operands, boxOfShape(getExtents()));
}
