//===- JitProgram.h - Run an object file in this process --------*- C++ -*-===//
//
// Links an object file that compileToObject made into the running process.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_OBJECT_JITPROGRAM_H
#define TAPESTRY_OBJECT_JITPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace tapestry {

class JitProgram {
public:
  using Symbol = std::pair<llvm::StringRef, void *>;

  /// What is linked beside an object.
  struct Others {
    /// Object files, which are copied.
    std::vector<llvm::MemoryBufferRef> objects;
    /// Paths of shared libraries.
    std::vector<std::string> libraries;
  };

  /// Links `object`, which may be null. Undefined symbols resolve to `symbols`
  /// and other objects first, then to those of the process and of libraries.
  static llvm::Expected<std::unique_ptr<JitProgram>>
  create(std::unique_ptr<llvm::MemoryBuffer> object,
         llvm::ArrayRef<Symbol> symbols = {}, const Others &others = {});
  ~JitProgram();

  /// The address of a symbol that the object defines. An error names the symbol
  /// that is missing: this one, or one that the object needs.
  llvm::Expected<void *> lookup(llvm::StringRef name);

private:
  explicit JitProgram(std::unique_ptr<llvm::orc::LLJIT> jit);

  /// What the JIT reports besides the errors that it returns.
  std::string reports;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace tapestry

#endif // TAPESTRY_OBJECT_JITPROGRAM_H
