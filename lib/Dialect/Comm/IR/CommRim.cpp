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

static Attribute rimAttr(MLIRContext *context,
                         ArrayRef<index::LayoutAttr> rims) {
  if (rims.size() == 1)
    return rims.front();
  return ArrayAttr::get(context, llvm::to_vector_of<Attribute>(rims));
}

void FetchRimOp::build(OpBuilder &builder, OperationState &state,
                       StringRef vertex, Value source, index::LayoutAttr from,
                       index::LayoutAttr to, ArrayRef<index::LayoutAttr> rims,
                       ValueRange after) {
  SmallVector<Type> strips;
  for (index::LayoutAttr rim : rims)
    strips.push_back(detail::resultType(source, rim));
  build(builder, state, strips, TokenType::get(builder.getContext()), vertex,
        source, after, from, to, rimAttr(builder.getContext(), rims),
        detail::groupAxes(from, to));
}

SmallVector<index::LayoutAttr> FetchRimOp::getReceived() {
  if (auto rim = dyn_cast<index::LayoutAttr>(getRim()))
    return {rim};
  return llvm::to_vector(
      cast<ArrayAttr>(getRim()).getAsRange<index::LayoutAttr>());
}

LogicalResult FetchRimOp::verify() {
  // fetch_rim_c1
  SmallVector<index::LayoutAttr> rims;
  for (const Layout &rim :
       detail::LayoutFacts::of(getFrom()).rims(getFrom(), getTo()))
    rims.push_back(
        index::LayoutAttr::get(getContext(), getFrom().getGrid(), rim));
  if (rims.empty())
    return emitOpError("moves from ")
           << getFrom() << " to " << getTo()
           << ", which does not lack the same strips beside each part";
  Attribute expected = rimAttr(getContext(), rims);
  if (getRim() != expected)
    return emitOpError("fetches ")
           << getRim() << ", but what is lacking beside the parts is "
           << expected;
  return success();
}
