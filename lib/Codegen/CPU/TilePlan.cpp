//===- TilePlan.cpp - Register tiles, panels and blocks -------------------===//
//
// How reductions whose results stay in registers are cut: rows x vectors of a
// tile, what is packed, and the blocks that caches hold.
//
//===----------------------------------------------------------------------===//

#include "DotProducts.h"
#include "NestPlanner.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tapestry {

/// The points of a block of few rows.
constexpr int64_t fewRowsBlock = 16;
/// Reductions of so many points may have many blocks.
constexpr int64_t longSum = 4096;
/// What a panel of a block may take: the rows of a tile stay in the L1 cache
/// while panels come from the L2 cache.
constexpr int64_t panelBytes = 64 * 1024;
/// Streams that are read at the same time when nothing is packed or reused.
constexpr int64_t streams = 8;

void NestPlanner::planTile() {
  plan.kind = NestKind::Tile;
  plan.rowDim = rowDimFor(plan.vectorDim);
  orderLoops();
  plan.dot = findDot(problem, target, plan);
  if (plan.dot == Dot::None) {
    fewRows = hasFewRows();
    chooseRegisterTile();
    choosePacking();
  } else {
    plan.tiles = suitsTiles(problem, target, plan);
    DotLayout layout = layOutWords(problem, plan);
    chooseRegisterTile();
    choosePacking();
    packWords(layout, plan);
  }
  chooseBlocks();
  sharePanels();
  plan.mirrors = isSymmetric();
}

/// Whether half of the results will do. Where they are few, most tiles are on
/// the diagonal.
bool NestPlanner::isSymmetric() const {
  if (!problem.symmetric || plan.rowDim < 0 || !plan.shared.empty() ||
      plan.dot != Dot::None)
    return false;
  auto [first, second] = *problem.symmetric;
  return std::minmax<unsigned>(first, second) ==
             std::minmax<unsigned>(plan.vectorDim, plan.rowDim) &&
         problem.dims[plan.vectorDim].extent >= 4 * plan.lanes * plan.vectors;
}

/// Loops that packed columns do not depend on run over their panels. Long sums,
/// which leave totals for each of their results behind, are left as they are.
void NestPlanner::sharePanels() {
  int64_t points = 1;
  for (unsigned dim : plan.inner)
    points *= problem.dims[dim].known ? problem.dims[dim].extent : longSum;
  if (!is_contained(plan.packing, Packing::Columns) || points >= longSum)
    return;
  auto isShared = [&](unsigned dim) {
    return none_of(enumerate(problem.accesses), [&](const auto &numbered) {
      return plan.packing[numbered.index()] == Packing::Columns &&
             numbered.value().dependsOn(dim);
    });
  };
  copy_if(plan.outer, std::back_inserter(plan.shared), isShared);
  llvm::erase_if(plan.outer, isShared);
}

/// Whether there are so few rows that bringing the columns of an operand from
/// memory takes about as long as computing with them. Copying these into panels
/// would only add to that: they are read where they lie, in blocks of so few
/// points of the reduction that the processor foresees what comes.
bool NestPlanner::hasFewRows() const {
  if (plan.rowDim < 0 || problem.mayTrap || plan.inner.size() != 1)
    return false;
  const NestDim &rows = problem.dims[plan.rowDim];
  if (!rows.known || rows.extent > mostFewRows)
    return false;
  return any_of(problem.accesses, [&](const NestAccess &access) {
    return isFarColumn(access) && access.strides[plan.vectorDim] == 1;
  });
}

