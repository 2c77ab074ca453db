//===- CommRim.cpp - What devices lack beside their parts -----------------===//

#include "tapestry/Dialect/Comm/IR/CommRim.h"
#include "LayoutFacts.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Comm/IR/CommRim.cpp.inc"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::comm;

LogicalResult FetchRimOp::canonicalize(FetchRimOp op,
                                       PatternRewriter &rewriter) {
  return detail::eraseUnused(op, rewriter);
}

LogicalResult FetchRimOp::verify() {
  // fetch_rim_c1
  std::optional<Layout> rim =
      detail::LayoutFacts::of(getFrom()).rim(getFrom(), getTo());
  if (!rim)
    return emitOpError("moves from ")
           << getFrom() << " to " << getTo()
           << ", which does not lack the same strip beside each part";
  auto expected =
      index::LayoutAttr::get(getContext(), getFrom().getGrid(), *rim);
  if (getRim() != expected)
    return emitOpError("fetches ")
           << getRim() << ", but what is lacking beside the parts is "
           << expected;
  return success();
}
