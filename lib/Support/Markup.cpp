//===- Markup.cpp - Text in pages and pictures ----------------------------===//

#include "tapestry/Support/Markup.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

std::string tapestry::escapedMarkup(llvm::StringRef text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  for (char c : llvm::json::fixUTF8(text)) {
    bool isControl = static_cast<unsigned char>(c) < ' ' || c == 0x7f;
    os << (c == '\\'  ? "&#8726;"
           : c == '&' ? "&amp;"
           : c == '<' ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '"' ? "&quot;"
                      : llvm::StringRef(isControl ? " " : &c, 1));
  }
  return result;
}
