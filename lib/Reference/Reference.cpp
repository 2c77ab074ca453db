//===- Reference.cpp - Direct evaluation of a graph: the oracle -----------===//

#include "tapestry/Reference/Reference.h"
#include "tapestry/Dialect/Index/Evaluate/RegionEvaluator.h"
#include "tapestry/Dialect/Tapestry/IR/Constraints.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "tapestry/Interfaces/GraphNodeInterface.h"
#include "tapestry/Interfaces/Place.h"
#include "tapestry/Support/Error.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace tapestry;

class tapestry::GraphEvaluator {
public:
  GraphEvaluator(teg::GraphOp graph, const llvm::StringMap<HostTensor> &inputs,
                 unsigned threads)
      : graph(graph), next(graph.getBody().front().begin()), inputs(inputs),
        pool(llvm::hardware_concurrency(threads)) {}

  llvm::Expected<GraphNodeInterface> goOn();

  llvm::StringMap<HostTensor> outputs;

private:
  llvm::Error checkInputs();
  llvm::Error evaluate(Operation &op);
  llvm::Error evaluateNode(GraphNodeInterface node);
  llvm::Error evaluateSource(GraphNodeInterface source);
  llvm::Error evaluateVertex(BlockOpInterface op);
  llvm::Error evaluateLoop(GraphLoopInterface loop);
  llvm::Error evaluateBlock(Block &block);
  llvm::Error evaluateIn(Block &block, Operation &op);
  void own(Value value, std::unique_ptr<HostTensor> tensor);
  llvm::Expected<std::vector<HostTensor>>
  compute(BlockOpInterface op, llvm::ArrayRef<const HostTensor *> operands);
  /// Frees a result that nothing reads any more.
  void release(Value value);

  teg::GraphOp graph;
  /// What has not been evaluated so far begins here.
  Block::iterator next;
  /// The source that it has stopped at last.
  Operation *taken = nullptr;
  const llvm::StringMap<HostTensor> &inputs;
  llvm::DefaultThreadPool pool;
  /// The values of tensors, of which `owned` holds the computed ones.
  llvm::DenseMap<Value, const HostTensor *> values;
  llvm::DenseMap<Value, std::unique_ptr<HostTensor>> owned;
  llvm::DenseMap<Value, unsigned> usesLeft;
};

/// A tensor of the type of `value`, without elements.
static HostTensor emptyOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  HostTensor tensor;
  tensor.dtype = *dtypeOf(type.getElementType());
  tensor.shape.assign(type.getShape().begin(), type.getShape().end());
  return tensor;
}

llvm::Error GraphEvaluator::checkInputs() {
  llvm::SmallVector<StringRef> known;
  for (GraphNodeInterface source :
       graphNodes(graph.getBody().front(), GraphNodeKind::Source))
    known.push_back(source.getTensorName());
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

llvm::Error GraphEvaluator::evaluateSource(GraphNodeInterface source) {
  StringRef name = source.getTensorName();
  HostTensor wanted = emptyOf(source.getNodeTensor());
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
  values[source.getNodeTensor()] = &tensor;
  return llvm::Error::success();
}

void GraphEvaluator::release(Value value) {
  if (--usesLeft[value] == 0)
    owned.erase(value);
}

llvm::Expected<std::vector<HostTensor>>
GraphEvaluator::compute(BlockOpInterface op,
                        llvm::ArrayRef<const HostTensor *> operands) {
  if (!op.getScalarRegion())
    return op.evaluate(operands);
  llvm::Expected<HostTensor> result =
      reference::evaluateRegion(op, operands, &pool);
  if (!result)
    return result.takeError();
  std::vector<HostTensor> results;
  results.push_back(std::move(*result));
  return results;
}

llvm::Error GraphEvaluator::evaluateVertex(BlockOpInterface op) {
  llvm::SmallVector<const HostTensor *> tensors;
  for (Value operand : op.getTensorOperands())
    tensors.push_back(values.lookup(operand));
  llvm::Expected<std::vector<HostTensor>> results = compute(op, tensors);
  if (!results)
    return withPlace(placeOf(op.getLoc()), results.takeError());
  if (results->size() != op->getNumResults())
    return llvm::createStringError(
        "vertex '" + op.getVertexName() + "' evaluates to " +
        llvm::Twine(results->size()) + " tensors, but has " +
        llvm::Twine(op->getNumResults()));
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), *results)) {
    HostTensor wanted = emptyOf(value);
    if (tensor.dtype != wanted.dtype || tensor.shape != wanted.shape)
      return llvm::createStringError(
          "vertex '" + op.getVertexName() + "' evaluates to " +
          tensor.describe() + ", but its result is " + wanted.describe());
    own(value, std::make_unique<HostTensor>(std::move(tensor)));
  }
  return llvm::Error::success();
}

/// Gives a value its tensor until its last use.
void GraphEvaluator::own(Value value, std::unique_ptr<HostTensor> tensor) {
  unsigned uses = std::distance(value.use_begin(), value.use_end());
  if (uses == 0)
    return;
  values[value] = tensor.get();
  owned[value] = std::move(tensor);
  usesLeft[value] = uses;
}

