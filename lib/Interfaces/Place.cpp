//===- Place.cpp - Where an operation comes from --------------------------===//

#include "tapestry/Interfaces/Place.h"

using namespace mlir;

std::string tapestry::placeOf(Location loc) {
  while (auto call = dyn_cast<CallSiteLoc>(loc))
    loc = call.getCaller();
  auto file = dyn_cast<FileLineColLoc>(loc);
  if (!file)
    return "";
  return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
          Twine(file.getColumn()))
      .str();
}
