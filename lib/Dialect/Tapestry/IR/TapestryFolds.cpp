//===- TapestryFolds.cpp - Canonical forms of tapestry's ops --------------===//

#include "mlir/IR/PatternMatch.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;
void EinsumOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {
}
