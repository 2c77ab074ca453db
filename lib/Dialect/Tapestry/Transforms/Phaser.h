//===- Phaser.h - An einsum with one label in phases ------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PHASER_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PHASER_H

#include "RewriteKinds.h"
#include "tapestry/Support/Phases.h"

namespace tapestry::teg {

/// Whether an einsum holds elements of one tensor, as they are.
bool isView(EinsumOp op);

/// Puts one label of an einsum in phases (Support/Phases.h), y = m*q + p: it
/// reads strided views, and its results are interleaved again, Y[y] = W[y
/// floordiv m, y mod m]; where the label is reduced they are combined as all
/// others are.
class Phaser {
public:
  Phaser(EinsumOp op, unsigned label, int64_t count)
      : op(op), label(label), extent(op.getExtents()[label]),
        phases(Phases::of(label, count, extent)),
        isReduced(op.getLabelKinds()[label] != LabelKind::Parallel),
        isSplit(phases.count > 1 && phases.steps > 1) {}

  /// Finds all that is to be made; changes nothing.
  llvm::Error prepare();
  void emit(RewrittenGraph &graph);

private:
  /// Subscripts by which a tensor is read, with what is read outside of it.
  struct Read {
    mlir::Value tensor;
    Projection projection;
    mlir::Attribute pad;
  };

  /// A view that the operand of an einsum in phases is read through.
  struct View {
    Read of;
    llvm::SmallVector<int64_t> shape;
  };

  /// An operand of the einsum in phases: a view or, without one, a tensor,
  /// which `read` names.
  struct PhasedOperand {
    std::optional<View> view;
    Read read;
  };

  llvm::Error prepareOperand(unsigned operand);
  void readBehindView(PhasedOperand &operand);
  Projection substituted(const Projection &projection);
  /// What a read needs beside its tensor; unit where it never leaves it.
  mlir::Attribute padOf(const Read &read,
                        llvm::ArrayRef<int64_t> extents) const;

  void nameLabels();
  mlir::Value emitView(mlir::OpBuilder &builder, llvm::StringRef name,
                       const View &view);
  EinsumOp emitPhases(mlir::OpBuilder &builder, llvm::StringRef name);
  void fillBody(mlir::OpBuilder &builder, EinsumOp made);
  void emitInterleaved(mlir::OpBuilder &builder, EinsumOp made);
  EinsumOp createEinsum(mlir::OpBuilder &builder, llvm::StringRef name,
                        llvm::ArrayRef<std::string> names,
                        llvm::ArrayRef<int64_t> ofExtents,
                        llvm::ArrayRef<mlir::Value> tensors,
                        llvm::ArrayRef<mlir::AffineMap> maps,
                        llvm::ArrayRef<mlir::Attribute> pads, Monoid monoid,
                        mlir::RankedTensorType type);
  mlir::Value emitCopy(mlir::OpBuilder &builder, llvm::StringRef name,
                       llvm::ArrayRef<std::string> names,
                       llvm::ArrayRef<int64_t> shape, const Read &read);

  EinsumOp op;
  unsigned label;
  int64_t extent;
  Phases phases;
  bool isReduced;
  /// Whether the label becomes two. One step is the label's own phases.
  bool isSplit;
  std::vector<PhasedOperand> operands;
  /// Of the einsum in phases: p is the last label where it is one of its own.
  llvm::SmallVector<std::string> names;
  llvm::SmallVector<int64_t> extents;
};

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PHASER_H
