//===- BufferizationModel.cpp - Einsums on buffers ------------------------===//
//
// One loop per label, those that the result lacks innermost. The accumulator
// stays a scalar, so that it may be wider than what is stored, and every
// element of the result is stored once.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Dialect/Tapestry/Transforms/BufferizationModel.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

/// Emits the loops of one einsum.
class EinsumLoops {
public:
  EinsumLoops(OpBuilder &b, EinsumOp op, ArrayRef<Value> inputs, Value result)
      : op(op), inputs(inputs), result(result), point(op.getExtents().size()) {
    zero = arith::ConstantIndexOp::create(b, op.getLoc(), 0);
    one = arith::ConstantIndexOp::create(b, op.getLoc(), 1);
    for (int64_t extent : op.getExtents())
      extents.push_back(arith::ConstantIndexOp::create(b, op.getLoc(), extent));
    for (unsigned label = 0; label < point.size(); ++label)
      (op.getResultMap().isFunctionOfDim(label) ? parallel : reduced)
          .push_back(label);
  }

  void emit(OpBuilder &b) {
    emitNest(b, parallel, {}, [&](OpBuilder &b, ValueRange) {
      Value value = emitElement(b);
      Location loc = op.getLoc();
      Type stored = op.getResultType().getElementType();
      if (value.getType() != stored)
        value = arith::TruncFOp::create(b, loc, stored, value);
      memref::StoreOp::create(b, loc, value, result,
                              subscripts(b, op.getResultMap()));
      return scf::ValueVector();
    });
  }

private:
  using Body = llvm::function_ref<scf::ValueVector(OpBuilder &, ValueRange)>;

  /// Loops over `labels` that carry `init`; the values that they end with.
  scf::ValueVector emitNest(OpBuilder &b, ArrayRef<unsigned> labels,
                            ValueRange init, Body body) {
    SmallVector<Value> starts(labels.size(), zero), ends;
    SmallVector<Value> steps(labels.size(), one);
    for (unsigned label : labels)
      ends.push_back(extents[label]);
    return scf::buildLoopNest(
               b, op.getLoc(), starts, ends, steps, init,
               [&](OpBuilder &b, Location, ValueRange ivs, ValueRange carried) {
                 for (auto [label, iv] : llvm::zip_equal(labels, ivs))
                   point[label] = iv;
                 return body(b, carried);
               })
        .results;
  }

  /// One element of the result, as accumulator.
  Value emitElement(OpBuilder &b) {
    if (op.getMonoid() == Monoid::None)
      return emitPoint(b);
    Value identity = emitConstant(b, op.getLoc(), op.getIdentity());
    return emitNest(b, reduced, identity,
                    [&](OpBuilder &b, ValueRange carried) {
                      Value value = emitPoint(b);
                      return scf::ValueVector{
                          cast<BlockOpInterface>(*op).emitCombine(
                              /*result=*/0, b, op.getLoc(), carried[0], value)};
                    })
        .front();
  }

  /// The value of the body at the index point.
  Value emitPoint(OpBuilder &b) {
    Block &body = op.getBody().front();
    IRMapping mapping;
    for (BlockArgument argument : body.getArguments())
      mapping.map(argument, emitRead(b, argument.getArgNumber()));
    for (Operation &inner : body.without_terminator()) {
      if (auto label = dyn_cast<LabelOp>(inner)) {
        unsigned number = *op.getLabelIndex(label.getLabel());
        mapping.map(label.getResult(), point[number]);
      } else {
        b.clone(inner, mapping);
      }
    }
    return mapping.lookupOrDefault(
        cast<YieldOp>(body.getTerminator()).getValue());
  }

