//===- ProgramBuffers.cpp - Which buffers a device program needs ----------===//

#include "ProgramBuffers.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace mlir::bufferization;

static OneShotBufferizationOptions programOptions() {
  OneShotBufferizationOptions options;
  options.setFunctionBoundaryTypeConversion(LayoutMapOption::IdentityLayoutMap);
  // The target's memory space has one.
  options.bufferAlignment = 0;
  return options;
}

//===----------------------------------------------------------------------===//
// Where results go
//===----------------------------------------------------------------------===//

/// What shares an empty tensor shares a buffer, from the first that uses it to
/// the last.
static void separateEmptyTensors(func::FuncOp function) {
  OpBuilder b(function.getContext());
  SmallVector<tensor::EmptyOp> shared;
  function.walk([&](tensor::EmptyOp empty) { shared.push_back(empty); });
  for (tensor::EmptyOp empty : shared) {
    for (OpOperand &use :
         llvm::make_early_inc_range(empty.getResult().getUses())) {
      auto computed = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      if (!computed || !computed.isDpsInit(&use))
        continue;
      b.setInsertionPoint(computed);
      use.set(b.clone(*empty)->getResult(0));
    }
    if (empty.use_empty())
      empty.erase();
  }
}

namespace {
/// What is read can be read in place: only writes have to be asked about.
class ReadInPlace : public OneShotAnalysisState {
public:
  using OneShotAnalysisState::OneShotAnalysisState;
  bool isInPlace(OpOperand &) const override { return true; }
};
} // namespace

LogicalResult tapestry::placeResults(func::FuncOp function) {
  separateEmptyTensors(function);
  OneShotBufferizationOptions options = programOptions();
  ReadInPlace state(function, options);
  IRRewriter rewriter(function.getContext());
  // What is made in parts first, so that all of these are parts of the result.
  for (auto result : llvm::to_vector(
           function.getOps<bufferization::MaterializeInDestinationOp>()))
    if (failed(eliminateEmptyTensors(rewriter, result, state)))
      return failure();
  return eliminateEmptyTensors(rewriter, function, state);
}

//===----------------------------------------------------------------------===//
// What is computed in place
//===----------------------------------------------------------------------===//

namespace {

/// The decisions of upstream's analysis, without its questions about operations
/// that can only be answered in one way.
class ProgramAnalysis {
public:
  ProgramAnalysis(func::FuncOp function,
                  const OneShotBufferizationOptions &options)
      : function(function), state(function, options), dominance(function) {}

  LogicalResult run();
  const OneShotAnalysisState &getState() const { return state; }

private:
  bool ownsResults(Operation *op);
  bool isViewOfInput(Operation *op);
  void acceptInPlace(Operation *op);
  void uniteEquivalent(Operation *op);

  func::FuncOp function;
  OneShotAnalysisState state;
  DominanceInfo dominance;
  /// Operations whose results are theirs alone.
  llvm::DenseSet<Operation *> owners;
};

} // namespace

/// Whether `op` only reads its operands, and writes where nobody else can look:
/// into empty tensors, or what other such operations made of them for it.
bool ProgramAnalysis::ownsResults(Operation *op) {
  auto computed = dyn_cast<linalg::LinalgOp>(op);
  return computed && op->getBlock() == &function.front() &&
         computed.hasPureTensorSemantics() &&
         llvm::all_of(computed.getDpsInits(), [&](Value init) {
           Operation *source = init.getDefiningOp();
           return source && init.hasOneUse() &&
                  source->getBlock() == op->getBlock() &&
                  (isa<tensor::EmptyOp>(source) || owners.contains(source));
         });
}

/// A part of what nobody may write needs no copy.
bool ProgramAnalysis::isViewOfInput(Operation *op) {
  auto view = dyn_cast<tensor::ExtractSliceOp>(op);
  auto input = view ? view.getSource().getDefiningOp<ToTensorOp>() : nullptr;
  return input && !input.getWritable();
}

void ProgramAnalysis::acceptInPlace(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<TensorType>(operand.get().getType()))
      state.bufferizeInPlace(operand);
}

void ProgramAnalysis::uniteEquivalent(Operation *op) {
  for (OpResult result : op->getOpResults()) {
    if (!isa<TensorType>(result.getType()))
      continue;
    // One operand, or all branches of a conditional.
    AliasingOpOperandList operands = state.getAliasingOpOperands(result);
    if (operands.getNumAliases() == 0)
      continue;
    Value first = operands.begin()->opOperand->get();
    if (llvm::all_of(operands, [&](const AliasingOpOperand &operand) {
          return operand.relation == BufferRelation::Equivalent &&
                 state.isInPlace(*operand.opOperand) &&
                 state.areEquivalentBufferizedValues(operand.opOperand->get(),
                                                     first);
        }))
      state.unionEquivalenceClasses(result, first);
  }
}

LogicalResult ProgramAnalysis::run() {
  SmallVector<Operation *> order;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (state.getOptions().dynCastBufferizableOp(op))
      order.push_back(op);
  });
  for (Operation *op : order)
    if (ownsResults(op))
      owners.insert(op);
  // Bottom up, as upstream does.
  for (Operation *op : llvm::reverse(order)) {
    if (owners.contains(op) || isViewOfInput(op))
      acceptInPlace(op);
    else if (failed(state.analyzeSingleOp(op, dominance)))
      return failure();
  }
  // What a loop carries depends on what its body does.
  function.walk([&](Operation *op) {
    if (state.getOptions().dynCastBufferizableOp(op))
      uniteEquivalent(op);
  });
  state.gatherUndefinedTensorUses(function);
  return success(llvm::all_of(order, [&](Operation *op) {
    return succeeded(cast<BufferizableOpInterface>(op).verifyAnalysis(state));
  }));
}

LogicalResult tapestry::bufferizeProgram(func::FuncOp function) {
  OneShotBufferizationOptions options = programOptions();
  BufferizationState state;
  {
    ProgramAnalysis analysis(function, options);
    if (failed(analysis.run()) ||
        failed(insertTensorCopies(function, analysis.getState(), state)))
      return failure();
  }
  return bufferizeOp(function, options, state);
}
