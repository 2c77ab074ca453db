//===- Error.cpp - Errors of the planner and the driver -------------------===//

#include "tapestry/Support/Error.h"

using namespace tapestry;

char FaultError::ID = 0;
char MemoryError::ID = 0;

void FaultError::log(llvm::raw_ostream &os) const {
  if (!place.empty())
    os << place << ": error: ";
  os << text;
}

std::error_code FaultError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

ErrorFacts tapestry::factsOf(llvm::Error error) {
  ErrorFacts facts;
  llvm::handleAllErrors(
      std::move(error),
      [&](const FaultError &known) {
        facts = {known.getFault(), known.getPlace().str(),
                 known.getText().str()};
      },
      [&](const llvm::ErrorInfoBase &other) {
        facts.text += (facts.text.empty() ? "" : "\n") + other.message();
      });
  return facts;
}

llvm::Error tapestry::withPlace(llvm::StringRef place, llvm::Error error) {
  return llvm::handleErrors(
      std::move(error),
      [&](std::unique_ptr<FaultError> known) -> llvm::Error {
        if (known->getPlace().empty())
          known->setPlace(place);
        return llvm::Error(std::move(known));
      },
      [&](const llvm::ErrorInfoBase &other) -> llvm::Error {
        return errorAt(place, other.message());
      });
}
