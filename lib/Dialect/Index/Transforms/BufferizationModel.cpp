//===- BufferizationModel.cpp - tapestry_index on buffers -----------------===//

#include "tapestry/Dialect/Index/Transforms/BufferizationModel.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tapestry/Dialect/Index/IR/IndexAssemble.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tapestry;
using namespace tapestry::index;

namespace {

/// Whether a buffer is the part of `whole` that begins there.
bool standsAt(Value buffer, Value whole, ArrayRef<OpFoldResult> offsets,
              ArrayRef<OpFoldResult> strides) {
  auto part = buffer.getDefiningOp<memref::SubViewOp>();
  return part && part.getSource() == whole &&
         llvm::equal(part.getMixedOffsets(), offsets,
                     [](OpFoldResult a, OpFoldResult b) {
                       return isEqualConstantIntOrValue(a, b);
                     }) &&
         llvm::equal(part.getMixedStrides(), strides);
}

struct AssembleBufferization
    : public DstBufferizableOpInterfaceExternalModel<AssembleBufferization,
                                                     AssembleOp> {
  /// What no piece covers stays.
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto assemble = cast<AssembleOp>(op);
    Location loc = op->getLoc();
    FailureOr<Value> whole =
        getBuffer(rewriter, assemble.getInit(), options, state);
    if (failed(whole))
      return failure();
    SmallVector<OpFoldResult> strides(assemble.getInit().getType().getRank(),
                                      rewriter.getIndexAttr(1));
    if (auto given = assemble.getStrides())
      for (auto [stride, value] : llvm::zip_equal(strides, *given))
        stride = rewriter.getIndexAttr(value);
    for (auto [number, piece] : llvm::enumerate(assemble.getPieces())) {
      FailureOr<Value> buffer = getBuffer(rewriter, piece, options, state);
      if (failed(buffer))
        return failure();
      SmallVector<OpFoldResult> offsets =
          getAsOpFoldResult(assemble.getOffsetsOf(number));
      if (standsAt(*buffer, *whole, offsets, strides))
        continue;
      Value place = memref::SubViewOp::create(
          rewriter, loc, *whole, offsets,
          memref::getMixedSizes(rewriter, loc, *buffer), strides);
      linalg::CopyOp::create(rewriter, loc, *buffer, place)
          ->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    }
    replaceOpWithBufferizedValues(rewriter, op, *whole);
    return success();
  }
};

} // namespace

void index::registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TapestryIndexDialect *,
                            BufferizationDialect *) {
    AssembleOp::attachInterface<AssembleBufferization>(*context);
    // What becomes of it.
    context->loadDialect<linalg::LinalgDialect, memref::MemRefDialect>();
  });
}
