//===- FormKey.h - Keys of vertices that cost the same ----------*- C++ -*-===//
//
// Problem builders make what equal vertices have in common once. Keys are
// compared, never read.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_MODEL_FORMKEY_H
#define TAPESTRY_PLANNER_MODEL_FORMKEY_H

#include "tapestry/Planner/Model/Graph.h"
#include "llvm/Support/raw_ostream.h"

namespace tapestry::model {

void describe(llvm::raw_ostream &os, const Projection &projection);
void describe(llvm::raw_ostream &os, llvm::ArrayRef<int64_t> numbers);
/// Which piece is read, but not of which tensor.
void describe(llvm::raw_ostream &os, const PlanOperand &operand);

/// All that the work of `vertex` and the layouts at its edges depend on, but
/// for what is asked of it.
void describeWork(llvm::raw_ostream &os, const PlanGraph &graph,
                  const PlanVertex &vertex);

/// Which constraints on a vertex tell it from others of its shape.
enum class ConstraintsOf { All, Preferences };
/// What is asked of its work and its home, and where it enters and leaves, with
/// the names of its labels, which constraints refer to; nothing where nothing
/// is asked.
void describeConstraints(llvm::raw_ostream &os, const PlanVertex &vertex,
                         ConstraintsOf which);

} // namespace tapestry::model

#endif // TAPESTRY_PLANNER_MODEL_FORMKEY_H
