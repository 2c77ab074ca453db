//===- JSONText.h - What LLVM's JSON parser does not say --------*- C++ -*-===//

#ifndef TAPESTRY_PLANNER_MACHINE_JSONTEXT_H
#define TAPESTRY_PLANNER_MACHINE_JSONTEXT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tapestry::machine {

/// The deepest nesting of brackets in `text`, valid JSON or not. LLVM's parser
/// recurses without a limit.
int64_t nestingDepth(llvm::StringRef text);

/// The keys of the object that is the top-level member `key`, in the order of
/// the text: JSON objects have none, but the axes of a grid do. `text` is valid
/// JSON.
std::vector<std::string> keysInOrder(llvm::StringRef text, llvm::StringRef key);

} // namespace tapestry::machine

#endif // TAPESTRY_PLANNER_MACHINE_JSONTEXT_H
