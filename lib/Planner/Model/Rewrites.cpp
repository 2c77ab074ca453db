//===- Rewrites.cpp - Equivalent graphs, as a search sees them ------------===//

#include "tapestry/Planner/Model/Rewrites.h"

using namespace tapestry::model;

llvm::Expected<unsigned> RewriteSpace::make(llvm::ArrayRef<Rewrite> rewrites) {
  unsigned number = 0;
  for (const Rewrite &rewrite : rewrites) {
    llvm::Expected<unsigned> next = apply(number, rewrite);
    if (!next)
      return next.takeError();
    number = *next;
  }
  return number;
}
