//===- ReadyOrder.cpp - What waits for what is behind it ------------------===//

#include "ReadyOrder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tapestry::teg;

void ReadyOrder::start(ArrayRef<Operation *> ops) {
  for (auto [place, op] : llvm::enumerate(ops))
    waiting[op].place = place;
  for (Operation *op : ops)
    wait(op);
}

void ReadyOrder::wait(Operation *op) {
  Operation *other =
      find(op, [&](Operation *other) { return waiting.contains(other); });
  if (other)
    waiting[other].readers.push_back(op);
  else
    free[waiting[op].place] = op;
}

void ReadyOrder::leave(ArrayRef<Operation *> ops) {
  SmallVector<Operation *> readers;
  for (Operation *op : ops) {
    auto known = waiting.find(op);
    free.erase(known->second.place);
    llvm::append_range(readers, known->second.readers);
    waiting.erase(known);
  }
  for (Operation *op : readers)
    wait(op);
}
