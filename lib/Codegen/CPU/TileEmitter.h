//===- TileEmitter.h - Register-tiled reductions ----------------*- C++ -*-===//
//
// Carries out NestKind::Tile: blocks of the vector loop and of the reduction,
// panels of packed operands, and tiles of rows x vectors whose accumulators
// stay in registers over a block of the reduction.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_CPU_TILEEMITTER_H
#define TAPESTRY_LIB_CODEGEN_CPU_TILEEMITTER_H

#include "DotProducts.h"
#include "NestEmitter.h"

namespace tapestry {

/// What a nest whose last inner loop is counted in words of a dot product was
/// before: the points of that loop, and how far apart they are in each operand.
struct WordLoop {
  mlir::OpFoldResult points;
  llvm::SmallVector<mlir::OpFoldResult, 4> strides;
  /// The operands of rows and of columns.
  unsigned rows = 0, columns = 0;
};

/// Counts in words, where the plan asks for a dot product.
WordLoop countWords(IndexBuilder &b, Nest &nest, const NestPlan &plan);

class TileEmitter : public NestEmitter {
public:
  /// `isLong`: the inner loops of a sum have many points.
  TileEmitter(IndexBuilder &b, Nest &nest, const NestPlan &plan,
              const TargetInfo &target, const WordLoop &words, bool isLong);
  void emit();
  using NestEmitter::addsFloats;

private:
  /// One block: where it starts, and its extents.
  struct Block {
    NestPoint point;
    mlir::OpFoldResult columns;
    /// Points of plan.inner[0] in this block.
    mlir::OpFoldResult steps;
    /// Whether accumulators start here: an i1; null when they always do.
    mlir::Value first;
  };
  /// One register tile.
  struct Tile {
    const Block &block;
    NestPoint point;
    unsigned rows;
    /// The first column, in the block.
    mlir::OpFoldResult column;
    /// Per vector, null where all lanes hold data.
    llvm::SmallVector<mlir::Value, 8> masks;
    /// Whether this tile has all its columns after all, as an i1; null when
    /// that is not asked.
    mlir::Value whole;
    /// Per operand and row: the offset at the start of the reduction.
    llvm::SmallVector<llvm::SmallVector<mlir::OpFoldResult, 16>, 4> offsets;
  };

  void planBlocks();
  void planRuns(mlir::OpFoldResult below);
  void emitBlocks(const NestPoint &point);
  bool mirrors() const;
  void mirror(const NestPoint &point);
  void emitGroup(const NestPoint &point, mlir::OpFoldResult columns,
                 mlir::OpFoldResult from, mlir::OpFoldResult to);
  void addGroup(const NestPoint &point, mlir::OpFoldResult columns,
                mlir::OpFoldResult step, mlir::OpFoldResult end);
  void addToTotals(const NestPoint &point, mlir::OpFoldResult at,
                   mlir::Value mask, mlir::Value first, mlir::Value last);
  void emitRows(const Block &block);
  void
  emitLastRows(const Range &rest,
               llvm::function_ref<void(mlir::OpFoldResult, unsigned)> tile);
  void emitColumns(const Block &block, const NestPoint &point, unsigned rows);
  enum class Masks {
    None,
    /// On all accesses.
    All,
    /// On results only, and only where they stick out: the operands are packed.
    Results,
  };
  void emitTile(const Block &block, const NestPoint &point, unsigned rows,
                mlir::OpFoldResult remaining, Masks masks);
  void fetchNext(const Tile &tile);
  IndexList startValues(const Tile &tile);
  IndexList loadResults(const Tile &tile, bool masked);
  void storeResults(const Tile &tile, mlir::ValueRange values, bool masked);
  /// Builds `fn`, whose results have these types, for tiles that need masks
  /// and, where that is asked at run time, for those that do not.
  IndexList withMasks(const Tile &tile, mlir::TypeRange types,
                      llvm::function_ref<IndexList(bool masked)> fn);
  llvm::SmallVector<mlir::Type> accumulatorTypes(unsigned rows);
  bool columnsArePacked() const;
  IndexList reduce(const Tile &tile);
  IndexList reductionOf(const Tile &tile, const IndexList &carried);
  IndexList zeros(unsigned rows);
  IndexList emitStep(const Tile &tile, const NestPoint &steps,
                     mlir::ValueRange carried);
  mlir::Value extreme(mlir::Value accumulator, mlir::Value value);
  void trackOrder(mlir::ValueRange values,
                  llvm::MutableArrayRef<mlir::Value> masks);
  mlir::Value loadArgument(const Tile &tile, const NestPoint &steps,
                           unsigned number, Site site);
  mlir::OpFoldResult columnOffset(unsigned operand, unsigned column);
  /// Loops over the reduction from inner[level] on; `steps` holds the offsets
  /// since the block's start.
  IndexList reductionLoops(
      const Block &block, const NestPoint &steps, mlir::ValueRange carried,
      llvm::function_ref<IndexList(const NestPoint &, mlir::ValueRange)> fn,
      unsigned level = 0, unsigned levels = ~0u);
  mlir::OpFoldResult countFrom(mlir::OpFoldResult from,
                               mlir::OpFoldResult extent,
                               mlir::OpFoldResult size);
  /// `count` points of inner[level], and the loops below.
  IndexList reductionPoints(
      const Block &block, const NestPoint &steps, mlir::ValueRange carried,
      llvm::function_ref<IndexList(const NestPoint &, mlir::ValueRange)> fn,
      unsigned level, unsigned levels, mlir::OpFoldResult from,
      mlir::OpFoldResult count);
  /// Whether there may be many blocks.
  bool hasGroups() const { return addsBlocks && b.known(manyBlocks) != 0; }
  mlir::OpFoldResult innerExtent(const Block &block, unsigned level) {
    return level == 0 ? block.steps : nest.extents[plan.inner[level]];
  }

