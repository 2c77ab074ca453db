//===- Commands.h - The subcommands of the driver ---------------*- C++ -*-===//

#ifndef TAPESTRY_TOOLS_TAPESTRY_COMMANDS_H
#define TAPESTRY_TOOLS_TAPESTRY_COMMANDS_H

#include "tapestry-rt/Runtime.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Driver/Compilation.h"
#include "tapestry/Driver/Options.h"
#include "tapestry/Driver/Status.h"
#include "tapestry/Planner/Plan/Plan.h"
#include <chrono>

namespace tapestry::driver {

/// What the runtime is asked for when `run` and `reference` execute.
rt::RunOptions runOptions(const Options &options);
/// `tapestry run`: plans, compiles in memory and runs on thread ranks.
ExitStatus runProgram(const Options &options);
/// `tapestry run --executor greedy` on a program that has been read, since
/// `start`; `refusal` says why it is not run otherwise, where it might be.
ExitStatus runGreedy(Compilation &compilation,
                     std::chrono::steady_clock::time_point start,
                     llvm::Error refusal = llvm::Error::success());
/// `tapestry plan --executor greedy`.
ExitStatus showTasks(Compilation &compilation);
/// Whether what keeps a graph from being planned is that no plan keeps
/// --memory, so that the greedy executor may run it.
bool mayGoGreedy(const Options &options, const llvm::Error &error);
/// The refusal of a plan, with what the greedy executor would spill.
ExitStatus refusePlan(Compilation &compilation, llvm::Error error);
/// `tapestry plan`: shows what was decided.
ExitStatus showPlan(const Options &options);
/// `tapestry plan --pareto`: searches for many plans and shows them.
ExitStatus showFront(const Options &options);
/// For --dot, --svg and --html: the pictures of a plan that are asked for.
/// `expression` is the graph in the IR, null where that is another.
ExitStatus writePictures(const Options &options, const model::PlanGraph &graph,
                         const plan::Plan &plan, teg::GraphOp expression);
/// For --explain: the text, empty where it is not asked for. It is made before
/// anything is written, as it may fail.
ExitStatus findExplanation(const Options &options,
                           const model::PlanGraph &graph,
                           const plan::Plan &plan, std::string &text);
/// `tapestry plan --diff`: compares two plan files.
ExitStatus diffPlanFiles(const Options &options);
/// `tapestry compile`: links a standalone executable.
ExitStatus compileProgram(const Options &options);
/// `tapestry reference`: evaluates the graph directly.
ExitStatus evaluateReference(const Options &options);
/// `tapestry calibrate`: measures this machine and writes a machine file.
ExitStatus calibrateMachine(const Options &options);
/// `tapestry session`: keeps tensors distributed between programs.
ExitStatus runSession(const Options &options);
/// `tapestry cache`: what earlier compilations left.
ExitStatus manageCache(const Options &options);

} // namespace tapestry::driver

#endif // TAPESTRY_TOOLS_TAPESTRY_COMMANDS_H
