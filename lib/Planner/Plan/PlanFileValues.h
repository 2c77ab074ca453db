//===- PlanFileValues.h - Typed values of plan.json -------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_PLANNER_PLAN_PLANFILEVALUES_H
#define TAPESTRY_LIB_PLANNER_PLAN_PLANFILEVALUES_H

#include "tapestry/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace tapestry::plan {

namespace json = llvm::json;

/// A value in the file and the path that leads to it.
struct Cursor {
  const json::Value *value = nullptr;
  std::string path;

  Cursor at(llvm::StringRef key, const json::Value &child) const {
    return {&child, path.empty() ? key.str() : path + "." + key.str()};
  }
  Cursor at(size_t index, const json::Value &child) const {
    return {&child, path + "[" + std::to_string(index) + "]"};
  }
};

/// Reads values; errors name the file and the path.
class PlanFileValues {
public:
  explicit PlanFileValues(llvm::StringRef fileName) : fileName(fileName) {}

  template <typename... Parts>
  llvm::Error fail(const Cursor &at, const Parts &...parts) const;
  /// An error of another room that names no place is about the file.
  llvm::Error inFile(llvm::Error error) const {
    return withPlace(fileName, std::move(error));
  }
  llvm::Error expected(const Cursor &at, llvm::StringRef what) const;

  llvm::Expected<const json::Object *> objectAt(const Cursor &at) const;
  llvm::Expected<const json::Array *> arrayAt(const Cursor &at) const;
  llvm::Error read(const Cursor &at, int64_t &result) const;
  llvm::Error read(const Cursor &at, double &result) const;
  llvm::Error read(const Cursor &at, bool &result) const;
  llvm::Error read(const Cursor &at, std::string &result) const;
  /// Reads the member `key` if it is there.
  template <typename T>
  llvm::Error readMember(const Cursor &at, llvm::StringRef key,
                         std::optional<T> &result) const;
  llvm::Error checkKeys(const Cursor &at,
                        llvm::ArrayRef<llvm::StringRef> known) const;

protected:
  std::string fileName;
};

template <typename... Parts>
llvm::Error PlanFileValues::fail(const Cursor &at,
                                 const Parts &...parts) const {
  return errorAt(fileName, at.path.empty() ? "" : at.path + ": ", parts...);
}

template <typename T>
llvm::Error PlanFileValues::readMember(const Cursor &at, llvm::StringRef key,
                                       std::optional<T> &result) const {
  const json::Value *member = at.value->getAsObject()->get(key);
  if (!member)
    return llvm::Error::success();
  result.emplace();
  return read(at.at(key, *member), *result);
}

} // namespace tapestry::plan

#endif // TAPESTRY_LIB_PLANNER_PLAN_PLANFILEVALUES_H
