//===- TapestryVerifiers.cpp - Rules of tapestry's ops --------------------===//
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;
LogicalResult GraphOp::verifyRegions() { return success(); }
LogicalResult SourceOp::verify() { return success(); }
LogicalResult EinsumOp::verify() { return success(); }
LogicalResult EinsumOp::verifyRegions() { return success(); }
LogicalResult LabelOp::verify() { return success(); }