  SmallVector<Value> subscripts(OpBuilder &b, AffineMap map) {
    return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
      return affine::expandAffineExpr(b, op.getLoc(), expr, point, {});
    });
  }

  /// Folds the subscripts that leave an operand.
  void emitFolds(OpBuilder &b, unsigned operand, MutableArrayRef<Value> at) {
    std::optional<Fold> fold = op.getFold(operand);
    if (!fold)
      return;
    Projection read = *index::getSubscripts(op.getOperandMap(operand));
    foldInto(read, op.getExtents(), op.getInputType(operand).getShape(), *fold);
    for (auto [dim, subscript] : llvm::zip_equal(read.dims, at))
      if (dim.fold == *fold)
        subscript = index::emitFold(b, op.getLoc(), subscript, dim.mod, *fold);
  }

  /// The element that an operand has for the index point, or its pad.
  Value emitRead(OpBuilder &b, unsigned operand) {
    Location loc = op.getLoc();
    SmallVector<Value> at = subscripts(b, op.getOperandMap(operand));
    emitFolds(b, operand, at);
    TypedAttr pad = cast<BlockOpInterface>(*op).getPad(operand);
    if (!pad)
      return memref::LoadOp::create(b, loc, inputs[operand], at);
    Value inside = arith::ConstantIntOp::create(b, loc, 1, 1);
    for (auto [subscript, extent] :
         llvm::zip_equal(at, op.getInputType(operand).getShape())) {
      // As unsigned numbers, negative ones are the largest.
      Value end = arith::ConstantIndexOp::create(b, loc, extent);
      Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          subscript, end);
      inside = arith::AndIOp::create(b, loc, inside, below);
    }
    return scf::IfOp::create(
               b, loc, inside,
               [&](OpBuilder &b, Location loc) {
                 Value element =
                     memref::LoadOp::create(b, loc, inputs[operand], at);
                 scf::YieldOp::create(b, loc, element);
               },
               [&](OpBuilder &b, Location loc) {
                 Value element = emitConstant(b, loc, pad);
                 scf::YieldOp::create(b, loc, element);
               })
        .getResult(0);
  }

  EinsumOp op;
  ArrayRef<Value> inputs;
  Value result, zero, one;
  SmallVector<Value> extents;
  SmallVector<unsigned> parallel, reduced;
  /// The value of every label in the loops that are being built.
  SmallVector<Value> point;
};

struct EinsumBufferization
    : public BufferizableOpInterface::ExternalModel<EinsumBufferization,
                                                    EinsumOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  bool bufferizesToAllocation(Operation *, Value) const { return true; }

  FailureOr<BufferLikeType> getBufferType(Operation *op, Value value,
                                          const BufferizationOptions &options,
                                          const BufferizationState &,
                                          SmallVector<Value> &) const {
    auto type = cast<TensorType>(value.getType());
    std::optional<Attribute> space = options.defaultMemorySpaceFn(type);
    if (!space)
      return op->emitError("could not infer memory space");
    return cast<BufferLikeType>(
        getMemRefTypeWithStaticIdentityLayout(type, *space));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto einsum = cast<EinsumOp>(op);
    SmallVector<Value> inputs;
    for (Value input : einsum.getInputs()) {
      FailureOr<Value> buffer = getBuffer(rewriter, input, options, state);
      if (failed(buffer))
        return failure();
      inputs.push_back(*buffer);
    }
    FailureOr<BufferLikeType> type =
        bufferization::getBufferType(einsum.getResult(), options, state);
    if (failed(type))
      return failure();
    FailureOr<Value> result = options.createAlloc(
        rewriter, op->getLoc(), cast<MemRefType>(*type), ValueRange());
    if (failed(result))
      return failure();
    EinsumLoops(rewriter, einsum, inputs, *result).emit(rewriter);
    replaceOpWithBufferizedValues(rewriter, op, *result);
    return success();
  }
};

} // namespace

void teg::registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, TapestryDialect *, BufferizationDialect *) {
        EinsumOp::attachInterface<EinsumBufferization>(*context);
        // What the loops are made of.
        context->loadDialect<arith::ArithDialect, memref::MemRefDialect,
                             scf::SCFDialect>();
      });
}
