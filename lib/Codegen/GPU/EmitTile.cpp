//===- EmitTile.cpp - Products in tiles -----------------------------------===//
//
// Any function of two inputs under any reduction: a block computes a square of
// results. Of what is reduced it goes from step to step, for which the rows of
// one input and the columns of the other lie in shared memory; a thread keeps
// some rows times some columns of results in registers. At the ends rows,
// columns and terms that are there are read again, and what has no place is not
// stored.
//
//===----------------------------------------------------------------------===//

#include "LaunchEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tapestry/Codegen/GPU/ProductShape.h"

using namespace mlir;

namespace tapestry {
namespace {

/// Results of a block in both directions, terms of a step, and results of a
/// thread in both directions.
constexpr int64_t tile = 64, step = 16, perThread = 4;
/// From one term of a step to the next in shared memory: other banks.
constexpr int64_t pitch = tile + 4;
static_assert(tile / perThread * (tile / perThread) == blockThreads);

/// Which loops are rows and columns: threads of a warp have columns side by
/// side.
std::optional<ProductShape> shapeOf(const Nest &nest) {
  if (nest.outputs.size() != 1 || !nest.outputs[0].accumulates)
    return std::nullopt;
  return findProductShape(nest.problem);
}

class TileEmitter : public NestLauncher {
public:
  TileEmitter(IndexBuilder &b, Nest &nest, ProductShape shape)
      : NestLauncher(b, nest), shape(std::move(shape)) {}

  void emit();

private:
  OpFoldResult atMost(OpFoldResult place, OpFoldResult extent) {
    return b.min(place, b.sub(extent, b.index(1)));
  }
  void fetch(unsigned operand, Value memory, ArrayRef<unsigned> lines,
             OpFoldResult from, OpFoldResult extent, OpFoldResult term);
  IndexList addStep(ValueRange sums, OpFoldResult term, OpFoldResult count);
  IndexList addTerm(ValueRange sums, OpFoldResult within, OpFoldResult term);
  NestPoint pointAt(unsigned row, unsigned column);

