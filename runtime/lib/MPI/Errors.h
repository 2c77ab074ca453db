//===- Errors.h - MPI's errors as the runtime's -----------------*- C++ -*-===//

#ifndef TAPESTRY_RT_MPI_ERRORS_H
#define TAPESTRY_RT_MPI_ERRORS_H

#include "tapestry-rt/Transport.h"
#include <cstdio>
#include <mpi.h>

namespace tapestry {
namespace rt {

/// Puts MPI's own words for `code` into `error`.
inline Outcome mpiFailed(const char *call, int code, TransportError &error) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  snprintf(error.text, sizeof(error.text), "%s: %.*s", call, length, text);
  return Outcome::Failed;
}

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_MPI_ERRORS_H
