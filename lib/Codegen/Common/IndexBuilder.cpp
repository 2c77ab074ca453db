//===- IndexBuilder.cpp - Folding index arithmetic ------------------------===//
//
// Constants fold; neutral and absorbing operands vanish.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/Common/IndexBuilder.h"

using namespace mlir;

namespace tapestry {

/// What index arithmetic wraps around to.
static int64_t wrapped(uint64_t bits) { return static_cast<int64_t>(bits); }

Value IndexBuilder::value(int64_t constant) {
  Value &cached = constants[constant];
  if (!cached) {
    InsertionGuard guard(*this);
    setInsertionPointToStart(entry);
    cached = arith::ConstantIndexOp::create(*this, constant);
  }
  return cached;
}

Value IndexBuilder::value(OpFoldResult ofr) {
  if (auto constant = known(ofr))
    return value(*constant);
  return cast<Value>(ofr);
}

OpFoldResult IndexBuilder::add(OpFoldResult a, OpFoldResult b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return index(wrapped(uint64_t(*x) + uint64_t(*y)));
  if (x && *x == 0)
    return b;
  if (y && *y == 0)
    return a;
  return arith::AddIOp::create(*this, value(a), value(b)).getResult();
}

OpFoldResult IndexBuilder::sub(OpFoldResult a, OpFoldResult b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return index(wrapped(uint64_t(*x) - uint64_t(*y)));
  if (y && *y == 0)
    return a;
  return arith::SubIOp::create(*this, value(a), value(b)).getResult();
}

OpFoldResult IndexBuilder::mul(OpFoldResult a, OpFoldResult b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return index(wrapped(uint64_t(*x) * uint64_t(*y)));
  if ((x && *x == 0) || (y && *y == 0))
    return index(0);
  if (x && *x == 1)
    return b;
  if (y && *y == 1)
    return a;
  return arith::MulIOp::create(*this, value(a), value(b)).getResult();
}

OpFoldResult IndexBuilder::min(OpFoldResult a, OpFoldResult b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return index(std::min(*x, *y));
  return arith::MinSIOp::create(*this, value(a), value(b)).getResult();
}

OpFoldResult IndexBuilder::max(OpFoldResult a, OpFoldResult b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return index(std::max(*x, *y));
  return arith::MaxSIOp::create(*this, value(a), value(b)).getResult();
}

OpFoldResult IndexBuilder::div(OpFoldResult a, OpFoldResult b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return index(*x / *y);
  if (y && *y == 1)
    return a;
  return arith::DivUIOp::create(*this, value(a), value(b)).getResult();
}

OpFoldResult IndexBuilder::ceilDiv(OpFoldResult a, OpFoldResult b) {
  return div(add(a, sub(b, index(1))), b);
}

OpFoldResult IndexBuilder::alignDown(OpFoldResult a, int64_t step) {
  return mul(div(a, index(step)), index(step));
}

OpFoldResult IndexBuilder::alignUp(OpFoldResult a, int64_t step) {
  return alignDown(add(a, index(step - 1)), step);
}

} // namespace tapestry
