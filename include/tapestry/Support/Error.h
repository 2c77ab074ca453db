//===- Error.h - Errors of the planner and the driver -----------*- C++ -*-===//
//
// What an error's reader has to decide by travels beside its message: whose
// fault it is, the place, and the bytes that were short.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_ERROR_H
#define TAPESTRY_SUPPORT_ERROR_H

#include "tapestry-rt/ExitStatus.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace tapestry {

/// Whose fault an error is; tools end with its number.
enum class Fault {
  Program = ExitBadInput,
  Usage = ExitUsage,
  Machine = ExitEnvironment,
  Rank = ExitRankFailed,
};

/// An error with its fault and, where one is known, its place: a file, or
/// "file:line:col".
class FaultError : public llvm::ErrorInfo<FaultError> {
public:
  static char ID;
  FaultError(Fault fault, std::string place, std::string text)
      : fault(fault), place(std::move(place)), text(std::move(text)) {}

  Fault getFault() const { return fault; }
  llvm::StringRef getPlace() const { return place; }
  void setPlace(llvm::StringRef where) { place = where.str(); }
  /// The message without its place.
  llvm::StringRef getText() const { return text; }

  /// "place: error: text", or the text alone.
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  Fault fault;
  std::string place, text;
};

/// A plan needs more memory than there is. Both numbers are bytes per device.
class MemoryError : public llvm::ErrorInfo<MemoryError, FaultError> {
public:
  static char ID;
  /// `need` says who holds the bytes that are needed, where that is known.
  MemoryError(int64_t neededBytes, int64_t availableBytes, std::string text,
              std::string need = "")
      : ErrorInfo(Fault::Machine, "", std::move(text)),
        neededBytes(neededBytes), availableBytes(availableBytes),
        need(std::move(need)) {}

  int64_t getNeededBytes() const { return neededBytes; }
  int64_t getAvailableBytes() const { return availableBytes; }
  llvm::StringRef getNeed() const { return need; }

private:
  int64_t neededBytes, availableBytes;
  std::string need;
};

/// What a reader of any error has to know; of errors of other classes only the
/// text is known, and the program is at fault.
struct ErrorFacts {
  Fault fault = Fault::Program;
  std::string place, text;

  llvm::Error toError() const {
    return llvm::make_error<FaultError>(fault, place, text);
  }
};
ErrorFacts factsOf(llvm::Error error);

/// Gives an error the place `place` unless it has one.
llvm::Error withPlace(llvm::StringRef place, llvm::Error error);

template <typename... Parts> std::string joinedText(const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  (os << ... << parts);
  return text;
}

/// An error whose message is made of `parts`.
template <typename... Parts>
llvm::Error faultError(Fault fault, llvm::StringRef place,
                       const Parts &...parts) {
  return llvm::make_error<FaultError>(fault, place.str(), joinedText(parts...));
}

/// The same, the program's or the data's fault.
template <typename... Parts>
llvm::Error errorAt(llvm::StringRef place, const Parts &...parts) {
  return faultError(Fault::Program, place, parts...);
}
template <typename... Parts> llvm::Error planError(const Parts &...parts) {
  return faultError(Fault::Program, "", parts...);
}

/// The program's fault, and its message has been given where it was found: the
/// text is empty, and there is nothing left to print.
inline llvm::Error reportedError() { return errorAt("", ""); }

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_ERROR_H
