//===- Interpreter.cpp - linalg on buffers, point by point ----------------===//
//
// Deliberately naive: no stride arithmetic or loop order is shared with the
// code under test.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace tapestry::test {

unsigned bytesOf(Type type) {
  return type.isIndex() ? 8 : (type.getIntOrFloatBitWidth() + 7) / 8;
}

Scalar roundTo(Type type, Scalar value) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    APFloat number(value.real);
    bool lost;
    number.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &lost);
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return {number.convertToDouble(), 0};
  }
  if (type.isIndex())
    return value;
  unsigned bits = type.getIntOrFloatBitWidth();
  return {0, APInt(64, value.integer).trunc(bits).getSExtValue()};
}

char *View::address(ArrayRef<int64_t> index) const {
  int64_t at = offset;
  for (auto [i, stride] : llvm::zip_equal(index, strides))
    at += i * stride;
  return base + at * bytesOf(type);
}

Scalar View::load(ArrayRef<int64_t> index) const {
  uint64_t bits = 0;
  unsigned bytes = bytesOf(type);
  memcpy(&bits, address(index), bytes);
  if (auto floating = dyn_cast<FloatType>(type)) {
    APFloat number(floating.getFloatSemantics(), APInt(8 * bytes, bits));
    bool lost;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return {number.convertToDouble(), 0};
  }
  return roundTo(type, {0, int64_t(bits)});
}

void View::store(ArrayRef<int64_t> index, Scalar value) const {
  uint64_t bits = value.integer;
  if (auto floating = dyn_cast<FloatType>(type)) {
    APFloat number(value.real);
    bool lost;
    number.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &lost);
    bits = number.bitcastToAPInt().getZExtValue();
  }
  memcpy(address(index), &bits, bytesOf(type));
}

namespace {

double nanOr(double a, double b, double result) {
  return std::isnan(a) || std::isnan(b) ? NAN : result;
}

bool compare(arith::CmpIPredicate predicate, Scalar a, Scalar b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a.integer == b.integer;
  case arith::CmpIPredicate::ne:
    return a.integer != b.integer;
  case arith::CmpIPredicate::slt:
    return a.integer < b.integer;
  case arith::CmpIPredicate::sle:
    return a.integer <= b.integer;
  case arith::CmpIPredicate::sgt:
    return a.integer > b.integer;
  case arith::CmpIPredicate::sge:
    return a.integer >= b.integer;
  default:
    return false;
  }
}

bool compare(arith::CmpFPredicate predicate, Scalar a, Scalar b) {
  switch (predicate) {
  case arith::CmpFPredicate::OLT:
    return a.real < b.real;
  case arith::CmpFPredicate::OLE:
    return a.real <= b.real;
  case arith::CmpFPredicate::OGT:
    return a.real > b.real;
  case arith::CmpFPredicate::OGE:
    return a.real >= b.real;
  case arith::CmpFPredicate::OEQ:
    return a.real == b.real;
  default:
    return false;
  }
}

class Interpreter {
public:
  std::string run(func::FuncOp function, std::vector<View> arguments);

private:
  void runGeneric(linalg::GenericOp op);
  void runPoint(linalg::GenericOp op, ArrayRef<int64_t> point);
  Scalar evaluate(Operation *op, ArrayRef<int64_t> point);
  Scalar scalar(Value value) { return scalars.lookup(value); }
  int64_t extent(linalg::GenericOp op, unsigned loop);

  llvm::DenseMap<Value, View> views;
  llvm::DenseMap<Value, Scalar> scalars;
  std::vector<std::vector<char>> temporaries;
  std::string unknown;
};

