//===- SessionScript.h - The commands of a session --------------*- C++ -*-===//
//
// One a line: words as a shell splits them, without its expansions.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DRIVER_SESSIONSCRIPT_H
#define TAPESTRY_DRIVER_SESSIONSCRIPT_H

#include "tapestry/Driver/Options.h"

namespace tapestry::driver {

struct SessionCommand {
  enum class Verb { Load, Apply, Export, Checkpoint, Restore, Drop, List };
  Verb verb = Verb::List;
  /// Of a tensor.
  std::string name;
  /// A file, a program or the folder of a checkpoint.
  std::string path;
  /// load: the element type that is asked for; empty: the file's.
  std::string type;
  // apply
  llvm::StringMap<ein::Number> params;
  /// The program's name, the session's.
  Bindings bindings;
  std::string graph;
  std::string reportFile;
};

/// The words of a line. They end at blanks; '...' takes all as it stands, in
/// "..." a backslash keeps " and \, elsewhere any character; # begins a comment
/// where a word could begin.
llvm::Expected<std::vector<std::string>> splitWords(llvm::StringRef line);

/// The command of a line; nothing where it has none.
llvm::Expected<std::optional<SessionCommand>>
parseSessionCommand(llvm::StringRef line);

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_SESSIONSCRIPT_H
