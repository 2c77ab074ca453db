//===- LanePanels.cpp - Operands with few columns -------------------------===//
//
// Copies what is read for each of few columns into a panel: vectors along the
// reduction lie one after another, in each as many as there are columns, so
// that tiles of rows x columns read it from end to end. What the body reads
// through a conversion to a wider type alone is converted here.
//
//===----------------------------------------------------------------------===//

#include "LaneReductionEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tapestry {

void LaneReductionEmitter::allocatePanels() {
  panels.assign(nest.operands.size(), std::nullopt);
  for (auto [number, panel] : llvm::enumerate(panels)) {
    if (plan.packing[number] == Packing::None)
      continue;
    OpFoldResult columns = nest.extents[plan.columnDim];
    OpFoldResult size =
        b.mul(b.alignUp(nest.extents[plan.vectorDim], plan.lanes), columns);
    // copyTransposed writes whole squares; the last may stick out.
    size = b.add(size, b.index(int64_t(plan.lanes) * plan.lanes));
    Operation *conversion = nest.conversionOf(number);
    panel = allocate(conversion ? conversion->getResult(0).getType()
                                : nest.operands[number].elementType,
                     size);
    panel->conversion = conversion;
    panel->strides[plan.vectorDim] = columns;
    panel->strides[plan.columnDim] = b.index(plan.lanes);
  }
}

/// Puts panels of what packed operands hold from `point` on in their place.
NestPoint LaneReductionEmitter::packColumns(const NestPoint &point) {
  NestPoint start = point;
  for (auto [number, panel] : llvm::enumerate(panels)) {
    if (!panel)
      continue;
    packOperand(number, point);
    nest.operands[number] = *panel;
    start.offset[number] = b.index(0);
  }
  return start;
}

void LaneReductionEmitter::packOperand(unsigned number,
                                       const NestPoint &point) {
  const NestOperand &from = nest.operands[number], &panel = *panels[number];
  OpFoldResult columns = nest.extents[plan.columnDim];
  OpFoldResult all = nest.extents[plan.vectorDim];
  OpFoldResult step = from.strides[plan.vectorDim];
  OpFoldResult apart = from.strides[plan.columnDim];
  const NestAccess &access = nest.problem.accesses[number];
  auto packLanes = [&](OpFoldResult read, OpFoldResult write,
                       OpFoldResult left) {
    if (access.strides[plan.columnDim] == 1)
      return copyTransposed(from, read, step, columns,
                            b.min(left, b.index(plan.lanes)), panel, write,
                            plan.lanes);
    loop(b.index(0), columns, 1, [&](OpFoldResult column) {
      Value lanes = load(from, b.add(read, b.mul(column, apart)), step,
                         plan.lanes, maskFor(left, plan.lanes));
      store(lanes, panel, b.add(write, b.mul(column, b.index(plan.lanes))),
            b.index(1), Value());
    });
  };
  loop(b.index(0), all, plan.lanes, [&](OpFoldResult lane) {
    packLanes(b.add(point.offset[number], b.mul(lane, step)),
              b.mul(lane, columns), b.sub(all, lane));
  });
}

/// Fetches what the next rows have here into the L2 cache: each of the tiles of
/// these rows its share. Behind the last rows that is whatever lies there.
void LaneReductionEmitter::fetchRows(const Rows &rows, const NestPoint &point) {
  int64_t tiles =
      llvm::divideCeil(*b.known(nest.extents[plan.columnDim]), plan.columns);
  int64_t share = llvm::divideCeil(plan.rows, tiles);
  OpFoldResult tile =
      b.div(rows.point.index[plan.columnDim], b.index(plan.columns));
  OpFoldResult first = b.add(b.mul(tile, b.index(share)), b.index(plan.rows));
  for (unsigned number = 0; number < nest.numInputs(); ++number) {
    if (panels[number])
      continue;
    const NestOperand &operand = nest.operands[number];
    for (int64_t row = 0; row < share; ++row) {
      OpFoldResult at =
          b.mul(operand.strides[plan.rowDim], b.add(first, b.index(row)));
      memref::PrefetchOp::create(
          b, operand.flat, b.value(b.add(point.offset[number], at)),
          /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
    }
  }
}

} // namespace tapestry
