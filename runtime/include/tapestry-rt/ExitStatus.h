//===- ExitStatus.h - What commands and programs end with -------*- C++ -*-===//
//
// The exit statuses of the compiler's commands and of compiled programs, as
// README.md documents them.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_EXITSTATUS_H
#define TAPESTRY_RT_EXITSTATUS_H

namespace tapestry {

enum ExitStatus : int {
  ExitDone = 0,
  ExitBadInput = 1,    ///< the program or the data is wrong
  ExitUsage = 2,       ///< the command line is wrong
  ExitEnvironment = 3, ///< the machine is not able
  ExitRankFailed = 4,  ///< a rank failed while running
};

} // namespace tapestry

#endif // TAPESTRY_RT_EXITSTATUS_H
