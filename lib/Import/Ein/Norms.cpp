//===- Norms.cpp - Uses of the language's macros --------------------------===//
//
// Analysis checks a macro of the language as one statement; what it expands to
// is built from the checked graph (Dialect/Tapestry/Macros).
//
//===----------------------------------------------------------------------===//

#include "StatementAnalyzer.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

bool StatementAnalyzer::checkMacroLabels() {
  if (!normalises())
    return true;
  llvm::StringRef name = stringify(*equation.macro);
  for (const Label &label : equation.reduceLabels) {
    if (llvm::none_of(equation.labels,
                      [&](const Label &l) { return l.name == label.name; })) {
      diagnostics.error(label.range, "label '" + label.name + "' of '" + name +
                                         "' must also be on the left side");
      return false;
    }
    if (label.extent) {
      diagnostics.error(label.extent->range, "the extent of a label of '" +
                                                 name +
                                                 "' is given on the left side");
      return false;
    }
  }
  return true;
}

bool StatementAnalyzer::checkMacroOperand() {
  if (!equation.macro)
    return true;
  llvm::StringRef name = stringify(*equation.macro);
  std::optional<ExprType> type = infer(equation.expr);
  if (!type || !requireOperand(*equation.macro, equation.expr, *type))
    return false;
  for (LabelState &label : labels) {
    if (label.owner)
      continue;
    const auto *inner =
        llvm::find_if(equation.reduceLabels, [&](const Label &given) {
          return given.name == label.name;
        });
    bool isInner = inner != equation.reduceLabels.end();
    if (isInner && !label.used) {
      diagnostics.error(inner->range, "'" + name + "' runs over label '" +
                                          label.name +
                                          "', but its operand does not use it");
      return false;
    }
    label.role = isInner      ? LabelRole::Inner
                 : label.used ? LabelRole::Outer
                              : LabelRole::Unused;
  }
  // Epsilon decides nothing of the operand's labels.
  if (!inferExtents(/*ofUsed=*/true))
    return false;
  if (!equation.epsilon)
    return true;
  current = &vertex.epsilon;
  return collect(equation.epsilon) && checkLabelUse();
}

bool StatementAnalyzer::buildEpsilon(ElementType type) {
  if (!equation.epsilon)
    return true;
  // Sums, to which it is added, are kept in f32 where the type is narrower.
  ElementType wide =
      type == ElementType::F64 ? ElementType::F64 : ElementType::F32;
  bool fits = type == wide ? arithmetic(equation.expr->range, "'+'",
                                        equation.expr, equation.epsilon)
                                 .has_value()
                           : infer(equation.epsilon).has_value();
  current = &vertex.epsilon;
  return fits && buildCast(equation.epsilon, wide).has_value();
}
