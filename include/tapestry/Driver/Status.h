//===- Status.h - What a command ends with ----------------------*- C++ -*-===//

#ifndef TAPESTRY_DRIVER_STATUS_H
#define TAPESTRY_DRIVER_STATUS_H

#include "tapestry/Support/Error.h"
#include "llvm/ADT/Twine.h"

namespace tapestry::driver {

/// While it lives, messages begin with the place of what is being done, a line
/// of a session: `train.session:3: step.ein:7:2: error: ...`.
class MessagePlace {
public:
  explicit MessagePlace(const llvm::Twine &place);
  ~MessagePlace();
  MessagePlace(const MessagePlace &) = delete;
  MessagePlace &operator=(const MessagePlace &) = delete;
};
/// Prints the place of what is being done, the message and a newline, in one
/// write: launchers interleave what their processes print.
void printMessage(const llvm::Twine &message);
/// Prints `tapestry: error: text`, or at a MessagePlace `place: error: text`.
void printError(const llvm::Twine &text);
/// Prints `place: error: text`.
void printError(llvm::StringRef place, const llvm::Twine &text);

/// Prints what was asked for to standard output, for people: of names only what
/// a terminal does not obey.
void printText(llvm::StringRef text);

/// Prints an error, at its place where it has one; the status is its fault's.
ExitStatus report(llvm::Error error);

} // namespace tapestry::driver

#endif // TAPESTRY_DRIVER_STATUS_H
