//===- ProgramBuffers.cpp - Which buffers a device program needs ----------===//

#include "ProgramBuffers.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "tapestry/Dialect/Index/IR/IndexAssemble.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tapestry;

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

/// Where what `insert` inserts is computed: a part of the tensor that it is
/// inserted into, at the same place.
static OpOperand *findHole(tensor::InsertSliceOp insert) {
  auto computed = insert.getSource().getDefiningOp<linalg::LinalgOp>();
  if (!computed || !computed.hasPureTensorSemantics())
    return nullptr;
  OpOperand *init =
      computed.getTiedOpOperand(cast<OpResult>(insert.getSource()));
  auto hole = init->get().getDefiningOp<tensor::ExtractSliceOp>();
  auto isSame = [](OpFoldResult a, OpFoldResult b) { return a == b; };
  return hole && hole.getSource() == insert.getDest() &&
                 hole.isSameAs(insert, isSame)
             ? init
             : nullptr;
}

/// What shares an empty tensor shares a buffer, from the first that uses it to
/// the last.
static void separateEmptyTensors(func::FuncOp function) {
  OpBuilder b(function.getContext());
  SmallVector<tensor::EmptyOp> shared;
  function.walk([&](tensor::EmptyOp empty) { shared.push_back(empty); });
  for (tensor::EmptyOp empty : shared) {
    for (OpOperand &use :
         llvm::make_early_inc_range(empty.getResult().getUses())) {
      Operation *user = use.getOwner();
      auto insert = dyn_cast<tensor::InsertSliceOp>(user);
      auto computed = dyn_cast<DestinationStyleOpInterface>(user);
      if (insert && &use == &insert.getDestMutable()) {
        OpOperand *hole = findHole(insert);
        b.setInsertionPoint(hole ? hole->getOwner() : user);
        Operation *own = b.clone(*empty);
        use.set(own->getResult(0));
        if (!hole)
          continue;
        IRMapping mapping;
        mapping.map(empty.getResult(), own->getResult(0));
        Operation *part = hole->get().getDefiningOp();
        hole->set(b.clone(*part, mapping)->getResult(0));
      } else if (computed && computed.isDpsInit(&use)) {
        b.setInsertionPoint(computed);
        use.set(b.clone(*empty)->getResult(0));
      }
    }
    for (Operation *user : llvm::make_early_inc_range(empty->getUsers()))
      if (isa<tensor::ExtractSliceOp>(user) && user->use_empty())
        user->erase();
    if (empty.use_empty())
      empty.erase();
  }
}

/// Whether more is written into the tensor that `copy` writes a part of.
static bool isWrittenAround(linalg::CopyOp copy) {
  return llvm::any_of(copy->getUsers(), [](Operation *user) {
    return isa<tensor::InsertSliceOp>(user) &&
           llvm::any_of(user->getUsers(), [&](Operation *next) {
             auto insert = dyn_cast<tensor::InsertSliceOp>(next);
             return insert && insert.getDest() == user->getResult(0);
           });
  });
}

namespace {
/// What is read can be read in place: only writes have to be asked about. What
/// others read, too, cannot be computed where more is written before they do.
class ReadInPlace : public OneShotAnalysisState {
public:
  using OneShotAnalysisState::OneShotAnalysisState;
  bool isInPlace(OpOperand &operand) const override {
    auto copy = dyn_cast<linalg::CopyOp>(operand.getOwner());
    return !copy || operand.get().hasOneUse() || !isWrittenAround(copy);
  }
};
} // namespace

