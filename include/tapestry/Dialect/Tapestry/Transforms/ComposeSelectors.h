//===- ComposeSelectors.h - Selectors in subscripts -------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_COMPOSESELECTORS_H
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_COMPOSESELECTORS_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace tapestry::teg {

/// Adds the pattern that makes readers of selectors read what is behind them;
/// what `tapestry-compose-selectors` does to one reader.
void populateComposeSelectorsPatterns(mlir::RewritePatternSet &patterns);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_COMPOSESELECTORS_H
