//===- BlockObjects.h - Files with functions of blocks ----------*- C++ -*-===//
//
// What --object names: object files and shared libraries that define functions
// of tapestry-rt/Block.h.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DRIVER_BLOCKOBJECTS_H
#define TAPESTRY_DRIVER_BLOCKOBJECTS_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Driver/Status.h"
#include "tapestry/Object/JitProgram.h"
#include "llvm/ADT/StringSet.h"

namespace tapestry::driver {

class BlockObjects {
public:
  /// Whether they become part of this process or of an executable.
  enum class Use { Load, Link };

  /// Reads the files and looks whether they define, once and for this version
  /// of the interface, what the blocks of the graph call, and can be used so.
  ExitStatus read(llvm::ArrayRef<std::string> paths, teg::GraphOp graph,
                  Use use = Use::Load);
  /// Links them into this process, for blocks to be evaluated by.
  ExitStatus loadInto(teg::GraphOp graph);

  const JitProgram::Others &getFiles() const { return files; }

  /// Says which symbol the files lack, once they could not be linked; ExitDone
  /// where they lack none that this process has not.
  ExitStatus reportUndefined() const;
  /// The same of shared libraries that have been loaded, which would end the
  /// process where they call it.
  ExitStatus checkLibraries() const;

private:
  /// What a file does not define that it needs.
  struct Needed {
    std::string symbol, path;
    bool isLibrary = false;
  };

  ExitStatus readFile(const std::string &path, Use use);
  ExitStatus checkUses(teg::GraphOp graph);
  ExitStatus
  reportFirst(llvm::function_ref<bool(const Needed &)> isMissing) const;

  std::vector<std::unique_ptr<llvm::MemoryBuffer>> buffers;
  JitProgram::Others files;
  std::unique_ptr<JitProgram> jit;
  /// Per function its file, and those of other versions with it.
  llvm::StringMap<std::string> defined;
  /// Of all that is linked, not only of blocks.
  llvm::StringSet<> symbols;
  std::vector<Needed> needed;
  llvm::StringMap<std::pair<std::string, int>> otherVersions;
};

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_BLOCKOBJECTS_H
