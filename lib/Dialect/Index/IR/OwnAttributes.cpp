//===- OwnAttributes.cpp - Discardable attributes of our dialects ---------===//

#include "tapestry/Dialect/Index/IR/OwnAttributes.h"

using namespace mlir;
using namespace tapestry::index;

LogicalResult
tapestry::index::verifyOwnAttribute(Operation *op, NamedAttribute attribute,
                                    ArrayRef<OwnAttribute> known) {
  StringRef name = attribute.getName().getValue();
  for (const OwnAttribute &own : known) {
    if (own.name != name)
      continue;
    if (own.fits(op, attribute.getValue()))
      return success();
    return op->emitOpError()
           << "has the attribute '" << name << "', which " << own.meaning;
  }
  return op->emitOpError() << "has the attribute '" << name
                           << "', which the dialect '"
                           << attribute.getNameDialect()->getNamespace()
                           << "' does not know there";
}
