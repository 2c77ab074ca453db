//===- MarkVertices.cpp - Which vertex does time belong to ----------------===//
//
// Brackets kernel calls with marks for the runtime's report and trace.
//
//===----------------------------------------------------------------------===//

#include "ProgramAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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
    ModuleOp module = getOperation();
    auto program = module->getAttrOfType<DictionaryAttr>(program::attribute);
    auto body = module.lookupSymbol<func::FuncOp>("device_program");
    if (!program || !body)
      return;
    llvm::StringMap<int64_t> numbers;
    for (auto [number, entry] :
         llvm::enumerate(program.getAs<ArrayAttr>(program::vertices)
                             .getAsRange<DictionaryAttr>()))
      numbers[entry.getAs<StringAttr>(program::name)] = number;

    OpBuilder b(module.getBodyRegion());
    Location loc = body.getLoc();
    Value rank = body.getArgument(0);
    auto mark = func::FuncOp::create(
        b, loc, "tapestry_rt_vertex",
        b.getFunctionType({rank.getType(), b.getI64Type()}, {}));
    mark.setPrivate();
    mark->setAttr(deviceAttrName, b.getUnitAttr());
    auto emitMark = [&](int64_t number) {
      Value vertex =
          arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(number));
      func::CallOp::create(b, loc, mark, ValueRange{rank, vertex});
    };
    // Only a change of vertex is worth a call.
    int64_t current = -1;
    for (Operation &op : body.front()) {
      auto vertex = op.getAttrOfType<StringAttr>("tapestry.vertex");
      auto known = vertex ? numbers.find(vertex.getValue()) : numbers.end();
      int64_t wanted = known == numbers.end() ? -1 : known->second;
      bool counts =
          isa<func::CallOp>(op) || op.hasTrait<OpTrait::IsTerminator>();
      if (!counts || wanted == current)
        continue;
      b.setInsertionPoint(&op);
      emitMark(wanted);
      current = wanted;
    }
  }
};

} // namespace