/// What upstream's function builds, but right before `user`, and where that
/// needs another empty tensor there, with a new one: moved operations, and two
/// new ones beside each other, have all others of the block numbered again.
/// What `user` inserts is computed in a part of the same tensor.
static Value extractBefore(RewriterBase &b, SubsetInsertionOpInterface insert,
                           tensor::EmptyOp empty, Operation *user,
                           DominanceInfo &dominance) {
  auto filled = dyn_cast<tensor::InsertSliceOp>(user);
  OpOperand *init = filled ? findHole(filled) : nullptr;
  auto hole = init ? init->get().getDefiningOp<tensor::ExtractSliceOp>()
                   : tensor::ExtractSliceOp();
  if (hole)
    user = hole;
  auto place = [&](Value part) {
    if (hole && part && part.getType() == empty.getType())
      hole.getSourceMutable().assign(part);
    return part;
  };
  SmallVector<tensor::EmptyOp> later;
  auto isDefined = [&](Value value) {
    return dominance.properlyDominates(value, user);
  };
  for (Value needed : insert.getValuesNeededToBuildSubsetExtraction()) {
    if (isDefined(needed))
      continue;
    auto other = needed.getDefiningOp<tensor::EmptyOp>();
    if (!other || !llvm::all_of(other->getOperands(), isDefined))
      return place(buildSubsetExtraction(b, insert, empty, user));
    later.push_back(other);
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(user);
  for (tensor::EmptyOp other : later) {
    Operation *own = b.clone(*other);
    (void)own->isBeforeInBlock(user);
    b.replaceOp(other, own);
  }
  Value part = insert.buildSubsetExtraction(b, empty.getLoc());
  (void)part.getDefiningOp()->isBeforeInBlock(user);
  return place(part);
}

LogicalResult tapestry::placeResults(func::FuncOp function,
                                     RewriterBase::Listener *listener) {
  separateEmptyTensors(function);
  OneShotBufferizationOptions options = programOptions();
  ReadInPlace state(function, options);
  IRRewriter rewriter(function.getContext(), listener);
  DominanceInfo dominance(function);
  auto extract = [&](RewriterBase &b, SubsetInsertionOpInterface insert,
                     tensor::EmptyOp empty, Operation *user) {
    return extractBefore(b, insert, empty, user, dominance);
  };
  // What is made in parts first, so that all of these are parts of the result.
  for (auto result : llvm::to_vector(
           function.getOps<bufferization::MaterializeInDestinationOp>()))
    if (failed(eliminateEmptyTensors(rewriter, result, state, extract)))
      return failure();
  return eliminateEmptyTensors(rewriter, function, state, extract);
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
  bool fillsOwnHole(tensor::InsertSliceOp insert);
  void findOwners(Operation *op);
  bool isRead(Operation *op);
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
  if (!isa<linalg::LinalgOp, tapestry::index::AssembleOp>(op))
    return false;
  auto computed = cast<DestinationStyleOpInterface>(op);
  return op->getBlock() == &function.front() &&
         computed.hasPureTensorSemantics() &&
         llvm::all_of(computed.getDpsInits(), [&](Value init) {
           Operation *source = init.getDefiningOp();
           return source && init.hasOneUse() &&
                  source->getBlock() == op->getBlock() &&
                  (isa<tensor::EmptyOp>(source) || owners.contains(source));
         });
}

/// Whether nobody but a result's owner looks at what it is made in.
static bool isResultsMemory(Operation *source) {
  auto memory = dyn_cast<ToTensorOp>(source);
  return memory && memory.getWritable() && memory.getRestrict();
}

/// Whether a tensor that such an operation owns, or that a result is made in,
/// is handed on as a whole, but for the part that is computed and inserted
/// here.
bool ProgramAnalysis::fillsOwnHole(tensor::InsertSliceOp insert) {
  OpOperand *hole = findHole(insert);
  Operation *source = insert.getDest().getDefiningOp();
  return hole && source && source->getBlock() == insert->getBlock() &&
         (isa<tensor::EmptyOp>(source) || owners.contains(source) ||
          isResultsMemory(source)) &&
         insert.getDest().hasNUses(2) && hole->get().hasOneUse() &&
         insert.getSource().hasOneUse();
}

void ProgramAnalysis::findOwners(Operation *op) {
  if (ownsResults(op))
    owners.insert(op);
  auto insert = dyn_cast<tensor::InsertSliceOp>(op);
  if (insert && fillsOwnHole(insert)) {
    OpOperand *hole = findHole(insert);
    owners.insert_range(ArrayRef<Operation *>{hole->get().getDefiningOp(),
                                              hole->getOwner(), op});
  }
}

/// Whether `op` only looks at tensors, or takes a part of what nobody may
/// write.
bool ProgramAnalysis::isRead(Operation *op) {
  if (isa<tensor::ExtractOp, tensor::DimOp>(op))
    return true;
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
    findOwners(op);
  // Bottom up, as upstream does.
  for (Operation *op : llvm::reverse(order)) {
    if (owners.contains(op) || isRead(op))
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
