//===- TileEmitter.h - Register-tiled reductions ----------------*- C++ -*-===//
//
// Carries out NestKind::Tile: blocks of the vector loop and of the reduction,
// panels of packed operands, and tiles of rows x vectors whose accumulators
// stay in registers over a block of the reduction.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_TRANSFORMS_TILEEMITTER_H
#define TAPESTRY_LIB_CODEGEN_TRANSFORMS_TILEEMITTER_H

#include "NestEmitter.h"

namespace tapestry {

class TileEmitter : public NestEmitter {
public:
  TileEmitter(IndexBuilder &b, Nest &nest, const NestPlan &plan,
              const TargetInfo &target);
  void emit();

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
    llvm::SmallVector<mlir::Value, 8> masks;
    /// Per operand and row: the offset at the start of the reduction.
    llvm::SmallVector<llvm::SmallVector<mlir::OpFoldResult, 16>, 4> offsets;
  };

  void planBlocks();
  void emitBlocks(const NestPoint &point);
  void emitRows(const Block &block);
  void emitColumns(const Block &block, const NestPoint &point, unsigned rows);
  void emitTile(const Block &block, const NestPoint &point, unsigned rows,
                mlir::OpFoldResult remaining);
  IndexList startValues(const Tile &tile);
  IndexList reduce(const Tile &tile, IndexList accumulators);
  IndexList emitStep(const Tile &tile, const NestPoint &steps,
                     mlir::ValueRange accumulators);
  mlir::Value loadArgument(const Tile &tile, const NestPoint &steps,
                           unsigned number, Site site);
  mlir::OpFoldResult columnOffset(unsigned operand, unsigned column);
  mlir::Value outputMask(const Tile &tile, unsigned column) {
    return tile.masks[column];
  }
  /// Loops over the reduction from inner[level] on; `steps` holds the offsets
  /// since the block's start.
  IndexList reductionLoops(
      const Block &block, NestPoint steps, mlir::ValueRange carried,
      llvm::function_ref<IndexList(const NestPoint &, mlir::ValueRange)> fn,
      unsigned level = 0, unsigned levels = ~0u);
  mlir::OpFoldResult innerExtent(const Block &block, unsigned level) {
    return level == 0 ? block.steps : nest.extents[plan.inner[level]];
  }

  // Packing.cpp
  void allocatePanels();
  void freePanels();
  void pack(const Block &block);
  void packPanel(const Block &block, unsigned operand, const NestPoint &source,
                 mlir::OpFoldResult target, mlir::OpFoldResult columns);
  void packVectors(const Block &block, unsigned operand,
                   const NestPoint &source, mlir::OpFoldResult target,
                   mlir::OpFoldResult columns);
  void packTransposed(const Block &block, unsigned operand,
                      const NestPoint &source, mlir::OpFoldResult target,
                      mlir::OpFoldResult columns);
  void packElements(const Block &block, unsigned operand,
                    const NestPoint &source, mlir::OpFoldResult target,
                    mlir::OpFoldResult columns);

  unsigned width() const { return plan.lanes * plan.vectors; }

  /// Steps of inner[0] and columns per block; reduction points per block.
  mlir::OpFoldResult blockSteps, blockColumns, blockPoints;
  /// The operands as the tile reads them: panels in place of packed ones.
  llvm::SmallVector<NestOperand, 4> sources;
  llvm::SmallVector<mlir::Value, 4> panels;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_TRANSFORMS_TILEEMITTER_H
