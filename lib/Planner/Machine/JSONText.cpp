//===- JSONText.cpp - What LLVM's JSON parser does not say ----------------===//

#include "tapestry/Planner/Machine/JSONText.h"
#include "tapestry/Support/Error.h"
#include <algorithm>

using namespace tapestry;

/// The deepest nesting of brackets in `text`, valid JSON or not. LLVM's parser
/// recurses without a limit.
static int64_t nestingDepth(llvm::StringRef text) {
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

llvm::Expected<llvm::json::Value>
tapestry::machine::parseJSON(llvm::StringRef text, llvm::StringRef file,
                             llvm::StringRef what, int64_t deepest) {
  if (int64_t depth = nestingDepth(text); depth > deepest)
    return errorAt(file, "brackets are nested ", depth, " deep, ", what,
                   " has at most ", deepest);
  auto value = llvm::json::parse(text);
  if (value)
    return std::move(*value);
  // The parser's place is in its text alone: "[2:7, byte=28]: Invalid ...".
  std::string said = llvm::toString(value.takeError());
  auto [bracket, reason] = llvm::StringRef(said).split("]: ");
  auto [line, column] = bracket.split(',').first.split(':');
  if (!line.consume_front("[") || reason.empty())
    return errorAt(file, said);
  // An end without a character before it is counted from 0.
  return errorAt(joinedText(file, ":", line, ":", column == "0" ? "1" : column),
                 reason);
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