  // Packing.cpp
  bool isPacked(unsigned operand, Packing kind) const {
    return plan.packing[operand] == kind;
  }
  void allocatePanels();
  void freePanels();
  void packColumns(const Block &block);
  void packRows(const Block &block, const NestPoint &point, unsigned rows);
  void packConverted(
      const Block &block, const NestPoint &point, unsigned operand,
      unsigned level,
      llvm::function_ref<void(mlir::OpFoldResult, mlir::OpFoldResult)> pack);
  void packVectors(const Block &block, unsigned operand);
  std::optional<unsigned> contiguousLevel(unsigned operand);
  void packTransposed(const Block &block, unsigned operand, unsigned level);
  void packElements(const Block &block, unsigned operand);
  /// Loops over the reduction of a block, all but number `without` of them,
  /// with where to read the operand from and where in its panel to write, both
  /// for the operand's start at `start`.
  void packingLoops(const Block &block, unsigned operand,
                    const NestPoint &start, std::optional<unsigned> without,
                    llvm::function_ref<void(mlir::OpFoldResult read,
                                            mlir::OpFoldResult write)>
                        fn);

  // DotTile.cpp
  /// Points of the reduction per step of a tile.
  unsigned group() const { return groupOf(plan.dot); }
  Factor factorOf(unsigned operand) const {
    return nest.problem.accesses[operand].factor;
  }
  bool flipsRows() const {
    return tapestry::flipsRows(factorOf(words.rows), factorOf(words.columns),
                               plan);
  }
  IndexList emitDots(const Tile &tile, const NestPoint &steps,
                     mlir::ValueRange carried);
  mlir::Value addDot(mlir::Value sum, mlir::Value rows, mlir::Value columns);
  mlir::Value wordAt(const NestOperand &operand, mlir::OpFoldResult offset);
  void sumColumns(const Block &block);
  void subtractSums(const Tile &tile, IndexList &values);

  // MatrixTiles.cpp
  void allocateTiles();
  void emitTileRows(const Block &block);
  void multiplyTiles(const Block &block, mlir::OpFoldResult column);
  void addLine(const Block &block, const NestPoint &point,
               mlir::OpFoldResult line, mlir::OpFoldResult column);
  void packTileRows(const Block &block, const NestPoint &point,
                    mlir::OpFoldResult rows);
  void packTileLines(const Block &block, const NestPoint &point,
                     mlir::OpFoldResult rows);
  void packTileSquares(const Block &block, const NestPoint &point,
                       mlir::OpFoldResult rows);
  void storeTileWord(mlir::Value word, mlir::OpFoldResult at,
                     mlir::OpFoldResult row);
  void fillTileColumns(const Block &block);
  void callTiles(llvm::StringRef name, llvm::ArrayRef<unsigned> registers,
                 mlir::ValueRange operands = {});
  mlir::Value addressOf(const NestOperand &operand, mlir::OpFoldResult offset);
  mlir::OpFoldResult wordsIn(const Block &block);