Scalar Interpreter::evaluate(Operation *op, ArrayRef<int64_t> point) {
  auto arg = [&](unsigned i) { return scalar(op->getOperand(i)); };
  auto real = [&](double value) {
    Type type = op->getResult(0).getType();
    // f32 stays in double: the oracle is the exact value. Narrower types round.
    return type.getIntOrFloatBitWidth() >= 32 ? Scalar{value, 0}
                                              : roundTo(type, {value, 0});
  };
  auto integer = [&](uint64_t value) {
    return roundTo(op->getResult(0).getType(), {0, int64_t(value)});
  };
  auto zext = [&](unsigned i) {
    unsigned bits = op->getOperand(i).getType().getIntOrFloatBitWidth();
    return APInt(64, arg(i).integer).trunc(bits).getZExtValue();
  };
  double a = op->getNumOperands() > 0 ? arg(0).real : 0;
  double b = op->getNumOperands() > 1 ? arg(1).real : 0;
  uint64_t x = op->getNumOperands() > 0 ? arg(0).integer : 0;
  uint64_t y = op->getNumOperands() > 1 ? arg(1).integer : 0;
  return llvm::TypeSwitch<Operation *, Scalar>(op)
      .Case([&](arith::ConstantOp constant) -> Scalar {
        if (auto value = dyn_cast<FloatAttr>(constant.getValue()))
          return {value.getValueAsDouble(), 0};
        return {
            0,
            cast<IntegerAttr>(constant.getValue()).getValue().getSExtValue()};
      })
      .Case([&](linalg::IndexOp index) -> Scalar {
        return {0, point[index.getDim()]};
      })
      .Case([&](arith::AddFOp) { return real(a + b); })
      .Case([&](arith::SubFOp) { return real(a - b); })
      .Case([&](arith::MulFOp) { return real(a * b); })
      .Case([&](arith::DivFOp) { return real(a / b); })
      .Case([&](arith::MaximumFOp) { return real(nanOr(a, b, fmax(a, b))); })
      .Case([&](arith::MinimumFOp) { return real(nanOr(a, b, fmin(a, b))); })
      .Case([&](arith::NegFOp) { return real(-a); })
      .Case([&](math::AbsFOp) { return real(fabs(a)); })
      .Case([&](math::ExpOp) { return real(exp(a)); })
      .Case([&](math::TanhOp) { return real(tanh(a)); })
      .Case([&](math::SqrtOp) { return real(sqrt(a)); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return real(a); })
      .Case([&](arith::SIToFPOp) { return real(double(int64_t(x))); })
      .Case([&](arith::UIToFPOp) { return real(double(zext(0))); })
      .Case([&](arith::FPToSIOp) { return integer(int64_t(a)); })
      .Case([&](arith::AddIOp) { return integer(x + y); })
      .Case([&](arith::SubIOp) { return integer(x - y); })
      .Case([&](arith::MulIOp) { return integer(x * y); })
      .Case([&](arith::AndIOp) { return integer(x & y); })
      .Case([&](arith::OrIOp) { return integer(x | y); })
      .Case([&](arith::XOrIOp) { return integer(x ^ y); })
      .Case([&](arith::MaxSIOp) {
        return integer(std::max(int64_t(x), int64_t(y)));
      })
      .Case([&](arith::MinSIOp) {
        return integer(std::min(int64_t(x), int64_t(y)));
      })
      .Case([&](arith::DivSIOp) { return integer(int64_t(x) / int64_t(y)); })
      .Case([&](arith::RemSIOp) { return integer(int64_t(x) % int64_t(y)); })
      .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(
          [&](auto) { return integer(x); })
      .Case([&](arith::ExtUIOp) { return integer(zext(0)); })
      .Case([&](arith::CmpIOp cmp) {
        return integer(compare(cmp.getPredicate(), arg(0), arg(1)));
      })
      .Case([&](arith::CmpFOp cmp) {
        return integer(compare(cmp.getPredicate(), arg(0), arg(1)));
      })
      .Case([&](arith::SelectOp) { return x & 1 ? arg(1) : arg(2); })
      .Default([&](Operation *) {
        unknown = op->getName().getStringRef().str();
        return Scalar();
      });
}

void Interpreter::runPoint(linalg::GenericOp op, ArrayRef<int64_t> point) {
  SmallVector<SmallVector<int64_t>> indices;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<int64_t> index;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      auto map = AffineMap::get(point.size(), 0, expr);
      index.push_back(map.compose(point)[0]);
    }
    BlockArgument argument =
        op.getBody()->getArgument(operand.getOperandNumber());
    auto view = views.find(operand.get());
    scalars[argument] =
        view == views.end() ? scalar(operand.get()) : view->second.load(index);
    indices.push_back(std::move(index));
  }
  for (Operation &inner : op.getBody()->without_terminator())
    scalars[inner.getResult(0)] = evaluate(&inner, point);
  Operation *yield = op.getBody()->getTerminator();
  for (auto [number, value] : llvm::enumerate(yield->getOperands()))
    views[op.getDpsInits()[number]].store(
        indices[op.getNumDpsInputs() + number], scalar(value));
}

int64_t Interpreter::extent(linalg::GenericOp op, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [at, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (dim.getPosition() == loop)
          return views[operand.get()].shape[at];
  return 0;
}

void Interpreter::runGeneric(linalg::GenericOp op) {
  SmallVector<int64_t> extents, point(op.getNumLoops(), 0);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    extents.push_back(extent(op, loop));
  if (llvm::is_contained(extents, 0))
    return;
  while (unknown.empty()) {
    runPoint(op, point);
    int at = int(point.size()) - 1;
    while (at >= 0 && ++point[at] == extents[at])
      point[at--] = 0;
    if (at < 0)
      return;
  }
}

std::string Interpreter::run(func::FuncOp function,
                             std::vector<View> arguments) {
  for (auto [argument, view] :
       llvm::zip_equal(function.getArguments(), arguments))
    views[argument] = view;
  for (Operation &op : function.getBody().front()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      runGeneric(generic);
    } else if (auto fill = dyn_cast<linalg::FillOp>(op)) {
      IRRewriter rewriter(op.getContext());
      rewriter.setInsertionPoint(fill);
      auto cloned = cast<linalg::LinalgOp>(rewriter.clone(op));
      auto made = linalg::generalizeNamedOp(rewriter, cloned);
      runGeneric(*made);
      made->erase();
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      scalars[constant] = evaluate(&op, {});
    } else if (auto dim = dyn_cast<memref::DimOp>(op)) {
      scalars[dim] = {
          0, views[dim.getSource()].shape[scalar(dim.getIndex()).integer]};
    } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      View view;
      view.type = alloc.getType().getElementType();
      unsigned dynamic = 0;
      for (int64_t size : alloc.getType().getShape())
        view.shape.push_back(
            ShapedType::isDynamic(size)
                ? scalar(alloc.getDynamicSizes()[dynamic++]).integer
                : size);
      int64_t stride = 1;
      view.strides.resize(view.shape.size());
      for (int64_t i = int64_t(view.shape.size()) - 1; i >= 0; --i) {
        view.strides[i] = stride;
        stride *= view.shape[i];
      }
      temporaries.emplace_back(stride * bytesOf(view.type) + 1);
      view.base = temporaries.back().data();
      views[alloc] = view;
    } else if (!isa<func::ReturnOp, memref::DeallocOp>(op)) {
      return op.getName().getStringRef().str();
    }
  }
  return unknown;
}

} // namespace

std::string interpret(func::FuncOp function, std::vector<View> arguments) {
  return Interpreter().run(function, std::move(arguments));
}

} // namespace tapestry::test
