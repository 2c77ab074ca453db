//===- RewriteKinds.h - What the kinds of rewrites share --------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_REWRITEKINDS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_REWRITEKINDS_H

#include "ProductSum.h"
#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace tapestry::teg {

/// A graph that rewrites are applied to, with its vertices by name: what a
/// rewrite does is noted where it is done, so that it costs as much as it
/// changes, however large the graph is.
class RewrittenGraph : public mlir::OpBuilder::Listener {
public:
  explicit RewrittenGraph(GraphOp graph);

  /// The einsum of this name, or an error.
  llvm::Expected<EinsumOp> einsumNamed(llvm::StringRef name) const;
  /// A builder whose insertions are seen.
  mlir::OpBuilder builder();
  /// `stem`.1, `stem`.2, ...: the first that no vertex has.
  std::string freshName(llvm::StringRef stem) const;
  /// Puts an operation that is in no block in the place of another.
  void substitute(EinsumOp old, EinsumOp replacement);
  /// Puts a value in the place of an einsum's result.
  void replace(EinsumOp old, mlir::Value value);
  void erase(EinsumOp op);
  /// Erases what no sink or sequence point observes any more. A rewrite is not
  /// to lose an input, so sources stay.
  void erasePointless();

  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override;

private:
  GraphOp graph;
  llvm::StringMap<mlir::Operation *> vertices;
  /// Einsums that may have lost their last reader.
  llvm::SetVector<mlir::Operation *> doubtful;
};

/// A kind of rewrite.
struct RewriteKind {
  llvm::StringLiteral name;
  /// Applies it in place. May leave operations that nobody reads. Fails with
  /// the graph untouched.
  llvm::Error (*apply)(RewrittenGraph &graph, const model::Rewrite &rewrite);
  /// Appends those of this kind that start from `op`.
  void (*list)(EinsumOp op, std::vector<model::Rewrite> &rewrites);
};

extern const RewriteKind orderKind, reassociateKind, fuseKind, unfuseKind,
    recomputeKind;

/// The rewrite that orders a product by a tree.
model::Rewrite orderRewrite(llvm::StringRef vertex,
                            const contraction::ContractionTree &tree);

/// The steps of a tree from a rewrite's arguments "0 2" and "1".
llvm::Expected<std::vector<contraction::ContractionStep>>
parseSteps(llvm::ArrayRef<std::string> arguments);
std::vector<std::string>
printSteps(llvm::ArrayRef<contraction::ContractionStep> steps);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_REWRITEKINDS_H
