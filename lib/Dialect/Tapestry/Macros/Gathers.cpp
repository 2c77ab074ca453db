//===- Gathers.cpp - Gathers with the checks of their indices -------------===//

#include "IndexCheck.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

GatherOp teg::buildGather(OpBuilder &builder, Location loc,
                          const GatherUse &use, IndexChecks &checks) {
  SmallVector<StringRef> names;
  SmallVector<int64_t> extents;
  for (const ScalarLabel &label : use.labels) {
    names.push_back(label.name);
    extents.push_back(label.extent);
  }
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(use.table.getType()).getShape();
  SmallVector<Value> indices, needed;
  SmallVector<AffineMap> maps = {use.map};
  for (auto [number, index] : llvm::enumerate(use.indices)) {
    AffineExpr label = builder.getAffineDimExpr(use.labels.size() + number);
    int64_t dim =
        llvm::find(use.map.getResults(), label) - use.map.getResults().begin();
    names.push_back(index.label);
    extents.push_back(shape[dim]);
    indices.push_back(index.tensor);
    maps.push_back(index.map);
    if (use.pad || !index.checked)
      continue;
    Value check = checkIndex(
        builder, loc, *index.checked, shape[dim],
        {(use.name + "." + index.label).str(), use.tableName, dim}, checks);
    if (!llvm::is_contained(needed, check))
      needed.push_back(check);
  }
  return GatherOp::create(builder, loc, use.name, names, extents, use.table,
                          indices, maps, use.pad, needed);
}
