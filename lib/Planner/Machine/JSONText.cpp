//===- JSONText.cpp - What LLVM's JSON parser does not say ----------------===//

#include "tapestry/Planner/Machine/JSONText.h"
#include "llvm/Support/JSON.h"
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

std::vector<std::string> tapestry::machine::keysInOrder(llvm::StringRef text,
                                                        llvm::StringRef key) {
  std::vector<std::string> keys;
  int depth = 0;
  bool isInside = false;
  std::string last;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      size_t end = i + 1;
      while (text[end] != '"')
        end += text[end] == '\\' ? 2 : 1;
      auto string = llvm::json::parse(text.slice(i, end + 1));
      last = string ? string->getAsString().value_or("").str() : "";
      llvm::consumeError(string.takeError());
      i = end;
    } else if (c == ':') {
      if (depth == 1)
        isInside = last == key;
      else if (depth == 2 && isInside)
        keys.push_back(last);
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return keys;
}
