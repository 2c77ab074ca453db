//===- MarkVertices.cpp - Which vertex does time belong to ----------------===//
//
// Brackets kernel calls with marks for the runtime's report and trace.
//
//===----------------------------------------------------------------------===//

#include "ProgramAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Conversion/Passes.h"

namespace tapestry {
#define GEN_PASS_DEF_MARKVERTICES
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

namespace {

struct MarkVertices : tapestry::impl::MarkVerticesBase<MarkVertices> {
  void runOnOperation() override {
    FailureOr<SmallVector<DictionaryAttr>> programs =
        program::readAll(getOperation(), {program::body, program::vertices});
    if (failed(programs))
      return signalPassFailure();
    for (DictionaryAttr program : *programs) {
      auto body = getOperation().lookupSymbol<func::FuncOp>(
          program.getAs<FlatSymbolRefAttr>(program::body).getValue());
      if (!body)
        continue;
      if (body.isExternal() || body.getNumArguments() == 0) {
        body.emitError("is the body of a program, but has none or does not "
                       "take the runtime's rank");
        return signalPassFailure();
      }
      llvm::StringMap<int64_t> numbers;
      for (auto [number, entry] :
           llvm::enumerate(program.getAs<ArrayAttr>(program::vertices)
                               .getAsRange<DictionaryAttr>()))
        numbers[entry.getAs<StringAttr>(program::name)] = number;
      mark(body, numbers);
    }
  }

private:
  func::FuncOp declareMark(Location loc, Type rank);
  void mark(func::FuncOp body, const llvm::StringMap<int64_t> &numbers);
  void markBodies(Operation *loop, const llvm::StringMap<int64_t> &numbers);

  /// The bodies of loops that have their marks.
  llvm::SmallPtrSet<Operation *, 4> marked;
};

func::FuncOp MarkVertices::declareMark(Location loc, Type rank) {
  constexpr llvm::StringLiteral name = "tapestry_rt_vertex";
  if (auto known = getOperation().lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder b(getOperation().getBodyRegion());
  auto function = func::FuncOp::create(
      b, loc, name, b.getFunctionType({rank, b.getI64Type()}, {}));
  function.setPrivate();
  function->setAttr(deviceAttrName, b.getUnitAttr());
  return function;
}

/// A loop calls functions that are marked as a program is.
void MarkVertices::markBodies(Operation *loop,
                              const llvm::StringMap<int64_t> &numbers) {
  loop->walk([&](func::CallOp call) {
    auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
    if (callee && !callee.isExternal() && !isKernel(callee) &&
        marked.insert(callee).second)
      mark(callee, numbers);
  });
}

void MarkVertices::mark(func::FuncOp body,
                        const llvm::StringMap<int64_t> &numbers) {
  OpBuilder b(&getContext());
  Location loc = body.getLoc();
  Value rank = body.getArgument(0);
  func::FuncOp mark = declareMark(loc, rank.getType());
  // Only a change of vertex is worth a call.
  int64_t current = -1;
  for (Operation &op : body.front()) {
    if (isa<LoopLikeOpInterface>(op)) {
      markBodies(&op, numbers);
      current = -1;
      continue;
    }
    auto vertex = op.getAttrOfType<StringAttr>("tapestry.vertex");
    auto known = vertex ? numbers.find(vertex.getValue()) : numbers.end();
    int64_t wanted = known == numbers.end() ? -1 : known->second;
    bool counts = isa<func::CallOp>(op) || op.hasTrait<OpTrait::IsTerminator>();
    if (!counts || wanted == current)
      continue;
    b.setInsertionPoint(&op);
    Value number =
        arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(wanted));
    func::CallOp::create(b, loc, mark, ValueRange{rank, number});
    current = wanted;
  }
}

} // namespace
