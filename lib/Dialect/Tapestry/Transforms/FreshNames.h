//===- FreshNames.h - Names that no vertex has ------------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_FRESHNAMES_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_FRESHNAMES_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "llvm/ADT/StringSet.h"

namespace tapestry::teg {

/// Names that no vertex of a graph has.
class FreshNames {
public:
  explicit FreshNames(GraphOp graph) {
    graph.walk([&](BlockOpInterface op) {
      if (!mlir::isa<SinkOp>(op.getOperation()))
        taken.insert(op.getVertexName());
    });
  }
  /// `stem`, or `stem`.2, `stem`.3, ...: the first that is free.
  std::string next(const llvm::Twine &stem) {
    std::string base = stem.str(), name = base;
    // None becomes free again.
    unsigned &number = tried[base];
    if (number != 0)
      name = base + "." + std::to_string(number);
    while (!taken.insert(name).second) {
      number = std::max(number + 1, 2u);
      name = base + "." + std::to_string(number);
    }
    return name;
  }

private:
  llvm::StringSet<> taken;
  /// Per stem the number of the name that was the last; 0: itself.
  llvm::StringMap<unsigned> tried;
};

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_FRESHNAMES_H
