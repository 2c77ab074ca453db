//===- BuiltinRules.h - The rules that Tapestry has -------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_BUILTINRULES_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_BUILTINRULES_H

#include "tapestry/Dialect/Tapestry/Transforms/RewriteRules.h"
#include <deque>

namespace tapestry::teg {

/// How `linear` and `matmul` expand.
void addLinearRules(std::deque<RewriteRule> &rules);
/// How `where`, `max` and `min` expand.
void addChoiceRules(std::deque<RewriteRule> &rules);
/// What becomes one vertex where nothing else reads what lies between.
void addFoldRules(std::deque<RewriteRule> &rules);

inline std::deque<RewriteRule> builtinRules() {
  std::deque<RewriteRule> rules;
  addLinearRules(rules);
  addChoiceRules(rules);
  addFoldRules(rules);
  return rules;
}

/// A sum of products that is not cut along a label that it reduces: the white
/// paper's block, which reads the label whole.
void keepWhole(EinsumOp op, llvm::StringRef label);

/// Whether a list of constraints asks for several parts of a label.
bool asksToCut(mlir::Attribute constraints, llvm::StringRef label);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_BUILTINRULES_H