/// rows x vectors accumulators, a vector or two of each operand with lanes and
/// the body's temporaries fit into the registers.
void NestPlanner::chooseRegisterTile() {
  bool many = target.vectorRegisters >= 32;
  int64_t available =
      plan.rowDim < 0 ? 1
      : problem.dims[plan.rowDim].known
          ? std::max<int64_t>(problem.dims[plan.rowDim].extent, 1)
          : 64;
  if (plan.tiles) {
    // Of the eight registers four add, two have rows and two columns.
    plan.rows = available > tileSize ? 2 * tileSize : tileSize;
    plan.vectors = 2;
  } else if (fewRows) {
    // What is read of the columns serves as many rows as registers allow; tiles
    // are of even size, so that the last one is not a remnant.
    int64_t most = many ? 16 : 6;
    plan.rows = divideCeil(available, divideCeil(available, most));
    plan.vectors = many ? 1 : std::min(bit_floor(12 / plan.rows), 8u);
  } else if (available >= 8 && many)
    plan.rows = 8, plan.vectors = 2;
  else if (available >= 6 && !many)
    plan.rows = 6, plan.vectors = 2;
  else if (available >= 4)
    plan.rows = 4, plan.vectors = many ? 4 : 2;
  else
    plan.rows = available, plan.vectors = many || available == 1 ? 8 : 4;
  // Long bodies are bound by their own instructions; keep the code small.
  while (plan.rows * plan.vectors > 1 &&
         uint64_t(plan.rows) * plan.vectors * problem.bodyCost > 192) {
    if (plan.rows > 1)
      plan.rows = PowerOf2Ceil(plan.rows) / 2;
    else
      plan.vectors /= 2;
  }
  // A vector without any data has nothing to put into its lanes that is sure
  // not to trap.
  if (problem.mayTrap)
    plan.vectors = 1;
  const NestDim &loop = problem.dims[plan.vectorDim];
  if (!loop.known)
    return;
  int64_t whole = divideCeil(std::max<int64_t>(loop.extent, 1), plan.lanes);
  if (whole < plan.vectors) {
    plan.vectors = PowerOf2Ceil(whole);
    if (many && available >= 16 && plan.vectors == 1 && problem.bodyCost <= 8)
      plan.rows = 16;
  }
  // Three vectors where a tenth of the lanes of two would be idle.
  bool isPlain = plan.vectors == 2 && plan.rows == (many ? 8 : 6) && !fewRows;
  if (isPlain && plan.dot == Dot::None && problem.bodyCost <= 2 &&
      alignTo(whole, 2) * 10 >= alignTo(whole, 3) * 11) {
    plan.vectors = 3;
    plan.rows = many ? 8 : 4;
  }
}

void NestPlanner::choosePacking() {
  if (plan.rowDim < 0 || problem.mayTrap)
    return;
  const NestDim &rows = problem.dims[plan.rowDim];
  const NestDim &columns = problem.dims[plan.vectorDim];
  for (auto [number, access] : enumerate(problem.accesses)) {
    if (access.output)
      continue;
    bool byColumn = access.dependsOn(plan.vectorDim);
    bool byRow = access.dependsOn(plan.rowDim);
    int64_t step = stepOf(access);
    if (byColumn && !byRow) {
      bool scattered = access.strides[plan.vectorDim] != 1;
      if (scattered
              ? rows.extent >= 4
              : !fewRows && rows.extent >= packingRows && isFarColumn(access))
        plan.packing[number] = Packing::Columns;
    } else if (byRow && !byColumn &&
               (fewRows || step >= farBytes ||
                (access.converted && step != 0)) &&
               columns.extent >= 4 * plan.lanes * plan.vectors) {
      plan.packing[number] = Packing::Rows;
    }
  }
}

void NestPlanner::chooseBlocks() {
  int64_t points = 1;
  for (unsigned dim : plan.inner)
    points *= problem.dims[dim].extent;
  int64_t width = int64_t(plan.lanes) * plan.vectors;
  int64_t bytes = problem.computeBits / 8;
  bool packs = is_contained(plan.packing, Packing::Columns);
  bool reuse = plan.rowDim >= 0 && problem.dims[plan.rowDim].extent >= 8;
  if (packs) {
    // Rows are packed anew for each block of columns: half as many points leave
    // room for twice as many columns.
    int64_t most =
        is_contained(plan.packing, Packing::Rows) ? panelBytes / 2 : panelBytes;
    plan.reductionBlock = std::max<int64_t>(most / (width * bytes), 16);
    int64_t columns =
        target.l2Bytes / 2 / (plan.reductionBlock * bytes) / width * width;
    plan.vectorBlock = std::max(columns, width);
  } else if (fewRows) {
    plan.reductionBlock = fewRowsBlock;
    plan.fetchesBlocks = true;
    // Two blocks of the operand and one of the results share the L2 cache.
    int64_t lines = 2 * plan.reductionBlock + problem.dims[plan.rowDim].extent;
    int64_t columns = target.l2Bytes / 2 / (lines * bytes) / width * width;
    plan.vectorBlock = std::max(columns, width);
  } else if (!reuse) {
    // Bound by memory: read few streams, each far.
    plan.reductionBlock = streams;
  } else {
    plan.reductionBlock = 1024;
  }
  // One block needs no loop.
  bool known =
      all_of(plan.inner, [&](unsigned dim) { return problem.dims[dim].known; });
  if (known && points <= plan.reductionBlock * 5 / 4) {
    plan.reductionBlock = 0;
    plan.fetchesBlocks = false;
  }
  const NestDim &loop = problem.dims[plan.vectorDim];
  if (loop.known && loop.extent <= plan.vectorBlock)
    plan.vectorBlock = 0;
}

} // namespace tapestry
