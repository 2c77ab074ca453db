//===- RuleSet.h - Rules as patterns of a context ---------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_RULESET_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_RULESET_H

#include "mlir/IR/PatternMatch.h"
#include "tapestry/Dialect/Tapestry/Transforms/RewriteRules.h"

namespace mlir {
class FrozenRewritePatternSet;
} // namespace mlir

namespace tapestry::teg {

/// The rules' patterns, each made when it is first asked for: patterns in PDLL
/// are compiled then.
class RuleSet {
public:
  explicit RuleSet(mlir::MLIRContext *context);
  ~RuleSet();

  /// Applies a rule with `op` as root, which is of the rule's kind. Fails, with
  /// the reasons of its patterns, where it does not apply; nothing has changed
  /// then.
  llvm::Error apply(const RewriteRule &rule, mlir::Operation *op,
                    mlir::RewriterBase::Listener *listener = nullptr);

private:
  const mlir::FrozenRewritePatternSet &patternsOf(const RewriteRule &rule);

  mlir::MLIRContext *context;
  llvm::DenseMap<const RewriteRule *,
                 std::unique_ptr<mlir::FrozenRewritePatternSet>>
      patterns;
};

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_RULESET_H
