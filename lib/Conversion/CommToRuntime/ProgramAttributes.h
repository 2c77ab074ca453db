//===- ProgramAttributes.h - The attribute comm.programs --------*- C++ -*-===//
//
// tapestry-convert-comm-to-runtime leaves what the runtime must know in a list
// on the module, one dictionary per device program;
// tapestry-emit-program-description reads it. These are its keys.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_PROGRAMATTRIBUTES_H
#define TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_PROGRAMATTRIBUTES_H

#include "mlir/IR/BuiltinOps.h"

namespace tapestry::program {

inline constexpr llvm::StringLiteral attribute = "comm.programs";
// The graph's; names of generated symbols end in it.
inline constexpr llvm::StringLiteral name = "name";
inline constexpr llvm::StringLiteral devices = "devices";
// What the runtime calls, and what that calls with buffers.
inline constexpr llvm::StringLiteral entry = "entry";
inline constexpr llvm::StringLiteral body = "body";
inline constexpr llvm::StringLiteral inputs = "inputs";
inline constexpr llvm::StringLiteral outputs = "outputs";
inline constexpr llvm::StringLiteral collectives = "collectives";
inline constexpr llvm::StringLiteral vertices = "vertices";
// What ends a run, as the operations that say it; absent if nothing does.
inline constexpr llvm::StringLiteral requirements = "requirements";
inline constexpr llvm::StringLiteral place = "place";
inline constexpr llvm::StringLiteral index = "index";
inline constexpr llvm::StringLiteral shape = "shape";
inline constexpr llvm::StringLiteral bound = "bound";
inline constexpr llvm::StringLiteral unsignedValue = "unsigned_value";
// What is copied, as lists of copies in the order of their numbers, of each the
// vertex and, once they are predicted, the bytes that all devices write in one
// pass; absent if nothing is.
inline constexpr llvm::StringLiteral copies = "copies";
// Names of inputs that no output depends on; absent if there are none.
inline constexpr llvm::StringLiteral unreadInputs = "unread_inputs";
// Per device, the peak of its arena; absent until it is predicted.
inline constexpr llvm::StringLiteral peakBytes = "peak_bytes";
// Of tensors and collectives.
inline constexpr llvm::StringLiteral type = "type";
inline constexpr llvm::StringLiteral layout = "layout";
// Of tensors: the file of an input or output where a run names none.
inline constexpr llvm::StringLiteral file = "file";
// Of inputs that the program takes in when it has begun.
inline constexpr llvm::StringLiteral takenIn = "taken_in";
inline constexpr llvm::StringLiteral vertex = "vertex";
inline constexpr llvm::StringLiteral kind = "kind";
inline constexpr llvm::StringLiteral from = "from";
inline constexpr llvm::StringLiteral to = "to";
inline constexpr llvm::StringLiteral bytes = "bytes";
// Of what is got beside the own part only, where that is in several strips or
// of a cross: their layouts.
inline constexpr llvm::StringLiteral rims = "rims";
// Of reductions only: the function and the name of what it computes.
inline constexpr llvm::StringLiteral combine = "combine";
inline constexpr llvm::StringLiteral monoid = "monoid";
inline constexpr llvm::StringLiteral flops = "flops";

/// What a program calls a collective by, or a part of one (tapestry_rt_part_of
/// in ABI.h).
struct CollectiveNumber {
  explicit CollectiveNumber(int64_t called);
  int64_t index, part, parts;
};

/// The module's programs, in order. Fails, with an error at the module, where
/// the list was written by somebody else: an entry is of another kind than the
/// one that stands for it here, or lacks one of `needed`. Names are distinct.
mlir::FailureOr<llvm::SmallVector<mlir::DictionaryAttr>>
readAll(mlir::ModuleOp module, llvm::ArrayRef<llvm::StringLiteral> needed);

} // namespace tapestry::program

#endif // TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_PROGRAMATTRIBUTES_H
