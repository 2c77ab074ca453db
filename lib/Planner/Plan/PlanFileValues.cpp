//===- PlanFileValues.cpp - Typed values of plan.json ---------------------===//

#include "PlanFileValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tapestry;
using namespace tapestry::plan;

llvm::Error PlanFileValues::expected(const Cursor &at,
                                     llvm::StringRef what) const {
  std::string got;
  llvm::raw_string_ostream(got) << *at.value;
  if (got.size() > 40)
    got = got.substr(0, 37) + "...";
  return fail(at, "expected ", what, ", got ", got);
}

llvm::Expected<const json::Object *>
PlanFileValues::objectAt(const Cursor &at) const {
  if (const json::Object *object = at.value->getAsObject())
    return object;
  return expected(at, "an object");
}

llvm::Expected<const json::Array *>
PlanFileValues::arrayAt(const Cursor &at) const {
  if (const json::Array *array = at.value->getAsArray())
    return array;
  return expected(at, "a list");
}

llvm::Error PlanFileValues::read(const Cursor &at, int64_t &result) const {
  std::optional<int64_t> number = at.value->getAsInteger();
  if (!number)
    return expected(at, "an integer");
  result = *number;
  return llvm::Error::success();
}

llvm::Error PlanFileValues::read(const Cursor &at, double &result) const {
  std::optional<double> number = at.value->getAsNumber();
  if (!number)
    return expected(at, "a number");
  result = *number;
  return llvm::Error::success();
}

llvm::Error PlanFileValues::read(const Cursor &at, bool &result) const {
  std::optional<bool> truth = at.value->getAsBoolean();
  if (!truth)
    return expected(at, "true or false");
  result = *truth;
  return llvm::Error::success();
}

llvm::Error PlanFileValues::read(const Cursor &at, std::string &result) const {
  std::optional<llvm::StringRef> string = at.value->getAsString();
  if (!string)
    return expected(at, "a string");
  result = string->str();
  return llvm::Error::success();
}

llvm::Error
PlanFileValues::checkKeys(const Cursor &at,
                          llvm::ArrayRef<llvm::StringRef> known) const {
  auto object = objectAt(at);
  if (!object)
    return object.takeError();
  for (auto &[key, member] : **object)
    if (!llvm::is_contained(known, llvm::StringRef(key)))
      return fail(at, "unknown key '", llvm::StringRef(key), "', there are ",
                  llvm::join(known, ", "));
  return llvm::Error::success();
}
