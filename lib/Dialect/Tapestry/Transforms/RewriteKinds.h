//===- RewriteKinds.h - What the kinds of rewrites share --------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_REWRITEKINDS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_REWRITEKINDS_H

#include "ProductSum.h"
#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"

namespace tapestry::teg {

/// A kind of rewrite.
struct RewriteKind {
  llvm::StringLiteral name;
  /// Applies it in place. May leave operations that nobody reads. Fails with
  /// the graph untouched.
  llvm::Error (*apply)(GraphOp graph, const model::Rewrite &rewrite);
  /// Appends those of this kind that start from `op`.
  void (*list)(GraphOp graph, EinsumOp op,
               std::vector<model::Rewrite> &rewrites);
};

extern const RewriteKind orderKind, reassociateKind, fuseKind, unfuseKind,
    recomputeKind;

/// The einsum of this name, or an error.
llvm::Expected<EinsumOp> einsumNamed(GraphOp graph, llvm::StringRef name);

/// Names `stem`.1, `stem`.2, ... that no vertex of the graph has.
class FreshNames {
public:
  FreshNames(GraphOp graph, llvm::StringRef stem);
  std::string operator()();

private:
  std::string stem;
  std::vector<std::string> taken;
  unsigned next = 1;
};

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
