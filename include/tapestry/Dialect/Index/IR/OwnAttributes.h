//===- OwnAttributes.h - Discardable attributes of our dialects -*- C++ -*-===//
//
// A dialect's prefix on the name of an attribute promises that the dialect
// knows it. Passes rely on that: each dialect lists its names, what they may
// hold and where they stand, and the verifier refuses anything else.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_OWNATTRIBUTES_H
#define TAPESTRY_DIALECT_INDEX_IR_OWNATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

namespace tapestry::index {

/// One attribute that a dialect knows.
struct OwnAttribute {
  llvm::StringLiteral name;
  /// What it is, and where, for messages: "names inputs on a graph".
  llvm::StringLiteral meaning;
  bool (*fits)(mlir::Operation *op, mlir::Attribute value);
};

/// On the operation itself, or on an argument or a result of it.
llvm::LogicalResult verifyOwnAttribute(mlir::Operation *op,
                                       mlir::NamedAttribute attribute,
                                       llvm::ArrayRef<OwnAttribute> known);

template <typename AttrT> bool isListOf(mlir::Attribute value) {
  auto list = llvm::dyn_cast<mlir::ArrayAttr>(value);
  return list && llvm::all_of(list, llvm::IsaPred<AttrT>);
}

} // namespace tapestry::index

#endif // TAPESTRY_DIALECT_INDEX_IR_OWNATTRIBUTES_H