llvm::Error GraphEvaluator::evaluateLoop(GraphLoopInterface loop) {
  Block &body = loop.getLoopBody();
  // The operands are read by the loop alone.
  std::vector<std::unique_ptr<HostTensor>> carried;
  for (Value init : loop->getOperands())
    carried.push_back(std::make_unique<HostTensor>(*values.lookup(init)));
  bool stops = false;
  for (int64_t pass = 0; pass < loop.getMostPasses() && !stops; ++pass) {
    for (auto [argument, tensor] :
         llvm::zip_equal(body.getArguments(), carried))
      own(argument, std::move(tensor));
    if (llvm::Error error = evaluateBlock(body))
      return error;
    for (auto [next, tensor] : llvm::zip_equal(loop.getNexts(), carried))
      tensor = std::make_unique<HostTensor>(*values.lookup(next));
    if (Value stop = loop.getStop())
      stops = values.lookup(stop)->bytes[0] != 0;
    for (Value operand : body.getTerminator()->getOperands())
      release(operand);
  }
  for (auto [result, tensor] : llvm::zip_equal(loop->getResults(), carried))
    own(result, std::move(tensor));
  return llvm::Error::success();
}

llvm::Error GraphEvaluator::evaluateNode(GraphNodeInterface node) {
  switch (node.getNodeKind()) {
  case GraphNodeKind::Source:
    return evaluateSource(node);
  case GraphNodeKind::Sink:
    outputs[node.getTensorName()] = *values.lookup(node.getNodeTensor());
    break;
  case GraphNodeKind::Point:
    // Operations run in their order here, so a point waits for nothing.
    break;
  }
  return llvm::Error::success();
}

llvm::Error GraphEvaluator::evaluate(Operation &op) {
  if (auto node = dyn_cast<GraphNodeInterface>(op))
    return evaluateNode(node);
  if (auto vertex = dyn_cast<BlockOpInterface>(op))
    return evaluateVertex(vertex);
  if (auto loop = dyn_cast<GraphLoopInterface>(op))
    return evaluateLoop(loop);
  return errorAt(placeOf(op.getLoc()),
                 "the reference evaluator does not know '", op.getName(), "'");
}

llvm::Error GraphEvaluator::evaluateIn(Block &block, Operation &op) {
  if (llvm::Error error = evaluate(op))
    return error;
  // What the body of a loop reads from here it reads in every pass.
  op.walk([&](Operation *reader) {
    for (Value operand : reader->getOperands())
      if (operand.getParentBlock() == &block && owned.contains(operand))
        release(operand);
  });
  return llvm::Error::success();
}

llvm::Error GraphEvaluator::evaluateBlock(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      break; // Whoever runs the block takes what it ends with.
    if (llvm::Error error = evaluateIn(block, op))
      return error;
  }
  return llvm::Error::success();
}

/// Whether a sink has to be handed out before what comes behind it.
static bool isFollowed(Operation &op) {
  auto node = dyn_cast<GraphNodeInterface>(op);
  return node && node.getNodeKind() == GraphNodeKind::Sink && !op.use_empty();
}

/// Whether a source is to be given when the points before it have happened.
static bool follows(Operation &op) {
  auto node = dyn_cast<GraphNodeInterface>(op);
  return node && node.getNodeKind() == GraphNodeKind::Source &&
         !node.getAwaitedValues().empty();
}

llvm::Expected<GraphNodeInterface> GraphEvaluator::goOn() {
  Block &block = graph.getBody().front();
  if (next == block.begin() && !taken)
    if (llvm::Error error = checkInputs())
      return error;
  while (next != block.end() && !next->hasTrait<OpTrait::IsTerminator>()) {
    if (follows(*next) && taken != &*next) {
      taken = &*next;
      return cast<GraphNodeInterface>(taken);
    }
    Operation &op = *next++;
    if (llvm::Error error = evaluateIn(block, op))
      return error;
    if (isFollowed(op))
      return cast<GraphNodeInterface>(op);
  }
  return GraphNodeInterface();
}

GraphEvaluation::GraphEvaluation(teg::GraphOp graph,
                                 const llvm::StringMap<HostTensor> &inputs,
                                 unsigned threads)
    : evaluator(std::make_unique<GraphEvaluator>(graph, inputs, threads)) {}

GraphEvaluation::~GraphEvaluation() = default;

llvm::Expected<GraphNodeInterface> GraphEvaluation::goOn() {
  return evaluator->goOn();
}

llvm::StringMap<HostTensor> &GraphEvaluation::outputs() {
  return evaluator->outputs;
}

llvm::Expected<llvm::StringMap<HostTensor>>
tapestry::evaluateGraph(teg::GraphOp graph,
                        const llvm::StringMap<HostTensor> &inputs,
                        unsigned threads) {
  GraphEvaluation evaluation(graph, inputs, threads);
  while (true) {
    llvm::Expected<GraphNodeInterface> node = evaluation.goOn();
    if (!node)
      return node.takeError();
    if (!*node)
      return std::move(evaluation.outputs());
  }
}
