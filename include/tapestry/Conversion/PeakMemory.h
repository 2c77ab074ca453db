//===- PeakMemory.h - What tapestry-predict-memory found --------*- C++ -*-===//

#ifndef TAPESTRY_CONVERSION_PEAKMEMORY_H
#define TAPESTRY_CONVERSION_PEAKMEMORY_H

#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <vector>

namespace tapestry {

/// The most bytes that any device's arena will hold, as
/// `tapestry-predict-memory` left it in `module`; nothing where it did not or
/// could not.
std::optional<int64_t> predictedPeakBytes(mlir::ModuleOp module);

/// Of every program of `module` the bytes that its first device allocates at
/// most beside its parts of inputs and outputs; nothing where that of one is
/// not known.
std::optional<std::vector<int64_t>>
predictedScratchBytes(mlir::ModuleOp module);

} // namespace tapestry

#endif // TAPESTRY_CONVERSION_PEAKMEMORY_H
