//===- NestEmitter.h - What the nest emitters share -------------*- C++ -*-===//
//
// Loops, masks and vector accesses, and the entry points of the emitters that
// carry out a NestPlan, one per kind.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_CPU_NESTEMITTER_H
#define TAPESTRY_LIB_CODEGEN_CPU_NESTEMITTER_H

#include "tapestry/Codegen/CPU/FloatEmitter.h"
#include "tapestry/Codegen/CPU/NestPlan.h"
#include "tapestry/Codegen/Common/BodyEmitter.h"
#include "tapestry/Codegen/Common/Nest.h"

namespace tapestry {

/// Marks a vector.create_mask whose bound is known to fit 32 bits.
inline constexpr llvm::StringLiteral tailMaskAttrName = "tapestry.tail_mask";

/// Each builds the loops of a materialised nest at `b`'s insertion point.
void emitMap(IndexBuilder &b, Nest &nest, const NestPlan &plan,
             const TargetInfo &target);
void emitTile(IndexBuilder &b, Nest &nest, const NestPlan &plan,
              const TargetInfo &target);
void emitScan(IndexBuilder &b, Nest &nest, const NestPlan &plan,
              const TargetInfo &target);
void emitLaneReduction(IndexBuilder &b, Nest &nest, const NestPlan &plan,
                       const TargetInfo &target);

class NestEmitter {
public:
  NestEmitter(IndexBuilder &b, Nest &nest, const NestPlan &plan,
              const TargetInfo &target)
      : b(b), nest(nest), plan(plan), target(target) {}

protected:
  using IndexList = llvm::SmallVector<mlir::Value>;

  struct Range {
    mlir::OpFoldResult from, to;
  };
  /// Asks for the calling thread's part of the loop that is shared out; what is
  /// built from here on runs over that. In a triangle its runs take longer and
  /// longer, as 1, 2, 3, ... do.
  void takeShare(bool isTriangle = false);
  /// The points of loop `dim` that the calling thread computes. They begin at a
  /// multiple of plan.splitStep, and end at one or with the loop.
  Range pointsOf(unsigned dim);
  /// Of `points` of a loop of `extent` points: `fn` for whole runs of `step`
  /// points, and `rest` for what is left of the loop.
  void wholeRuns(const Range &points, mlir::OpFoldResult extent, int64_t step,
                 llvm::function_ref<void(mlir::OpFoldResult)> fn,
                 llvm::function_ref<void(const Range &)> rest);

  /// Runs `fn` for iv = from, from + step, ... < to; without a loop where there
  /// is one step only.
  void loop(mlir::OpFoldResult from, mlir::OpFoldResult to, int64_t step,
            llvm::function_ref<void(mlir::OpFoldResult)> fn) {
    loop(from, to, b.index(step), fn);
  }
  void loop(mlir::OpFoldResult from, mlir::OpFoldResult to,
            mlir::OpFoldResult step,
            llvm::function_ref<void(mlir::OpFoldResult)> fn);
  /// The same with values carried from step to step.
  IndexList
  loop(mlir::OpFoldResult from, mlir::OpFoldResult to, mlir::OpFoldResult step,
       mlir::ValueRange carried,
       llvm::function_ref<IndexList(mlir::OpFoldResult, mlir::ValueRange)> fn);
  /// Nested loops over all points of these loops.
  void loops(llvm::ArrayRef<unsigned> dims, const NestPoint &point,
             llvm::function_ref<void(const NestPoint &)> fn);

  /// A mask of the first `remaining` lanes; null when all `lanes` are known to
  /// hold data.
  mlir::Value maskFor(mlir::OpFoldResult remaining, unsigned lanes);
  /// The same of the elements behind the whole vectors of a row: so few that
  /// their number fits 32 bits.
  mlir::Value tailMask(mlir::OpFoldResult remaining, unsigned lanes);

