//===- Reference.cpp - Direct evaluation of a graph: the oracle -----------===//

#include "tapestry/Reference/Reference.h"
#include "EinsumEvaluator.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace tapestry;

namespace {
class GraphEvaluator {
public:
  GraphEvaluator(const llvm::StringMap<HostTensor> &inputs, unsigned threads)
      : inputs(inputs), pool(llvm::hardware_concurrency(threads)) {}

  llvm::Error run(teg::GraphOp graph);
  llvm::StringMap<HostTensor> takeOutputs() { return std::move(outputs); }

private:
  llvm::Error checkInputs(teg::GraphOp graph);
  llvm::Error evaluate(Operation &op);
  llvm::Error evaluateSource(teg::SourceOp source);
  llvm::Error evaluateVertex(teg::EinsumOp einsum);
  void evaluateSink(teg::SinkOp sink);
  /// Frees a result that nothing reads any more.
  void release(Value value);

  const llvm::StringMap<HostTensor> &inputs;
  llvm::DefaultThreadPool pool;
  /// The values of tensors, of which `owned` holds the computed ones.
  llvm::DenseMap<Value, const HostTensor *> values;
  llvm::DenseMap<Value, std::unique_ptr<HostTensor>> owned;
  llvm::DenseMap<Value, unsigned> usesLeft;
  llvm::StringMap<HostTensor> outputs;
};
} // namespace

llvm::Error GraphEvaluator::checkInputs(teg::GraphOp graph) {
  llvm::SmallVector<StringRef> known;
  for (auto source : graph.getBody().getOps<teg::SourceOp>())
    known.push_back(source.getName());
  // Sorted, so that the message does not depend on hashing.
  llvm::SmallVector<StringRef> given(inputs.keys());
  llvm::sort(given);
  for (StringRef name : given)
    if (!llvm::is_contained(known, name))
      return llvm::createStringError("the program has no input '" + name +
                                     "'; its inputs are " +
                                     llvm::join(known, ", "));
  return llvm::Error::success();
}

llvm::Error GraphEvaluator::evaluateSource(teg::SourceOp source) {
  StringRef name = source.getName();
  auto type = cast<RankedTensorType>(source.getResult().getType());
  HostTensor wanted;
  wanted.dtype = *dtypeOf(type.getElementType());
  wanted.shape.assign(type.getShape().begin(), type.getShape().end());
  auto it = inputs.find(name);
  if (it == inputs.end())
    return llvm::createStringError("input '" + name + "' of type " +
                                   wanted.describe() + " is missing");
  const HostTensor &tensor = it->second;
  if (tensor.dtype != wanted.dtype || tensor.shape != wanted.shape)
    return llvm::createStringError(
        "input '" + name + "' is " + tensor.describe() +
        ", but the program has " + wanted.describe());
  int64_t bytes = wanted.numElements() * byteSize(wanted.dtype);
  if (static_cast<int64_t>(tensor.bytes.size()) != bytes)
    return llvm::createStringError(
        "input '" + name + "' has " + llvm::Twine(tensor.bytes.size()) +
        " bytes, but " + wanted.describe() + " needs " + llvm::Twine(bytes));
  values[source.getResult()] = &tensor;
  return llvm::Error::success();
}

void GraphEvaluator::release(Value value) {
  if (--usesLeft[value] == 0)
    owned.erase(value);
}

llvm::Error GraphEvaluator::evaluateVertex(teg::EinsumOp einsum) {
  llvm::SmallVector<const HostTensor *> tensors;
  for (Value input : einsum.getInputs())
    tensors.push_back(values.lookup(input));
  llvm::Expected<HostTensor> result =
      reference::evaluateEinsum(einsum, tensors, &pool);
  if (!result)
    return result.takeError();
  Value value = einsum.getResult();
  auto &slot = owned[value];
  slot = std::make_unique<HostTensor>(std::move(*result));
  values[value] = slot.get();
  usesLeft[value] = std::distance(value.use_begin(), value.use_end());
  if (usesLeft[value] == 0)
    owned.erase(value);
  for (Value input : einsum.getInputs())
    if (owned.contains(input))
      release(input);
  return llvm::Error::success();
}

void GraphEvaluator::evaluateSink(teg::SinkOp sink) {
  Value tensor = sink.getTensor();
  outputs[sink.getName()] = *values.lookup(tensor);
  if (owned.contains(tensor))
    release(tensor);
}

llvm::Error GraphEvaluator::evaluate(Operation &op) {
  if (auto source = dyn_cast<teg::SourceOp>(op))
    return evaluateSource(source);
  if (auto einsum = dyn_cast<teg::EinsumOp>(op))
    return evaluateVertex(einsum);
  if (auto sink = dyn_cast<teg::SinkOp>(op)) {
    evaluateSink(sink);
    return llvm::Error::success();
  }
  if (auto point = dyn_cast<teg::SequencePointOp>(op)) {
    // Operations run in their order here, so a point waits for nothing.
    for (Value awaited : point.getAwaited())
      if (owned.contains(awaited))
        release(awaited);
    return llvm::Error::success();
  }
  return llvm::createStringError("the reference evaluator does not know '" +
                                 op.getName().getStringRef() + "'");
}

llvm::Error GraphEvaluator::run(teg::GraphOp graph) {
  if (llvm::Error error = checkInputs(graph))
    return error;
  for (Operation &op : graph.getBody().front())
    if (llvm::Error error = evaluate(op))
      return error;
  return llvm::Error::success();
}

llvm::Expected<llvm::StringMap<HostTensor>>
tapestry::evaluateGraph(teg::GraphOp graph,
                        const llvm::StringMap<HostTensor> &inputs,
                        unsigned threads) {
  GraphEvaluator evaluator(inputs, threads);
  llvm::Error error = evaluator.run(graph);
  if (error)
    return llvm::Expected<llvm::StringMap<HostTensor>>(std::move(error));
  return evaluator.takeOutputs();
}