  // PackWords.cpp
  void packWordColumns(const Block &block);
  void packWordVectors(const Block &block);
  void packWordPanels(const Block &block);
  void packWordRows(const Block &block, const NestPoint &point, unsigned rows);
  mlir::Value toWords(mlir::Value elements, unsigned operand);
  mlir::Value orZero(mlir::Value value, unsigned point,
                     mlir::OpFoldResult present);
  mlir::OpFoldResult pointAt(unsigned operand, mlir::OpFoldResult word,
                             unsigned point, mlir::OpFoldResult present);
  mlir::Value wordsAcross(unsigned operand, mlir::OpFoldResult at,
                          mlir::OpFoldResult present, unsigned lanes,
                          mlir::Value mask);
  mlir::Value wordOf(unsigned operand, mlir::OpFoldResult at,
                     mlir::OpFoldResult present);
  /// Where a word's first point is read, where the word goes, and how many
  /// points it has.
  using WordFn =
      llvm::function_ref<void(mlir::OpFoldResult read, mlir::OpFoldResult write,
                              mlir::OpFoldResult present)>;
  /// Runs `fn` for each word of a block of the reduction.
  void wordLoops(const Block &block, unsigned operand, const NestPoint &start,
                 WordFn fn);
  /// The same for the words from number `from` on of the last inner loop.
  void lastWords(const Block &block, unsigned operand, mlir::OpFoldResult from,
                 mlir::OpFoldResult read, mlir::OpFoldResult write, WordFn fn);
  /// Points of the last inner loop from where a block starts.
  mlir::OpFoldResult pointsFrom(const Block &block);
  mlir::OpFoldResult wholeWords(const Block &block);

  unsigned width() const { return plan.lanes * plan.vectors; }
  /// All tiles are known to have all their columns.
  bool wholeTiles() const {
    auto columns = b.known(nest.extents[plan.vectorDim]);
    return columns && *columns % width() == 0;
  }

  /// The tile at hand is one of many, not one of the few at the ends, which are
  /// not worth long code.
  bool inMain = false;
  /// Extremes are being reduced without regard to NaN and signs of zeros; the
  /// values carried are the accumulators and then masks of the lanes that have
  /// seen none.
  bool ignoresNaN = false;
  /// Steps of inner[0] and columns per block; reduction points per block; steps
  /// per group of blocks.
  mlir::OpFoldResult blockSteps, blockColumns, blockPoints, groupSteps;
  /// Blocks are summed on their own.
  bool addsBlocks = false;
  /// Registers add runs of so many points of inner[runLevel]; unset where a
  /// block is one run.
  std::optional<unsigned> runLevel;
  mlir::OpFoldResult runSteps;
  /// A block has many runs, the sums of groups of which are added with their
  /// errors.
  bool isLong;
  /// 1 where they make several groups, the sums of which are added with their
  /// errors; 0 where not.
  mlir::OpFoldResult manyBlocks;
  /// Per output: these sums and their errors for a block of columns, in lines
  /// of this length, one for each row.
  llvm::SmallVector<std::pair<NestOperand, NestOperand>, 2> totals;
  mlir::OpFoldResult totalsLine;
  /// The operands as the tile reads them: panels in place of packed ones.
  llvm::SmallVector<NestOperand, 4> sources;
  llvm::SmallVector<mlir::Value, 4> panels;
  const WordLoop &words;
  /// Where rows are flipped: what is too much in each column of a block.
  std::optional<NestOperand> columnSums;
  /// Of tile registers: how they are divided, and what they have summed.
  NestOperand tileShapes, tileSums;
  /// Words of the inner loops but the outermost.
  mlir::OpFoldResult wordsBelow;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_CPU_TILEEMITTER_H