  /// `lanes` elements of an operand from `offset` on, `stride` apart: a scalar
  /// where the stride is 0.
  mlir::Value load(const NestOperand &operand, mlir::OpFoldResult offset,
                   mlir::OpFoldResult stride, unsigned lanes, mlir::Value mask);
  void store(mlir::Value vector, const NestOperand &operand,
             mlir::OpFoldResult offset, mlir::OpFoldResult stride,
             mlir::Value mask);
  /// Stores what a nest's outputs are at a point: parts of one buffer together.
  void storeOutputs(
      llvm::ArrayRef<NestOperand> operands,
      llvm::function_ref<mlir::Value(unsigned output)> valueOf,
      llvm::function_ref<mlir::OpFoldResult(unsigned operand)> offsetOf,
      mlir::Value mask);
  mlir::Value loadScalar(const NestOperand &operand, mlir::OpFoldResult offset);
  void storeScalar(mlir::Value scalar, const NestOperand &operand,
                   mlir::OpFoldResult offset);

  /// Copies `lines` x `columns` elements of an operand, whose lines are
  /// `lineStride` = 1 and columns `columnStride` apart from `offset` on, to
  /// `target`, where columns lie side by side and lines `targetStride` apart.
  /// Works on squares of plan.lanes: up to plan.lanes - 1 lines and columns
  /// more are written, whatever they hold.
  void copyTransposed(const NestOperand &operand, mlir::OpFoldResult offset,
                      mlir::OpFoldResult columnStride, mlir::OpFoldResult lines,
                      mlir::OpFoldResult columns, const NestOperand &target,
                      mlir::OpFoldResult targetOffset, int64_t targetStride);
  /// The same of the squares from `line` on, of what `lanesAt` reads: `lanes`
  /// lines of a column.
  void copySquares(llvm::function_ref<mlir::Value(mlir::OpFoldResult line,
                                                  mlir::OpFoldResult column)>
                       lanesAt,
                   unsigned lanes, mlir::OpFoldResult line,
                   mlir::OpFoldResult columns, const NestOperand &target,
                   mlir::OpFoldResult targetOffset, int64_t targetStride);
  /// A buffer of `size` elements as an operand without strides.
  NestOperand allocate(mlir::Type elementType, mlir::OpFoldResult size);

  /// The loop index of `dim` (a loop of the op) at `point`; a vector where
  /// lanes run along it.
  mlir::Value indexAt(const NestPoint &point, unsigned dim, unsigned lanes,
                      mlir::Value mask);
  /// 0, 1, ... lanes - 1, of index type.
  mlir::Value stepVector(unsigned lanes);
  mlir::Value splat(mlir::TypedAttr value, unsigned lanes);

  /// Whether the op adds floats, whose rounding errors pile up in long sums.
  /// These are added in blocks, the blocks' sums with their errors.
  static bool addsFloats(const OutputBody &output) {
    return mlir::isa_and_nonnull<mlir::arith::AddFOp>(output.combine);
  }
  /// sum + value, the error of which goes to the sum's low part.
  FloatPair addTo(FloatPair sum, mlir::Value value);
  /// The sum in one number.
  mlir::Value rounded(FloatPair sum);

  /// Whether the op has one output, a maximum or minimum of floats.
  bool isExtreme() const;
  /// Whether none of these maxima or minima is a zero that another zero, of the
  /// other sign, would have beaten: an i1 or a vector of them.
  mlir::Value haveCertainZeros(mlir::Operation *combine,
                               mlir::ValueRange results);

  IndexBuilder &b;
  Nest &nest;
  const NestPlan &plan;
  const TargetInfo &target;

private:
  std::optional<Range> share;

  /// The first lanes of a mask, times `factor`, plus `shift`.
  mlir::Value scaledMask(mlir::Value mask, int64_t factor, int64_t shift);
  mlir::Value loadEveryOther(const NestOperand &operand,
                             mlir::OpFoldResult offset, mlir::Value mask,
                             mlir::Value rest);
  void storeParts(mlir::Value first, mlir::Value second,
                  const NestOperand &operand, mlir::OpFoldResult offset,
                  mlir::Value mask);
  /// A store of lanes that are `stride` apart, one after the other.
  void storeEachLane(mlir::Value vector, const NestOperand &operand,
                     mlir::OpFoldResult offset, mlir::OpFoldResult stride,
                     mlir::Value mask);
  mlir::Value laneOffsets(mlir::OpFoldResult stride, unsigned lanes);
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_CPU_NESTEMITTER_H