  ProductShape shape;
  OpFoldResult numRows, numColumns, numTerms;
  OpFoldResult firstRow, firstColumn;
  /// Of the thread: its rows and columns within the block's.
  SmallVector<OpFoldResult> rows, columns;
  Value left, right;
  NestPoint batch;
};

/// Puts `tile` lines of an input, from line `from` on, for the terms from
/// `term` on into shared memory: threads side by side read what lies side by
/// side.
void TileEmitter::fetch(unsigned operand, Value memory,
                        ArrayRef<unsigned> lines, OpFoldResult from,
                        OpFoldResult extent, OpFoldResult term) {
  const NestAccess &access = nest.problem.accesses[operand];
  bool isAlongTerms = llvm::any_of(
      shape.terms, [&](unsigned loop) { return access.strides[loop] == 1; });
  int64_t inner = isAlongTerms ? step : tile;
  for (int64_t first = 0; first < tile * step; first += blockThreads) {
    OpFoldResult number = b.add(thread, b.index(first));
    OpFoldResult outer = b.div(number, b.index(inner));
    OpFoldResult within = b.sub(number, b.mul(outer, b.index(inner)));
    OpFoldResult line = isAlongTerms ? outer : within;
    OpFoldResult ofStep = isAlongTerms ? within : outer;
    NestPoint at =
        moveTo(moveTo(batch, lines, atMost(b.add(from, line), extent)),
               shape.terms, atMost(b.add(term, ofStep), numTerms));
    Value place = b.value(b.add(b.mul(ofStep, b.index(pitch)), line));
    memref::StoreOp::create(b, loadAt(operand, at.offset[operand]), memory,
                            place);
  }
}

NestPoint TileEmitter::pointAt(unsigned row, unsigned column) {
  return moveTo(
      moveTo(batch, shape.rows, atMost(b.add(firstRow, rows[row]), numRows)),
      shape.columns, atMost(b.add(firstColumn, columns[column]), numColumns));
}

/// One term of all results of the thread.
TileEmitter::IndexList
TileEmitter::addTerm(ValueRange sums, OpFoldResult within, OpFoldResult term) {
  auto readLines = [&](Value memory, ArrayRef<OpFoldResult> lines) {
    return llvm::map_to_vector(lines, [&](OpFoldResult line) -> Value {
      return memref::LoadOp::create(
          b, memory, b.value(b.add(b.mul(within, b.index(pitch)), line)));
    });
  };
  SmallVector<Value> fromLeft = readLines(left, rows);
  SmallVector<Value> fromRight = readLines(right, columns);
  BodyEmitter body(b, nest.body(), /*lanes=*/1);
  for (unsigned number = 0; number <= nest.numInputs(); ++number)
    body.setArgumentVariance(
        number, {int(number) != shape.right, int(number) != shape.left});
  for (unsigned dim = 0; dim < nest.loopOf.size(); ++dim)
    body.setIndexVariance(dim, {true, true});
  auto argument = [&](unsigned number, Site site) -> Value {
    if (int(number) == shape.left)
      return fromLeft[site.row];
    if (int(number) == shape.right)
      return fromRight[site.column];
    if (number == nest.numInputs())
      return sums[site.row * perThread + site.column];
    return loadAt(number, pointAt(site.row, site.column).offset[number]);
  };
  auto index = [&](unsigned dim, Site site) -> Value {
    int loop = nest.loopOf[dim];
    if (loop < 0)
      return b.value(0);
    NestPoint there = moveTo(pointAt(site.row, site.column), shape.terms, term);
    return b.value(there.index[loop]);
  };
  IndexList next;
  for (unsigned row = 0; row < perThread; ++row)
    for (unsigned column = 0; column < perThread; ++column)
      next.push_back(body.evaluate(nest.outputs[0].yielded, {row, column},
                                   argument, index));
  return next;
}

/// The terms from `term` on, `count` of which there are.
TileEmitter::IndexList TileEmitter::addStep(ValueRange sums, OpFoldResult term,
                                            OpFoldResult count) {
  barrier();
  fetch(shape.left, left, shape.rows, firstRow, numRows, term);
  fetch(shape.right, right, shape.columns, firstColumn, numColumns, term);
  barrier();
  return loop(b.index(0), count, b.index(1), sums,
              [&](OpFoldResult within, ValueRange carried) {
                return addTerm(carried, within, b.add(term, within));
              });
}

void TileEmitter::emit() {
  numRows = product(extentsOf(shape.rows));
  numColumns = product(extentsOf(shape.columns));
  numTerms = product(extentsOf(shape.terms));
  OpFoldResult tilesDown = b.ceilDiv(numRows, b.index(tile));
  OpFoldResult tilesAcross = b.ceilDiv(numColumns, b.index(tile));
  OpFoldResult batches = product(extentsOf(shape.batch));
  OpFoldResult whole = b.alignDown(numTerms, step);
  begin(b.mul(batches, b.mul(tilesDown, tilesAcross)), blockThreads);
  left = share(nest.operands[shape.left].elementType, pitch * step);
  right = share(nest.operands[shape.right].elementType, pitch * step);
  auto places = takeApart(block, {batches, tilesDown, tilesAcross});
  batch = moveTo(nest.origin(b), shape.batch, places[0]);
  firstRow = b.mul(places[1], b.index(tile));
  firstColumn = b.mul(places[2], b.index(tile));
  OpFoldResult down = b.div(thread, b.index(tile / perThread));
  OpFoldResult across = rest(thread, b.index(tile / perThread));
  SmallVector<Value> starts;
  for (int64_t number = 0; number < perThread; ++number) {
    rows.push_back(b.add(b.mul(down, b.index(perThread)), b.index(number)));
    columns.push_back(
        b.add(b.mul(across, b.index(perThread)), b.index(number)));
  }
  for (unsigned row = 0; row < perThread; ++row)
    for (unsigned column = 0; column < perThread; ++column)
      starts.push_back(startOf(0, pointAt(row, column)));

  IndexList sums = loop(b.index(0), whole, b.index(step), starts,
                        [&](OpFoldResult term, ValueRange carried) {
                          return addStep(carried, term, b.index(step));
                        });
  auto left = b.known(numTerms);
  if (!left || *left % step != 0)
    sums = loop(whole, numTerms, b.index(step), sums,
                [&](OpFoldResult term, ValueRange carried) {
                  return addStep(carried, term, b.sub(numTerms, term));
                });
  unsigned operand = operandOf(0);
  for (unsigned row = 0; row < perThread; ++row)
    for (unsigned column = 0; column < perThread; ++column) {
      Value isThere = arith::AndIOp::create(
          b, isLess(b.add(firstRow, rows[row]), numRows),
          isLess(b.add(firstColumn, columns[column]), numColumns));
      onlyIf(isThere, [&] {
        storeAt(sums[row * perThread + column], operand,
                pointAt(row, column).offset[operand]);
      });
    }
  end();
}

} // namespace

/// Where results in both directions use what is fetched again.
bool wantsTile(const Nest &nest) {
  std::optional<ProductShape> shape = shapeOf(nest);
  return shape && isWorthFetching(nest.problem, *shape);
}

void emitTile(IndexBuilder &b, Nest &nest) {
  TileEmitter(b, nest, *shapeOf(nest)).emit();
}

} // namespace tapestry
