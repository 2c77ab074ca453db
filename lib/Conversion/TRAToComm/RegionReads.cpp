//===- RegionReads.cpp - What a region of a block reads of a tensor -------===//

#include "RegionReads.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace tapestry;

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value tapestry::readAt(OpBuilder &b, Location loc, const ProjectionDim &dim,
                       ArrayRef<Value> point) {
  Value place = constant(b, loc, dim.constant);
  for (const AffineTerm &term : dim.terms) {
    Value moved = point[term.dim];
    if (term.coefficient != 1)
      moved = arith::MulIOp::create(b, loc, moved,
                                    constant(b, loc, term.coefficient));
    place = arith::AddIOp::create(b, loc, moved, place);
  }
  return place;
}

Value tapestry::readStart(OpBuilder &b, Location loc, const ProjectionDim &dim,
                          const RegionPoints &region) {
  Value place = readAt(b, loc, dim, region.starts);
  for (const AffineTerm &term : dim.terms) {
    if (term.coefficient >= 0)
      continue;
    Value size =
        getValueOrCreateConstantIndexOp(b, loc, region.sizes[term.dim]);
    Value behind = arith::SubIOp::create(b, loc, size, constant(b, loc, 1));
    behind = arith::MulIOp::create(b, loc, behind,
                                   constant(b, loc, term.coefficient));
    place = arith::AddIOp::create(b, loc, place, behind);
  }
  return place;
}

OpFoldResult tapestry::readSize(OpBuilder &b, Location loc,
                                const ProjectionDim &dim,
                                const RegionPoints &region) {
  if (dim.terms.empty())
    return b.getIndexAttr(1);
  const AffineTerm &term = dim.terms.front();
  int64_t step = std::abs(term.coefficient);
  OpFoldResult size = region.sizes[term.dim];
  if (step == 1)
    return size;
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return b.getIndexAttr(*known == 0 ? 0 : (*known - 1) * step + 1);
  Value points = cast<Value>(size);
  Value read = arith::MulIOp::create(b, loc, points, constant(b, loc, step));
  read = arith::SubIOp::create(b, loc, read, constant(b, loc, step - 1));
  // Of no points nothing.
  return arith::MaxSIOp::create(b, loc, read, constant(b, loc, 0)).getResult();
}

SmallVector<OpFoldResult> tapestry::readSizes(OpBuilder &b, Location loc,
                                              const Projection &read,
                                              const RegionPoints &region) {
  return llvm::map_to_vector(read.dims, [&](const ProjectionDim &dim) {
    return readSize(b, loc, dim, region);
  });
}

AffineMap tapestry::mapInto(OpBuilder &b, const Projection &read,
                            const RegionPoints &region) {
  SmallVector<AffineExpr> subscripts;
  for (const ProjectionDim &dim : read.dims) {
    AffineExpr subscript = b.getAffineConstantExpr(0);
    for (const AffineTerm &term : dim.terms) {
      subscript = b.getAffineDimExpr(term.dim) * term.coefficient;
      std::optional<int64_t> size = getConstantIntValue(region.sizes[term.dim]);
      if (term.coefficient < 0 && !size)
        return {};
      if (term.coefficient < 0)
        subscript = subscript - term.coefficient * (*size - 1);
    }
    subscripts.push_back(subscript);
  }
  return AffineMap::get(region.starts.size(), 0, subscripts, b.getContext());
}
