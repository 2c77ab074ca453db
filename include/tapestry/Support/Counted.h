//===- Counted.h - Numbers before nouns -------------------------*- C++ -*-===//
//
// The compiler's name of the helper that it shares with the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_COUNTED_H
#define TAPESTRY_SUPPORT_COUNTED_H

#include "tapestry-rt/Counted.h" // IWYU pragma: export

#endif // TAPESTRY_SUPPORT_COUNTED_H
