//===- Commands.h - The subcommands of the driver ---------------*- C++ -*-===//

#ifndef TAPESTRY_TOOLS_TAPESTRY_COMMANDS_H
#define TAPESTRY_TOOLS_TAPESTRY_COMMANDS_H

#include "Options.h"

namespace tapestry::driver {

/// `tapestry run`: plans, compiles in memory and runs on thread ranks.
ExitStatus runProgram(const Options &options);
/// `tapestry plan`: shows what was decided.
ExitStatus showPlan(const Options &options);
/// `tapestry plan --pareto`: searches for many plans and shows them.
ExitStatus showFront(const Options &options);
/// `tapestry compile`: links a standalone executable.
ExitStatus compileProgram(const Options &options);
/// `tapestry reference`: evaluates the graph directly.
ExitStatus evaluateReference(const Options &options);

} // namespace tapestry::driver

#endif // TAPESTRY_TOOLS_TAPESTRY_COMMANDS_H
