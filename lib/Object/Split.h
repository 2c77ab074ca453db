//===- Split.h - A module in parts ------------------------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_OBJECT_SPLIT_H
#define TAPESTRY_LIB_OBJECT_SPLIT_H

#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace tapestry {

/// Takes functions out of `module`, into up to `parts` - 1 modules that are
/// about as long as what is left, each as bitcode; linked together, they are
/// what the module was. None where there is little to compile. All data and
/// what refers to them stay. What was internal is hidden, as others call it.
std::vector<llvm::SmallVector<char, 0>> splitModule(llvm::Module &module,
                                                    unsigned parts);

} // namespace tapestry

#endif // TAPESTRY_LIB_OBJECT_SPLIT_H
