//===- KeepNamed.cpp - Views that plan files name -------------------------===//

#include "KeepNamed.h"
#include "tapestry/Dialect/Tapestry/IR/Constraints.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/SelectorInterface.h"
#include "tapestry/Planner/Machine/JSONText.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tapestry;
namespace json = llvm::json;

/// Adds the vertices that an object lists, each a name or an object that has
/// one.
static void addNames(const json::Object &object, llvm::StringSet<> &names) {
  const json::Array *vertices = object.getArray("vertices");
  if (!vertices)
    return;
  for (const json::Value &vertex : *vertices) {
    const json::Object *entry = vertex.getAsObject();
    if (auto name = entry ? entry->getString("name") : vertex.getAsString())
      names.insert(*name);
  }
}

/// The vertices, the members of groups, and what rewrites are about that are to
/// come.
static llvm::StringSet<> namesIn(llvm::StringRef planFile, bool rewritten) {
  llvm::StringSet<> names;
  auto text = llvm::MemoryBuffer::getFile(planFile, /*IsText=*/true);
  if (!text)
    return names;
  auto plan = machine::parseJSON((*text)->getBuffer(), planFile, "a plan",
                                 machine::deepestPlan);
  if (!plan) {
    llvm::consumeError(plan.takeError());
    return names;
  }
  const json::Object *top = plan->getAsObject();
  if (!top)
    return names;
  addNames(*top, names);
  if (const json::Array *groups = top->getArray("groups"))
    for (const json::Value &group : *groups)
      if (const json::Object *entry = group.getAsObject())
        addNames(*entry, names);
  const json::Array *rewrites = top->getArray("rewrites");
  if (rewrites && !rewritten)
    for (const json::Value &rewrite : *rewrites) {
      const json::Object *entry = rewrite.getAsObject();
      if (!entry)
        continue;
      if (auto vertex = entry->getString("vertex"))
        names.insert(*vertex);
      if (const json::Array *arguments = entry->getArray("arguments"))
        for (const json::Value &argument : *arguments)
          if (auto name = argument.getAsString())
            names.insert(*name);
    }
  return names;
}

namespace {
struct KeepNamed : public PassWrapper<KeepNamed, OperationPass<teg::GraphOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepNamed)

  KeepNamed(llvm::StringRef planFile, bool rewritten)
      : names(namesIn(planFile, rewritten)) {}

  StringRef getName() const override { return "KeepNamed"; }

  void runOnOperation() override {
    getOperation().walk([&](BlockOpInterface op) {
      if (isa<teg::EinsumOp, SelectorInterface>(op.getOperation()) &&
          names.contains(op.getVertexName()))
        op->setAttr(teg::madeAttrName, UnitAttr::get(op.getContext()));
    });
  }

  llvm::StringSet<> names;
};
} // namespace

std::unique_ptr<Pass> tapestry::createKeepNamed(llvm::StringRef planFile,
                                                bool rewritten) {
  return std::make_unique<KeepNamed>(planFile, rewritten);
}
