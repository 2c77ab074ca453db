//===- PlanRewrites.cpp - The rewrites that a plan.json starts from -------===//
//
// Apart from the rest of the file, as they decide which graph the rest is
// about.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Machine/JSONText.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tapestry;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::plan;
namespace json = llvm::json;

static std::optional<Rewrite> rewriteOf(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return std::nullopt;
  for (auto &[key, member] : *object)
    if (key != "kind" && key != "vertex" && key != "arguments")
      return std::nullopt;
  auto kind = object->getString("kind");
  auto vertex = object->getString("vertex");
  if (!kind || !vertex)
    return std::nullopt;
  Rewrite rewrite{kind->str(), vertex->str(), {}};
  if (const json::Value *arguments = object->get("arguments")) {
    const json::Array *list = arguments->getAsArray();
    if (!list)
      return std::nullopt;
    for (const json::Value &argument : *list) {
      auto text = argument.getAsString();
      if (!text)
        return std::nullopt;
      rewrite.arguments.push_back(text->str());
    }
  }
  return rewrite;
}

llvm::Expected<std::vector<Rewrite>>
plan::parsePlanRewrites(llvm::StringRef text, llvm::StringRef fileName) {
  std::vector<Rewrite> rewrites;
  // Most plans have none: they are parsed once, by parsePlan(). A key may be
  // written with escapes.
  if (!text.contains("rewrites") && !text.contains('\\'))
    return rewrites;
  auto value = parseJSON(text, fileName, "a plan", deepestPlan);
  // What is no plan at all is for parsePlan() to say.
  if (!value) {
    llvm::consumeError(value.takeError());
    return rewrites;
  }
  const json::Object *top = value->getAsObject();
  const json::Value *member = top ? top->get("rewrites") : nullptr;
  if (!member)
    return rewrites;
  const json::Array *list = member->getAsArray();
  if (!list)
    return errorAt(fileName, "rewrites: expected a list");
  for (size_t index = 0; index < list->size(); ++index) {
    std::optional<Rewrite> rewrite = rewriteOf((*list)[index]);
    if (!rewrite)
      return errorAt(fileName, "rewrites[", index,
                     "]: expected {\"kind\": text, \"vertex\": text, "
                     "\"arguments\": [text, ...]}");
    rewrites.push_back(std::move(*rewrite));
  }
  return rewrites;
}

llvm::Expected<std::vector<Rewrite>>
plan::readPlanRewrites(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return errorAt(path, buffer.getError().message());
  return parsePlanRewrites((*buffer)->getBuffer(), path);
}
