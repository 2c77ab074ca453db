//===- Testing.h - Helpers of the front end's unit tests --------*- C++ -*-===//

#ifndef TAPESTRY_UNITTESTS_TARGET_EIN_TESTING_H
#define TAPESTRY_UNITTESTS_TARGET_EIN_TESTING_H

#include "tapestry/Import/Ein/Sema.h"
#include "llvm/ADT/StringExtras.h"

namespace tapestry::ein {

struct Analysis {
  std::optional<Graph> graph;
  /// "line: message" of every error and "line: note: message" of every note.
  std::vector<std::string> messages;

  const Tensor *tensor(llvm::StringRef name) const;
  const Vertex *vertex(llvm::StringRef name) const;
  /// The extents of a vertex's labels: "i:4 j:8".
  std::string labels(llvm::StringRef name) const;
};

/// Analyses a program, which may hold any bytes.
Analysis analyzeText(llvm::StringRef text, const EinOptions &options = {});

} // namespace tapestry::ein

#endif // TAPESTRY_UNITTESTS_TARGET_EIN_TESTING_H
