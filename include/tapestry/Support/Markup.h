//===- Markup.h - Text in pages and pictures --------------------*- C++ -*-===//

#ifndef TAPESTRY_SUPPORT_MARKUP_H
#define TAPESTRY_SUPPORT_MARKUP_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tapestry {

/// Text between tags and in quotes, where Graphviz reads HTML's names of
/// characters, too. Backslashes, which it reads several times over, become
/// signs that look alike; control characters and bytes that are no UTF-8 go.
std::string escapedMarkup(llvm::StringRef text);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_MARKUP_H
