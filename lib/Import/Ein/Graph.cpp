//===- Graph.cpp - A checked .ein program ---------------------------------===//

#include "tapestry/Import/Ein/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tapestry::ein;

std::string tapestry::ein::typeToString(ElementType type,
                                        llvm::ArrayRef<int64_t> shape) {
  return (stringify(type) + "[" +
          llvm::join(llvm::map_range(
                         shape, [](int64_t n) { return std::to_string(n); }),
                     ", ") +
          "]")
      .str();
}
