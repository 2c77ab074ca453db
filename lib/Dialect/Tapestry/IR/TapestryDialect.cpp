//===- TapestryDialect.cpp - The tapestry dialect, types and attributes ---===//

#include "tapestry/Dialect/Tapestry/IR/TapestryDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"
#include "tapestry/Dialect/Tapestry/IR/BlockFunctions.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAwait.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryBlock.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryCollect.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryConstant.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryFused.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryLoop.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOperator.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScan.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScatter.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySort.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tapestry::teg;

#include "tapestry/Dialect/Tapestry/IR/TapestryDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryTypes.cpp.inc"

namespace {
/// Operations may move into whatever region a call is replaced in. A graph's
/// own calls are replaced by tapestry-inline-calls, which knows of sources and
/// sinks.
struct TapestryInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const final {
    return false;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *op, Region *, bool, IRMapping &) const final {
    return !isa<GraphOp, SourceOp, SinkOp>(op);
  }
};
/// Blocks share a kernel under its function's name.
struct TapestryAliasInterface : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const final {
    auto kernel = dyn_cast<KernelAttr>(attr);
    if (!kernel)
      return AliasResult::NoAlias;
    os << kernel.getKernel().symbol;
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TapestryDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.cpp.inc"
      >();
  addOperations<AwaitOp, BlockOp, BlockYieldOp, CollectOp, ConcatOp, ConstantOp,
                FusedOp, FusedYieldOp, LoopOp, NextOp, OperatorOp, PartOfOp,
                ScanOp, ScatterOp, ShardOp, SliceOp, SortOp, UnsqueezeOp>();
  addOperations<BroadcastOp, CopyOp, InterleaveOp, PadOp, PermuteOp, RepeatOp,
                ReverseOp, SqueezeOp, ViewOp>();
  registerBytecode();
  addInterfaces<BlockFunctions, TapestryAliasInterface,
                TapestryInlinerInterface>();
}

void TapestryDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tapestry/Dialect/Tapestry/IR/TapestryAttrs.cpp.inc"
      >();
}

void TapestryDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tapestry/Dialect/Tapestry/IR/TapestryTypes.cpp.inc"
      >();
}
