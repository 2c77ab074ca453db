//===- RewriteKinds.h - What the kinds of rewrites share --------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_REWRITEKINDS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_REWRITEKINDS_H

#include "ProductSum.h"
#include "RuleSet.h"
#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"

namespace tapestry::teg {

/// A graph that rewrites are applied to, with its vertices by name: what a
/// rewrite does is noted where it is done, so that it costs as much as it
/// changes, however large the graph is.
class RewrittenGraph : public mlir::RewriterBase::Listener {
public:
  /// Rules are taken from `rules`, which several graphs may share; null: it has
  /// its own.
  explicit RewrittenGraph(GraphOp graph, RuleSet *rules = nullptr);

  /// The einsum of this name, or an error.
  llvm::Expected<EinsumOp> einsumNamed(llvm::StringRef name) const;
  /// The operator or vertex of this name, or null.
  mlir::Operation *lookup(llvm::StringRef name) const {
    return vertices.lookup(name);
  }
  /// Applies a rule to a vertex. Names that other vertices have get a number.
  /// Fails with the graph untouched. Returns the operations that were made.
  llvm::Expected<llvm::SmallVector<mlir::Operation *>>
  applyRule(const RewriteRule &rule, mlir::Operation *op);
  /// A builder whose insertions are seen.
  mlir::OpBuilder builder();
  /// `stem`.1, `stem`.2, ...: the first that no vertex has.
  std::string freshName(llvm::StringRef stem) const;
  /// Puts an operation that is in no block in the place of another.
  void substitute(EinsumOp old, EinsumOp replacement);
  /// Puts a value in the place of an einsum's result.
  void replace(EinsumOp old, mlir::Value value);
  void erase(mlir::Operation *op);
  /// Erases what no sink or sequence point observes any more. A rewrite is not
  /// to lose an input, so sources stay.
  void erasePointless();

  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override;
  void notifyOperationErased(mlir::Operation *op) override;
  void notifyOperationReplaced(mlir::Operation *op,
                               mlir::ValueRange values) override;

private:
  void nameMade();

  GraphOp graph;
  llvm::StringMap<mlir::Operation *> vertices;
  /// Operations that may have lost their last reader.
  llvm::SetVector<mlir::Operation *> doubtful;
  /// What a rule has made, while it is applied.
  std::optional<llvm::SetVector<mlir::Operation *>> made;
  /// Of that, what has made the values in the place of others.
  llvm::SmallPtrSet<mlir::Operation *, 4> heirs;
  RuleSet *rules;
  std::unique_ptr<RuleSet> ownRules;
};

/// A kind of rewrite.
struct RewriteKind {
  llvm::StringLiteral name;
  /// Applies it in place. May leave operations that nobody reads. Fails with
  /// the graph untouched.
  llvm::Error (*apply)(RewrittenGraph &graph, const model::Rewrite &rewrite);
  /// Appends those of this kind that start from `op`; null: the kind is that of
  /// rules.
  void (*list)(EinsumOp op, std::vector<model::Rewrite> &rewrites);
};

extern const RewriteKind orderKind, reassociateKind, fuseKind, unfuseKind,
    recomputeKind, phaseKind, expandKind, ruleKind;

/// The operations of a graph in order, those of a loop's body behind the loop.
llvm::SmallVector<mlir::Operation *> operationsOf(GraphOp graph);
/// Those of one kind.
template <typename Op> llvm::SmallVector<Op> operationsOf(GraphOp graph) {
  llvm::SmallVector<Op> ops;
  for (mlir::Operation *op : operationsOf(graph))
    if (auto found = llvm::dyn_cast<Op>(op))
      ops.push_back(found);
  return ops;
}
/// Whether one operation of a graph stands before another in that order.
bool isBefore(mlir::Operation *a, mlir::Operation *b);

/// The name of an operator or vertex; empty where an operation is neither.
llvm::StringRef vertexNameOf(mlir::Operation *op);

/// Writes down on a graph what has been done to it.
void recordRewrites(GraphOp graph, llvm::ArrayRef<model::Rewrite> rewrites);

/// applyInPlace() with rules that several graphs share.
llvm::Error applyInPlace(GraphOp graph, llvm::ArrayRef<model::Rewrite> rewrites,
                         RuleSet *rules);
/// The same for applicableRewrites() and expandOperators().
std::vector<model::Rewrite> applicableRewrites(GraphOp graph, RuleSet *rules);
llvm::Expected<std::vector<model::Rewrite>>
expandOperators(GraphOp graph, llvm::ArrayRef<std::string> preferred,
                RuleSet *rules, GraphPrice price = nullptr);

/// A graph of one operation, on operands that it is given.
mlir::OwningOpRef<GraphOp> isolate(mlir::Operation *op);

/// The expansions of an operator whose rules apply, in the order of precedence.
std::vector<model::Rewrite> listExpansions(OperatorOp op, RuleSet &rules);
/// Appends the global rules that a search may apply to a graph.
void listRules(GraphOp graph, RuleSet &rules,
               std::vector<model::Rewrite> &rewrites);

/// The einsum that computes what `reader` does with the elementwise `producer`
/// in its body, as an operation in no block.
llvm::Expected<EinsumOp> fuseInto(EinsumOp producer, EinsumOp reader);

/// Fails where a graph is planned, and so stays as it is.
llvm::Error checkUnplanned(GraphOp graph);

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
