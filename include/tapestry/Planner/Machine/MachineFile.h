//===- MachineFile.h - Machines as JSON -------------------------*- C++ -*-===//

#ifndef TAPESTRY_PLANNER_MACHINE_MACHINEFILE_H
#define TAPESTRY_PLANNER_MACHINE_MACHINEFILE_H

#include "tapestry/Planner/Machine/Machine.h"
#include "llvm/Support/JSON.h"

namespace tapestry::machine {

/// The machine that the text of a machine file (docs/Machines.md) describes;
/// errors call it `fileName`.
llvm::Expected<Machine> parseMachine(llvm::StringRef text,
                                     llvm::StringRef fileName);
/// Writes a machine file's text: parseMachine() reads the same machine, its
/// numbers to five digits.
void writeMachine(llvm::raw_ostream &os, const Machine &machine);

/// The value of "machine" in a plan, and its members: the same in plain
/// numbers, bytes and seconds, with peaks by the bytes of an element.
llvm::Expected<Machine> readMachineOfPlan(const llvm::json::Value &value,
                                          llvm::StringRef fileName);
void writeMachineOfPlan(llvm::json::OStream &json, const Machine &machine);

} // namespace tapestry::machine

#endif // TAPESTRY_PLANNER_MACHINE_MACHINEFILE_H
