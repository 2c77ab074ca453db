//===- JSONText.cpp - What LLVM's JSON parser does not say ----------------===//

#include "tapestry/Planner/Machine/JSONText.h"
#include <algorithm>

int64_t tapestry::machine::nestingDepth(llvm::StringRef text) {
  int64_t depth = 0, deepest = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString && c == '\\')
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (!inString && (c == '{' || c == '['))
      deepest = std::max(deepest, ++depth);
    else if (!inString && (c == '}' || c == ']'))
      --depth;
  }
  return deepest;
}
