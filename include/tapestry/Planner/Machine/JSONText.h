//===- JSONText.h - What LLVM's JSON parser does not say --------*- C++ -*-===//

#ifndef TAPESTRY_PLANNER_MACHINE_JSONTEXT_H
#define TAPESTRY_PLANNER_MACHINE_JSONTEXT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tapestry::machine {

/// The deepest nesting of brackets in `text`, valid JSON or not. LLVM's parser
/// recurses without a limit.
int64_t nestingDepth(llvm::StringRef text);

} // namespace tapestry::machine

#endif // TAPESTRY_PLANNER_MACHINE_JSONTEXT_H
