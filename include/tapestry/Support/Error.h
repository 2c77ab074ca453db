//===- Error.h - Errors of the planner and the driver -----------*- C++ -*-===//
//
// What an error's reader has to decide by travels beside its message: whose
// fault it is, the place, and the bytes that were short.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_ERROR_H
#define TAPESTRY_SUPPORT_ERROR_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace tapestry {

/// Whose fault an error is; tools end with its number (README.md).
enum class Fault {
  Program = 1, ///< the program or the data
  Usage = 2,
  Machine = 3, ///< this machine or environment is not able
  Rank = 4,    ///< a rank failed while running
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
  /// The message without its place.
  llvm::StringRef getText() const { return text; }

  /// "place: error: text", or the text alone.
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  Fault fault;
  std::string place, text;
};

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

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_ERROR_H
