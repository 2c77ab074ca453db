//===- Error.cpp - Errors of the planner and the driver -------------------===//

#include "tapestry/Support/Error.h"

using namespace tapestry;

char FaultError::ID = 0;

void FaultError::log(llvm::raw_ostream &os) const {
  if (!place.empty())
    os << place << ": error: ";
  os << text;
}

std::error_code FaultError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}
