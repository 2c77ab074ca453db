//===- JSONText.h - What LLVM's JSON parser does not say --------*- C++ -*-===//

#ifndef TAPESTRY_PLANNER_MACHINE_JSONTEXT_H
#define TAPESTRY_PLANNER_MACHINE_JSONTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tapestry::machine {

/// How deep the brackets of a plan file may be nested.
constexpr int64_t deepestPlan = 32;

/// The value that `text` is. Errors have the place "file:line:column", or the
/// file alone where brackets are nested deeper than `what` ("a plan") may be.
llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef text,
                                            llvm::StringRef file,
                                            llvm::StringRef what,
                                            int64_t deepest);

/// The keys of the object that is the top-level member `key`, in the order of
/// the text: JSON objects have none, but the axes of a grid do. `text` is valid
/// JSON.
std::vector<std::string> keysInOrder(llvm::StringRef text, llvm::StringRef key);

} // namespace tapestry::machine

#endif // TAPESTRY_PLANNER_MACHINE_JSONTEXT_H
