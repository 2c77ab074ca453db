//===- Fetches.h - What an operator fetches of its operands -----*- C++ -*-===//

#ifndef TAPESTRY_INTERFACES_FETCHES_H
#define TAPESTRY_INTERFACES_FETCHES_H

#include "tapestry/Interfaces/BlockOpInterface.h"

namespace tapestry {

/// Per piece that an operator reads (`getReads`), the access that it is fetched
/// by (`planFetches`): several pieces of a tensor may have one.
std::vector<Access> fetchesOf(BlockOpInterface op);

} // namespace tapestry

#endif // TAPESTRY_INTERFACES_FETCHES_H
