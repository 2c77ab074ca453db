//===- Place.h - Where an operation comes from ------------------*- C++ -*-===//

#ifndef TAPESTRY_INTERFACES_PLACE_H
#define TAPESTRY_INTERFACES_PLACE_H

#include "mlir/IR/Location.h"
#include <string>

namespace tapestry {

/// "chain.ein:3:1", or nothing where the location has no place in a file.
std::string placeOf(mlir::Location loc);

} // namespace tapestry

#endif // TAPESTRY_INTERFACES_PLACE_H
