//===- LaneReductionEmitter.h - Reductions over vector lanes ----*- C++ -*-===//
//
// Carries out NestKind::LaneReduction: partial results in the lanes, which are
// combined once per result, and panels of operands with few columns.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_CPU_LANEREDUCTIONEMITTER_H
#define TAPESTRY_LIB_CODEGEN_CPU_LANEREDUCTIONEMITTER_H

#include "NestEmitter.h"

namespace tapestry {

class LaneReductionEmitter : public NestEmitter {
public:
  LaneReductionEmitter(IndexBuilder &b, Nest &nest, const NestPlan &plan,
                       const TargetInfo &target)
      : NestEmitter(b, nest, plan, target) {
    findBlocks();
  }
  void emit();

private:
  /// Rows and columns whose results are computed together, by rows.
  struct Rows {
    NestPoint point;
    unsigned count;
    unsigned columns = 1;
    unsigned results() const { return count * columns; }
  };

  void findBlocks();
  mlir::OpFoldResult manyGroups();
  void emitNest();
  void emitBlocks(const NestPoint &point);
  void emitRowTiles(const NestPoint &point);
  void emitColumns(const NestPoint &point, unsigned rows);
  void emitRows(const Rows &rows);
  void allocatePanels();
  NestPoint packColumns(const NestPoint &point);
  void packOperand(unsigned number, const NestPoint &point);
  void fetchRows(const Rows &rows, const NestPoint &point);
  IndexList resultsOf(const Rows &rows);
  IndexList extremesOf(const Rows &rows);
  IndexList emitPartials(const Rows &rows);
  IndexList mainLoop(const Rows &rows, const NestPoint &point,
                     mlir::OpFoldResult from, mlir::OpFoldResult to,
                     mlir::ValueRange partials);
  IndexList tailLoop(const Rows &rows, const NestPoint &point,
                     mlir::ValueRange partials);
  IndexList allIdentities(unsigned results);
  IndexList sumBlocks(unsigned results, mlir::OpFoldResult extent,
                      mlir::ValueRange sums, mlir::ValueRange start,
                      llvm::function_ref<IndexList(mlir::OpFoldResult from,
                                                   mlir::OpFoldResult to)>
                          block);
  void addPartials(llvm::ArrayRef<mlir::Operation *> combines, IndexList &sums,
                   mlir::ValueRange partials, unsigned from);
  llvm::SmallVector<mlir::Operation *> combinesOf(unsigned results);
  IndexList innerLoops(const Rows &rows, const NestPoint &point,
                       mlir::ValueRange carried, unsigned level, bool inBlocks);
  IndexList emitVectors(const Rows &rows, const NestPoint &point,
                        mlir::ValueRange carried, bool inBlocks);
  IndexList emitStep(const Rows &rows, const NestPoint &point, unsigned lanes,
                     mlir::Value mask, mlir::ValueRange partials);
  mlir::Value combined(mlir::Operation *combine, mlir::Value a, mlir::Value c,
                       unsigned lanes);
  mlir::Value combineLanes(mlir::Operation *combine, mlir::Value wide,
                           mlir::Value narrow);
  mlir::OpFoldResult offsetAt(const NestPoint &point, unsigned operand,
                              Site site);
  IndexList identities(unsigned results, unsigned lanes);

  unsigned wide() const { return plan.lanes * plan.vectors; }
  /// Whether some vectors are narrower than `wide`.
  bool hasTail() const {
    auto extent = b.known(nest.extents[plan.vectorDim]);
    return !extent || *extent % wide() != 0;
  }

  /// Extremes are being reduced without regard to signs of zeros.
  bool ignoresZeros = false;
  /// Long sums are cut into blocks of so many points of the loop
  /// plan.inner[blockLevel], or vectors where that is past the last.
  bool isBlocked = false;
  unsigned blockLevel = 0;
  int64_t blockPoints = 0;
  /// The loops carry the sums of groups with their errors; partial results
  /// where there is one group.
  bool inGroups = false;
  /// Points of the vector loop in this block, and whether results start here:
  /// an i1; null when they always do.
  mlir::OpFoldResult points;
  mlir::Value isFirst;
  /// Per operand: its panel, if it is packed. Vectors along the reduction lie
  /// one after another, in each as many as there are columns.
  llvm::SmallVector<std::optional<NestOperand>, 4> panels;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_CPU_LANEREDUCTIONEMITTER_H
